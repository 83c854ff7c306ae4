// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "analysis/run_summary/roles.h"
#include "tests/widgets/offscreen.h"
#include "tests/widgets/sample_data.h"
#include "widgets/data_quality/data_quality_view.h"
#include "widgets/findings/findings_view.h"
#include "widgets/runs/runs_view.h"

namespace runglass {
namespace {

using RunRows = std::vector<RunSummary>;

std::shared_ptr<const RunRows> summaries(const std::shared_ptr<FakeData>& data) {
  FakeReader reader(data);
  auto rows = std::make_shared<RunRows>();
  for (const Run& run : data->runs) rows->push_back(*readRunSummary(reader, run, {}));
  return rows;
}

class RunTable : public testing::Test {
 protected:
  RunColumnContext context{TimeStyle::kUtc, [] { return kSampleNow; }};
  std::shared_ptr<FakeData> data = sampleData();
  TableModel<RunSummary> model{runColumns(&context), [](const RunSummary& a, const RunSummary& b) { return a.run.id == b.run.id; },
                               nullptr};
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Warning};

  QString cell(int row, const QString& title) const {
    for (int column = 0; column < model.columnCount(); ++column)
      if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole) == title) return model.index(row, column).data().toString();
    ADD_FAILURE() << "no column " << title.toStdString();
    return {};
  }
};

