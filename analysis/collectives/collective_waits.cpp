// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/collective_waits.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/spans.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
constexpr DurNs kEndsTogether = 100 * kNsPerUs;
constexpr double kEndsShare = 0.1;  // of the longest call

TimeNs endOf(TimeNs start, DurNs dur) {
  TimeNs end = 0;
  return dur == kAbsent || __builtin_add_overflow(start, std::max<DurNs>(dur, 1), &end) ? kHighest : end;
}

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
  // Some of a communicator's ranks may exchange messages in pairs: it is one operation only if all members take part.
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

// Calls with one number. The step separates the calls of a counter that restarts in each step.
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
  // One mismatch means that the other calls may be shifted as well.
  for (std::size_t i = before; differs && i < out.size(); ++i) out[i].match = Match::kDiffers;
}

bool endTogether(const CollectiveSet& set) {
  const auto [first, last] = std::ranges::minmax(set.calls, {}, &CollectiveCall::t1);
  if (last.t1 == kHighest) return true;  // open calls have not ended
  double longest = 0;
  for (const CollectiveCall& call : set.calls) longest = std::max(longest, static_cast<double>(call.t1) - static_cast<double>(call.t0));
  return static_cast<double>(last.t1) - static_cast<double>(first.t1) <= std::max<double>(kEndsTogether, kEndsShare * longest);
}

// Calls with one name, by start on each rank. Calls of a collective that another rank did not record end before that rank's next call
// begins. O(calls × log ranks): each round looks only at the calls that it consumes.
void matchByEnds(RankCalls ranks, std::size_t members, std::vector<CollectiveSet>& out, std::vector<CollectiveCall>& rest,
                 const std::stop_token& stop) {
  struct Queue {
    std::vector<CollectiveCall> calls;
    std::size_t next = 0;
    CollectiveCall& head() { return calls[next]; }
  };
  std::vector<Queue> queues;
  std::set<std::pair<TimeNs, std::size_t>> begins, ends;  // of the heads, with their queues
  const auto enter = [&](std::size_t queue) {
    begins.emplace(queues[queue].head().t0, queue), ends.emplace(queues[queue].head().t1, queue);
  };
  for (auto& [rank, of_rank] : ranks) {
    std::ranges::stable_sort(of_rank, {}, &CollectiveCall::t0);
    queues.push_back({.calls = std::move(of_rank)});
    enter(queues.size() - 1);
  }
  while (!ends.empty() && !stop.stop_requested()) {
    const TimeNs first_end = ends.begin()->first;
    std::vector<std::size_t> taken;
    for (auto one = begins.begin(); one != begins.end() && one->first < first_end; ++one) taken.push_back(one->second);
    for (auto one = ends.begin(); one != ends.end() && one->first == first_end; ++one)
      if (queues[one->second].head().t0 >= first_end) taken.push_back(one->second);
    std::ranges::sort(taken);
    std::vector<CollectiveCall> of_set;
    for (const std::size_t queue : taken) {
      Queue& from = queues[queue];
      begins.erase({from.head().t0, queue}), ends.erase({from.head().t1, queue});
      of_set.push_back(std::move(from.head()));
      if (++from.next < from.calls.size()) enter(queue);
    }
    if (of_set.size() == members)
      out.push_back(setOf(std::move(of_set), members));
    else
      std::ranges::move(of_set, std::back_inserter(rest));
  }
}

// `rest`: calls that match no collective of all members.
std::vector<CollectiveSet> matchByEnds(const RankCalls& ranks, std::size_t members, std::vector<CollectiveCall>& rest,
                                       const std::stop_token& stop) {
  std::map<std::string, RankCalls> names;
  for (const auto& [rank, of_rank] : ranks)
    for (const CollectiveCall& call : of_rank) names[call.name][rank].push_back(call);
  std::vector<CollectiveSet> out;
  for (auto& [name, of_name] : names) {
    if (of_name.size() == members) {
      matchByEnds(std::move(of_name), members, out, rest, stop);
      continue;
    }
    for (auto& [rank, of_rank] : of_name) std::ranges::move(of_rank, std::back_inserter(rest));
  }
  for (CollectiveSet& set : out)
    if (set.match == Match::kMatched && !endTogether(set)) set.match = Match::kEnds;
  return out;
}

// Unmatched calls, so that each call is in a set.
void leave(std::vector<CollectiveCall> rest, std::size_t members, std::vector<CollectiveSet>& out) {
  if (rest.empty()) return;
  if (std::ranges::any_of(rest, [&](const CollectiveCall& call) { return call.rank != rest.front().rank; })) {
    out.push_back({.calls = std::move(rest), .match = Match::kCounts, .members = members});
    return;
  }
  for (CollectiveCall& call : rest) out.push_back(setOf({std::move(call)}, members));
}

