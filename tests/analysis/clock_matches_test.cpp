// SPDX-License-Identifier: Apache-2.0
// Matching calls of ranks in real stores: the simulator's skewed nodes, a real trace, and data that must be rejected.
#include "analysis/clock_align/clock_matches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "collectors/importers/session/import_session.h"
#include "collectors/sim/simulator.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

TEST(CallKind, KnowsWhoseEndsAreTogetherByTheirNames) {
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", "nccl:all_gather", "all_reduce dp",
                           "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "c10d::alltoall_", "grads-reduce-scatter", "barrier"})
    EXPECT_EQ(callKind(name), CallKind::kTogether) << name;
  for (const char* name : {"ncclDevKernel_Broadcast_RING_LL", "ncclDevKernel_Reduce_Sum_f32", "ncclDevKernel_SendRecv", "forward", "",
                           "ncclDevKernel_Generic_4"})
    EXPECT_EQ(callKind(name), CallKind::kOther) << name;
  EXPECT_EQ(callKind("nccl:send 1->2"), CallKind::kSend);
  EXPECT_EQ(callKind("forward-recv"), CallKind::kReceive);
}

class ClockMatchesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> writer() {
    auto opened = m_store.writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  ClockProposal propose() {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const auto runs = (*reader)->runs();
    const auto attempts = (*reader)->attempts(runs->front().id);
    auto proposal = proposeAlignment(**reader, runs->front().id, attempts->back().id, {});
    EXPECT_TRUE(proposal.ok()) << proposal.status().message();
    return std::move(*proposal);
  }
  ClockProposal simulated(std::vector<sim::Fault> faults, std::int32_t tp = 2, std::int32_t pp = 1, std::int32_t dp = 8,
                          const char* order = "tp-cp-ep-dp-pp") {
    sim::Scenario s;
    s.name = "small";
    s.steps = 60;
    s.tp = tp, s.pp = pp, s.dp = dp, s.order = order;
    s.nodes = 4;
    s.gpus_per_node = 4;
    s.micro_batches = 4;
    s.metrics_hertz = 1;
    s.spans = sim::SpanDetail::kCoarse;
    s.faults = std::move(faults);
    {
      auto out = writer();
      const Status status = sim::play(s, *out, {.start = kStart, .speed = 0});
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(out->close().ok());
    }
    return propose();
  }
  static sim::Fault skew(std::int32_t node, double seconds) {
    return {"clock_skew", {.kind = sim::Target::Kind::kNode, .index = node}, 1, 60, seconds, std::nullopt};
  }
  TempStore m_store;
};

TEST_F(ClockMatchesTest, FindsTheSkewOfASimulatedNodeAndOneShiftForAllItsRanks) {
  const ClockProposal found = simulated({skew(2, 0.25)});
  ASSERT_EQ(found.result.verdict, ClockAlignVerdict::kShift) << found.result.words;
  ASSERT_EQ(found.owners.size(), 4U);
  EXPECT_EQ(found.owners[2].name, "sim-0002");
  EXPECT_THAT(found.owners[2].ranks, testing::ElementsAre(8, 9, 10, 11));
  EXPECT_EQ(found.result.matches, 120) << "60 steps, two groups of eight replicas";
  ASSERT_EQ(found.edit.shifts.size(), 16U) << "the others get their error";
  for (const ClockShift& shift : found.edit.shifts) EXPECT_EQ(shift.shift, shift.rank / 4 == 2 ? -250 * kNsPerMs : 0) << shift.rank;
  // After storing the alignment, the same one is found again: existing alignments are not taken into account.
  {
    auto out = writer();
    ASSERT_TRUE(out->edit(found.edit).ok());
    ASSERT_TRUE(out->close().ok());
  }
  EXPECT_EQ(propose().edit.shifts.size(), 16U);
  auto reader = m_store.reader();
  std::set<TimeNs> ends;
  const auto tracks = (*reader)->tracks(AttemptId{1});
  for (const Track& track : *tracks) {
    const auto spans = (*reader)->spans(track.id, {});
    for (std::size_t i = 0; i < spans->size(); ++i)
      if (spans->category[i] == SpanCategory::kComm && spans->seq[i] == 30) ends.insert(spans->start[i] + spans->dur[i]);
  }
  EXPECT_EQ(ends.size(), 1U) << "step 30's gradients are there at one moment for everybody";
}

TEST_F(ClockMatchesTest, ASlowRankIsNoSkew) {
  const ClockProposal found = simulated({{"slow_rank", {.kind = sim::Target::Kind::kRank, .index = 5}, 1, 60, 1.5, std::nullopt}});
  EXPECT_EQ(found.result.verdict, ClockAlignVerdict::kAgree) << found.result.words;
  EXPECT_THAT(found.edit.shifts, IsEmpty());
}

TEST_F(ClockMatchesTest, FindsTheSkewByTheTransfersBetweenStagesWhereEachNodeReducesByItself) {
  const ClockProposal found = simulated({skew(2, 0.25)}, 1, 4, 4);
  ASSERT_EQ(found.result.verdict, ClockAlignVerdict::kShift) << found.result.words;
  for (const ClockShift& shift : found.edit.shifts) EXPECT_EQ(shift.shift, shift.rank / 4 == 2 ? -250 * kNsPerMs : 0) << shift.rank;
}

TEST_F(ClockMatchesTest, RefusesWhereEachNodeReducesByItself) {
  const ClockProposal found = simulated({skew(2, 0.25)}, 4, 1, 4, "dp-tp-cp-ep-pp");
  EXPECT_EQ(found.result.verdict, ClockAlignVerdict::kRefused);
  EXPECT_THAT(found.result.words, HasSubstr("no two on different clocks"));
}

