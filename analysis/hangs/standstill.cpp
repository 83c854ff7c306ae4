// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/standstill.h"

#include <algorithm>

#include "analysis/hangs/group_history.h"
#include "analysis/hangs/timeout_suspects.h"
#include "model/pair_group.h"

namespace runglass {
namespace {

constexpr DurNs kHistory = 120 * kNsPerSecond;  // of spans: long enough to see every communicator used
constexpr std::size_t kMaxReach = 64;           // ranks whose spans are read: suspects are few

bool isSuspectByStack(const Wavefront& front) {
  return front.culprits.empty() && (front.groups.empty() || front.groups.front().reason != HangReason::kMismatched);
}

// Culprits without a dump. If there are many, dumps are missing, not ranks.
bool dumpsAreMissing(const std::vector<WavefrontRank>& ranks, const std::vector<HangMember>& culprits) {
  const auto dumped = std::ranges::count_if(ranks, [](const WavefrontRank& rank) { return rank.progress || !rank.reach.empty(); });
  return std::ranges::count(culprits, HangStanding::kSilent, &HangMember::standing) * 3 > dumped;
}

std::string whyUnclear(const Wavefront& front, const std::vector<WavefrontRank>& ranks) {
  const auto reporting = std::ranges::count_if(ranks, [](const WavefrontRank& rank) { return rank.progress || !rank.reach.empty(); });
  if (reporting == 1) return "one_rank";
  if (front.groups.empty()) return "no_wait";
  const HangGroup& root = front.groups.front();
  if (root.id == 0) return "no_group";
  if (root.reason == HangReason::kMismatched) return "no_majority";
  if (root.reason == HangReason::kStuck) return "all_inside";
  if (root.members <= root.inside && root.missing_count == 0) return "no_members";
  return "no_progress";
}

// All members are inside the root: whether one passes another size than most.
Status compareSizes(Reader& reader, AttemptId attempt, std::stop_token stop, Wavefront& front) {
  if (front.groups.empty() || front.groups.front().reason != HangReason::kStuck) return {};
  HangGroup& root = front.groups.front();
  if (!root.seq || !needsEqualSizes(root.op)) return {};
  RG_ASSIGN(const auto sizes, sizesOf(reader, attempt, root.id, *root.seq, stop));
  std::map<std::int64_t, std::size_t> counts;
  for (const auto& [rank, bytes] : sizes) ++counts[bytes];
  const auto usual = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  if (counts.size() < 2 || usual->second * 2 <= sizes.size()) return {};
  root.reason = HangReason::kMismatched;
  root.size = usual->first, root.size_unit = "bytes";
  for (const auto& [rank, bytes] : sizes) {
    if (bytes == usual->first) continue;
    if (!root.other_size) root.other_size = bytes;
    HangMember odd{.rank = rank, .standing = HangStanding::kMismatched, .op = root.op, .group = root.id, .seq = root.seq};
    root.missing.push_back(odd);
    front.culprits.push_back(std::move(odd));
  }
  root.missing_count = static_cast<std::int64_t>(root.missing.size());
  return {};
}

}  // namespace

Result<std::vector<WavefrontRank>> Standstill::standing(Reader& reader, const StandstillFacts& facts) const {
  constexpr DurNs kSilentAfter = 30 * kNsPerSecond;  // relative to the newest report of the others
  RG_ASSIGN(const auto ranks, reader.ranks(facts.attempt));
  RG_ASSIGN(const auto nodes, reader.nodes());
  RG_ASSIGN(const auto said, reader.facts(facts.attempt));
  std::map<NodeId, const Node*> node_of;
  for (const Node& node : nodes) node_of[node.id] = &node;
  std::map<std::int32_t, WavefrontRank> known;
  for (const Rank& rank : ranks) {
    WavefrontRank& to = known[rank.rank];
    to.rank = rank.rank, to.silent = true;
    const auto node = node_of.find(rank.node);
    if (node != node_of.end()) to.node = node->second->name;
  }
  for (const Progress& p : facts.progress) {
    WavefrontRank& to = known[p.rank];
    to.rank = p.rank, to.progress = p;
    to.silent = facts.newest - p.time > kSilentAfter;
  }
  for (auto& [rank, reach] : reachOfDumps(said, facts.dump))
    if (const auto at = known.find(rank); at != known.end()) at->second.reach = std::move(reach);
  std::vector<WavefrontRank> out;
  for (auto& [number, rank] : known) out.push_back(std::move(rank));
  return out;
}

// Groups that sources list; for unlisted ones, the members whose spans name them.
Result<std::vector<CommGroup>> Standstill::groupsOf(Reader& reader, const StandstillFacts& facts, std::stop_token stop) {
  RG_ASSIGN(auto groups, reader.groups(facts.attempt));
  std::set<std::int64_t> unknown;
  for (const Progress& p : facts.progress)
    if (p.group && !pairOf(*p.group)) unknown.insert(*p.group);
  for (const CommGroup& group : groups)
    if (!group.ranks.empty()) unknown.erase(group.id);
  if (unknown.empty()) return groups;
  if (m_learned_at != std::pair(facts.attempt, facts.moved)) {
    RG_ASSIGN(const auto ranks, reader.ranks(facts.attempt));
    RG_ASSIGN(m_learned, learnGroups(reader, facts.attempt, ranks, unknown, {facts.moved - kHistory, facts.moved + 1}, stop));
    m_learned_at = {facts.attempt, facts.moved};
  }
  groups.insert(groups.end(), m_learned.begin(), m_learned.end());
  return groups;
}

Result<bool> Standstill::addReach(Reader& reader, const StandstillFacts& facts, const Wavefront& front, std::stop_token stop,
                                  std::vector<WavefrontRank>& ranks) {
  if (m_reach_at != std::pair(facts.attempt, facts.moved)) {
    m_reach_at = {facts.attempt, facts.moved};
    m_reach.clear(), m_reach_read.clear();
  }
  std::set<std::int32_t> wanted;
  for (const HangGroup& group : front.groups)
    for (const HangMember& member : group.missing)
      if (m_reach_read.size() + wanted.size() < kMaxReach && !m_reach_read.contains(member.rank)) wanted.insert(member.rank);
  if (!wanted.empty()) {
    // A dump has few operations, and no progress follows them.
    const TimeRange range = facts.dump ? TimeRange{} : TimeRange{facts.moved - kHistory, facts.moved + 1};
    RG_TRY(addReachOfSpans(reader, facts.attempt, wanted, range, stop, m_reach));
    m_reach_read.merge(wanted);
  }
  bool added = false;
  for (WavefrontRank& rank : ranks) {
    const auto at = m_reach.find(rank.rank);
    if (at == m_reach.end()) continue;
    for (const GroupReach& reach : at->second) {
      const auto known_group = std::ranges::find(rank.reach, reach.group, &GroupReach::group);
      if (known_group == rank.reach.end())
        rank.reach.push_back(reach);
      else
        known_group->completed = std::max(known_group->completed, reach.completed);  // absent is before any number
    }
    added = true;
  }
  return added;
}

Status Standstill::look(Reader& reader, const StandstillFacts& facts, std::stop_token stop, HangEvidence& evidence) {
  RG_ASSIGN(auto ranks, standing(reader, facts));
  RG_ASSIGN(const auto groups, groupsOf(reader, facts, stop));
  RG_ASSIGN(const CaptureEvidence* captured, m_captures.look(reader, facts.run, facts.attempt, facts.moved));
  for (WavefrontRank& rank : ranks)
    if (const auto state = captured->states.find(rank.rank); state != captured->states.end()) rank.process_state = state->second;
  Wavefront front = findWavefront(ranks, groups);
  RG_ASSIGN(const bool more, addReach(reader, facts, front, stop, ranks));
  if (more) front = findWavefront(ranks, groups);
  if (facts.dump) RG_TRY(compareSizes(reader, facts.attempt, stop, front));
  const StackClusters& stacks = captured->stacks;
  if (isSuspectByStack(front))
    for (const std::int32_t suspect : stacks.suspects) {
      const auto at = std::ranges::find(ranks, suspect, &WavefrontRank::rank);
      HangMember member{.rank = suspect, .standing = HangStanding::kOutlier};
      if (at != ranks.end()) member.node = at->node;
      front.culprits.push_back(std::move(member));
    }
  if (facts.dump && dumpsAreMissing(ranks, front.culprits)) {
    std::erase_if(front.culprits, [](const HangMember& one) { return one.standing == HangStanding::kSilent; });
    if (front.culprits.empty()) evidence.unclear = "no_dumps";
  }
  for (HangMember& culprit : front.culprits)
    if (const auto frame = stacks.other.find(culprit.rank); frame != stacks.other.end()) culprit.frame = frame->second;
  if (front.culprits.empty() && evidence.unclear.empty()) evidence.unclear = whyUnclear(front, ranks);
  if (stacks.stacks > 0) {
    evidence.stacks = stacks.stacks, evidence.common_frame = stacks.common;
    evidence.common_stacks = static_cast<std::int64_t>(stacks.largest.size());
  }
  evidence.reporting = std::ranges::count_if(ranks, [](const WavefrontRank& rank) { return rank.progress || !rank.reach.empty(); });
  evidence.world = std::max(evidence.world, static_cast<std::int64_t>(ranks.size()));
  evidence.blocked = static_cast<std::int64_t>(front.blocked.size());
  evidence.silent = std::ranges::count(ranks, true, &WavefrontRank::silent);
  evidence.culprit_count = static_cast<std::int64_t>(front.culprits.size());
  evidence.group_count = static_cast<std::int64_t>(front.groups.size());
  evidence.culprits = std::move(front.culprits), evidence.groups = std::move(front.groups);
  if (evidence.culprits.size() > kMaxListed) evidence.culprits.resize(kMaxListed);
  if (evidence.groups.size() > kMaxListed) evidence.groups.resize(kMaxListed);
  return {};
}

}  // namespace runglass
