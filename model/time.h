// SPDX-License-Identifier: Apache-2.0
// Time as int64 nanoseconds since the Unix epoch, never a double.
//
// Units:      ns; ranges are half-open [t0, t1).
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

// Stays within the range of TimeNs.
constexpr TimeNs plusTime(TimeNs time, DurNs by) {
  TimeNs sum = 0;
  if (!__builtin_add_overflow(time, by, &sum)) return sum;
  return by < 0 ? std::numeric_limits<TimeNs>::min() : std::numeric_limits<TimeNs>::max();
}

// The meaning of a run's times. `none`: the source has no clock, only steps; no times are made up.
enum class TimeDomain : std::uint8_t { kUtc = 0, kRelative = 1, kNone = 2 };

// Current wall-clock time. For stamps that must not go backwards while a process lives, read it once and add monotonicNow().
TimeNs wallNow();
// CLOCK_MONOTONIC.
TimeNs monotonicNow();

}  // namespace runglass
