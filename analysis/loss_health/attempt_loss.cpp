// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/attempt_loss.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

// The newest change up to `step` that resets the reference of the loss.
const Regime* newestMeasure(const std::vector<Regime>& changes, std::int64_t step) {
  auto at = std::ranges::upper_bound(changes, step, {}, &Regime::step);
  while (at != changes.begin())
    if ((--at)->what != "learning_rate") return &*at;
  return nullptr;
}

}  // namespace

void AttemptLoss::loss(std::int64_t step, double value) {
  ++m_points;
  if (std::isfinite(value) && m_first.size() < kLevelAfter) m_first.push_back(value);
  // A learning rate that makes the loss permanently worse is a fault, not a new reference.
  if (const Regime* newest = newestMeasure(regimes(), step); newest != nullptr && m_measured_from != newest->step) {
    m_measured_from = newest->step;
    m_divergence.rebase();
  }
  const int shifts = m_loss.levelShifts();
  m_loss.push(step, value);
  m_rise.push(step, value);
  m_divergence.push(step, value);
  if (m_loss.levelShifts() != shifts) m_divergence.rebase();
}

std::vector<LossSpike> AttemptLoss::rises(bool counts_steps) const {
  std::vector<LossSpike> out;
  auto spike = spikes().begin();
  for (const LossSpike& rise : m_rise.spikes()) {
    while (spike != spikes().end() && (spike->rule == SpikeRule::kNonFinite || spike->last_step < rise.first_step)) ++spike;
    const bool is_spike = spike != spikes().end() && spike->first_step <= rise.last_step;
    if (rise.rule != SpikeRule::kNonFinite && !is_spike && weightOf(rise, false, counts_steps) != SpikeWeight::kBlip) out.push_back(rise);
  }
  return out;
}

void AttemptLoss::gradNorm(std::int64_t step, double value) {
  m_grad.push(step, value);
  if (m_clip_value) m_clip.push(step, value, m_clip_value->value);
}

const LossSpike* gradSpikeWith(const LossSpike& loss, const std::vector<LossSpike>& grads) {
  // By first_step: a spike that begins after the loss spike's end does not match; among the others, the newest that reaches into it.
  auto at = std::ranges::upper_bound(grads, loss.last_step, {}, &LossSpike::first_step);
  while (at != grads.begin()) {
    --at;
    if (at->rule != SpikeRule::kNonFinite && stepsBetween(at->last_step, loss.first_step) <= kGradLead) return &*at;
    if (stepsBetween(at->first_step, loss.first_step) > 50 * kGradLead) break;
  }
  return nullptr;
}

}  // namespace runglass
