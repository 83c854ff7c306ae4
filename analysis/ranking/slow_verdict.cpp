// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/slow_verdict.h"

#include <algorithm>
#include <functional>
#include <set>

namespace runglass {
namespace {

std::optional<double> waitOf(const RankScore& score) {
  std::optional<double> sum;
  for (const PartScore& part : score.parts)
    if (part.own_wait_ns) sum = sum.value_or(0) + *part.own_wait_ns;
  return sum;
}

class Judgement {
 public:
  Judgement(const Suspects& suspects, std::span<const Rank> places) : m_suspects(suspects), m_places(places) {}

  SlowVerdict judge(const SlowRanks& relative) {
    m_out.basis = relative.basis, m_out.steps = relative.steps, m_out.stages = relative.stages;
    for (const RankScore& score : relative.ranks) {
      if (!score.own_ns) continue;
      m_out.ranks[score.rank] = {.own_ns = score.own_ns,
                                 .wait_ns = waitOf(score),
                                 .slower = score.score,
                                 .slow = score.stands_out,
                                 .since_step = score.since_step};
      m_out.compared |= score.score.has_value();
    }
    for (const Suspect& suspect : m_suspects.all) take(suspect);
    for (const RankScore& score : relative.ranks)
      if (score.stands_out && !m_named.contains(score.rank)) m_out.slow.push_back(score.rank);
    std::ranges::stable_sort(m_out.slow, std::greater{}, [&](std::int32_t rank) { return m_out.ranks[rank].slower; });
    return std::move(m_out);
  }

 private:
  void take(const Suspect& suspect) {
    if (!suspect.holds || suspect.isUnlikely()) return;
    if (suspect.kind == "stage_imbalance" && suspect.pp && suspect.slower) {
      const auto stage = std::ranges::find(m_out.stages, *suspect.pp, &StageWork::role);
      if (stage != m_out.stages.end()) stage->longer = suspect.slower;
    }
    if (!suspect.blamesRanks()) return;
    for (const std::int32_t rank : ranksOf(suspect, m_places)) {
      if (!m_named.insert(rank).second) continue;  // a worse suspect names it
      RankPace& pace = m_out.ranks[rank];
      pace.slow = true, pace.since_step = suspect.first_step;
      // Of a node's ranks each has a ratio of its own; all ranks of a stage on one node are no slower than each other.
      if (suspect.slower && (suspect.kind == "slow_rank" || !pace.slower || !isSlower(*pace.slower))) pace.slower = suspect.slower;
      m_out.slow.push_back(rank);
    }
    if (suspect.kind == "slow_node" && suspect.node && suspect.slower) m_out.slow_nodes.try_emplace(suspect.node, *suspect.slower);
  }

  const Suspects& m_suspects;
  std::span<const Rank> m_places;
  std::set<std::int32_t> m_named;  // by a finding
  SlowVerdict m_out;
};

}  // namespace

// Whether most ranks record spans. Tracks of a scheduler or of pods are of no rank, and a captured trace may be of one.
static Result<bool> recordsSpans(Reader& reader, AttemptId attempt, std::span<const Rank> ranks) {
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  std::set<std::int32_t> with_spans;
  for (const Track& track : tracks)
    if (track.key.rank) with_spans.insert(*track.key.rank);
  return 2 * with_spans.size() > ranks.size();
}

SlowVerdict judgeSlowness(const SlowRanks& relative, const Suspects& suspects, std::span<const Rank> places) {
  return Judgement(suspects, places).judge(relative);
}

std::vector<NodePace> nodesByWork(const SlowVerdict& verdict, std::span<const Rank> places) {
  std::map<NodeId, NodePace> nodes;
  for (const Rank& place : places) {
    const auto found = verdict.ranks.find(place.rank);
    if (found == verdict.ranks.end()) continue;
    const RankPace& pace = found->second;
    if (!pace.slower || !pace.wait_ns || !(pace.own_ns.value_or(0) > 0)) continue;
    const double waits = *pace.wait_ns / (*pace.own_ns + *pace.wait_ns);
    const auto [at, added] = nodes.try_emplace(place.node, NodePace{place.node, waits, *pace.slower, pace.slow});
    if (added) continue;
    at->second.wait_ratio = std::min(at->second.wait_ratio, waits);
    at->second.slower = std::max(at->second.slower, *pace.slower);
    at->second.slow |= pace.slow;
  }
  std::vector<NodePace> out;
  if (nodes.size() < 2) return out;
  for (auto& [id, node] : nodes) {
    if (const auto blamed = verdict.slow_nodes.find(id); blamed != verdict.slow_nodes.end()) node.slower = blamed->second;
    out.push_back(node);
  }
  std::ranges::stable_sort(out, std::greater{}, &NodePace::slower);
  return out;
}

Result<SlowVerdict> readSlowVerdict(SharedSlowVerdict* memory, Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                    const std::stop_token& stop) {
  if (memory == nullptr) return SlowVerdictFeed().read(reader, run, attempt, ranks, stop);
  const MutexLock lock(memory->one_at_a_time);
  return memory->feed.read(reader, run, attempt, ranks, stop);
}

Result<SlowVerdict> SlowVerdictFeed::read(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                          const std::stop_token& stop) {
  if (m_table == nullptr || attempt != m_attempt) {
    m_attempt = attempt;
    m_revision.reset();
    m_table = std::make_unique<StepTableFeed>(attempt, StepTableFeed::Options{.spans = m_spans});
  }
  RG_ASSIGN(const StepTableAnswer answer, m_table->read(reader, ranks, stop));
  if (m_revision != m_table->revision()) {
    m_relative = rankBySlowness(answer.table);
    if (m_relative.basis == SlownessBasis::kStepTime) {
      RG_ASSIGN(const bool spans, recordsSpans(reader, attempt, ranks));
      if (spans)
        for (RankScore& score : m_relative.ranks) score.stands_out = false;
    }
    m_revision = m_table->revision();
  }
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  const auto own = std::ranges::find(attempts, attempt, &Attempt::id);
  RG_ASSIGN(const auto findings, reader.findings(run));
  return judgeSlowness(m_relative, suspectsOf(findings, attempt, own == attempts.end() ? std::nullopt : own->last_step), ranks);
}

}  // namespace runglass
