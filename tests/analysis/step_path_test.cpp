// SPDX-License-Identifier: Apache-2.0
// The critical path of a step: jobs with a known path, jobs of any kind, and simulated ones.
#include "analysis/step_graph/step_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "collectors/sim/simulator.h"
#include "tests/analysis/recorded_job.h"
#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

constexpr DurNs kMs = kNsPerMs;

StepGraph graphOf(const RecordedJob& job) { return buildStepGraph(job.ranks, job.ops); }
CriticalPath pathOf(const StepGraph& graph, const StepGraph::Step& step) { return criticalPath(graph, step, StepHolds(graph, step)); }
DurNs spent(const CriticalPath& path, StepOp op) { return path.by_op[static_cast<std::size_t>(op)]; }

// As recorded by tools whose communication spans begin when the last member enters.
void trimWaiting(StepGraph& graph) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    graph.start[i] += graph.dur[i] - graph.work[i];
    graph.dur[i] = graph.work[i];
  }
}

// In order of time, with the stage: "F0@3" for a pass, the name for any other operation.
std::vector<std::string> reported(const StepGraph& graph, const CriticalPath& path) {
  std::vector<std::string> out;
  for (const PathPiece& piece : path.pieces) {
    const StepOp op = graph.op[piece.node];
    std::string text = piece.time == PathTime::kLaunch ? "launch " : piece.time == PathTime::kUnexplained ? "unexplained " : "";
    text += op == StepOp::kForward ? "F" : op == StepOp::kBackward ? "B" : stepOpName(op);
    if (isPass(op)) text += std::to_string(graph.microbatch[piece.node]);
    out.push_back(text + "@" + std::to_string(graph.workers[graph.worker[piece.node]].pp));
  }
  return out;
}

void expectWhole(const StepGraph::Step& step, const CriticalPath& path) {
  EXPECT_EQ(path.total, step.t1 - step.t0);
  EXPECT_EQ(std::accumulate(path.by_op.begin(), path.by_op.end(), path.launch + path.unexplained), path.total);
  TimeNs at = step.t0;
  for (const PathPiece& piece : path.pieces) {
    EXPECT_EQ(piece.t0, at) << "each begins where the one before ends";
    EXPECT_LT(piece.t0, piece.t1);
    at = piece.t1;
  }
  EXPECT_EQ(at, step.t1);
}

TEST(StepPathTest, TheCriticalPathLeadsThroughTheSlowReplica) {
  const RecordedJob job = record(
      {.dp = 2, .pp = 2, .pass = [](std::int64_t, int dp, int, int, bool forward) { return (forward ? 100 : 200) * (dp + 1) * kMs; }});
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  EXPECT_EQ(path.total, job.step_times[0]);
  expectWhole(graph.steps[0], path);
  for (const PathPiece& piece : path.pieces) EXPECT_TRUE(!isPass(graph.op[piece.node]) || graph.workers[graph.worker[piece.node]].dp == 1);
  EXPECT_EQ(path.launch + path.unexplained, 0);
}

TEST(StepPathTest, ASlowLastStageThatComputesWithoutPauseIsThePath) {
  for (const bool trimmed : {false, true}) {
    StepGraph graph = graphOf(record({.pp = 4, .posts_in_order = true, .pass = [](std::int64_t, int, int stage, int, bool forward) {
                                        return (forward ? 100 : 200) * (stage == 3 ? 3 : 2) / 2 * kMs;
                                      }}));
    ASSERT_EQ(graph.steps.size(), 1U);
    if (trimmed) trimWaiting(graph);
    const CriticalPath path = pathOf(graph, graph.steps[0]);
    expectWhole(graph.steps[0], path);
    EXPECT_THAT(reported(graph, path),
                ::testing::ElementsAre("F0@0", "forward-recv@1", "F0@1", "forward-recv@2", "F0@2", "forward-recv@3", "F0@3", "B0@3",
                                       "forward-recv@3", "F1@3", "B1@3", "forward-recv@3", "F2@3", "B2@3", "forward-recv@3", "F3@3", "B3@3",
                                       "backward-recv@2", "B3@2", "backward-recv@1", "B3@1", "backward-recv@0", "B3@0",
                                       "grads-reduce-scatter@0", "optimizer@0"))
        << trimmed;
    EXPECT_EQ(spent(path, StepOp::kForward), (3 * 100 + 4 * 150) * kMs);
    EXPECT_EQ(spent(path, StepOp::kBackward), (3 * 200 + 4 * 300) * kMs);
    EXPECT_EQ(path.launch + path.unexplained, 0);
  }
}

