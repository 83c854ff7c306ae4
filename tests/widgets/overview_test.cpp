// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the overview: the slowest rank, and the headline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/charts/geometry.h"
#include "widgets/overview/overview_data.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

// An attempt's steps take `dur_ms`, those of `slow` a tenth longer.
void addAttempt(Writer& out, RunId run, const std::string& key, std::int64_t first, double dur_ms, int slow, int ranks = 4) {
  const AttemptId attempt = out.attempt({.run = run, .key = key, .layout = {.world = ranks}});
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    out.rank({.attempt = attempt, .rank = rank});
    const SeriesId id = out.series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = first; step < first + 40; ++step)
      out.scalar(id, step, kStart + step * kNsPerSecond, dur_ms * 1e6 * (rank == slow ? 1.1 : 1));
  }
}

QString stepTitle(const TempStore& store) {
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kStep}, {});
  EXPECT_TRUE(overview.ok()) << overview.status().message();
  return overview->plots->panels.back().title;
}

TEST(OverviewTest, TheSlowestRankIsSlowAmongThoseOfItsOwnAttempt) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  addAttempt(*writer, run, "a", 0, 30, -1);
  addAttempt(*writer, run, "b", 40, 50, -1);  // a larger batch
  ASSERT_TRUE(writer->close().ok());
  EXPECT_EQ(stepTitle(store), QStringLiteral("step time"));
}

TEST(OverviewTest, TheSlowestRankOfTheNewestAttemptIsNamed) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  addAttempt(*writer, run, "a", 0, 90, 1);
  addAttempt(*writer, run, "b", 40, 60, 2);
  ASSERT_TRUE(writer->close().ok());
  EXPECT_EQ(stepTitle(store), QStringLiteral("step time · slowest: rank 2 ") + formatSignedPercent(0.1));
}

TEST(OverviewTest, AQuickAnswerLeavesOutOnlyWhatTakesEveryRanksSteps) {
  for (const int ranks : {4, 200}) {
    const TempStore store;
    auto writer = store.writer().value();
    addAttempt(*writer, writer->run({.name = "r", .start = kStart}), "a", 0, 60, 3, ranks);
    ASSERT_TRUE(writer->close().ok());
    const auto reader = store.reader().value();
    const auto ask = [&](bool quick, std::shared_ptr<const OverviewData> previous) {
      return std::make_shared<const OverviewData>(
          readOverview(*reader, {.axis = XAxis::kStep, .quick = quick, .previous = std::move(previous)}, {}).value());
    };
    const auto quick = ask(true, nullptr), whole = ask(false, quick);
    EXPECT_EQ(quick->complete, ranks == 4);
    EXPECT_EQ(quick->plots->panels.back().curves.empty(), ranks == 200);
    EXPECT_EQ(quick->sentence, whole->sentence);
    EXPECT_TRUE(whole->complete);
    EXPECT_FALSE(whole->plots->panels.back().curves.empty());
    EXPECT_TRUE(whole->plots->panels.back().title.contains(QStringLiteral("slowest: rank 3")));
    EXPECT_EQ(quick->tiles.size(), whole->tiles.size()) << "no tile moves when the rest comes";
  }
}

TEST(OverviewTest, APartThatIsNotOfEveryStepIsCountedInTheStepsThatHadIt) {
  const TempStore store;
  auto writer = store.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "r", .start = kStart}), .layout = {.world = 1}});
  writer->rank({.attempt = attempt, .rank = 0});
  const auto series = [&](const char* metric, const char* labels) {
    return writer->series({.attempt = attempt, .rank = 0, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
  };
  const SeriesId dur = series("step_time_ns", ""), forward = series("step_part_ns", R"({"part":"forward"})"),
                 save = series("step_part_ns", R"({"part":"checkpoint"})");
  for (std::int64_t step = 0; step < 100; ++step) {
    const bool saves = step == 50;
    writer->scalar(dur, step, kStart + step, saves ? 500e6 : 100e6);
    writer->scalar(forward, step, kStart + step, 100e6);
    if (saves) writer->scalar(save, step, kStart + step, 400e6);
  }
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kStep}, {});
  ASSERT_TRUE(overview.ok());
  const StepBreakdown& parts = overview->breakdown;
  EXPECT_DOUBLE_EQ(parts.step.recent_ns, 100e6);
  for (const PartMeans& part : parts.parts) {
    EXPECT_DOUBLE_EQ(part.recent_ns, part.part == "forward" ? 100e6 : 0) << part.part << ": no save in the newest";
    EXPECT_GT(part.before_ns, 0) << part.part;
  }
  EXPECT_EQ(parts.parts.size(), 2u);
}

TEST(OverviewTest, StepTimesOfALogAreOneCurveAndOfNoRanks) {
  const TempStore store;
  auto writer = store.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "r", .start = kStart}), .key = "a"});
  for (const char* const tag : {"iteration time", "elapsed time per iteration"}) {
    const SeriesId id = writer->series(
        {.attempt = attempt, .metric = tag, .labels = R"({"canonical":"step_time_ns"})", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < 50; ++step) writer->scalar(id, step, kStart + step * kNsPerSecond, 600e6);
  }
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kStep}, {});
  ASSERT_TRUE(overview.ok());
  const auto panel = std::ranges::find(overview->plots->panels, QStringLiteral("step time"), &PlotPanel::title);
  ASSERT_NE(panel, overview->plots->panels.end());
  ASSERT_EQ(panel->curves.size(), 1u);
  EXPECT_EQ(panel->curves[0].name, QStringLiteral("step"));
  EXPECT_FALSE(panel->curves[0].band);
}

