// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. m_sorted[0, m_size) holds what m_ring[0, m_size) holds. 2. m_open: m_current is a spike without an end, m_away its points.
// 3. Nothing that is not finite, and no point of an open spike, is in the baseline.
#include "analysis/loss_spikes/loss_spikes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runglass {
namespace {

constexpr double kMadToSigma = 1.4826;
constexpr int kExact = 6;               // decimals; a loss with more was not rounded for print
constexpr double kFloatError = 1.2e-7;  // of a float32 that holds a decimal number
constexpr std::size_t kFewest = 3;
constexpr std::array<double, kExact> kTens{1, 10, 100, 1e3, 1e4, 1e5};

double middleOf(const double* sorted, std::size_t size) { return (sorted[(size - 1) / 2] + sorted[size / 2]) / 2; }

}  // namespace

double LossSpikeDetector::toScale(double value) const { return m_log ? std::log(value) : value; }
double LossSpikeDetector::fromScale(double scaled) const { return m_log ? std::exp(scaled) : scaled; }
double LossSpikeDetector::median() const { return middleOf(m_sorted.data(), m_size); }

// Distances to the left and to the right of the median are two sorted lists: a merge up to their middle.
double LossSpikeDetector::deviation(double middle) const {
  std::size_t right = static_cast<std::size_t>(
      std::lower_bound(m_sorted.begin(), m_sorted.begin() + static_cast<std::ptrdiff_t>(m_size), middle) - m_sorted.begin());
  std::size_t left = right;  // one past the next on the left
  double before = 0, here = 0;
  for (std::size_t taken = 0; taken <= m_size / 2; ++taken) {
    before = here;
    const bool from_left = right == m_size || (left > 0 && middle - m_sorted[left - 1] <= m_sorted[right] - middle);
    here = from_left ? middle - m_sorted[--left] : m_sorted[right++] - middle;
  }
  return m_size % 2 == 1 ? here : (before + here) / 2;
}

double LossSpikeDetector::floorOf(double middle) const {
  const double level = std::abs(fromScale(middle));
  const double resolution = m_decimals >= kExact ? 0 : 1 / kTens[static_cast<std::size_t>(m_decimals)];
  const double least = std::max(kSpikeFloor * level, resolution);
  return kMadToSigma * (m_log ? least / level : least);
}

double LossSpikeDetector::sigma(double middle) const {
  double sigma = std::max(floorOf(middle), kMadToSigma * deviation(middle));
  // The MAD of a handful of points is often far too small.
  if (m_size < kSpikeFirst) sigma = std::max(sigma, (m_sorted[m_size - 1] - m_sorted[0]) / 2);
  return sigma;
}

// Only asked while the ring has not turned.
double LossSpikeDetector::firstMedian() const {
  std::array<double, kSpikeFirst> first{};
  const std::size_t size = std::min(m_size, kSpikeFirst);
  std::copy_n(m_ring.begin(), size, first.begin());
  std::sort(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size));
  return middleOf(first.data(), size);
}

bool LossSpikeDetector::isOutlier(double value) const {
  if (m_size < kFewest) return false;
  const double middle = median(), excess = toScale(value) - middle;
  // Nearly every point ends here: below the least sigma there can be, nobody needs the MAD.
  if (excess <= kSpikeZ * kMadToSigma * kSpikeFloor * (m_log ? 1 : std::abs(middle))) return false;
  if (m_size < kSpikeWarmUp) {
    const double first = firstMedian();
    if (toScale(value) - first <= (m_log ? std::log(kSpikeWarmUpRatio) : (kSpikeWarmUpRatio - 1) * std::abs(first))) return false;
  }
  return excess > kSpikeZ * sigma(middle);
}

void LossSpikeDetector::accept(double value) {
  const double scaled = toScale(value);
  double* const begin = m_sorted.data();
  if (m_size < kSpikeWindow) {
    double* const at = std::upper_bound(begin, begin + m_size, scaled);
    std::copy_backward(at, begin + m_size, begin + m_size + 1);
    *at = scaled;
    m_ring[m_size++] = scaled;
    return;
  }
  double* const old = std::lower_bound(begin, begin + m_size, m_ring[m_oldest]);
  double* const at = std::upper_bound(begin, begin + m_size, scaled);
  if (at > old) {
    std::copy(old + 1, at, old);
    *(at - 1) = scaled;
  } else {
    std::copy_backward(at, old, old + 1);
    *at = scaled;
  }
  m_ring[m_oldest] = scaled;
  m_oldest = (m_oldest + 1) % kSpikeWindow;
}

