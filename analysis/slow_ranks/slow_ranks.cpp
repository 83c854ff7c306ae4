// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A rank is never among its own peers: with few ranks it would pull the median towards itself.
// 2. What was not compared is absent, in scores, and NaN, in ratios.
#include "analysis/slow_ranks/slow_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace runglass {
namespace {

constexpr double kAbsentValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kStepsToSeeMovement = 20;
// Share of the steps, and their number, from which a confidence is given.
constexpr double kHighCoverage = 0.8, kMediumCoverage = 0.5;
constexpr std::size_t kHighSteps = 50, kMediumSteps = 10;

double middleOf(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

std::optional<double> medianOf(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return middleOf(values);
}

struct Placed {
  double value;
  std::size_t member;  // of the role
};

// Of all but the one at `out`.
double medianWithout(const std::vector<Placed>& sorted, std::size_t out) {
  const auto at = [&](std::size_t k) { return sorted[k < out ? k : k + 1].value; };
  const std::size_t n = sorted.size() - 1;
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

// The ranks of one role, in the order of `members`: indices into table.ranks.
class RoleRanking {
 public:
  RoleRanking(const StepTable& table, const std::vector<std::size_t>& members) : m_table(table), m_members(members) {}

  std::vector<RankScore> rank() {
    for (const std::size_t member : m_members) m_scores.push_back(blank(m_table.ranks[member]));
    m_excess.assign(m_members.size(), {});
    for (std::size_t step = 0; step < m_table.steps.size(); ++step) compareStep(step);
    for (std::size_t i = 0; i < m_scores.size(); ++i) score(i);
    for (std::size_t part = 0; part < m_table.parts.size(); ++part) comparePart(part);
    judge();
    return std::move(m_scores);
  }

 private:
  RankScore blank(const RankSteps& rank) const {
    RankScore score{.rank = rank.rank, .role = rank.role};
    score.ratio.assign(m_table.steps.size(), std::numeric_limits<float>::quiet_NaN());
    const auto known = std::ranges::count_if(rank.value_ns, [](double v) { return std::isfinite(v); });
    if (!m_table.steps.empty()) score.coverage = static_cast<double>(known) / static_cast<double>(m_table.steps.size());
    score.own_ns = medianOf(rank.value_ns);
    return score;
  }

  void compareStep(std::size_t step) {
    const auto placed = sortedBy([&](const RankSteps& rank) { return rank.value_ns[step]; });
    const int peers = static_cast<int>(placed.size()) - 1;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      RankScore& score = m_scores[placed[i].member];
      score.peers = std::max(score.peers, peers);
      if (peers < kLeastPeers) continue;
      const double usual = medianWithout(placed, i);
      if (!(usual > 0)) continue;
      score.ratio[step] = static_cast<float>(placed[i].value / usual - 1);
      m_excess[placed[i].member].push_back(placed[i].value - usual);
    }
  }

  void comparePart(std::size_t part) {
    const auto placed = sortedBy(
        [&](const RankSteps& rank) { return part < rank.part_ns.size() ? rank.part_ns[part].value_or(kAbsentValue) : kAbsentValue; });
    if (static_cast<int>(placed.size()) - 1 < kLeastPeers) return;
    for (std::size_t i = 0; i < placed.size(); ++i)
      m_scores[placed[i].member].parts.push_back(
          {.part = part, .own_ns = placed[i].value, .peers_ns = medianWithout(placed, i), .own_wait_ns = {}, .peers_wait_ns = {}});
    const auto waits = sortedBy(
        [&](const RankSteps& rank) { return part < rank.wait_ns.size() ? rank.wait_ns[part].value_or(kAbsentValue) : kAbsentValue; });
    for (std::size_t i = 0; i < waits.size(); ++i) {
      auto& parts = m_scores[waits[i].member].parts;
      if (parts.empty() || parts.back().part != part) continue;
      parts.back().own_wait_ns = waits[i].value;
      if (static_cast<int>(waits.size()) - 1 >= kLeastPeers) parts.back().peers_wait_ns = medianWithout(waits, i);
    }
  }

  template <class ValueOf>
  std::vector<Placed> sortedBy(ValueOf value_of) const {
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < m_members.size(); ++i) {
      const double value = value_of(m_table.ranks[m_members[i]]);
      if (std::isfinite(value)) placed.push_back({value, i});
    }
    std::ranges::sort(placed, {}, &Placed::value);
    return placed;
  }

  void score(std::size_t i) {
    RankScore& score = m_scores[i];
    std::vector<double> ratios;
    std::size_t above = 0;
    for (std::size_t step = 0; step < score.ratio.size(); ++step) {
      const float ratio = score.ratio[step];
      if (std::isnan(ratio)) continue;
      ratios.push_back(ratio);
      above += ratio > kSlowerThanPeers ? 1 : 0;
      if (!score.worst || ratio > score.ratio[*score.worst]) score.worst = step;
    }
    if (ratios.size() < kLeastSteps) return;
    score.persistence = static_cast<double>(above) / static_cast<double>(ratios.size());
    // Whole steps hardly differ between ranks that wait for each other, so they never make anybody sure.
    if (m_table.basis == SlownessBasis::kWork) {
      if (score.coverage >= kHighCoverage && ratios.size() >= kHighSteps)
        score.confidence = Confidence::kHigh;
      else if (score.coverage >= kMediumCoverage && ratios.size() >= kMediumSteps)
        score.confidence = Confidence::kMedium;
    }
    score.score = medianOf(std::move(ratios));
    score.excess_ns = medianOf(m_excess[i]);
  }

  void judge() {
    std::vector<double> scores, deviations;
    for (const RankScore& score : m_scores)
      if (score.score) scores.push_back(*score.score);
    const auto middle = medianOf(scores);
    for (const double score : scores) deviations.push_back(std::fabs(score - *middle));
    const auto spread = medianOf(deviations);
    for (RankScore& score : m_scores) {
      std::ranges::stable_sort(score.parts, [](const PartScore& a, const PartScore& b) { return a.excess() > b.excess(); });
      if (!score.score) continue;
      score.spread = spread;
      score.stands_out = *score.score > std::max(kSlowerThanPeers, kDeviationsToStandOut * *spread) && *score.persistence > kPersistent;
      if (score.stands_out) findOnset(score);
    }
  }

  // The begin of the stretch up to the newest step in which steps above the peers outweigh the others most.
  void findOnset(RankScore& score) const {
    int sum = 0, best = 0;
    std::size_t onset = score.ratio.size();
    for (std::size_t step = score.ratio.size(); step-- > 0;) {
      if (std::isnan(score.ratio[step])) continue;
      sum += score.ratio[step] > kSlowerThanPeers ? 1 : -1;
      if (sum < best) continue;
      best = sum;
      onset = step;
    }
    if (onset == score.ratio.size()) return;
    score.since_step = m_table.steps[onset];
    score.since_before = std::none_of(score.ratio.begin(), score.ratio.begin() + static_cast<std::ptrdiff_t>(onset),
                                      [](float ratio) { return !std::isnan(ratio); });
  }

  const StepTable& m_table;
  const std::vector<std::size_t>& m_members;
  std::vector<RankScore> m_scores;
  std::vector<std::vector<double>> m_excess;  // by member, of the compared steps
};

// Over all ranks, so that a slow-down which everybody shares has a number, too.
std::optional<double> movement(const StepTable& table) {
  if (table.steps.size() < kStepsToSeeMovement) return std::nullopt;
  std::vector<double> halves[2], values;
  for (std::size_t step = 0; step < table.steps.size(); ++step) {
    values.clear();
    for (const RankSteps& rank : table.ranks) values.push_back(rank.value_ns[step]);
    if (const auto middle = medianOf(values)) halves[step * 2 / table.steps.size()].push_back(*middle);
  }
  const auto older = medianOf(halves[0]), newer = medianOf(halves[1]);
  if (!older || !newer || !(*older > 0)) return std::nullopt;
  return *newer / *older - 1;
}

SlowRanksStatus statusOf(const SlowRanks& answer) {
  if (answer.steps.empty()) return SlowRanksStatus::kNoSteps;
  int peers = 0;
  for (const RankScore& rank : answer.ranks) {
    if (rank.score) return SlowRanksStatus::kRanked;
    peers = std::max(peers, rank.peers);
  }
  return peers < kLeastPeers ? SlowRanksStatus::kTooFewPeers : SlowRanksStatus::kTooFewSteps;
}

}  // namespace

