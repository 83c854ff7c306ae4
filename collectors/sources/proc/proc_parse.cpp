// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/proc/proc_parse.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

namespace runglass::proc {
namespace {

std::vector<std::string_view> splitWords(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    std::size_t end = at;
    while (end < line.size() && line[end] != ' ' && line[end] != '\t') ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

template <class Fn>
void eachLine(std::string_view text, Fn&& fn) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    fn(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::optional<T> number(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// All of words[from..] as numbers; absent if one is not a number.
std::optional<std::vector<std::uint64_t>> numbers(const std::vector<std::string_view>& words, std::size_t from) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = from; i < words.size(); ++i) {
    const auto value = number<std::uint64_t>(words[i]);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

bool isWholeDisk(std::string_view name) {
  if (name.starts_with("loop") || name.starts_with("ram") || name.starts_with("zram") || name.starts_with("dm-") || name.starts_with("md"))
    return false;
  if (name.starts_with("nvme") || name.starts_with("mmcblk")) return name.find('p') == std::string_view::npos;
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.back()));
}

}  // namespace

std::optional<std::string> readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::map<std::string, CpuTimes> parseStat(std::string_view text) {
  std::map<std::string, CpuTimes> cpus;
  eachLine(text, [&](std::string_view line) {
    if (!line.starts_with("cpu")) return;
    const auto words = splitWords(line);
    const auto v = numbers(words, 1);
    if (!v || v->size() < 5) return;
    CpuTimes times;
    // user nice system idle iowait irq softirq steal; guest is included in user.
    const std::size_t fields = std::min<std::size_t>(v->size(), 8);
    for (std::size_t i = 0; i < fields; ++i) times.total += (*v)[i];
    times.iowait = (*v)[4];
    times.steal = v->size() > 7 ? (*v)[7] : 0;
    times.busy = times.total - (*v)[3] - times.iowait;
    cpus[std::string(words[0].substr(3))] = times;
  });
  return cpus;
}

std::map<std::string, std::int64_t, std::less<>> parseNamedNumbers(std::string_view text) {
  std::map<std::string, std::int64_t, std::less<>> values;
  eachLine(text, [&](std::string_view line) {
    const auto words = splitWords(line);
    if (words.size() < 2) return;
    std::string_view name = words[0];
    if (name.ends_with(':')) name.remove_suffix(1);
    const auto value = number<std::int64_t>(words[1]);
    if (!value) return;
    const bool kilobytes = words.size() > 2 && words[2] == "kB";
    if (kilobytes && *value > INT64_MAX / 1024) return;
    values[std::string(name)] = kilobytes ? *value * 1024 : *value;
  });
  return values;
}

Pressure parsePressure(std::string_view text) {
  Pressure pressure;
  eachLine(text, [&](std::string_view line) {
    const std::size_t at = line.find("total=");
    if (at == std::string_view::npos) return;
    const auto total = number<std::uint64_t>(line.substr(at + 6));
    if (line.starts_with("some")) pressure.some_total_us = total;
    if (line.starts_with("full")) pressure.full_total_us = total;
  });
  return pressure;
}

std::map<std::string, DiskCounters> parseDiskstats(std::string_view text) {
  std::map<std::string, DiskCounters> disks;
  eachLine(text, [&](std::string_view line) {
    const auto words = splitWords(line);
    if (words.size() < 14 || !isWholeDisk(words[2])) return;
    const auto v = numbers(words, 3);
    if (!v) return;
    constexpr std::uint64_t kSector = 512;
    disks[std::string(words[2])] = {(*v)[2] * kSector, (*v)[6] * kSector, (*v)[9]};
  });
  return disks;
}

std::map<std::string, NetCounters> parseNetDev(std::string_view text) {
  std::map<std::string, NetCounters> interfaces;
  eachLine(text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const auto name = splitWords(line.substr(0, colon));
    const auto v = numbers(splitWords(line.substr(colon + 1)), 0);
    if (name.size() != 1 || !v || v->size() < 12) return;
    interfaces[std::string(name[0])] = {(*v)[0], (*v)[2], (*v)[3], (*v)[8], (*v)[10], (*v)[11]};
  });
  return interfaces;
}

std::vector<Mount> parseMounts(std::string_view text) {
  static constexpr std::array<std::string_view, 16> kFilesystems = {
      "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "nfs", "nfs4", "cifs", "ceph", "lustre", "beegfs", "gpfs", "9p", "overlay", "wekafs"};
  std::vector<Mount> mounts;
  eachLine(text, [&](std::string_view line) {
    const auto words = splitWords(line);
    if (words.size() < 3) return;
    const std::string_view path = words[1], filesystem = words[2];
    const bool real =
        std::find(kFilesystems.begin(), kFilesystems.end(), filesystem) != kFilesystems.end() || filesystem.starts_with("fuse.");
    const bool memory = filesystem == "tmpfs" && (path == "/dev/shm" || path == "/tmp");
    // Files bind-mounted into containers (/etc/hosts) are not places to write.
    if ((!real && !memory) || path.starts_with("/etc/") || path.starts_with("/proc/") || path.starts_with("/sys/")) return;
    const bool known = std::any_of(mounts.begin(), mounts.end(), [&](const Mount& m) { return m.path == path; });
    if (!known && mounts.size() < 64) mounts.push_back({std::string(path), std::string(filesystem)});
  });
  return mounts;
}

std::optional<std::int64_t> parseBuddyinfo(std::string_view text, int order, std::int64_t page_bytes) {
  std::optional<std::int64_t> bytes;
  eachLine(text, [&](std::string_view line) {
    const auto words = splitWords(line);  // Node 0, zone Normal c0 c1 ... c10
    if (words.size() < 5 || words[0] != "Node") return;
    const auto counts = numbers(words, 4);
    if (!counts) return;
    for (std::size_t i = static_cast<std::size_t>(order); i < counts->size() && i < 20; ++i)
      bytes = bytes.value_or(0) + static_cast<std::int64_t>((*counts)[i]) * (page_bytes << i);
  });
  return bytes;
}

std::optional<ProcessStat> parseProcessStat(std::string_view text) {
  // The command is in parentheses and can contain spaces and ')': fields begin after the last ')'.
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(close + 1);
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  const auto words = splitWords(rest);
  if (words.size() < 22) return std::nullopt;
  const auto major = number<std::uint64_t>(words[9]), user = number<std::uint64_t>(words[11]), system = number<std::uint64_t>(words[12]);
  const auto threads = number<std::int64_t>(words[17]), rss = number<std::int64_t>(words[21]);
  const auto start = number<std::uint64_t>(words[19]);
  if (!major || !user || !system || !threads || !rss || !start) return std::nullopt;
  return ProcessStat{*user + *system, *major, *start, *rss, *threads, words[0][0]};
}

std::optional<std::string> environValue(std::string_view environ_text, std::string_view name) {
  while (!environ_text.empty()) {
    const std::size_t end = environ_text.find('\0');
    const std::string_view entry = environ_text.substr(0, end);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string(entry.substr(name.size() + 1));
    if (end == std::string_view::npos) break;
    environ_text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

bool isTrainer(std::string_view environ_text) { return environValue(environ_text, "RANK") && environValue(environ_text, "WORLD_SIZE"); }

}  // namespace runglass::proc
