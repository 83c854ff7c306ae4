// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks on what a window of a store shows, from a finding to the report of its incident, counted.
//
// Threading:  GUI thread; Readers on the service's workers.
// Ownership:  borrows the store at the path; the fixture ends window, writer and service.
// Errors:     a failure here fails the test.
#pragma once

#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <memory>
#include <string>
#include <utility>

#include "storage/open_store.h"
#include "tests/widgets/incident_fixture.h"
#include "widgets/frame/main_window.h"
#include "widgets/report/report_dialog.h"

namespace runglass {

class ClickPath : public testing::Test {
 protected:
  static constexpr int kMaxClicks = 6;

  // `finding` is in the store at `path`; `now`: the time that the window shows as the present.
  void useStore(std::string path, Finding finding, TimeNs now) {
    m_path = std::move(path), m_finding = std::move(finding), m_now = now;
    m_writer = openStore(m_path).writer().value();
    m_edits = std::make_unique<StoreEditPort>(*m_writer);
  }
  void open(const QString& place) {
    m_window.reset();
    m_queries = std::make_unique<QueryService>([path = m_path] { return openStore(path).reader(); }, 2);
    WindowOptions options;
    options.queries = m_queries.get();
    options.edits = m_edits.get();
    options.clock = [now = m_now] { return now; };
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1'600, 1'000);
    m_window->show();
    m_window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
    ASSERT_TRUE(m_window->showPlace(place));
    settle();
    m_clicks = 0;
  }
  void TearDown() override {
    m_window.reset();
    m_queries.reset();
  }
  void settle() {
    QCoreApplication::processEvents();
    ASSERT_TRUE(waitFor([&] { return m_window->isFinal(); })) << m_window->docks().current().toStdString();
    QCoreApplication::processEvents();
  }
  // Clicks where the widget shows this place; no other widget may cover it.
  void click(QWidget* widget, const QPoint& at, bool twice = false) {
    const QPoint in_window = widget->mapTo(m_window.get(), at);
    const QWidget* hit = m_window->childAt(in_window);
    ASSERT_TRUE(hit != nullptr && (hit == widget || widget->isAncestorOf(hit))) << "covered";
    ++m_clicks;
    QWindow* window = m_window->windowHandle();
    QTest::mouseClick(window, Qt::LeftButton, {}, in_window);
    if (twice) QTest::mouseDClick(window, Qt::LeftButton, {}, in_window);
    settle();
  }
  template <class Button>
  Button* buttonIn(QWidget* parent, const QString& words) {
    for (Button* button : parent->findChildren<Button*>())
      if (button->isVisible() && button->text() == words) return button;
    return nullptr;
  }
  template <class Button>
  void press(QWidget* parent, const QString& words) {
    Button* button = buttonIn<Button>(parent, words);
    ASSERT_NE(button, nullptr) << words.toStdString();
    ASSERT_TRUE(button->isEnabled()) << words.toStdString();
    click(button, button->rect().center());
  }
  void navigate(const QString& title) {
    for (QPushButton* button : m_window->findChildren<QPushButton*>())
      if (button->property("nav").toBool() && button->accessibleName().startsWith(title)) return click(button, button->rect().center());
    FAIL() << "the navigation has no " << title.toStdString();
  }
  View* view(const QString& id) {
    for (View* one : m_window->docks().visibleViews())
      if (m_window->docks().idOf(one) == id) return one;
    return nullptr;
  }
  void clickRow(const QString& id) {
    const QString words = screenText(m_finding.summary, 300);
    for (QTableView* table : view(id)->findChildren<QTableView*>())
      for (int row = 0; table->isVisible() && row < table->model()->rowCount(); ++row)
        for (int column = 0; column < table->model()->columnCount(); ++column) {
          const QModelIndex index = table->model()->index(row, column);
          if (table->isColumnHidden(column) || !index.data().toString().contains(words)) continue;
          table->scrollTo(index);
          return click(table->viewport(), {std::min(20, table->viewport()->width() - 2), table->visualRect(index).center().y()});
        }
    FAIL() << id.toStdString() << " does not list it";
  }
  const Selection& selection() const { return m_window->state().state().selection; }

  // The finding is selected in `id`, where its actions are: its kernels, an incident and the report of it; on a GPU, the GPU first.
  void expectPathFrom(const QString& title, const QString& id, bool on_gpu = true) {
    EXPECT_EQ(selection().rank, m_finding.rank);
    if (on_gpu) {
      press<QToolButton>(view(id), QStringLiteral("GPU"));
      ASSERT_NE(view(QStringLiteral("gpus")), nullptr);
      if (m_finding.rank) {
        EXPECT_TRUE(selection().device) << "the rank's GPU is chosen";
      }
    }
    press<QToolButton>(view(on_gpu ? QStringLiteral("gpus") : id), QStringLiteral("Timeline"));
    ASSERT_NE(view(QStringLiteral("timeline")), nullptr);
    EXPECT_EQ(selection().rank, m_finding.rank) << "at the same rank";
    EXPECT_LE(m_window->state().state().window.range.t0, *m_finding.start);
    EXPECT_GT(m_window->state().state().window.range.t1, *m_finding.start);
    navigate(title);
    press<QToolButton>(view(id), QStringLiteral("Incident"));
    ASSERT_TRUE(waitFor([&] { return !selection().incident.empty() && view(QStringLiteral("incidents")) != nullptr; }));
    settle();
    press<QPushButton>(view(QStringLiteral("incidents")), QStringLiteral("Export report …"));
    const auto* report = m_window->findChild<ReportDialog*>();
    ASSERT_NE(report, nullptr);
    EXPECT_TRUE(report->isVisible());
    EXPECT_LE(m_clicks, kMaxClicks);
  }

  std::string m_path;
  Finding m_finding;
  TimeNs m_now = 0;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<StoreEditPort> m_edits;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<MainWindow> m_window;
  int m_clicks = 0;
};

}  // namespace runglass