std::size_t SlowRanks::standingOut() const { return static_cast<std::size_t>(std::ranges::count(ranks, true, &RankScore::stands_out)); }

SlowRanks rankBySlowness(const StepTable& table) {
  SlowRanks answer{.basis = table.basis, .steps = table.steps, .parts = table.parts, .ranks = {}, .stages = {}, .moved = movement(table)};
  std::map<std::int32_t, std::vector<std::size_t>> roles;
  for (std::size_t i = 0; i < table.ranks.size(); ++i) roles[table.ranks[i].role].push_back(i);
  for (const auto& [role, members] : roles) {
    std::vector<RankScore> scores = RoleRanking(table, members).rank();
    std::vector<double> own;
    for (RankScore& score : scores) {
      if (score.own_ns) own.push_back(*score.own_ns);
      answer.ranks.push_back(std::move(score));
    }
    if (const auto middle = medianOf(own)) answer.stages.push_back({role, static_cast<int>(own.size()), *middle});
  }
  std::ranges::sort(answer.ranks, [](const RankScore& a, const RankScore& b) {
    if (a.stands_out != b.stands_out) return a.stands_out;
    if (a.score.has_value() != b.score.has_value()) return a.score.has_value();
    if (a.score && *a.score != *b.score) return *a.score > *b.score;
    return a.rank < b.rank;
  });
  answer.status = statusOf(answer);
  return answer;
}

}  // namespace runglass