TEST(StepPathTest, ASlowTransferIsOnThePath) {
  const StepGraph graph = graphOf(record({.pp = 2, .micro_batches = 1, .transfer = 500 * kMs}));
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  expectWhole(graph.steps[0], path);
  EXPECT_THAT(reported(graph, path), ::testing::ElementsAre("F0@0", "forward-recv@1", "F0@1", "B0@1", "backward-recv@0", "B0@0",
                                                            "grads-reduce-scatter@0", "optimizer@0"));
  EXPECT_EQ(spent(path, StepOp::kForwardRecv), 500 * kMs);
  EXPECT_EQ(spent(path, StepOp::kBackwardRecv), 500 * kMs);
}

TEST(StepPathTest, AStragglersBackwardPassAndTheSynchronisationEndThePath) {
  const RecordedJob job = record({.dp = 3, .micro_batches = 2, .pass = [](std::int64_t, int dp, int, int batch, bool forward) {
                                    return (forward ? 100 : 200) * (dp == 1 && batch == 1 && !forward ? 2 : 1) * kMs;
                                  }});
  const StepGraph graph = graphOf(job);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  expectWhole(graph.steps[0], path);
  ASSERT_GE(path.pieces.size(), 3U);
  const PathPiece& pass = path.pieces[path.pieces.size() - 3];
  EXPECT_EQ(graph.workers[graph.worker[pass.node]].dp, 1);
  EXPECT_EQ(graph.op[pass.node], StepOp::kBackward);
  EXPECT_EQ(pass.t1 - pass.t0, 400 * kMs);
  EXPECT_EQ(spent(path, StepOp::kGradsReduceScatter), 5 * kMs);
}

TEST(StepPathTest, WhoWaitsInACollectiveIsHeldUpByItsLastMember) {
  const StepGraph graph = graphOf(record({.dp = 2, .pass = [](std::int64_t, int dp, int, int, bool) { return (dp + 1) * 100 * kMs; }}));
  const StepHolds holds(graph, graph.steps[0]);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.op[i] != StepOp::kGradsReduceScatter || graph.workers[graph.worker[i]].dp != 0) continue;
    const auto by = holds.of(i);
    ASSERT_TRUE(by);
    EXPECT_EQ(by->why, HoldUp::kMember);
    EXPECT_EQ(graph.workers[graph.worker[by->node]].dp, 1);
    EXPECT_EQ(by->gap, 800 * kMs);
  }
  EXPECT_FALSE(holds.of(0)) << "nothing is before the first";
}

TEST(StepPathTest, OfMembersThatAreRecordedToBeginTogetherTheOneThatHadToDoCameLast) {
  RecordedJob job;
  // The replicas' clipping begins at 50 ms: one had ended its pass at 20 ms, the other at 49 ms.
  for (const std::uint32_t rank : {0U, 1U}) {
    const DurNs backward = (rank == 0 ? 10 : 39) * kMs;
    job.ranks.push_back({.rank = static_cast<std::int32_t>(rank), .dp = static_cast<std::int32_t>(rank), .pp = 0});
    job.ops.add(rank, 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 1);
    job.ops.add(rank, 1, StepOp::kBackward, 0, 0, 10 * kMs, backward, 2);
    job.ops.add(rank, 1, StepOp::kClipGrads, -1, -1, 50 * kMs - rank * 10 * kNsPerUs, 5 * kMs + rank * 10 * kNsPerUs, 3);
  }
  const StepGraph graph = graphOf(job);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  expectWhole(graph.steps[0], path);
  EXPECT_EQ(spent(path, StepOp::kBackward), 39 * kMs);
  EXPECT_EQ(path.launch, kMs - 10 * kNsPerUs);
}

