// SPDX-License-Identifier: Apache-2.0
// Invariant: a rank is inside at most one communicator or pair: the one in its newest progress, unless it has completed that operation.
#include "analysis/hangs/wavefront.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/hangs/communication_words.h"
#include "model/pair_group.h"

namespace runglass {
namespace {

// A communicator, or a pair of its members that send and receive.
struct Key {
  std::int64_t group = 0;
  std::int32_t lower = -1, upper = -1;  // of a pair: its ranks
  auto operator<=>(const Key&) const = default;
  bool isPair() const { return lower >= 0; }
};

struct Meeting {
  const CommGroup* group = nullptr;
  std::int64_t seq = 0;                // the newest of any member; for a pair, of either end
  std::vector<std::size_t> at, lag;    // indices of ranks: at it, at an earlier one
  std::vector<std::size_t> unstarted;  // enqueued it, and their GPU has not started it, which others' have
};

struct Described {
  Key key;
  HangGroup group;
  std::set<Key> blocked_by;
};

// "nccl:send 1->2", "nccl:recv 3<-0": the peer, as a position in the communicator.
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
bool sends(std::string_view op) { return op.find("send") != std::string_view::npos; }
bool receives(std::string_view op) { return op.find("recv") != std::string_view::npos || op.find("receive") != std::string_view::npos; }
bool waits(std::string_view op) { return namesCommunication(op) || op.find("wait") != std::string_view::npos; }
bool isPairwise(std::string_view op) { return sends(op) || receives(op); }
bool isPairwise(const Progress& p) { return isPairwise(p.op) || (p.group && pairOf(*p.group)); }

class Finder {
 public:
  Finder(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups) : m_ranks(ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      m_index[ranks[i].rank] = i;
      // Sends and receives are numbered like a group's collectives, from which they cannot be distinguished.
      const auto& p = ranks[i].progress;
      if (!p || !p->group) continue;
      if (const auto pair = pairOf(*p->group))
        m_pairs.try_emplace(*p->group, CommGroup{.id = *p->group, .kind = "p2p", .name = pairName(*pair), .ranks = {pair->from, pair->to}});
      else if (isPairwise(p->op))
        m_pairwise.insert(*p->group);
    }
    for (const CommGroup& group : groups) m_groups[group.id] = &group;
    for (const auto& [id, pair] : m_pairs) m_groups[id] = &pair;
  }

  Wavefront find() {
    gather();
    std::vector<Described> all;
    Wavefront out;
    for (const auto& [key, meeting] : m_meetings) {
      if (meeting.at.empty()) continue;
      all.push_back(describe(key, meeting));
      for (const std::size_t i : meeting.at) out.blocked.push_back(m_ranks[i].rank);
    }
    missWhoHasNotLeft(all);
    layer(all);
    for (Described& one : all) out.groups.push_back(std::move(one.group));
    std::ranges::sort(out.blocked);
    blameStopped();
    for (auto& [rank, member] : m_culprits) out.culprits.push_back(std::move(member));
    return out;
  }

 private:
  // A process that cannot run holds up all ranks that wait, directly or through others; the state of those is not a second cause.
  void blameStopped() {
    const bool any = std::ranges::any_of(m_ranks, [](const WavefrontRank& rank) { return !rank.process_state.empty(); });
    if (!any) return;
    m_culprits.clear();
    for (std::size_t i = 0; i < m_ranks.size(); ++i)
      if (!m_ranks[i].process_state.empty()) m_culprits.emplace(m_ranks[i].rank, member(i, HangStanding::kStopped, Key{-1}));
  }

  const CommGroup* groupOf(std::int64_t id) const {
    const auto known = m_groups.find(id);
    return known != m_groups.end() ? known->second : nullptr;
  }

  const GroupReach* reachOf(std::size_t i, std::int64_t group) const {
    if (m_pairwise.contains(group)) return nullptr;
    const auto at = std::ranges::find(m_ranks[i].reach, group, &GroupReach::group);
    return at != m_ranks[i].reach.end() ? &*at : nullptr;
  }
  bool hasCompleted(std::size_t i, std::int64_t group, std::int64_t seq) const {
    const GroupReach* const reach = reachOf(i, group);
    return reach != nullptr && reach->completed && *reach->completed >= seq;
  }

