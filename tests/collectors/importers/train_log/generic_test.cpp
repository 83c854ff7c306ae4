// SPDX-License-Identifier: Apache-2.0
// Logs of trainers without a rule file: the generic rule reads them, and an issue marks it as generic.
#include <gmock/gmock.h>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLoss = R"({"canonical":"loss"})";

TEST(GenericRule, ABarsRateIsASmoothedStepTime) {
  const auto log = importLog(
      " 12%|█▏        | 120/1000 [02:03<15:02,  1.03s/it, loss=2.31]\r 12%|█▏        | 121/1000 [02:04<15:02,  1.25it/s, loss=2.30]\n");
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(2.31, 2.30));
  const ScalarColumns times = log.out.scalarsOf("step time (smoothed)", std::nullopt, R"({"canonical":"step_time_ns"})");
  EXPECT_THAT(times.step, ElementsAre(120, 121));
  EXPECT_THAT(times.value, ElementsAre(testing::DoubleEq(1.03e9), testing::DoubleNear(0.8e9, 1e4)));
}

TEST(GenericRule, ReadsWordsJsonAndBarsAndSaysThatItIsGeneric) {
  const auto bar = [](const char* at, const char* values) { return std::string(" 17%|#7   | ") + at + ",  3.33it/s, " + values + "]\r"; };
  const std::string logs[] = {
      "Epoch [1/2], Step [100/600], Loss: 2.31, lr: 1e-4\nEpoch [1/2], Step [200/600], Loss: 2.25, lr: 1e-4\n",
      "2026-05-20 10:00:00 - train - step=100 loss=2.31 lr=1e-4\n2026-05-20 10:00:30 - train - step=200 loss=2.25 lr=1e-4\n",
      "{\"step\": 100, \"loss\": 2.31, \"lr\": 1e-4}\n{\"step\": 200, \"loss\": 2.25, \"lr\": 1e-4}\n",
      bar("100/600 [00:30<02:30", "loss=2.31, lr=1e-4") + bar("200/600 [01:00<02:00", "loss=2.25, lr=1e-4"),
  };
  for (const std::string& text : logs) {
    const auto log = importLog(text);
    const char* const tag = keyOf(log.out, "loss") != nullptr ? "loss" : "Loss";
    const ScalarColumns loss = log.out.scalarsOf(tag, std::nullopt, kLoss);
    EXPECT_THAT(loss.step, ElementsAre(100, 200)) << text;
    EXPECT_THAT(loss.value, ElementsAre(2.31, 2.25)) << text;
    EXPECT_THAT(log.out.scalarsOf("lr").value, ElementsAre(1e-4, 1e-4)) << text;
    EXPECT_EQ(log.out.issueCount("train_log.generic"), 2) << text;
    ASSERT_EQ(log.out.runs.size(), 1U);
    EXPECT_EQ(log.out.runs[0].framework, "unknown trainer (generic rule)");
  }
}

TEST(GenericRule, ReadsValuesBehindABlankAndOtherLosses) {
  const auto log = importLog("Epoch: 0, Step: 240, Rank: 0, loss = 2.26\nEpoch: 0, Step: 250, Rank: 0, loss = nan\n");
  EXPECT_THAT(log.out.scalarsOf("loss", std::nullopt, kLoss).step, ElementsAre(240, 250));
  EXPECT_TRUE(log.out.hasEvent("non_finite"));
  EXPECT_THAT(importLog("step 10 loss ＝ 2.5\nstep 20 loss ＝ 2.4\n").out.scalarsOf("loss", std::nullopt, kLoss).value,
              ElementsAre(2.5, 2.4));
  EXPECT_THAT(importLog("step 10 nll: 2.5 tokens: 1.2K\nstep 20 nll: 2.4 tokens: 2.4K\n").out.scalarsOf("tokens").value,
              ElementsAre(1200, 2400));
  EXPECT_THAT(importLog("[batch=1/20] step: 10 loss/train/total: 2.5\n").out.scalarsOf("loss/train/total").value, ElementsAre(2.5));
}

TEST(GenericRule, ABarBeforeItsFirstStepHasNoLoss) {
  const auto log = importLog(
      "Epoch 0:   0%|  | 0/100 [00:00<?, ?it/s, loss=nan, v_num=3]\rEpoch 0:   1%|  | 1/100 [00:00<00:30,  2.0it/s, loss=2.99, v_num=3]\n");
  EXPECT_FALSE(log.out.hasEvent("non_finite"));
  EXPECT_THAT(log.out.scalarsOf("loss", std::nullopt, kLoss).value, ElementsAre(2.99));
}

