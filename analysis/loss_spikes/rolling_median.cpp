// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/rolling_median.h"

#include <algorithm>
#include <cmath>

namespace runglass {

double RollingMedian::median() const { return (m_sorted[(m_size - 1) / 2] + m_sorted[m_size / 2]) / 2; }

// Distances to the left and to the right of the middle are two sorted lists: a merge up to their middle.
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
