// SPDX-License-Identifier: GPL-3.0-or-later
// The bell: findings and alerts, read and unread, and those that arrive while a window is open.
#include "widgets/frame/notice_watch.h"

#include <gtest/gtest.h>

#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/fake_edits.h"
#include "tests/widgets/fake_reader.h"
#include "tests/widgets/offscreen.h"
#include "tests/widgets/sample_data.h"
#include "widgets/frame/main_window.h"
#include "widgets/frame/navigation.h"

namespace runglass {
namespace {

class NoticesTest : public ::testing::Test {
 protected:
  NoticesTest() {
    m_writer = m_store.writer().value();
    m_run = m_writer->run({.name = "r", .state = RunState::kRunning, .start = kSampleNow - 3'600 * kNsPerSecond});
    EXPECT_TRUE(m_writer->flush().ok());
    queries = std::make_unique<QueryService>([path = m_store.path()] { return openStore(path).reader(); }, 1);
    context = {.queries = queries.get(), .state = &shared, .clock = [] { return kSampleNow; }, .edits = &edits};
  }
  void publish(const std::string& kind, Severity severity, TimeNs start = kSampleNow + kNsPerSecond, std::int32_t rank = -1) {
    Finding finding;
    finding.rank = rank;
    finding.run = m_run;
    finding.kind = kind;
    finding.subject = "run";
    finding.severity = severity;
    finding.start = start;
    finding.summary = kind + " found";
    m_writer->finding(finding);
    EXPECT_TRUE(m_writer->flush().ok());
  }
  std::vector<AlertRow> history() { return readAlerts(*openStore(m_store.path()).reader().value(), kSampleNow).value(); }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  SharedState shared;
  FakeEdits edits;
  std::unique_ptr<QueryService> queries;
  ViewContext context;
};

TEST_F(NoticesTest, WhatWasThereIsReadWhatComesIsUnreadUntilItIsReadAndThatIsRemembered) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  ReadMarks marks(&settings, nullptr);
  marks.setStore("a", 100);
  EXPECT_TRUE(marks.isRead("x", 100));
  EXPECT_FALSE(marks.isRead("x", 101));
  marks.markRead("x");
  marks.setStore("b", 500);
  EXPECT_FALSE(marks.isRead("x", 501)) << "of another store";
  ReadMarks later(&settings, nullptr);
  later.setStore("a", 900);
  EXPECT_TRUE(later.isRead("x", 101));
  EXPECT_FALSE(later.isRead("y", 101));
  later.markAllRead(1'000);
  EXPECT_TRUE(later.isRead("y", 1'000));
}

TEST_F(NoticesTest, TheFirstLookIsNoNewsAndTheMostSevereOfWhatComesIsShownOnce) {
  ReadMarks marks(nullptr, nullptr);
  NoticeWatch watch(context, &marks, nullptr);
  QStringList arrived;
  int unread = -1;
  QObject::connect(&watch, &NoticeWatch::arrived, [&](const AlertRow& row) { arrived << QString::fromStdString(row.alert.summary); });
  QObject::connect(&watch, &NoticeWatch::unreadChanged, [&](int count, Severity) { unread = count; });
  const auto lookUntil = [&](int count) {
    return waitFor([&] {
      watch.look();
      return unread == count;
    });
  };
  publish("hang", Severity::kCritical);
  publish("recovered", Severity::kInfo);
  ASSERT_TRUE(lookUntil(1));
  EXPECT_TRUE(arrived.isEmpty());
  publish("loss_spike", Severity::kError);
  ASSERT_TRUE(lookUntil(2));
  EXPECT_EQ(arrived, QStringList{"loss_spike found"});
  publish("gc_jitter", Severity::kError);
  std::string cause;
  for (const AlertRow& row : history())
    if (row.alert.kind == "gc_jitter") cause = row.alert.cause;
  ASSERT_TRUE(lookUntil(3));
  EXPECT_EQ(arrived.size(), 2);
  ASSERT_TRUE(m_writer->edit(Snooze{.rule = "", .cause = cause, .until = kSampleNow + kNsPerSecond, .author = "ada"}).ok());
  for (const AlertRow& row : history()) EXPECT_EQ(row.snoozed_until.has_value(), row.alert.cause == cause);
}

TEST_F(NoticesTest, AFindingAndTheAlertThatItsHubSendsLaterNotifyOnce) {
  ReadMarks marks(nullptr, nullptr);
  NoticeWatch watch(context, &marks, nullptr);
  QStringList arrived;
  int unread = -1;
  QObject::connect(&watch, &NoticeWatch::arrived, [&](const AlertRow& row) { arrived << row.key(); });
  QObject::connect(&watch, &NoticeWatch::unreadChanged, [&](int count, Severity) { unread = count; });
  const auto lookUntil = [&](const std::function<bool()>& done) {
    return waitFor([&] {
      watch.look();
      return done();
    });
  };
  ASSERT_TRUE(lookUntil([&] { return unread == 0; }));
  publish("hang", Severity::kCritical);
  ASSERT_TRUE(lookUntil([&] { return unread == 1; }));
  marks.markRead(history().front().key());
  ASSERT_EQ(unread, 0);
  Alert alert = history().front().alert;
  alert.rule = "all", alert.count = 1, alert.due = kSampleNow + 2 * kNsPerSecond;
  ASSERT_TRUE(m_writer->alerts(std::vector{alert}).ok());
  publish("loss_spike", Severity::kError);  // comes after the alert
  ASSERT_TRUE(lookUntil([&] { return arrived.size() == 2; }));
  EXPECT_TRUE(arrived.front().startsWith("finding:") && arrived.back().startsWith("finding:")) << arrived.join(' ').toStdString();
  EXPECT_EQ(unread, 1) << "what was read stays read";
  alert.count = 2, alert.due = kSampleNow + 3'600 * kNsPerSecond;
  ASSERT_TRUE(m_writer->alerts(std::vector{alert}).ok());
  ASSERT_TRUE(lookUntil([&] { return arrived.size() == 3; })) << "a reminder of the hub is news";
}

TEST_F(NoticesTest, TheSignsOfOneFaultNotifyOnceAndAMuteOfOneIsShownOnAll) {
  ReadMarks marks(nullptr, nullptr);
  NoticeWatch watch(context, &marks, nullptr);
  QStringList arrived;
  int unread = -1;
  QObject::connect(&watch, &NoticeWatch::arrived, [&](const AlertRow& row) { arrived << QString::fromStdString(row.alert.summary); });
  QObject::connect(&watch, &NoticeWatch::unreadChanged, [&](int count, Severity) { unread = count; });
  const auto lookUntil = [&](int count) {
    return waitFor([&] {
      watch.look();
      return unread == count;
    });
  };
  ASSERT_TRUE(lookUntil(0));
  publish("hardware_fault", Severity::kError);
  ASSERT_TRUE(lookUntil(1));
  publish("hang", Severity::kCritical, kSampleNow + 60 * kNsPerSecond);
  ASSERT_TRUE(lookUntil(2));
  publish("loss_spike", Severity::kWarning);
  ASSERT_TRUE(lookUntil(3));
  EXPECT_EQ(arrived, (QStringList{"hardware_fault found", "loss_spike found"}));
  for (const AlertRow& row : history())
    if (row.alert.kind == "hang") {
      ASSERT_TRUE(m_writer->edit(Snooze{.rule = "", .cause = row.alert.cause, .until = kSampleNow + kNsPerSecond, .author = "ada"}).ok());
    }
  for (const AlertRow& row : history()) EXPECT_EQ(row.snoozed_until.has_value(), row.alert.kind != "loss_spike") << row.alert.kind;
}

TEST_F(NoticesTest, TheHistoryHasWhatIsFromWarningOnNewestFirst) {
  publish("slow_rank", Severity::kWarning, kSampleNow - 1'000 * kNsPerSecond);
  publish("hang", Severity::kCritical, kSampleNow);
  publish("recovered", Severity::kInfo);
  const std::vector<AlertRow> rows = history();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].alert.kind, "hang");
  ASSERT_NE(rows[0].finding, nullptr);
  EXPECT_EQ(rows[1].alert.kind, "slow_rank");
  EXPECT_EQ(alertState(rows[1], TimeStyle::kUtc), "found");
}

TEST_F(NoticesTest, AnAlertAndItsFindingAreOneRow) {
  FakeReader reader(sampleData());
  const std::vector<AlertRow> found = readAlerts(reader, kSampleNow).value();
  ASSERT_GE(found.size(), 2U);
  const auto data = sampleData();
  data->alerts = {
      {.id = 7, .run = {1}, .rule = "all", .cause = found[0].alert.cause, .kind = "x", .severity = Severity::kError, .since = kSampleNow}};
  FakeReader again(data);
  const std::vector<AlertRow> rows = readAlerts(again, kSampleNow).value();
  ASSERT_EQ(rows.size(), found.size());
  EXPECT_EQ(rows[0].alert.id, 7);
  ASSERT_NE(rows[0].finding, nullptr);
  EXPECT_EQ(rows[0].finding->id, found[0].finding->id);
}

TEST_F(NoticesTest, ChoosingARowReadsItAndMovesEveryViewToItAndAButtonReadsAll) {
  publish("hang", Severity::kCritical, kSampleNow + kNsPerSecond, 3);
  publish("stall", Severity::kError);
  ReadMarks marks(nullptr, nullptr);
  AlertsView view(context, nullptr);
  view.setReadMarks(&marks);
  view.resize(900, 400);
  view.show();
  view.applyState(shared.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  auto* table = view.findChild<QTableView*>();
  EXPECT_EQ(table->model()->index(0, 0).data().toString(), "●");
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 1)).center());
  EXPECT_EQ(table->model()->index(0, 0).data().toString(), "");
  EXPECT_EQ(table->model()->index(1, 0).data().toString(), "●");
  EXPECT_EQ(shared.state().selection.rank, 3);
  EXPECT_EQ(shared.state().window.mode, WindowMode::kFixed);
  EXPECT_LE(shared.state().window.range.t0, kSampleNow + kNsPerSecond);
  EXPECT_GT(shared.state().window.range.t1, kSampleNow + kNsPerSecond);
  marks.markAllRead(kSampleNow + 2 * kNsPerSecond);
  EXPECT_EQ(table->model()->index(1, 0).data().toString(), "");
}

TEST_F(NoticesTest, AWindowShowsWhatArrivesAndOffersToOpenMuteOrMakeAnIncident) {
  WindowOptions options;
  options.queries = queries.get();
  options.edits = &edits;
  options.clock = [] { return kSampleNow; };
  MainWindow window(options);
  QStringList on_desktop;
  QObject::connect(&window, &MainWindow::noticed, [&](const QString&, const QString& title) { on_desktop << title; });
  window.resize(1'200, 800);
  window.show();
  ASSERT_TRUE(window.showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window.isFinal(); }));
  EXPECT_FALSE(window.toast().isVisible());
  publish("slow_rank", Severity::kError);
  ASSERT_TRUE(waitFor([&] { return window.toast().isVisible(); }));
  EXPECT_EQ(window.toast().title(), "error: slow_rank found");
  EXPECT_EQ(on_desktop, QStringList{"error: slow_rank found"});
  NavButton* bell = nullptr;
  for (NavButton* one : window.findChildren<NavButton*>())
    if (one->accessibleName().startsWith("Notifications")) bell = one;
  ASSERT_NE(bell, nullptr);
  EXPECT_TRUE(bell->accessibleName().contains("1 ")) << bell->accessibleName().toStdString();
  QStringList offered;
  QToolButton* mute = nullptr;
  for (QToolButton* button : window.toast().findChildren<QToolButton*>()) {
    EXPECT_TRUE(button->isVisible());
    offered << button->text();
    if (button->text() == "Mute for 2 h") mute = button;
  }
  EXPECT_EQ(offered, (QStringList{"Evidence", "Timeline", "GPU", "Incident", "Mute for 2 h", "Copy"})) << "the actions of its card";
  ASSERT_NE(mute, nullptr);
  QTest::mouseClick(mute, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return !edits.edits.empty(); }));
  EXPECT_TRUE(std::holds_alternative<Snooze>(edits.edits.front()));
  QTest::mouseClick(bell, Qt::LeftButton);
  EXPECT_EQ(window.docks().current(), "single:alerts");
}

}  // namespace
}  // namespace runglass
