// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <cmath>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/widgets/offscreen.h"
#include "widgets/curves/curve_export.h"
#include "widgets/curves/curves_view.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'795'211'434LL * kNsPerSecond;
constexpr char kHostile[] = "evil \x1b[31m\u202E<b>(a+)+$</b>\nsecond line";

class CurvesTest : public testing::Test {
 protected:
  void SetUp() override {
    path = folder.filePath("store.rgl").toStdString();
    auto opened = openStore(path).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    writer = std::move(opened).value();
  }
  void TearDown() override {
    view.reset();
    queries.reset();
  }

  AttemptId addRun(const std::string& name, const std::string& key = "") {
    const RunId run = writer->run({.name = name, .start = kStart});
    return writer->attempt({.run = run, .key = key});
  }
  void addScalar(AttemptId attempt, const std::string& tag, std::int64_t from, const std::vector<double>& values, bool clock = true) {
    const SeriesId series = writer->series({.attempt = attempt, .metric = tag, .kind = SeriesKind::kScalar});
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    for (std::size_t i = 0; i < values.size(); ++i) {
      steps.push_back(from + static_cast<std::int64_t>(i));
      if (clock) times.push_back(kStart + steps.back() * kNsPerSecond);
    }
    writer->scalars(series, steps, times, values);
  }
  static std::vector<double> decay(std::size_t count, double scale = 1) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(scale * (1 + std::exp(-static_cast<double>(i) / 100)));
    return values;
  }
  void open() {
    ASSERT_TRUE(writer->flush().ok());
    queries = std::make_unique<QueryService>([this] { return openStore(path).reader(); }, 2);
    view = std::make_unique<CurvesView>(ViewContext{queries.get(), &state, [] { return kStart; }}, nullptr);
    view->resize(1280, 800);
    view->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(view.get()));
    view->applyState(state.state());
    QObject::connect(&state, &SharedState::changed, view.get(), [this] { view->applyState(state.state()); });
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([&] {
      view->grab();
      return view->isFinal();
    }));
  }
  std::vector<QString> shownTitles() const {
    std::vector<QString> titles;
    for (const CurveCard* card : view->cards()) titles.push_back(card->plot()->data()->panels[0].title);
    return titles;
  }
  QLineEdit* filterLine() const {
    for (QLineEdit* line : view->findChildren<QLineEdit*>())
      if (line->placeholderText().contains("regex")) return line;
    return nullptr;
  }
  const PlotPanel& panel(std::size_t card) const { return view->cards()[card]->plot()->data()->panels[0]; }

  QTemporaryDir folder;
  std::string path;
  std::unique_ptr<Writer> writer;
  SharedState state;
  std::unique_ptr<QueryService> queries;
  std::unique_ptr<CurvesView> view;
};

TEST_F(CurvesTest, PutsTheLossFirstAndComparesRunsInOnePlot) {
  for (const char* name : {"first", "second"}) {
    const AttemptId attempt = addRun(name);
    addScalar(attempt, "zeta", 0, decay(50));
    addScalar(attempt, "train/loss", 0, decay(300));
  }
  open();
  ASSERT_EQ(view->cards().size(), 2u);
  EXPECT_EQ(shownTitles()[0], "train/loss");
  ASSERT_EQ(panel(0).curves.size(), 2u);
  EXPECT_EQ(panel(0).curves[0].name, "first");
  EXPECT_EQ(panel(0).curves[1].name, "second");
  EXPECT_NE(panel(0).curves[0].ink.in(currentTheme()), panel(0).curves[1].ink.in(currentTheme()));
}

TEST_F(CurvesTest, DrawsEveryPointOfAShortCurveBitEqualAndSmoothsBesideIt) {
  std::vector<double> values = decay(200);
  values[10] = -0.0;
  addScalar(addRun("r"), "loss", 0, values);
  open();
  const PlotCurve& curve = panel(0).curves.at(0);
  ASSERT_EQ(curve.bins->size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ((*curve.bins)[i].x0, static_cast<std::int64_t>(i));
    EXPECT_EQ(std::signbit((*curve.bins)[i].last), std::signbit(values[i]));
    EXPECT_EQ((*curve.bins)[i].last, values[i]);
  }
  ASSERT_NE(curve.smooth, nullptr) << "0.6 is the default";
  view->setSmoothing(0);
  settle();
  EXPECT_EQ(panel(0).curves.at(0).smooth, nullptr);
}

