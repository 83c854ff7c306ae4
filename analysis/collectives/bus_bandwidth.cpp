// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/bus_bandwidth.h"

#include <algorithm>
#include <limits>
#include <string>

namespace runglass {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();

struct OpWord {
  std::string_view word;
  BusOp op;
};
// Without separators; a name before its substrings.
constexpr std::array kOps = {
    OpWord{"allreduce", BusOp::kAllReduce}, OpWord{"allgather", BusOp::kAllGather},   OpWord{"reducescatter", BusOp::kReduceScatter},
    OpWord{"alltoall", BusOp::kAllToAll},   OpWord{"all2all", BusOp::kAllToAll},      OpWord{"crossdevicereduce", BusOp::kAllReduce},
    OpWord{"broadcast", BusOp::kBroadcast}, OpWord{"sendrecv", BusOp::kPointToPoint}, OpWord{"send", BusOp::kPointToPoint},
    OpWord{"recv", BusOp::kPointToPoint},   OpWord{"receive", BusOp::kPointToPoint},  OpWord{"reduce", BusOp::kReduce}};

// Whether the clock error is small enough to measure `transfer`.
bool clocksAllow(const CollectiveSet& set, const ClockGapOf& gap, const CollectiveCall& last, DurNs transfer) {
  return std::ranges::all_of(set.calls, [&](const CollectiveCall& call) {
    if (call.rank == last.rank) return true;
    const ClockGap apart = gap(last.rank, call.rank);
    if (apart.kind == ClockGap::Kind::kUnknown) return false;
    return apart.kind != ClockGap::Kind::kCompared || static_cast<double>(apart.error) <= kMaxClockShare * static_cast<double>(transfer);
  });
}

}  // namespace

BusOp busOpOf(std::string_view name) {
  std::string low;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') low += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) low += c;
  }
  const auto* const found = std::ranges::find_if(kOps, [&](const OpWord& w) { return low.find(w.word) != std::string::npos; });
  return found == kOps.end() ? BusOp::kNone : found->op;
}

const char* busOpName(BusOp op) {
  static constexpr std::array kNames = {"other",      "all-reduce", "all-gather", "reduce-scatter",
                                        "all-to-all", "broadcast",  "reduce",     "point to point"};
  return kNames[static_cast<std::size_t>(op)];
}

double busFactor(BusOp op, std::size_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (op) {
    case BusOp::kNone:
      return 0;
    case BusOp::kAllReduce:
      return n > 0 ? 2 * (n - 1) / n : 0;
    case BusOp::kAllGather:
    case BusOp::kReduceScatter:
    case BusOp::kAllToAll:
      return n > 0 ? (n - 1) / n : 0;
    default:
      return 1;
  }
}

const char* busRefusalText(BusRefusal refusal) {
  static constexpr std::array kTexts = {"their records have no bytes",
                                        "only messages under 1 MiB, which measure latency",
                                        "which calls are one collective is not known",
                                        "not all members' calls are in the store",
                                        "not ended",
                                        "the members' clocks are too far apart or were never compared",
                                        "operations without a bus factor"};
  return kTexts[static_cast<std::size_t>(refusal)];
}

namespace {

// NCCL runs an all-to-all as sends and receives between all members at once.
BusOp operationOf(const CollectiveSet& set, std::size_t members) {
  if (set.pair) return BusOp::kPointToPoint;
  const BusOp op = busOpOf(set.calls.front().name);
  return op == BusOp::kPointToPoint && members > 2 ? BusOp::kAllToAll : op;
}

// From the start of the last recorded call.
std::variant<BusSample, BusRefusal> measure(const CollectiveSet& set, std::size_t members, const ClockGapOf& gap) {
  const CollectiveCall* last = &set.calls.front();
  TimeNs end = std::numeric_limits<TimeNs>::min();
  std::int64_t bytes = kAbsent;
  for (const CollectiveCall& call : set.calls) {
    if (call.t0 > last->t0) last = &call;
    end = std::max(end, call.t1);
    bytes = std::max(bytes, call.bytes);  // uneven parts: the largest
  }
  if (end == kHighest) return BusRefusal::kOpen;
  if (bytes == kAbsent) return BusRefusal::kNoBytes;
  if (bytes < kMinBusBytes) return BusRefusal::kSmall;
  BusSample sample{.group = last->group, .op = operationOf(set, members), .bytes = bytes, .t0 = last->t0, .call = last->id};
  const double factor = busFactor(sample.op, members);
  if (factor <= 0) return BusRefusal::kOperation;
  if (__builtin_sub_overflow(end, last->t0, &sample.transfer) || sample.transfer <= 0) return BusRefusal::kClocks;
  if (!clocksAllow(set, gap, *last, sample.transfer)) return BusRefusal::kClocks;
  if (sample.op == BusOp::kPointToPoint && set.calls.size() == 2)
    sample.from = std::min(set.calls[0].rank, set.calls[1].rank), sample.to = std::max(set.calls[0].rank, set.calls[1].rank);
  sample.bytes_per_s = static_cast<double>(bytes) * factor / (static_cast<double>(sample.transfer) / static_cast<double>(kNsPerSecond));
  return sample;
}

}  // namespace

