// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/step_pace.h"

#include <algorithm>
#include <numeric>

namespace runglass {
namespace {

constexpr double kTrimmed = 0.05;  // on each side

double trimmedMean(std::vector<double> values) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::ptrdiff_t>(kTrimmed * static_cast<double>(values.size()));
  const auto first = values.begin() + cut, last = values.end() - cut;
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

}  // namespace

std::size_t StepPace::indexOf(std::int64_t step) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(m_steps, step, {}, &Step::step) - m_steps.begin());
}

std::optional<double> StepPace::lengthOf(StepStretch of) const {
  const std::size_t end = of.last == std::numeric_limits<std::int64_t>::max() ? m_steps.size() : indexOf(of.last + 1);
  std::vector<double> values;
  for (std::size_t i = end; i-- > 0 && values.size() < 2 * kBeside && m_steps[i].step >= of.first;) values.push_back(m_steps[i].dur);
  return values.empty() ? std::nullopt : std::optional(trimmedMean(std::move(values)));
}

// The two sides of an edge, in indices of steps: inside from `at` on in direction `way`, outside in the other direction.
struct StepPace::Border {
  std::size_t at;
  std::ptrdiff_t way;
};

std::vector<double> StepPace::side(Border border, bool inside, std::size_t begin, std::size_t end,
                                   std::span<const StepStretch> without) const {
  std::vector<double> values;
  const std::size_t way = static_cast<std::size_t>(inside ? border.way : -border.way), from = inside ? border.at : border.at + way;
  if (from >= m_steps.size() || m_steps[from].regime != m_steps[border.at].regime) return values;
  for (std::size_t i = from, seen = 0; i < m_steps.size() && seen < kBeside && m_steps[i].regime == m_steps[from].regime;
       i += way, ++seen) {
    if (inside && (i < begin || i >= end)) break;
    const std::int64_t step = m_steps[i].step;
    if (std::ranges::none_of(without, [&](const StepStretch& one) { return one.first <= step && step <= one.last; }))
      values.push_back(m_steps[i].dur);
  }
  return values;
}

std::optional<StepPace::Loss> StepPace::lossAt(Edge edge, StepStretch of, std::span<const StepStretch> others) const {
  const bool goes_on = of.last == std::numeric_limits<std::int64_t>::max();
  const std::size_t begin = indexOf(of.first), end = goes_on ? m_steps.size() : indexOf(of.last + 1);
  if (begin >= end) return std::nullopt;
  const Border border = edge == Edge::kBegin ? Border{begin, 1} : Border{end - 1, -1};
  // A stretch that covers both sides does not affect the difference.
  const std::int64_t step = m_steps[border.at].step, reach = kBeside;
  std::vector<StepStretch> without;
  for (const StepStretch& one : others)
    if (one.first <= step + reach && one.last >= step - reach && (one.first > step - reach || one.last < step + reach))
      without.push_back(one);
  auto outside = side(border, false, begin, end, without), inside = side(border, true, begin, end, without);
  const bool shared = inside.size() < kMinBeside && !without.empty();
  if (shared) inside = side(border, true, begin, end, {});
  if (std::min(inside.size(), outside.size()) < kMinBeside) return std::nullopt;
  return Loss{trimmedMean(std::move(inside)), trimmedMean(std::move(outside)), shared};
}

std::optional<StepPace::Loss> StepPace::meanOf(const std::optional<Loss>& begin, const std::optional<Loss>& end) {
  if (!begin || !end) return begin ? begin : end;
  return Loss{(begin->during_ns + end->during_ns) / 2, (begin->usual_ns + end->usual_ns) / 2, begin->shared || end->shared};
}

}  // namespace runglass
