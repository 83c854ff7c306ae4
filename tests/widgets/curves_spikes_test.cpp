// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/widgets/offscreen.h"
#include "widgets/curves/curves_view.h"
#include "widgets/curves/rewind_dialog.h"
#include "widgets/curves/rules_dialog.h"

namespace runglass {
namespace {

constexpr TimeNs kSpikesStart = 1'700'000'000LL * kNsPerSecond;

class CurvesSpikesTest : public testing::Test {
 protected:
  void SetUp() override {
    path = folder.filePath("s.rgl").toStdString();
    writer = openStore(path).writer().value();
    attempt = writer->attempt({.run = writer->run({.name = "r", .start = kSpikesStart})});
    std::vector<double> loss;
    for (int step = 0; step < 2'000; ++step)
      loss.push_back((step >= 1'200 && step < 1'300 ? 3.5 : step == 700 ? 2.9 : 2) + 0.01 * (step % 7));
    add("loss", loss);
    add("lr", std::vector<double>(2'000, 1e-4));
    writer->checkpoint({.attempt = attempt, .step = 1'000, .begin = kSpikesStart, .durable = kSpikesStart, .path = "/ckpt/1000"});
    ASSERT_TRUE(writer->flush().ok());
    queries = std::make_unique<QueryService>([this] { return openStore(path).reader(); }, 2);
    view = std::make_unique<CurvesView>(ViewContext{queries.get(), &state, [] { return kSpikesStart; }}, nullptr);
    view->resize(1280, 800);
    view->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(view.get()));
    view->applyState(state.state());
    settle();
  }
  void add(const std::string& tag, const std::vector<double>& values) {
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    for (std::size_t i = 0; i < values.size(); ++i) {
      steps.push_back(static_cast<std::int64_t>(i));
      times.push_back(kSpikesStart + steps.back() * kNsPerSecond);
    }
    writer->scalars(writer->series({.attempt = attempt, .metric = tag, .kind = SeriesKind::kScalar}), steps, times, values);
  }
  void settle() {
    ASSERT_TRUE(waitFor([&] {
      view->grab();
      return view->isFinal();
    }));
  }
  CurveCard* card(std::size_t i) const { return view->cards()[i]; }
  const std::vector<PanelMark>& marks() const { return card(0)->plot()->data()->panels[0].marks; }
  static QToolButton* spikesButton(const CurveCard* card) {
    for (QToolButton* button : card->findChildren<QToolButton*>())
      if (button->text() == "spikes") return button;
    return nullptr;
  }

  QTemporaryDir folder;
  std::string path;
  std::unique_ptr<Writer> writer;
  AttemptId attempt;
  SharedState state;
  std::unique_ptr<QueryService> queries;
  std::unique_ptr<CurvesView> view;
};

TEST_F(CurvesSpikesTest, OnlyALossHasTheRules) {
  ASSERT_EQ(view->cards().size(), 2U);
  EXPECT_TRUE(spikesButton(card(0))->isVisible());
  EXPECT_FALSE(spikesButton(card(1))->isVisible());
}

TEST_F(CurvesSpikesTest, MarksAreThoseOfTheChosenRules) {
  ASSERT_EQ(marks().size(), 2U);
  EXPECT_EQ(marks()[0].severity, Severity::kInfo);
  EXPECT_EQ(marks()[1].severity, Severity::kError);
  SpikeRules rules = card(0)->question().rules;
  rules.own = false;
  emit card(0)->rulesChosen(rules);
  settle();
  EXPECT_TRUE(marks().empty());
  rules.published[1] = true;
  emit card(0)->rulesChosen(rules);
  settle();
  ASSERT_GE(marks().size(), 2U);
  EXPECT_TRUE(marks()[0].text.startsWith("OLMo-core SkipStep: ")) << marks()[0].text.toStdString();
  EXPECT_EQ(marks()[0].x, 700);
  EXPECT_EQ(marks()[0].severity, Severity::kInfo) << "the rules of others are no alarms of ours";
}

TEST_F(CurvesSpikesTest, TheComparisonHasARowForEveryRule) {
  RulesDialog dialog(queries.get(), card(0)->question(), nullptr);
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.show();
  ASSERT_TRUE(waitFor([&] { return dialog.isFinal(); }));
  const QAbstractItemModel* model = dialog.table()->table()->model();
  ASSERT_EQ(model->rowCount(), 7);
  const QString tsv = dialog.table()->selectedTsv();
  EXPECT_TRUE(tsv.contains("Runglass")) << tsv.toStdString();
  EXPECT_TRUE(tsv.contains("OLMo spike score")) << tsv.toStdString();
}

TEST_F(CurvesSpikesTest, ThePlanOfTheMalignantSpikeComesFirstAndCanBeCopied) {
  RewindDialog dialog(queries.get(), card(0)->question(), nullptr);
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.show();
  ASSERT_TRUE(waitFor([&] { return dialog.isFinal() && dialog.copyButton()->isEnabled(); }));
  const QString text = dialog.text()->toPlainText();
  EXPECT_TRUE(text.startsWith("spike: steps 1200 to 1299")) << text.toStdString();
  EXPECT_TRUE(text.contains("restart from: step 1000, /ckpt/1000")) << text.toStdString();
  dialog.copyButton()->click();
  EXPECT_EQ(QApplication::clipboard()->text(), text);
  dialog.copyArgumentButton()->click();
  const QStringList words = QApplication::clipboard()->text().split(' ');
  EXPECT_EQ(words.front(), "--iterations-to-skip");
  EXPECT_EQ(words.size(), 301) << "the batches of 300 steps, none cut off";
  EXPECT_TRUE(text.endsWith(words.back())) << text.right(40).toStdString();
}

}  // namespace
}  // namespace runglass
