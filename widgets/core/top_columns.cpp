// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/top_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <ranges>

namespace runglass {

void TopColumns::add(double from, double to, std::size_t tag) {
  if (to < m_left || from >= m_right || m_right <= m_left) return;
  const int left = std::clamp(static_cast<int>(std::lround(std::max(from, static_cast<double>(m_left)))), m_left, m_right - 1);
  const int right = static_cast<int>(std::lround(std::min(to, static_cast<double>(m_right))));
  m_spans.push_back({left, std::max(right, left + 1), tag});
}

std::vector<ColumnRun> TopColumns::runs() const {
  const auto columns = static_cast<std::size_t>(std::max(m_right - m_left, 0));
  std::vector<std::optional<std::size_t>> top(columns);
  // The next column from here on that is still free, with path halving: each column is filled once.
  std::vector<std::size_t> next(columns + 1);
  std::iota(next.begin(), next.end(), std::size_t{0});
  const auto freeFrom = [&next](std::size_t at) {
    while (next[at] != at) at = next[at] = next[next[at]];
    return at;
  };
  for (const ColumnRun& span : m_spans | std::views::reverse)
    for (std::size_t at = freeFrom(static_cast<std::size_t>(span.left - m_left)); at < static_cast<std::size_t>(span.right - m_left);
         at = freeFrom(at)) {
      top[at] = span.tag;
      next[at] = at + 1;
    }
  std::vector<ColumnRun> runs;
  for (std::size_t at = 0; at < columns; ++at) {
    if (!top[at]) continue;
    const int left = m_left + static_cast<int>(at);
    if (!runs.empty() && runs.back().right == left && runs.back().tag == *top[at])
      ++runs.back().right;
    else
      runs.push_back({left, left + 1, *top[at]});
  }
  return runs;
}

}  // namespace runglass
