// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/intervals.h"

#include <algorithm>

namespace runglass {

void unite(Intervals& intervals) {
  std::ranges::sort(intervals);
  std::size_t kept = 0;
  for (const auto& next : intervals) {
    if (kept > 0 && next.first <= intervals[kept - 1].second)
      intervals[kept - 1].second = std::max(intervals[kept - 1].second, next.second);
    else
      intervals[kept++] = next;
  }
  intervals.resize(kept);
}

DurNs lengthOf(const Intervals& united) {
  DurNs sum = 0;
  for (const auto& [from, to] : united) sum += to - from;
  return sum;
}

Intervals without(const Intervals& a, const Intervals& b) {
  Intervals left;
  auto cover = b.begin();
  for (const auto& [from, to] : a) {
    TimeNs at = from;
    while (cover != b.end() && cover->second <= from) ++cover;
    for (auto c = cover; c != b.end() && c->first < to; ++c) {
      if (c->first > at) left.emplace_back(at, c->first);
      at = std::max(at, c->second);
    }
    if (at < to) left.emplace_back(at, to);
  }
  return left;
}

}  // namespace runglass
