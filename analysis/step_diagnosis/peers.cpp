// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/peers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// For the last rank in `ready`: its lead over the last one for which `isOther` holds, at most `excess`.
template <class IsOther>
float gainOver(const std::vector<float>& ready, std::size_t last, float excess, IsOther isOther) {
  float next = 0;
  for (std::size_t rank = 0; rank < ready.size(); ++rank)
    if (!std::isnan(ready[rank]) && isOther(rank)) next = std::max(next, ready[rank]);
  return std::clamp(excess, 0.0F, ready[last] - next);
}

std::optional<std::size_t> lastOf(const std::vector<float>& ready) {
  std::optional<std::size_t> last;
  for (std::size_t rank = 0; rank < ready.size(); ++rank)
    if (!std::isnan(ready[rank]) && (!last || ready[rank] > ready[*last])) last = rank;
  return last;
}

Deviation deviation(float own, float usual, float ratio_base) {
  Deviation out;
  if (std::isnan(own) || std::isnan(usual) || !(ratio_base > 0)) return out;
  out.compared = true;
  out.own_ns = own, out.usual_ns = usual;
  out.ratio = (own - usual) / ratio_base;
  out.above = isSlower(out.ratio, own - usual);
  return out;
}

}  // namespace

float medianOf(std::vector<float> values) { return median(std::move(values)).value_or(kNothing); }

std::vector<float> lostToHost(const StepFrame& frame) {
  std::vector<float> lost = frame.columns[static_cast<std::size_t>(StepColumn::kRunDelay)], queueing;
  for (std::size_t rank = 0; rank < lost.size(); ++rank)
    if (const float cpu = frame.at(StepColumn::kCpu, rank); cpu > 0 && !std::isnan(lost[rank])) queueing.push_back(lost[rank] / cpu);
  if (queueing.size() <= kMinPeers) return lost;
  const float usual = medianOf(std::move(queueing));
  for (std::size_t rank = 0; rank < lost.size(); ++rank)
    if (const float cpu = frame.at(StepColumn::kCpu, rank); cpu > 0) lost[rank] = std::max(0.0F, lost[rank] - usual * cpu);
  return lost;
}

std::vector<float> workOf(const StepFrame& frame, WorkKind kind, const std::vector<float>& without_cpu) {
  std::vector<float> work(frame.dur.size(), kNothing);
  const auto column = [&](StepColumn of) { return !frame.columns[static_cast<std::size_t>(of)].empty(); };
  const bool is_reported = kind == WorkKind::kCompute || (kind == WorkKind::kHost && (column(StepColumn::kHost) || !without_cpu.empty())) ||
                           (kind == WorkKind::kData && column(StepColumn::kData));
  for (std::size_t rank = 0; is_reported && rank < work.size(); ++rank) {
    const float computing = sumOf(frame, rank, {StepColumn::kForward, StepColumn::kBackward, StepColumn::kOptimizer, StepColumn::kOther});
    const float lost = without_cpu.empty() ? kNothing : without_cpu[rank], host = frame.at(StepColumn::kHost, rank);
    float own = computing;
    if (kind == WorkKind::kCompute && !std::isnan(lost) && !std::isnan(computing)) own = std::max(0.0F, computing - lost);
    if (kind == WorkKind::kHost) own = std::isnan(host) ? lost : std::isnan(lost) ? host : host + lost;
    if (kind == WorkKind::kData) own = frame.at(StepColumn::kData, rank);
    // A rank with recorded parts spent no time on parts that it did not record.
    work[rank] = std::isnan(own) && !std::isnan(computing) ? 0 : own;
  }
  return work;
}

Roles rolesOf(const std::vector<Rank>& ranks) {
  Roles roles;
  roles.stage_of.resize(ranks.size()), roles.replica_of.resize(ranks.size());
  for (const Rank& rank : ranks) roles.node_of.push_back(rank.node);
  const auto group = [&](auto coordinate, std::vector<std::int32_t>& names, std::vector<std::vector<std::size_t>>& members,
                         std::vector<std::size_t>& of) {
    std::map<std::int32_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < ranks.size(); ++i) groups[coordinate(ranks[i]).value_or(-1)].push_back(i);
    for (auto& [name, list] : groups) {
      for (const std::size_t i : list) of[i] = names.size();
      names.push_back(name);
      members.push_back(std::move(list));
    }
  };
  group([](const Rank& r) { return r.pp; }, roles.stages, roles.by_stage, roles.stage_of);
  group([](const Rank& r) { return r.dp; }, roles.replicas, roles.by_replica, roles.replica_of);
  return roles;
}

