// SPDX-License-Identifier: Apache-2.0
// How fast a collective moved its bytes: bus bandwidth, which does not depend on the number of its ranks.
//
// busbw = bytes × factor / transfer. Factors: nccl-tests, doc/PERFORMANCE.md: all-reduce 2(n-1)/n; all-gather, reduce-scatter and
// all-to-all (n-1)/n of the larger buffer; broadcast, reduce and point to point 1. Transfer = end - max(start over the members): Lin et
// al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.
//
// Threading:  pure functions.
// Ownership:  values.
// Units:      bytes of the larger buffer, DurNs, bytes a second.
// Errors:     none: a set that tells nothing says why; nothing is measured with clocks that are too far apart for it.
// Cost:       O(calls).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

enum class BusOp : std::uint8_t { kNone, kAllReduce, kAllGather, kReduceScatter, kAllToAll, kBroadcast, kReduce, kPointToPoint };
// By the names of NCCL's kernels, PyTorch's records and frameworks' spans.
BusOp busOpOf(std::string_view name);
const char* busOpName(BusOp op);
double busFactor(BusOp op, std::size_t ranks);

// Smaller messages measure latency (nccl-tests: the curve flattens from there on).
inline constexpr std::int64_t kMinBusBytes = 1 << 20;
inline constexpr double kMaxClockShare = 0.1;  // of the transfer, that the clocks may be apart

enum class BusRefusal : std::uint8_t {
  kNoBytes,
  kSmall,       // under kMinBusBytes
  kNotMatched,  // which calls are one collective is not known
  kNotWhole,    // a member's call is missing: the last to begin is not known
  kOpen,        // not ended
  kClocks,      // never compared, or too far apart
  kOperation    // of an operation that has no factor
};
inline constexpr std::size_t kBusRefusals = 7;
const char* busRefusalText(BusRefusal refusal);

struct BusSample {
  std::int64_t group = kAbsent;
  BusOp op = BusOp::kNone;
  std::int64_t bytes = 0;
  DurNs transfer = 0;
  double bytes_per_s = 0;
  TimeNs t0 = 0;
  std::int64_t call = 0;            // the span that began last
  std::int32_t from = -1, to = -1;  // of point to point
  bool at_least = false;            // calls of members are missing: waiting for those that began later is in `transfer`
};
std::variant<BusSample, BusRefusal> busSampleOf(const CollectiveSet& set, const ClockGapOf& gap);
// Of a set of which calls are missing, as of a trace of one rank: what the recorded ones show at least. Absent: they show nothing.
std::optional<BusSample> leastBusSampleOf(const CollectiveSet& set, const ClockGapOf& gap);

struct BusStats {
  std::size_t samples = 0;
  double median = 0, worst = 0;  // bytes a second
  BusSample worst_sample;
};
BusStats busStats(std::vector<BusSample> samples);

// Of one communicator, or of one pair in it.
struct BusOfGroup {
  std::map<BusOp, BusStats> of_op;
  std::map<BusOp, BusStats> at_least;  // of collectives of which calls are missing
  std::array<std::size_t, kBusRefusals> refused{};
  std::optional<BusStats> said;  // by the collectives themselves (NCCL Inspector)
};
// The operation with the most samples speaks for the group.
const BusStats* mainStats(const BusOfGroup& group);
// Why there is none: the commonest refusal.
std::optional<BusRefusal> mainRefusal(const BusOfGroup& group);

using BusPair = std::pair<std::int32_t, std::int32_t>;  // lower rank first
struct BusAnswer {
  std::map<std::int64_t, BusOfGroup> groups;
  std::map<BusPair, BusOfGroup> pairs;  // point to point
  std::vector<BusSample> samples;       // every collective that was measured, by begin
};
BusAnswer busOf(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap);

}  // namespace runglass
