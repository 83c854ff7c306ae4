// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/regimes.h"

#include <algorithm>
#include <cmath>

#include "analysis/loss_spikes/loss_spikes.h"

namespace runglass {
namespace {

constexpr double kJump = 1.5, kCalm = 1.2;
constexpr double kMinMove = 0.1;  // of the highest rate so far: a smaller change is the end of a decay, or the last printed digit

}  // namespace

void RegimeWatch::add(const Regime& regime) {
  m_changes.insert(std::ranges::upper_bound(m_changes, regime.step, {}, &Regime::step), regime);
}

void RegimeWatch::learningRate(std::int64_t step, double value) {
  if (!std::isfinite(value) || value <= 0) return;
  if (m_rate) {
    const double moved = std::max(value / *m_rate, *m_rate / value);
    const bool far = std::abs(value - *m_rate) >= kMinMove * m_rate_highest;
    if (moved >= kJump && far && m_rate_moved != 0 && m_rate_moved < kCalm)
      add({.step = step, .what = "learning_rate", .from = *m_rate, .to = value});
    m_rate_moved = moved;
  }
  m_rate = value;
  m_rate_highest = std::max(m_rate_highest, value);
}

void RegimeWatch::batchSize(std::int64_t step, double value) {
  if (!std::isfinite(value) || value <= 0) return;
  if (m_batch && *m_batch != value) add({.step = step, .what = "batch_size", .from = *m_batch, .to = value});
  m_batch = value;
}

void RegimeWatch::epoch(std::int64_t step, double value) {
  if (!std::isfinite(value)) return;
  const double whole = std::floor(value);
  if (!m_epoch) m_epoch_began = step;
  if (m_epoch && *m_epoch != whole) {
    if (stepsBetween(m_epoch_began, step) >= 3 * kRegimeSettles) add({.step = step, .what = "epoch", .from = *m_epoch, .to = whole});
    m_epoch_began = step;
  }
  m_epoch = whole;
}

const Regime* regimeNear(std::span<const Regime> changes, std::int64_t step) {
  const auto after = std::ranges::upper_bound(changes, step, {}, &Regime::step);
  if (after == changes.begin()) return nullptr;
  const Regime& last = *(after - 1);
  return stepsBetween(last.step, step) < kRegimeSettles ? &last : nullptr;
}

}  // namespace runglass
