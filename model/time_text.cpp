// SPDX-License-Identifier: Apache-2.0
#include "model/time_text.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace runglass {
namespace {

std::string utcParts(TimeNs time, const char* format) {
  // Rounds down, so that times before 1970 keep their order.
  const auto seconds = static_cast<std::time_t>(time / kNsPerSecond - (time % kNsPerSecond < 0 ? 1 : 0));
  std::tm utc{};
  char text[40];
  if (gmtime_r(&seconds, &utc) == nullptr || std::strftime(text, sizeof text, format, &utc) == 0) return std::to_string(time) + " ns";
  return text;
}

}  // namespace

std::string durationText(DurNs duration) {
  const std::int64_t seconds = std::max<std::int64_t>(0, duration) / kNsPerSecond;
  const auto two = [](std::int64_t big, const char* big_unit, std::int64_t small, const char* small_unit) {
    return std::to_string(big) + big_unit + (small != 0 ? " " + std::to_string(small) + small_unit : "");
  };
  constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (seconds < kMinute) return std::to_string(seconds) + " s";
  if (seconds < kHour) return two(seconds / kMinute, " min", seconds % kMinute, " s");
  if (seconds < 2 * kDay) return two(seconds / kHour, " h", seconds / kMinute % 60, " min");
  return two(seconds / kDay, " d", seconds / kHour % 24, " h");
}

std::string shortDurationText(DurNs duration) {
  constexpr struct {
    double size;
    const char* unit;
  } kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  if (duration >= 60 * kNsPerSecond) return durationText(duration);
  const double ns = std::max(0.0, static_cast<double>(duration));
  for (const auto& [size, unit] : kUnits) {
    const double value = ns / size;
    if (value < 0.9995) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
    return text;
  }
  return std::to_string(static_cast<std::int64_t>(ns)) + " ns";
}

std::string utcText(TimeNs time) { return utcParts(time, "%Y-%m-%d %H:%M:%SZ"); }
std::string clockText(TimeNs time) { return utcParts(time, "%H:%M:%S"); }

std::string countdownText(DurNs left) {
  const std::int64_t seconds = std::max<DurNs>(0, left) / kNsPerSecond;
  const auto two = [](std::int64_t value) { return (value < 10 ? ":0" : ":") + std::to_string(value); };
  if (seconds < 3600) return std::to_string(seconds / 60) + two(seconds % 60);
  return std::to_string(seconds / 3600) + two(seconds / 60 % 60) + two(seconds % 60);
}

}  // namespace runglass
