// SPDX-License-Identifier: Apache-2.0
#include "analysis/clock_align/clock_curve.h"

#include <algorithm>
#include <utility>

#include "analysis/clock_align/clock_graph.h"
#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr double kMaxShift = 9e18;

}  // namespace

DurNs distance(TimeNs a, TimeNs b) { return std::max(minusTime(a, b), minusTime(b, a)); }

DurNs aheadAt(const ClockCurve& curve, TimeNs time) {
  if (curve.size() == 1) return curve.front().ahead;
  const auto next = std::upper_bound(curve.begin() + 1, curve.end() - 1, time, [](TimeNs t, const CurveKnot& knot) { return t < knot.at; });
  const CurveKnot& from = *(next - 1);
  const double share = static_cast<double>(minusTime(time, from.at)) / static_cast<double>(minusTime(next->at, from.at));
  const double more = std::clamp(share * static_cast<double>(minusTime(next->ahead, from.ahead)), -kMaxShift, kMaxShift);
  return plusTime(from.ahead, static_cast<DurNs>(more));
}

void simplify(ClockCurve& curve, DurNs tolerance) {
  std::vector<DurNs> values;
  for (const CurveKnot& knot : curve) values.push_back(knot.ahead);
  const auto [low, high] = std::ranges::minmax(values);
  if (minusTime(high, low) <= 2 * tolerance) {
    curve = {{0, curve.front().at, medianBetween(values)}};
    return;
  }
  std::vector<bool> keep(curve.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, curve.size() - 1}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    const ClockCurve line = {curve[from], curve[to]};
    std::size_t worst = from;
    DurNs most = tolerance;
    for (std::size_t i = from + 1; i < to; ++i) {
      const DurNs away = distance(curve[i].ahead, aheadAt(line, curve[i].at));
      if (away > most) worst = i, most = away;
    }
    if (worst == from) continue;
    keep[worst] = true;
    open.emplace_back(from, worst);
    open.emplace_back(worst, to);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (keep[i]) curve[kept++] = curve[i];
  curve.resize(kept);
}

}  // namespace runglass
