// SPDX-License-Identifier: Apache-2.0
// Reads and parses the kernel's text files under /proc.
//
// Threading:  parsers are pure.
// Units:      the kernel's: jiffies, kB converted to bytes, microseconds of pressure, 512-byte sectors converted to bytes.
// Errors:     an invalid line is left out; a missing field is absent, never 0.
// Cost:       O(text).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass::proc {

// The whole file; absent where it cannot be opened.
std::optional<std::string> readText(const std::string& path);

struct CpuTimes {  // jiffies since boot
  std::uint64_t busy = 0, iowait = 0, steal = 0, total = 0;
};
// "cpu" (all) and "cpuN" lines of /proc/stat by name without "cpu": "" is all cores, "0", "1", ...
std::map<std::string, CpuTimes> parseStat(std::string_view text);

// "Name: N kB" lines of /proc/meminfo in bytes; "Name N" lines of /proc/vmstat as they are.
std::map<std::string, std::int64_t, std::less<>> parseNamedNumbers(std::string_view text);

struct Pressure {
  std::optional<std::uint64_t> some_total_us, full_total_us;
};
Pressure parsePressure(std::string_view text);

struct DiskCounters {
  std::uint64_t read_bytes = 0, written_bytes = 0, busy_ms = 0;
};
// Whole disks only (no partitions, loops or ram disks).
std::map<std::string, DiskCounters> parseDiskstats(std::string_view text);

struct NetCounters {
  std::uint64_t rx_bytes = 0, rx_errors = 0, rx_dropped = 0, tx_bytes = 0, tx_errors = 0, tx_dropped = 0;
};
std::map<std::string, NetCounters> parseNetDev(std::string_view text);

struct Mount {
  std::string path, filesystem;
};
// Mounts that can harm a training job when full or stalled: real and network file systems, and tmpfs at /dev/shm and /tmp.
std::vector<Mount> parseMounts(std::string_view text);

// Free bytes in blocks of at least 2^order pages, all nodes and zones (a huge page needs order 9 of 4 KiB pages).
std::optional<std::int64_t> parseBuddyinfo(std::string_view text, int order, std::int64_t page_bytes);

struct ProcessStat {
  std::uint64_t cpu_jiffies = 0, major_faults = 0, start_jiffies = 0;
  std::int64_t rss_pages = 0, threads = 0;
  char state = '?';
};
std::optional<ProcessStat> parseProcessStat(std::string_view text);

// Values of a NUL-separated /proc/PID/environ.
std::optional<std::string> environValue(std::string_view environ_text, std::string_view name);
// Of a trainer: launchers set RANK and WORLD_SIZE.
bool isTrainer(std::string_view environ_text);

}  // namespace runglass::proc