  // The communicator or pair that a rank waits in, by its progress.
  std::optional<Key> keyOf(std::size_t i) const {
    const auto& p = m_ranks[i].progress;
    if (m_ranks[i].silent || !m_ranks[i].process_state.empty() || !p || !p->seq) return std::nullopt;
    const std::int64_t id = p->group.value_or(0);
    if (!isPairwise(*p)) return hasCompleted(i, id, *p->seq) ? std::nullopt : std::optional(Key{id});
    const std::int32_t rank = m_ranks[i].rank;
    const std::optional<std::int32_t> other = peerOf(rank, *p);
    return other && *other >= 0 ? Key{id, std::min(rank, *other), std::max(rank, *other)} : Key{id};
  }

  // The peer rank of a send or receive, where its communicator is known.
  std::optional<std::int32_t> peerOf(std::int32_t rank, const Progress& p) const {
    const CommGroup* const group = groupOf(p.group.value_or(0));
    if (group == nullptr) return std::nullopt;
    const auto& members = group->ranks;
    if (const auto position = otherEnd(p.op))
      return *position < members.size() && members[*position] != rank ? std::optional(members[*position]) : std::nullopt;
    if (members.size() != 2 || std::ranges::count(members, rank) != 1) return std::nullopt;
    return members[0] == rank ? members[1] : members[0];
  }

  void gather() {
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
      const auto key = keyOf(i);
      if (!key) continue;
      const std::int64_t seq = *m_ranks[i].progress->seq;
      const auto [at, added] = m_meetings.try_emplace(*key);
      Meeting& meeting = at->second;
      if (added) {
        meeting.group = groupOf(key->group);
        meeting.seq = seq;
      } else if (isPairwise(*m_ranks[i].progress)) {
        // Each end has its own numbers: a lower one does not mean that it is behind.
        meeting.seq = std::max(meeting.seq, seq);
        meeting.at.push_back(i);
        continue;
      } else if (seq > meeting.seq) {
        meeting.lag.insert(meeting.lag.end(), meeting.at.begin(), meeting.at.end());
        meeting.at.clear();
        meeting.seq = seq;
      }
      (seq == meeting.seq ? meeting.at : meeting.lag).push_back(i);
    }
    for (auto& [key, meeting] : m_meetings) {
      if (!key.isPair()) separateUnstarted(key.group, meeting);
      for (const std::size_t i : meeting.at) m_inside[i] = key;
    }
  }

  void separateUnstarted(std::int64_t group, Meeting& meeting) const {
    const auto started = [&](std::size_t i) {
      const GroupReach* const reach = reachOf(i, group);
      return reach != nullptr && reach->started ? std::optional(*reach->started >= meeting.seq) : std::nullopt;
    };
    if (std::ranges::none_of(meeting.at, [&](std::size_t i) { return started(i).value_or(false); })) return;
    const auto first = std::ranges::stable_partition(meeting.at, [&](std::size_t i) { return started(i).value_or(true); });
    meeting.unstarted.assign(first.begin(), first.end());
    meeting.at.erase(first.begin(), first.end());
  }

  HangMember member(std::size_t i, HangStanding standing, const Key& of) const {
    const WavefrontRank& rank = m_ranks[i];
    HangMember out{
        .rank = rank.rank, .node = rank.node, .standing = standing, .op = {}, .group = {}, .seq = {}, .completed = {}, .since = {}};
    out.process_state = rank.process_state;
    if (const GroupReach* const reach = of.isPair() ? nullptr : reachOf(i, of.group)) out.completed = reach->completed;
    const auto& p = rank.progress;
    if (!p) return out;
    out.since = p->since;
    // Its last reported operation has completed.
    if (p->seq && !isPairwise(*p) && hasCompleted(i, p->group.value_or(0), *p->seq)) return out;
    out.op = p->op, out.group = p->group, out.seq = p->seq;
    return out;
  }

