// SPDX-License-Identifier: GPL-3.0-or-later
// The list of alerts and the message in the corner.
#include "widgets/alerts/alerts_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "tests/widgets/fake_reader.h"
#include "tests/widgets/offscreen.h"
#include "tests/widgets/sample_data.h"
#include "widgets/core/edit_port.h"
#include "widgets/frame/toast.h"

namespace runglass {
namespace {

class RememberingEdits : public EditPort {
 public:
  QString refusal() const override { return refused; }
  void submit(Edit edit, QObject*, std::function<void(const Status&)> done) override {
    edits.push_back(std::move(edit));
    done(answer);
  }
  QString refused;
  Status answer;
  std::vector<Edit> edits;
};

Alert alertOf(const std::string& cause, Severity severity) {
  return {.run = {1},
          .rule = "findings",
          .cause = cause,
          .kind = "hang",
          .severity = severity,
          .since = kSampleNow - 60 * kNsPerSecond,
          .summary = cause};
}

class AlertsViewTest : public ::testing::Test {
 protected:
  AlertsViewTest() {
    data->alerts = {alertOf("a <b>hang</b>\x1b", Severity::kCritical), alertOf("node lost", Severity::kError)};
    data->alerts[0].id = 1, data->alerts[1].id = 2;
    data->alerts[0].due = data->alerts[0].notified = kSampleNow;
    data->alerts[0].count = 2;
    data->findings.clear();
  }
  QString state(Alert alert, std::optional<TimeNs> snoozed = std::nullopt) {
    return alertState({.alert = std::move(alert), .snoozed_until = snoozed}, TimeStyle::kUtc);
  }

  std::shared_ptr<FakeData> data = sampleData();
  SharedState shared;
  QueryService queries{openerOf(data), 1};
  RememberingEdits edits;
  ViewContext context{.queries = &queries, .state = &shared, .clock = [] { return kSampleNow; }, .edits = &edits};
};

TEST_F(AlertsViewTest, TheStateSaysWhatCameOfIt) {
  Alert alert = alertOf("x", Severity::kError);
  EXPECT_EQ(state(alert), "not sent");
  alert.due = 5;
  EXPECT_EQ(state(alert), "sending");
  alert.notified = 6;
  alert.count = 1;
  EXPECT_EQ(state(alert), "sent");
  alert.delivery = "pager: sent; mail: failed after 8 tries: refused";
  EXPECT_EQ(state(alert), "partly sent");
  alert.delivery = "mail: failed after 8 tries: refused";
  EXPECT_EQ(state(alert), "not delivered");
  EXPECT_TRUE(state(alert, kSampleNow).startsWith("muted until "));
}

TEST_F(AlertsViewTest, TheModelIsConsistentAndShowsHostileTextHarmlessly) {
  FakeReader reader(data);
  const TimeStyle style = TimeStyle::kUtc;
  TableModel<AlertRow> model(
      alertColumns(&style, [](const AlertRow& row) { return row.alert.id == 2; }),
      [](const AlertRow& a, const AlertRow& b) { return a.key() == b.key(); }, nullptr);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
  data->snoozes = {{.rule = "", .cause = "node lost", .until = kSampleNow + 1, .author = "ada"},
                   {.rule = "findings", .cause = "", .until = kSampleNow - 1, .author = "ada"}};
  model.setRows(std::make_shared<const std::vector<AlertRow>>(readAlerts(reader, kSampleNow).value()));
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, 2).data().toString(), "sent 2×") << "a snooze that is over is none";
  EXPECT_TRUE(model.index(1, 2).data().toString().startsWith("muted"));
  EXPECT_FALSE(model.index(0, 4).data().toString().contains(QChar(0x1B)));
}

TEST_F(AlertsViewTest, SnoozingMeansTheRowsCauseOrItsRule) {
  AlertsView view(context, nullptr);
  view.show();
  view.applyState(shared.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  auto* table = view.findChild<QTableView*>();
  table->setCurrentIndex(table->model()->index(1, 0));
  EXPECT_TRUE(view.snooze(false, 3600 * kNsPerSecond));
  EXPECT_TRUE(view.snooze(true, 0));
  ASSERT_EQ(edits.edits.size(), 2u);
  const Snooze first = std::get<Snooze>(edits.edits[0]), second = std::get<Snooze>(edits.edits[1]);
  EXPECT_EQ(first.cause, "node lost");
  EXPECT_EQ(first.rule, "");
  EXPECT_EQ(first.until, kSampleNow + 3600 * kNsPerSecond);
  EXPECT_EQ(second.rule, "findings");
  EXPECT_EQ(second.until, std::nullopt);
  edits.refused = "This store is read-only.";
  EXPECT_TRUE(view.snooze(false, kNsPerSecond));
  EXPECT_EQ(edits.edits.size(), 2u);
}

TEST_F(AlertsViewTest, AnEmptyHistorySaysSo) {
  data->alerts.clear();
  AlertsView view(context, nullptr);
  view.show();
  view.applyState(shared.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  EXPECT_FALSE(view.snooze(false, kNsPerSecond));
  EXPECT_TRUE(edits.edits.empty());
}

TEST(Toast, IsPlainTextGoesWhereItPointsAndIsReplacedByANewerOne) {
  QWidget window;
  window.resize(600, 400);
  window.show();
  Toast toast(&window);
  EXPECT_FALSE(toast.isVisible());
  int opened = 0;
  toast.show("warning: <b>x</b>", "text", Severity::kWarning, [&] { ++opened; });
  toast.show("critical: y", "text", Severity::kCritical, [&] { opened += 10; });
  EXPECT_TRUE(toast.isVisible());
  EXPECT_EQ(toast.title(), "critical: y");
  EXPECT_TRUE(window.rect().contains(toast.geometry()));
  window.resize(300, 200);
  QTest::mouseClick(&toast, Qt::LeftButton);
  EXPECT_EQ(opened, 10);
  EXPECT_FALSE(toast.isVisible());
}

TEST(Toast, HasRoomForTheCardThatReplacesATextOrAnotherCard) {
  QWidget window;
  window.resize(900, 600);
  window.show();
  Toast toast(&window);
  const auto card = [&](int height) {
    auto* label = new QLabel(&window);
    label->setFixedHeight(height);
    toast.showCard(label, "warning: card", Severity::kWarning, [] {});
    EXPECT_GE(toast.height(), height);
    EXPECT_LT(toast.height(), height + 60);
    EXPECT_TRUE(label->isVisible());
  };
  toast.show("warning: x", "text", Severity::kWarning, [] {});
  card(120);
  card(160);
  card(80);
  toast.show("warning: x", "text", Severity::kWarning, [] {});
  EXPECT_LT(toast.height(), 80);
}

}  // namespace
}  // namespace runglass
