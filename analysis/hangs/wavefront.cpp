// SPDX-License-Identifier: Apache-2.0
// Invariant: a rank is inside at most one communicator, the one that its newest progress names.
#include "analysis/hangs/wavefront.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

namespace runglass {
namespace {

struct Meeting {
  const CommGroup* group = nullptr;
  std::int64_t seq = 0;              // the newest that anybody is at
  std::vector<std::size_t> at, lag;  // indices of ranks: at it, at an earlier one
};

// "nccl:send 1->2", "nccl:recv 3<-0": the other end, as a position in the communicator.
std::optional<std::size_t> otherEnd(std::string_view op) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t found = op.find(arrow);
    if (found == std::string_view::npos) continue;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(op.data() + found + arrow.size(), op.data() + op.size(), value);
    if (error == std::errc()) return value;
  }
  return std::nullopt;
}
bool isPairwise(std::string_view op) {
  return std::ranges::any_of(std::array{"send", "recv", "receive"},
                             [&](const char* word) { return op.find(word) != std::string_view::npos; });
}

class Finder {
 public:
  Finder(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups) : m_ranks(ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) m_index[ranks[i].rank] = i;
    for (const CommGroup& group : groups) m_groups[group.id] = &group;
  }

  Wavefront find() {
    gather();
    Wavefront out;
    for (const auto& [id, meeting] : m_meetings) {
      out.groups.push_back(describe(id, meeting));
      for (const std::size_t i : meeting.at) out.blocked.push_back(m_ranks[i].rank);
    }
    std::erase_if(out.groups, [](const HangGroup& group) { return group.inside == 0; });
    layer(out.groups);
    std::ranges::sort(out.blocked);
    for (auto& [rank, member] : m_culprits) out.culprits.push_back(std::move(member));
    return out;
  }

 private:
  void gather() {
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
      const auto& p = m_ranks[i].progress;
      if (m_ranks[i].silent || !p || !p->seq) continue;
      const std::int64_t id = p->group.value_or(0);
      const auto [at, added] = m_meetings.try_emplace(id);
      Meeting& meeting = at->second;
      if (added) {
        const auto known = m_groups.find(id);
        meeting.group = known != m_groups.end() ? known->second : nullptr;
        meeting.seq = *p->seq;
      } else if (isPairwise(p->op)) {
        // Each pair counts for itself: a lower number is no lag.
        meeting.seq = std::max(meeting.seq, *p->seq);
        meeting.at.push_back(i);
        continue;
      } else if (*p->seq > meeting.seq) {
        meeting.lag.insert(meeting.lag.end(), meeting.at.begin(), meeting.at.end());
        meeting.at.clear();
        meeting.seq = *p->seq;
      }
      (*p->seq == meeting.seq ? meeting.at : meeting.lag).push_back(i);
    }
    for (const auto& [id, meeting] : m_meetings)
      for (const std::size_t i : meeting.at) m_inside[i] = id;
  }

  HangMember member(std::size_t i, HangStanding standing) const {
    const WavefrontRank& rank = m_ranks[i];
    HangMember out{.rank = rank.rank, .node = rank.node, .standing = standing, .op = {}, .group = {}, .seq = {}, .since = {}};
    if (!rank.progress) return out;
    out.op = rank.progress->op, out.group = rank.progress->group, out.seq = rank.progress->seq, out.since = rank.progress->since;
    return out;
  }

  // Members that are not where the newest are, with what they do instead.
  std::vector<HangMember> missingOf(std::int64_t id, const Meeting& meeting) const {
    std::vector<HangMember> missing;
    std::set<std::size_t> seen(meeting.at.begin(), meeting.at.end());
    for (const std::size_t i : meeting.lag)
      if (seen.insert(i).second) missing.push_back(member(i, HangStanding::kBehind));
    const auto consider = [&](std::int32_t rank) {
      const auto known = m_index.find(rank);
      if (known == m_index.end()) {
        // A member that never said anything at all.
        missing.push_back({.rank = rank, .node = {}, .standing = HangStanding::kSilent, .op = {}, .group = {}, .seq = {}, .since = {}});
        return;
      }
      const std::size_t i = known->second;
      if (!seen.insert(i).second) return;
      if (m_ranks[i].silent) return missing.push_back(member(i, HangStanding::kSilent));
      if (!m_ranks[i].progress) return;  // nothing is known of it
      const auto elsewhere = m_inside.find(i);
      const bool waits = elsewhere != m_inside.end() && elsewhere->second != id;
      missing.push_back(member(i, waits ? HangStanding::kWaiting : HangStanding::kComputing));
    };
    if (meeting.group == nullptr || meeting.group->ranks.empty()) return missing;
    const auto& members = meeting.group->ranks;
    for (const std::size_t i : meeting.at)
      if (!isPairwise(m_ranks[i].progress->op) || members.size() == 2) {
        for (const std::int32_t rank : members) consider(rank);
        return missing;
      }
    for (const std::size_t i : meeting.at)
      if (const auto peer = otherEnd(m_ranks[i].progress->op); peer && *peer < members.size()) consider(members[*peer]);
    return missing;
  }

  // Of many pairs the one whose other end is what is missing.
  void nameThePair(const Meeting& meeting, const std::vector<HangMember>& missing, HangGroup& out) const {
    const auto& members = meeting.group->ranks;
    for (const std::size_t i : meeting.at) {
      const Progress& p = *m_ranks[i].progress;
      const auto peer = otherEnd(p.op);
      if (!peer || *peer >= members.size()) continue;
      const auto at = std::ranges::find(missing, members[*peer], &HangMember::rank);
      if (at == missing.end()) continue;
      out.op = p.op, out.seq = p.seq;
      return;
    }
  }

  HangGroup describe(std::int64_t id, const Meeting& meeting) {
    HangGroup out;
    out.id = id;
    out.inside = static_cast<std::int64_t>(meeting.at.size());
    out.members = out.inside + static_cast<std::int64_t>(meeting.lag.size());
    out.seq = meeting.seq;
    if (meeting.group != nullptr) {
      out.kind = meeting.group->kind, out.name = meeting.group->name;
      out.members = std::max(out.members, static_cast<std::int64_t>(meeting.group->ranks.size()));
    }
    bool pairwise = false;
    for (const std::size_t i : meeting.at) {
      const Progress& p = *m_ranks[i].progress;
      pairwise |= isPairwise(p.op);
      if (p.since && (!out.since || *p.since < *out.since)) out.since = p.since;
      if (out.op.empty()) out.op = p.op;
      if (p.op != out.op && !p.op.empty() && !pairwise) out.other_op = p.op;
    }
    std::vector<HangMember> missing = missingOf(id, meeting);
    if (pairwise && meeting.group != nullptr) nameThePair(meeting, missing, out);
    std::set<std::int64_t> blocked_by;
    bool root = missing.empty();
    for (const HangMember& one : missing) {
      if (one.standing == HangStanding::kWaiting)
        blocked_by.insert(one.group.value_or(0));
      else
        root = true;
    }
    if (!out.other_op.empty()) out.reason = HangReason::kMismatched, root = true;
    // A pair of a larger communicator and one whose members are not known cannot be called whole.
    else if (missing.empty() && !pairwise && out.inside == out.members && meeting.group != nullptr)
      out.reason = HangReason::kStuck;
    else if (missing.empty())
      root = false;
    out.depth = root ? 0 : -1;
    out.missing_count = static_cast<std::int64_t>(missing.size());
    out.blocked_by.assign(blocked_by.begin(), blocked_by.end());
    if (root)
      for (const HangMember& one : missing)
        if (one.standing != HangStanding::kWaiting) m_culprits.try_emplace(one.rank, one);
    // Who holds it up comes before who only waits elsewhere; nobody else is worth a line.
    std::ranges::stable_sort(missing, {}, [](const HangMember& one) { return one.standing == HangStanding::kWaiting; });
    if (missing.size() > kMostListed) missing.resize(kMostListed);
    out.missing = std::move(missing);
    return out;
  }

  void layer(std::vector<HangGroup>& groups) {
    spread(groups);
    if (breakCircles(groups)) spread(groups);
    // Whom these wait for is not known; who waits for them is in no circle.
    for (HangGroup& group : groups)
      if (group.depth < 0 && group.blocked_by.empty()) group.depth = 0;
    spread(groups);
    for (HangGroup& group : groups) {
      if (group.depth < 0) group.depth = 0, group.reason = HangReason::kDeadlock;
      if (group.blocked_by.size() > kMostListed) group.blocked_by.resize(kMostListed);
    }
    // Of the roots the one that most of those who hold things up are missing in.
    const auto holding = [](const HangGroup& group) {
      if (group.depth > 0) return std::ptrdiff_t{0};
      return std::ranges::count_if(group.missing, [](const HangMember& one) { return one.standing != HangStanding::kWaiting; });
    };
    const auto unclear = [](const HangGroup& group) { return group.missing_count == 0 && group.reason == HangReason::kMissing; };
    std::ranges::stable_sort(groups, [&](const HangGroup& a, const HangGroup& b) {
      if (a.depth != b.depth) return a.depth < b.depth;
      if (unclear(a) != unclear(b)) return unclear(b);
      if (holding(a) != holding(b)) return holding(a) > holding(b);
      return a.since.value_or(INT64_MAX) < b.since.value_or(INT64_MAX);
    });
  }

  // Distance from the nearest root; who has none waits in a circle, or for one.
  static void spread(std::vector<HangGroup>& groups) {
    std::unordered_map<std::int64_t, std::vector<std::size_t>> waiters;
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const std::int64_t by : groups[i].blocked_by) waiters[by].push_back(i);
      if (groups[i].depth == 0) front.push_back(i);
    }
    for (std::size_t next = 0; next < front.size(); ++next)
      for (const std::size_t i : waiters[groups[front[next]].id])
        if (groups[i].depth < 0) groups[i].depth = groups[front[next]].depth + 1, front.push_back(i);
  }

  // A few ranks in an operation whose other members went on to wait elsewhere later: those have left it and these have not. Then it is
  // these whom the others miss.
  bool breakCircles(std::vector<HangGroup>& groups) {
    std::set<std::int32_t> left_behind;
    for (const HangGroup& group : groups) {
      if (group.depth >= 0 || group.inside * 2 >= group.members || !group.since || isPairwise(group.op)) continue;
      if (std::ranges::any_of(group.missing, [&](const HangMember& one) { return !one.since || *one.since <= *group.since; })) continue;
      for (const std::size_t i : m_meetings[group.id].at) left_behind.insert(m_ranks[i].rank);
    }
    if (left_behind.empty()) return false;
    for (HangGroup& group : groups) {
      if (group.depth >= 0) continue;
      for (HangMember& one : group.missing) {
        if (!left_behind.contains(one.rank)) continue;
        one.standing = HangStanding::kBehind;
        group.depth = 0;
        m_culprits.try_emplace(one.rank, one);
      }
    }
    return true;
  }

  std::span<const WavefrontRank> m_ranks;
  std::unordered_map<std::int32_t, std::size_t> m_index;
  std::unordered_map<std::int64_t, const CommGroup*> m_groups;
  std::map<std::int64_t, Meeting> m_meetings;
  std::unordered_map<std::size_t, std::int64_t> m_inside;  // rank's index -> communicator
  std::map<std::int32_t, HangMember> m_culprits;
};

}  // namespace

Wavefront findWavefront(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups) { return Finder(ranks, groups).find(); }

}  // namespace runglass
