// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <QCoreApplication>

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "tests/widgets/offscreen.h"
#include "widgets/charts/plot_widget.h"

namespace runglass {
namespace {

std::shared_ptr<const PlotData> sineData(int curves = 1) {
  auto data = std::make_shared<PlotData>();
  data->axis = XAxis::kStep;
  PlotPanel panel{.title = "loss", .unit = ""};
  for (int k = 0; k < curves; ++k) {
    std::vector<Bin> bins;
    for (std::int64_t i = 0; i < 1000; ++i) {
      const double value = std::sin(static_cast<double>(i) / 100) + k;
      bins.push_back({i, i + 1, value, value, value, value, value, 1, 0});
    }
    panel.curves.push_back({.name = QStringLiteral("curve %1").arg(k),
                            .ink = seriesInk(static_cast<std::size_t>(k)),
                            .bins = std::make_shared<const std::vector<Bin>>(std::move(bins))});
  }
  data->panels.push_back(std::move(panel));
  return data;
}

class PlotWidgetTest : public testing::Test {
 protected:
  void SetUp() override {
    plot.resize(800, 300);
    plot.setData(sineData());
    plot.setWindow(0, 1000);
    plot.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot));
  }
  QPoint at(double share) const {
    const QRect area = plot.plotArea();
    return {area.left() + static_cast<int>(share * area.width()), area.center().y()};
  }
  void wheel(QPoint where, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(where, plot.mapToGlobal(where), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&plot, &event);
    accepted = event.isAccepted();
  }
  PlotWidget plot;
  bool accepted = false;
};

TEST_F(PlotWidgetTest, ZoomsAtTheCursorWithCtrlWheelSoThatTheStepUnderItStays) {
  const XMap before{plot.x0(), plot.x1(), static_cast<double>(plot.plotArea().left()), static_cast<double>(plot.plotArea().width())};
  const std::int64_t under = before.fromPixel(at(0.25).x());
  wheel(at(0.25), 3, Qt::ControlModifier);
  EXPECT_LT(plot.x1() - plot.x0(), 600);
  const XMap after{plot.x0(), plot.x1(), static_cast<double>(plot.plotArea().left()), static_cast<double>(plot.plotArea().width())};
  EXPECT_NEAR(static_cast<double>(after.fromPixel(at(0.25).x())), static_cast<double>(under), 2);
}

TEST_F(PlotWidgetTest, LeavesThePlainWheelToItsScrollArea) {
  wheel(at(0.5), 1, Qt::NoModifier);
  EXPECT_FALSE(accepted);
  EXPECT_EQ(plot.x0(), 0);
  EXPECT_EQ(plot.x1(), 1000);
}

TEST_F(PlotWidgetTest, PansWithShiftWheelAndKeepsTheSpan) {
  wheel(at(0.5), -1, Qt::ShiftModifier);
  EXPECT_GT(plot.x0(), 0);
  EXPECT_EQ(plot.x1() - plot.x0(), 1000);
}

TEST_F(PlotWidgetTest, WasdZoomsAndPansAndShiftIsFaster) {
  plot.setFocus();
  QTest::keyClick(&plot, Qt::Key_W);
  const std::int64_t zoomed = plot.x1() - plot.x0();
  EXPECT_LT(zoomed, 1000);
  const std::int64_t left = plot.x0();
  QTest::keyClick(&plot, Qt::Key_D);
  const std::int64_t slow = plot.x0() - left;
  EXPECT_GT(slow, 0);
  QTest::keyClick(&plot, Qt::Key_D, Qt::ShiftModifier);
  EXPECT_GT(plot.x0() - left - slow, slow);
  QTest::keyClick(&plot, Qt::Key_S, Qt::ShiftModifier);
  EXPECT_GT(plot.x1() - plot.x0(), zoomed);
}

TEST_F(PlotWidgetTest, DragSelectsShiftDragPansAltDragZooms) {
  QSignalSpy selected(&plot, &PlotWidget::rangeSelected), moved(&plot, &PlotWidget::windowChanged);
  QTest::mousePress(&plot, Qt::LeftButton, {}, at(0.2));
  QTest::mouseMove(&plot, at(0.4));
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(0.4));
  ASSERT_EQ(selected.count(), 1);
  EXPECT_NEAR(selected[0][0].value<std::int64_t>(), 200, 3);
  EXPECT_NEAR(selected[0][1].value<std::int64_t>(), 400, 3);
  EXPECT_EQ(moved.count(), 0);

  QTest::mousePress(&plot, Qt::LeftButton, Qt::ShiftModifier, at(0.5));
  QTest::mouseMove(&plot, at(0.4));
  QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ShiftModifier, at(0.4));
  EXPECT_NEAR(static_cast<double>(plot.x0()), 100, 3);
  EXPECT_EQ(selected.count(), 1);

  plot.setWindow(0, 1000);
  QTest::mousePress(&plot, Qt::LeftButton, Qt::AltModifier, at(0.2));
  QTest::mouseMove(&plot, at(0.4));
  QTest::mouseRelease(&plot, Qt::LeftButton, Qt::AltModifier, at(0.4));
  EXPECT_NEAR(static_cast<double>(plot.x0()), 200, 3);
  EXPECT_NEAR(static_cast<double>(plot.x1()), 400, 3);
}

