// SPDX-License-Identifier: Apache-2.0
// Parts of a step computed from spans: they add up to the step; and own work per rank in a stored trace without step parts.
#include "analysis/steps/step_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "analysis/slow_ranks/step_table.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using Category = SpanCategory;

StepParts one(std::vector<PartSpan> spans, TimeRange step) { return partsOfSteps(spans, {&step, 1}).front(); }

TEST(StepPartsTest, EachMomentBelongsToOnePartAndAllSumToTheStep) {
  const StepParts parts = one({{.t0 = 0, .t1 = 40, .category = Category::kCompute},
                               {.t0 = 30, .t1 = 70, .category = Category::kComm, .until = 50},
                               {.t0 = 65, .t1 = 75, .category = Category::kMemcpy},
                               {.t0 = 0, .t1 = 90, .category = Category::kCpuOp},
                               {.t0 = 0, .t1 = 100, .category = Category::kAnnotation}},
                              {0, 100});
  EXPECT_EQ(parts[StepPart::kCompute], 40);
  EXPECT_EQ(parts.overlapped_comm, 10);
  EXPECT_EQ(parts[StepPart::kCommWait], 10);  // 40 to 50
  EXPECT_EQ(parts[StepPart::kComm], 20);
  EXPECT_EQ(parts[StepPart::kCopy], 5);
  EXPECT_EQ(parts[StepPart::kHost], 15);
  EXPECT_EQ(parts[StepPart::kIdle], 10);
}

TEST(StepPartsTest, CutsSpansAtTheStepAndTakesOpenOnesToItsEnd) {
  constexpr TimeNs kOpen = std::numeric_limits<TimeNs>::max();
  const std::vector<PartSpan> spans = {{.t0 = -50, .t1 = 20, .category = Category::kCompute},
                                       {.t0 = 150, .t1 = kOpen, .category = Category::kComm}};
  const std::vector<TimeRange> steps = {{100, 200}, {0, 100}, {50, 50}, {10, 160}};
  const auto parts = partsOfSteps(spans, steps);
  EXPECT_EQ(parts[0][StepPart::kComm], 50);
  EXPECT_EQ(parts[1][StepPart::kCompute], 20);
  EXPECT_EQ(parts[2][StepPart::kIdle], 0);
  EXPECT_EQ(parts[3][StepPart::kCompute], 10);
  EXPECT_EQ(parts[3][StepPart::kComm], 10);
  EXPECT_EQ(parts[3][StepPart::kIdle], 130);
}

// Compared with a count of every nanosecond.
TEST(StepPartsTest, AgreesWithCountingEveryNanosecond) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<PartSpan> spans;
    for (int i = 0; i < 30; ++i) {
      const auto t0 = static_cast<TimeNs>(random() % 300) - 50;
      const auto dur = static_cast<DurNs>(random() % 60);
      spans.push_back({t0, t0 + dur, static_cast<Category>(random() % kSpanCategoryCount), t0 + static_cast<DurNs>(random() % 90) - 10});
    }
    StepParts expected;
    for (TimeNs t = 0; t < 200; ++t) {
      bool open[kStepPartCount] = {};
      for (const PartSpan& span : spans) {
        if (t < span.t0 || t >= span.t1) continue;
        switch (span.category) {
          case Category::kCompute:
            open[0] = true;
            break;
          case Category::kComm:
            open[t < span.until ? 2 : 1] = true;
            break;
          case Category::kMemcpy:
          case Category::kMemset:
            open[3] = true;
            break;
          case Category::kCheckpoint:
            open[4] = true;
            break;
          case Category::kGc:
            open[5] = true;
            break;
          case Category::kDataload:
            open[6] = true;
            break;
          case Category::kRuntime:
          case Category::kCpuOp:
          case Category::kSync:
            open[7] = true;
            break;
          default:
            break;
        }
      }
      const auto part = static_cast<std::size_t>(std::find(open, open + 8, true) - open);
      ++expected.ns[part];
      expected.overlapped_comm += part == 0 && (open[1] || open[2]) ? 1 : 0;
    }
    const StepParts parts = one(spans, {0, 200});
    ASSERT_EQ(parts.ns, expected.ns);
    ASSERT_EQ(parts.overlapped_comm, expected.overlapped_comm);
    ASSERT_EQ(std::accumulate(parts.ns.begin(), parts.ns.end(), DurNs{0}), 200);
  }
}

