// SPDX-License-Identifier: GPL-3.0-or-later
// TopColumns: which of many overlapping spans is on top in each column of pixels, so that painting costs columns, not spans.
//
// Units:      pixels, half-open.
// Cost:       add() is O(1), runs() O(spans + columns).
#pragma once

#include <cstddef>
#include <vector>

namespace runglass {

// Adjacent columns with the same tag on top.
struct ColumnRun {
  int left = 0, right = 0;
  std::size_t tag = 0;
  friend bool operator==(const ColumnRun&, const ColumnRun&) = default;
};

class TopColumns {
 public:
  TopColumns(int left, int right) : m_left(left), m_right(right) {}
  // Covers those added before. A span takes at least one column; outside of the columns it is left out.
  void add(double from, double to, std::size_t tag);
  std::vector<ColumnRun> runs() const;

 private:
  const int m_left, m_right;
  std::vector<ColumnRun> m_spans;
};

}  // namespace runglass