TEST_F(PlotWidgetTest, AClickNamesItsPlaceAndADoubleClickShowsAll) {
  QSignalSpy clicked(&plot, &PlotWidget::clicked), all(&plot, &PlotWidget::showAll);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, at(0.5));
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_NEAR(clicked[0][0].value<std::int64_t>(), 500, 3);
  QTest::mouseDClick(&plot, Qt::LeftButton, {}, at(0.5));
  EXPECT_EQ(all.count(), 1);
}

// Three lines a third of the panel apart: the middle one is in its middle.
TEST_F(PlotWidgetTest, AClickOnACurveNamesItsSeriesAndItsPoint) {
  auto data = std::make_shared<PlotData>();
  data->axis = XAxis::kStep;
  data->panels.push_back({.title = "power", .unit = "W"});
  for (const int level : {0, 1, 2}) {
    std::vector<Bin> bins;
    const double value = level;
    for (std::int64_t i = 0; i < 1000; i += 10) bins.push_back({i, i + 1, value, value, value, value, value, 1, 0});
    data->panels.front().curves.push_back({.name = QString::number(level),
                                           .ink = seriesInk(0),
                                           .bins = std::make_shared<const std::vector<Bin>>(std::move(bins)),
                                           .series = SeriesId{static_cast<std::uint64_t>(level + 1)}});
  }
  plot.setData(data);
  const QRect area = plot.plotArea();
  const int middle = area.top() + PlotPicture::kTitle + (area.height() - PlotPicture::kTitle) / 2;
  QSignalSpy clicked(&plot, &PlotWidget::clicked), curve(&plot, &PlotWidget::curveClicked);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, QPoint(at(0.5).x(), middle));
  ASSERT_EQ(curve.count(), 1);
  EXPECT_EQ(curve[0][0].value<SeriesId>(), SeriesId{2});
  EXPECT_NEAR(static_cast<double>(curve[0][1].value<std::int64_t>()), 500, 10) << "a point of its data";
  EXPECT_EQ(curve[0][1].value<std::int64_t>() % 10, 0);
  EXPECT_EQ(clicked.count(), 0);
  QTest::mouseMove(&plot, QPoint(at(0.5).x(), middle));
  EXPECT_EQ(plot.cursor().shape(), Qt::PointingHandCursor);
  QTest::mouseMove(&plot, QPoint(at(0.5).x(), middle + 30));
  EXPECT_EQ(plot.cursor().shape(), Qt::ArrowCursor);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, QPoint(at(0.5).x(), middle + 30));
  EXPECT_EQ(clicked.count(), 1) << "between the lines";
  EXPECT_EQ(curve.count(), 1);
}

