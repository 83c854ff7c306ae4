// SPDX-License-Identifier: Apache-2.0
// The cost of stragglers: replays compared with jobs played with other durations, the blamed ranks, and cases without a result.
#include "analysis/what_if/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/what_if/straggler_findings.h"
#include "analysis/what_if/what_if_analysis.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/analysis/recorded_job.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

constexpr DurNs kMs = kNsPerMs;
using Pass = std::function<DurNs(std::int64_t, int, int, int, bool)>;

struct Asked {
  std::shared_ptr<const StepGraph> graph;
  std::shared_ptr<const Replay> replay;
  WhatIf what_if;
};

Asked ask(const RecordedJob& job) {
  Asked asked;
  asked.graph = std::make_shared<const StepGraph>(buildStepGraph(job.ranks, job.ops));
  asked.replay = std::make_shared<const Replay>(asked.graph);
  asked.what_if = askWhatIf(*asked.replay);
  return asked;
}

std::vector<std::int64_t> steps(int count) {
  std::vector<std::int64_t> out;
  for (int i = 0; i < count; ++i) out.push_back(100 + i);
  return out;
}

DurNs usual(bool forward) { return (forward ? 100 : 200) * kMs; }

std::vector<std::string> kindsOf(const RecordedJob& job, std::vector<Finding>* findings = nullptr) {
  const Asked asked = ask(job);
  WhatIfData data;
  data.gpus = static_cast<std::int32_t>(job.ranks.size());
  data.graph = asked.graph, data.replay = asked.replay, data.what_if = asked.what_if;
  data.coverage.steps = asked.graph->steps.size();
  data.coverage.first_step = 100, data.coverage.last_step = 100 + static_cast<std::int64_t>(data.coverage.steps) - 1;
  for (const StepRank& rank : job.ranks)
    data.ranks.push_back({.attempt = {}, .rank = rank.rank, .node = NodeId{static_cast<std::uint64_t>(rank.rank / 2 + 1)}});
  std::vector<Finding> found = stragglerFindings(data, RunId{1}, {{NodeId{1}, "n1"}, {NodeId{2}, "n2"}});
  std::vector<std::string> kinds;
  for (const Finding& finding : found) kinds.push_back(finding.kind + " " + finding.subject);
  if (findings != nullptr) *findings = std::move(found);
  return kinds;
}

TEST(ReplayTest, WithNothingFixedTheRecordedTimesComeOut) {
  for (const int chunks : {1, 2})
    for (const bool reported : {true, false}) {
      const RecordedJob job = record({.dp = 2,
                                      .pp = 4,
                                      .chunks = chunks,
                                      .micro_batches = 8,
                                      .steps = steps(2),
                                      .reported_transfers = reported,
                                      .pass = [](std::int64_t step, int dp, int stage, int batch, bool forward) {
                                        return usual(forward) + (step * 7 + dp * 5 + stage * 3 + batch) % 11 * kMs;
                                      }});
      const Asked asked = ask(job);
      ASSERT_EQ(asked.graph->steps.size(), 2U) << chunks << reported;
      EXPECT_EQ(asked.replay->stepTimes(FixSet(*asked.graph, false)), job.step_times) << chunks << reported;
      EXPECT_DOUBLE_EQ(asked.what_if.sim_error_ratio, 0);
    }
}

TEST(ReplayTest, WithAllFixedTheStepIsThatOfAJobWithMeanDurations) {
  const Pass uneven = [](std::int64_t, int dp, int stage, int batch, bool forward) {
    return usual(forward) + (dp == 0 ? 40 : 0) * kMs + (stage == 1 ? 20 : 0) * kMs + batch % 2 * kMs;
  };
  const RecordedJob job = record({.dp = 2, .pp = 2, .micro_batches = 6, .pass = uneven});
  // The means of uneven: + 20 for half of the replicas, + 10 for half of the stages, + 0.5 for half of the micro-batches.
  const RecordedJob even = record({.dp = 2, .pp = 2, .micro_batches = 6, .pass = [](std::int64_t, int, int, int, bool forward) {
                                     return usual(forward) + 30 * kMs + kMs / 2;
                                   }});
  const Asked asked = ask(job);
  EXPECT_EQ(asked.replay->stepTimes(FixSet(*asked.graph, true)), even.step_times);
  EXPECT_DOUBLE_EQ(asked.what_if.s, static_cast<double>(job.step_times[0]) / static_cast<double>(even.step_times[0]));
  EXPECT_DOUBLE_EQ(asked.what_if.waste_ratio, 1 - 1 / asked.what_if.s);
}

