// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/wait_parts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "widgets/core/units.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;

enum class Direction : std::uint8_t { kAll, kSend, kReceive, kBoth };

Direction directionOf(const std::string& name) {
  std::string low = name;
  for (char& c : low)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool sends = low.find("send") != std::string::npos, receives = low.find("recv") != std::string::npos;
  return sends && receives ? Direction::kBoth : sends ? Direction::kSend : receives ? Direction::kReceive : Direction::kAll;
}

bool isPair(const std::vector<CollectiveCall>& calls) {
  if (calls.size() != 2) return false;
  const Direction a = directionOf(calls[0].name), b = directionOf(calls[1].name);
  return (a == Direction::kSend && b == Direction::kReceive) || (a == Direction::kReceive && b == Direction::kSend);
}

Match judge(const CollectiveSet& set) {
  const auto& calls = set.calls;
  if (calls.size() < 2) return Match::kAlone;
  if (set.pair) return Match::kMatched;
  const bool same = std::ranges::all_of(calls, [&](const CollectiveCall& call) { return call.name == calls.front().name; });
  const Direction direction = directionOf(calls.front().name);
  if (!same || direction == Direction::kSend || direction == Direction::kReceive) return Match::kDiffers;
  // Some of a communicator's ranks may exchange messages in pairs: only where all take part it is one operation.
  if (direction == Direction::kBoth && !set.whole()) return Match::kDiffers;
  return calls.back().t0 > std::ranges::min_element(calls, {}, &CollectiveCall::t1)->t1 ? Match::kDisjoint : Match::kMatched;
}

CollectiveSet setOf(std::vector<CollectiveCall> calls, std::size_t members) {
  std::ranges::stable_sort(calls, {}, [](const CollectiveCall& call) { return std::pair(call.t0, call.rank); });
  CollectiveSet set{.calls = std::move(calls), .members = members};
  set.pair = isPair(set.calls);
  set.match = judge(set);
  return set;
}

bool twice(const std::vector<CollectiveCall>& calls) {
  std::set<std::int32_t> ranks;
  return !std::ranges::all_of(calls, [&](const CollectiveCall& call) { return ranks.insert(call.rank).second; });
}

// Calls of one number. A counter that begins anew in each step is told apart by the step.
void matchNumbered(std::vector<CollectiveCall> calls, std::size_t members, std::vector<CollectiveSet>& out) {
  if (!twice(calls)) return out.push_back(setOf(std::move(calls), members));
  std::map<std::int64_t, std::vector<CollectiveCall>> steps;
  for (CollectiveCall& call : calls) steps[call.step].push_back(std::move(call));
  for (auto& [step, of_step] : steps) {
    if (step != kAbsent && !twice(of_step)) {
      out.push_back(setOf(std::move(of_step), members));
    } else {
      out.push_back({.calls = std::move(of_step), .match = Match::kTwice, .members = members});
    }
  }
}

using RankCalls = std::map<std::int32_t, std::vector<CollectiveCall>>;

bool countsAgree(const RankCalls& ranks, const std::vector<std::int32_t>* members) {
  return members != nullptr && ranks.size() == members->size() &&
         std::ranges::all_of(*members, [&](std::int32_t rank) { return ranks.contains(rank); }) &&
         std::ranges::all_of(ranks, [&](const auto& rank) { return rank.second.size() == ranks.begin()->second.size(); });
}

void matchInOrder(RankCalls ranks, std::vector<CollectiveSet>& out) {
  const std::size_t count = ranks.begin()->second.size(), before = out.size();
  for (auto& [rank, of_rank] : ranks) std::ranges::stable_sort(of_rank, {}, &CollectiveCall::t0);
  bool differs = false;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<CollectiveCall> of_set;
    for (auto& [rank, of_rank] : ranks) of_set.push_back(std::move(of_rank[i]));
    out.push_back(setOf(std::move(of_set), ranks.size()));
    differs |= out.back().match == Match::kDiffers;
  }
  // One that does not fit says that the others may be shifted as well.
  for (std::size_t i = before; differs && i < out.size(); ++i) out[i].match = Match::kDiffers;
}

// Calls of one communicator without numbers.
void matchCounted(std::vector<CollectiveCall> calls, const std::vector<std::int32_t>* members, bool all_of_run,
                  std::vector<CollectiveSet>& out) {
  std::map<std::int64_t, RankCalls> steps;
  RankCalls all;
  for (const CollectiveCall& call : calls) all[call.rank].push_back(call);
  if (all_of_run && countsAgree(all, members)) return matchInOrder(std::move(all), out);
  for (CollectiveCall& call : calls) steps[call.step][call.rank].push_back(std::move(call));
  for (auto& [step, ranks] : steps) {
    if (step != kAbsent && countsAgree(ranks, members)) {
      matchInOrder(std::move(ranks), out);
      continue;
    }
    CollectiveSet set{.match = ranks.size() < 2 ? Match::kAlone : Match::kCounts, .members = members != nullptr ? members->size() : 0};
    for (auto& [rank, of_rank] : ranks) std::ranges::move(of_rank, std::back_inserter(set.calls));
    out.push_back(std::move(set));
  }
}