TEST(GenericRule, ReadsTheLossBesideAFormatThatPrintsNone) {
  const auto log = importLog(
      "[2026-03-04 10:04:10,345] [INFO] [logging.py:128:log_dist] [Rank 0] step=250, skipped=0, lr=[9.65e-06], mom=[[0.9, 0.95]]\n"
      "Epoch: 0, Step: 250, Rank: 0, loss = 2.25\n"
      "[2026-03-04 10:04:20,345] [INFO] [logging.py:128:log_dist] [Rank 0] step=260, skipped=0, lr=[9.65e-06], mom=[[0.9, 0.95]]\n"
      "Epoch: 0, Step: 260, Rank: 0, loss = nan\n");
  EXPECT_THAT(log.out.scalarsOf("loss", std::nullopt, kLoss).step, ElementsAre(250, 260));
  EXPECT_TRUE(log.out.hasEvent("non_finite"));
}

TEST(GenericRule, CountsLinesThatPrintNoStep) {
  const auto log = importLog("loss: 3.5\nloss: 3.25\nloss: nan\n");
  EXPECT_THAT(log.out.scalarsOf("loss").step, ElementsAre(1, 2, 3));
  EXPECT_TRUE(log.out.hasEvent("non_finite"));
}

TEST(GenericRule, ReadsChineseWordsAndKeepsChineseLines) {
  const auto log =
      importLog("步数：100，损失：2.31，学习率：1e-4\n步数：200，损失：2.25，学习率：1e-4\n第 3 卡显存不足\n训练失败：数据集路径不存在\n");
  EXPECT_THAT(log.out.scalarsOf("损失", std::nullopt, kLoss).step, ElementsAre(100, 200));
  EXPECT_THAT(log.out.scalarsOf("学习率").value, ElementsAre(1e-4, 1e-4));
  EXPECT_TRUE(log.out.hasEvent("out_of_memory"));
  ASSERT_EQ(log.out.logs.size(), 2U);
  EXPECT_EQ(log.out.logs[1].text, "训练失败：数据集路径不存在");
}

TEST(GenericRule, IsSilentInALogThatARuleKnows) {
  std::string text = "step=5 loss=9.5 of a smoke test before the run\n";
  for (int i = 0; i < 20'000; ++i) text += "  some_argument_" + std::to_string(i) + " ........ 1\n";
  text += " iteration 1/ 9 | consumed samples: 1 | lm loss: 5.0E+00 |\nstep=6 loss=9.25 of an evaluation script\n";
  const auto log = importLog(text, {}, builtinRuleSet(), 4096);
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(5.0));
  EXPECT_THAT(log.out.scalarsOf("loss").value, IsEmpty());
  EXPECT_EQ(log.out.issueCount("train_log.generic"), 0);
}

TEST(GenericRule, AnExceptionAfterItsLastLineIsTheEnd) {
  const auto log = importLog(
      "step=1 loss=9.5\nstep=2 loss=9.25\nTraceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    main()\n"
      "ValueError: batch of size 0\n");
  EXPECT_EQ(log.out.runs.at(0).state, RunState::kFailed);
  EXPECT_EQ(log.out.attempts.at(0).end_cause, "exception: ValueError");
  const auto cuda = importLog(
      "step=1 loss=9.5\nTraceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n"
      "RuntimeError: CUDA error: unspecified launch failure\n");
  EXPECT_TRUE(cuda.out.hasEvent("cuda_error")) << "whatever event its last line is";
  EXPECT_EQ(cuda.out.attempts.at(0).end_cause, "cuda_error");
  const auto survived = importLog(
      "step=1 loss=9.5\nTraceback (most recent call last):\n  File \"train.py\", line 7, in <module>\nValueError: skipped a batch\n"
      "1\n2\n3\n4\n5\n6\nstep=2 loss=9.25\n");
  EXPECT_NE(survived.out.runs.at(0).state, RunState::kFailed);
}

TEST(GenericRule, EventsKeepTheOrderOfTheirLines) {
  const auto log = importLog(
      "step=1 loss=9.5\n[rank3]: CUDA out of memory\n[rank1]: DistStoreError\nn1: rank 2 died from signal 6\n[rank3]: CUDA out of "
      "memory\n");
  std::vector<std::string> kinds;
  for (const Event& event : log.out.events) kinds.push_back(event.kind);
  EXPECT_THAT(kinds, ElementsAre("out_of_memory", "rendezvous_timeout", "killed"));
  EXPECT_EQ(log.out.attempts.at(0).end_cause, "out_of_memory") << "what failed first";
}

}  // namespace
}  // namespace runglass::test
