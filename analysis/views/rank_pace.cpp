// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/rank_pace.h"

#include <algorithm>
#include <map>

#include "analysis/statistics/median.h"
#include "analysis/steps/attempt_steps.h"
#include "model/series_extent.h"

namespace runglass {

std::optional<SlowestRank> slowestRank(std::span<const std::pair<std::int32_t, double>> ns) {
  std::vector<PeerValue> values;
  for (const auto& [rank, value] : ns) values.push_back({.value = value});
  const auto slower = againstPeers(values, {.min_peers = 1});
  const auto most = std::ranges::max_element(slower);  // absent sorts lowest
  if (most == slower.end() || !*most) return std::nullopt;
  return SlowestRank{ns[static_cast<std::size_t>(most - slower.begin())].first, **most};
}

Result<std::optional<SlowestRank>> readSlowestRank(Reader& reader, AttemptId attempt, const std::stop_token& stop) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime, StepSeries::kPhase}));
  const auto last = steps.lastStep();
  if (!last) return std::optional<SlowestRank>();
  RG_ASSIGN(const ExcludedSteps excluded, steps.excluded(reader, *last - kPaceSteps, *last + 1, stop));
  std::vector<std::pair<std::int32_t, double>> ns;
  for (const Series& series : steps.of(StepSeries::kTime)) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "steps: stopped");
    RG_ASSIGN(const auto points, reader.scalars(series.id, newestOf(series, kPaceSteps), endOf(series), stop));
    if (const auto middle = median(valuesWithout(points, excluded))) ns.emplace_back(*series.key.rank, *middle);
  }
  return slowestRank(ns);
}

std::vector<NodePace> nodesByWork(std::span<const RankPace> ranks) {
  std::vector<PeerValue> work;
  for (const RankPace& rank : ranks) work.push_back({.value = rank.step_ns - rank.wait_ns, .role = rank.role});
  const auto slower = againstPeers(work, {.min_peers = 1});
  std::map<NodeId, NodePace> nodes;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!slower[i] || !(ranks[i].step_ns > 0)) continue;
    const double waits = ranks[i].wait_ns / ranks[i].step_ns;
    const auto [at, added] = nodes.try_emplace(ranks[i].node, NodePace{ranks[i].node, waits, *slower[i]});
    if (added) continue;
    at->second.wait_ratio = std::min(at->second.wait_ratio, waits);
    at->second.slower = std::max(at->second.slower, *slower[i]);
  }
  std::vector<NodePace> out;
  if (nodes.size() < 2) return out;
  for (const auto& [id, node] : nodes) out.push_back(node);
  std::ranges::stable_sort(out, std::greater{}, &NodePace::slower);
  return out;
}

}  // namespace runglass