TEST_F(CurvesTest, SmoothingDoesNotBeginAnewAtTheWindowsEdge) {
  addScalar(addRun("r"), "loss", 0, decay(20'000, 3));
  open();
  view->setSmoothing(0.99);
  settle();
  const auto whole = panel(0).curves.at(0).smooth;
  const auto at = [](const SharedBins& bins, std::int64_t step) {
    for (const Bin& bin : *bins)
      if (bin.x0 <= step && step < bin.x1) return bin.last;
    return std::nan("");
  };
  emit view->cards()[0]->plot()->windowChanged(15'000, 15'400, false);
  settle();
  const auto part = panel(0).curves.at(0).smooth;
  ASSERT_NE(part, whole);
  EXPECT_NEAR(at(part, 15'200), at(whole, 15'200), 1e-3);
}

TEST_F(CurvesTest, AMillionPointsKeepTheirOnePeakAtEveryZoom) {
  std::vector<double> values(200'000, 1.0);
  values[123'456] = 77;
  addScalar(addRun("r"), "loss", 0, values);
  open();
  const auto highest = [&] {
    double top = 0;
    for (const Bin& bin : *panel(0).curves.at(0).bins)
      if (bin.count > 0) top = std::max(top, bin.max);
    return top;
  };
  EXPECT_EQ(highest(), 77);
  for (const std::int64_t half : {50'000, 5'000, 200, 10}) {
    emit view->cards()[0]->plot()->windowChanged(123'456 - half, 123'456 + half, false);
    settle();
    EXPECT_EQ(highest(), 77) << "window of " << 2 * half;
  }
  EXPECT_EQ(view->cards()[0]->plot()->x0(), 123'446);
}

TEST_F(CurvesTest, AxisSwitchesBetweenStepTimeAndTimeSinceStart) {
  addScalar(addRun("r"), "loss", 100, decay(50));
  open();
  EXPECT_EQ(view->cards()[0]->plot()->x0(), 100);
  view->setAxis(CurveAxis::kTime);
  settle();
  EXPECT_EQ(panel(0).curves.at(0).bins->front().x0, kStart + 100 * kNsPerSecond);
  view->setAxis(CurveAxis::kRelative);
  settle();
  EXPECT_EQ(panel(0).curves.at(0).bins->front().x0, 100 * kNsPerSecond);
}

TEST_F(CurvesTest, SaysWhyACurveHasNoPlaceOnTheTimeAxis) {
  addScalar(addRun("r"), "loss", 0, decay(50), false);
  open();
  view->setAxis(CurveAxis::kTime);
  settle();
  EXPECT_TRUE(panel(0).curves.empty());
  EXPECT_TRUE(panel(0).empty.contains("no times")) << panel(0).empty.toStdString();
}

TEST_F(CurvesTest, ASupersededBranchStaysAsAFaintCurve) {
  const AttemptId first = addRun("r", "a"), second = addRun("r", "b");
  addScalar(first, "loss", 0, decay(100));
  addScalar(second, "loss", 60, decay(100));
  open();
  const auto& curves = panel(0).curves;
  const auto faint = std::ranges::find_if(curves, &PlotCurve::faint);
  ASSERT_NE(faint, curves.end());
  EXPECT_EQ(faint->bins->front().x0, 60);
  EXPECT_EQ(faint->bins->back().x0, 99);
  EXPECT_EQ(std::ranges::count_if(curves, [](const PlotCurve& c) { return !c.faint; }), 2);
}

TEST_F(CurvesTest, ZoomOnTheStepAxisIsUndoneWithBackspace) {
  addScalar(addRun("r"), "loss", 0, decay(1000));
  open();
  PlotWidget* plot = view->cards()[0]->plot();
  const std::int64_t x0 = plot->x0(), x1 = plot->x1();
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_W);
  QTest::keyClick(plot, Qt::Key_W);
  EXPECT_LT(plot->x1() - plot->x0(), x1 - x0);
  QTest::keyClick(plot, Qt::Key_Backspace);
  QTest::keyClick(plot, Qt::Key_Backspace);
  EXPECT_EQ(plot->x0(), x0);
  EXPECT_EQ(plot->x1(), x1);
  QTest::keyClick(plot, Qt::Key_Right, Qt::AltModifier);
  EXPECT_LT(plot->x1() - plot->x0(), x1 - x0);
}

TEST_F(CurvesTest, OnTheTimeAxisTheWindowIsTheSharedOne) {
  addScalar(addRun("r"), "loss", 0, decay(1000));
  open();
  view->setAxis(CurveAxis::kTime);
  settle();
  state.setWindow({kStart + 10 * kNsPerSecond, kStart + 20 * kNsPerSecond});
  EXPECT_EQ(view->cards()[0]->plot()->x0(), kStart + 10 * kNsPerSecond);
  PlotWidget* plot = view->cards()[0]->plot();
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_D);
  EXPECT_GT(state.state().window.range.t0, kStart + 10 * kNsPerSecond);
}

TEST_F(CurvesTest, FilterTakesARegexRefusesABadOneAndEnterTicksWhatIsListed) {
  const AttemptId attempt = addRun("r");
  for (const char* tag : {"train/loss", "eval/loss", "lr", "grad_norm"}) addScalar(attempt, tag, 0, decay(20));
  open();
  auto* filter = filterLine();
  auto* tree = view->findChild<QTreeView*>();
  QTest::keyClicks(filter, "^(train|eval)/");
  EXPECT_EQ(tree->model()->rowCount(), 2);
  QTest::keyClick(filter, Qt::Key_Return);
  settle();
  EXPECT_EQ(view->cards().size(), 2u);
  QTest::keyClicks(filter, "(");
  EXPECT_EQ(tree->model()->rowCount(), 2) << "a bad pattern keeps the old filter";
  bool reported = false;
  for (const QLabel* label : view->findChildren<QLabel*>()) reported |= label->isVisible() && label->text().contains("at character");
  EXPECT_TRUE(reported);
}

TEST_F(CurvesTest, AnEndlesslyBacktrackingPatternIsCutOff) {
  addScalar(addRun("r"), std::string(190, 'a') + "!", 0, decay(20));
  open();
  auto* filter = filterLine();
  filter->setText("(a+)+(a+)+(a+)+$");
  EXPECT_LE(view->findChild<QTreeView*>()->model()->rowCount(), 1);
  filter->setText(QString(5'000, 'a'));
  EXPECT_EQ(view->cards().size(), 1u);
}

TEST_F(CurvesTest, HostileNamesAreShownSafely) {
  addScalar(addRun(kHostile), kHostile, 0, decay(20));
  open();
  const QString title = shownTitles().at(0);
  EXPECT_FALSE(title.contains(QChar(0x1b)));
  EXPECT_FALSE(title.contains(QChar(0x202E)));
  EXPECT_FALSE(title.contains('\n'));
}

TEST_F(CurvesTest, TicksHidePinsAndRunsDecideWhatIsDrawn) {
  for (const char* name : {"one", "two"}) {
    const AttemptId attempt = addRun(name);
    addScalar(attempt, "loss", 0, decay(30));
    addScalar(attempt, "lr", 0, decay(30));
  }
  open();
  const QAbstractItemModelTester tester(view->tags(), QAbstractItemModelTester::FailureReportingMode::Warning);
  ASSERT_EQ(view->cards().size(), 2u);
  view->tags()->setPinned(1, true);
  settle();
  EXPECT_EQ(shownTitles()[0], "lr") << "pinned first";
  auto* runs = view->findChild<QListWidget*>();
  ASSERT_EQ(runs->count(), 2);
  runs->item(0)->setCheckState(Qt::Unchecked);
  settle();
  ASSERT_EQ(panel(0).curves.size(), 1u);
  EXPECT_EQ(panel(0).curves[0].name, "two");
  view->tags()->setTagShown(1, false);
  settle();
  EXPECT_EQ(shownTitles(), (std::vector<QString>{"loss"}));
}

TEST_F(CurvesTest, NewPointsArriveWithATick) {
  const AttemptId attempt = addRun("r");
  addScalar(attempt, "loss", 0, decay(30));
  open();
  addScalar(attempt, "loss", 30, decay(30));
  ASSERT_TRUE(writer->flush().ok());
  view->refresh(Tick::kText);
  ASSERT_TRUE(waitFor([&] { return view->isFinal() && panel(0).curves.at(0).bins->size() == 60; }));
}

TEST_F(CurvesTest, OnlyALossHasSpikeMarksAndNGoesFromOneToTheNext) {
  const AttemptId attempt = addRun("r");
  std::vector<double> values = decay(5'000);
  for (const std::size_t at : {1'000u, 3'000u}) values[at] = 4.2;
  addScalar(attempt, "loss", 0, values);
  addScalar(attempt, "lr", 0, values);
  addScalar(attempt, "eval/loss", 0, values);
  open();
  for (std::size_t card = 0; card < view->cards().size(); ++card)
    EXPECT_EQ(panel(card).marks.size(), panel(card).title == "loss" ? 2u : 0u) << panel(card).title.toStdString();
  ASSERT_EQ(panel(0).title, "loss");
  const PanelMark& mark = panel(0).marks[0];
  EXPECT_EQ(mark.x, 1'000);
  EXPECT_EQ(mark.severity, Severity::kInfo);
  EXPECT_EQ(mark.text, "loss spike at step " + formatCount(1'000) + ": 4.200 against 1.000, recovered at " + formatCount(1'001));
  PlotWidget* plot = view->cards()[0]->plot();
  plot->setFocus();
  const auto middle = [plot] { return (plot->x0() + plot->x1()) / 2; };
  QTest::keyClick(plot, Qt::Key_N);
  EXPECT_NEAR(static_cast<double>(middle()), 1'000, 1);
  const std::int64_t width = plot->x1() - plot->x0();
  EXPECT_LT(width, 600);
  QTest::keyClick(plot, Qt::Key_N);
  EXPECT_NEAR(static_cast<double>(middle()), 3'000, 1);
  EXPECT_EQ(plot->x1() - plot->x0(), width);
  QTest::keyClick(plot, Qt::Key_N);
  EXPECT_NEAR(static_cast<double>(middle()), 3'000, 1) << "there is no third";
  QTest::keyClick(plot, Qt::Key_N, Qt::ShiftModifier);
  EXPECT_NEAR(static_cast<double>(middle()), 1'000, 1);
  settle();
  EXPECT_EQ(panel(0).marks.size(), 2u);
}

TEST_F(CurvesTest, ASpikeThatArrivesWithATickGetsItsMark) {
  const AttemptId attempt = addRun("r");
  addScalar(attempt, "loss", 0, decay(300));
  open();
  EXPECT_TRUE(panel(0).marks.empty());
  addScalar(attempt, "loss", 300, {1.0, 9.0, 1.0});
  ASSERT_TRUE(writer->flush().ok());
  view->refresh(Tick::kText);
  ASSERT_TRUE(waitFor([&] { return panel(0).marks.size() == 1; }));
  view->setAxis(CurveAxis::kTime);
  settle();
  ASSERT_EQ(panel(0).marks.size(), 1u);
  EXPECT_EQ(panel(0).marks[0].x, kStart + 301 * kNsPerSecond);
}

TEST_F(CurvesTest, AnEmptyStoreSaysWhatBringsCurves) {
  open();
  EXPECT_TRUE(view->isFinal());
  bool reported = false;
  for (const QLabel* label : view->findChildren<QLabel*>()) reported |= label->isVisible() && label->text().contains("runglassctl import");
  EXPECT_TRUE(reported);
}

TEST_F(CurvesTest, TheTableUnderTheCrosshairCopiesFullPrecision) {
  addScalar(addRun("r"), "loss", 0, decay(1000));
  open();
  PlotWidget* plot = view->cards()[0]->plot();
  QTest::mouseMove(plot, plot->plotArea().center());
  ASSERT_TRUE(waitFor([&] { return !view->copyText().isEmpty(); }));
  const auto values = plot->cursorValues();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_TRUE(view->copyText().contains(fullNumber(values[0].bin.last))) << view->copyText().toStdString();
}

TEST_F(CurvesTest, CsvHoldsEveryPointOfTheWindowBitEqual) {
  std::vector<double> values = decay(3000);
  values[5] = 0.1 + 0.2;
  values[6] = std::nan("");
  values[7] = -HUGE_VAL;
  addScalar(addRun("a \"quoted\", name"), "loss", 0, values);
  open();
  CurveCard* card = view->cards()[0];
  QSignalSpy done(card, &CurveCard::exported);
  const QString file = folder.filePath("out.csv");
  card->exportTo(file);
  ASSERT_TRUE(waitFor([&] { return done.count() == 1; }));
  ASSERT_TRUE(done[0][1].toBool()) << done[0][0].toString().toStdString();
  QFile csv(file);
  ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = csv.readAll().split('\n');
  ASSERT_EQ(lines.size(), 3002);
  EXPECT_EQ(lines[0], "run,attempt,source,rank,curve,tag,unit,step,time_ns,value\r");
  EXPECT_TRUE(lines[6].startsWith("\"a \"\"quoted\"\", name\",0,")) << lines[6].toStdString();
  EXPECT_TRUE(lines[6].endsWith(",5," + QByteArray::number(static_cast<qlonglong>(kStart + 5 * kNsPerSecond)) + ",0.30000000000000004\r"))
      << lines[6].toStdString();
  EXPECT_TRUE(lines[7].endsWith(",NaN\r"));
  EXPECT_TRUE(lines[8].endsWith(",-Inf\r"));
}

TEST_F(CurvesTest, PicturesAreWrittenAndAFailedExportSaysWhy) {
  addScalar(addRun("r"), "loss", 0, decay(300));
  open();
  CurveCard* card = view->cards()[0];
  QSignalSpy done(card, &CurveCard::exported);
  card->exportTo(folder.filePath("x.png"));
  card->exportTo(folder.filePath("x.svg"));
  card->exportTo(folder.filePath("no/such/folder/x.png"));
  ASSERT_EQ(done.count(), 3);
  EXPECT_TRUE(done[0][1].toBool());
  EXPECT_TRUE(done[1][1].toBool());
  EXPECT_FALSE(done[2][1].toBool());
  EXPECT_TRUE(done[2][0].toString().contains("no/such/folder"));
  EXPECT_GT(QImage(folder.filePath("x.png")).width(), card->plot()->width() * 2) << "300 dpi";
  QSvgRenderer svg(folder.filePath("x.svg"));
  EXPECT_TRUE(svg.isValid());
}

}  // namespace
}  // namespace runglass
