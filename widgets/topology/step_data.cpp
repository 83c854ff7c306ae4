// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/step_data.h"

#include <algorithm>
#include <set>

#include "analysis/what_if/what_if_data.h"
#include "model/time.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

struct PlacedRank {
  std::int32_t rank = 0, dp = 0, pp = 0;
};

class StepReading {
 public:
  StepReading(Reader& reader, const StepQuestion& question, std::stop_token stop)
      : m_reader(reader), m_question(question), m_stop(std::move(stop)) {}

  Result<StepData> read() {
    const TopologyData& topology = *m_question.topology;
    m_out.attempt = topology.attempt.id;
    if (!placeRanks()) return std::move(m_out);
    RG_ASSIGN(const auto tracks, m_reader.tracks(topology.attempt.id));
    for (const Track& track : tracks)
      if (track.key.rank) m_tracks[*track.key.rank].push_back(track.id);
    const auto& previous = m_question.previous;
    if (previous && previous->attempt == m_out.attempt && (!m_question.step || previous->steps.contains(*m_question.step)))
      m_out.steps = previous->steps;
    if (m_out.steps.empty()) RG_TRY(findSteps());
    if (m_out.steps.empty()) {
      m_out.reason = TopologyText::tr("No span of rank %1 names a step and one of its operations (forward, backward, …)").arg(m_reference);
      return std::move(m_out);
    }
    RG_TRY(chooseStep());
    return std::move(m_out);
  }

 private:
  bool placeRanks() {
    const auto& ranks = m_question.topology->ranks;
    const bool any = std::ranges::any_of(ranks, [](const TopologyRank& r) { return r.place.pp || r.place.dp; });
    if (!any && ranks.size() > 1) {
      m_out.reason = TopologyText::tr("The ranks' places in the pipeline are not known; choose the order of ranks in the lattice");
      return false;
    }
    std::set<std::int32_t> replicas;
    // A dimension without coordinates in any rank has size 1; a single rank without its coordinate has no place.
    const bool has_dp = std::ranges::any_of(ranks, [](const TopologyRank& r) { return r.place.dp.has_value(); });
    const bool has_pp = std::ranges::any_of(ranks, [](const TopologyRank& r) { return r.place.pp.has_value(); });
    for (const TopologyRank& rank : ranks) {
      if ((has_dp && !rank.place.dp) || (has_pp && !rank.place.pp)) continue;
      m_ranks.push_back({rank.place.rank, rank.place.dp.value_or(0), rank.place.pp.value_or(0)});
      replicas.insert(m_ranks.back().dp);
    }
    m_out.replicas.assign(replicas.begin(), replicas.end());
    if (m_ranks.empty()) return false;
    m_out.replica = m_question.replica && replicas.contains(*m_question.replica) ? *m_question.replica : m_out.replicas.front();
    m_reference = std::ranges::find(m_ranks, m_out.replica, &PlacedRank::dp)->rank;
    return true;
  }

