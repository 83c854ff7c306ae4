// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/timeout_suspects.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/one_fault/watchdog.h"

namespace runglass {
namespace {

constexpr std::int64_t kMaxPeer = 1 << 20;
using Numbers = std::map<std::int32_t, std::int64_t>;  // by rank

// The lines of one process group; sequence numbers of different groups cannot be compared.
struct Group {
  Numbers enqueued, completed, timed_out, elements;
  std::map<std::int32_t, std::string> ops;
  std::size_t width() const { return std::max(completed.size(), timed_out.size()); }
};

// "[PG 0 Rank 3]", "[PG ID 0 PG GUID 0(default_pg) Rank 3]"; "" where the line names no group, as those of PyTorch before 2.3.
std::string groupOf(const std::string& message) {
  const std::size_t at = message.find("[PG "), stop = message.find("Rank ", at == std::string::npos ? 0 : at);
  return at == std::string::npos || stop == std::string::npos ? std::string() : message.substr(at, stop - at);
}

std::map<std::string, Group> gather(std::span<const Event> timeouts, std::span<const Event> states) {
  std::map<std::string, Group> groups;
  for (const Event& event : states) {
    const StateWords words = stateWords(event);
    if (!event.rank || !words.completed) continue;
    Group& group = groups[groupOf(event.message)];
    group.completed.emplace(*event.rank, *words.completed);
    if (words.enqueued) group.enqueued.emplace(*event.rank, *words.enqueued);
  }
  for (const Event& event : timeouts) {
    const TimeoutWords words = timeoutWords(event);
    if (!event.rank || !words.seq) continue;
    Group& group = groups[groupOf(event.message)];
    if (!group.timed_out.emplace(*event.rank, *words.seq).second) continue;
    if (!words.op.empty()) group.ops.emplace(*event.rank, words.op);
    if (words.elements) group.elements.emplace(*event.rank, *words.elements);
  }
  return groups;
}

HangMember member(std::int32_t rank, HangStanding standing, std::optional<std::int64_t> seq, std::string op = {}) {
  HangMember out;
  out.rank = rank, out.standing = standing, out.seq = seq, out.op = std::move(op);
  return out;
}

bool isFew(std::size_t some, std::size_t all) { return some > 0 && some * 2 < all && some <= kMaxListed; }

// Members whose number is at most `limit`, if they are a minority.
std::vector<HangMember> upTo(std::int64_t limit, const Numbers& numbers) {
  std::vector<HangMember> out;
  for (const auto& [rank, number] : numbers)
    if (number <= limit) out.push_back(member(rank, HangStanding::kBehind, number + 1));
  if (!isFew(out.size(), numbers.size())) out.clear();
  return out;
}

std::int64_t fewest(const Numbers& numbers) {
  return std::ranges::min_element(numbers, {}, [](const auto& one) { return one.second; })->second;
}
std::int64_t most(const Numbers& numbers) {
  return std::ranges::max_element(numbers, {}, [](const auto& one) { return one.second; })->second;
}

// Peers that the timeouts of others name; one that timed out waits for another.
std::vector<HangMember> awaited(std::span<const Event> timeouts) {
  std::set<std::int32_t> peers;
  for (const Event& event : timeouts)
    if (const auto peer = timeoutWords(event).peer; peer && *peer < kMaxPeer) peers.insert(static_cast<std::int32_t>(*peer));
  for (const Event& event : timeouts)
    if (event.rank) peers.erase(*event.rank);
  std::vector<HangMember> out;
  for (const std::int32_t peer : peers) out.push_back(member(peer, HangStanding::kAwaited, {}));
  if (out.size() > kMaxListed) out.clear();
  return out;
}

// The value of more than half of the ranks.
template <class Value>
std::optional<Value> majority(const std::map<std::int32_t, Value>& values) {
  std::map<Value, std::size_t> counts;
  for (const auto& [rank, value] : values)
    if (++counts[value] * 2 > values.size()) return value;
  return std::nullopt;
}

// Ranks that timed out earlier. Where the lines name no group, others must agree on one operation: it may be that of another group.
std::vector<HangMember> earlier(const Group& group, bool named) {
  if (group.timed_out.empty()) return {};
  const std::int64_t first = fewest(group.timed_out);
  if (!named) {
    const bool one_op = std::ranges::all_of(group.ops, [&](const auto& one) { return one.second == group.ops.begin()->second; });
    const bool agreed =
        std::ranges::all_of(group.timed_out, [&](const auto& one) { return one.second == first || one.second == most(group.timed_out); });
    if (!one_op || !agreed) return {};
  }
  return upTo(first, group.timed_out);
}

// Different operations, or sizes, under one number.
template <class Value>
std::vector<HangMember> odd(const std::map<std::int32_t, Value>& values, const Value& usual, const Group& group) {
  std::vector<HangMember> out;
  for (const auto& [rank, value] : values)
    if (value != usual) out.push_back(member(rank, HangStanding::kMismatched, group.timed_out.at(rank), group.ops.at(rank)));
  if (!isFew(out.size(), values.size())) out.clear();
  return out;
}

void findMismatch(const Group& group, TimeoutSuspects& out) {
  if (group.timed_out.empty() || fewest(group.timed_out) != most(group.timed_out)) return;
  const auto op = majority(group.ops);
  if (!op) return;
  HangGroup mismatch;
  mismatch.op = *op, mismatch.reason = HangReason::kMismatched;
  mismatch.seq = group.timed_out.begin()->second;
  mismatch.members = mismatch.inside = static_cast<std::int64_t>(group.timed_out.size());
  out.culprits = odd(group.ops, *op, group);
  if (!out.culprits.empty()) {
    mismatch.other_op = out.culprits.front().op;
  } else if (const auto usual = majority(group.elements); usual && needsEqualSizes(*op) && group.ops.size() == group.timed_out.size()) {
    out.culprits = odd(group.elements, *usual, group);
    if (out.culprits.empty()) return;
    mismatch.size = *usual, mismatch.other_size = group.elements.at(out.culprits.front().rank), mismatch.size_unit = "elements";
  } else {
    return;
  }
  mismatch.missing = out.culprits;
  mismatch.missing_count = static_cast<std::int64_t>(out.culprits.size());
  out.mismatch = std::move(mismatch);
}

}  // namespace

bool needsEqualSizes(std::string_view op) {
  // Not those whose list of buffers, or whose root, makes sizes differ: all_gather of uneven parts, scatter, gather, reduce, all_to_all.
  constexpr std::array<std::string_view, 10> kEqual = {"all_reduce",
                                                       "allreduce",
                                                       "ALLREDUCE",
                                                       "broadcast",
                                                       "BROADCAST",
                                                       "_allgather_base",
                                                       "_ALLGATHER_BASE",
                                                       "_reduce_scatter_base",
                                                       "_REDUCE_SCATTER_BASE",
                                                       "reduce_scatter_tensor"};
  return std::ranges::any_of(kEqual, [op](std::string_view name) { return op.ends_with(name); });
}

TimeoutSuspects suspectsOf(std::span<const Event> timeouts, std::span<const Event> states) {
  TimeoutSuspects out;
  out.culprits = awaited(timeouts);
  if (!out.culprits.empty()) return out;
  const auto groups = gather(timeouts, states);
  std::vector<std::pair<const std::string*, const Group*>> order;
  for (const auto& [name, group] : groups) order.emplace_back(&name, &group);
  std::ranges::stable_sort(order, std::greater(), [](const auto& one) { return one.second->width(); });
  for (const auto& [name, group] : order) {
    if (!group->enqueued.empty()) out.culprits = upTo(most(group->completed), group->enqueued);
    if (out.culprits.empty() && !group->completed.empty()) out.culprits = upTo(fewest(group->completed), group->completed);
    if (out.culprits.empty()) out.culprits = earlier(*group, !name->empty());
    if (out.culprits.empty()) findMismatch(*group, out);
    if (!out.culprits.empty()) return out;
  }
  for (const auto& [name, group] : groups) {
    const auto differs = [](const auto& values) {
      return std::ranges::any_of(values, [&](const auto& one) { return one.second != values.begin()->second; });
    };
    if (differs(group.timed_out) || differs(group.ops)) out.same = false;
  }
  return out;
}

}  // namespace runglass
