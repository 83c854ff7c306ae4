// SPDX-License-Identifier: GPL-3.0-or-later
// The console over a simulated run with a slow rank and a lost GPU, for tests that use it like a user: with mouse and keys on visible
// windows.
#pragma once

#include <gtest/gtest.h>

#include <QPushButton>
#include <QTest>
#include <ranges>

#include "storage/open_store.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/widgets/offscreen.h"
#include "widgets/frame/main_window.h"

namespace runglass {

inline sim::Scenario slowAndLost() {
  sim::Scenario job = slowRankOf(5);
  job.steps = 240;
  job.spans = sim::SpanDetail::kCoarse;
  job.faults.push_back(lostGpu().faults.front());
  return job;
}

class ConsoleTest : public testing::Test {
 protected:
  static SimulatedIncident& run() {
    static SimulatedIncident incident(slowAndLost());
    return incident;
  }
  // The newest of the run's findings of this kind.
  static const Finding& finding(const std::string& kind) {
    static const Finding none;
    for (const Finding& one : run().findings() | std::views::reverse)
      if (one.kind == kind) return one;
    ADD_FAILURE() << "the analyses found no " << kind;
    return none;
  }

  void TearDown() override {
    m_window.reset();
    m_queries.reset();
    applyLook(*qApp, ThemeName::kDark, {});
  }
  void open(QSettings* settings = nullptr, EditPort* edits = nullptr) {
    m_window.reset();
    m_queries = std::make_unique<QueryService>([path = run().path()] { return openStore(path).reader(); }, 2);
    WindowOptions options;
    options.queries = m_queries.get();
    options.settings = settings;
    options.edits = edits;
    options.clock = [] { return SimulatedIncident::kStart + 2 * 3'600 * kNsPerSecond; };
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1'400, 900);
    m_window->show();
    m_window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
  }
  void settle() {
    QCoreApplication::processEvents();  // the effects of a click, and layouts
    ASSERT_TRUE(waitFor([&] { return m_window->isFinal(); })) << "in " << docks().current().toStdString();
    QCoreApplication::processEvents();
  }
  void go(const QString& place) {
    ASSERT_TRUE(m_window->showPlace(place)) << place.toStdString();
    settle();
  }
  // A click on the navigation.
  void navigate(const QString& title) {
    for (QPushButton* button : m_window->findChildren<QPushButton*>())
      if (button->property("nav").toBool() && button->text() == title) {
        QTest::mouseClick(button, Qt::LeftButton);
        return settle();
      }
    FAIL() << "the navigation has no " << title.toStdString();
  }
  const ViewState& state() const { return m_window->state().state(); }
  DockHost& docks() { return m_window->docks(); }
  View* view(const QString& id) {
    for (View* one : docks().visibleViews())
      if (docks().idOf(one) == id) return one;
    return nullptr;
  }

  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<MainWindow> m_window;
};

}  // namespace runglass
