// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. m_open: m_held or m_current is a spike without an end, m_away its points. 2. No value that is not finite, and no point of
// an open spike, is in the baseline.
#include "analysis/loss_spikes/loss_spikes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace runglass {
namespace {

constexpr double kMadToSigma = 1.4826;
constexpr int kExact = 6;               // decimals; a loss with more was not rounded for printing
constexpr double kFloatError = 1.2e-7;  // of a float32 that holds a decimal number
constexpr std::size_t kMinPoints = 3;
constexpr std::array<double, kExact> kTens{1, 10, 100, 1e3, 1e4, 1e5};

std::int64_t spanOf(std::int64_t first, std::int64_t last) { return std::min(stepsBetween(first, last), INT64_MAX - 1) + 1; }

}  // namespace

SpikeWeight weightOf(const LossSpike& spike, bool with_grad, bool counts_steps) {
  if (spike.level) return SpikeWeight::kMalignant;
  // On a log of every tenth step a point stands for ten steps; of a single one it is not known whether it is more than a step.
  const std::int64_t steps = spike.longest_steps > INT64_MAX - spike.interval ? INT64_MAX : spike.longest_steps + spike.interval - 1;
  const bool one = spike.longest == 1 && !spike.high && !with_grad;
  const bool lasting = (counts_steps && !one ? steps : spike.longest) >= kLastingSteps;
  if (spike.longest <= kBlipPoints && !lasting) return SpikeWeight::kBlip;
  return lasting || with_grad ? SpikeWeight::kLasting : SpikeWeight::kShort;
}

double LossSpikeDetector::toScale(double value) const { return m_log ? std::log(value) : value; }
double LossSpikeDetector::fromScale(double scaled) const { return m_log ? std::exp(scaled) : scaled; }

double LossSpikeDetector::floorOf(double scaled, double share) const {
  const double level = std::abs(fromScale(scaled));
  const double resolution = m_decimals >= kExact ? 0 : 1 / kTens[static_cast<std::size_t>(m_decimals)];
  const double least = std::max(share * level, resolution);
  return kMadToSigma * (m_log ? least / level : least);
}

LossSpikeDetector::Baseline LossSpikeDetector::baseline() const {
  const RollingMedian::Line line = m_window.line();
  Baseline base{.level = std::max(m_window.recent(), line.ahead)};
  base.sigma = std::max(floorOf(base.level, kSpikeFloor), kMadToSigma * line.deviation);
  // The MAD of few points is often far too small.
  if (m_window.size() < kSpikeFirst) base = {.level = m_window.median(), .sigma = std::max(base.sigma, m_window.range() / 2)};
  return base;
}

// At or below this value a spike ends.
double LossSpikeDetector::back(const Baseline& base) const {
  return fromScale(base.level + std::max(kSpikeBackZ * base.sigma, effect(m_limits.ratio, base.level) / 2));
}

// Called only before the window is full.
double LossSpikeDetector::firstMedian() const {
  std::array<double, kSpikeFirst> first{};
  const std::size_t size = std::min(m_window.size(), kSpikeFirst);
  for (std::size_t i = 0; i < size; ++i) first[i] = m_window.early(i);
  std::sort(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size));
  return (first[(size - 1) / 2] + first[size / 2]) / 2;
}

// The excess over `level` of a value `ratio` times as large.
double LossSpikeDetector::effect(double ratio, double level) const { return m_log ? std::log(ratio) : (ratio - 1) * std::abs(level); }

std::optional<LossSpikeDetector::Baseline> LossSpikeDetector::nearLevel(double value) const {
  if (m_window.size() < kSpikeFirst) return std::nullopt;
  Baseline near{.level = m_window.highestOfNewest(kSpikeNear)};
  near.sigma = std::max(floorOf(near.level, kSpikeFloor), kMadToSigma * m_window.neighbours());
  const double excess = toScale(value) - near.level;
  const bool far = excess >= effect(std::max(m_limits.ratio, kSpikeNearRatio), near.level) && excess > m_limits.z * near.sigma;
  return far && near.sigma > 0 ? std::optional(near) : std::nullopt;
}

std::optional<LossSpikeDetector::Baseline> LossSpikeDetector::outlierOver(double value) const {
  if (m_window.size() < kMinPoints) return std::nullopt;
  // The level is never below this bound, which rejects nearly every point.
  const double bound = m_window.size() < kSpikeFirst ? m_window.median() : m_window.recent();
  if (toScale(value) - bound < effect(m_limits.ratio, bound)) return std::nullopt;
  if (m_window.size() < kSpikeWarmUp) {
    const double first = firstMedian();
    if (toScale(value) - first <= effect(kSpikeWarmUpRatio, first)) return nearLevel(value);
  }
  const Baseline base = baseline();
  const double excess = toScale(value) - base.level;
  // A baseline of zeros has no scale, and no point deviates from it.
  if (base.sigma > 0 && excess >= effect(m_limits.ratio, base.level) && excess > m_limits.z * base.sigma) return base;
  return nearLevel(value);
}

// exp() keeps the order.
void LossSpikeDetector::turnRaw() {
  m_log = false;
  m_window.raise();
}

void LossSpikeDetector::learnResolution(double value) {
  for (; m_decimals < kExact; ++m_decimals) {
    const double shifted = std::abs(value) * kTens[static_cast<std::size_t>(m_decimals)];
    if (std::abs(shifted - std::round(shifted)) <= kFloatError * shifted) return;
  }
}

