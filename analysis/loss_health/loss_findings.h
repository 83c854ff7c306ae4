// SPDX-License-Identifier: Apache-2.0
// Findings of an attempt's losses: what is told, how loudly, and in which words.
//
// Threading:  pure.
// Units:      steps; the caller adds times.
// Cost:       O(spikes found).
//
// Severities. Loss: at most 3 points and fewer than 10 steps info, of which those within 1,000 steps are one finding; longer and
// alone info; 10 steps or together with the gradient norm warning; not back within 50 points error; a rise that stays below the
// limits of a spike info. NaN and Inf critical, warning once they were over within 3
// points; of losses and gradients beside the judged ones warning, critical from 10 points on, of evaluations one less, info once
// they were over. A gradient norm by itself, overflows for which the optimizer skipped a step or lowered its loss scale,
// everything within 100 steps after a change of settings and of reinforcement learning info.
#pragma once

#include <string>
#include <vector>

#include "analysis/loss_health/loss_watch.h"
#include "model/findings.h"

namespace runglass {

inline constexpr std::int64_t kBlipsTogether = 1'000;  // steps

// A finding without run and attempt, and without times but for those that the log gave it; start_step and end_step say of which
// steps they are.
struct LossFinding {
  Finding finding;
  const Series* clock = nullptr;  // that knows when those steps were; nullptr: the loss
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step;  // absent: it has no end
};
std::vector<LossFinding> lossFindings(const WatchedAttempt& attempt);

const char* verdictName(SpikeVerdict verdict);  // "benign", "malignant", "unknown"
const char* ruleName(SpikeRule rule);           // "robust_z", "warm_up", "non_finite"
// Where the gradient norm's spike that came with it began, before its own begin; negative: after. Absent: none came with it.
std::optional<std::int64_t> gradLead(const LossSpike& spike, const AttemptLoss& health);

}  // namespace runglass
