// SPDX-License-Identifier: GPL-3.0-or-later
// A finding is a span in the colour of its severity wherever time is an axis: plots, event lane, playhead bar, timeline.
#include "widgets/core/finding_span.h"

#include <limits>

#include "tests/widgets/console_fixture.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/events/event_lane.h"
#include "widgets/frame/time_bar.h"
#include "widgets/timeline/timeline_canvas.h"

namespace runglass {
namespace {

class FindingSpanTest : public ConsoleTest {
 protected:
  // Widest run of pixels of this colour in a row of the picture.
  static int widest(const QImage& picture, int y, const QColor& color) {
    int best = 0, run = 0;
    for (int x = 0; x < picture.width(); ++x) {
      run = picture.pixelColor(x, y) == color ? run + 1 : 0;
      best = std::max(best, run);
    }
    return best;
  }
  QColor colorOf(const Finding& finding) const { return severityColor(currentTheme(), finding.severity); }
};

TEST_F(FindingSpanTest, LastsToItsEndElseToThatOfItsAttemptElseOn) {
  const std::vector<Attempt> attempts = {{.id = {1}, .end = 90}, {.id = {2}}};
  Finding finding{.attempt = {1}, .severity = Severity::kError, .start = 10, .end = 50};
  EXPECT_EQ(spanOf(finding, attempts), (TimeRange{10, 50}));
  finding.end.reset();
  EXPECT_EQ(spanOf(finding, attempts), (TimeRange{10, 90}));
  finding.attempt = {2};
  EXPECT_EQ(spanOf(finding, attempts), (TimeRange{10, std::numeric_limits<TimeNs>::max()}));
  const std::vector<Finding> findings = {
      finding, {.severity = Severity::kWarning, .start = 5}, {.severity = Severity::kInfo, .start = 1}, {.severity = Severity::kError}};
  const auto spans = findingSpans(findings, attempts);
  ASSERT_EQ(spans.size(), 2U) << "neither of severity info nor without a time";
  EXPECT_EQ(spans.back().severity, Severity::kError) << "painted on top";
}

TEST_F(FindingSpanTest, TenThousandCostNoMoreThanTheirColumns) {
  constexpr int kLeft = 100, kRight = 1'700;
  TopColumns many(kLeft, kRight);
  for (std::size_t i = 0; i < 10'000; ++i) many.add(0.16 * static_cast<double>(i), 0.16 * static_cast<double>(i) + 400, i);
  const auto runs = many.runs();
  EXPECT_LE(runs.size(), static_cast<std::size_t>(kRight - kLeft));
  EXPECT_EQ(runs.front().left, kLeft);
  EXPECT_EQ(runs.back(), (ColumnRun{runs.back().left, kRight, 9'999})) << "the last added is on top";
  for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_EQ(runs[i].left, runs[i - 1].right) << "no column twice, none left out";
}

TEST_F(FindingSpanTest, CoversAtLeastAColumnAndOnlyThoseThereAre) {
  TopColumns columns(10, 20);
  columns.add(0, 9, 1);
  columns.add(20, 30, 2);
  columns.add(0, 12, 3);
  columns.add(11, 11, 4);
  columns.add(15.2, 15.3, 5);
  columns.add(18, 1e18, 6);
  EXPECT_EQ(columns.runs(), (std::vector<ColumnRun>{{10, 11, 3}, {11, 12, 4}, {15, 16, 5}, {18, 20, 6}}));
  EXPECT_TRUE(TopColumns(5, 5).runs().empty());
}

TEST_F(FindingSpanTest, ATooltipNamesTheFirstAndCountsTheOthers) {
  QStringList lines;
  for (int i = 0; i < 1'000; ++i) lines << QString::number(i);
  EXPECT_EQ(tooltipText(lines.mid(0, 8)), lines.mid(0, 8).join(u'\n'));
  EXPECT_EQ(tooltipText(lines), lines.mid(0, 8).join(u'\n') + QStringLiteral("\n992 more"));
}

TEST_F(FindingSpanTest, OnThePlayheadBarAndTheEventLane) {
  const Finding& slow = finding("slow_rank");
  open();
  go("events");
  BarTrack& track = m_window->timeBar().track();
  // Marks of checkpoints and events stand on the line.
  const QImage bar = track.grab().toImage();
  int drawn = 0;
  for (int x = 0; x < bar.width(); ++x) drawn += bar.pixelColor(x, bar.height() - 1) == colorOf(slow);
  EXPECT_GT(drawn, bar.width() / 5) << "the slow rank of the second attempt lasts for a third of the run";
  const auto* lane = view("events")->findChild<EventLane*>();
  ASSERT_NE(lane, nullptr);
  const QImage picture = const_cast<EventLane*>(lane)->grab().toImage();
  int best = 0;
  for (int y = 0; y < kGrid; ++y) best = std::max(best, widest(picture, y, colorOf(slow)));
  EXPECT_GT(best, picture.width() / 5);
}

TEST_F(FindingSpanTest, BehindTheCurvesOfTheOverviewAndOnItsLane) {
  const Finding& slow = finding("slow_rank");
  open();
  go("overview");
  const auto* plots = view("overview")->findChild<PlotWidget*>();
  const QColor tint = findingTint(slow.severity).in(currentTheme());
  const auto& data = *plots->data();
  const auto band =
      std::ranges::find_if(data.bands, [&](const PlotBand& one) { return one.x0 == *slow.start && one.ink.in(currentTheme()) == tint; });
  ASSERT_NE(band, data.bands.end());
  EXPECT_TRUE(band->name.contains(screenText(slow.summary, 40).left(30))) << band->name.toStdString();
  EXPECT_TRUE(std::ranges::any_of(data.marks, [&](const PlotMark& mark) { return mark.x == *slow.start && mark.text == band->name; }));
  const QImage picture = const_cast<PlotWidget*>(plots)->grab().toImage();
  int tinted = 0;
  for (int y = 0; y < picture.height(); ++y) tinted = std::max(tinted, widest(picture, y, tint));
  EXPECT_GT(tinted, 20);
}

TEST_F(FindingSpanTest, OnTheTimeAxisOfTheTimelineWithItsSentence) {
  const Finding& slow = finding("slow_rank");
  open();
  go("timeline");
  auto* canvas = view("timeline")->findChild<TimelineCanvas*>();
  ASSERT_NE(canvas, nullptr);
  const auto edge = [&] {
    const QImage picture = canvas->grab().toImage();
    return widest(picture, TimelineCanvas::kMinimap + TimelineCanvas::kRuler - 1, colorOf(slow));
  };
  EXPECT_TRUE(waitFor([&] { return edge() > 100; })) << edge();
}

}  // namespace
}  // namespace runglass
