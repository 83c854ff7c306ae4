// SPDX-License-Identifier: Apache-2.0
// IdleCause: why a device was idle, or slower than it could be.
//
// Ownership:  names are literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runglass {

// Each moment of idle time has one cause. Already issued work comes first (kLaunch, kQueued): then the host's activity does not hold up the
// device. Before work is issued, the first host activity in this order counts. kCpuSaturation and kMemoryStall are measured separately:
// their time is moved from kHostBound, kSmallKernels (kCpuSaturation only), then kUnexplained. The last two causes apply while the device
// is busy: slow, not idle.
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
  kThermal,   // clocks reduced by heat or a power brake
  kPowerCap,  // clocks reduced by the power limit, as in every healthy job
};
inline constexpr int kIdleCauseCount = 16;

const char* idleCauseName(IdleCause cause);  // "data", "host_bound", ... in JSON
const char* idleCauseWords(IdleCause cause);
// The usual remedy, as an imperative; "" where there is no certain one.
const char* idleRemedy(IdleCause cause);  // "data loading", "launches issued late (host-bound)", ...
std::optional<IdleCause> idleCauseFromName(std::string_view name);
constexpr bool isSlowNotIdle(IdleCause cause) { return cause >= IdleCause::kThermal; }

}  // namespace runglass
