// SPDX-License-Identifier: GPL-3.0-or-later
// One click on a finding, in any list, moves every view to it: window, rank, GPU and step. No click moves the playhead.
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include "tests/widgets/console_fixture.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/ink_label.h"
#include "widgets/incidents/incident_lanes.h"
#include "widgets/incidents/incidents_view.h"
#include "widgets/overview/side_panels.h"

namespace runglass {
namespace {

class FindingClickTest : public ConsoleTest {
 protected:
  // Clicks the row with these words in the view's table.
  void clickRow(const QString& id, const QString& words) {
    View* shown = view(id);
    ASSERT_NE(shown, nullptr) << id.toStdString();
    for (QTableView* table : shown->findChildren<QTableView*>()) {
      if (!table->isVisible()) continue;
      for (int row = 0; row < table->model()->rowCount(); ++row)
        for (int column = 0; column < table->model()->columnCount(); ++column) {
          const QModelIndex index = table->model()->index(row, column);
          if (table->isColumnHidden(column) || !index.data().toString().contains(words)) continue;
          table->scrollTo(index);
          const QPoint at = table->visualRect(index).center();
          QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, {std::min(at.x(), table->viewport()->width() - 2), at.y()});
          return settle();
        }
    }
    FAIL() << id.toStdString() << " has no row with " << words.toStdString();
  }
  Rank placeOf(std::int32_t rank) {
    const std::vector<Attempt> attempts = run().reader().attempts(run().run().id).value();
    for (const Attempt& attempt : attempts) {
      const std::vector<Rank> ranks = run().reader().ranks(attempt.id).value();
      for (const Rank& one : ranks)
        if (one.rank == rank) return one;
    }
    return {};
  }
  // The state shared by the views is that of the finding, and its rank's GPU is known.
  void expectAt(const Finding& finding) {
    const Selection& selection = state().selection;
    ASSERT_TRUE(finding.start && finding.rank && finding.first_step);
    EXPECT_EQ(selection.run, finding.run);
    EXPECT_EQ(selection.attempt, finding.attempt);
    EXPECT_EQ(selection.rank, finding.rank);
    EXPECT_EQ(selection.step, finding.first_step);
    EXPECT_EQ(selection.node, placeOf(*finding.rank).node);
    EXPECT_EQ(selection.device, placeOf(*finding.rank).device);
    EXPECT_TRUE(selection.device) << "the simulated ranks have GPUs";
    EXPECT_EQ(state().window.mode, WindowMode::kFixed);
    EXPECT_LE(state().window.range.t0, *finding.start);
    EXPECT_GT(state().window.range.t1, *finding.start);
    EXPECT_EQ(state().moment, std::nullopt) << "a click does not travel in time";
  }
  void expectPlotsAtWindow(const QString& id) {
    go(id);
    for (const PlotWidget* plot : view(id)->findChildren<PlotWidget*>())
      if (plot->isVisible()) {
        EXPECT_EQ((TimeRange{plot->x0(), plot->x1()}), state().window.range) << id.toStdString();
      }
  }
};

QString summaryOf(const Finding& finding) { return screenText(finding.summary, 300); }

TEST_F(FindingClickTest, InWatchMovesEveryViewToIt) {
  const Finding& slow = finding("slow_rank");
  open();
  navigate("Watch");
  clickRow("findings", summaryOf(slow));
  expectAt(slow);
  const PlotWidget* plots = view("overview")->findChild<PlotWidget*>();
  EXPECT_EQ((TimeRange{plots->x0(), plots->x1()}), state().window.range) << "what stands beside it goes there";
  expectPlotsAtWindow("overview");
  expectPlotsAtWindow("gpus");
  m_window->state().back();
  EXPECT_EQ(state().window.mode, WindowMode::kAll) << "one step of undo";
  EXPECT_FALSE(state().selection.rank);
}

TEST_F(FindingClickTest, ASecondClickOnTheSameRowGoesThereAgain) {
  const Finding& slow = finding("slow_rank");
  open();
  go("findings");
  clickRow("findings", summaryOf(slow));
  m_window->state().showAll();
  settle();
  clickRow("findings", summaryOf(slow));
  expectAt(slow);
}

TEST_F(FindingClickTest, InTheListOfTheOverview) {
  open();
  go("overview");
  auto* side = view("overview")->findChild<SidePanels*>();
  ASSERT_TRUE(side->isVisible());
  QTest::mouseClick(side, Qt::LeftButton, {}, {side->width() / 2, 40});
  settle();
  const Finding* chosen = side->chosenFinding();
  ASSERT_NE(chosen, nullptr);
  EXPECT_EQ(state().selection.rank, chosen->rank);
  EXPECT_EQ(state().selection.step, chosen->first_step);
  EXPECT_EQ(state().window.range, *windowOf(*chosen));
  EXPECT_EQ(state().moment, std::nullopt);
  m_window->state().back();
  EXPECT_EQ(state().window.mode, WindowMode::kAll) << "one step of undo";
}

TEST_F(FindingClickTest, InTheEvents) {
  const Finding& slow = finding("slow_rank");
  open();
  go("events");
  clickRow("events", summaryOf(slow));
  expectAt(slow);
}

TEST_F(FindingClickTest, InTheRanking) {
  const Finding& slow = finding("slow_rank");
  open();
  go("ranking");
  clickRow("ranking", QString::number(*slow.rank));
  EXPECT_EQ(state().selection.rank, slow.rank);
  EXPECT_EQ(state().selection.device, placeOf(*slow.rank).device);
  EXPECT_EQ(state().selection.step, slow.first_step);
  EXPECT_LE(state().window.range.t0, *slow.start);
  EXPECT_GT(state().window.range.t1, *slow.start);
  EXPECT_EQ(state().moment, std::nullopt);
}

TEST_F(FindingClickTest, InTheTimeLineOfAnIncidentAndTheLogbook) {
  open();
  go("incidents");
  auto* incidents = qobject_cast<IncidentsView*>(view("incidents"));
  ASSERT_TRUE(waitFor([&] { return incidents->lanes()->model()->rowCount() > 0; }));
  const auto& entries = incidents->lanes()->model()->rows();
  const auto entry = std::ranges::find_if(entries, [](const TimelineEntry& one) { return one.finding != 0; });
  ASSERT_NE(entry, entries.end());
  const std::int64_t id = entry->finding;
  const TimeNs time = entry->time;
  clickRow("incidents", QString::fromStdString(entry->text.english).left(30));
  const auto of = std::ranges::find(run().findings(), id, &Finding::id);
  ASSERT_NE(of, run().findings().end());
  EXPECT_EQ(state().selection.rank, of->rank);
  EXPECT_EQ(state().selection.step, of->first_step);
  EXPECT_LE(state().window.range.t0, time);
  EXPECT_GT(state().window.range.t1, time);
  EXPECT_EQ(state().moment, std::nullopt);
  m_window->state().showAll();
  m_window->showTab("logbook");
  settle();
  QTableView* table = nullptr;
  for (QTableView* one : incidents->findChildren<QTableView*>())
    if (one->isVisible()) table = one;
  ASSERT_NE(table, nullptr);
  // The row of the same finding: its time and what it is about.
  m_window->state().select({});
  const QAbstractItemModel& rows = *table->model();
  int row = 0;
  const auto texts = [&] {
    QString out;
    for (int column = 0; column < rows.columnCount(); ++column) out += rows.index(row, column).data().toString() + "|";
    return out;
  };
  while (row < rows.rowCount() && !texts().contains(QString::fromStdString(entry->text.english).left(30))) ++row;
  ASSERT_LT(row, rows.rowCount());
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(rows.index(row, 0)).center());
  settle();
  EXPECT_EQ(state().selection.rank, of->rank);
  EXPECT_EQ(state().selection.step, of->first_step);
  EXPECT_EQ(state().window.mode, WindowMode::kFixed);
  EXPECT_LE(state().window.range.t0, time);
  EXPECT_GT(state().window.range.t1, time);
  EXPECT_EQ(state().moment, std::nullopt);
}

