// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/wall_time.h"

#include <array>
#include <charconv>
#include <chrono>

#include "collectors/text/quantity.h"

namespace runglass {
namespace {

constexpr std::int64_t kLastSecond = 7'258'118'400;  // 2200

// Parses a text from its front; a mismatch sets it to failed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : m_rest(text) {}
  bool ok() const { return m_ok; }
  std::string_view rest() const { return m_rest; }
  int digits(std::size_t least, std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    while (n < m_rest.size() && n < most && m_rest[n] >= '0' && m_rest[n] <= '9') value = value * 10 + (m_rest[n++] - '0');
    if (n < least) m_ok = false;
    m_rest.remove_prefix(n);
    return value;
  }
  bool maybe(std::string_view any_of) {
    if (m_rest.empty() || any_of.find(m_rest.front()) == std::string_view::npos) return false;
    m_rest.remove_prefix(1);
    return true;
  }
  void need(std::string_view any_of) { m_ok = maybe(any_of) && m_ok; }
  void blanks() {
    while (maybe(" ")) {
    }
  }
  std::string_view take(std::size_t n) {
    const std::string_view taken = m_rest.substr(0, n);
    m_rest.remove_prefix(taken.size());
    return taken;
  }
  // Digits after a point or comma, as nanoseconds.
  std::int64_t fraction() {
    if (!maybe(".,")) return 0;
    std::int64_t ns = 0, scale = 100'000'000;
    const std::size_t before = m_rest.size();
    for (; !m_rest.empty() && m_rest.front() >= '0' && m_rest.front() <= '9'; m_rest.remove_prefix(1), scale /= 10)
      ns += (m_rest.front() - '0') * scale;
    if (m_rest.size() == before) m_ok = false;
    return ns;
  }

 private:
  std::string_view m_rest;
  bool m_ok = true;
};

struct Parts {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone_minutes = 0;
  std::int64_t ns = 0;
};

std::optional<TimeNs> timeOf(const Parts& p) {
  using namespace std::chrono;
  const year_month_day date{year{p.year}, month{static_cast<unsigned>(p.month)}, day{static_cast<unsigned>(p.day)}};
  if (!date.ok() || p.year < 1970 || p.year > 2200 || p.hour > 23 || p.minute > 59 || p.second > 60) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + p.hour) * 60 + p.minute - p.zone_minutes) * 60 + p.second;
  if (seconds < 0 || seconds > kLastSecond) return std::nullopt;
  return seconds * kNsPerSecond + p.ns;
}

void readClock(Cursor& in, Parts& p) {
  p.hour = in.digits(1, 2);
  in.need(":");
  p.minute = in.digits(2, 2);
  in.need(":");
  p.second = in.digits(2, 2);
  p.ns = in.fraction();
}

// "Wed Jul 31 11:22:39 2024"
std::optional<WallTime> parseCtime(Cursor in) {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  Parts p;
  in.take(3);
  in.blanks();
  const std::string_view month = in.take(3);
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (kMonths[i] == month) p.month = static_cast<int>(i) + 1;
  in.blanks();
  p.day = in.digits(1, 2);
  in.blanks();
  readClock(in, p);
  in.blanks();
  p.year = in.digits(4, 4);
  if (!in.ok() || !in.rest().empty()) return std::nullopt;
  const auto time = timeOf(p);
  return time ? std::optional(WallTime{*time, false}) : std::nullopt;
}

}  // namespace

std::optional<WallTime> parseWallTime(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 64 || text.empty()) return std::nullopt;
  Cursor in(text);
  if (text.front() < '0' || text.front() > '9') return parseCtime(in);
  Parts p;
  p.year = in.digits(4, 4);
  const bool separated = in.maybe("-/");
  p.month = in.digits(separated ? 1 : 2, 2);
  if (separated) in.need("-/");
  p.day = in.digits(separated ? 1 : 2, 2);
  in.need("T ");
  in.blanks();
  readClock(in, p);
  in.blanks();
  bool zoned = in.maybe("Zz");
  if (!zoned && !in.rest().empty() && (in.rest().front() == '+' || in.rest().front() == '-')) {
    const int sign = in.take(1) == "-" ? -1 : 1;
    const int hours = in.digits(2, 2);
    in.maybe(":");
    const int minutes = in.rest().empty() ? 0 : in.digits(2, 2);
    if (hours > 18 || minutes > 59) return std::nullopt;
    p.zone_minutes = sign * (hours * 60 + minutes);
    zoned = true;
  } else if (!zoned && in.rest() == "UTC") {
    in.take(3);
    zoned = true;
  }
  if (!in.ok() || !in.rest().empty()) return std::nullopt;
  const auto time = timeOf(p);
  return time ? std::optional(WallTime{*time, zoned}) : std::nullopt;
}

std::optional<TimeNs> parseEpoch(std::string_view text, DurNs unit_ns) {
  text = trimmed(text);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::int64_t units = 0;
  const auto parsed = std::from_chars(whole.data(), whole.data() + whole.size(), units);
  if (parsed.ec != std::errc() || parsed.ptr != whole.data() + whole.size() || units < 0 || units > kLastSecond * (kNsPerSecond / unit_ns))
    return std::nullopt;
  std::int64_t ns = 0;
  if (point != std::string_view::npos) {
    DurNs scale = unit_ns / 10;
    if (point + 1 == text.size()) return std::nullopt;
    for (const char c : text.substr(point + 1)) {
      if (c < '0' || c > '9') return std::nullopt;
      ns += (c - '0') * scale;
      scale /= 10;
    }
  }
  return units * unit_ns + ns;
}

}  // namespace runglass