// exp() keeps the order.
void LossSpikeDetector::turnRaw() {
  m_log = false;
  for (std::size_t i = 0; i < m_size; ++i) {
    m_ring[i] = std::exp(m_ring[i]);
    m_sorted[i] = std::exp(m_sorted[i]);
  }
}

void LossSpikeDetector::learnResolution(double value) {
  for (; m_decimals < kExact; ++m_decimals) {
    const double shifted = std::abs(value) * kTens[static_cast<std::size_t>(m_decimals)];
    if (std::abs(shifted - std::round(shifted)) <= kFloatError * shifted) return;
  }
}

void LossSpikeDetector::notFinite(std::int64_t step, double value) {
  if (m_non_finite != kNone && m_finite_since <= kSpikeCooldown) {
    m_spikes[m_non_finite].last_step = step;
    m_spikes[m_non_finite].recovered_step.reset();
  } else {
    m_non_finite = m_spikes.size();
    m_spikes.push_back({.first_step = step,
                        .last_step = step,
                        .peak_step = step,
                        .peak = value,
                        .baseline = m_size > 0 ? fromScale(median()) : std::numeric_limits<double>::quiet_NaN(),
                        .rule = SpikeRule::kNonFinite,
                        .verdict = SpikeVerdict::kMalignant});
  }
  m_finite_since = 0;
}

void LossSpikeDetector::begin(std::int64_t step, double value) {
  const double middle = median();
  m_return = fromScale(middle + kSpikeBackZ * sigma(middle));
  if (m_current == kNone) {
    m_current = m_spikes.size();
    m_away.clear();
    m_spikes.push_back({.first_step = step,
                        .last_step = step,
                        .peak_step = step,
                        .peak = value,
                        .baseline = fromScale(middle),
                        .rule = m_size < kSpikeWarmUp ? SpikeRule::kWarmUp : SpikeRule::kRobustZ});
  }
  m_open = true;
  follow(step, value);
}

void LossSpikeDetector::follow(std::int64_t step, double value) {
  LossSpike& spike = m_spikes[m_current];
  if (value <= m_return) {
    spike.recovered_step = step;
    spike.verdict = SpikeVerdict::kBenign;
    m_open = false;
    m_since = 0;
    return accept(value);
  }
  spike.verdict = SpikeVerdict::kUnknown;
  spike.recovered_step.reset();
  spike.last_step = step;
  if (value > spike.peak) spike.peak = value, spike.peak_step = step;
  m_away.push_back(value);
  if (m_away.size() >= static_cast<std::size_t>(kSpikePersistence)) settle();
}

// A new level.
void LossSpikeDetector::settle() {
  m_spikes[m_current].verdict = SpikeVerdict::kMalignant;
  m_shifted = m_current;
  m_shifted_return = m_return;
  m_current = kNone;
  m_open = false;
  m_size = m_oldest = 0;
  for (const double value : m_away) accept(value);
}

void LossSpikeDetector::push(std::int64_t step, double value) {
  if (!std::isfinite(value)) return notFinite(step, value);
  if (m_non_finite != kNone) {
    if (m_finite_since == 0) m_spikes[m_non_finite].recovered_step = step;
    if (m_finite_since <= kSpikeCooldown) ++m_finite_since;
  }
  if (m_log && value <= 0) turnRaw();
  learnResolution(value);
  if (m_shifted != kNone && value <= m_shifted_return) {
    m_spikes[m_shifted].recovered_step = step;
    m_shifted = kNone;
  }
  if (m_open) return follow(step, value);
  if (m_current != kNone && ++m_since > kSpikeCooldown) m_current = kNone;
  if (isOutlier(value)) return begin(step, value);
  accept(value);
}

std::vector<LossSpike> findLossSpikes(std::span<const std::int64_t> steps, std::span<const double> values) {
  LossSpikeDetector detector;
  for (std::size_t i = 0; i < values.size(); ++i) detector.push(steps[i], values[i]);
  return detector.spikes();
}

}  // namespace runglass