TEST(StepPathTest, GradientsThatAreReadyWithinAPassAreHeldUpByThePass) {
  RecordedJob job;
  for (const std::uint32_t rank : {0U, 1U}) {
    job.ranks.push_back({.rank = static_cast<std::int32_t>(rank), .dp = static_cast<std::int32_t>(rank), .pp = 0});
    job.ops.add(rank, 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 1);
    job.ops.add(rank, 1, StepOp::kBackward, 0, 0, 10 * kMs, 30 * kMs, 2);
    job.ops.add(rank, 1, StepOp::kGradsReduceScatter, -1, -1, 9 * kMs, 2 * kMs, 3);
    job.ops.add(rank, 1, StepOp::kGradsReduceScatter, -1, -1, 25 * kMs, 35 * kMs, 4);
    job.ops.add(rank, 1, StepOp::kOptimizer, -1, -1, 60 * kMs, 5 * kMs, 5);
  }
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  expectWhole(graph.steps[0], path);
  EXPECT_THAT(reported(graph, path), ::testing::ElementsAre("F0@0", "B0@0", "grads-reduce-scatter@0", "optimizer@0"));
  EXPECT_EQ(spent(path, StepOp::kBackward), 15 * kMs);
}

// Two stages; the first computes F0 and, 30 ms after its end, F1. In between it sends the activations of F0 for 25 ms.
RecordedJob sending(bool beside) {
  RecordedJob job;
  job.ranks = {{.rank = 0, .dp = 0, .pp = 0}, {.rank = 1, .dp = 0, .pp = 1}};
  const auto add = [&](std::uint32_t rank, StepOp op, std::int64_t batch, std::int64_t from, std::int64_t to) {
    job.ops.add(rank, 1, op, 0, batch, from * kMs, (to - from) * kMs, static_cast<std::int64_t>(job.ops.size()));
  };
  add(0, StepOp::kForward, 0, 0, 10);
  add(0, StepOp::kForwardSend, 0, 10, 35);
  add(1, StepOp::kForwardRecv, 0, 0, 35);
  add(1, StepOp::kForward, 0, 35, 36);
  add(1, StepOp::kBackward, 0, 36, 37);
  add(0, StepOp::kForward, 1, 40, 200);
  // The second send: after the pass, or in parallel with the next.
  add(0, StepOp::kForwardSend, 1, 200, beside ? 230 : 210);
  add(1, StepOp::kForwardRecv, 1, 190, beside ? 230 : 210);
  add(1, StepOp::kForward, 1, 230, 231);
  add(1, StepOp::kBackward, 1, 231, 232);
  add(1, StepOp::kBackwardSend, 0, 37, 38);
  add(0, StepOp::kBackwardRecv, 0, 12, 38);
  add(0, StepOp::kBackward, 0, 210, 400);
  add(1, StepOp::kBackwardSend, 1, 240, 241);
  add(0, StepOp::kBackwardRecv, 1, 239, 241);
  add(0, StepOp::kBackward, 1, 400, 500);
  return job;
}

TEST(StepPathTest, ASendHoldsUpTheNextPassOnlyWhereSendsNeverRunBesidePasses) {
  const StepGraph blocking = graphOf(sending(false)), overlapping = graphOf(sending(true));
  ASSERT_EQ(blocking.steps.size(), 1U);
  ASSERT_EQ(overlapping.steps.size(), 1U);
  const CriticalPath waits = pathOf(blocking, blocking.steps[0]), goes_on = pathOf(overlapping, overlapping.steps[0]);
  expectWhole(blocking.steps[0], waits);
  expectWhole(overlapping.steps[0], goes_on);
  EXPECT_THAT(reported(blocking, waits),
              ::testing::ElementsAre("F0@0", "forward-send@0", "launch F1@0", "F1@0", "forward-send@0", "B0@0", "B1@0"));
  EXPECT_EQ(waits.launch, 5 * kMs);
  EXPECT_THAT(reported(overlapping, goes_on), ::testing::ElementsAre("F0@0", "launch F1@0", "F1@0", "launch B0@0", "B0@0", "B1@0"));
  EXPECT_EQ(goes_on.launch, (30 + 10) * kMs);
}