  Status findSteps() {
    for (const TrackId track : m_tracks[m_reference]) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const SpanColumns spans, m_reader.spans(track, {}, m_stop));
      if (spans.step.empty()) continue;
      std::vector<int> known(spans.names.size(), -1);
      for (std::size_t i = 0; i < spans.size(); ++i) {
        int& is_op = known[spans.name[i]];
        if (is_op < 0) is_op = stepOpsOf(spans.names[spans.name[i]]).count > 0 ? 1 : 0;
        if (is_op == 0 || spans.step[i] == kAbsent || spans.dur[i] == kAbsent) continue;
        const TimeNs end = plusTime(spans.start[i], spans.dur[i]);
        const auto [at, added] = m_out.steps.try_emplace(spans.step[i], TimeRange{spans.start[i], end});
        at->second = {std::min(at->second.t0, spans.start[i]), std::max(at->second.t1, end)};
      }
    }
    return {};
  }

  // The requested step, else the newest consistent one: a step in progress is not.
  Status chooseStep() {
    if (m_question.step) {
      // Not recorded: the nearest.
      auto at = m_out.steps.lower_bound(*m_question.step);
      if (at == m_out.steps.end()) --at;
      return readGraph(at->first);
    }
    constexpr int kTried = 3;
    auto at = m_out.steps.rbegin();
    for (int i = 0; i < kTried && at != m_out.steps.rend(); ++i, ++at) {
      RG_TRY(readGraph(at->first));
      if (m_out.step() != nullptr) return {};
    }
    return {};
  }

  Status readGraph(std::int64_t step) {
    m_out.shown = step;
    m_out.reason.clear();
    m_out.whole = m_ranks.size() <= kMaxStepRanks;
    std::vector<StepRank> ranks;
    StepOpColumns ops;
    // Other stages start and end at other times.
    const TimeRange own = m_out.steps.at(step);
    const DurNs length = std::max<DurNs>(plusTime(own.t1, -own.t0), kNsPerMs);
    const TimeRange range{plusTime(own.t0, -length), plusTime(own.t1, length)};
    for (const PlacedRank& rank : m_ranks) {
      if (!m_out.whole && rank.dp != m_out.replica) continue;
      ranks.push_back({.rank = rank.rank, .dp = rank.dp, .pp = rank.pp});
      RG_TRY(readRank(rank.rank, static_cast<std::uint32_t>(ranks.size() - 1), step, range, ops));
    }
    m_out.graph = buildStepGraph(ranks, ops);
    const StepGraph::Step* found = m_out.graph.find(step);
    if (found == nullptr) {
      tellGaps(step);
      return {};
    }
    const auto replica = std::ranges::find(m_out.graph.replicas, m_out.replica);
    if (replica == m_out.graph.replicas.end()) {
      m_out.reason = TopologyText::tr("A stage of replica dp %1 is not recorded").arg(m_out.replica);
      return {};
    }
    const auto index = static_cast<std::uint32_t>(replica - m_out.graph.replicas.begin());
    m_out.nodes = nodesOf(m_out.graph, *found, index);
    m_out.bubbles = bubbles(m_out.graph, *found, index);
    m_out.holds = StepHolds(m_out.graph, *found);
    m_out.path = criticalPath(m_out.graph, *found, m_out.holds);
    tellWhereThePathIs();
    if (!m_out.whole)
      m_out.note = TopologyText::tr("of %1 ranks only this replica's %2 were read: waiting for other replicas is not separated")
                       .arg(formatCount(static_cast<std::int64_t>(m_ranks.size())), formatCount(static_cast<std::int64_t>(ranks.size())));
    return {};
  }

  // Most of the path may be in a replica that is not shown.
  void tellWhereThePathIs() {
    m_out.note.clear();
    std::map<std::int32_t, DurNs> by_replica;
    for (const PathPiece& piece : m_out.path.pieces)
      by_replica[m_out.graph.workers[m_out.graph.worker[piece.node]].dp] += piece.t1 - piece.t0;
    const auto most = std::ranges::max_element(by_replica, {}, [](const auto& one) { return one.second; });
    if (most == by_replica.end() || most->first == m_out.replica) return;
    m_out.note = TopologyText::tr("%1 of the critical path are in replica dp %2")
                     .arg(formatPercent(static_cast<double>(most->second) / static_cast<double>(m_out.path.total), 0))
                     .arg(most->first);
  }

  void tellGaps(std::int64_t step) {
    const StepGaps& gaps = m_out.graph.gaps;
    const QString why = gaps.partial_steps > 0 ? TopologyText::tr("operations of it are missing")
                        : gaps.unmatched_steps > 0
                            ? TopologyText::tr("sends without their receives, or micro-batches that are not recorded")
                        : gaps.circular_steps > 0 ? TopologyText::tr("its operations wait for each other")
                                                  : TopologyText::tr("none of its stages is complete");
    m_out.reason = TopologyText::tr("Step %1 does not fit together: %2").arg(formatCount(step), why);
  }

  Status readRank(std::int32_t rank, std::uint32_t index, std::int64_t step, TimeRange range, StepOpColumns& ops) {
    for (const TrackId track : m_tracks[rank]) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const SpanColumns spans, m_reader.spans(track, range, m_stop));
      if (spans.step.empty()) continue;
      std::vector<std::optional<StepOps>> known(spans.names.size());
      for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans.step[i] != step || spans.dur[i] == kAbsent) continue;
        auto& is = known[spans.name[i]];
        if (!is) is = stepOpsOf(spans.names[spans.name[i]]);
        for (int k = 0; k < is->count; ++k)
          ops.add(index, step, is->ops[static_cast<std::size_t>(k)], spans.args.empty() ? -1 : modelChunkIn(spans.args[i]),
                  spans.microbatch.empty() || spans.microbatch[i] == kAbsent ? -1 : spans.microbatch[i], spans.start[i], spans.dur[i],
                  spans.id[i]);
      }
    }
    return {};
  }

  Reader& m_reader;
  const StepQuestion& m_question;
  const std::stop_token m_stop;
  StepData m_out;
  std::vector<PlacedRank> m_ranks;
  std::map<std::int32_t, std::vector<TrackId>> m_tracks;
  std::int32_t m_reference = 0;
};

}  // namespace

Result<StepData> readStep(Reader& reader, const StepQuestion& question, std::stop_token stop) {
  return StepReading(reader, question, std::move(stop)).read();
}

QString nodeText(const StepGraph& graph, std::uint32_t node) {
  const StepWorker& worker = graph.workers[graph.worker[node]];
  QString text = termText(stepOpName(graph.op[node]));
  if (graph.microbatch[node] >= 0) text = TopologyText::tr("%1 of micro-batch %2").arg(text).arg(graph.microbatch[node]);
  if (graph.chunk[node] > 0) text = TopologyText::tr("%1, chunk %2").arg(text).arg(graph.chunk[node]);
  return TopologyText::tr("%1 · stage %2 · dp %3").arg(text).arg(worker.pp).arg(worker.dp);
}

QString nodeLabel(const StepGraph& graph, std::uint32_t node) {
  const char* letter = graph.op[node] == StepOp::kForward          ? "F"
                       : graph.op[node] == StepOp::kBackward       ? "B"
                       : graph.op[node] == StepOp::kBackwardWeight ? "W"
                                                                   : nullptr;
  if (letter == nullptr || graph.microbatch[node] < 0) return {};
  QString text = QLatin1String(letter) + QString::number(graph.microbatch[node]);
  if (graph.chunk[node] > 0) text += QLatin1Char('.') + QString::number(graph.chunk[node]);
  return text;
}

}  // namespace runglass