// Calls of one communicator without numbers.
void matchCounted(std::vector<CollectiveCall> calls, const std::vector<std::int32_t>* members, bool all_of_run,
                  std::vector<CollectiveSet>& out, const std::stop_token& stop) {
  std::map<std::int64_t, RankCalls> steps;
  RankCalls all;
  for (const CollectiveCall& call : calls) all[call.rank].push_back(call);
  if (all_of_run && countsAgree(all, members)) return matchInOrder(std::move(all), out);
  for (CollectiveCall& call : calls) steps[call.step][call.rank].push_back(std::move(call));
  RankCalls others;
  for (auto& [step, ranks] : steps) {
    if (step != kAbsent && countsAgree(ranks, members)) {
      matchInOrder(std::move(ranks), out);
      continue;
    }
    for (auto& [rank, of_rank] : ranks) std::ranges::move(of_rank, std::back_inserter(others[rank]));
  }
  std::vector<CollectiveCall> rest;
  if (members != nullptr && members->size() > 1) {
    std::ranges::move(matchByEnds(others, members->size(), rest, stop), std::back_inserter(out));
  } else {
    for (auto& [rank, of_rank] : others) std::ranges::move(of_rank, std::back_inserter(rest));
  }
  leave(std::move(rest), members != nullptr ? members->size() : 0, out);
}

std::ptrdiff_t matched(const std::vector<CollectiveSet>& sets) { return std::ranges::count(sets, Match::kMatched, &CollectiveSet::match); }

// Calls that name no communicator. Where a trace begins or ends within a collective, equal counts on all ranks may be a coincidence: the
// method that matches more calls is used.
void matchUnnamed(const std::vector<CollectiveCall>& calls, bool all_of_run, std::vector<CollectiveSet>& out, const std::stop_token& stop) {
  RankCalls ranks;
  for (const CollectiveCall& call : calls) ranks[call.rank].push_back(call);
  std::vector<std::int32_t> members;
  for (const auto& [rank, of_rank] : ranks) members.push_back(rank);
  // With only one rank recorded, the size of the communicator is unknown.
  if (members.size() < 2) return leave(calls, 0, out);
  std::vector<CollectiveSet> in_order;
  matchCounted(calls, &members, all_of_run, in_order, stop);
  for (CollectiveSet& set : in_order)
    if (set.match == Match::kMatched && !endTogether(set)) set.match = Match::kEnds;
  std::vector<CollectiveCall> rest;
  std::vector<CollectiveSet> by_ends;
  if (matched(in_order) < std::ssize(in_order)) by_ends = matchByEnds(ranks, members.size(), rest, stop);
  const bool order_holds = matched(in_order) >= matched(by_ends);
  if (!order_holds) leave(std::move(rest), members.size(), by_ends);
  std::ranges::move(order_holds ? in_order : by_ends, std::back_inserter(out));
}

}  // namespace

std::vector<CollectiveSet> matchCalls(std::vector<CollectiveCall> calls, const GroupMembers& members, bool all_of_run,
                                      const std::stop_token& stop) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CollectiveCall>> groups;  // by number; kAbsent: without
  std::vector<CollectiveCall> unnamed;
  for (CollectiveCall& call : calls) {
    // A sequence number without its communicator identifies nothing.
    auto& of_call = call.group == kAbsent ? unnamed : groups[{call.group, call.seq}];
    of_call.push_back(std::move(call));
  }
  std::vector<CollectiveSet> out;
  for (auto& [key, of_key] : groups) {
    if (stop.stop_requested()) return out;
    const auto found = members.find(key.first);
    const auto* known = found == members.end() || found->second.empty() ? nullptr : &found->second;
    if (key.second == kAbsent)
      matchCounted(std::move(of_key), known, all_of_run, out, stop);
    else
      matchNumbered(std::move(of_key), known != nullptr ? known->size() : 0, out);
  }
  if (!unnamed.empty()) matchUnnamed(unnamed, all_of_run, out, stop);
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

std::vector<CollectiveCall> callsOf(std::int32_t rank, TrackId track, const SpanColumns& spans) {
  std::vector<CollectiveCall> calls;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans.category[i] != SpanCategory::kComm) continue;
    calls.push_back({.rank = rank,
                     .track = track,
                     .id = spans.id[i],
                     .t0 = spans.start[i],
                     .t1 = endOf(spans.start[i], spans.dur[i]),
                     .group = columnValue(spans.group, i),
                     .seq = columnValue(spans.seq, i),
                     .step = columnValue(spans.step, i),
                     .name = spans.names[spans.name[i]],
                     .bytes = columnValue(spans.bytes, i)});
  }
  return calls;
}

}  // namespace runglass
