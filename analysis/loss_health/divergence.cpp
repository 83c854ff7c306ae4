// SPDX-License-Identifier: Apache-2.0
// Invariant: m_above counts the newest consecutive points with the level too high; m_open means that they reached kDivergencePersistence.
#include "analysis/loss_health/divergence.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr double kMadToSigma = 1.4826;

std::vector<double> finiteOf(std::span<const double> values) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  return finite;
}

}  // namespace

void LevelNoise::push(const RollingMedian& window) {
  if (m_since++ % RollingMedian::kWindow != 0) return;
  const double apart = window.neighbours(), around = window.line().deviation;
  if (around > 0) m_correlations.push(1 - apart * apart / (2 * around * around));
}

double LevelNoise::of(const RollingMedian& window, double level) const {
  // A correlation below kUnseen is indistinguishable from none in one window. One sigma then is 8 standard errors of its median.
  constexpr double kUnseen = 0.3, kMaxCorrelation = 0.95, kErrors = 8;
  const double seen = m_correlations.size() > 0 ? m_correlations.median() : 0;
  const double correlation = seen < kUnseen ? 0 : std::min(seen, kMaxCorrelation);
  const double error = 1.25 * std::sqrt((1 + correlation) / (1 - correlation) / static_cast<double>(window.size()));
  return kErrors * error * kMadToSigma * window.deviation(level);
}

void DivergenceWatch::push(std::int64_t step, double value) {
  if (!std::isfinite(value) || !m_judges) return;
  if (value <= 0) {
    m_judges = false;
    return;
  }
  m_window.push(value);
  if (!m_window.full()) return;
  m_noise.push(m_window);
  const double level = m_window.median();
  if (!m_best || (level < *m_best && m_above == 0)) m_best = level, m_best_step = step;
  const double excess = level - *m_best, least = (kDivergenceRatio - 1) * *m_best;
  const bool high = m_open ? excess > least / 2 : excess > least && excess > m_noise.of(m_window, level);
  if (!high) {
    if (m_open) m_found.back().recovered_step = step;
    m_open = false;
    m_above = 0;
    return;
  }
  if (m_above++ == 0) m_now = {.first_step = step, .best_step = m_best_step, .best = *m_best, .worst = level, .recovered_step = {}};
  m_now.last_step = step;
  m_now.level = level;
  m_now.worst = std::max(m_now.worst, level);
  if (m_above == kDivergencePersistence) m_found.push_back(m_now), m_open = true;
  if (m_open) m_found.back() = m_now;
}

void DivergenceWatch::rebase() {
  if (m_open) return;
  m_window.clear();
  m_best.reset();
  m_above = 0;
}

std::optional<LevelChange> compareLevels(std::span<const double> before, std::span<const double> after) {
  std::vector<double> old = finiteOf(before), fresh = finiteOf(after);
  if (old.size() < kLevelAfter || fresh.size() < kLevelAfter) return std::nullopt;
  if (old.size() > kLevelBefore) old.erase(old.begin(), old.end() - static_cast<std::ptrdiff_t>(kLevelBefore));
  fresh.resize(kLevelAfter);
  LevelChange change{.before = median(old).value(), .after = median(fresh).value()};
  for (double& value : old) value = std::abs(value - change.before);
  change.sigma = kMadToSigma * median(old).value();
  return change;
}

bool isWorse(const LevelChange& change) {
  const double more = change.after - change.before;
  return change.before > 0 && more > (kDivergenceRatio - 1) * change.before && more > change.sigma;
}

std::optional<BaselineDivergence> divergesFrom(std::span<const std::int64_t> steps, std::span<const double> values,
                                               std::span<const std::int64_t> base_steps, std::span<const double> base_values) {
  RollingMedian ratios;  // logarithms
  LevelNoise noise;
  BaselineDivergence now;
  std::optional<BaselineDivergence> found;
  std::size_t common = 0, base = 0;
  int above = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    while (base < base_steps.size() && base_steps[base] < steps[i]) ++base;
    if (base == base_steps.size()) break;
    if (base_steps[base] != steps[i] || !std::isfinite(values[i]) || !std::isfinite(base_values[base])) continue;
    if (values[i] <= 0 || base_values[base] <= 0) return std::nullopt;
    ++common;
    ratios.push(std::log(values[i] / base_values[base]));
    if (!ratios.full()) continue;
    noise.push(ratios);
    const double level = ratios.median();
    if (level <= std::log(kDivergenceRatio) || level <= noise.of(ratios, level)) {
      above = 0;
      continue;
    }
    if (above++ == 0) now = {.first_step = steps[i]};
    now.last_step = steps[i];
    now.ratio = std::max(now.ratio, std::exp(level));
    if (above >= kDivergencePersistence && (!found || found->first_step == now.first_step)) found = now;
  }
  if (found) found->common = common;
  return found;
}

}  // namespace runglass
