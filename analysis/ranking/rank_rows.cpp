// SPDX-License-Identifier: Apache-2.0
// Invariant: all rows have one kind of score, so that they are comparable.
#include "analysis/ranking/rank_rows.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

double confidenceOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return 0.95;
    case Confidence::kMedium:
      return 0.7;
    case Confidence::kLow:
      break;
  }
  return 0.4;
}

// Votes assume one slow rank and do not quantify the slowness.
constexpr double kVoteConfidence = 0.5, kFewVotesConfidence = 0.2;

class Joiner {
 public:
  explicit Joiner(const RankSources& sources) : m_sources(sources), m_kind(scoreKindOf(sources).value_or(ScoreKind::kRelative)) {}

  std::vector<RankedRow> join() {
    for (const Rank& place : m_sources.places) rowOf(place.rank).place = place;
    if (m_sources.relative != nullptr) addRelative();
    if (m_sources.nvrx != nullptr)
      for (const NvrxScore& score : *m_sources.nvrx) {
        RankedRow& row = rowOf(score.rank);
        row.nvrx_relative = score.relative, row.nvrx_individual = score.individual;
      }
    if (m_sources.votes != nullptr) addVotes();
    if (m_kind == ScoreKind::kWhatIf) addWhatIf();
    if (m_sources.suspects != nullptr) addSuspects();
    if (m_sources.verdict != nullptr) addVerdict();
    if (m_sources.earlier != nullptr) addEarlier();
    return sorted();
  }

 private:
  RankedRow& rowOf(std::int32_t rank) {
    RankedRow& row = m_rows[rank];
    row.place.rank = rank;
    row.kind = m_kind;
    return row;
  }

  void addRelative() {
    const SlowRanks& relative = *m_sources.relative;
    for (std::size_t i = 0; i < relative.ranks.size(); ++i) {
      const RankScore& score = relative.ranks[i];
      RankedRow& row = rowOf(score.rank);
      row.relative_row = i;
      if (m_kind != ScoreKind::kRelative) continue;
      row.coverage = score.coverage;
      if (!score.score) continue;
      row.score = 1 + *score.score;
      row.slower = score.score;
      row.persistence = score.persistence;
      row.confidence = confidenceOf(score.confidence);
      row.since_step = score.since_step, row.since_before = score.since_before;
    }
  }

  void addVotes() {
    std::size_t most = 1;
    for (const WaitVote& vote : *m_sources.votes) most = std::max(most, vote.compared);
    for (const WaitVote& vote : *m_sources.votes) {
      RankedRow& row = rowOf(vote.rank);
      row.vote = vote;
      if (m_kind != ScoreKind::kWaitVote) continue;
      row.score = vote.ratio();
      row.stands_out = vote.abnormal();
      row.confidence = vote.enough() ? kVoteConfidence : kFewVotesConfidence;
      row.coverage = static_cast<double>(vote.compared) / static_cast<double>(most);
    }
  }

  void addWhatIf() {
    for (const auto& [rank, s] : m_sources.what_if->s) {
      RankedRow& row = rowOf(rank);
      row.score = s, row.slower = s - 1;
      row.coverage = m_sources.what_if->coverage, row.confidence = m_sources.what_if->confidence;
    }
  }

