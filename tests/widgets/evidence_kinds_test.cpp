// SPDX-License-Identifier: GPL-3.0-or-later
// The content of each kind of evidence for the recorded data.
#include <algorithm>

#include "tests/widgets/evidence_fixture.h"
#include "widgets/evidence/curve_picture.h"
#include "widgets/evidence/timeline_crop.h"
#include "widgets/ranking/heat_color.h"
#include "widgets/ranking/heat_paint.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const CurveStory& storyOf(const Evidence& evidence) { return dynamic_cast<const CurvePicture&>(*evidence.picture).story(); }

TEST_F(EvidenceTest, LossNamesTheSpikeAndMarksItWhereItIs) {
  const Evidence loss = read("loss");
  ASSERT_FALSE(loss.empty()) << plain(loss.reason);
  EXPECT_THAT(plain(loss.shows), HasSubstr("Loss spike at step 50: 9.500 against 2.00"));
  EXPECT_THAT(plain(loss.shows), HasSubstr("Gradient norm up to 33"));
  const CurveStory& story = storyOf(loss);
  ASSERT_EQ(story.plot.panels.size(), 2U);
  ASSERT_EQ(story.plot.panels[0].marks.size(), 1U);
  EXPECT_EQ(story.plot.panels[0].marks[0].x, timeOf(50));
  ASSERT_TRUE(story.mark);
  EXPECT_EQ(*story.mark, std::pair(timeOf(kSlowFrom), timeOf(kSlowTo)));
  EXPECT_EQ(story.x0, timeOf(35)) << "a quarter of the window before it";
  EXPECT_EQ(loss.place.view, "curves");
}

TEST_F(EvidenceTest, TheQueryOfTheLossGivesThePointsInThePicture) {
  const Evidence loss = read("loss");
  const auto rows = rowsOf(loss);
  EXPECT_EQ(rows.size(), 60U) << "30 steps of loss and of gradient norm";
  EXPECT_EQ(plain(loss.coverage), "60 points");
  const auto highest = std::ranges::max_element(
      rows, {}, [](const auto& row) { return std::get<std::string>(row[1]) == "loss" ? std::get<double>(row[4]) : 0.0; });
  EXPECT_EQ(std::get<double>((*highest)[4]), 9.5);
  EXPECT_EQ(std::get<std::int64_t>((*highest)[2]), 50);
}

