// SPDX-License-Identifier: Apache-2.0
// Invariant: every published spell is in exactly one Blame.
#include "analysis/step_diagnosis/blame.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

Spell merged(const std::vector<Spell>& spells) {
  Spell all = spells.front();
  std::vector<double> own, usual;
  all.gain_ns = all.node_gain_ns = all.replica_gain_ns = 0;
  for (const Spell& one : spells) {
    // The start identifies the finding: spells that are noticed later do not change it, even if they began earlier.
    if (std::tie(one.noticed_step, one.first_step) < std::tie(all.noticed_step, all.first_step))
      all.noticed_step = one.noticed_step, all.first_step = one.first_step, all.start = one.start;
    all.last_step = std::max(all.last_step, one.last_step);
    if (all.end && one.end) all.end = std::max(*all.end, *one.end);
    if (one.open) all.open = true, all.end.reset();
    all.since_before |= one.since_before;
    all.steps = std::max(all.steps, one.steps), all.above = std::max(all.above, one.above);
    all.node_gain_ns += one.node_gain_ns, all.replica_gain_ns += one.replica_gain_ns;
    own.push_back(one.own_ns), usual.push_back(one.usual_ns);
  }
  all.own_ns = median(own).value(), all.usual_ns = median(usual).value();
  return all;
}

struct Parties {
  std::map<NodeId, std::size_t> ranks_of_node;
  std::map<std::int32_t, std::size_t> ranks_of_replica;
  std::map<std::int32_t, std::set<NodeId>> nodes_of_replica;
};

// Removes from `spells`, which are sorted by start, those that begin together with the first, at most one per rank. O(spells that begin
// together).
std::vector<Spell> takeTogether(std::deque<Spell>& spells) {
  std::vector<Spell> together, rest;
  std::set<std::size_t> subjects;
  const std::int64_t last = spells.front().first_step + kTogether;
  for (; !spells.empty() && spells.front().first_step <= last; spells.pop_front())
    (subjects.insert(spells.front().subject).second ? together : rest).push_back(spells.front());
  spells.insert(spells.begin(), rest.begin(), rest.end());
  return together;
}

bool within(const Spell& spell, const Blame& blame) {
  return spell.first_step >= blame.spell.first_step && (blame.spell.open || (!spell.open && spell.last_step <= blame.spell.last_step));
}

}  // namespace

std::vector<Blame> blameOf(std::vector<Spell> spells, const std::vector<Rank>& ranks) {
  std::erase_if(spells, [&](const Spell& one) { return (one.open && one.steps_open < kHoldBack) || one.subject >= ranks.size(); });
  std::ranges::stable_sort(spells, {}, &Spell::first_step);
  Parties parties;
  for (const Rank& rank : ranks) {
    if (rank.node) ++parties.ranks_of_node[rank.node];
    if (rank.dp) ++parties.ranks_of_replica[*rank.dp], parties.nodes_of_replica[*rank.dp].insert(rank.node);
  }
  std::vector<Blame> out;
  const auto gather = [&](auto key_of, auto size_of, Blame::Who who) {
    std::map<decltype(key_of(ranks.front())), std::deque<Spell>> by_key;
    for (const Spell& one : spells) by_key[key_of(ranks[one.subject])].push_back(one);
    spells.clear();
    for (auto& [key, list] : by_key) {
      const std::size_t size = size_of(key);
      while (!list.empty()) {
        const auto together = takeTogether(list);
        if (size < 2 || static_cast<double>(together.size()) < kMaxRanks * static_cast<double>(size)) {
          spells.insert(spells.end(), together.begin(), together.end());
          continue;
        }
        Blame blame{.who = who, .ranks = {}, .node = {}, .stage = {}, .replica = {}, .spell = merged(together)};
        for (const Spell& one : together) blame.ranks.push_back(one.subject);
        std::ranges::sort(blame.ranks);
        const Rank& first = ranks[blame.ranks.front()];
        if (who == Blame::Who::kNode) blame.node = first.node, blame.spell.gain_ns = blame.spell.node_gain_ns;
        if (who == Blame::Who::kReplica) blame.replica = first.dp, blame.spell.gain_ns = blame.spell.replica_gain_ns;
        out.push_back(std::move(blame));
      }
    }
    std::ranges::stable_sort(spells, {}, &Spell::first_step);
  };
  if (!spells.empty()) {
    // A replica that spans several nodes and is slow on all of them has its own cause; in a smaller one the cause is the nodes'.
    gather([](const Rank& rank) { return rank.dp.value_or(-1); },
           [&](std::int32_t dp) { return dp >= 0 && parties.nodes_of_replica[dp].size() > 1 ? parties.ranks_of_replica[dp] : 0; },
           Blame::Who::kReplica);
  }
  if (!spells.empty()) {
    const bool several = parties.ranks_of_node.size() > 1;
    gather([](const Rank& rank) { return rank.node; }, [&](NodeId node) { return node && several ? parties.ranks_of_node[node] : 0; },
           Blame::Who::kNode);
  }
  std::vector<std::vector<std::size_t>> of_node(ranks.size());  // by rank: blames of its node
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].who == Blame::Who::kNode)
      for (const std::size_t rank : out[i].ranks) of_node[rank].push_back(i);
  for (const Spell& one : spells) {
    const Rank& rank = ranks[one.subject];
    // A spell of a rank during a spell of its node is part of the latter.
    if (std::ranges::any_of(of_node[one.subject], [&](std::size_t i) { return within(one, out[i]); })) continue;
    out.push_back(
        {.who = Blame::Who::kRank, .ranks = {one.subject}, .node = rank.node, .stage = rank.pp, .replica = rank.dp, .spell = one});
  }
  return out;
}

}  // namespace runglass
