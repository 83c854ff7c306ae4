// SPDX-License-Identifier: GPL-3.0-or-later
// From a curve to its rank in every view, as a user does it: one click on a real store.
#include <QTableView>

#include "tests/widgets/console_fixture.h"
#include "widgets/curves/curves_view.h"

namespace runglass {
namespace {

class CurveClickTest : public ConsoleTest {
 protected:
  // Shows the curves of one metric alone.
  void show(const char* metric, CurveAxis axis) {
    go("curves");
    m_curves = qobject_cast<CurvesView*>(view("curves"));
    ASSERT_NE(m_curves, nullptr);
    m_curves->setAxis(axis);
    m_curves->reveal({.kind = ObjectKind::kCurve, .key = metric});
    settle();
    ASSERT_EQ(m_curves->cards().size(), 1u);
    m_plot = m_curves->cards().front()->plot();
  }
  // Clicks down a column of pixels until a curve is hit.
  void clickACurve(double share) {
    const QRect area = m_plot->plotArea();
    // A click on no curve selects at most a step.
    const auto hit = [&] { return state().selection.attempt || state().selection.device; };
    for (int y = area.top() + PlotPicture::kTitle; y < area.bottom() && !hit(); y += 3) {
      QTest::mouseClick(m_window->windowHandle(), Qt::LeftButton, {},
                        m_plot->mapTo(m_window.get(), QPoint(area.left() + static_cast<int>(share * area.width()), y)));
      settle();
    }
    ASSERT_TRUE(hit()) << "no curve was hit";
  }
  std::vector<Rank> ranks() {
    Reader& reader = run().reader();
    return reader.ranks(reader.attempts(run().run().id)->back().id).value();
  }
  // The views that follow a rank keep this one.
  void expectEverywhere(std::int32_t rank) {
    for (const char* place : {"Topology", "Ranking", "Timeline"}) {
      EXPECT_EQ(state().selection.rank, rank) << "before " << place;
      navigate(place);
    }
    EXPECT_EQ(state().selection.rank, rank);
  }

  CurvesView* m_curves = nullptr;
  PlotWidget* m_plot = nullptr;
};

TEST_F(CurveClickTest, AClickOnTheCurveOfAGpuSelectsItsRankInEveryView) {
  open();
  show("power_watts", CurveAxis::kTime);
  const TimeRange window = state().window.range;
  clickACurve(0.5);
  ASSERT_TRUE(state().selection.device);
  ASSERT_TRUE(waitFor([&] { return state().selection.rank.has_value(); })) << "the rank that runs on it";
  const auto all = ranks();
  const auto rank = std::ranges::find(all, state().selection.device, &Rank::device);
  ASSERT_NE(rank, all.end());
  EXPECT_EQ(state().selection.node, rank->node);
  EXPECT_EQ(state().window.range, window) << "it shows that time already";
  expectEverywhere(rank->rank);
}

TEST_F(CurveClickTest, AClickOnACurveOverStepsSelectsTheStepAndBringsItsTime) {
  open();
  show("loss", CurveAxis::kStep);
  const TimeRange all = state().window.range;
  m_window->state().setWindow({all.t0, all.t0 + 60 * kNsPerSecond});
  settle();
  clickACurve(0.75);
  ASSERT_TRUE(state().selection.step);
  EXPECT_GT(*state().selection.step, 100);
  EXPECT_TRUE(state().selection.attempt);
  EXPECT_GT(state().window.range.t0, all.t0 + 60 * kNsPerSecond) << "every view shows the time of the step";
  EXPECT_EQ(state().window.range.t1 - state().window.range.t0, 60 * kNsPerSecond) << "as wide as before";
  m_window->state().back();
  EXPECT_EQ(state().window.range.t0, all.t0) << "one click is one step of undo";
}

TEST_F(CurveClickTest, ARowUnderTheCrosshairLeadsToItsRankAndItsTimeline) {
  open();
  show("power_watts", CurveAxis::kTime);
  auto* table = m_curves->findChild<CursorTable*>()->findChild<QTableView*>();
  QTest::mouseMove(m_window->windowHandle(), m_plot->mapTo(m_window.get(), m_plot->plotArea().center()));
  ASSERT_TRUE(waitFor([&] { return table->model()->rowCount() > 3; }, 10'000));
  const auto at = [&](int row) { return table->visualRect(table->model()->index(row, 0)).center(); };
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at(2));
  ASSERT_TRUE(waitFor([&] { return state().selection.rank.has_value(); }));
  const auto all = ranks();
  const auto rank = std::ranges::find(all, state().selection.device, &Rank::device);
  ASSERT_NE(rank, all.end());
  EXPECT_EQ(state().selection.rank, rank->rank);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at(2));
  settle();
  EXPECT_EQ(docks().current(), "single:timeline");
}

}  // namespace
}  // namespace runglass