  struct Absent {
    std::vector<HangMember> missing;
    std::int64_t left = 0;      // members that have completed the operation
    std::int64_t enqueued = 0;  // members that wait for nothing else and have enqueued the operation
  };

  // Members that are not at the newest operation, with their state.
  Absent absentOf(const Key& key, const Meeting& meeting) const {
    Absent out;
    std::set<std::size_t> seen(meeting.at.begin(), meeting.at.end());
    for (const std::size_t i : meeting.lag)
      if (seen.insert(i).second) out.missing.push_back(member(i, HangStanding::kBehind, key));
    for (const std::size_t i : meeting.unstarted)
      if (seen.insert(i).second) out.missing.push_back(member(i, HangStanding::kEnqueued, key));
    const auto consider = [&](std::int32_t rank) {
      const auto known = m_index.find(rank);
      if (known == m_index.end()) {
        // A member that never reported.
        out.missing.push_back(
            {.rank = rank, .node = {}, .standing = HangStanding::kSilent, .op = {}, .group = {}, .seq = {}, .completed = {}, .since = {}});
        return;
      }
      const std::size_t i = known->second;
      if (!seen.insert(i).second) return;
      if (!m_ranks[i].process_state.empty()) return out.missing.push_back(member(i, HangStanding::kStopped, key));
      const auto pair = pairOf(key.group);
      const GroupReach* const reach = key.isPair() && !pair ? nullptr : reachOf(i, key.group);
      if (reach != nullptr && reach->completed && *reach->completed >= meeting.seq) {
        // A send may complete before its receive begins.
        ++(pair && pair->from == rank ? out.enqueued : out.left);
        return;
      }
      const auto elsewhere = m_inside.find(i);
      if (elsewhere != m_inside.end() && elsewhere->second != key) return out.missing.push_back(member(i, HangStanding::kWaiting, key));
      if (reach != nullptr && reach->enqueued && *reach->enqueued >= meeting.seq) {
        ++out.enqueued;
        return;
      }
      // The sequence numbers in its dump count as a report, even if its ring buffer is empty.
      if (m_ranks[i].silent && (reach == nullptr || m_ranks[i].progress))
        return out.missing.push_back(member(i, HangStanding::kSilent, key));
      if (!m_ranks[i].progress && reach == nullptr) return;  // no data about it
      // It waits, and does not report for which communicator.
      if (const auto& p = m_ranks[i].progress; p && !p->seq && waits(p->op))
        return out.missing.push_back(member(i, HangStanding::kWaiting, key));
      out.missing.push_back(member(i, HangStanding::kComputing, key));
    };
    if (key.isPair()) {
      consider(key.lower), consider(key.upper);
      return out;
    }
    // Where the peer is unknown, no missing member can be named.
    if (meeting.group == nullptr || isPairwise(*m_ranks[meeting.at.front()].progress)) return out;
    for (const std::int32_t rank : meeting.group->ranks) consider(rank);
    return out;
  }

  // Members whose operation is not that of most; sets the group's operations accordingly.
  std::vector<HangMember> oddOnes(const Key& key, const Meeting& meeting, HangGroup& group) const {
    std::map<std::string, std::size_t> counts;
    for (const std::size_t i : meeting.at) ++counts[m_ranks[i].progress->op];
    counts.erase("");  // not recorded
    const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    std::vector<HangMember> odd;
    if (most->second * 2 <= meeting.at.size()) return odd;
    group.op = most->first;
    for (const std::size_t i : meeting.at) {
      const std::string& op = m_ranks[i].progress->op;
      if (op.empty() || op == group.op) continue;
      odd.push_back(member(i, HangStanding::kMismatched, key));
      group.other_op = odd.front().op;
    }
    return odd;
  }