TEST(StepPathTest, OfTwoThatEndedTogetherTheDependencyHeldUp) {
  RecordedJob job;
  job.ranks = {{.rank = 0, .dp = 0, .pp = 0}, {.rank = 1, .dp = 0, .pp = 1}};
  job.ops.add(0, 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 1);
  job.ops.add(0, 1, StepOp::kForwardSend, 0, 0, 10 * kMs, 21 * kMs + 20 * kNsPerUs, 2);  // ends 20 us after the gradients arrived
  job.ops.add(1, 1, StepOp::kForwardRecv, 0, 0, 0, 11 * kMs, 3);
  job.ops.add(1, 1, StepOp::kForward, 0, 0, 11 * kMs, 9 * kMs, 4);
  job.ops.add(1, 1, StepOp::kBackward, 0, 0, 20 * kMs, 10 * kMs, 5);
  job.ops.add(1, 1, StepOp::kBackwardSend, 0, 0, 30 * kMs, kMs, 6);
  job.ops.add(0, 1, StepOp::kBackwardRecv, 0, 0, 11 * kMs, 20 * kMs, 7);
  job.ops.add(0, 1, StepOp::kBackward, 0, 0, 31 * kMs + 30 * kNsPerUs, 19 * kMs, 8);
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  const auto last = static_cast<std::uint32_t>(std::ranges::find(graph.span_id, 8) - graph.span_id.begin());
  const auto by = StepHolds(graph, graph.steps[0]).of(last);
  ASSERT_TRUE(by);
  EXPECT_EQ(by->why, HoldUp::kDependency);
  EXPECT_EQ(graph.op[by->node], StepOp::kBackwardRecv);
  EXPECT_EQ(by->gap, 30 * kNsPerUs);
}

TEST(StepPathTest, WhatIsNotRecordedIsNotExplained) {
  RecordedJob job = record({.pp = 2, .reported_transfers = false});
  // 40 ms between the stages without recorded spans.
  for (std::size_t i = 0; i < job.ops.size(); ++i)
    if (job.ops.rank[i] == 1) job.ops.start[i] += 40 * kMs;
  const StepGraph graph = graphOf(job);
  ASSERT_EQ(graph.steps.size(), 1U);
  const CriticalPath path = pathOf(graph, graph.steps[0]);
  expectWhole(graph.steps[0], path);
  EXPECT_EQ(path.unexplained, 40 * kMs);
  EXPECT_EQ(path.launch, 0);
}

TEST(StepPathTest, BubblesAndComputationFillTheStep) {
  const StepGraph graph = graphOf(record({.pp = 4}));
  const auto& step = graph.steps[0];
  std::vector<DurNs> idle(4), busy(4);
  for (const Bubble& bubble : bubbles(graph, step, 0)) {
    EXPECT_LT(bubble.t0, bubble.t1);
    idle[bubble.worker] += bubble.t1 - bubble.t0;
  }
  for (std::uint32_t i = step.first_node; i < step.end_node; ++i)
    if (!isCommunication(graph.op[i])) busy[graph.worker[i]] += graph.dur[i];
  for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(idle[w] + busy[w], step.t1 - step.t0);
  EXPECT_GT(idle[0], 3 * 300 * kMs - 10 * kMs) << "the pipeline fills and drains";
}

