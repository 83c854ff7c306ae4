// SPDX-License-Identifier: Apache-2.0
// Time as int64 nanoseconds since the Unix epoch, never a double.
//
// Threading:  plain values.
// Units:      ns; ranges are half-open [t0, t1).
// Cost:       free.
#pragma once

#include <cstdint>
#include <limits>

namespace runglass {

using TimeNs = std::int64_t;
using DurNs = std::int64_t;

inline constexpr DurNs kNsPerUs = 1'000;
inline constexpr DurNs kNsPerMs = 1'000'000;
inline constexpr DurNs kNsPerSecond = 1'000'000'000;

struct TimeRange {
  TimeNs t0 = std::numeric_limits<TimeNs>::min();
  TimeNs t1 = std::numeric_limits<TimeNs>::max();
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// What a run's times mean. `none`: the source has no clock, only steps; none is invented.
enum class TimeDomain : std::uint8_t { kUtc = 0, kRelative = 1, kNone = 2 };

// Wall clock now. For stamps that must not step back while a process lives, anchor once and add monotonicNow().
TimeNs wallNow();
// CLOCK_MONOTONIC.
TimeNs monotonicNow();

}  // namespace runglass