  void addSuspects() {
    const auto& all = m_sources.suspects->all;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const std::int32_t rank : ranksOf(all[i], m_sources.places)) {
        RankedRow& row = rowOf(rank);
        if (row.suspect != kNoSuspect) continue;  // a worse suspect names it
        row.suspect = i;
        take(all[i], row);
      }
  }

  // A finding about the whole run is more reliable than the newest steps.
  void take(const Suspect& suspect, RankedRow& row) const {
    row.gpu_hours_per_day = suspect.gpu_hours_per_day;
    row.cause = suspect.cause;
    row.since_step = suspect.first_step, row.since_before = suspect.since_before, row.since = suspect.start;
    if (suspect.confidence) row.confidence = suspect.confidence;
    if (suspect.coverage) row.coverage = suspect.coverage;
    if (const auto persistence = suspect.persistence()) row.persistence = persistence;
    // The newest steps are no evidence about an ended slowness.
    if (m_kind == ScoreKind::kRelative && suspect.blamesRanks() && suspect.slower && !suspect.holds)
      row.score = 1 + *suspect.slower, row.slower = suspect.slower;
  }

  void addVerdict() {
    for (const auto& [rank, pace] : m_sources.verdict->ranks) {
      if (!pace.slow) continue;
      RankedRow& row = rowOf(rank);
      row.stands_out = true;
      if (m_kind == ScoreKind::kRelative && pace.slower) row.score = 1 + *pace.slower, row.slower = pace.slower;
    }
  }

  void addEarlier() {
    const EarlierAttempt& earlier = *m_sources.earlier;
    for (auto& [rank, row] : m_rows) {
      if (row.place.node && !earlier.nodes.empty()) row.new_node = !earlier.nodes.contains(row.place.node);
      const auto before = earlier.score.find(rank);
      if (earlier.kind == m_kind && before != earlier.score.end() && row.slower) row.change = *row.slower - (before->second - 1);
    }
  }

  std::vector<RankedRow> sorted() {
    std::map<NodeId, double> nodes;
    std::vector<std::pair<double, RankedRow>> weighed;
    for (auto& [rank, row] : m_rows) {
      const double weight = rowWeight(row, m_sources.suspects);
      auto [node, added] = nodes.try_emplace(row.place.node, weight);
      node->second = std::max(node->second, weight);
      weighed.emplace_back(weight, std::move(row));
    }
    std::ranges::stable_sort(weighed, [&](const auto& a, const auto& b) {
      const NodeId left = a.second.place.node, right = b.second.place.node;
      if (left != right) {
        const double first = nodes.at(left), second = nodes.at(right);
        return first != second ? first > second : left < right;
      }
      return a.first > b.first;
    });
    std::vector<RankedRow> rows;
    for (auto& [weight, row] : weighed) rows.push_back(std::move(row));
    return rows;
  }

  const RankSources& m_sources;
  const ScoreKind m_kind;
  std::map<std::int32_t, RankedRow> m_rows;
};

}  // namespace

const char* scoreKindName(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::kWhatIf:
      return "what_if";
    case ScoreKind::kWaitVote:
      return "wait_vote";
    case ScoreKind::kRelative:
      break;
  }
  return "relative";
}

std::optional<ScoreKind> scoreKindOf(const RankSources& sources) {
  if (sources.what_if != nullptr && !sources.what_if->s.empty()) return ScoreKind::kWhatIf;
  const bool ranked = sources.relative != nullptr && sources.relative->status == SlowRanksStatus::kRanked;
  if (ranked && sources.relative->basis == SlownessBasis::kWork) return ScoreKind::kRelative;
  if (sources.votes != nullptr && std::ranges::any_of(*sources.votes, &WaitVote::enough)) return ScoreKind::kWaitVote;
  if (ranked) return ScoreKind::kRelative;
  return std::nullopt;
}

double rowWeight(const RankedRow& row, const Suspects* suspects) {
  // Offsets of the classes, larger than any score.
  constexpr double kBlamed = 3e6, kStandsOut = 2e6, kWasBlamed = 1e6, kMaxScore = 1e5;
  const double score = row.score && std::isfinite(*row.score) ? std::clamp(*row.score, 0.0, kMaxScore) : -1;
  const Suspect* suspect = suspects != nullptr && row.suspect != kNoSuspect ? &suspects->all[row.suspect] : nullptr;
  if (suspect != nullptr && suspect->blamesRanks() && suspect->holds) return kBlamed + score;
  if (row.stands_out) return kStandsOut + score;
  if (suspect != nullptr && suspect->blamesRanks()) return kWasBlamed + score;
  return score;
}

std::vector<RankedRow> rankRows(const RankSources& sources) { return Joiner(sources).join(); }

}  // namespace runglass