constexpr TimeNs kPartsStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kMs = kNsPerMs;

class SpanWorkTest : public ::testing::Test {
 protected:
  // Four ranks, steps of 100 ms that end with a collective: the slow one computes 60 ms, the others 50 and wait for it.
  void record(std::int32_t slow, bool numbered, bool grouped = true) {
    constexpr std::int64_t kSteps = 20;
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok());
    Writer& out = **opened;
    const RunId run = out.run({.name = "r", .start = kPartsStart});
    m_attempt = out.attempt({.run = run, .layout = {.world = 4}});
    const NodeId node = out.node({.uuid = "n", .name = "n"});
    out.group({.attempt = m_attempt, .id = 7, .ranks = {0, 1, 2, 3}});
    for (std::int32_t r = 0; r < 4; ++r) {
      out.rank({.attempt = m_attempt, .rank = r, .node = node});
      const SeriesId dur =
          out.series({.attempt = m_attempt, .rank = r, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      const TrackId track = out.track({.attempt = m_attempt, .rank = r, .kind = "gpu_stream", .name = "stream 7"});
      SpanColumns spans;
      spans.names = {"gemm", "ncclAllReduce"};
      for (std::int64_t step = 0; step < kSteps; ++step) {
        const TimeNs t0 = kPartsStart + step * 100 * kMs;
        const DurNs compute = (r == slow ? 60 : 50) * kMs;
        out.scalar(dur, step, t0, 100e6);
        for (const auto& [at, length, category] :
             {std::tuple{t0, compute, Category::kCompute}, std::tuple{t0 + compute, 70 * kMs - compute, Category::kComm}}) {
          spans.start.push_back(at);
          spans.dur.push_back(length);
          spans.category.push_back(category);
          spans.name.push_back(category == Category::kComm ? 1 : 0);
          spans.group.push_back(category == Category::kComm && grouped ? 7 : kAbsent);
          spans.seq.push_back(category == Category::kComm && numbered ? step : kAbsent);
        }
      }
      out.spans(track, spans);
    }
    ASSERT_TRUE(out.close().ok());
  }
  StepTableAnswer read() {
    auto reader = m_store.reader();
    const auto ranks = (*reader)->ranks(m_attempt);
    auto answer = readStepTable(**reader, m_attempt, *ranks, {});
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return std::move(*answer);
  }
  TempStore m_store;
  AttemptId m_attempt;
};

TEST_F(SpanWorkTest, BlamesTheRankThatComputesLongerAndWaitsLeast) {
  record(2, true);
  const StepTableAnswer answer = read();
  ASSERT_EQ(answer.span_waits_known, 1.0);
  ASSERT_EQ(answer.table.basis, SlownessBasis::kWork);
  EXPECT_THAT(answer.table.parts, ::testing::UnorderedElementsAre("compute", "comm"));
  EXPECT_DOUBLE_EQ(answer.table.ranks[0].value_ns[3], 60e6);  // 50 of computing, 10 of transfer, 10 of waiting left out
  EXPECT_DOUBLE_EQ(answer.table.ranks[2].value_ns[3], 70e6);
  const SlowRanks ranking = rankBySlowness(answer.table);
  EXPECT_EQ(ranking.ranks.front().rank, 2);
  EXPECT_TRUE(ranking.ranks.front().stands_out);
  EXPECT_EQ(ranking.standingOut(), 1U);
}

TEST_F(SpanWorkTest, CallsWithoutNumbersAreMatchedByTheirOrder) {
  record(2, false);
  const StepTableAnswer answer = read();
  ASSERT_EQ(answer.span_waits_known, 1.0);
  EXPECT_DOUBLE_EQ(answer.table.ranks[0].value_ns[3], 60e6);
}

TEST_F(SpanWorkTest, CallsWithoutACommunicatorAreMatchedByTheirOrder) {
  record(2, false, false);
  const StepTableAnswer answer = read();
  ASSERT_EQ(answer.span_waits_known, 1.0);
  EXPECT_DOUBLE_EQ(answer.table.ranks[0].value_ns[3], 60e6);
  EXPECT_EQ(rankBySlowness(answer.table).ranks.front().rank, 2);
}

TEST_F(SpanWorkTest, NobodyStandsOutWhereAllWorkAlike) {
  record(-1, true);
  EXPECT_EQ(rankBySlowness(read().table).standingOut(), 0U);
}

}  // namespace
}  // namespace runglass