TEST(StepPathTest, OfAnyPipelineThePathIsWholeAndNoTimeOfItIsUnexplained) {
  std::mt19937 random(20'25);
  const auto any = [&](int low, int high) { return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)); };
  for (int round = 0; round < 200; ++round) {
    const unsigned seed = random();
    JobShape shape{.dp = any(1, 3), .pp = any(1, 4), .chunks = any(1, 4) == 1 ? 2 : 1, .micro_batches = any(1, 6), .steps = {1, 2}};
    if (shape.pp == 1) shape.chunks = 1;
    shape.transfer = any(0, 40) * kMs, shape.sync = any(0, 30) * kMs, shape.optimizer = any(1, 20) * kMs;
    shape.posts_in_order = shape.chunks == 1 && any(0, 1) == 1;
    shape.reported_transfers = any(0, 4) > 0;
    shape.pass = [seed](std::int64_t step, int dp, int stage, int batch, bool forward) {
      std::seed_seq of{static_cast<unsigned>(step),  seed,
                       static_cast<unsigned>(dp),    static_cast<unsigned>(stage),
                       static_cast<unsigned>(batch), forward ? 1U : 0U};
      return static_cast<DurNs>(1 + std::mt19937(of)() % 300) * kMs;
    };
    StepGraph graph = graphOf(record(shape));
    ASSERT_EQ(graph.steps.size(), 2U);
    for (const bool trimmed : {false, true}) {
      if (trimmed) trimWaiting(graph);
      for (const auto& step : graph.steps) {
        const CriticalPath path = pathOf(graph, step);
        expectWhole(step, path);
        EXPECT_EQ(path.launch, 0) << round;
        EXPECT_EQ(path.unexplained, 0) << round;
        std::vector<DurNs> busy(graph.workers.size());
        for (std::uint32_t i = step.first_node; i < step.end_node; ++i)
          if (!isCommunication(graph.op[i])) busy[graph.worker[i]] += graph.dur[i];
        EXPECT_GE(path.total, *std::ranges::max_element(busy));
        for (std::uint32_t replica = 0; replica < graph.replicas.size(); ++replica)
          for (const Bubble& bubble : bubbles(graph, step, replica))
            for (const PathPiece& piece : path.pieces)
              EXPECT_FALSE(graph.worker[piece.node] == bubble.worker && !isCommunication(graph.op[piece.node]) && piece.t0 < bubble.t1 &&
                           bubble.t0 < piece.t1)
                  << "computed in a bubble";
      }
    }
  }
}

TEST(StepPathTest, ASimulatedSlowGpuIsOnThePathAndItsReplicaCarriesIt) {
  sim::Scenario s;
  s.seed = 7, s.steps = 6, s.nodes = 2, s.tp = 2, s.pp = 4, s.dp = 2, s.micro_batches = 8, s.step_seconds = 4, s.metrics_hertz = 0;
  sim::Fault fault;
  fault.kind = "slow_rank", fault.target = {.kind = sim::Target::Kind::kRank, .index = 9, .nic = ""}, fault.strength = 1.2;
  fault.first_step = 1, fault.last_step = 6;
  s.faults = {fault};
  test::MemoryRecorder out;
  ASSERT_TRUE(sim::play(s, out, {.start = 1'700'000'000'000'000'000, .speed = 0}).ok());
  std::vector<StepRank> ranks;
  for (std::int32_t rank = 0; rank < 16; ++rank) ranks.push_back({.rank = rank, .dp = rank / 2 % 2, .pp = rank / 4});
  StepOpColumns ops;
  for (const auto& [id, key] : out.track_keys) {
    const auto batches = out.span_batches.find(id);
    if (!key.rank || batches == out.span_batches.end()) continue;
    for (const SpanColumns& batch : batches->second)
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const StepOps is = stepOpsOf(batch.names[batch.name[i]]);
        for (int k = 0; k < is.count; ++k)
          ops.add(static_cast<std::uint32_t>(*key.rank), batch.step[i], is.ops[static_cast<std::size_t>(k)], -1, batch.microbatch[i],
                  batch.start[i], batch.dur[i], 0);
      }
  }
  const StepGraph graph = buildStepGraph(ranks, ops);
  ASSERT_EQ(graph.steps.size(), 6U);
  EXPECT_TRUE(graph.has_transfers);
  for (const auto& step : graph.steps) {
    const CriticalPath path = pathOf(graph, step);
    expectWhole(step, path);
    std::map<std::pair<int, int>, DurNs> passes;
    DurNs all = 0;
    for (const PathPiece& piece : path.pieces) {
      if (piece.time != PathTime::kRan || !isPass(graph.op[piece.node])) continue;
      const StepWorker& worker = graph.workers[graph.worker[piece.node]];
      passes[{worker.dp, worker.pp}] += piece.t1 - piece.t0, all += piece.t1 - piece.t0;
    }
    EXPECT_GT((passes[{0, 2}]), all / 2) << "rank 9 is of stage 2, dp 0";
    EXPECT_LT(path.launch + path.unexplained, path.total / 100);
  }
}

}  // namespace
}  // namespace runglass
