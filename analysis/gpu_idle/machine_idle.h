// SPDX-License-Identifier: Apache-2.0
// Kernels: the effect of machines on steps, from their metrics: throttled clocks, saturated CPUs, memory stalls.
//
// Threading:  pure; any thread.
// Units:      hertz; ratios 0..1 of the window; bits of NVML's clock event reasons. NaN: not recorded in that bin.
// Errors:     values that cannot be computed are absent.
// Cost:       O(n log n) in the bins.
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
  std::optional<double> lost;  // share of the window: time x (1 - clock / level); absent: the level is unknown
  double held = 0;             // share of the window with a reason set
  std::uint64_t reasons = 0;   // all that were set
  double held_hertz = 0;       // mean clock during that time
  TimeRange longest{0, 0};
};

// The 90th percentile over bins without a thermal or power reason and above idle clocks. Absent: no such bin.
std::optional<double> unthrottledHertz(std::span<const ClockBin> bins);
// For the reasons in `mask`; a bin with a thermal reason does not count as power cap. Absent: no reasons or clocks were recorded.
std::optional<ThrottleShare> throttleShare(std::span<const ClockBin> bins, std::uint64_t mask, std::optional<double> level);

struct CpuBin {
  TimeRange when;
  double busy = 0;      // cpu_busy_ratio
  double pressure = 0;  // pressure_cpu_some_ratio
};
struct SaturationShare {
  double share = 0;  // of the recorded time
  double mean_busy = 0;
  TimeRange longest{0, 0};
};
// Busy ratio at least kSaturatedCpu, or pressure at least kSaturatedPressure. Absent: neither was recorded.
std::optional<SaturationShare> saturationShare(std::span<const CpuBin> bins);

struct StallBin {
  TimeRange when;
  double grown = 0;     // compaction stalls
  double pressure = 0;  // pressure_memory_some_ratio
};
struct StallShare {
  double count = 0;             // stalls in the window
  std::optional<double> share;  // of the recorded time: memory pressure of bins with stalls; absent: their duration was not recorded
  TimeRange longest{0, 0};      // the bin with the most stalls
};
std::optional<StallShare> stallShare(std::span<const StallBin> bins);

// Consecutive intervals are joined where the first ends at the start of the second.
void lengthen(TimeRange& longest, TimeRange& open, TimeRange more);

}  // namespace runglass
