// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/spell_costs.h"

#include <algorithm>

namespace runglass {
namespace {

// Times the excess over peers, at most: of one place, and of loads or pauses that add up over replicas and stages.
constexpr double kAmplified = 1.5, kAmplifiedByMany = 3;

StepStretch stretchOf(const Spell& spell) {
  return {spell.first_step, spell.open ? std::numeric_limits<std::int64_t>::max() : spell.last_step};
}

}  // namespace

SpellCosts::SpellCosts(const AttemptWatch& watch) : m_watch(watch) {
  const auto add = [&](const std::vector<Spell>& spells, Place place) {
    for (const Spell& one : spells) m_all.push_back({stretchOf(one), place, one.subject});
  };
  for (const WorkKind kind : {WorkKind::kCompute, WorkKind::kHost, WorkKind::kData}) add(watch.rankSpells(kind), Place::kRank);
  add(watch.stageSpells(), Place::kStage);
  add(watch.stageChanges(), Place::kStage);
  add(watch.runSpells(), Place::kRun);
  add(watch.linkSpells(), Place::kLink);
}

StepCost SpellCosts::costOf(const Spell& spell, double most_ns, double gain_ns, const std::function<bool(const Other&)>& is_own) const {
  const StepStretch own = stretchOf(spell);
  std::vector<StepStretch> others;
  for (const Other& one : m_all) {
    const bool overlaps = one.steps.first <= own.last && one.steps.last >= own.first;
    if (!overlaps || !is_own(one)) others.push_back(one.steps);
  }
  StepCost cost;
  const auto loss = m_watch.pace().lossOf(own, others);
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
  return costOf(spell, kAmplified * spell.excess(), spell.gain_ns / static_cast<double>(spell.steps), [&](const Other& one) {
    return std::ranges::any_of(ranks, [&](std::size_t rank) {
      return (one.place == Place::kRank && one.subject == rank) || (one.place == Place::kStage && roles.stage_of[rank] == one.subject);
    });
  });
}

StepCost SpellCosts::ofStage(const Spell& spell) const {
  const Roles& roles = m_watch.roles();
  return costOf(spell, kAmplified * spell.excess(), spell.gain_ns / static_cast<double>(spell.steps), [&](const Other& one) {
    return (one.place == Place::kStage && one.subject == spell.subject) ||
           (one.place == Place::kRank && roles.stage_of[one.subject] == spell.subject);
  });
}

StepCost SpellCosts::ofRun(const Spell& spell) const {
  return costOf(spell, kAmplified * spell.own_ns, spell.own_ns,
                [](const Other& one) { return one.place == Place::kRun || one.place == Place::kRank; });
}

StepCost SpellCosts::ofLink(const Spell& spell, double excess_ns) const {
  return costOf(spell, kAmplified * excess_ns, excess_ns, [](const Other& one) { return one.place == Place::kLink; });
}

StepCost SpellCosts::ofImbalance(const Imbalance& one) const {
  Spell spell{.first_step = one.first_step, .last_step = one.last_step, .start = {}, .end = {}};
  spell.open = one.holds;
  const double excess = one.cost * m_watch.pace().lengthOf(stretchOf(spell)).value_or(0);
  return costOf(spell, kAmplifiedByMany * excess, excess, [](const Other&) { return false; });
}

}  // namespace runglass