TEST_F(FindingClickTest, TheCountInTheStripAndTheHeadlineLeadToTheFindings) {
  open();
  navigate("Timeline");
  auto* strip = m_window->findChild<RunStrip*>();
  const QRect place = strip->placeOf("findings");
  ASSERT_FALSE(place.isEmpty());
  QTest::mouseMove(strip, place.center());
  EXPECT_EQ(strip->cursor().shape(), Qt::PointingHandCursor);
  QTest::mouseClick(strip, Qt::LeftButton, {}, place.center());
  settle();
  EXPECT_EQ(docks().current(), "single:findings");
  navigate("Watch");
  auto* headline = view("overview")->findChild<InkLabel*>("sentence");
  ASSERT_TRUE(headline->isLink());
  QTest::mouseClick(headline, Qt::LeftButton, {}, {20, headline->height() / 2});
  settle();
  EXPECT_EQ(docks().current(), "single:findings");
  QTest::mouseClick(strip, Qt::LeftButton, {}, {2, 2});
  EXPECT_EQ(state().selection.rank, std::nullopt) << "they show the list and choose nothing";
}

TEST_F(FindingClickTest, TypingIntoTheFilterChoosesNothing) {
  open();
  go("findings");
  clickRow("findings", summaryOf(finding("slow_rank")));
  const ViewState before = state();
  view("findings")->focusFilter();
  QTest::keyClicks(QApplication::focusWidget(), "xid");
  settle();
  EXPECT_EQ(state(), before);
}

}  // namespace
}  // namespace runglass