TEST(ReplayTest, FixingSomeOperationsIsAJobInWhichOnlyTheyAreUsual) {
  const RecordedJob job = record(
      {.dp = 3, .pp = 2, .pass = [](std::int64_t, int dp, int, int, bool forward) { return usual(forward) + (dp == 2 ? 90 : 0) * kMs; }});
  const RecordedJob fixed = record(
      {.dp = 3, .pp = 2, .pass = [](std::int64_t, int dp, int, int, bool forward) { return usual(forward) + (dp == 2 ? 30 : 0) * kMs; }});
  const Asked asked = ask(job);
  FixSet fix(*asked.graph, false);
  fix.setReplica(2, true);
  EXPECT_EQ(asked.replay->stepTimes(fix), fixed.step_times);
}

TEST(WhatIfTest, AnEvenJobHasNoSlowdownAndNobodyIsBlamed) {
  const RecordedJob job = record({.dp = 2, .pp = 2, .steps = steps(3)});
  const WhatIf what_if = ask(job).what_if;
  ASSERT_EQ(what_if.status, WhatIfStatus::kOk);
  EXPECT_DOUBLE_EQ(what_if.s, 1);
  EXPECT_DOUBLE_EQ(what_if.waste_ratio, 0);
  EXPECT_FALSE(what_if.m_w) << "a share of nothing is not a number";
  EXPECT_FALSE(what_if.m_s);
  EXPECT_THAT(kindsOf(job), ::testing::IsEmpty());
}

TEST(WhatIfTest, OneSlowWorkerExplainsTheSlowdownAndIsTheWorst) {
  const RecordedJob job =
      record({.dp = 4, .pp = 4, .micro_batches = 8, .steps = steps(4), .pass = [](std::int64_t, int dp, int stage, int, bool forward) {
                return usual(forward) * (dp == 2 && stage == 1 ? 2 : 1);
              }});
  const WhatIf what_if = ask(job).what_if;
  ASSERT_EQ(what_if.status, WhatIfStatus::kOk);
  EXPECT_GT(what_if.s, 1.5);
  ASSERT_TRUE(what_if.m_w);
  EXPECT_GT(*what_if.m_w, 0.95);
  EXPECT_THAT(what_if.worst, ::testing::ElementsAre(2U * 4 + 1));
  EXPECT_DOUBLE_EQ(what_if.worst_in_steps, 1);
  EXPECT_EQ(std::ranges::max_element(what_if.by_worker) - what_if.by_worker.begin(), 2 * 4 + 1);
  ASSERT_TRUE(what_if.exact_by_worker[9]);
  EXPECT_NEAR(*what_if.exact_by_worker[9], what_if.by_worker[9], 0.05) << "min(S_dp, S_pp) is near";
  std::vector<Finding> findings;
  EXPECT_THAT(kindsOf(job, &findings), ::testing::ElementsAre("slow_rank rank:9"));
  EXPECT_EQ(findings[0].rank, 9);
  EXPECT_EQ(findings[0].pp, 1);
}

TEST(WhatIfTest, ASlowStageIsTheStageAndNotOneOfItsWorkers) {
  for (const int slow : {1, 3}) {
    const RecordedJob job =
        record({.dp = 4, .pp = 4, .micro_batches = 8, .steps = steps(3), .pass = [slow](std::int64_t, int, int stage, int, bool forward) {
                  return usual(forward) * (stage == slow ? 3 : 2) / 2;
                }});
    EXPECT_THAT(kindsOf(job), ::testing::ElementsAre("stage_imbalance stage:" + std::to_string(slow)));
    const WhatIf what_if = ask(job).what_if;
    ASSERT_TRUE(what_if.m_s);
    EXPECT_EQ(*what_if.m_s >= 0.5, slow == 3) << "M_S is the last stage's";
    EXPECT_GT(what_if.explained_by_stage[static_cast<std::size_t>(slow)].value_or(0), 0.9);
  }
}

