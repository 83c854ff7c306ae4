// SPDX-License-Identifier: Apache-2.0
// The maximum distance of a time from the epoch: sums and differences of two such times do not overflow, and an axis over them is finite.
//
// Units:      ns.
#pragma once

#include <algorithm>
#include <optional>

#include "model/time.h"

namespace runglass {

inline constexpr TimeNs kFarTime = 4'000'000'000'000'000'000;  // year 2096; before: 1843

constexpr bool isFar(TimeNs time) { return time < -kFarTime || time > kFarTime; }
constexpr TimeNs nearTime(TimeNs time) { return std::clamp(time, -kFarTime, kFarTime); }
inline std::optional<TimeNs> nearTime(std::optional<TimeNs> time) { return time ? std::optional(nearTime(*time)) : std::nullopt; }

}  // namespace runglass