TEST_F(PlotWidgetTest, TakesUndoKeysOnlyWhenItOwnsUndo) {
  QSignalSpy undo(&plot, &PlotWidget::undo), redo(&plot, &PlotWidget::redo);
  QTest::keyClick(&plot, Qt::Key_Backspace);
  EXPECT_EQ(undo.count(), 0) << "the window's own undo gets the key";
  plot.setOwnsUndo(true);
  QTest::keyClick(&plot, Qt::Key_Backspace);
  QTest::keyClick(&plot, Qt::Key_Left, Qt::AltModifier);
  QTest::keyClick(&plot, Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(undo.count(), 2);
  EXPECT_EQ(redo.count(), 1);
}

TEST_F(PlotWidgetTest, NeverZoomsIntoNothingNorOutOfTheNumbers) {
  for (int i = 0; i < 200; ++i) wheel(at(0.5), 5, Qt::ControlModifier);
  EXPECT_GE(plot.x1() - plot.x0(), 4);
  for (int i = 0; i < 400; ++i) wheel(at(0.5), -5, Qt::ControlModifier);
  EXPECT_GT(plot.x1(), plot.x0());
  plot.grab();
}

TEST_F(PlotWidgetTest, CrosshairValuesAreTheExactPoints) {
  QTest::mouseMove(&plot, at(0.5));
  const auto values = plot.cursorValues();
  ASSERT_EQ(values.size(), 1u);
  const std::int64_t step = values[0].bin.x0;
  EXPECT_NEAR(static_cast<double>(step), 500, 3);
  EXPECT_EQ(values[0].bin.last, std::sin(static_cast<double>(step) / 100));
  EXPECT_TRUE(plot.cursorTable().contains(fullNumber(values[0].bin.last)));
}

TEST_F(PlotWidgetTest, CurvesStayInPlaceWhenLabelsGrow) {
  const QRect before = plot.plotArea();
  auto wide = std::make_shared<PlotData>(*sineData());
  std::vector<Bin> huge;
  for (std::int64_t i = 0; i < 1000; ++i) huge.push_back({i, i + 1, 1e6, 1e6, 1e6, -123456.789, 1e6, 1, 0});
  wide->panels[0].curves[0].bins = std::make_shared<const std::vector<Bin>>(std::move(huge));
  plot.setData(wide);
  plot.grab();
  EXPECT_EQ(plot.plotArea(), before);
}

TEST_F(PlotWidgetTest, VectorsAndPixelsShowTheSameCurve) {
  QImage raster = plot.grab().toImage().convertToFormat(QImage::Format_RGB32);
  QImage vector(plot.size(), QImage::Format_RGB32);
  QPainter painter(&vector);
  plot.paintVector(painter, vector.rect());
  painter.end();
  const QColor ink = currentTheme().series[0];
  const auto near = [&](QRgb pixel) {
    return std::abs(qRed(pixel) - ink.red()) + std::abs(qGreen(pixel) - ink.green()) + std::abs(qBlue(pixel) - ink.blue()) < 120;
  };
  const QRect area = plot.plotArea();
  int compared = 0;
  for (int x = area.left() + 5; x < area.right() - 5; x += 7) {
    const auto row = [&](const QImage& image) {
      double sum = 0, count = 0;
      for (int y = area.top() + 20; y < area.bottom(); ++y)
        if (near(image.pixel(x, y))) sum += y, ++count;
      return count > 0 ? sum / count : -1;
    };
    const double a = row(raster), b = row(vector);
    if (a < 0 || b < 0) continue;
    EXPECT_NEAR(a, b, 1.6) << "column " << x;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST_F(PlotWidgetTest, KeepsTheOldPictureDimmedWhileItWaits) {
  const QImage fresh = plot.grab().toImage();
  plot.setStale(true);
  const QImage dimmed = plot.grab().toImage();
  EXPECT_NE(fresh, dimmed);
  plot.setData(sineData());
  EXPECT_EQ(plot.grab().toImage(), fresh) << "an answer ends the waiting";
}

// Pixels of the lane below the panels that are of the mark's colour.
int lanePixels(PlotWidget& plot, const QColor& color) {
  const QImage picture = plot.grab().toImage();
  int count = 0;
  for (int y = plot.plotArea().bottom() + 1; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == color ? 1 : 0;
  return count;
}

TEST_F(PlotWidgetTest, OfMarksAtOnePlaceTheMostSevereHasTheGlyph) {
  constexpr auto kRed = [](const Theme&, std::size_t) { return QColor(255, 0, 0); };
  constexpr auto kGreen = [](const Theme&, std::size_t) { return QColor(0, 255, 0); };
  const QString glyph = QStringLiteral("█");
  for (const int severe_at : {500, 503}) {  // in one column, and too close to the other for two glyphs
    auto data = std::make_shared<PlotData>(*sineData());
    data->lane = true;
    data->marks = {{500, Ink{kGreen}, glyph, QStringLiteral("warning"), Severity::kWarning},
                   {severe_at, Ink{kRed}, glyph, QStringLiteral("critical"), Severity::kCritical},
                   {504, Ink{kGreen}, glyph, QStringLiteral("notice"), Severity::kInfo}};
    plot.setData(data);
    plot.setWindow(0, 1000);
    EXPECT_GT(lanePixels(plot, QColor(255, 0, 0)), 0) << severe_at;
    EXPECT_EQ(lanePixels(plot, QColor(0, 255, 0)), 0) << severe_at;
  }
}

TEST_F(PlotWidgetTest, DrawsWithoutDataAndWithEmptyPanels) {
  PlotWidget bare;
  bare.resize(300, 200);
  bare.grab();
  auto empty = std::make_shared<PlotData>();
  empty->panels.push_back({.title = "nothing", .empty = "no power: the driver does not tell"});
  bare.setData(empty);
  bare.setWindow(0, 10);
  const QImage image = bare.grab().toImage();
  EXPECT_FALSE(image.isNull());
  EXPECT_EQ(bare.primitives(), 0);
}

}  // namespace
}  // namespace runglass