TEST(WhatIfTest, UnequalSequencesAreOneFindingOfTheRun) {
  std::mt19937 random(3);
  std::map<std::pair<std::int64_t, int>, double> length;
  const RecordedJob job = record({.dp = 8, .pp = 2, .steps = steps(12), .pass = [&](std::int64_t step, int dp, int, int, bool forward) {
                                    auto& l = length[{step, dp}];
                                    if (l == 0) l = 1 + static_cast<double>(random() % 1'000) / 1'000;
                                    return static_cast<DurNs>(static_cast<double>(usual(forward)) * l);
                                  }});
  const WhatIf what_if = ask(job).what_if;
  EXPECT_GT(what_if.pass_correlation.value_or(0), 0.99);
  EXPECT_GT(what_if.slowest_changes, 0.5);
  EXPECT_THAT(kindsOf(job), ::testing::ElementsAre("sequence_imbalance run"));
}

TEST(WhatIfTest, ASlowMachineIsTheMachine) {
  const RecordedJob job = record({.dp = 8, .pp = 1, .steps = steps(4), .pass = [](std::int64_t, int dp, int, int, bool forward) {
                                    return usual(forward) * (dp == 2 || dp == 3 ? 2 : 1);
                                  }});
  EXPECT_THAT(kindsOf(job), ::testing::ElementsAre("slow_node node:n2"));
}

TEST(WhatIfTest, WhatTheOperationsDoNotHoldIsRefused) {
  RecordedJob job = record({.steps = steps(2)});
  for (std::size_t i = 0; i < job.ops.size(); ++i)
    if (job.ops.op[i] == StepOp::kOptimizer) job.ops.start[i] += 200 * kMs;  // unrecorded work of the host
  const WhatIf what_if = ask(job).what_if;
  EXPECT_EQ(what_if.status, WhatIfStatus::kRefused);
  EXPECT_GT(what_if.sim_error_ratio, kMaxSimulationError);
  EXPECT_THAT(what_if.reason, ::testing::HasSubstr("differ from the recorded"));
  EXPECT_THAT(kindsOf(job), ::testing::IsEmpty());
}

TEST(WhatIfTest, OperationsThatRanBesideEachOtherAreRefusedAsSuch) {
  RecordedJob job;
  job.ranks = {{.rank = 0, .dp = 0, .pp = 0}};
  job.ops.add(0, 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 1);
  job.ops.add(0, 1, StepOp::kBackward, 0, 0, 4 * kMs, 10 * kMs, 2);  // on another stream
  const WhatIf what_if = ask(job).what_if;
  EXPECT_EQ(what_if.status, WhatIfStatus::kRefused);
  EXPECT_GT(what_if.t_ns, what_if.t_real_ns);
  EXPECT_THAT(what_if.reason, ::testing::HasSubstr("ran at the same time"));
  EXPECT_THAT(what_if.reason, ::testing::Not(::testing::HasSubstr("is not in the recorded operations")));
}

TEST(WhatIfTest, WithoutAWholeStepThereIsNoAnswer) {
  RecordedJob job = record({});
  job.ops.dur[0] = -1;
  EXPECT_EQ(ask(job).what_if.status, WhatIfStatus::kInsufficient);
  RecordedJob instant =
      record({.transfer = 0, .sync = 0, .optimizer = 0, .pass = [](std::int64_t, int, int, int, bool) { return DurNs{0}; }});
  EXPECT_EQ(ask(instant).what_if.status, WhatIfStatus::kInsufficient) << "nothing took any time";
}

TEST(WhatIfTest, MoreReplicasThanCanBeAskedOneByOneAreSaidAndNotWaitedFor) {
  RecordedJob job;
  for (std::int32_t r = 0; r < 50'000; ++r) {
    job.ranks.push_back({.rank = r, .dp = r, .pp = 0});
    job.ops.add(static_cast<std::uint32_t>(r), 1, StepOp::kForward, 0, 0, 0, 10 * kMs, 2 * r);
    job.ops.add(static_cast<std::uint32_t>(r), 1, StepOp::kBackward, 0, 0, 10 * kMs, 10 * kMs, 2 * r + 1);
  }
  const WhatIf what_if = ask(job).what_if;
  EXPECT_EQ(what_if.status, WhatIfStatus::kInsufficient);
  EXPECT_THAT(what_if.reason, ::testing::HasSubstr("50000 replicas"));
  EXPECT_TRUE(what_if.by_worker.empty());
}

TEST(WhatIfTest, SharesAreNamedByOperationWorstFirst) {
  const WhatIf what_if = ask(record({.dp = 2,
                                     .pp = 2,
                                     .pass = [](std::int64_t, int dp, int, int,
                                                bool forward) { return usual(forward) + (dp == 1 && !forward ? 100 : 0) * kMs; }}))
                             .what_if;
  ASSERT_FALSE(what_if.by_op.empty());
  EXPECT_EQ(what_if.by_op.front().op, "backward-compute");
  EXPECT_GT(what_if.by_op.front().s, 1.1);
  std::vector<std::string> names;
  for (const WhatIfShare& share : what_if.by_op) names.push_back(share.op);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("backward-compute", "forward-compute", "optimizer", "forward-pp-comm",
                                                     "backward-pp-comm", "grads-reduce-scatter"));
}

