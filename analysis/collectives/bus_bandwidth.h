// SPDX-License-Identifier: Apache-2.0
// Bus bandwidth of collectives: the rate at which bytes move, independent of the number of ranks.
//
// busbw = bytes × factor / transfer. Factors: nccl-tests, doc/PERFORMANCE.md: all-reduce 2(n-1)/n; all-gather, reduce-scatter and
// all-to-all (n-1)/n of the larger buffer; broadcast, reduce and point to point 1. Transfer = end - max(start over the members): Lin et
// al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.
//
// Threading:  pure functions.
// Units:      bytes of the larger buffer, DurNs, bytes per second.
// Errors:     a set that cannot be measured has a refusal; nothing is measured when the clocks' error is too large for it.
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
inline constexpr double kMaxClockShare = 0.1;  // clocks may be off by at most this share of the transfer

enum class BusRefusal : std::uint8_t {
  kNoBytes,
  kSmall,       // under kMinBusBytes
  kNotMatched,  // the calls cannot be matched into one collective
  kNotWhole,    // a member's call is missing: the last member to begin is unknown
  kOpen,        // not ended
  kClocks,      // never compared, or their error is too large
  kOperation    // an operation without a factor
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
  std::int32_t from = -1, to = -1;  // of a point-to-point transfer
  bool at_least = false;  // a lower bound: calls of members are missing, and `transfer` includes waiting for members that began later
};
std::variant<BusSample, BusRefusal> busSampleOf(const CollectiveSet& set, const ClockGapOf& gap);
// For a set with missing calls, as in a trace of one rank: the lower bound that the recorded calls give. Absent: they give none.
std::optional<BusSample> leastBusSampleOf(const CollectiveSet& set, const ClockGapOf& gap);

struct BusStats {
  std::size_t samples = 0;
  double median = 0, worst = 0;  // bytes per second
  BusSample worst_sample;
};
BusStats busStats(std::vector<BusSample> samples);

// Of one communicator, or of one pair of its ranks.
struct BusOfGroup {
  std::map<BusOp, BusStats> of_op;
  std::map<BusOp, BusStats> at_least;  // of collectives with missing calls
  std::array<std::size_t, kBusRefusals> refused{};
  std::optional<BusStats> said;  // measured by NCCL Inspector
};
// The statistics of the operation with the most samples.
const BusStats* mainStats(const BusOfGroup& group);
// The reason for missing statistics: the most frequent refusal.
std::optional<BusRefusal> mainRefusal(const BusOfGroup& group);

using BusPair = std::pair<std::int32_t, std::int32_t>;  // lower rank first
struct BusAnswer {
  std::map<std::int64_t, BusOfGroup> groups;
  std::map<BusPair, BusOfGroup> pairs;  // point to point
  std::vector<BusSample> samples;       // every measured collective, by start
};
BusAnswer busOf(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap);

}  // namespace runglass
