// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/rolling_median.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace runglass {

double RollingMedian::median() const { return (m_sorted[(m_size - 1) / 2] + m_sorted[m_size / 2]) / 2; }

// Distances to the left and to the right of the middle are two sorted lists: a merge up to their median.
double RollingMedian::deviation(double middle) const {
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

double RollingMedian::highestOfNewest(std::size_t count) const {
  double highest = m_ring[(m_oldest + m_size - 1) % kWindow];
  for (std::size_t i = 2; i <= std::min(count, m_size); ++i) highest = std::max(highest, m_ring[(m_oldest + m_size - i) % kWindow]);
  return highest;
}

double RollingMedian::recent() const {
  std::array<double, kRecent> newest{};
  const std::size_t count = std::min(m_size, kRecent);
  for (std::size_t i = 0; i < count; ++i) newest[i] = m_ring[(m_oldest + m_size - count + i) % kWindow];
  const auto end = newest.begin() + static_cast<std::ptrdiff_t>(count), middle = newest.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(newest.begin(), middle, end);
  return count % 2 == 1 ? *middle : (*middle + *std::max_element(newest.begin(), middle)) / 2;
}

namespace {

double medianOf(std::span<const double> values, std::span<double> scratch) {
  const std::size_t count = values.size();
  std::ranges::copy(values, scratch.begin());
  const auto end = scratch.begin() + static_cast<std::ptrdiff_t>(count), middle = scratch.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(scratch.begin(), middle, end);
  return count % 2 == 1 ? *middle : (*middle + *std::max_element(scratch.begin(), middle)) / 2;
}

// Through the medians of the older and the newer half, as in Brown and Mood (1951, "On median tests for linear hypotheses"). Fills in the
// distances to the line; returns its value one step ahead.
double fitLine(std::span<const double> by_age, std::span<double> distances, std::span<double> scratch) {
  const std::size_t half = by_age.size() / 2;
  const double older = medianOf(by_age.first(half), scratch), newer = medianOf(by_age.subspan(half), scratch);
  // The halves' middles are half a window apart.
  const double apart = static_cast<double>(by_age.size()) / 2, slope = (newer - older) / apart;
  const double middle_of_older = (static_cast<double>(half) - 1) / 2;
  const auto at = [&](std::size_t i) { return older + slope * (static_cast<double>(i) - middle_of_older); };
  for (std::size_t i = 0; i < by_age.size(); ++i) distances[i] = std::abs(by_age[i] - at(i));
  return at(by_age.size());
}

// Through the medians of the thirds, as the line through those of the halves. Fills in the distances to it.
void fitParabola(std::span<const double> by_age, std::span<double> distances, std::span<double> scratch) {
  const std::size_t size = by_age.size(), first = size / 3, second = 2 * size / 3;
  const double x1 = (static_cast<double>(first) - 1) / 2, x2 = (static_cast<double>(first + second) - 1) / 2,
               x3 = (static_cast<double>(second + size) - 1) / 2;
  const double y1 = medianOf(by_age.first(first), scratch), y2 = medianOf(by_age.subspan(first, second - first), scratch),
               y3 = medianOf(by_age.subspan(second), scratch);
  const double slope = (y2 - y1) / (x2 - x1), bend = ((y3 - y2) / (x3 - x2) - slope) / (x3 - x1);  // divided differences
  for (std::size_t i = 0; i < size; ++i) {
    const double x = static_cast<double>(i);
    distances[i] = std::abs(by_age[i] - (y1 + slope * (x - x1) + bend * (x - x1) * (x - x2)));
  }
}

}  // namespace

RollingMedian::Line RollingMedian::line() const {
  constexpr std::size_t kMinBent = 30;  // values that show a bend
  std::array<double, kWindow> ring{}, away{}, scratch{};
  for (std::size_t i = 0; i < m_size; ++i) ring[i] = m_ring[(m_oldest + i) % kWindow];
  const std::span<const double> by_age(ring.data(), m_size);
  if (m_size < 4) return {.ahead = medianOf(by_age, scratch), .deviation = deviation(median())};
  const std::span<double> distances(away.data(), m_size);
  Line line{.ahead = fitLine(by_age, distances, scratch), .deviation = medianOf(distances, scratch)};
  if (m_size < kMinBent) return line;
  fitParabola(by_age, distances, scratch);
  line.deviation = std::min(line.deviation, medianOf(distances, scratch));
  return line;
}

double RollingMedian::neighbours() const {
  if (m_size < 2) return 0;
  std::array<double, kWindow> apart{};
  for (std::size_t i = 1; i < m_size; ++i) apart[i - 1] = std::abs(m_ring[(m_oldest + i) % kWindow] - m_ring[(m_oldest + i - 1) % kWindow]);
  const auto middle = apart.begin() + static_cast<std::ptrdiff_t>((m_size - 1) / 2);
  std::nth_element(apart.begin(), middle, apart.begin() + static_cast<std::ptrdiff_t>(m_size - 1));
  return *middle;
}

void RollingMedian::push(double value) {
  double* const begin = m_sorted.data();
  if (m_size < kWindow) {
    double* const at = std::upper_bound(begin, begin + m_size, value);
    std::copy_backward(at, begin + m_size, begin + m_size + 1);
    *at = value;
    m_ring[m_size++] = value;
    return;
  }
  double* const old = std::lower_bound(begin, begin + m_size, m_ring[m_oldest]);
  double* const at = std::upper_bound(begin, begin + m_size, value);
  if (at > old) {
    std::copy(old + 1, at, old);
    *(at - 1) = value;
  } else {
    std::copy_backward(at, old, old + 1);
    *at = value;
  }
  m_ring[m_oldest] = value;
  m_oldest = (m_oldest + 1) % kWindow;
}

void RollingMedian::raise() {
  for (std::size_t i = 0; i < m_size; ++i) {
    m_ring[i] = std::exp(m_ring[i]);
    m_sorted[i] = std::exp(m_sorted[i]);
  }
}

}  // namespace runglass
