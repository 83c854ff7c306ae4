// SPDX-License-Identifier: Apache-2.0
// RollingMedian: median and median absolute deviation of the newest hundred values.
//
// Threading:  one thread at a time.
// Units:      those of the values; finite numbers only.
// Errors:     median() and deviation() are undefined while it is empty.
// Cost:       push: O(log window) and a move of at most 800 bytes; deviation, line: O(window), 0.1 and 1 microsecond; 1.6 KiB.
#pragma once

#include <array>
#include <cstddef>

namespace runglass {

class RollingMedian {
 public:
  static constexpr std::size_t kWindow = 100, kRecent = 20;

  void push(double value);  // beyond kWindow the oldest is dropped
  void clear() { m_size = m_oldest = 0; }
  // Applies exp() to every value, which keeps their order.
  void raise();

  std::size_t size() const { return m_size; }
  bool full() const { return m_size == kWindow; }
  double median() const;
  double deviation(double middle) const;  // median of the distances to `middle`
  // A robust line through the values by age: its value one step ahead, and the median distance to it. While a loss falls fast, distances to
  // a median are mostly its slope; where it also bends, those to a line are mostly its bend, and those to a robust parabola are less. More
  // lines or a higher degree would follow noise that is correlated from point to point.
  struct Line {
    double ahead = 0, deviation = 0;
  };
  Line line() const;
  double neighbours() const;  // median distance of consecutive values; 0 for fewer than two
  // Median of the newest kRecent values: the local level, also while values fall or rise.
  double recent() const;
  double highestOfNewest(std::size_t count) const;
  double range() const { return m_size == 0 ? 0 : m_sorted[m_size - 1] - m_sorted[0]; }
  // The i-th value since clear(); valid only until the first value beyond kWindow is pushed.
  double early(std::size_t i) const { return m_ring[i]; }

 private:
  // Both hold the same m_size values: by age, as a ring that begins at m_oldest, and by value.
  std::array<double, kWindow> m_ring{}, m_sorted{};
  std::size_t m_size = 0, m_oldest = 0;
};

}  // namespace runglass
