// SPDX-License-Identifier: Apache-2.0
// IdleCause: why a device did nothing, or less than it can.
//
// Threading:  plain values.
// Ownership:  names are literals.
// Units:      none.
// Errors:     none.
// Cost:       none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runglass {

// A moment in which the device did nothing belongs to one cause. Work that was issued already comes first (kLaunch, kQueued): then nothing
// that the host does holds the device up. Before it is issued, the first of this order that the host did counts. kCpuSaturation and
// kMemoryStall are measured beside the moments and take from kHostBound, then from kUnexplained. The last two are of moments in which the
// device worked: slow, not idle.
enum class IdleCause : std::uint8_t {
  kCheckpoint = 0,
  kData,
  kGc,
  kLogging,
  kSync,
  kAllocation,
  kCopyCall,
  kSmallKernels,
  kCpuSaturation,
  kMemoryStall,
  kHostBound,
  kLaunch,
  kQueued,
  kUnexplained,
  kThermal,   // clocks held down by heat or a power brake
  kPowerCap,  // clocks held down by the power limit, as in every healthy job
};
inline constexpr int kIdleCauseCount = 16;

const char* idleCauseName(IdleCause cause);  // "data", "host_bound", ... in JSON
const char* idleCauseWords(IdleCause cause);
// What usually helps, as an imperative; "" where nothing does for sure.
const char* idleRemedy(IdleCause cause);  // "data loading", "launches issued late (host-bound)", ...
std::optional<IdleCause> idleCauseFromName(std::string_view name);
constexpr bool isSlowNotIdle(IdleCause cause) { return cause >= IdleCause::kThermal; }

}  // namespace runglass
