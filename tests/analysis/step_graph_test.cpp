// SPDX-License-Identifier: Apache-2.0
// The dependencies of a step's operations, and inconsistent steps.
#include "analysis/step_graph/step_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "analysis/step_graph/step_path.h"
#include "tests/analysis/recorded_job.h"

namespace runglass {
namespace {

constexpr DurNs kMs = kNsPerMs;

StepGraph graphOf(const RecordedJob& job) { return buildStepGraph(job.ranks, job.ops); }

// One rank: computations of 10, 20 and 5 ms with a gap of 3 ms before the last.
RecordedJob lonely() {
  RecordedJob job;
  job.ranks = {{.rank = 0, .dp = 0, .pp = 0}};
  job.ops.add(0, 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 1);
  job.ops.add(0, 1, StepOp::kBackward, 0, 0, 10 * kMs, 20 * kMs, 2);
  job.ops.add(0, 1, StepOp::kOptimizer, -1, -1, 33 * kMs, 5 * kMs, 3);
  return job;
}

CriticalPath pathOf(const StepGraph& graph, const StepGraph::Step& step) { return criticalPath(graph, step, StepHolds(graph, step)); }

std::uint32_t nodeOf(const StepGraph& graph, std::int64_t span) {
  return static_cast<std::uint32_t>(std::ranges::find(graph.span_id, span) - graph.span_id.begin());
}

TEST(StepOpTest, NamesOfToolsMeanTheSameOperations) {
  const auto op = [](const char* name) {
    const StepOps ops = stepOpsOf(name);
    return ops.count == 1 ? std::optional(ops.ops[0]) : std::nullopt;
  };
  EXPECT_EQ(op("forward-compute"), StepOp::kForward);
  EXPECT_EQ(op("forward"), StepOp::kForward);
  EXPECT_EQ(op("recv_forward"), StepOp::kForwardRecv);
  EXPECT_EQ(op("all_reduce dp"), StepOp::kGradsAllReduce);
  EXPECT_EQ(op("optimizer"), StepOp::kOptimizer);
  EXPECT_EQ(op("unshard-all-gather"), StepOp::kParamsAllGather);
  EXPECT_EQ(op("forward-backward"), std::nullopt) << "holds other operations";
  EXPECT_EQ(op(""), std::nullopt);
  EXPECT_EQ(op(std::string(10'000, 'x').c_str()), std::nullopt);
  EXPECT_EQ(stepOpsOf("backward-send-forward-recv").count, 2);
  for (int i = 0; i < kStepOpCount; ++i) EXPECT_EQ(op(stepOpName(static_cast<StepOp>(i))), static_cast<StepOp>(i));
}

TEST(StepGraphTest, AWorkersOperationsWaitForTheOneBefore) {
  const StepGraph graph = graphOf(lonely());
  ASSERT_EQ(graph.steps.size(), 1U);
  EXPECT_EQ(graph.steps[0].t1 - graph.steps[0].t0, 38 * kMs);
  const std::uint32_t backward = nodeOf(graph, 2), optimizer = nodeOf(graph, 3);
  ASSERT_EQ(graph.depsOf(optimizer).size(), 1U);
  EXPECT_EQ(graph.depsOf(optimizer)[0], backward);
  EXPECT_EQ(graph.delay[optimizer], 3 * kMs);
  EXPECT_EQ(graph.delay[backward], 0);
}

TEST(StepGraphTest, EveryDependencyComesBeforeWhatWaitsForIt) {
  for (const int chunks : {1, 2}) {
    const StepGraph graph = graphOf(record({.dp = 3, .pp = 4, .chunks = chunks, .micro_batches = 4, .steps = {1, 2}}));
    ASSERT_EQ(graph.steps.size(), 2U);
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      for (const std::uint32_t dep : graph.depsOf(i)) EXPECT_LT(graph.groupOf(dep), graph.groupOf(i));
  }
}

TEST(StepGraphTest, ASendAndItsReceiveAreOneGroupAlsoWhenThePipelineWrapsAround) {
  const RecordedJob job = record({.pp = 2, .chunks = 2, .micro_batches = 2});
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  std::size_t pairs = 0, wrapped = 0;
  for (std::uint32_t g = 0; g + 1 < graph.first_member.size(); ++g) {
    if (graph.first_member[g + 1] - graph.first_member[g] != 2 || !isPipelineOp(graph.op[graph.first_member[g]])) continue;
    const std::uint32_t a = graph.first_member[g], b = a + 1;
    ++pairs;
    EXPECT_EQ(graph.start[a] + graph.dur[a], graph.start[b] + graph.dur[b]) << "both ended when the transfer did";
    EXPECT_EQ(graph.work[a], kMs);
    const std::uint32_t sender = graph.op[a] == StepOp::kForwardSend || graph.op[a] == StepOp::kBackwardSend ? a : b;
    wrapped += graph.op[sender] == StepOp::kForwardSend && graph.workers[graph.worker[sender]].pp == 1 ? 1 : 0;
  }
  EXPECT_EQ(pairs, 3U * 2 * 2) << "three hops, two micro-batches, two ways";
  EXPECT_EQ(wrapped, 2U) << "from the last stage to the second chunk of the first";
}

TEST(StepGraphTest, TransferIsWhatComesAfterTheLastMemberBegan) {
  const StepGraph graph = graphOf(record({.dp = 2, .pass = [](std::int64_t, int dp, int, int, bool) { return (dp + 1) * 100 * kMs; }}));
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.op[i] != StepOp::kGradsReduceScatter) continue;
    EXPECT_EQ(graph.work[i], 5 * kMs);
    EXPECT_EQ(graph.dur[i], graph.workers[graph.worker[i]].dp == 0 ? 805 * kMs : 5 * kMs) << "the fast replica waits";
  }
}

TEST(StepGraphTest, RanksOfAWorkerAreFoldedToTheSlowest) {
  RecordedJob job = lonely();
  job.ranks.push_back({.rank = 1, .dp = 0, .pp = 0});
  job.ops.add(1, 1, StepOp::kForward, 0, 0, 0, 6 * kMs, 11);
  job.ops.add(1, 1, StepOp::kBackward, 0, 0, 10 * kMs, 22 * kMs, 12);
  job.ops.add(1, 1, StepOp::kOptimizer, -1, -1, 33 * kMs, 5 * kMs, 13);
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.workers.size(), 1U);
  EXPECT_EQ(graph.workers[0].rank_count, 2U);
  ASSERT_EQ(graph.size(), 3U);
  EXPECT_EQ(graph.dur[0], 10 * kMs);
  EXPECT_EQ(graph.dur[1], 22 * kMs);
}

TEST(StepGraphTest, AStepWithAMissingOperationIsLeftOut) {
  RecordedJob job = record({.dp = 2, .pp = 2, .steps = {1, 2, 3}});
  for (std::size_t i = 0; i < job.ops.size(); ++i)
    if (job.ops.step[i] == 2 && job.ops.op[i] == StepOp::kBackward) {
      job.ops.dur[i] = -1;  // unusable
      break;
    }
  const StepGraph graph = graphOf(job);
  EXPECT_EQ(graph.gaps.odd_ops, 1U);
  EXPECT_EQ(graph.gaps.partial_steps, 1U);
  EXPECT_EQ(graph.steps.size(), 2U);
  EXPECT_EQ(graph.find(2), nullptr);
  ASSERT_NE(graph.find(3), nullptr);
}

TEST(StepGraphTest, AReplicaWithoutOneOfItsStagesIsLeftOut) {
  RecordedJob job = record({.dp = 3, .pp = 2});
  RecordedJob less;
  less.ranks = job.ranks;
  for (std::size_t i = 0; i < job.ops.size(); ++i)
    if (job.ops.rank[i] != 3)
      less.ops.add(job.ops.rank[i], job.ops.step[i], job.ops.op[i], job.ops.chunk[i], job.ops.microbatch[i], job.ops.start[i],
                   job.ops.dur[i], job.ops.span_id[i]);
  const StepGraph graph = graphOf(less);
  EXPECT_EQ(graph.gaps.replicas_left_out, 1U);
  EXPECT_EQ(graph.gaps.ranks_left_out, 1U) << "the other stage of that replica";
  EXPECT_THAT(graph.replicas, ::testing::ElementsAre(0, 2));
  EXPECT_EQ(graph.steps.size(), 1U);
}

TEST(StepGraphTest, OperationsThatWaitForEachOtherAreNoStep) {
  RecordedJob job;
  job.ranks = {{.rank = 0, .dp = 0, .pp = 0}, {.rank = 1, .dp = 1, .pp = 0}};
  // In one replica the gradients' reduction precedes the clipping, in the other it follows.
  for (const std::uint32_t rank : {0U, 1U}) {
    job.ops.add(rank, 1, StepOp::kForward, 0, 0, 0, kMs, 1);
    job.ops.add(rank, 1, StepOp::kBackward, 0, 0, kMs, kMs, 2);
    job.ops.add(rank, 1, rank == 0 ? StepOp::kGradsReduceScatter : StepOp::kClipGrads, -1, -1, 2 * kMs, kMs, 3);
    job.ops.add(rank, 1, rank == 1 ? StepOp::kGradsReduceScatter : StepOp::kClipGrads, -1, -1, 3 * kMs, kMs, 4);
  }
  const StepGraph graph = graphOf(job);
  EXPECT_TRUE(graph.steps.empty());
  EXPECT_EQ(graph.gaps.circular_steps, 1U);
}

TEST(StepGraphTest, DuplicateMicrobatchesAreMatchedInOrder) {
  RecordedJob job = record({.pp = 2});
  for (std::int64_t& batch : job.ops.microbatch)
    if (batch > 0) batch = 0;
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  EXPECT_EQ(pathOf(graph, graph.steps[0]).total, job.step_times[0]);
}

TEST(StepGraphTest, WithoutTransfersPassesWaitForTheirMicrobatchOfTheOtherStage) {
  const RecordedJob job = record({.pp = 4, .reported_transfers = false});
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  EXPECT_FALSE(graph.has_transfers);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  EXPECT_EQ(path.total, job.step_times[0]);
  EXPECT_EQ(path.launch + path.unexplained, 0);
}

TEST(StepGraphTest, StepsWithFewerOperationsThanWorkersNeedAreLeftOut) {
  RecordedJob job;
  for (std::int32_t r = 0; r < 100; ++r) {
    job.ranks.push_back({.rank = r, .dp = r, .pp = 0});
    job.ops.add(static_cast<std::uint32_t>(r), 0, StepOp::kForward, 0, 0, 0, 10 * kMs, 2 * r);
    job.ops.add(static_cast<std::uint32_t>(r), 0, StepOp::kBackward, 0, 0, 10 * kMs, 10 * kMs, 2 * r + 1);
    job.ops.add(static_cast<std::uint32_t>(r), 1 + r, StepOp::kForward, 0, 0, (r + 1) * 100 * kMs, kMs, 1'000 + r);
  }
  const StepGraph graph = graphOf(job);
  EXPECT_EQ(graph.steps.size(), 1U);
  EXPECT_EQ(graph.gaps.partial_steps, 100U);
}

TEST(StepGraphTest, NothingIsNoGraph) {
  EXPECT_TRUE(buildStepGraph({}, {}).steps.empty());
  const RecordedJob job = lonely();
  EXPECT_TRUE(buildStepGraph({}, job.ops).steps.empty()) << "ranks that nobody placed";
}

TEST(StepGraphTest, NonsenseNeverBreaksIt) {
  std::mt19937 random(7);
  const auto any = [&](std::initializer_list<std::int64_t> list) { return *(list.begin() + random() % list.size()); };
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min(), kHigh = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < 300; ++round) {
    RecordedJob job;
    for (int r = 0; r < 4; ++r)
      job.ranks.push_back({.rank = r, .dp = static_cast<std::int32_t>(random() % 3) - 1, .pp = static_cast<std::int32_t>(random() % 3)});
    for (int i = 0; i < 80; ++i)
      job.ops.add(static_cast<std::uint32_t>(random() % 5), any({1, 1, 1, kLow, kHigh}), static_cast<StepOp>(random() % kStepOpCount),
                  static_cast<std::int32_t>(any({-1, 0, 1, 2'000'000'000})), any({-1, 0, 1, kHigh}),
                  any({0, 5, 1'000, 1'000'000'000, kLow, kHigh, -7}), any({0, 1, 1'000'000, -1, kHigh, kLow}), i);
    const StepGraph graph = graphOf(job);
    for (const auto& step : graph.steps) {
      const StepHolds holds(graph, step);
      const CriticalPath path = criticalPath(graph, step, holds);
      EXPECT_EQ(path.total, step.t1 - step.t0);
      EXPECT_EQ(std::accumulate(path.by_op.begin(), path.by_op.end(), path.launch + path.unexplained), path.total);
      for (std::uint32_t i = step.first_node; i < step.end_node; ++i) {
        std::uint32_t hops = 0;
        for (auto by = holds.of(i); by && hops <= step.end_node - step.first_node; by = holds.of(by->node)) ++hops;
        EXPECT_LT(hops, step.end_node - step.first_node) << "nothing holds itself up";
      }
    }
  }
}

}  // namespace
}  // namespace runglass