void NonFiniteWatch::notFinite(std::int64_t step, double value, double baseline, std::vector<LossSpike>& out) {
  if (m_at == kNone || m_finite_since > kSpikeCooldown) {
    m_at = out.size();
    out.push_back({.first_step = step,
                   .peak_step = step,
                   .peak = value,
                   .baseline = baseline,
                   .rule = SpikeRule::kNonFinite,
                   .verdict = SpikeVerdict::kMalignant});
    m_stay = 0;
  }
  LossSpike& spike = out[m_at];
  spike.last_step = step;
  spike.recovered_step.reset();
  if (m_finite_since > 0) m_stay = 0;
  m_finite_since = 0;
  ++spike.points;
  if (m_stay++ == 0) m_stay_from = step;
  if (m_stay > spike.longest) spike.longest = m_stay, spike.longest_steps = spanOf(m_stay_from, step);
}

void NonFiniteWatch::finite(std::int64_t step, std::int64_t points, std::vector<LossSpike>& out) {
  if (isOpen()) out[m_at].recovered_step = step;
  if (m_finite_since <= kSpikeCooldown) m_finite_since += points;
}

void LossSpikeDetector::begin(std::int64_t step, double value, const Baseline& base) {
  m_left = base;
  m_return = back(m_left);
  m_stay = 0;
  m_away.clear();
  const bool alone = m_spikes.empty() || stepsBetween(m_spikes.back().last_step, step) >= kAloneSteps;
  if (m_current == kNone)
    m_held = {.first_step = step,
              .last_step = step,
              .peak_step = step,
              .peak = value,
              .baseline = fromScale(m_left.level),
              .interval = m_interval,
              .rule = m_window.size() < kSpikeWarmUp ? SpikeRule::kWarmUp : SpikeRule::kRobustZ,
              .high = alone && value >= kSingleRatio * fromScale(m_window.highestOfNewest(kSpikeNear))};
  m_open = true;
  follow(step, value);
}

// A blip that deviates only because the curve is very quiet does not count.
bool LossSpikeDetector::isMore(double value) const {
  const double sigma = std::max(m_left.sigma, floorOf(m_left.level, kBlipFloor));
  return m_stay >= kBlipPoints || toScale(value) - m_left.level > m_limits.z * sigma;
}

void LossSpikeDetector::follow(std::int64_t step, double value) {
  if (m_held && value > m_return && isMore(value)) {
    m_current = m_spikes.size();
    m_spikes.push_back(*std::exchange(m_held, std::nullopt));
  }
  LossSpike& spike = m_held ? *m_held : m_spikes[m_current];
  if (value <= m_return) {
    spike.recovered_step = step;
    spike.verdict = SpikeVerdict::kBenign;
    m_held.reset();
    m_open = false;
    m_since = 0;
    return m_window.push(toScale(value));
  }
  spike.verdict = SpikeVerdict::kUnknown;
  spike.recovered_step.reset();
  spike.last_step = step;
  ++spike.points;
  if (m_stay++ == 0) m_stay_from = step;
  if (m_stay > spike.longest) spike.longest = m_stay, spike.longest_steps = spanOf(m_stay_from, step);
  if (value > spike.peak) spike.peak = value, spike.peak_step = step;
  spike.z = std::max(spike.z, (toScale(value) - m_left.level) / m_left.sigma);
  m_away.push_back(value);
  if (m_away.size() >= static_cast<std::size_t>(kSpikePersistence)) settle();
}

// Makes the level of the open spike the new baseline.
void LossSpikeDetector::settle() {
  m_spikes[m_current].verdict = SpikeVerdict::kMalignant;
  ++m_level_shifts;
  m_shifted = m_current;
  m_shifted_return = m_return;
  m_shifted_last = m_spikes[m_current].last_step;
  m_current = kNone;
  m_open = false;
  m_window.clear();
  for (const double value : m_away) m_window.push(toScale(value));
  m_spikes[m_shifted].level = fromScale(m_window.median());
}

void LossSpikeDetector::push(std::int64_t step, double value) {
  if (!std::isfinite(value)) {
    const double before = m_window.size() > 0 ? fromScale(m_window.median()) : std::numeric_limits<double>::quiet_NaN();
    return m_non_finite.notFinite(step, value, before, m_spikes);
  }
  m_non_finite.finite(step, 1, m_spikes);
  if (m_last) {
    const std::int64_t gap = std::max<std::int64_t>(stepsBetween(*m_last, step), 1);
    m_interval = std::min(gap, std::exchange(m_gap, gap));
  }
  m_last = step;
  if (m_log && value <= 0) turnRaw();
  learnResolution(value);
  if (m_shifted != kNone) {
    if (value <= m_shifted_return) {
      m_spikes[m_shifted].recovered_step = step;
      m_spikes[m_shifted].last_step = m_shifted_last;
      m_shifted = kNone;
    } else {
      m_shifted_last = step;
    }
  }
  if (m_open) return follow(step, value);
  if (m_current != kNone && ++m_since > kSpikeCooldown) m_current = kNone;
  if (const auto base = outlierOver(value)) return begin(step, value, *base);
  m_window.push(toScale(value));
}

std::vector<LossSpike> findLossSpikes(std::span<const std::int64_t> steps, std::span<const double> values) {
  LossSpikeDetector detector;
  for (std::size_t i = 0; i < values.size(); ++i) detector.push(steps[i], values[i]);
  return detector.spikes();
}

}  // namespace runglass