TEST(WhatIfTest, AbsurdDurationsDoNotOverflow) {
  for (const DurNs huge : {DurNs{1} << 60, (DurNs{1} << 61) - 1}) {
    RecordedJob job = record({.dp = 2, .pp = 2, .micro_batches = 16, .steps = steps(3)});
    for (std::size_t i = 0; i < job.ops.size(); ++i)
      if (job.ops.step[i] == 101) job.ops.dur[i] = huge;
    const Asked asked = ask(job);
    EXPECT_EQ(asked.graph->steps.size(), 2U) << "the absurd step is left out";
    EXPECT_EQ(asked.what_if.status, WhatIfStatus::kOk);
  }
}

TEST(WhatIfTest, AStopEndsIt) {
  const RecordedJob job = record({.dp = 2, .pp = 2});
  std::stop_source stop;
  stop.request_stop();
  const Asked asked = ask(job);
  EXPECT_EQ(askWhatIf(*asked.replay, stop.get_token()).status, WhatIfStatus::kInsufficient);
}

// A job whose last stage takes twice as long, in a store with its spans and without scalars.
class WhatIfOfAStore : public ::testing::Test {
 protected:
  void SetUp() override {
    m_writer = openStore(m_folder.file("s.rgl")).writer().value();
    m_run = m_writer->run({.name = "r"});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .layout = {.world = 4, .tp = 1, .pp = 2, .dp = 2}});
    ASSERT_TRUE(m_writer->flush().ok());
  }
  void writeSpans() {
    const RecordedJob job = record({.dp = 2, .pp = 2, .steps = steps(8), .pass = [](std::int64_t, int, int pp, int, bool forward) {
                                      return usual(forward) * (pp == 1 ? 2 : 1);
                                    }});
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const StepRank& rank = job.ranks[r];
      m_writer->rank({.attempt = m_attempt, .rank = rank.rank, .pp = rank.pp, .dp = rank.dp});
      SpanColumns spans;
      for (int op = 0; op < kStepOpCount; ++op) spans.names.push_back(stepOpName(static_cast<StepOp>(op)));
      for (std::size_t i = 0; i < job.ops.size(); ++i) {
        if (job.ops.rank[i] != r) continue;
        spans.start.push_back(job.ops.start[i]), spans.dur.push_back(job.ops.dur[i]);
        spans.name.push_back(static_cast<std::uint32_t>(job.ops.op[i])), spans.category.push_back(SpanCategory::kCompute);
        spans.step.push_back(job.ops.step[i]);
        spans.microbatch.push_back(job.ops.microbatch[i] < 0 ? kAbsent : job.ops.microbatch[i]);
      }
      m_writer->spans(m_writer->track({.attempt = m_attempt, .rank = rank.rank, .kind = "thread", .name = "trainer"}), spans);
    }
    ASSERT_TRUE(m_writer->flush().ok());
  }
  // `count` collectives of the four ranks, ten milliseconds each; `late` begins last, and the others wait for it.
  void writeCollectives(std::int64_t first, std::int64_t count, std::int32_t late) {
    const NodeId node = m_writer->node({.uuid = "n0", .name = "n0"});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      m_writer->rank({.attempt = m_attempt, .rank = rank, .node = node});
      SpanColumns spans;
      spans.names.push_back("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
      for (std::int64_t i = first; i < first + count; ++i) {
        const TimeNs begin = kNsPerSecond + i * 10 * kNsPerMs + (rank == late ? 6 * kNsPerMs : rank * 10 * kNsPerUs);
        spans.start.push_back(begin), spans.dur.push_back(kNsPerSecond + i * 10 * kNsPerMs + 9 * kNsPerMs - begin);
        spans.name.push_back(0), spans.category.push_back(SpanCategory::kComm);
      }
      m_writer->spans(m_writer->track({.attempt = m_attempt, .rank = rank, .kind = "gpu_stream", .name = "stream 7"}), spans);
    }
    ASSERT_TRUE(m_writer->flush().ok());
  }
  std::vector<Finding> keep(Analysis& analysis, std::optional<TimeNs> now) {
    auto reader = openStore(m_folder.file("s.rgl")).reader().value();
    auto found = analysis.look({.reader = *reader, .run = m_run, .now = now, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    for (Finding& one : *found) one.run = m_run, m_writer->finding(one);
    EXPECT_TRUE(m_writer->flush().ok());
    return found.ok() ? std::move(*found) : std::vector<Finding>();
  }
  std::vector<std::string> look(Analysis& analysis, std::optional<TimeNs> now, std::stop_token stop = {}) {
    auto reader = openStore(m_folder.file("s.rgl")).reader().value();
    const auto found = analysis.look({.reader = *reader, .run = m_run, .now = now, .stop = std::move(stop)});
    if (!found.ok()) return {"error " + found.status().message()};
    std::vector<std::string> kinds;
    for (const Finding& finding : *found) kinds.push_back(finding.kind + " " + finding.subject);
    return kinds;
  }
  test::TempFolder m_folder;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(WhatIfOfAStore, ALookThatWasStoppedIsTakenAgain) {
  writeSpans();
  const auto analysis = makeWhatIf();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(look(*analysis, std::nullopt, stop.get_token()), ::testing::ElementsAre(::testing::HasSubstr("cancelled")));
  EXPECT_THAT(look(*analysis, std::nullopt), ::testing::ElementsAre("stage_imbalance stage:1"));
}

TEST_F(WhatIfOfAStore, SpansThatComeToALiveRunWithoutScalarsAreLookedAt) {
  const auto analysis = makeWhatIf();
  EXPECT_THAT(look(*analysis, 1'000 * kNsPerSecond), ::testing::IsEmpty());
  writeSpans();
  EXPECT_THAT(look(*analysis, 2'000 * kNsPerSecond), ::testing::ElementsAre("stage_imbalance stage:1"));
}

// For a live run, and for a store that is analysed again after it grew.
TEST_F(WhatIfOfAStore, ARankThatIsNoLongerWaitedForIsWithdrawnWhenAnotherOneIs) {
  for (const bool live : {true, false}) {
    if (!live) m_attempt = m_writer->attempt({.run = m_run, .key = "1", .layout = {.world = 4}});
    writeCollectives(0, 12, 1);
    auto analysis = makeWhatIf();
    const auto first = keep(*analysis, live ? std::optional(1'000 * kNsPerSecond) : std::nullopt);
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.back().subject, "rank:1");
    EXPECT_EQ(first.back().severity, Severity::kWarning);
    writeCollectives(12, 100, 2);
    if (!live) analysis = makeWhatIf();
    std::map<std::string, Finding> then;
    for (Finding& one : keep(*analysis, live ? std::optional(2'000 * kNsPerSecond) : std::nullopt))
      if (one.attempt == m_attempt) then[one.subject] = std::move(one);
    ASSERT_EQ(then.size(), 2U) << live;
    EXPECT_EQ(then["rank:2"].severity, Severity::kWarning);
    EXPECT_EQ(then["rank:1"].severity, Severity::kInfo);
    EXPECT_THAT(then["rank:1"].summary, ::testing::StartsWith("Withdrawn: Rank 1"));
    if (live) EXPECT_THAT(look(*analysis, 3'000 * kNsPerSecond), ::testing::ElementsAre("slow_rank rank:2"));
  }
}

TEST(WhatIfDataTest, TheModelChunkIsReadFromTheArguments) {
  EXPECT_EQ(modelChunkIn(R"({"step":3,"model_chunk":2,"mb_id":1})"), 2);
  EXPECT_EQ(modelChunkIn(R"({"model_chunk": 0})"), 0);
  EXPECT_EQ(modelChunkIn(R"({"model_chunk":-1})"), -1);
  EXPECT_EQ(modelChunkIn(R"({"model_chunk":99999999999999})"), -1);
  EXPECT_EQ(modelChunkIn(R"({"model_chunk)"), -1);
  EXPECT_EQ(modelChunkIn(R"({"model_chunk":)"), -1);
  EXPECT_EQ(modelChunkIn(""), -1);
}

}  // namespace
}  // namespace runglass
