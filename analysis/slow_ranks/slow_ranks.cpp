// SPDX-License-Identifier: Apache-2.0
// Invariant: a missing comparison is an absent score and a NaN ratio.
#include "analysis/slow_ranks/slow_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr double kAbsentValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kStepsToSeeMovement = 20;
// Minimum shares and numbers of steps for a confidence.
constexpr double kHighCoverage = 0.8, kMediumCoverage = 0.5;
constexpr std::size_t kHighSteps = 50, kMediumSteps = 10;

std::optional<double> known(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

// The ranks of one role; `members` are indices into table.ranks, in order.
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
    score.own_ns = median(rank.value_ns);
    return score;
  }

  void compareStep(std::size_t step) {
    const auto own = valuesOf([&](const RankSteps& rank) { return rank.value_ns[step]; });
    const int peers = static_cast<int>(std::ranges::count_if(own, [](double v) { return std::isfinite(v); })) - 1;
    const auto usual = peerMedians<double>(own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!std::isfinite(own[i])) continue;
      RankScore& score = m_scores[i];
      score.peers = std::max(score.peers, peers);
      if (!(usual[i] > 0)) continue;
      score.ratio[step] = static_cast<float>(own[i] / usual[i] - 1);
      m_excess[i].push_back(own[i] - usual[i]);
    }
  }

  void comparePart(std::size_t part) {
    const auto at = [part](const std::vector<std::optional<double>>& parts) {
      return part < parts.size() ? parts[part].value_or(kAbsentValue) : kAbsentValue;
    };
    const auto own = valuesOf([&](const RankSteps& rank) { return at(rank.part_ns); });
    const auto wait = valuesOf([&](const RankSteps& rank) { return at(rank.wait_ns); });
    const auto usual = peerMedians<double>(own), usual_wait = peerMedians<double>(wait);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (std::isfinite(usual[i]))
        m_scores[i].parts.push_back(
            {.part = part, .own_ns = own[i], .peers_ns = usual[i], .own_wait_ns = known(wait[i]), .peers_wait_ns = known(usual_wait[i])});
  }

  template <class ValueOf>
  std::vector<double> valuesOf(ValueOf value_of) const {
    std::vector<double> values;
    for (const std::size_t member : m_members) values.push_back(value_of(m_table.ranks[member]));
    return values;
  }

  void score(std::size_t i) {
    RankScore& score = m_scores[i];
    for (std::size_t step = 0; step < score.ratio.size(); ++step)
      if (const float ratio = score.ratio[step]; !std::isnan(ratio) && (!score.worst || ratio > score.ratio[*score.worst]))
        score.worst = step;
    if (m_excess[i].size() < kMinSteps) return;
    scoreFrom(i, 0);
    // Whole steps hardly differ between ranks that wait for each other, so that they never give more than low confidence.
    if (m_table.basis == SlownessBasis::kWork) {
      if (score.coverage >= kHighCoverage && score.compared >= kHighSteps)
        score.confidence = Confidence::kHigh;
      else if (score.coverage >= kMediumCoverage && score.compared >= kMediumSteps)
        score.confidence = Confidence::kMedium;
    }
  }

  void scoreFrom(std::size_t i, std::size_t begin) {
    RankScore& score = m_scores[i];
    std::vector<double> ratios;
    std::size_t above = 0;
    for (std::size_t step = begin; step < score.ratio.size(); ++step) {
      if (std::isnan(score.ratio[step])) continue;
      ratios.push_back(score.ratio[step]);
      above += isSlower(score.ratio[step]) ? 1 : 0;
    }
    score.compared = ratios.size();
    const auto excess = std::span(m_excess[i]).last(score.compared);
    score.persistence = static_cast<double>(above) / static_cast<double>(score.compared);
    score.score = median(std::move(ratios));
    score.excess_ns = median(std::vector<double>(excess.begin(), excess.end()));
  }

  void judge() {
    std::vector<double> scores, deviations;
    for (const RankScore& score : m_scores)
      if (score.score) scores.push_back(*score.score);
    const auto middle = median(scores);
    for (const double score : scores) deviations.push_back(std::fabs(score - *middle));
    const auto spread = median(deviations);
    const double sigma = robustSigma(scores);
    for (std::size_t i = 0; i < m_scores.size(); ++i) {
      RankScore& score = m_scores[i];
      std::ranges::stable_sort(score.parts, [](const PartScore& a, const PartScore& b) { return a.excess() > b.excess(); });
      if (!score.score) continue;
      score.spread = spread;
      const double least = std::max(kSlowerThanPeers, outlierSigmas(m_table.ranks.size()) * sigma);
      score.stands_out = *score.score > least && *score.persistence > kPersistent;
      if (score.stands_out)
        findOnset(score);
      else
        judgeSinceOnset(i, static_cast<float>(least));
      if (score.stands_out && !isSlower(*score.score, *score.excess_ns))
        score.stands_out = score.since_before = false, score.since_step.reset();
    }
  }

  // A rank that became slow late was normal most of the time: it is judged by the steps since then, if they are many and nearly all slow.
  void judgeSinceOnset(std::size_t i, float least) {
    RankScore& score = m_scores[i];
    std::size_t compared = 0, slow = 0;
    std::optional<std::size_t> onset;
    for (std::size_t step = score.ratio.size(); step-- > 0;) {
      if (std::isnan(score.ratio[step])) continue;
      ++compared;
      slow += score.ratio[step] > least ? 1 : 0;
      if (static_cast<double>(slow) < kPersistentLate * static_cast<double>(compared)) {
        if (compared > kLateSteps) break;
        continue;
      }
      if (compared >= kLateSteps && score.ratio[step] > least) onset = step;
    }
    if (!onset) return;
    scoreFrom(i, *onset);
    const auto& own = m_table.ranks[m_members[i]].value_ns;
    score.own_ns = median(std::vector<double>(own.begin() + static_cast<std::ptrdiff_t>(*onset), own.end()));
    if (score.confidence == Confidence::kHigh && score.compared < kHighSteps) score.confidence = Confidence::kMedium;
    score.stands_out = true;
    score.since_step = m_table.steps[*onset];
  }

  // The start of the interval up to the newest step with the largest surplus of steps above the peers over other steps.
  void findOnset(RankScore& score) const {
    int sum = 0, best = 0;
    std::size_t onset = score.ratio.size();
    for (std::size_t step = score.ratio.size(); step-- > 0;) {
      if (std::isnan(score.ratio[step])) continue;
      sum += isSlower(score.ratio[step]) ? 1 : -1;
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

// Over all ranks, so that a slowdown of all ranks is measured too.
std::optional<double> movement(const StepTable& table) {
  if (table.steps.size() < kStepsToSeeMovement) return std::nullopt;
  std::vector<double> halves[2], values;
  for (std::size_t step = 0; step < table.steps.size(); ++step) {
    values.clear();
    for (const RankSteps& rank : table.ranks) values.push_back(rank.value_ns[step]);
    if (const auto middle = median(values)) halves[step * 2 / table.steps.size()].push_back(*middle);
  }
  const auto older = median(halves[0]), newer = median(halves[1]);
  if (!older || !newer || !(*older > 0)) return std::nullopt;
  return *newer / *older - 1;
}

void compareStages(std::vector<StageWork>& stages) {
  std::vector<double> medians;
  for (const StageWork& stage : stages) medians.push_back(stage.role == kNoRole ? kAbsentValue : stage.median_ns);
  const auto others = peerMedians<double>(medians, 1);
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (others[i] > 0) stages[i].longer = stages[i].median_ns / others[i] - 1;
}

SlowRanksStatus statusOf(const SlowRanks& answer) {
  if (answer.steps.empty()) return SlowRanksStatus::kNoSteps;
  int peers = 0;
  for (const RankScore& rank : answer.ranks) {
    if (rank.score) return SlowRanksStatus::kRanked;
    peers = std::max(peers, rank.peers);
  }
  return peers < static_cast<int>(kMinPeers) ? SlowRanksStatus::kTooFewPeers : SlowRanksStatus::kTooFewSteps;
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
    if (const auto middle = median(own)) answer.stages.push_back({role, static_cast<int>(own.size()), *middle, {}});
  }
  compareStages(answer.stages);
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