std::vector<Deviation> againstPeers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns) {
  std::vector<Deviation> out(work.size());
  std::vector<float> of_stage;
  for (const auto& members : roles.by_stage) {
    of_stage.clear();
    for (const std::size_t rank : members) of_stage.push_back(rank < work.size() ? work[rank] : kNothing);
    const auto usual = peerMedians<float>(of_stage);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i] < out.size())
        out[members[i]] = deviation(of_stage[i], usual[i], kind == WorkKind::kCompute ? usual[i] : static_cast<float>(step_ns));
  }
  return out;
}

std::vector<float> readyAfter(const StepFrame& frame) {
  std::vector<float> ready(frame.dur.size(), kNothing);
  for (std::size_t rank = 0; rank < ready.size(); ++rank)
    ready[rank] = sumOf(frame, rank,
                        {StepColumn::kForward, StepColumn::kBackward, StepColumn::kOptimizer, StepColumn::kOther, StepColumn::kData,
                         StepColumn::kHost, StepColumn::kGc});
  return ready;
}

void addGains(std::vector<Deviation>& deviations, const std::vector<float>& ready, const Roles& roles) {
  const auto last = lastOf(ready);
  if (!last || *last >= deviations.size() || *last >= roles.node_of.size() || !deviations[*last].compared) return;
  Deviation& out = deviations[*last];
  const float excess = out.own_ns - out.usual_ns;
  const auto isOtherOf = [&](const auto& of) { return [&](std::size_t rank) { return of[rank] != of[*last]; }; };
  out.gain_ns = gainOver(ready, *last, excess, [&](std::size_t rank) { return rank != *last; });
  out.node_gain_ns = gainOver(ready, *last, excess, isOtherOf(roles.node_of));
  out.replica_gain_ns = gainOver(ready, *last, excess, isOtherOf(roles.replica_of));
}

void addStageGains(std::vector<Deviation>& stages, const std::vector<float>& ready, const Roles& roles) {
  const auto last = lastOf(ready);
  if (!last || *last >= roles.stage_of.size()) return;
  const std::size_t stage = roles.stage_of[*last];
  if (stage >= stages.size() || !stages[stage].compared) return;
  stages[stage].gain_ns = gainOver(ready, *last, stages[stage].own_ns - stages[stage].usual_ns,
                                   [&](std::size_t rank) { return roles.stage_of[rank] != stage; });
}

void StepNoise::require(std::vector<Deviation>& deviations, const Roles& roles) {
  m_before.resize(std::max(m_before.size(), deviations.size()), kNothing);
  const double sigmas = outlierSigmasOfSteps(deviations.size());
  for (const auto& members : roles.by_stage) {
    std::vector<double> moved;
    for (const std::size_t rank : members) {
      if (rank >= deviations.size() || !deviations[rank].compared) continue;
      moved.push_back(std::fabs(deviations[rank].ratio - m_before[rank]));
      m_before[rank] = deviations[rank].ratio;
    }
    // The difference of two steps has twice the variance of one.
    const double limit = sigmas * kOfNormal / std::numbers::sqrt2 * median(std::move(moved)).value_or(0);
    for (const std::size_t rank : members)
      if (rank < deviations.size()) deviations[rank].above &= deviations[rank].ratio >= limit;
  }
}

std::vector<Deviation> stagesAgainstOthers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns) {
  std::vector<Deviation> out(roles.by_stage.size());
  if (roles.by_stage.size() < 2) return out;
  std::vector<float> pace;
  for (const auto& members : roles.by_stage) {
    std::vector<float> values;
    for (const std::size_t rank : members)
      if (rank < work.size() && !std::isnan(work[rank])) values.push_back(work[rank]);
    // The lower quartile: a stage is slow if most of its ranks are, not if one of its nodes is.
    const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
    if (!values.empty()) std::ranges::nth_element(values, quarter);
    pace.push_back(values.empty() ? kNothing : *quarter);
  }
  for (std::size_t i = 0; i < pace.size(); ++i) {
    std::vector<float> others = pace;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const float usual = medianOf(std::move(others));
    out[i] = deviation(pace[i], usual, kind == WorkKind::kCompute ? usual : static_cast<float>(step_ns));
  }
  return out;
}

}  // namespace runglass