  Described describe(const Key& key, const Meeting& meeting) {
    Described all{.key = key, .group = {}, .blocked_by = {}};
    HangGroup& out = all.group;
    out.id = key.group;
    out.inside = static_cast<std::int64_t>(meeting.at.size());
    out.members = key.isPair() ? 2 : out.inside + static_cast<std::int64_t>(meeting.lag.size() + meeting.unstarted.size());
    out.seq = key.isPair() ? m_ranks[meeting.at.front()].progress->seq : meeting.seq;
    if (meeting.group != nullptr) {
      out.kind = meeting.group->kind, out.name = meeting.group->name;
      if (!key.isPair()) out.members = std::max(out.members, static_cast<std::int64_t>(meeting.group->ranks.size()));
    }
    bool pairwise = false, any_sends = false, any_receives = false;
    for (const std::size_t i : meeting.at) {
      const Progress& p = *m_ranks[i].progress;
      const auto pair = pairOf(key.group);
      pairwise |= isPairwise(p);
      any_sends |= pair ? pair->from == m_ranks[i].rank : sends(p.op), any_receives |= pair ? pair->to == m_ranks[i].rank : receives(p.op);
      if (p.since && (!out.since || *p.since < *out.since)) out.since = p.since;
      if (out.op.empty()) out.op = p.op;
      if (p.op != out.op && !p.op.empty() && !pairwise) out.other_op = p.op;
    }
    Absent absent = absentOf(key, meeting);
    std::vector<HangMember>& missing = absent.missing;
    if (!out.other_op.empty()) {
      auto odd = oddOnes(key, meeting, out);
      missing.insert(missing.begin(), std::make_move_iterator(odd.begin()), std::make_move_iterator(odd.end()));
    }
    bool root = missing.empty();
    for (const HangMember& one : missing) {
      if (one.standing != HangStanding::kWaiting) {
        root = true;
        continue;
      }
      if (const auto by = m_inside.find(m_index.at(one.rank)); by != m_inside.end()) all.blocked_by.insert(by->second);
    }
    const bool whole = missing.empty() && (!pairwise || key.isPair()) && out.inside + absent.left + absent.enqueued == out.members &&
                       (meeting.group != nullptr || key.isPair());
    if (!out.other_op.empty()) {
      out.reason = HangReason::kMismatched, root = true;
    } else if (absent.left > 0 &&
               std::ranges::all_of(missing, [](const HangMember& one) { return one.standing == HangStanding::kWaiting; })) {
      // A collective completes on no member before all have entered it: members still inside hold up the others, wherever those wait now.
      out.reason = HangReason::kNotLeft, root = true;
      missing.clear(), all.blocked_by.clear();
      for (const std::size_t i : meeting.at) missing.push_back(member(i, HangStanding::kBehind, key));
    } else if (whole) {
      out.reason = out.inside == 2 && key.isPair() && any_sends != any_receives ? HangReason::kDeadlock : HangReason::kStuck;
    } else if (missing.empty()) {
      root = false;
    }
    out.depth = root ? 0 : -1;
    out.missing_count = static_cast<std::int64_t>(missing.size());
    for (const Key& by : all.blocked_by)
      if (out.blocked_by.empty() || out.blocked_by.back() != by.group) out.blocked_by.push_back(by.group);
    // If most members have not left, the cause is the network or a GPU rather than these members.
    if (root && (out.reason != HangReason::kNotLeft || out.inside * 2 <= out.members))
      for (const HangMember& one : missing)
        if (one.standing != HangStanding::kWaiting) m_culprits.try_emplace(one.rank, one);
    // Culprits sort before members that wait elsewhere; the list may be cut.
    std::ranges::stable_sort(missing, {}, [](const HangMember& one) { return one.standing == HangStanding::kWaiting; });
    if (missing.size() > kMaxListed) missing.resize(kMaxListed);
    out.missing = std::move(missing);
    return all;
  }

  // Members still in an operation that others have completed are also the ones that those miss in other communicators.
  void missWhoHasNotLeft(std::vector<Described>& all) {
    std::set<std::int32_t> staying;
    for (const Described& one : all)
      if (one.group.reason == HangReason::kNotLeft && one.group.inside * 2 <= one.group.members)
        for (const std::size_t i : m_meetings[one.key].at) staying.insert(m_ranks[i].rank);
    missInstead(all, staying);
  }

