// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/regime.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace runglass::sim {
namespace {

constexpr std::int64_t kRampStages = 4;
constexpr double kDoubledWork = 2.2;  // twice the tokens, and attention grows quadratically

DurNs toNs(double seconds) { return static_cast<DurNs>(seconds * kNsPerSecond); }

}  // namespace

Regime regimeAt(const Scenario& s, std::int64_t step) {
  Regime r;
  const std::int32_t full =
      s.restart_step > 0 && step > s.restart_step && s.restart_micro_batches > 0 ? s.restart_micro_batches : s.micro_batches;
  double share = 1;
  if (step <= s.batch_ramp_steps) {
    const std::int64_t stage = (step - 1) * kRampStages / s.batch_ramp_steps;
    share = s.batch_ramp_from + (1 - s.batch_ramp_from) * static_cast<double>(stage) / static_cast<double>(kRampStages);
  }
  r.micro_batches = std::max(1, static_cast<std::int32_t>(std::lround(full * share)));
  const bool doubled = s.sequence_double_step > 0 && step >= s.sequence_double_step;
  r.sequence_length = s.sequence_length * (doubled ? 2 : 1);
  r.micro_batch_ratio = doubled ? kDoubledWork : 1;
  r.transfer_ratio = doubled ? 2 : 1;
  const double batches = static_cast<double>(r.micro_batches) / s.micro_batches;
  r.tokens = static_cast<double>(s.tokens_per_step) * batches * (doubled ? 2 : 1);
  r.global_batch =
      std::max<std::int64_t>(1, std::llround(static_cast<double>(s.tokens_per_step) * batches / static_cast<double>(s.sequence_length)));
  return r;
}

bool changesRegime(const Scenario& s) {
  return s.batch_ramp_steps > 0 || s.sequence_double_step > 0 || (s.restart_step > 0 && s.restart_micro_batches > 0);
}

// Warm-up in the first fiftieth; then cosine decay to a tenth, or constant and, in the last fifth, linear to a tenth (WSD: Hu et al.,
// "MiniCPM", arXiv 2404.06395, section 4).
Schedule scheduleAt(const Scenario& s, std::int64_t step) {
  const double n = static_cast<double>(step), total = static_cast<double>(s.steps), warmup = std::max(1.0, total / 50);
  if (n < warmup) return {3e-4 * n / warmup, 0};
  if (!s.wsd) return {3e-5 + 1.35e-4 * (1 + std::cos(std::numbers::pi * (n - warmup) / std::max(1.0, total - warmup))), 0};
  const double decayed = std::clamp((n - 0.8 * total) / std::max(1.0, 0.2 * total), 0.0, 1.0);
  return {3e-4 * (1 - 0.9 * decayed), decayed};
}

DurNs saveLength(const Scenario& s) {
  const DurNs whole = toNs(s.checkpoint_seconds > 0 ? s.checkpoint_seconds : s.step_seconds / 2);
  return s.async_checkpoints ? whole / 10 : whole;
}
DurNs evaluationLength(const Scenario& s) { return s.eval_inside_step ? 0 : toNs(s.eval_seconds); }
DurNs epochPause(const Scenario& s) { return toNs(s.epoch_pause_seconds); }

}  // namespace runglass::sim
