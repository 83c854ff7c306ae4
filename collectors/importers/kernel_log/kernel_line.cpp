// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/kernel_log/kernel_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

namespace runglass::kernel_log {
namespace {
using std::string_view;

// Consumes the front of a text; after the first mismatch the rest is unspecified, and ok() is false.
class Front {
 public:
  explicit Front(string_view text) : m_rest(text) {}
  bool ok() const { return m_ok; }
  string_view rest() const { return m_rest; }
  Front& skip(string_view wanted) {
    m_ok = m_ok && m_rest.starts_with(wanted);
    if (m_ok) m_rest.remove_prefix(wanted.size());
    return *this;
  }
  Front& any(char wanted) {
    while (m_ok && !m_rest.empty() && m_rest.front() == wanted) m_rest.remove_prefix(1);
    return *this;
  }
  template <class Number>
  Front& number(Number& out, std::size_t most_digits = 19) {
    std::size_t digits = 0;
    while (digits < m_rest.size() && digits <= most_digits && m_rest[digits] >= '0' && m_rest[digits] <= '9') ++digits;
    m_ok = m_ok && digits > 0 && digits <= most_digits && std::from_chars(m_rest.data(), m_rest.data() + digits, out).ec == std::errc();
    if (m_ok) m_rest.remove_prefix(digits);
    return *this;
  }
  // ".283302": the digits after the mark as nanoseconds.
  std::int64_t fraction() {
    std::int64_t value = 0;
    if (!m_ok || m_rest.size() < 2 || (m_rest[0] != '.' && m_rest[0] != ',') || m_rest[1] < '0' || m_rest[1] > '9') return 0;
    m_rest.remove_prefix(1);
    std::size_t digits = 0;
    for (; !m_rest.empty() && m_rest[0] >= '0' && m_rest[0] <= '9'; m_rest.remove_prefix(1))
      if (digits < 9) value = value * 10 + (m_rest[0] - '0'), ++digits;
    for (; digits < 9; ++digits) value *= 10;
    return value;
  }
  Front& month(unsigned& out) {
    static constexpr string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::size_t at = m_rest.size() < 3 ? string_view::npos : kMonths.find(m_rest.substr(0, 3));
    m_ok = m_ok && at != string_view::npos && at % 3 == 0;
    if (!m_ok) return *this;
    out = static_cast<unsigned>(at / 3 + 1);
    m_rest.remove_prefix(3);
    return *this;
  }
  Front& word(std::size_t letters) {
    for (std::size_t i = 0; m_ok && i < letters; ++i)
      m_ok = i < m_rest.size() && ((m_rest[i] >= 'A' && m_rest[i] <= 'Z') || (m_rest[i] >= 'a' && m_rest[i] <= 'z'));
    if (m_ok) m_rest.remove_prefix(letters);
    return *this;
  }