  void missInstead(std::vector<Described>& all, const std::set<std::int32_t>& staying) {
    for (Described& described : all) {
      HangGroup& group = described.group;
      if (group.depth >= 0) continue;
      for (HangMember& one : group.missing) {
        if (!staying.contains(one.rank)) continue;
        one.standing = HangStanding::kBehind;
        group.depth = 0;
        m_culprits.try_emplace(one.rank, one);
      }
    }
  }

  void layer(std::vector<Described>& all) {
    spread(all);
    if (breakCircles(all)) spread(all);
    // These groups wait for unknown ranks; groups that wait for them are not in a cycle.
    for (Described& one : all)
      if (one.group.depth < 0 && one.blocked_by.empty()) one.group.depth = 0;
    spread(all);
    for (Described& one : all) {
      if (one.group.depth < 0) one.group.depth = 0, one.group.reason = HangReason::kDeadlock;
      if (one.group.blocked_by.size() > kMaxListed) one.group.blocked_by.resize(kMaxListed);
    }
    // Among roots, the one with the most culprits among its missing members.
    const auto holding = [](const HangGroup& group) {
      if (group.depth > 0) return std::ptrdiff_t{0};
      return std::ranges::count_if(group.missing, [](const HangMember& one) { return one.standing != HangStanding::kWaiting; });
    };
    const auto stopped = [](const HangGroup& group) {
      return std::ranges::any_of(group.missing, [](const HangMember& one) { return one.standing == HangStanding::kStopped; });
    };
    const auto unclear = [](const HangGroup& group) { return group.missing_count == 0 && group.reason == HangReason::kMissing; };
    std::ranges::stable_sort(
        all,
        [&](const HangGroup& a, const HangGroup& b) {
          if (a.depth != b.depth) return a.depth < b.depth;
          if (stopped(a) != stopped(b)) return stopped(a);
          if (unclear(a) != unclear(b)) return unclear(b);
          if (holding(a) != holding(b)) return holding(a) > holding(b);
          return a.since.value_or(INT64_MAX) < b.since.value_or(INT64_MAX);
        },
        &Described::group);
  }

  // Distance from the nearest root; groups that reach none wait in a cycle, or for one.
  static void spread(std::vector<Described>& all) {
    std::map<Key, std::vector<std::size_t>> waiters;
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Key& by : all[i].blocked_by) waiters[by].push_back(i);
      if (all[i].group.depth == 0) front.push_back(i);
    }
    for (std::size_t next = 0; next < front.size(); ++next)
      for (const std::size_t i : waiters[all[front[next]].key])
        if (all[i].group.depth < 0) all[i].group.depth = all[front[next]].group.depth + 1, front.push_back(i);
  }

  // A minority of ranks in an operation while the other members began to wait elsewhere later: the others have left it and these have not.
  // Then these are the ranks that the others miss.
  bool breakCircles(std::vector<Described>& all) {
    std::set<std::int32_t> left_behind;
    for (const auto& [key, group, blocked_by] : all) {
      if (group.depth >= 0 || group.inside * 2 >= group.members || !group.since || isPairwise(group.op)) continue;
      if (std::ranges::any_of(group.missing, [&](const HangMember& one) { return !one.since || *one.since <= *group.since; })) continue;
      for (const std::size_t i : m_meetings[key].at) left_behind.insert(m_ranks[i].rank);
    }
    if (left_behind.empty()) return false;
    missInstead(all, left_behind);
    return true;
  }

  std::span<const WavefrontRank> m_ranks;
  std::unordered_map<std::int32_t, std::size_t> m_index;
  std::unordered_map<std::int64_t, const CommGroup*> m_groups;
  std::map<std::int64_t, CommGroup> m_pairs;  // groups whose number encodes two ranks
  std::set<std::int64_t> m_pairwise;          // communicators in which a rank sends or receives
  std::map<Key, Meeting> m_meetings;
  std::unordered_map<std::size_t, Key> m_inside;  // rank's index -> the communicator or pair it waits in
  std::map<std::int32_t, HangMember> m_culprits;
};

}  // namespace

Wavefront findWavefront(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups) { return Finder(ranks, groups).find(); }

}  // namespace runglass
