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

words::Message spanEvidence(IdleCause cause, const IdleTally& tally, const LaunchStats& launches);
words::Message partEvidence(IdleCause cause, const IdleTally& tally);

// Sums over devices with clocks; `held`: devices throttled by a reason; `worst`: the one with the largest loss.
struct ClockSum {
  std::size_t devices = 0, held = 0, known = 0;
  double lost = 0;
  const DeviceClocks* worst = nullptr;
  double worst_value = -1;
  void add(const DeviceClocks& device, const ThrottleShare& throttle);
};
// `sample`: the part of all devices that was read.
words::Message clockWords(const ClockSum& sum, const DeviceClocks& worst, const ThrottleShare& throttle, std::uint64_t mask,
                          words::Arg sample);

}  // namespace runglass
