// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/rolling_median.h"

#include <algorithm>
#include <cmath>

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

double RollingMedian::recent() const {
  std::array<double, kRecent> newest{};
  const std::size_t count = std::min(m_size, kRecent);
  for (std::size_t i = 0; i < count; ++i) newest[i] = m_ring[(m_oldest + m_size - count + i) % kWindow];
  const auto end = newest.begin() + static_cast<std::ptrdiff_t>(count), middle = newest.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(newest.begin(), middle, end);
  return count % 2 == 1 ? *middle : (*middle + *std::max_element(newest.begin(), middle)) / 2;
}

// Through the medians of the older and the newer half, as in Brown and Mood (1951, "On median tests for linear hypotheses").
RollingMedian::Line RollingMedian::line() const {
  std::array<double, kWindow> by_age{}, sorted{};
  for (std::size_t i = 0; i < m_size; ++i) by_age[i] = m_ring[(m_oldest + i) % kWindow];
  const auto medianOf = [&](std::size_t from, std::size_t to) {
    std::copy(by_age.begin() + static_cast<std::ptrdiff_t>(from), by_age.begin() + static_cast<std::ptrdiff_t>(to), sorted.begin());
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(to - from),
               middle = sorted.begin() + static_cast<std::ptrdiff_t>((to - from) / 2);
    std::nth_element(sorted.begin(), middle, end);
    if ((to - from) % 2 == 1) return *middle;
    return (*middle + *std::max_element(sorted.begin(), middle)) / 2;
  };
  if (m_size < 4) return {.ahead = medianOf(0, m_size), .deviation = deviation(median())};
  const std::size_t half = m_size / 2;
  const double older = medianOf(0, half), newer = medianOf(half, m_size);
  // The halves' middles are half a window apart.
  const double apart = static_cast<double>(m_size) / 2, slope = (newer - older) / apart;
  const double middle_of_older = (static_cast<double>(half) - 1) / 2;
  const auto at = [&](std::size_t i) { return older + slope * (static_cast<double>(i) - middle_of_older); };
  const double ahead = at(m_size);
  for (std::size_t i = 0; i < m_size; ++i) by_age[i] = std::abs(by_age[i] - at(i));
  return {.ahead = ahead, .deviation = medianOf(0, m_size)};
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
