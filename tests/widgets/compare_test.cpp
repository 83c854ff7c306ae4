// SPDX-License-Identifier: GPL-3.0-or-later
// The compare view: its default comparison, its sentence and tables, and its text without anything to compare.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/compare/compare_view.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

class CompareViewTest : public ::testing::Test {
 protected:
  // Every attempt is a tenth slower than the previous one; in each, the steps from 150 on are slower by half.
  void record(int attempts) {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok());
    const RunId run = (*writer)->run({.name = "r", .start = kStart});
    for (int number = 0; number < attempts; ++number) {
      const AttemptId attempt = (*writer)->attempt({.run = run, .key = std::to_string(number), .layout = {.world = 4}});
      (*writer)->fact({.attempt = attempt, .key = "argv", .value = "t --lr " + std::to_string(number)});
      const NodeId node = (*writer)->node({.uuid = "n" + std::to_string(number), .name = "n" + std::to_string(number)});
      const SeriesId loss = (*writer)->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
      for (std::int64_t s = 1; s <= 200; ++s) (*writer)->scalar(loss, s, kStart + s, 2.0 + number);
      for (std::int32_t rank = 0; rank < 4; ++rank) {
        (*writer)->rank({.attempt = attempt, .rank = rank, .node = node});
        const SeriesId time =
            (*writer)->series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
        const SeriesId part = (*writer)->series({.attempt = attempt,
                                                 .rank = rank,
                                                 .metric = "step_part_ns",
                                                 .labels = R"({"part":"forward"})",
                                                 .unit = "ns",
                                                 .kind = SeriesKind::kScalar});
        for (std::int64_t s = 1; s <= 200; ++s) {
          const double dur = (100.0 + 10 * number) * 1e6 * (s >= 150 ? 1.5 : 1);
          (*writer)->scalar(time, s, kStart + s, dur);
          (*writer)->scalar(part, s, kStart + s, dur / 2);
        }
      }
    }
    ASSERT_TRUE((*writer)->close().ok());
  }
  void open() {
    m_queries = std::make_unique<QueryService>([path = m_store.path()] { return openStore(path).reader(); }, 1);
    m_view = std::make_unique<CompareView>(ViewContext{.queries = m_queries.get(), .state = &m_state}, nullptr);
    m_view->resize(1'400, 900);
    m_view->show();
    m_view->applyState(m_state.state());
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  QString words() const {
    QString all;
    for (const QLabel* label : m_view->findChildren<QLabel*>())
      if (label->isVisible()) all += label->text() + u'\n';
    return all;
  }
  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<CompareView> m_view;
};

TEST_F(CompareViewTest, WithoutAChoiceTheNewestAttemptIsComparedWithTheOneBefore) {
  record(3);
  open();
  EXPECT_TRUE(m_view->copyText().startsWith(QStringLiteral("Attempt 2 is 9.1 % slower than attempt 1")))
      << m_view->copyText().toStdString();
  EXPECT_TRUE(words().contains(QStringLiteral("steady steps only")));
  EXPECT_FALSE(m_view->grab().isNull());
}
TEST_F(CompareViewTest, AnotherAttemptChosenInTheListIsCompared) {
  record(3);
  open();
  auto* a = m_view->findChildren<QComboBox*>().front();
  ASSERT_EQ(a->count(), 3);
  a->setCurrentIndex(2);  // the oldest
  ASSERT_TRUE(waitFor([this] { return m_view->isFinal() && m_view->copyText().contains(QStringLiteral("attempt 0")); }));
  EXPECT_TRUE(m_view->copyText().startsWith(QStringLiteral("Attempt 2 is 20.0 % slower than attempt 0")))
      << m_view->copyText().toStdString();
}
TEST_F(CompareViewTest, OneAttemptAsksForAStepAndTakesIt) {
  record(1);
  open();
  EXPECT_TRUE(words().contains(QStringLiteral("one attempt only"))) << words().toStdString();
  EXPECT_TRUE(m_view->copyText().isEmpty());
  QLineEdit* at = nullptr;
  for (QLineEdit* field : m_view->findChildren<QLineEdit*>())
    if (field->accessibleName().contains(QStringLiteral("splits"))) at = field;
  ASSERT_NE(at, nullptr);
  QTest::keyClicks(at, QStringLiteral("150"));
  QTest::keyClick(at, Qt::Key_Return);
  ASSERT_TRUE(waitFor([this] { return m_view->isFinal() && !m_view->copyText().isEmpty(); }));
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("50.0 % slower than before step 150"))) << m_view->copyText().toStdString();
}
TEST_F(CompareViewTest, AWindowThatMovesWithTheDataDoesNotStartTheComparisonAnew) {
  record(2);
  m_queries = std::make_unique<QueryService>([path = m_store.path()] { return openStore(path).reader(); }, 1);
  m_view = std::make_unique<CompareView>(ViewContext{.queries = m_queries.get(), .state = &m_state}, nullptr);
  for (int i = 0; i < 10; ++i) m_view->applyState(m_state.state());
  EXPECT_EQ(m_queries->pending(), 1) << "a slow comparison of a live run would be cancelled for ever";
  EXPECT_TRUE(waitFor([this] { return m_view->isFinal(); }));
}
TEST_F(CompareViewTest, ARefreshKeepsWhatTheUserZoomedInto) {
  record(2);
  open();
  auto* plots = m_view->findChild<PlotWidget*>();
  ASSERT_NE(plots, nullptr);
  emit plots->windowChanged(50, 80, false);
  ASSERT_EQ(plots->x0(), 50);
  m_view->refresh(Tick::kText);
  ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  EXPECT_EQ(plots->x0(), 50);
  EXPECT_EQ(plots->x1(), 80);
}
TEST_F(CompareViewTest, AnEmptyStoreSaysWhatBringsARun) {
  {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->close().ok());
  }
  open();
  EXPECT_TRUE(words().contains(QStringLiteral("Nothing to compare yet")));
}
TEST_F(CompareViewTest, ItsModelsKeepTheRulesOfItemModels) {
  record(2);
  TableModel<FactDelta> facts(
      factColumns(), [](const FactDelta& a, const FactDelta& b) { return a.key == b.key; }, nullptr);
  TableModel<WorkDelta> work(
      workColumns(), [](const WorkDelta& a, const WorkDelta& b) { return a.node == b.node; }, nullptr);
  const QAbstractItemModelTester first(&facts, QAbstractItemModelTester::FailureReportingMode::Warning);
  const QAbstractItemModelTester second(&work, QAbstractItemModelTester::FailureReportingMode::Warning);
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  const auto data = readCompare(**reader, {}, {});
  ASSERT_TRUE(data.ok() && data->answer);
  facts.setRows(std::make_shared<const std::vector<FactDelta>>(data->answer->facts));
  work.setRows(std::make_shared<const std::vector<WorkDelta>>(data->answer->comparison.nodes));
  ASSERT_EQ(facts.rowCount(), 1);
  EXPECT_EQ(facts.index(0, 0).data().toString(), QStringLiteral("lr"));
  ASSERT_EQ(work.rowCount(), 2);
  EXPECT_TRUE(work.index(0, 0).data().toString().contains(QStringLiteral("only")));
}

}  // namespace
}  // namespace runglass
