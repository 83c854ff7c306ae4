// SPDX-License-Identifier: Apache-2.0
// Parses wall-clock times as printed in files, exactly to the nanosecond, without doubles.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     nullopt: not a time, an impossible date, or outside the years 1970 to 2200.
// Cost:       O(text).
#pragma once

#include <optional>
#include <string_view>

#include "model/time.h"

namespace runglass {

struct WallTime {
  TimeNs time = 0;     // interpreted as UTC if no zone is printed
  bool zoned = false;  // "Z", "+02:00", or a number since the epoch
};

// "2025-09-24T03:17:04.490Z", "2026-06-24 10:17:41,589+0200", "2026/07/03 22:10:46.109", "20260703 22:10:46", "Wed Jul 31 11:22:39 2024".
std::optional<WallTime> parseWallTime(std::string_view text);

// "1775016266.006" in units of `unit_ns` (seconds: 1e9). Digits below a nanosecond are truncated.
std::optional<TimeNs> parseEpoch(std::string_view text, DurNs unit_ns);

}  // namespace runglass