std::variant<BusSample, BusRefusal> busSampleOf(const CollectiveSet& set, const ClockGapOf& gap) {
  if (set.match != CollectiveSet::Match::kMatched || set.calls.size() < 2) return BusRefusal::kNotMatched;
  if (!set.whole()) return BusRefusal::kNotWhole;
  return measure(set, set.calls.size(), gap);
}

std::optional<BusSample> leastBusSampleOf(const CollectiveSet& set, const ClockGapOf& gap) {
  using Match = CollectiveSet::Match;
  const bool one = set.match == Match::kAlone && set.calls.size() == 1, some = set.match == Match::kMatched && !set.pair;
  if ((!one && !some) || set.calls.size() >= set.members) return std::nullopt;
  // A single send or receive does not name its peer.
  if (busOpOf(set.calls.front().name) == BusOp::kPointToPoint) return std::nullopt;
  const auto sample = measure(set, set.members, gap);
  if (std::holds_alternative<BusRefusal>(sample)) return std::nullopt;
  BusSample least = std::get<BusSample>(sample);
  least.at_least = true;
  return least;
}

BusStats busStats(std::vector<BusSample> samples) {
  BusStats stats{.samples = samples.size()};
  if (samples.empty()) return stats;
  std::ranges::sort(samples, {}, &BusSample::bytes_per_s);
  const std::size_t half = samples.size() / 2;
  stats.median = samples.size() % 2 == 1 ? samples[half].bytes_per_s : samples[half - 1].bytes_per_s / 2 + samples[half].bytes_per_s / 2;
  stats.worst_sample = samples.front();
  stats.worst = stats.worst_sample.bytes_per_s;
  return stats;
}

const BusStats* mainStats(const BusOfGroup& group) {
  if (group.said) return &*group.said;
  const auto most = std::ranges::max_element(group.of_op, {}, [](const auto& op) { return op.second.samples; });
  return most == group.of_op.end() ? nullptr : &most->second;
}

std::optional<BusRefusal> mainRefusal(const BusOfGroup& group) {
  const auto* const most = std::ranges::max_element(group.refused);
  return *most == 0 ? std::nullopt : std::optional(static_cast<BusRefusal>(most - group.refused.begin()));
}

BusAnswer busOf(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap) {
  BusAnswer answer;
  std::map<std::pair<std::int64_t, BusOp>, std::vector<BusSample>> of_group;
  std::map<std::pair<std::int64_t, BusOp>, std::vector<BusSample>> at_least;
  std::map<BusPair, std::vector<BusSample>> of_pair;
  for (const CollectiveSet& set : sets) {
    if (set.calls.empty()) continue;
    const auto sample = busSampleOf(set, gap);
    const auto pair =
        set.calls.size() == 2 && set.pair
            ? std::optional(BusPair{std::min(set.calls[0].rank, set.calls[1].rank), std::max(set.calls[0].rank, set.calls[1].rank)})
            : std::nullopt;
    if (const auto* refusal = std::get_if<BusRefusal>(&sample)) {
      ++answer.groups[set.calls.front().group].refused[static_cast<std::size_t>(*refusal)];
      if (pair) ++answer.pairs[*pair].refused[static_cast<std::size_t>(*refusal)];
      const auto least = leastBusSampleOf(set, gap);
      if (!least) continue;
      at_least[{least->group, least->op}].push_back(*least);
      answer.samples.push_back(*least);
      continue;
    }
    const BusSample& one = std::get<BusSample>(sample);
    answer.samples.push_back(one);
    of_group[{one.group, one.op}].push_back(one);
    if (pair) of_pair[*pair].push_back(one);
  }
  for (auto& [key, samples] : of_group) answer.groups[key.first].of_op[key.second] = busStats(std::move(samples));
  for (auto& [key, samples] : at_least) answer.groups[key.first].at_least[key.second] = busStats(std::move(samples));
  std::ranges::stable_sort(answer.samples, {}, &BusSample::t0);
  for (auto& [pair, samples] : of_pair) answer.pairs[pair].of_op[BusOp::kPointToPoint] = busStats(std::move(samples));
  return answer;
}

}  // namespace runglass