TEST_F(EvidenceTest, StepsNameWhoWasSlowWhileItWas) {
  const Evidence steps = read("steps");
  ASSERT_FALSE(steps.empty()) << plain(steps.reason);
  EXPECT_THAT(plain(steps.shows), HasSubstr("The slowest is rank 5 on n1: 1.20 s a step, +20.0 % against its peers"));
  EXPECT_THAT(plain(steps.shows), HasSubstr("Steps 40 to 59 took 1.00 s, those before 1.00 s"));
  EXPECT_THAT(plain(steps.coverage), HasSubstr("8 of 8 ranks"));
  EXPECT_EQ(steps.place.view, "ranking");
  EXPECT_THAT(steps.place.select, HasSubstr("rank=5"));
  EXPECT_GT(pixelsOf(imageOf(steps, 643, theme(ThemeName::kLight)), heatColor(theme(ThemeName::kLight), 3.0 / kHeatShades)), 100)
      << "its cells: 20 % on a scale of 50 %";
  const auto rows = rowsOf(steps);
  EXPECT_EQ(rows.size() % kRanks, 0U);
  EXPECT_EQ(std::ranges::count_if(rows, [](const auto& row) { return std::get<std::int64_t>(row[3]) == 1'200'000'000; }),
            kSlowTo - kSlowFrom);
}

TEST_F(TracedEvidenceTest, ACropShowsWhoWaitedForWhom) {
  EvidenceQuestion asked = question("timeline", "rank=5,step=45");
  asked.card.range = TimeRange{timeOf(45), timeOf(46)};
  const Evidence crop = read(asked);
  ASSERT_FALSE(crop.empty()) << plain(crop.reason);
  EXPECT_THAT(plain(crop.shows), HasSubstr("rank 5 computed 800 ms"));
  EXPECT_THAT(plain(crop.shows), HasSubstr("waited 400 ms"));
  EXPECT_THAT(plain(crop.coverage), HasSubstr("of 8 ranks"));
  const TimelineCrop& drawn = dynamic_cast<const CropPicture&>(*crop.picture).crop();
  ASSERT_FALSE(drawn.arrows.empty());
  EXPECT_EQ(drawn.arrows[0].late, kSlow);
  EXPECT_EQ(drawn.arrows[0].begun, timeOf(45) + 800 * kNsPerMs);
  EXPECT_EQ(rowsOf(crop).size(), 2 * drawn.rows.size());
  const QByteArray svg = svgOf(crop, 643, theme(ThemeName::kLight));
  EXPECT_THAT(svg.toStdString(), HasSubstr("gemm_forward"));
}

TEST_F(TracedEvidenceTest, RanksThatASelectListsAreTheCropsRows) {
  EvidenceQuestion asked = question("timeline", "ranks=1-2;7");
  asked.card.range = TimeRange{timeOf(45), timeOf(46)};
  const Evidence crop = read(asked);
  ASSERT_FALSE(crop.empty());
  std::vector<std::int32_t> ranks;
  for (const CropRow& row : dynamic_cast<const CropPicture&>(*crop.picture).crop().rows) ranks.push_back(row.rank);
  EXPECT_THAT(ranks, ::testing::ElementsAre(1, 2, 7));
}

TEST_F(EvidenceTest, ADeviceIsHeldAgainstItsPeersAndTellsItsEvents) {
  const Evidence device = read("device", "rank=5");
  ASSERT_FALSE(device.empty()) << plain(device.reason);
  EXPECT_EQ(plain(device.title), "GPU 1 of n1");
  EXPECT_THAT(plain(device.shows), HasSubstr("300 W against 600 W (−50 %)"));
  EXPECT_THAT(plain(device.coverage), HasSubstr("peers: 7 of 7"));
  ASSERT_EQ(storyOf(device).events.size(), 1U);
  EXPECT_EQ(storyOf(device).events[0].x, timeOf(45));
  EXPECT_THAT(plain(storyOf(device).events[0].words), HasSubstr("Xid 79"));
  EXPECT_THAT(plain(storyOf(device).events[0].words), HasSubstr("fallen off the bus")) << "what it means";
  for (const auto& row : rowsOf(device)) EXPECT_EQ(std::get<std::string>(row[1]), "GPU-5");
}

TEST_F(EvidenceTest, ASilentDeviceIsNotComparedWithWhatOthersHadLater) {
  EvidenceQuestion asked = question("device", "rank=5");
  asked.card.range = TimeRange{timeOf(90), timeOf(kSteps + 200)};
  const Evidence device = read(asked);
  ASSERT_FALSE(device.empty()) << plain(device.reason);
  EXPECT_THAT(plain(device.shows), Not(HasSubstr("against"))) << "600 W as its peers, as long as they spoke";
}

TEST_F(EvidenceTest, AnyMetricIsASeriesCard) {
  const Evidence series = read("series", "metric=step_time_ns,rank=5");
  ASSERT_FALSE(series.empty()) << plain(series.reason);
  EXPECT_THAT(plain(series.shows), HasSubstr("between 1.00 s and 1.20 s; 1.20 s against 1.00 s of the others"));
  EXPECT_FALSE(rowsOf(series).empty());
  const Evidence power = read("series", "metric=power_watts,rank=5");
  ASSERT_FALSE(power.empty()) << plain(power.reason);
  EXPECT_THAT(plain(power.shows), HasSubstr("300 W against 600 W"));
  EXPECT_FALSE(rowsOf(power).empty());
}

TEST_F(EvidenceTest, LinesThatAllRanksSayAreOneAndQuietOnesAreNone) {
  const Evidence log = read("log");
  ASSERT_FALSE(log.empty()) << plain(log.reason);
  const std::string svg = plain(QString::fromUtf8(svgOf(log, 643, theme(ThemeName::kLight))));
  EXPECT_THAT(svg, HasSubstr("× 8: [Rank 0] NCCL timeout"));
  EXPECT_THAT(svg, HasSubstr("8 ranks, first"));
  EXPECT_THAT(svg, HasSubstr("Xid 79"));
  EXPECT_THAT(svg, Not(HasSubstr("a quiet line")));
  EXPECT_THAT(plain(log.shows), HasSubstr("Critical: Xid 79"));
  EXPECT_EQ(rowsOf(log).size(), 9U);
}

TEST_F(EvidenceTest, WhereNobodyComplainedWhatWasSaidIsShown) {
  EvidenceQuestion asked = question("log");
  asked.card.range = TimeRange{timeOf(47), timeOf(48)};
  EXPECT_THAT(svgOf(read(asked), 643, theme(ThemeName::kLight)).toStdString(), HasSubstr("a quiet line"));
}

TEST_F(EvidenceTest, TheOwnersWordsComeFirstAndAreMadeSafe) {
  EvidenceQuestion asked = question("loss");
  asked.card.title = "What \x1b[31m happened", asked.card.caption = "It went up\u202e.";
  const Evidence loss = read(asked);
  EXPECT_THAT(plain(loss.title), Not(HasSubstr("\x1b")));
  EXPECT_THAT(plain(loss.caption), HasSubstr("It went up"));
  EXPECT_THAT(plain(loss.caption), Not(HasSubstr("\u202e")));
  EXPECT_EQ(plain(read("loss").caption), plain(read("loss").shows));
}

TEST_F(TracedEvidenceTest, WhatIsNotThereHasAReason) {
  EXPECT_THAT(plain(read("nonsense").reason), HasSubstr("nonsense"));
  EXPECT_THAT(plain(read("series", "").reason), HasSubstr("metric=NAME"));
  EXPECT_THAT(plain(read("series", "metric=nobody").reason), HasSubstr("nobody"));
  EXPECT_THAT(plain(read("device", "rank=77").reason), HasSubstr("rank 77"));
  EXPECT_THAT(plain(read("device", "").reason), HasSubstr("no rank and no node"));
  EvidenceQuestion later = question("timeline", "rank=5");
  later.card.range = TimeRange{timeOf(500), timeOf(510)};
  EXPECT_THAT(plain(read(later).reason), HasSubstr("No spans"));
  for (const char* kind : {"loss", "steps", "device", "log"}) {
    later.card.kind = kind;
    const Evidence none = read(later);
    EXPECT_TRUE(none.empty()) << kind;
    EXPECT_FALSE(none.reason.isEmpty()) << kind;
    EXPECT_GT(heightOf(none, 420), 0) << kind;
    EXPECT_THAT(svgOf(none, 420, theme(ThemeName::kDark)).toStdString(), HasSubstr("<text")) << kind << ": the reason is painted";
  }
}

TEST_F(TracedEvidenceTest, RangesThatNoClockHasDoNotHarm) {
  constexpr TimeNs kLow = std::numeric_limits<TimeNs>::min(), kHigh = std::numeric_limits<TimeNs>::max();
  for (const auto& range : {TimeRange{kLow, kHigh}, TimeRange{kHigh - 1, kHigh}, TimeRange{kLow, kLow + 1}, TimeRange{timeOf(40), kHigh},
                            TimeRange{kLow, timeOf(50)}, TimeRange{timeOf(50), timeOf(40)}, TimeRange{0, 0}})
    for (const EvidenceKind& kind : kEvidenceKinds) {
      EvidenceQuestion asked = question(kind.id, "rank=5,step=9223372036854775807,metric=loss,ranks=0-2147483647");
      asked.card.range = range, asked.columns = 1'000'000'000;
      const Evidence evidence = read(asked);
      EXPECT_LT(heightOf(evidence, 643), 4'000) << kind.id;
      EXPECT_LE(shapesIn(svgOf(evidence, 643, theme(ThemeName::kLight))), kMaxShapes + 500) << kind.id;
    }
}

TEST_F(EvidenceTest, AnIncidentThatIsNotOverReachesAsFarAsTheData) {
  EvidenceQuestion asked = question("loss");
  asked.card.range = TimeRange{timeOf(40), std::numeric_limits<TimeNs>::max()};
  const Evidence loss = read(asked);
  ASSERT_FALSE(loss.empty()) << plain(loss.reason);
  EXPECT_LE(storyOf(loss).x1, timeOf(kSteps) + 60 * kNsPerSecond);
}

class EmptyEvidenceTest : public EvidenceTest {
 protected:
  bool recordsUsual() const override { return false; }
};

TEST_F(EmptyEvidenceTest, ARunThatRecordedNothingSaysSoInEveryKind) {
  for (const EvidenceKind& kind : kEvidenceKinds) {
    const Evidence evidence = read(kind.id, "rank=0,metric=loss");
    EXPECT_TRUE(evidence.empty()) << kind.id;
    EXPECT_FALSE(evidence.reason.isEmpty()) << kind.id;
  }
}

// A loss without a clock, with the same steps in two attempts.
class RewoundEvidenceTest : public EvidenceTest {
 protected:
  bool recordsUsual() const override { return false; }
  void record(Writer& writer) override {
    const SeriesId before = scalarOf(writer, "loss", "");
    for (std::int64_t step = 0; step < 80; ++step) writer.scalar(before, step, {}, 3.0 - 0.01 * static_cast<double>(step));
    m_attempt = writer.attempt({.run = m_run, .key = "second", .resumed_from_step = 50});
    const SeriesId after = scalarOf(writer, "loss", "");
    for (std::int64_t step = 50; step < 120; ++step) writer.scalar(after, step, {}, step == 60 ? std::nan("") : 2.0);
  }
};

TEST_F(RewoundEvidenceTest, ABranchThatWasRunAgainIsGreyAndStepsAreTheAxisWithoutAClock) {
  const Evidence loss = read("loss", "step=60", false);
  ASSERT_FALSE(loss.empty()) << plain(loss.reason);
  const CurveStory& story = storyOf(loss);
  EXPECT_EQ(story.plot.axis, XAxis::kStep);
  std::size_t old = 0;
  for (const CurveInk& ink : story.inks[0]) old += ink.role == CurveRole::kOld ? 1 : 0;
  EXPECT_EQ(old, 1U);
  EXPECT_EQ(plain(loss.coverage), "120 points, 1 of them not finite; 30 of a branch that was run again (grey)");
  EXPECT_FALSE(loss.place.t0);
  EXPECT_EQ(rowsOf(loss).size(), 150U);
}

}  // namespace
}  // namespace runglass
