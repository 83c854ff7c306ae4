// SPDX-License-Identifier: Apache-2.0
#include "model/time_text.h"

#include <algorithm>
#include <ctime>

namespace runglass {

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

std::string utcText(TimeNs time) {
  const auto seconds = static_cast<std::time_t>(time / kNsPerSecond);
  std::tm utc{};
  char text[40];
  if (gmtime_r(&seconds, &utc) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &utc) == 0)
    return std::to_string(time) + " ns";
  return text;
}

}  // namespace runglass
