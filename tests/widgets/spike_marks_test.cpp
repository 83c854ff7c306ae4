// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/spike_marks.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QHelpEvent>
#include <QTemporaryDir>
#include <QToolTip>
#include <cmath>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/widgets/offscreen.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/core/units.h"
#include "widgets/overview/overview_data.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'795'211'434LL * kNsPerSecond;

LossSpike spikeAt(std::int64_t step, SpikeVerdict verdict, std::optional<std::int64_t> recovered) {
  return {.first_step = step,
          .last_step = step,
          .peak_step = step,
          .peak = 4.2,
          .baseline = 2.1,
          .verdict = verdict,
          .recovered_step = recovered};
}

std::shared_ptr<const PlotData> plotWith(std::vector<PanelMark> marks) {
  auto bins = std::make_shared<std::vector<Bin>>();
  for (std::int64_t x = 0; x < 1'000; ++x) bins->push_back({x, x + 1, 1, 1, 1, 1, 1, 1, 0});
  auto data = std::make_shared<PlotData>();
  data->axis = XAxis::kStep;
  PlotPanel panel{.title = "loss", .marks = std::move(marks)};
  panel.curves.push_back({.name = "a", .bins = bins});
  data->panels.push_back(std::move(panel));
  return data;
}

TEST(SpikeMarks, WordsTellStepHeightAndWhetherItCameBack) {
  LossSpike nan = spikeAt(7, SpikeVerdict::kMalignant, 9);
  nan.rule = SpikeRule::kNonFinite;
  nan.peak = std::nan("");
  const std::vector<SeriesSpike> spikes = {{nan, {}},
                                           {spikeAt(12'340, SpikeVerdict::kBenign, 12'360), {}},
                                           {spikeAt(20'000, SpikeVerdict::kMalignant, {}), {}},
                                           {spikeAt(30'000, SpikeVerdict::kUnknown, {}), {}}};
  const auto marks = spikeMarks(spikes, {});
  ASSERT_EQ(marks.size(), 4u);
  EXPECT_EQ(marks[0].severity, Severity::kCritical);
  EXPECT_EQ(marks[0].text, "loss is NaN at step 7, recovered at 9");
  EXPECT_EQ(marks[1].severity, Severity::kInfo);
  EXPECT_EQ(marks[1].text, "loss spike at step " + formatCount(12'340) + ": 4.200 against 2.100, recovered at " + formatCount(12'360));
  EXPECT_EQ(marks[2].severity, Severity::kError);
  EXPECT_TRUE(marks[2].text.endsWith("not back within 50 points"));
  EXPECT_TRUE(marks[3].text.endsWith("not back yet"));
  EXPECT_TRUE(spikeMarks(spikes, {.axis = XAxis::kTime}).empty()) << "without a clock there is no place on the time axis";
  EXPECT_TRUE(spikeMarks(spikes, {.name = "first"})[1].text.startsWith("first: loss spike"));
}

TEST(SpikeMarks, AreDrawnAtTheTopEdgeInTheirColourAndShape) {
  const PanelMark warning{200, Severity::kWarning, "w"}, error{500, Severity::kError, "e"}, critical{800, Severity::kCritical, "c"};
  for (const ThemeName name : {ThemeName::kDark, ThemeName::kLight}) {
    const Theme& colours = theme(name);
    const PlotPicture picture(plotWith({warning, error, critical}), 0, 1'000, {800, 300}, 0, colours);
    const QImage image = picture.render(1);
    const QRect plot = picture.layoutPanels(picture.plotArea())[0].plot;
    const auto at = [&](std::int64_t x, int down) {
      return image.pixelColor(static_cast<int>(picture.xMap(plot).toPixel(x)), plot.top() + down);
    };
    EXPECT_EQ(at(500, 4), colours.error);
    EXPECT_EQ(at(800, 5), colours.critical);
    EXPECT_EQ(at(200, 4), colours.ground) << "hollow: it came back";
    EXPECT_NEAR(at(200, 1).hueF(), colours.warning.hueF(), 0.05);
  }
}

TEST(SpikeMarks, HoveringOneShowsItsWordsAndNothingElsewhere) {
  PlotWidget widget;
  widget.resize(800, 300);
  widget.setData(plotWith({{200, Severity::kWarning, "small"}, {202, Severity::kError, "<b>large</b>"}}));
  widget.setWindow(0, 1'000);
  widget.show();
  const PlotPicture picture(widget.data(), 0, 1'000, widget.size(), 0, currentTheme());
  const QRect plot = picture.layoutPanels(picture.plotArea())[0].plot;
  const QPoint on(static_cast<int>(picture.xMap(plot).toPixel(200)), plot.top() + 4);
  EXPECT_EQ(picture.markTexts(on), (QStringList{"<b>large</b>", "small"})) << "the worst first";
  EXPECT_TRUE(picture.markTexts(on + QPoint(0, 100)).isEmpty());
  EXPECT_TRUE(picture.markTexts(on + QPoint(100, 0)).isEmpty());
  QHelpEvent help(QEvent::ToolTip, on, widget.mapToGlobal(on));
  QCoreApplication::sendEvent(&widget, &help);
  EXPECT_EQ(QToolTip::text(), "&lt;b&gt;large&lt;/b&gt;<br>small");
}

TEST(SpikeMarks, TheOverviewMarksTheLossAndLeavesOutWhatWasRunAgain) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("s.rgl").toStdString();
  auto writer = openStore(path).writer().value();
  const RunId run = writer->run({.name = "r", .start = kStart});
  const auto add = [&](const std::string& key, std::int64_t from, std::int64_t to, std::int64_t spike) {
    const SeriesId id =
        writer->series({.attempt = writer->attempt({.run = run, .key = key}), .metric = "loss", .kind = SeriesKind::kScalar});
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (std::int64_t step = from; step < to; ++step) {
      steps.push_back(step);
      times.push_back(kStart + (step + (key == "b" ? 1'000 : 0)) * kNsPerSecond);
      values.push_back(step == spike ? 8 : 2 + 0.01 * static_cast<double>(step % 7));
    }
    writer->scalars(id, steps, times, values);
  };
  add("a", 0, 500, 450);  // run again from 400 on
  add("b", 400, 900, 700);
  ASSERT_TRUE(writer->flush().ok());
  auto reader = openStore(path).reader().value();
  OverviewQuestion question{.run = run, .axis = XAxis::kStep, .spikes = std::make_shared<SpikeCache>()};
  const auto overview = readOverview(*reader, question, {});
  ASSERT_TRUE(overview.ok()) << overview.status().message();
  const PlotPanel& loss = overview->plots->panels[0];
  ASSERT_EQ(loss.marks.size(), 1u);
  EXPECT_EQ(loss.marks[0].x, 700);
  question.axis = XAxis::kTime;
  const auto by_time = readOverview(*reader, question, {});
  ASSERT_EQ(by_time->plots->panels[0].marks.size(), 1u);
  EXPECT_EQ(by_time->plots->panels[0].marks[0].x, kStart + 1'700 * kNsPerSecond);
}

}  // namespace
}  // namespace runglass
