// SPDX-License-Identifier: GPL-3.0-or-later
// Context menus: an object has the same menu in every view.
#include "widgets/frame/object_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTableView>

#include "model/place_link.h"
#include "tests/widgets/console_fixture.h"
#include "tests/widgets/fake_edits.h"
#include "widgets/curves/curves_view.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/findings/findings_view.h"
#include "widgets/frame/guide.h"
#include "widgets/timeline/timeline_canvas.h"
#include "widgets/topology/topology_grid.h"

namespace runglass {
namespace {

class ObjectMenuTest : public ConsoleTest {
 protected:
  QMenu* menu() {
    for (QMenu* one : m_window->findChildren<QMenu*>(Qt::FindDirectChildrenOnly))
      if (one->isVisible()) return one;
    return nullptr;
  }
  static QAction* action(QMenu* menu, const QString& words) {
    for (QAction* one : menu->actions())
      if (one->text() == words) return one;
    ADD_FAILURE() << "no " << words.toStdString();
    return nullptr;
  }
  void rightClick(QWidget* widget, QPoint at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &event);
    ASSERT_NE(menu(), nullptr);
  }
  void rightClickRow(QTableView* table, int row) {
    table->scrollTo(table->model()->index(row, 0));
    rightClick(table->viewport(), table->visualRect(table->model()->index(row, 0)).center());
  }
  static QString clipboard() { return QApplication::clipboard()->text(); }
  // The number of rows that the query in the clipboard returns.
  int rowsOfCopiedSql() {
    const auto reader = openStore(run().path()).reader().value();
    int rows = 0;
    Reader::SqlSink sink;
    sink.columns = [](const auto&) {};
    sink.row = [&](const auto&) { return ++rows < 1'000; };
    const Status status = reader->query(clipboard().toStdString(), sink);
    EXPECT_TRUE(status.ok()) << clipboard().toStdString() << ": " << status.message();
    return rows;
  }
  // The entries of every menu; its link and query must refer to existing data.
  void expectWhole(const char* first_view) {
    ASSERT_NE(menu(), nullptr);
    QStringList words;
    for (const QAction* one : menu()->actions())
      if (!one->isSeparator()) words << one->text();
    EXPECT_EQ(words, (QStringList{"Open in", "Copy value", "Copy link", "Copy SQL", "Mark", "Incident", "Mute for 2 h", "Help"}));
    const QList<QAction*> views = action(menu(), "Open in")->menu()->actions();
    ASSERT_FALSE(views.isEmpty());
    EXPECT_EQ(views.front()->text(), first_view);
    action(menu(), "Copy value")->trigger();
    EXPECT_FALSE(clipboard().isEmpty());
    action(menu(), "Copy SQL")->trigger();
    EXPECT_GT(rowsOfCopiedSql(), 0) << clipboard().toStdString();
    action(menu(), "Copy link")->trigger();
    EXPECT_TRUE(parseLink(clipboard().toStdString()).ok()) << clipboard().toStdString();
  }
};

TEST_F(ObjectMenuTest, AFindingARunAndARankHaveItInTheirTables) {
  open();
  const std::vector<std::pair<const char*, const char*>> of = {{"runs", "Overview"}, {"ranking", "Ranking"}};
  for (const auto& [place, first_view] : of) {
    go(place);
    rightClickRow(view(place)->findChild<QTableView*>(), 0);
    expectWhole(first_view);
    menu()->close();
    QCoreApplication::processEvents();
  }
  go("findings");
  rightClickRow(view("findings")->findChild<QTableView*>(), 0);
  expectWhole("Topology");
  action(menu(), "Help")->trigger();
  EXPECT_NE(m_window->findChild<GuideDialog*>(), nullptr);
}

TEST_F(ObjectMenuTest, EveryRowOfTheEventsHasALinkAndAQueryThatFindsIt) {
  open();
  go("events");
  auto* table = view("events")->findChild<QTableView*>();
  for (int row = 0; row < std::min(20, table->model()->rowCount()); ++row) {
    rightClickRow(table, row);
    action(menu(), "Copy SQL")->trigger();
    EXPECT_GT(rowsOfCopiedSql(), 0) << clipboard().toStdString();
    menu()->close();
    QCoreApplication::processEvents();
    settle();
  }
}

TEST_F(ObjectMenuTest, ACellOfTheGridASpanAndACurveHaveIt) {
  open();
  go("gpus");
  auto* grid = view("gpus")->findChild<GpuGrid*>();
  const auto reader = openStore(run().path()).reader().value();
  const Device device = reader->devices()->front();
  rightClick(grid, grid->rectOf(device.node, device.id).center());
  expectWhole("GPUs");
  menu()->close();
  QCoreApplication::processEvents();
  go("curves");
  CurveCard* card = qobject_cast<CurvesView*>(view("curves"))->cards().front();
  rightClick(card, card->rect().center());
  expectWhole("Curves");
  menu()->close();
  QCoreApplication::processEvents();
  go("timeline");
  auto* canvas = view("timeline")->findChild<TimelineCanvas*>();
  // In the gutter it is the rank, on a bar the span.
  for (int y = TimelineCanvas::kHeader + 4; y < canvas->height(); y += 6) {
    const QPoint at(canvas->width() / 2, y);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas->mapToGlobal(at));
    QApplication::sendEvent(canvas, &event);
    if (menu() != nullptr) break;
  }
  ASSERT_NE(menu(), nullptr);
  action(menu(), "Copy SQL")->trigger();
  EXPECT_GT(rowsOfCopiedSql(), 0) << clipboard().toStdString();
}

TEST_F(ObjectMenuTest, ARankOfTheTopologyHasIt) {
  open();
  go("topology");
  auto* grid = view("topology")->findChild<TopologyGrid*>();
  rightClick(grid->viewport(), grid->rankRect(5).center());
  expectWhole("Ranking");
  EXPECT_EQ(state().selection.rank, 5);
}

TEST_F(ObjectMenuTest, OpenInGoesThereWithTheObjectSelected) {
  open();
  go("findings");
  auto* table = view("findings")->findChild<QTableView*>();
  int row = 0;
  while (row < table->model()->rowCount()) {
    rightClickRow(table, row);
    QAction* first = action(menu(), "Open in")->menu()->actions().front();
    if (first->text() == "Ranking") {
      first->trigger();
      break;
    }
    menu()->close();
    QCoreApplication::processEvents();
    ++row;
  }
  settle();
  EXPECT_EQ(docks().current(), "single:ranking");
  EXPECT_TRUE(state().selection.rank || state().selection.node);
  EXPECT_FALSE(state().moment);
}

TEST_F(ObjectMenuTest, WhatCannotBeDoneIsDisabledWithAReason) {
  open();
  go("runs");
  rightClickRow(view("runs")->findChild<QTableView*>(), 0);
  for (const char* words : {"Mark", "Incident", "Mute for 2 h"}) {
    EXPECT_FALSE(action(menu(), words)->isEnabled());
    EXPECT_FALSE(action(menu(), words)->toolTip().isEmpty());
  }
}

TEST_F(ObjectMenuTest, MarkWritesANoteAndMuteTheCauseUnderWhichTheHubNotifies) {
  FakeEdits edits;
  open(nullptr, &edits);
  go("findings");
  rightClickRow(view("findings")->findChild<QTableView*>(), 0);
  action(menu(), "Mute for 2 h")->trigger();
  ASSERT_TRUE(waitFor([&] { return !edits.edits.empty(); }));
  const auto* snooze = std::get_if<Snooze>(&edits.edits.front());
  ASSERT_NE(snooze, nullptr);
  EXPECT_TRUE(snooze->cause.starts_with("finding/")) << snooze->cause;
  EXPECT_TRUE(snooze->rule.empty());
  EXPECT_TRUE(snooze->until);
  EXPECT_EQ(m_window->toast().title(), "Muted for 2 h");
  rightClickRow(view("findings")->findChild<QTableView*>(), 0);
  action(menu(), "Mark")->trigger();
  ASSERT_TRUE(waitFor([&] { return edits.edits.size() == 2; }));
  const auto* note = std::get_if<Note>(&edits.edits.back());
  ASSERT_NE(note, nullptr);
  EXPECT_TRUE(note->time);
  EXPECT_FALSE(note->text.empty());
  EXPECT_EQ(note->run_uuid, run().run().uuid);
}

}  // namespace
}  // namespace runglass