// Ranks without nodes: each has its own clock. `record` records a rank's data.
class MadeRanksTest : public ClockMatchesTest {
 protected:
  template <class Record>
  ClockProposal made(int ranks, Record record) {
    {
      auto out = writer();
      const AttemptId attempt = out->attempt({.run = out->run({.name = "r"})});
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        SpanColumns spans;
        spans.names = {"ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather"};
        record(rank, spans);
        out->spans(out->track({.attempt = attempt, .rank = rank, .kind = "gpu_stream", .name = "7"}), spans);
      }
      EXPECT_TRUE(out->close().ok());
    }
    return propose();
  }
  static void add(SpanColumns& spans, TimeNs start, DurNs dur, std::int64_t group, std::int64_t seq, std::uint32_t name = 0) {
    spans.start.push_back(start), spans.dur.push_back(dur), spans.name.push_back(name), spans.category.push_back(SpanCategory::kComm);
    spans.group.push_back(group), spans.seq.push_back(seq);
  }
};

TEST_F(MadeRanksTest, ComparesEndsSoThatAStragglersLateBeginStays) {
  const ClockProposal found = made(3, [](std::int32_t rank, SpanColumns& spans) {
    for (int i = 0; i < 100; ++i) {
      const TimeNs end = kStart + (i + 1) * 100 * kNsPerMs + (rank == 1 ? 3 * kNsPerMs : 0) + (i * 7 + rank * 3) % 5 * 1'000;
      const DurNs dur = rank == 2 ? kNsPerMs : 60 * kNsPerMs;  // rank 2 begins last and waits least
      add(spans, end - dur, dur, 9, i);
    }
  });
  ASSERT_EQ(found.result.verdict, ClockAlignVerdict::kShift) << found.result.words;
  EXPECT_EQ(found.owners[2].name, "rank 2");
  EXPECT_THAT(found.result.clocks[2].knots, IsEmpty());
  EXPECT_NEAR(static_cast<double>(found.result.clocks[1].shift), -3e6, 3'000);
}

TEST_F(MadeRanksTest, LeavesOutNumbersThatARankUsedTwiceAndOperationsThatDisagree) {
  const ClockProposal found = made(3, [](std::int32_t rank, SpanColumns& spans) {
    for (int i = 0; i < 100; ++i) {
      add(spans, kStart + i * kNsPerMs, 1'000, 9, i);
      if (rank == 1 && i < 50) add(spans, kStart + i * kNsPerMs + 500'000, 1'000, 9, i);
    }
    add(spans, kStart + kNsPerSecond, kAbsent, 9, 200);                 // never ended
    add(spans, std::numeric_limits<TimeNs>::max() - 5, 1'000, 9, 201);  // ends beyond int64
    add(spans, std::numeric_limits<TimeNs>::min(), rank == 0 ? 0 : kNsPerSecond, 9, 202);
  });
  EXPECT_EQ(found.odd, 100);
  EXPECT_EQ(found.result.clocks[1].matches, 50);
  EXPECT_EQ(found.result.verdict, ClockAlignVerdict::kAgree) << found.result.words;
}

TEST_F(MadeRanksTest, WithoutNumbersMatchesByOrderOnlyWhereAllRanksTellTheSame) {
  const auto reported = [this](int missing) {
    return made(2, [missing](std::int32_t rank, SpanColumns& spans) {
      for (int i = 0; i < 60; ++i)
        if (rank != 1 || i != missing)
          add(spans, kStart + i * kNsPerMs + rank * 5 * kNsPerMs + i * 100, 1'000, 4, kAbsent, static_cast<std::uint32_t>(i % 2));
    });
  };
  const ClockProposal same = reported(-1);
  ASSERT_EQ(same.result.verdict, ClockAlignVerdict::kShift) << same.result.words;
  EXPECT_EQ(same.by_order, 60);
  std::filesystem::remove(m_store.path());
  const ClockProposal cut = reported(0);
  EXPECT_EQ(cut.result.verdict, ClockAlignVerdict::kRefused) << "rank 1's trace begins an operation later: the order is not the number";
  EXPECT_EQ(cut.odd, 119);
}

TEST_F(MadeRanksTest, ARankThatSaysNothingIsNotAligned) {
  const ClockProposal found = made(4, [](std::int32_t rank, SpanColumns& spans) {
    for (int i = 0; i < 100 && rank != 3; ++i) add(spans, kStart + i * kNsPerMs + rank * kNsPerMs * 20, 1'000, 9, i);
  });
  ASSERT_EQ(found.result.verdict, ClockAlignVerdict::kShift);
  EXPECT_FALSE(found.result.clocks[3].aligned);
  for (const ClockShift& shift : found.edit.shifts) EXPECT_NE(shift.rank, 3);
}

TEST_F(ClockMatchesTest, EightRanksOfOneMachineAgree) {
  const std::string traces = std::string(RG_SHARED_DATA) + "/kineto/modded_nanogpt_8xH100_2025-12-11";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "no " << traces;
  {
    auto out = writer();
    ASSERT_TRUE(ImportSession(*out, {}).import({traces}).ok());
    ASSERT_TRUE(out->close().ok());
  }
  const ClockProposal found = propose();
  EXPECT_EQ(found.result.verdict, ClockAlignVerdict::kAgree) << found.result.words;
  EXPECT_EQ(found.by_order, 56) << "this profiler numbers nothing";
  EXPECT_EQ(found.result.matches, 56);
  EXPECT_LT(found.result.after, 10'000) << "one clock: its collectives end within microseconds";
  for (const AlignedClock& clock : found.result.clocks) EXPECT_LT(clock.error, 100'000);
}

}  // namespace
}  // namespace runglass
