// SPDX-License-Identifier: Apache-2.0
// The evidence of each row as sentences: numbers with units.
//
// Threading:  pure; any thread.
// Units:      as IdleTally.
#pragma once

#include <string>

#include "analysis/gpu_idle/idle_answer.h"
#include "analysis/gpu_idle/idle_machines.h"
#include "analysis/gpu_idle/idle_tally.h"

namespace runglass {

std::string counted(std::size_t count, const char* one);  // "1 rank", "8 ranks"
std::string spanEvidence(IdleCause cause, const IdleTally& tally, const LaunchStats& launches);
std::string partEvidence(IdleCause cause, const IdleTally& tally);

// Sums over devices with clocks; `held`: devices throttled by a reason; `worst`: the one with the largest loss.
struct ClockSum {
  std::size_t devices = 0, held = 0, known = 0;
  double lost = 0;
  const DeviceClocks* worst = nullptr;
  double worst_value = -1;
  void add(const DeviceClocks& device, const ThrottleShare& throttle);
};
std::string clockWords(const ClockSum& sum, const DeviceClocks& worst, const ThrottleShare& throttle, std::uint64_t mask);

}  // namespace runglass