TEST_F(RunTable, ShowsStateLayoutStepsLossAndHealth) {
  model.setRows(summaries(data));
  EXPECT_EQ(cell(0, "state"), "running");
  EXPECT_EQ(cell(0, "layout"), "DP 2 · PP 4 · TP 8 (64 ranks)");
  EXPECT_EQ(cell(0, "attempts"), "2");
  EXPECT_EQ(cell(0, "last step"), formatCount(48'210));
  EXPECT_EQ(cell(0, "last loss"), "1.900");
  EXPECT_EQ(cell(0, "health"), "1 critical, 1 warning");
  EXPECT_EQ(cell(1, "state"), "failed");
  EXPECT_EQ(cell(1, "last loss"), "NaN");
}

TEST_F(RunTable, AbsentIsADashNotZero) {
  model.setRows(summaries(data));
  EXPECT_EQ(cell(2, "last step"), "–");
  EXPECT_EQ(cell(2, "last loss"), "–");
  EXPECT_EQ(cell(2, "tokens/s"), "–");
  EXPECT_EQ(cell(1, "layout"), "–");
}

TEST_F(RunTable, ModelStaysConsistentWhenRunsComeAndGo) {
  model.setRows(summaries(data));
  data->runs.erase(data->runs.begin() + 1);
  model.setRows(summaries(data));
  EXPECT_EQ(model.rowCount(), 2);
  model.setRows(std::make_shared<RunRows>());
  EXPECT_EQ(model.rowCount(), 0);
  model.setRows(summaries(data));
  EXPECT_EQ(model.rowCount(), 2);
}

TEST_F(RunTable, ARefreshKeepsTheChosenRow) {
  model.setRows(summaries(data));
  TableView view(&model, "rows", "filter");
  view.chooseRow(model.index(1, 0));
  runglass::Run fresh = data->runs[0];
  fresh.id = RunId{9};
  fresh.name = "new";
  data->runs.push_back(fresh);
  model.setRows(summaries(data));
  EXPECT_EQ(view.currentRow().row(), 1);
}

TEST_F(RunTable, SortsNumbersAsNumbersAndAbsentLast) {
  model.setRows(summaries(data));
  TableView view(&model, "rows", "filter");
  const int step = 5;
  ASSERT_EQ(model.headerData(step, Qt::Horizontal, Qt::DisplayRole), "last step");
  const auto order = [&] {
    QStringList names;
    for (int row = 0; row < 3; ++row) names += view.table()->model()->index(row, step).data().toString();
    return names;
  };
  view.table()->sortByColumn(step, Qt::AscendingOrder);
  EXPECT_EQ(order(), (QStringList{"119", formatCount(48'210), "–"}));
  view.table()->sortByColumn(step, Qt::DescendingOrder);
  EXPECT_EQ(order(), (QStringList{formatCount(48'210), "119", "–"}));
}

TEST_F(RunTable, FiltersByEveryWordInAnyColumn) {
  model.setRows(summaries(data));
  TableView view(&model, "rows", "filter");
  auto* filter = view.findChild<QLineEdit*>();
  filter->setText("megatron GPT");
  EXPECT_EQ(view.table()->model()->rowCount(), 1);
  filter->setText("megatron tfevents");
  EXPECT_EQ(view.table()->model()->rowCount(), 0);
  filter->clear();
  EXPECT_EQ(view.table()->model()->rowCount(), 3);
}

TEST_F(RunTable, CopiesSelectedRowsAsTsvInFullPrecision) {
  data->scalars[0].value.back() = 1.9000462818311477;
  model.setRows(summaries(data));
  TableView view(&model, "rows", "filter");
  view.chooseRow(model.index(0, 0));
  const QStringList lines = view.selectedTsv().split('\n', Qt::SkipEmptyParts);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0].split('\t').size(), model.columnCount());
  EXPECT_TRUE(lines[1].contains("1.9000462818311477")) << lines[1].toStdString();
  EXPECT_TRUE(lines[1].contains("\t48210\t"));
}

class ViewTest : public testing::Test {
 protected:
  std::shared_ptr<FakeData> data = sampleData();
  QueryService queries{openerOf(data), 1};
  SharedState state;
  ViewContext context{&queries, &state, [] { return kSampleNow; }};
};

TEST_F(ViewTest, ChoosingARunSelectsItEverywhereAndEnterOpensIt) {
  RunsView view(context, nullptr);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  QSignalSpy opened(&view, &View::viewRequested);
  auto* table = view.findChild<QTableView*>();
  table->setFocus();
  table->setCurrentIndex(table->model()->index(1, 0));
  EXPECT_EQ(state.state().selection.run, RunId{2});
  QTest::keyClick(table, Qt::Key_Return);
  EXPECT_EQ(opened.count(), 1);
}

TEST_F(ViewTest, FindingsAreWorstFirstAndOpeningOneMovesTheWindow) {
  FindingsView view(context, nullptr);
  QSignalSpy opened(&view, &View::viewRequested);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  auto* table = view.findChild<QTableView*>();
  QString worst;
  for (int column = 0; column < table->model()->columnCount(); ++column) worst += table->model()->index(0, column).data().toString() + u' ';
  EXPECT_TRUE(worst.contains("Xid 79")) << worst.toStdString();
  table->setCurrentIndex(table->model()->index(1, 0));
  QTest::keyClick(table, Qt::Key_Return);
  EXPECT_EQ(state.state().selection.rank, 37);
  EXPECT_LT(state.state().window.range.t0, kSampleNow - 1800 * kNsPerSecond);
  EXPECT_GT(state.state().window.range.t1, kSampleNow - 1800 * kNsPerSecond);
  // Enter opens the view that shows its evidence, and so does the button.
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened.front().front().toString(), "ranking");
  for (QToolButton* button : view.findChildren<QToolButton*>())
    if (button->text() == "GPU") QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_EQ(opened.count(), 2);
  EXPECT_EQ(opened.back().front().toString(), "gpus");
}

TEST_F(ViewTest, HealthCountsWhatWasLostAndWhatWasOdd) {
  FakeReader reader(data);
  const StoreHealth health = *readStoreHealth(reader);
  ASSERT_EQ(health.issues.size(), 3u);
  EXPECT_EQ(health.issues[0].issue.code, "store.damaged_chunk") << "lost data first";
  EXPECT_EQ(health.issues[1].issue.code, "future.code") << "then by count";
  EXPECT_FALSE(health.issues[1].help.empty()) << "an unknown code still gets a sentence";
  EXPECT_EQ(healthSentence(health.issues), QStringLiteral("Data was lost once and arrived odd %1 times.").arg(formatCount(48'212)));
  EXPECT_EQ(healthSentence({}), "Nothing was lost and nothing odd arrived.");
  const IssueRow note{.severity = Severity::kInfo};
  EXPECT_EQ(healthSentence({note, note}), "Nothing was lost and nothing odd arrived; 2 notes to know.") << "rows are listed below it";
}

TEST_F(ViewTest, IssueModelIsConsistentAndShowsHostileTextHarmlessly) {
  FakeReader reader(data);
  const TimeStyle style = TimeStyle::kUtc;
  TableModel<IssueRow> model(
      issueColumns(&style), [](const IssueRow& a, const IssueRow& b) { return a.issue.code == b.issue.code; }, nullptr);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
  model.setRows(std::make_shared<const std::vector<IssueRow>>(readStoreHealth(reader)->issues));
  EXPECT_EQ(model.rowCount(), 3);
  const QString detail = model.index(1, model.columnCount() - 1).data().toString();
  EXPECT_FALSE(detail.contains(QChar(0x1B)));
  EXPECT_TRUE(detail.contains("<img"));
}

TEST(Roles, KnowTheLossOfManyFrameworks) {
  for (const char* tag : {"loss", "lm loss", "train/loss", "lm-loss", "Train_Loss", "loss_metrics/global_avg_loss"})
    EXPECT_TRUE(roleFit(tag, Role::kLoss)) << tag;
  for (const char* tag : {"eval/loss", "lm loss validation", "test_loss", "grad_norm", "loss scale", "moe aux loss"})
    EXPECT_FALSE(roleFit(tag, Role::kLoss)) << tag;
}

TEST(Roles, AreFoundByWordsPrefixesAndSuffixes) {
  const auto fits = [](std::initializer_list<const char*> tags, Role role, bool expected) {
    for (const char* tag : tags) EXPECT_EQ(roleFit(tag, role).has_value(), expected) << tag << " as role " << static_cast<int>(role);
  };
  fits({"train_loss_step", "Train/Samples/train_loss", "loss/train/total", "actor/pg_loss", "trainLoss", "training/nll_loss",
        "train/cross_entropy", "policy_loss", "LMLoss", "loss/act_loss", "latest_loss", "retrieval_loss", "loss_avg"},
       Role::kLoss, true);
  fits({"val_loss", "valLoss", "valid/nll_loss", "evaluation/loss", "critic/loss", "critic/vf_loss", "value_loss", "train/aux_loss",
        "router_z_loss", "kl_loss", "entropy_loss", "loss_scale", "grad_loss_scale", "loss_mask", "num_loss_tokens", "perplexity",
        "reward_loss", "grad_norm", "loss_std"},
       Role::kLoss, false);
  fits({"val_loss", "valLoss", "eval/lm_loss", "valid_nll_loss", "loss/test", "lm loss validation"}, Role::kValidationLoss, true);
  fits({"loss", "train_loss", "val_accuracy", "val_aux_loss"}, Role::kValidationLoss, false);
  fits({"train/grad_norm", "actor/grad_norm", "grad_norm_step", "grad_2.0_norm_total", "gradient-norm/global", "GradNorm"}, Role::kGradNorm,
       true);
  fits({"grad_norm/layers.0.weight", "critic/grad_norm", "clip_grad_norm", "eval/grad_norm", "weight_norm"}, Role::kGradNorm, false);
  fits({"lr-AdamW", "train/lr", "lr/group_0", "optimizer/learning_rate", "actor/lr"}, Role::kLearningRate, true);
  fits({"lr_decay", "critic/lr", "warmup_lr"}, Role::kLearningRate, false);
  fits({"Train/Samples/loss_scale", "grad_scaler/scale", "train/loss_scale"}, Role::kLossScale, true);
  fits({"perf/tokens_per_sec", "train/tokens_per_second"}, Role::kTokensPerSecond, true);
  fits({"device/tokens_per_sec", "tokens"}, Role::kTokensPerSecond, false);
}

TEST(Roles, AKnownNameComesBeforeWordsAndAPolicyLossLast) {
  std::vector<Series> series(4);
  const std::array tags{"actor/pg_loss", "train_loss_step", "student/encoder/loss", "lm loss"};
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].id = SeriesId{i + 1};
    series[i].key.metric = tags[i];
    series[i].sample_count = 10;
  }
  for (const std::uint64_t expected : {4, 2, 3, 1}) {
    EXPECT_EQ(pickSeries(series, Role::kLoss)->id, SeriesId{expected});
    std::erase_if(series, [&](const Series& one) { return one.id == SeriesId{expected}; });
  }
}

TEST(Roles, LossesAndGradientsOfAllKindsAreWatched) {
  for (const char* tag : {"critic/vf_loss", "nll", "perplexity", "train/ppl", "cross_entropy", "crossEntropy", "grad_norm/layers.0",
                          "actor/pg_loss", "value_loss", "val_loss", "router_z_loss", "gnorm", "loss1"})
    EXPECT_TRUE(isLossOrGradient(tag)) << tag;
  for (const char* tag : {"learning rate", "upgrade", "lossless", "entropy", "tokens_per_s", "step_time_ns"})
    EXPECT_FALSE(isLossOrGradient(tag)) << tag;
  for (const char* tag : {"rewards/chosen", "loss/critic1", "actor/pg_loss", "act_loss", "advantages_mean"})
    EXPECT_TRUE(isReinforcement(tag)) << tag;
  for (const char* tag : {"loss", "activation_norm", "factor"}) EXPECT_FALSE(isReinforcement(tag)) << tag;
}

TEST(Roles, AStoreWithoutAKnownLossNamesItsScalars) {
  std::vector<Series> series(12);
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].key.metric = std::string("metric ") + static_cast<char>('a' + i / 2);
    series[i].key.kind = SeriesKind::kScalar;
    series[i].sample_count = 1;
  }
  EXPECT_EQ(noLossText(series, 3), "no scalar is known as a training loss: metric a, metric b, metric c and 3 more");
  EXPECT_EQ(noLossText(std::span(series).first(2)), "no scalar is known as a training loss: metric a");
  EXPECT_EQ(noLossText({}), "no scalar is recorded");
}

TEST(Roles, PreferTheGlobalTrainingSeriesWithMostPoints) {
  std::vector<Series> series(4);
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].id = SeriesId{i + 1};
    series[i].key.metric = "loss";
    series[i].sample_count = 10;
  }
  series[0].key.rank = 0;
  series[1].key.source = "eval";
  series[3].sample_count = 20;
  EXPECT_EQ(pickSeries(series, Role::kLoss)->id, SeriesId{4});
  EXPECT_EQ(pickSeries(series, Role::kGradNorm), nullptr);
}

TEST(Roles, BelieveASourceThatSaysWhatItsTagMeans) {
  EXPECT_TRUE(roleFit("trl", Role::kLoss, R"({"canonical":"loss"})"));
  EXPECT_FALSE(roleFit("loss", Role::kLoss, R"({"canonical":"validation_loss"})"));
  // TorchTitan's "tps" is per GPU, not that of the whole job.
  EXPECT_FALSE(roleFit("tps", Role::kTokensPerSecond));
  EXPECT_TRUE(roleFit("tps", Role::kTokensPerGpu));
}

// The sample run: 48,190 steps at 1.054 M tokens/s, then 20 at 1.0 M; 64 ranks.
TEST(RunSummary, MeasuresThroughputAgainstTheBestStepsAndNotAgainstASlowHistory) {
  auto data = sampleData();
  ScalarColumns& tokens = data->scalars[1];
  const auto summaryOf = [&] {
    FakeReader reader(data);
    return *readRunSummary(reader, data->runs[0], {});
  };
  EXPECT_DOUBLE_EQ(*summaryOf().throughput.tokens_per_s, 1.0e6);
  EXPECT_DOUBLE_EQ(*summaryOf().throughput.tokens_per_gpu, 1.0e6 / 64);
  EXPECT_NEAR(*summaryOf().throughput.change, 1.0 / 1.054 - 1, 1e-12);
  for (std::size_t i = tokens.size() - 1'000; i < tokens.size(); ++i) tokens.value[i] = 1.0e6;
  EXPECT_NEAR(*summaryOf().throughput.change, 1.0 / 1.054 - 1, 1e-12) << "slow for 1,000 steps is still slow";
  tokens.value[tokens.size() - 300] = 9e6;
  EXPECT_NEAR(*summaryOf().throughput.change, 1.0 / 1.054 - 1, 1e-12) << "one odd step is no record";
}

TEST(RunSummary, SpeaksOfMfuOnlyWhereModelAndDeviceAreKnown) {
  auto data = sampleData();
  const auto throughput = [&] {
    FakeReader reader(data);
    return readRunSummary(reader, data->runs[0], {})->throughput;
  };
  EXPECT_FALSE(throughput().mfu);
  EXPECT_EQ(throughputText(throughput()), formatShortCount(1.0e6) + " tokens/s");
  data->facts = {{.attempt = {2}, .key = "model_parameters", .value = "8,000,000,000"}};
  EXPECT_FALSE(throughput().mfu) << "no device is known";
  data->devices = {{.id = {1}, .uuid = "GPU-1", .node = {1}, .index = 0, .kind = "gpu", .model = "NVIDIA H100 80GB HBM3"},
                   {.id = {2}, .uuid = "GPU-2", .node = {1}, .index = 1, .kind = "gpu", .model = "NVIDIA A100-SXM4-80GB"}};
  for (Rank& rank : data->ranks) rank.device = {1};
  ASSERT_TRUE(throughput().mfu);
  EXPECT_NEAR(*throughput().mfu, 6 * 8e9 * (1.0e6 / 64) / 989.4e12, 1e-9);
  EXPECT_TRUE(throughputWhy(throughput()).contains("H100")) << throughputWhy(throughput()).toStdString();
  data->ranks.back().device = {2};
  EXPECT_FALSE(throughput().mfu) << "two kinds of device have no one peak";
}

TEST(RunSummary, AnUnknownRunIsNotFoundAndTheRunningOneIsTheDefault) {
  FakeReader reader(sampleData());
  EXPECT_EQ(chooseRun(reader, RunId{77}).status().code(), Code::kNotFound);
  EXPECT_EQ(chooseRun(reader, RunId{})->name, "gpt-8b-fineweb");
}

}  // namespace
}  // namespace runglass