TEST(OverviewTest, OnlyTheStepsThatWereRunAgainAreDrawnFaintOnTheTimeAxisToo) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  const auto add = [&](const std::string& key, std::int64_t first, std::int64_t end, DurNs later) {
    const SeriesId id =
        writer->series({.attempt = writer->attempt({.run = run, .key = key}), .metric = "loss", .kind = SeriesKind::kScalar});
    for (std::int64_t step = first; step < end; ++step) writer->scalar(id, step, kStart + step * kNsPerSecond + later, 2);
  };
  add("a", 0, 100, 0);
  add("b", 80, 200, 60 * kNsPerSecond);
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kTime}, {});
  ASSERT_TRUE(overview.ok());
  const auto& curves = overview->plots->panels[0].curves;
  ASSERT_EQ(curves.size(), 3u) << "the first attempt whole and faint, what is kept of it, the second";
  EXPECT_TRUE(curves[0].faint);
  std::int64_t kept = 0;
  for (const Bin& bin : *curves[1].bins) {
    kept += bin.count;
    if (bin.count > 0) {
      EXPECT_LT(bin.x0, kStart + 80 * kNsPerSecond);
    }
  }
  EXPECT_GE(kept, 78);
  EXPECT_LE(kept, 82);
}

TEST(OverviewTest, OverTimeNoLineIsDrawnWhereNothingCame) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  const AttemptId attempt = writer->attempt({.run = run, .key = "a"});
  const SeriesId loss = writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 200; ++step)
    writer->scalar(loss, step, kStart + (step + (step < 100 ? 0 : 600)) * kNsPerSecond, 2);  // a hang of ten minutes
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  for (const XAxis axis : {XAxis::kTime, XAxis::kStep}) {
    const auto overview = readOverview(**reader, {.axis = axis}, {});
    ASSERT_TRUE(overview.ok());
    const PlotCurve& curve = overview->plots->panels[0].curves.at(0);
    const PixelColumns drawn = toColumns(*curve.bins, {overview->x0, overview->x1, 0, 600}, curve.gaps);
    EXPECT_EQ(std::ranges::count_if(drawn.columns, &PixelColumn::gap_before), axis == XAxis::kTime ? 1 : 0);
  }
}

// A log whose run has a begin and an end, and whose steps have no times.
TEST(OverviewTest, CurvesWithoutTimesAreDrawnAgainstSteps) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart, .end = kStart + 3'600 * kNsPerSecond});
  const AttemptId attempt = writer->attempt({.run = run, .start = kStart, .end = kStart + 3'600 * kNsPerSecond});
  const SeriesId id = writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 200; ++step) writer->scalar(id, step, std::nullopt, 2);
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kTime}, {});
  ASSERT_TRUE(overview.ok());
  EXPECT_FALSE(overview->has_times);
  EXPECT_EQ(overview->plots->axis, XAxis::kStep);
  std::int64_t drawn = 0;
  for (const Bin& bin : *overview->plots->panels[0].curves.at(0).bins) drawn += bin.count;
  EXPECT_EQ(drawn, 200);
}

TEST(OverviewTest, NodesAreComparedWithinTheirPipelineStage) {
  const TempStore store;
  auto writer = store.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "r", .start = kStart}), .layout = {.world = 8}});
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    // Each rank on its own node; the last stage works half as long again; rank 2 is slow for its stage.
    const NodeId node = writer->node({.uuid = "n" + std::to_string(rank), .name = "n" + std::to_string(rank)});
    writer->rank({.attempt = attempt, .rank = rank, .node = node, .pp = rank / 4});
    const auto series = [&](const char* metric, const char* labels) {
      return writer->series(
          {.attempt = attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
    };
    const SeriesId dur = series("step_time_ns", ""), comm = series("step_part_ns", R"({"part":"communication"})"),
                   wait = series("step_part_wait_ns", R"({"part":"communication"})");
    for (std::int64_t step = 0; step < 30; ++step) {
      writer->scalar(dur, step, kStart + step, 100e6);
      writer->scalar(comm, step, kStart + step, 100e6);
      writer->scalar(wait, step, kStart + step, 100e6 - (rank >= 4 ? 60e6 : rank == 2 ? 48e6 : 40e6));
    }
  }
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kStep}, {});
  ASSERT_TRUE(overview.ok());
  ASSERT_EQ(overview->slow_nodes.size(), 5u);
  EXPECT_EQ(overview->slow_nodes[0].name, QStringLiteral("n2"));
  EXPECT_NEAR(overview->slow_nodes[0].pace.slower, 0.2, 1e-6);
  EXPECT_NEAR(overview->slow_nodes[1].pace.slower, 0, 1e-6) << "of the last stage, too";
}

TEST(OverviewTest, AHeadlineEndsWhereAClauseOfItsFindingDoes) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  addAttempt(*writer, run, "a", 0, 30, -1);
  writer->finding({.run = run,
                   .kind = "slow_rank",
                   .subject = "rank:1",
                   .severity = Severity::kWarning,
                   .summary = "Rank 1 computes slower than its peers: 914 ms against 716 ms a step (+28 %), since step 60; costs 17 % of "
                              "every step; its clock is its peers' (1968 MHz), its temperature too"});
  ASSERT_TRUE(writer->close().ok());
  auto reader = store.reader();
  const auto overview = readOverview(**reader, {.axis = XAxis::kStep}, {});
  ASSERT_TRUE(overview.ok());
  EXPECT_THAT(overview->sentence.toStdString(), ::testing::EndsWith("costs 17 % of every step."));
}

}  // namespace
}  // namespace runglass
