// SPDX-License-Identifier: Apache-2.0
// Findings about an attempt's losses: which are published, at which severity, and their text.
//
// Threading:  pure.
// Units:      steps; the caller adds times.
// Cost:       O(spikes found).
//
// Severities. Loss: at most 3 points and fewer than 10 steps is info, and all such spikes within 1,000 steps are one finding; longer
// without a gradient spike is info; 10 steps or more, or together with a spike of the gradient norm, is warning; not recovered within 50
// points is error; a rise below the limits of a spike is info. NaN and Inf are critical, or warning if they ended within 3 points; in other
// losses and gradients they are warning, and critical from 10 points; in evaluations one level lower, and info once they ended. A spike of
// the gradient norm alone, overflows for which the optimizer skipped a step or lowered its loss scale, everything within 100 steps after a
// change of settings, and everything in reinforcement learning are info.
#pragma once

#include <string>
#include <vector>

#include "analysis/loss_health/loss_watch.h"
#include "model/findings.h"

namespace runglass {

inline constexpr std::int64_t kBlipsTogether = 1'000;  // steps

// A finding without run, attempt and times, except times from the log; start_step and end_step are the steps of its times.
struct LossFinding {
  Finding finding;
  const Series* clock = nullptr;  // the series with the times of those steps; nullptr: the loss
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step;  // absent: it has no end
};
std::vector<LossFinding> lossFindings(const WatchedAttempt& attempt);

const char* verdictName(SpikeVerdict verdict);  // "benign", "malignant", "unknown"
const char* ruleName(SpikeRule rule);           // "robust_z", "warm_up", "non_finite"
// Steps by which the accompanying spike of the gradient norm began earlier; negative: later. Absent: there is none.
std::optional<std::int64_t> gradLead(const LossSpike& spike, const AttemptLoss& health);

}  // namespace runglass
