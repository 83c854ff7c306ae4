// SPDX-License-Identifier: Apache-2.0
#include "analysis/clock_align/clock_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
// Standard error of the median of n normal values: 1.2533 sigma / sqrt(n), with sigma = 1.4826 times their median absolute deviation.
constexpr double kMedianError = 1.2533 * 1.4826;

DurNs medianDeviation(const std::vector<DurNs>& values, DurNs middle) {
  std::vector<DurNs> away;
  away.reserve(values.size());
  for (const DurNs value : values) away.push_back(std::max(minusTime(value, middle), minusTime(middle, value)));
  return medianBetween(away);
}

}  // namespace

DurNs minusTime(TimeNs a, TimeNs b) {
  DurNs difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return b > 0 ? kLowest : kHighest;
  return difference;
}

ClockGraph::Edge& ClockGraph::edge(std::uint32_t a, std::uint32_t b) { return m_edges[std::uint64_t{a} << 32 | b]; }

void ClockGraph::together(std::uint32_t a, std::uint32_t b, DurNs b_later) {
  if (a < b)
    edge(a, b).together.push_back(b_later);
  else
    edge(b, a).together.push_back(minusTime(0, b_later));
}

void ClockGraph::message(std::uint32_t from, std::uint32_t to, DurNs arrived_later) {
  if (from < to)
    edge(from, to).there.push_back(arrived_later);
  else
    edge(to, from).back.push_back(minusTime(0, arrived_later));
}

std::optional<ClockGraph::Place> ClockGraph::summary(Edge& edge, std::size_t least) {
  if (edge.together.size() >= least) {
    const DurNs middle = medianBetween(edge.together);
    const double error =
        kMedianError * static_cast<double>(medianDeviation(edge.together, middle)) / std::sqrt(static_cast<double>(edge.together.size()));
    return Place{middle, static_cast<DurNs>(std::min(error, 1e18))};
  }
  if (edge.there.size() < least || edge.back.size() < least) return std::nullopt;
  const DurNs there = medianBetween(edge.there), back = medianBetween(edge.back), gap = minusTime(there, back);
  return Place{plusTime(back, gap / 2), std::max(gap, minusTime(0, gap)) / 2};
}

std::vector<std::optional<ClockGraph::Place>> ClockGraph::placesFrom(std::uint32_t root, std::size_t least) {
  struct Way {
    std::uint32_t to;
    DurNs offset, error;
  };
  std::vector<std::vector<Way>> ways(m_clocks);
  for (auto& [key, edge] : m_edges) {
    const auto found = summary(edge, least);
    if (!found) continue;
    const auto a = static_cast<std::uint32_t>(key >> 32), b = static_cast<std::uint32_t>(key);
    // The added 1 gives an edge a cost even where all differences are equal, so that short paths are preferred.
    const DurNs error = plusTime(found->error, 1);
    ways[a].push_back({b, found->offset, error});
    ways[b].push_back({a, minusTime(0, found->offset), error});
  }
  std::vector<std::optional<Place>> places(m_clocks);
  struct Reached {
    DurNs error, offset;
    std::uint32_t clock;
    bool operator>(const Reached& other) const { return std::pair(error, clock) > std::pair(other.error, other.clock); }
  };
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  next.push({0, 0, root});
  while (!next.empty()) {
    const Reached here = next.top();
    next.pop();
    if (places[here.clock]) continue;
    places[here.clock] = Place{here.offset, here.error};
    for (const Way& way : ways[here.clock])
      if (!places[way.to]) next.push({plusTime(here.error, way.error), plusTime(here.offset, way.offset), way.to});
  }
  return places;
}

}  // namespace runglass
