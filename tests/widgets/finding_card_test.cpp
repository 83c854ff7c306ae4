// SPDX-License-Identifier: GPL-3.0-or-later
// The card of a finding: the same face and actions in Findings, the overview, the bell and a notification.
#include "widgets/core/finding_card.h"

#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <cmath>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/console_fixture.h"
#include "tests/widgets/fake_reader.h"
#include "widgets/core/language.h"
#include "widgets/core/painted_text.h"
#include "widgets/overview/overview_view.h"
#include "widgets/overview/side_panels.h"

namespace runglass {
namespace {

class FindingCardTest : public ConsoleTest {
 protected:
  FindingCard* cardIn(const QString& id) {
    const auto cards = view(id)->findChildren<FindingCard*>();
    for (FindingCard* card : cards)
      if (card->isVisible()) return card;
    return cards.front();
  }
  static FindingFaceView* faceOf(const FindingCard* card) { return card->findChild<FindingFaceView*>(); }
  // Clicks the row whose text has these words.
  void clickRow(const QString& id, const QString& words) {
    for (auto* table : view(id)->findChildren<QTableView*>())
      for (int row = 0; table->isVisible() && row < table->model()->rowCount(); ++row)
        for (int column = 0; column < table->model()->columnCount(); ++column) {
          const QModelIndex index = table->model()->index(row, column);
          if (!index.data().toString().contains(words)) continue;
          table->scrollTo(index);
          QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, {20, table->visualRect(index).center().y()});
          return settle();
        }
    FAIL() << id.toStdString() << " has no row with " << words.toStdString();
  }
  static QStringList actionsOf(const FindingCard* card) {
    QStringList words;
    for (const QToolButton* button : card->findChildren<QToolButton*>()) words << button->text();
    return words;
  }
  static int pixelsOf(const QImage& picture, const QColor& color) {
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == color;
    return count;
  }
  static void expectCardOf(const FindingCard* card, const Finding& finding) {
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(card->isVisible());
    ASSERT_TRUE(card->finding());
    EXPECT_EQ(card->finding()->id, finding.id);
    EXPECT_EQ(actionsOf(card), (QStringList{"Evidence", "Timeline", "GPU", "Incident", "Mute for 2 h", "Copy"}));
    const QString summary = faceOf(card)->accessibleTable().summary;
    EXPECT_TRUE(summary.startsWith(severityLabel(finding.severity))) << summary.toStdString();
    EXPECT_TRUE(summary.contains(findingText(finding))) << summary.toStdString();
    EXPECT_TRUE(summary.contains(QStringLiteral("since "))) << summary.toStdString();
    EXPECT_TRUE(summary.contains(QStringLiteral("cost: "))) << summary.toStdString();
  }
};

TEST(FindingCardFactsTest, AReadThatFailsLeavesNoFactsOfAnEarlierState) {
  auto data = std::make_shared<FakeData>();
  data->failure = Status(Code::kInternal, "store: cannot be read");
  QueryService queries(openerOf(data), 1);
  SharedState shared;
  FindingCard card(ViewContext{&queries, &shared});
  Finding slow{.id = 1, .kind = "slow_rank", .severity = Severity::kError, .start = 100, .summary = "rank 3 is slow"};
  card.setFinding(slow);
  ASSERT_TRUE(waitFor([&] { return card.isFinal(); }));
  EXPECT_TRUE(card.facts().open);
  slow.end = 200;
  card.setFinding(slow);
  ASSERT_TRUE(waitFor([&] { return card.isFinal(); }));
  EXPECT_FALSE(card.facts().open);
}

TEST_F(FindingCardTest, ShowsTheCostOfASlowRankAndTheCurveOfItsWork) {
  // Of the first attempt, which had steps before it.
  const Finding& slow = *std::ranges::min_element(
      run().findings(), {}, [](const Finding& one) { return one.kind == "slow_rank" ? one.start.value_or(INT64_MAX) : INT64_MAX; });
  open();
  go("findings");
  EXPECT_FALSE(faceOf(cardIn("findings"))->isVisible()) << "nothing is selected";
  clickRow("findings", screenText(slow.summary, 300));
  const FindingCard* card = cardIn("findings");
  expectCardOf(card, slow);
  const FindingFacts& facts = card->facts();
  ASSERT_TRUE(facts.cost.gpu_hours_per_day);
  EXPECT_GT(*facts.cost.gpu_hours_per_day, 0);
  ASSERT_EQ(facts.trend.kind, TrendKind::kOwnWork);
  EXPECT_EQ(facts.trend.rank, slow.rank);
  ASSERT_TRUE(facts.trend.before && facts.trend.during);
  EXPECT_GT(*facts.trend.during, 1.2 * *facts.trend.before) << "the simulator makes it 1.3 times as slow";
  const QString summary = faceOf(card)->accessibleTable().summary;
  EXPECT_TRUE(summary.contains(formatGpuHours(*facts.cost.gpu_hours_per_day))) << summary.toStdString();
  EXPECT_TRUE(summary.contains(QStringLiteral("own work per step, rank 5"))) << summary.toStdString();
}

TEST_F(FindingCardTest, IsPaintedWithTheChipOfItsSeverityAndTheTimeOfTheFindingInTheCurve) {
  const Finding& slow = finding("slow_rank");
  open();
  go("findings");
  clickRow("findings", screenText(slow.summary, 300));
  const QImage picture = faceOf(cardIn("findings"))->grab().toImage();
  const Theme& theme = currentTheme();
  EXPECT_GT(pixelsOf(picture, severityColor(theme, slow.severity)), 200) << "the chip";
  EXPECT_GT(pixelsOf(picture, mix(theme.surface, severityColor(theme, slow.severity), 0.25)), 200) << "behind the curve";
  Finding without = slow;
  without.attempt = {}, without.first_step.reset();
  FindingFaceView face(nullptr);
  face.resize(faceOf(cardIn("findings"))->size());
  face.show(without, factsOf(without, nullptr, 0), 0, TimeStyle::kUtc);
  EXPECT_EQ(pixelsOf(face.grab().toImage(), mix(theme.surface, severityColor(theme, slow.severity), 0.25)), 0);
}

TEST_F(FindingCardTest, IsTheSameInTheOverviewAndTheBell) {
  open();
  go("overview");
  auto* side = view("overview")->findChild<SidePanels*>();
  ASSERT_TRUE(side->isVisible());
  QTest::mouseClick(side, Qt::LeftButton, {}, {side->width() / 2, 40});
  settle();
  ASSERT_NE(side->chosenFinding(), nullptr);
  const Finding chosen = *side->chosenFinding();
  expectCardOf(cardIn("overview"), chosen);
  const FindingFacts& facts = cardIn("overview")->facts();
  const QString listed = side->accessibleTable().rows.front().cells.back();
  EXPECT_TRUE(listed.contains(findingCostText(facts))) << listed.toStdString();
  EXPECT_TRUE(listed.contains(QStringLiteral(", for ")) == facts.end.has_value()) << "the list and the card state the same duration";
  go("alerts");
  EXPECT_FALSE(cardIn("alerts")->isVisible());
  const Finding& slow = finding("slow_rank");
  clickRow("alerts", screenText(slow.summary, 300));
  expectCardOf(cardIn("alerts"), slow);
}

TEST_F(FindingCardTest, ItsActionsOpenItsViewsAndAClickOnItsFaceSelectsItAgain) {
  const Finding& slow = finding("slow_rank");
  open();
  go("alerts");
  clickRow("alerts", screenText(slow.summary, 300));
  m_window->state().showAll();
  m_window->state().select({});
  settle();
  QTest::mouseClick(faceOf(cardIn("alerts")), Qt::LeftButton);
  settle();
  EXPECT_EQ(state().selection.rank, slow.rank);
  EXPECT_EQ(state().window.mode, WindowMode::kFixed);
  EXPECT_EQ(state().moment, std::nullopt) << "a click does not travel in time";
  for (QToolButton* button : cardIn("alerts")->findChildren<QToolButton*>())
    if (button->text() == "Evidence") QTest::mouseClick(button, Qt::LeftButton);
  settle();
  EXPECT_EQ(docks().current(), "single:ranking");
}

class HangCardTest : public testing::Test {
 protected:
  static constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
  // Steps of one second until 100 s, and a hang.
  void record(Finding hang) {
    auto writer = m_store.writer().value();
    hang.run = writer->run({.name = "r", .state = RunState::kRunning, .start = kStart});
    hang.attempt = writer->attempt({.run = hang.run, .key = "a", .start = kStart, .layout = {.world = 8}});
    writer->rank({.attempt = hang.attempt, .rank = 0});
    const SeriesId steps =
        writer->series({.attempt = hang.attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < 100; ++step) writer->scalar(steps, step, kStart + step * kNsPerSecond, 1e9);
    HangEvidence evidence{.source = "progress", .phase = "steady", .world = 8, .blocked = 7, .watchdog_at = kStart + 700 * kNsPerSecond};
    evidence.culprits = {{.rank = 5, .node = "n1"}};
    evidence.culprit_count = 1;
    hang.kind = "hang", hang.subject = "run", hang.severity = Severity::kCritical, hang.summary = "7 of 8 ranks wait";
    hang.evidence = printHangEvidence(evidence);
    writer->finding(hang);
    ASSERT_TRUE(writer->close().ok());
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 2);
    m_view = std::make_unique<OverviewView>(
        ViewContext{.queries = m_queries.get(), .state = &m_state, .clock = [] { return kStart + 455 * kNsPerSecond; }}, nullptr);
    m_view->resize(1'000, 800);
    m_view->show();
    m_view->applyState(m_state.state());
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  FindingCard* card() {
    for (FindingCard* one : m_view->findChildren<FindingCard*>())
      if (one->isVisible()) return one;
    return nullptr;
  }

  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<OverviewView> m_view;
};

TEST_F(HangCardTest, AnOpenHangIsAtTheTopOfTheOverviewWithoutAClickAndOffersACapture) {
  record({.start = kStart + 95 * kNsPerSecond, .first_step = 95, .last_step = 95});
  ASSERT_NE(card(), nullptr);
  const QString summary = card()->findChild<FindingFaceView*>()->accessibleTable().summary;
  EXPECT_TRUE(summary.contains("culprit: rank 5 on n1")) << summary.toStdString();
  EXPECT_TRUE(summary.contains("7 of 8 ranks blocked")) << summary.toStdString();
  EXPECT_TRUE(summary.contains("watchdog aborts in 4:05")) << summary.toStdString();
  EXPECT_TRUE(summary.contains("open for 6")) << summary.toStdString();
  EXPECT_TRUE(summary.contains("GPU-hours so far")) << "8 ranks for 6 minutes: " << summary.toStdString();
  EXPECT_NEAR(card()->facts().cost.gpu_hours.value_or(0), 0.8, 1e-9);
  int captures = 0;
  card()->offerCapture([&] { ++captures; });
  for (QToolButton* button : card()->findChildren<QToolButton*>())
    if (button->text() == "Capture now") {
      EXPECT_EQ(button->toolButtonStyle(), Qt::ToolButtonTextBesideIcon) << "like the other actions";
      QTest::mouseClick(button, Qt::LeftButton);
    }
  EXPECT_EQ(captures, 1);
  if (const QString out = qEnvironmentVariable("RG_PICTURES"); !out.isEmpty()) m_view->grab().save(out + QStringLiteral("/hang.png"));
}

TEST_F(HangCardTest, AHangThatHasEndedHasNoneThere) {
  record({.start = kStart + 40 * kNsPerSecond, .end = kStart + 50 * kNsPerSecond, .first_step = 40, .last_step = 40});
  EXPECT_EQ(card(), nullptr);
}

TEST(FindingFaceTest, NamesWhatIsNotKnown) {
  const Finding bare{.kind = "settings"};
  EXPECT_EQ(findingCostText(factsOf(bare, nullptr, 0)), "cost: not estimated");
  EXPECT_EQ(findingTimeText(bare, factsOf(bare, nullptr, 0), 0, TimeStyle::kUtc), "no clock");
  EXPECT_EQ(trendText({}), "");
}

TEST(FindingFaceTest, AStandstillThatLastsCountsOn) {
  const Finding hang{.kind = "hang", .start = 0};
  FindingFacts facts{.open = true};
  facts.cost.gpu_hours = 12;
  EXPECT_TRUE(findingCostText(facts).endsWith("GPU-hours so far"));
  EXPECT_TRUE(findingTimeText(hang, facts, 90 * kNsPerSecond, TimeStyle::kUtc).contains(", open for "));
  facts.open = false, facts.end = 60 * kNsPerSecond;
  EXPECT_FALSE(findingCostText(facts).contains("so far"));
  facts.end.reset();
  EXPECT_FALSE(findingTimeText(hang, facts, 90 * kNsPerSecond, TimeStyle::kUtc).contains("for")) << "its attempt is not known yet";
  facts.end = 60 * kNsPerSecond;
  EXPECT_TRUE(findingTimeText(hang, facts, 90 * kNsPerSecond, TimeStyle::kUtc).contains(", for "));
}

TEST(FindingFaceTest, AHangNamesCulpritBlockedRanksAndTheTimeUntilTheWatchdogAborts) {
  FindingFacts facts{.open = true};
  EXPECT_EQ(hangText(facts, 0), "");
  facts.hang = HangEvidence{.source = "progress", .phase = "steady", .world = 64, .blocked = 63, .watchdog_at = 600 * kNsPerSecond};
  facts.hang->culprits = {{.rank = 5, .node = "sim-0001"}};
  facts.hang->culprit_count = 1;
  const QString text = hangText(facts, 492 * kNsPerSecond);
  EXPECT_TRUE(text.startsWith("culprit: rank 5 on sim-0001")) << text.toStdString();
  EXPECT_TRUE(text.contains("63 of 64 ranks blocked")) << text.toStdString();
  EXPECT_TRUE(text.endsWith("watchdog aborts in 1:48")) << text.toStdString();
  EXPECT_TRUE(hangText(facts, 601 * kNsPerSecond).endsWith("the watchdog is overdue"));
  facts.open = false, facts.end = 500 * kNsPerSecond;
  EXPECT_FALSE(hangText(facts, 492 * kNsPerSecond).contains("watchdog")) << "it has ended";
  facts.hang->timeouts = 3;
  EXPECT_TRUE(hangText(facts, 601 * kNsPerSecond).endsWith("the watchdog has aborted"));
  facts.hang->culprits.clear();
  EXPECT_TRUE(hangText(facts, 0).startsWith("culprit unknown"));
}

}  // namespace
}  // namespace runglass