QString why(Match match) {
  switch (match) {
    case Match::kAlone:
      return QStringLiteral("no other member's call is in the store: waiting cannot be told");
    case Match::kTwice:
      return QStringLiteral("a rank has several calls of this number: waiting cannot be told");
    case Match::kDiffers:
      return QStringLiteral("its members ran different operations under this number: waiting cannot be told");
    case Match::kCounts:
      return QStringLiteral("it has no number, and its members have different counts of calls: waiting cannot be told");
    case Match::kDisjoint:
      return QStringLiteral("one member ended before another began: the clocks disagree, waiting cannot be told");
    case Match::kMatched:
      break;
  }
  return {};
}

}  // namespace

std::vector<CollectiveSet> matchCalls(std::vector<CollectiveCall> calls, const GroupMembers& members, bool all_of_run) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CollectiveCall>> groups;  // by number; kAbsent: without
  for (CollectiveCall& call : calls)
    if (call.group != kAbsent) groups[{call.group, call.seq}].push_back(std::move(call));
  std::vector<CollectiveSet> out;
  for (auto& [key, of_key] : groups) {
    const auto found = members.find(key.first);
    const auto* known = found == members.end() || found->second.empty() ? nullptr : &found->second;
    if (key.second == kAbsent)
      matchCounted(std::move(of_key), known, all_of_run, out);
    else
      matchNumbered(std::move(of_key), known != nullptr ? known->size() : 0, out);
  }
  return out;
}

WaitPart waitOf(const CollectiveSet& set, std::size_t call, const ClockGapOf& gap) {
  using Kind = WaitPart::Kind;
  const CollectiveCall& mine = set.calls[call];
  WaitPart part{.match = set.match, .t0 = mine.t0, .t1 = mine.t1, .until = mine.t0};
  part.calls = set.calls.size(), part.members = set.members, part.whole = set.whole();
  if (set.match != Match::kMatched) return part;
  const CollectiveCall &first = set.calls.front(), &last = set.calls.back();
  const CollectiveCall& other = call + 1 == set.calls.size() ? first : last;
  part.other = other.rank;
  part.apart = std::max(other.t0, mine.t0) - std::min(other.t0, mine.t0);
  part.gap = gap(mine.rank, other.rank);
  if (part.gap.kind == ClockGap::Kind::kUnknown) {
    part.kind = Kind::kNotClocked;
  } else if (part.gap.kind == ClockGap::Kind::kCompared && part.apart <= part.gap.error) {
    part.kind = Kind::kBelowError;
  } else if (&other == &first || part.apart == 0) {
    part.kind = Kind::kLast;
  } else if (set.pair && last.t0 >= mine.t1) {
    part.kind = Kind::kBuffered;
  } else {
    part.kind = Kind::kWaited;
    part.until = std::min(last.t0, mine.t1);
  }
  return part;
}

QString WaitPart::sentence() const {
  if (kind == Kind::kUnmatched) return why(match);
  const QString rank = QString::number(other), between = formatDuration(apart), error = formatDuration(gap.error);
  if (kind == Kind::kNotClocked)
    return QStringLiteral("rank %1 began %2 away by clocks that were never compared: the order is not certain").arg(rank, between);
  if (kind == Kind::kBelowError)
    return QStringLiteral("rank %1 began %2 away; the clocks agree to ± %3 only: the order is not certain").arg(rank, between, error);
  if (kind == Kind::kBuffered) return QStringLiteral("did not wait: it ended before rank %1 began to receive").arg(rank);
  const bool open = t1 == std::numeric_limits<TimeNs>::max();
  QString text;
  if (kind == Kind::kWaited)
    text = open ? QStringLiteral("waited %1 for rank %2").arg(between, rank)
                : QStringLiteral("waited %1 of %2 for rank %3").arg(between, formatDuration(t1 - t0), rank);
  else
    text = apart == 0 ? QStringLiteral("did not wait: it began with the last")
                      : QStringLiteral("the last to begin: rank %1 waited longest for it, %2").arg(rank, between);
  if (!whole)
    text += members > 0 ? QStringLiteral("; at least: %1 of its %2 members are in the store").arg(calls).arg(members)
                        : QStringLiteral("; among the %1 members in the store").arg(calls);
  if (gap.kind == ClockGap::Kind::kCompared) text += QStringLiteral(" (clocks agree to ± %1)").arg(error);
  if (gap.kind == ClockGap::Kind::kNodeUnknown) text += QStringLiteral(" (if their clocks are one: their nodes are not known)");
  return text;
}

}  // namespace runglass
