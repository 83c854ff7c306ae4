// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/spell_costs.h"

#include <algorithm>

namespace runglass {
namespace {

// Maximum cost as a multiple of the excess over peers: for one place, and for loads or pauses that add up over replicas and stages.
constexpr double kAmplified = 1.5, kAmplifiedByMany = 3;

StepStretch stretchOf(const Spell& spell) {
  return {spell.first_step, spell.open ? std::numeric_limits<std::int64_t>::max() : spell.last_step};
}

bool goesOn(StepStretch steps) { return steps.last == std::numeric_limits<std::int64_t>::max(); }

}  // namespace

SpellCosts::SpellCosts(const AttemptWatch& watch, CostMemory& memory) : m_watch(watch), m_memory(memory) {
  const auto add = [&](const std::vector<Spell>& spells, Place place) {
    for (const Spell& one : spells) m_all.push_back({stretchOf(one), place, one.subject});
  };
  // Spells of stages relative to each other are left out: they end when another stage becomes as slow, and no step becomes faster then.
  for (const WorkKind kind : {WorkKind::kCompute, WorkKind::kHost, WorkKind::kData})
    add(watch.rankSpells(kind), Place::kRank), add(watch.stageChanges(kind), Place::kStage);
  add(watch.runSpells(), Place::kRun);
  add(watch.linkSpells(), Place::kLink);
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    m_edges.emplace_back(m_all[i].steps.first, i);
    if (!goesOn(m_all[i].steps)) m_edges.emplace_back(m_all[i].steps.last, i);
  }
  std::ranges::sort(m_edges);
}

std::optional<StepPace::Loss> SpellCosts::lossAt(StepPace::Edge edge, StepStretch own, const IsOwn& is_own) const {
  const std::int64_t at = edge == StepPace::Edge::kBegin ? own.first : own.last;
  // Unsteady steps are between the compared ones: an edge of another spell a little farther away may matter.
  constexpr std::int64_t kReach = 2 * StepPace::kBeside;
  const auto before = [](const auto& one, std::int64_t step) { return one.first < step; };
  const auto first = std::lower_bound(m_edges.begin(), m_edges.end(), at - kReach, before);
  std::vector<std::size_t> near;
  for (auto one = first; one != m_edges.end() && one->first <= at + kReach; ++one) near.push_back(one->second);
  std::ranges::sort(near);
  near.erase(std::ranges::unique(near).begin(), near.end());
  std::vector<StepStretch> others;
  for (const std::size_t index : near) {
    const Other& one = m_all[index];
    const bool overlaps = one.steps.first <= own.last && one.steps.last >= own.first;
    if (!overlaps || !is_own(one)) others.push_back(one.steps);
  }
  return m_watch.pace().lossAt(edge, own, others);
}

std::optional<StepPace::Loss> SpellCosts::lossAtBegin(const Own& who, const Spell& spell, const IsOwn& is_own) const {
  const auto known = m_memory.begins.find({who, spell.first_step});
  if (known != m_memory.begins.end()) return known->second;
  const auto loss = lossAt(StepPace::Edge::kBegin, stretchOf(spell), is_own);
  if (spell.open && m_watch.pace().stepsAfter(spell.first_step) >= StepPace::kSettled)
    m_memory.begins.emplace(std::pair(who, spell.first_step), loss);
  return loss;
}

StepCost SpellCosts::costOf(const Own& who, const Spell& spell, double most_ns, double gain_ns, const IsOwn& is_own) const {
  const StepStretch own = stretchOf(spell);
  StepCost cost;
  const auto end = goesOn(own) ? std::nullopt : lossAt(StepPace::Edge::kEnd, own, is_own);
  const auto loss = StepPace::meanOf(lossAtBegin(who, spell, is_own), end);
  cost.step_ns = loss ? loss->during_ns : m_watch.pace().lengthOf(own).value_or(m_watch.stepTime());
  cost.measured = loss && !loss->shared;
  double ns = gain_ns;
  if (cost.measured) ns = std::min(loss->excess(), most_ns);
  if (loss && loss->shared) ns = std::min(loss->excess(), gain_ns);
  if (!(cost.step_ns > 0)) return cost;
  cost.ratio = std::clamp(ns / cost.step_ns, 0.0, 1.0);
  cost.together = loss && loss->shared ? std::clamp(std::min(loss->excess(), most_ns) / cost.step_ns, cost.ratio, 1.0) : cost.ratio;
  return cost;
}

StepCost SpellCosts::ofRanks(const Spell& spell, std::span<const std::size_t> ranks) const {
  const Roles& roles = m_watch.roles();
  const Own who{Place::kRank, ranks.front(), ranks.size()};
  return costOf(who, spell, kAmplified * spell.excess(), spell.gain_ns / static_cast<double>(spell.steps), [&](const Other& one) {
    return std::ranges::any_of(ranks, [&](std::size_t rank) {
      return (one.place == Place::kRank && one.subject == rank) || (one.place == Place::kStage && roles.stage_of[rank] == one.subject);
    });
  });
}

StepCost SpellCosts::ofStage(const Spell& spell) const {
  const Roles& roles = m_watch.roles();
  const Own who{Place::kStage, spell.subject};
  return costOf(who, spell, kAmplified * spell.excess(), spell.gain_ns / static_cast<double>(spell.steps), [&](const Other& one) {
    return (one.place == Place::kStage && one.subject == spell.subject) ||
           (one.place == Place::kRank && roles.stage_of[one.subject] == spell.subject);
  });
}

StepCost SpellCosts::ofRun(const Spell& spell) const {
  return costOf({Place::kRun, spell.subject}, spell, kAmplifiedByMany * spell.own_ns, spell.own_ns,
                [](const Other& one) { return one.place == Place::kRun || one.place == Place::kRank; });
}

StepCost SpellCosts::ofLink(const Spell& spell, double excess_ns) const {
  return costOf({Place::kLink, spell.subject}, spell, kAmplified * excess_ns, excess_ns,
                [](const Other& one) { return one.place == Place::kLink; });
}

StepCost SpellCosts::ofImbalance(const Imbalance& one) const {
  Spell spell{.first_step = one.first_step, .last_step = one.last_step, .start = {}, .end = {}};
  spell.open = one.holds;
  const double excess = one.cost * m_watch.pace().lengthOf(stretchOf(spell)).value_or(0);
  return costOf({Place::kLoad}, spell, kAmplifiedByMany * excess, excess, [](const Other&) { return false; });
}

}  // namespace runglass
