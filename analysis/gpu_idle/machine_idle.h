// SPDX-License-Identifier: Apache-2.0
// What machines cost a step, from their metrics: clocks held down, CPUs without time to give, memory that had to be made room in. Kernels.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      hertz; ratios 0..1 of the window; bits of NVML's clock event reasons. NaN: not recorded in that bin.
// Errors:     none. What cannot be told is absent.
// Cost:       O(n log n) of the bins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/gpu_idle/idle_cause.h"
#include "model/time.h"

namespace runglass {

// Bits of clock_event_reasons (NVML API reference, NvmlClocksEventReasons): hardware slowdown, thermal (software and hardware), power
// brake.
inline constexpr std::uint64_t kThermalReasons = 0x8 | 0x20 | 0x40 | 0x80;
inline constexpr std::uint64_t kPowerCapReason = 0x4;
inline constexpr double kSaturatedCpu = 0.95;
inline constexpr double kSaturatedPressure = 0.8;

struct ClockBin {
  TimeRange when;
  double hertz = 0;
  std::optional<std::uint64_t> reasons;
};

struct ThrottleShare {
  std::optional<double> lost;  // share of the window: time x (1 - clock / level); absent: the level is not known
  double held = 0;             // share of the window in which a reason was set
  std::uint64_t reasons = 0;   // that were set
  double held_hertz = 0;       // mean clock meanwhile
  TimeRange longest{0, 0};
};

// Of bins in which no thermal and no power reason was set and the clock was not an idle one's: their 90th percentile. Absent: there is
// none.
std::optional<double> unthrottledHertz(std::span<const ClockBin> bins);
// Of reasons in `mask`; a bin with a thermal reason is no power-cap one. Absent: no reasons or clocks were recorded.
std::optional<ThrottleShare> throttleShare(std::span<const ClockBin> bins, std::uint64_t mask, std::optional<double> level);

struct CpuBin {
  TimeRange when;
  double busy = 0;      // cpu_busy_ratio
  double pressure = 0;  // pressure_cpu_some_ratio
};
struct SaturationShare {
  double share = 0;  // of the time recorded
  double mean_busy = 0;
  TimeRange longest{0, 0};
};
// Busy at least kSaturatedCpu, or pressure at least kSaturatedPressure. Absent: neither was recorded.
std::optional<SaturationShare> saturationShare(std::span<const CpuBin> bins);

struct StallBin {
  TimeRange when;
  double grown = 0;     // compaction stalls
  double pressure = 0;  // pressure_memory_some_ratio
};
struct StallShare {
  double count = 0;             // stalls in the window
  std::optional<double> share;  // of the time recorded: memory pressure of bins with stalls; absent: how long they took was not recorded
  TimeRange longest{0, 0};      // the bin with most
};
std::optional<StallShare> stallShare(std::span<const StallBin> bins);

// Two stretches after each other are one where the first ends when the second begins.
void lengthen(TimeRange& longest, TimeRange& open, TimeRange more);

}  // namespace runglass