 private:
  string_view m_rest;
  bool m_ok = true;
};

struct WallTime {
  int year = 0;
  unsigned month = 0, day = 0;
  std::int64_t hour = 0, minute = 0, second = 0;
  std::optional<TimeNs> utc() const {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    if (!date.ok() || year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    return ((std::int64_t{sys_days{date}.time_since_epoch().count()} * 24 + hour) * 60 + minute) * 60 * kNsPerSecond +
           second * kNsPerSecond;
  }
  void clock(Front& front) { front.number(hour, 2).skip(":").number(minute, 2).skip(":").number(second, 2); }
};

Severity ofLevel(unsigned level) {
  return level <= 2   ? Severity::kCritical
         : level == 3 ? Severity::kError
         : level == 4 ? Severity::kWarning
         : level <= 6 ? Severity::kInfo
                      : Severity::kDebug;
}

std::optional<Severity> ofLevelName(string_view name) {
  static constexpr std::array<std::pair<string_view, unsigned>, 16> kNames = {{{"emerg", 0},
                                                                               {"alert", 1},
                                                                               {"crit", 2},
                                                                               {"err", 3},
                                                                               {"warn", 4},
                                                                               {"notice", 5},
                                                                               {"info", 6},
                                                                               {"debug", 7},
                                                                               {"FATAL", 2},
                                                                               {"CRITICAL", 2},
                                                                               {"ERROR", 3},
                                                                               {"WARNING", 4},
                                                                               {"WARN", 4},
                                                                               {"NOTICE", 5},
                                                                               {"INFO", 6},
                                                                               {"DEBUG", 7}}};
  for (const auto& [known, level] : kNames)
    if (name == known) return ofLevel(level);
  return std::nullopt;
}

// "6,1234,5678901,-;text"
bool readKmsg(string_view line, KernelLine& out) {
  unsigned priority = 0;
  std::uint64_t sequence = 0;
  std::int64_t usec = 0;
  Front front(line);
  front.number(priority, 4).skip(",").number(sequence, 19).skip(",").number(usec, 15).skip(",");
  const std::size_t text = front.rest().find(';');
  if (!front.ok() || text == string_view::npos || text > 64) return false;
  out.severity = ofLevel(priority & 7U);
  out.other_program = (priority >> 3U) != 0;
  out.sequence = sequence;
  out.clock = Clock::kBoot;
  out.time = usec * kNsPerUs;
  out.text = front.rest().substr(text + 1);
  return out.kernel = true;
}

// "[  123.456789] ", also with the caller added by CONFIG_PRINTK_CALLER: "[  123.456789][ T1234] ".
bool takeBootTime(string_view& text, TimeNs& time) {
  std::int64_t seconds = 0;
  Front front(text);
  front.skip("[").any(' ').number(seconds, 9);
  if (!front.ok() || !front.rest().starts_with('.')) return false;
  const std::int64_t fraction = front.fraction();
  front.skip("]");
  if (!front.ok()) return false;
  time = seconds * kNsPerSecond + fraction;
  text = front.rest();
  if (Front caller(text); caller.skip("[").any(' ').word(1).ok()) {
    std::uint32_t id = 0;
    if (caller.number(id, 10).skip("]").ok()) text = caller.rest();
  }
  if (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

// "[Sun Feb 23 16:24:18 2025] " (dmesg -T) and "[Feb 25 2025 13:59:45] " (fabric manager).
bool takeBracketedTime(string_view& text, KernelLine& out) {
  WallTime wall;
  Front front(text);
  front.skip("[").word(3).skip(" ").month(wall.month).any(' ').number(wall.day, 2).skip(" ");
  wall.clock(front);
  front.skip(" ").number(wall.year, 4).skip("]");
  if (!front.ok()) {
    front = Front(text);
    front.skip("[").month(wall.month).any(' ').number(wall.day, 2).skip(" ").number(wall.year, 4).skip(" ");
    wall.clock(front);
    front.skip("]");
  }
  const auto time = wall.utc();
  if (!front.ok() || !time) return false;
  out.clock = Clock::kLocal;
  out.time = *time;
  text = front.any(' ').ok() ? front.rest() : text;
  return true;
}

bool takeZone(Front& front, std::int64_t& minutes) {
  const string_view rest = front.rest();
  if (rest.starts_with('Z')) return front.skip("Z").ok();
  if (rest.size() < 5 || (rest[0] != '+' && rest[0] != '-')) return false;
  std::int64_t hours = 0, rest_minutes = 0;
  Front zone(rest.substr(1, 2));
  Front tail(rest.substr(rest[3] == ':' ? 4 : 3, 2));
  if (!zone.number(hours, 2).ok() || !tail.number(rest_minutes, 2).ok() || hours > 14 || rest_minutes > 59) return false;
  minutes = (rest[0] == '-' ? -1 : 1) * (hours * 60 + rest_minutes);
  front.skip(rest.substr(0, std::min<std::size_t>(rest.size(), rest[3] == ':' ? 6 : 5)));
  return true;
}

// "2025-01-21T04:41:44,283302+00:00 ". `dmesg`: whether it is dmesg's time format, which no host name follows.
bool takeIsoTime(string_view& text, KernelLine& out, bool& dmesg) {
  WallTime wall;
  Front front(text);
  front.number(wall.year, 4).skip("-").number(wall.month, 2).skip("-").number(wall.day, 2);
  if (!front.ok() || front.rest().empty() || (front.rest()[0] != 'T' && front.rest()[0] != ' ')) return false;
  front.skip(front.rest().substr(0, 1));
  wall.clock(front);
  const bool comma = front.rest().starts_with(',');
  const std::int64_t fraction = front.fraction();
  std::int64_t zone = 0;
  const bool has_zone = takeZone(front, zone);
  const auto time = wall.utc();
  if (!front.ok() || !time) return false;
  dmesg = comma && has_zone;
  out.clock = has_zone ? Clock::kUtc : Clock::kLocal;
  out.time = *time + fraction - zone * 60 * kNsPerSecond;
  text = front.any(' ').rest();
  return true;
}

// "Jan 21 04:41:44 "
bool takeSyslogTime(string_view& text, KernelLine& out) {
  WallTime wall{.year = 2000};
  Front front(text);
  front.month(wall.month).any(' ').number(wall.day, 2).skip(" ");
  wall.clock(front);
  const std::int64_t fraction = front.fraction();
  const auto time = wall.utc();
  if (!front.skip(" ").ok() || !time) return false;
  out.clock = Clock::kNoYear;
  out.time = *time + fraction;
  text = front.rest();
  return true;
}

// "host kernel: " and "host prog[12]: ", RFC 5424: "host kernel - - - ".
void takeHost(string_view& text, KernelLine& out) {
  const std::size_t space = text.find(' ');
  if (space == string_view::npos || space == 0 || space > 253 || text[space - 1] == ':') return;
  const string_view host = text.substr(0, space);
  const string_view after = text.substr(space + 1);
  const std::size_t end = after.substr(0, 128).find(' ');
  if (end == string_view::npos || end == 0) return;
  const string_view tag = after.substr(0, end);
  const string_view name = tag.substr(0, tag.find_first_of("[:"));
  string_view rest = after.substr(end + 1);
  if (tag.ends_with(':')) {
    text = rest;
  } else if (Front fields(rest); fields.skip("- - - ").ok()) {
    text = fields.rest();
  } else {
    return;
  }
  out.host = host;
  out.kernel = name == "kernel";
  out.other_program = !out.kernel;
}

void takePriority(string_view& text, KernelLine& out) {
  unsigned priority = 0;
  Front front(text);
  if (front.skip("<").number(priority, 4).skip(">").ok() && priority < 192) {
    out.severity = ofLevel(priority & 7U);
    out.other_program = priority >= 8;
    if (Front version(front.rest()); version.skip("1 ").ok()) front = version;
    text = front.rest();
  }
}

// "kern  :warn  : " (dmesg -x)
bool takeFacility(string_view& text, KernelLine& out) {
  const std::size_t first = text.substr(0, 12).find(':');
  if (first == string_view::npos) return false;
  const std::size_t second = text.substr(first + 1, 12).find(':');
  if (second == string_view::npos) return false;
  string_view level = text.substr(first + 1, second);
  level = level.substr(0, std::min(level.find(' '), level.size()));
  const auto severity = ofLevelName(level);
  if (!severity) return false;
  out.severity = severity;
  out.other_program = !text.starts_with("kern ");
  text.remove_prefix(first + second + 2);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

// "[INFO] [tid 1803] ": the fabric manager.
void takeLevelName(string_view& text, KernelLine& out) {
  const std::size_t end = text.substr(0, 12).find("] ");
  if (!text.starts_with('[') || end == string_view::npos) return;
  if (const auto severity = ofLevelName(text.substr(1, end - 1))) {
    out.severity = severity;
    text.remove_prefix(end + 2);
  }
}
}  // namespace

bool KernelLineReader::read(string_view line, KernelLine& out) {
  out = {};
  if (m_entry.open || line.starts_with("__CURSOR=")) return readExport(line, out);
  if (line.starts_with('{') && line.find("\"MESSAGE\"") != string_view::npos && readJson(line, out)) return true;
  if (m_kmsg && line.starts_with(' ')) return false;  // " SUBSYSTEM=pci": a dictionary of the previous record
  m_kmsg = readKmsg(line, out);
  if (m_kmsg) return true;
  string_view text = line;
  takePriority(text, out);
  bool dmesg = takeFacility(text, out);
  if (takeIsoTime(text, out, dmesg) || takeSyslogTime(text, out)) {
    out.kernel = dmesg;
    if (!dmesg) takeHost(text, out);
    TimeNs boot = 0;
    (void)takeBootTime(text, boot);
  } else if (TimeNs boot = 0; takeBootTime(text, boot)) {
    out.clock = Clock::kBoot;
    out.time = boot;
    out.kernel = true;
  } else if (takeBracketedTime(text, out)) {
    out.kernel = true;
    takeLevelName(text, out);
  }
  out.text = text;
  return text.find_first_not_of(" \t") != string_view::npos;
}

bool KernelLineReader::readJson(string_view line, KernelLine& out) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  Entry entry;
  for (const auto& [key, value] : json.items()) {
    if (value.is_string()) {
      entry.put(key, value.get_ref<const std::string&>());
    } else if (key == "MESSAGE" && value.is_array()) {  // bytes that are not UTF-8
      for (const auto& byte : value)
        if (byte.is_number_unsigned()) entry.message += static_cast<char>(byte.get<unsigned>() & 0xFFU);
    }
  }
  m_entry = std::move(entry);
  return take(out);
}

void KernelLineReader::Entry::put(string_view key, string_view value) {
  if (key == "MESSAGE") message = value;
  if (key == "_HOSTNAME") host = value;
  if (key == "PRIORITY") priority = value;
  if (key == "_TRANSPORT") transport = value;
  if (key == "__REALTIME_TIMESTAMP") realtime = value;
  if (key == "_SOURCE_REALTIME_TIMESTAMP") realtime = value;
}

bool KernelLineReader::readExport(string_view line, KernelLine& out) {
  if (line.empty()) return take(out);
  m_entry.open = true;
  if (!m_entry.binary_key.empty()) {  // 8 bytes of length, then the value up to the end of its first line
    if (line.size() > 8) m_entry.put(m_entry.binary_key, line.substr(8));
    m_entry.binary_key.clear();
    return false;
  }
  const std::size_t equals = line.find('=');
  if (equals == string_view::npos)
    m_entry.binary_key = line.substr(0, 64);
  else
    m_entry.put(line.substr(0, equals), line.substr(equals + 1));
  return false;
}

bool KernelLineReader::finish(KernelLine& out) {
  out = {};
  return take(out);
}

bool KernelLineReader::take(KernelLine& out) {
  m_taken = std::move(m_entry);
  m_entry = {};
  if (m_taken.message.empty()) return false;
  if (unsigned level = 0; Front(m_taken.priority).number(level, 1).ok()) out.severity = ofLevel(level);
  if (std::int64_t usec = 0; Front(m_taken.realtime).number(usec, 16).ok() && usec < 7'258'118'400'000'000) {
    out.clock = Clock::kUtc;
    out.time = usec * kNsPerUs;
  }
  out.host = m_taken.host;
  out.kernel = m_taken.transport == "kernel";
  out.other_program = !out.kernel;
  out.text = m_taken.message;
  return true;
}

}  // namespace runglass::kernel_log
