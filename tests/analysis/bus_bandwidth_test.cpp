// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "analysis/collectives/bus_bandwidth.h"

namespace runglass {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

ClockGapOf sameClock() {
  return [](std::int32_t, std::int32_t) { return ClockGap{}; };
}
ClockGapOf apartBy(DurNs error) {
  return [error](std::int32_t, std::int32_t) { return ClockGap{.kind = ClockGap::Kind::kCompared, .error = error}; };
}

// Rank r begins at r × 1 ms, all end at 10 ms.
std::vector<CollectiveSet> allOf(const std::string& name, std::int32_t ranks, std::int64_t bytes, std::int64_t seq = 1) {
  std::vector<CollectiveCall> calls;
  GroupMembers members;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    calls.push_back(
        {.rank = rank, .id = rank + 1, .t0 = rank * kNsPerMs, .t1 = 10 * kNsPerMs, .group = 7, .seq = seq, .name = name, .bytes = bytes});
    members[7].push_back(rank);
  }
  return matchCalls(std::move(calls), members);
}

BusRefusal refusal(const CollectiveSet& set, const ClockGapOf& gap = sameClock()) { return std::get<BusRefusal>(busSampleOf(set, gap)); }

TEST(BusBandwidth, AnAllReduceMovesItsBytesAlmostTwiceInTheTimeAfterTheLastRankCame) {
  const auto sets = allOf("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 4, 700 * kMiB);
  const BusSample sample = std::get<BusSample>(busSampleOf(sets.at(0), sameClock()));
  EXPECT_EQ(sample.transfer, 7 * kNsPerMs);
  EXPECT_DOUBLE_EQ(sample.bytes_per_s, 700.0 * kMiB * 1.5 / 0.007);
  EXPECT_EQ(sample.call, 4) << "the call that began last";
}

TEST(BusBandwidth, FactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(busFactor(BusOp::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(busFactor(BusOp::kAllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(busFactor(BusOp::kReduceScatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(busFactor(BusOp::kPointToPoint, 2), 1);
  EXPECT_EQ(busFactor(BusOp::kAllReduce, 1), 0);
  EXPECT_EQ(busFactor(BusOp::kAllReduce, 0), 0);
}

TEST(BusBandwidth, OperationsAreKnownByAllTheirNames) {
  EXPECT_EQ(busOpOf("nccl:_reduce_scatter_base"), BusOp::kReduceScatter);
  EXPECT_EQ(busOpOf("ncclKernel_AllGather_RING_LL_Sum_int8_t"), BusOp::kAllGather);
  EXPECT_EQ(busOpOf("nccl:all_reduce"), BusOp::kAllReduce);
  EXPECT_EQ(busOpOf("params-all-gather"), BusOp::kAllGather);
  EXPECT_EQ(busOpOf("nccl:send 0->1"), BusOp::kPointToPoint);
  EXPECT_EQ(busOpOf("barrier"), BusOp::kNone);
}

TEST(BusBandwidth, WhatCannotBeMeasuredSaysWhy) {
  auto set = allOf("all_reduce", 4, kAbsent).at(0);
  EXPECT_EQ(refusal(set), BusRefusal::kNoBytes);
  set = allOf("all_reduce", 4, 1000).at(0);
  EXPECT_EQ(refusal(set), BusRefusal::kSmall);
  set = allOf("barrier", 4, kMiB).at(0);
  EXPECT_EQ(refusal(set), BusRefusal::kOperation);
  set = allOf("all_reduce", 4, kMiB).at(0);
  set.members = 8;
  EXPECT_EQ(refusal(set), BusRefusal::kNotWhole) << "a missing rank may have come last";
  set = allOf("all_reduce", 4, kMiB).at(0);
  set.calls[1].t1 = std::numeric_limits<TimeNs>::max();
  EXPECT_EQ(refusal(set), BusRefusal::kOpen);
  EXPECT_EQ(refusal(allOf("all_reduce", 1, kMiB).at(0)), BusRefusal::kNotMatched);
}

TEST(BusBandwidth, ClocksMustBeCloserThanATenthOfTheTransfer) {
  const auto set = allOf("all_reduce", 4, kMiB).at(0);
  EXPECT_TRUE(std::holds_alternative<BusSample>(busSampleOf(set, apartBy(kNsPerMs / 2))));
  EXPECT_EQ(refusal(set, apartBy(kNsPerMs)), BusRefusal::kClocks);
  EXPECT_EQ(refusal(set, [](std::int32_t, std::int32_t) { return ClockGap{.kind = ClockGap::Kind::kUnknown}; }), BusRefusal::kClocks);
}

TEST(BusBandwidth, ASendAndItsReceiveAreAnEdgeBetweenTheirRanks) {
  std::vector<CollectiveCall> calls = {
      {.rank = 5, .id = 1, .t0 = 0, .t1 = 2 * kNsPerMs, .group = 9, .seq = 1, .name = "nccl:send", .bytes = 4 * kMiB},
      {.rank = 1, .id = 2, .t0 = kNsPerMs, .t1 = 2 * kNsPerMs, .group = 9, .seq = 1, .name = "nccl:recv", .bytes = 4 * kMiB}};
  const BusAnswer answer = busOf(matchCalls(calls, {{9, {1, 5}}}), sameClock());
  ASSERT_EQ(answer.pairs.count({1, 5}), 1U);
  EXPECT_DOUBLE_EQ(mainStats(answer.pairs.at({1, 5}))->median, 4.0 * kMiB / 0.001);
}

TEST(BusBandwidth, AGroupHasItsMedianItsWorstAndHowManyItWasMeasuredFrom) {
  std::vector<CollectiveSet> sets;
  for (std::int64_t i = 1; i <= 3; ++i) sets.push_back(allOf("all_reduce", 4, i * 10 * kMiB, i).at(0));
  sets.push_back(allOf("all_reduce", 4, 8, 4).at(0));
  const BusAnswer answer = busOf(sets, sameClock());
  const BusOfGroup& group = answer.groups.at(7);
  const BusStats* stats = mainStats(group);
  ASSERT_NE(stats, nullptr);
  EXPECT_EQ(stats->samples, 3U);
  EXPECT_DOUBLE_EQ(stats->median, 2 * stats->worst);
  EXPECT_EQ(mainRefusal(group), BusRefusal::kSmall);
  EXPECT_TRUE(busOf({}, sameClock()).groups.empty());
}

}  // namespace
}  // namespace runglass
