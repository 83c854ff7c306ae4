// SPDX-License-Identifier: Apache-2.0
// Lines of one framework differ by version, option and fork; each format here was found in a real log. One row: the text, and a curve that
// it must give.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
struct Shape {
  const char* name;
  const char* text;
  const char* source;
  const char* tag;
  const char* canonical;
  std::vector<std::int64_t> step;
  std::vector<double> value;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class LogShapes : public testing::TestWithParam<Shape> {};

TEST_P(LogShapes, GivesItsCurve) {
  const Shape& shape = GetParam();
  const auto log = importLog(shape.text);
  const std::string labels = *shape.canonical ? std::string(R"({"canonical":")") + shape.canonical + "\"}" : "";
  int found = 0;
  for (const auto& [id, key] : log.out.series_keys) {
    if (key.metric != shape.tag || key.source != shape.source) continue;
    ++found;
    EXPECT_EQ(key.labels, labels);
    EXPECT_EQ(log.out.scalar_points.at(id).step, shape.step);
    ASSERT_EQ(log.out.scalar_points.at(id).value.size(), shape.value.size());
    for (std::size_t i = 0; i < shape.value.size(); ++i) EXPECT_DOUBLE_EQ(log.out.scalar_points.at(id).value[i], shape.value[i]);
  }
  EXPECT_EQ(found, 1) << "one curve, not several of one name";
  EXPECT_EQ(log.out.issueCount("train_log.no_step"), 0);
  EXPECT_EQ(log.out.issueCount("train_log.unreadable_value"), 0);
}

const Shape kShapes[] = {
    {"MegatronOfOldWithoutColons",
     " iteration        1/   10000 | elapsed time per iteration (ms): 15.0 | learning rate 1.5E-04 | lm loss 1.05E+01 | loss scale 65536.0 "
     "|\n"
     " iteration        2/   10000 | elapsed time per iteration (ms): 15.0 | learning rate 1.5E-04 | lm loss 1.04E+01 | loss scale 65536.0 "
     "|\n",
     "",
     "lm loss",
     "loss",
     {1, 2},
     {10.5, 10.4}},
    {"MegatronTimersOfAllRanks",
     " iteration 10/ 100 | lm loss: 9.1E+00 |\n(min, max) time across ranks (ms):\n"
     "    forward-backward ...............................: (812.10, 815.25)\n",
     "",
     "timer/forward-backward",
     "",
     {10},
     {815.25e6}},
    {"MegatronValidationSet",
     " iteration 10/ 100 | lm loss: 9.1E+00 |\n validation loss at iteration 10 on validation set | lm loss value: 9.0E+00 | lm loss PPL: "
     "8.1E+03 |\n"
     " validation loss at iteration 10 on test set | lm loss value: 8.0E+00 | lm loss PPL: 8.1E+03 |\n",
     "validation",
     "lm loss value",
     "validation_loss",
     {10},
     {9.0}},
    {"MegatronEndOfTraining",
     " iteration 10/ 100 | lm loss: 9.1E+00 |\n validation loss at the end of training for val data | lm loss value: 9.0E+00 |\n"
     " validation loss at the end of training for test data | lm loss value: 8.5E+00 |\n",
     "test",
     "lm loss value",
     "",
     {10},
     {8.5}},
    {"NeMo",
     "Training epoch 0, iteration 0/99 | lr: 1e-05 | global_step: 0 | reduced_train_loss: 11.03 | train_step_timing in s: 37.5\n"
     "Training epoch 1, iteration 0/99 | lr: 1e-05 | global_step: 100 | reduced_train_loss: 10.5 | train_step_timing in s: 7.5\n",
     "",
     "reduced_train_loss",
     "loss",
     {0, 100},
     {11.03, 10.5}},
    {"LightningBarsOfSeveralEpochs",
     "Epoch 0:  10%|1         | 10/100 [00:10<01:30, 1.0it/s, v_num=0, train_loss=2.5]\rEpoch 1:  20%|##        | 20/100 [00:20<01:20, "
     "1.0it/s, v_num=0, train_loss=2.25]\n",
     "",
     "train_loss",
     "loss",
     {10, 120},
     {2.5, 2.25}},
    {"TorchTitanValidationIsNotTraining",
     "[rank0]:2024-06-10 22:46:38,451 - root - INFO - step:  2  loss: 12.1  memory: 21.1GiB(26.69%)  wps: 2,034  mfu: 11.58%\n"
     "[rank0]:2024-06-10 22:46:39,451 - root - INFO - validate step:  2  loss: 12.0  memory: 21.1GiB(26.69%)  tps: 10\n",
     "",
     "loss",
     "loss",
     {2},
     {12.1}},
    {"TorchTitanValidation",
     "[titan] 2025-06-10 22:46:39,451 - root - INFO - validate step:  2  loss: 12.0  memory: 21.1GiB(26.69%)  tps: 10\n",
     "validation",
     "loss",
     "validation_loss",
     {2},
     {12.0}},
    {"DeepSpeedTimersWithoutRank",
     "[2021-05-01 12:00:00,123] [INFO] [logging.py:60:log_dist] [Rank 0] step=10, skipped=0, lr=[0.0001], mom=[[0.9, 0.999]]\n"
     "[2021-05-01 12:00:00,126] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | optimizer_allgather: 5.5 | optimizer_gradients: 2.2\n",
     "deepspeed",
     "timer/optimizer_allgather",
     "",
     {10},
     {5.5e6}},
    {"FairseqInsideAnEpoch",
     "2020-10-01 10:00:10 | INFO | train_inner | epoch 001:    100 / 2000 loss=12.25, nll_loss=11.9, ppl=3861.12, num_updates=100, "
     "lr=1e-05\n"
     "| epoch 001:    200 / 2000 loss=11.5, nll_loss=10.9, ppl=2861.12, num_updates=200, lr=2e-05\n",
     "train_inner",
     "loss",
     "loss",
     {100, 200},
     {12.25, 11.5}},
    {"FairseqValidation",
     "2020-10-01 11:00:00 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 9.125 | ppl 370.1 | num_updates 2000\n",
     "valid",
     "loss",
     "validation_loss",
     {2000},
     {9.125}},
    {"FairseqEpoch",
     "| epoch 001 | loss 10.25 | nll_loss 9.8 | ppl 900.1 | num_updates 2000 | lr 0.0001 | gnorm 2.0 | clip 0.000\n",
     "train",
     "gnorm",
     "grad_norm",
     {2000},
     {2.0}},
    {"BuildNanoGpt",
     "step     0 | loss: 10.955029 | lr 6.0000e-04 | norm: 15.3366 | dt: 338.03ms | tok/sec: 48469.09\n",
     "",
     "lr",
     "learning_rate",
     {0},
     {6e-4}},
    {"BuildNanoGptLog",
     "0 val 10.9503\n0 hella 0.2463\n0 train 10.955029\n1 train 9.649\n",
     "",
     "loss",
     "loss",
     {0, 1},
     {10.955029, 9.649}},
    {"LlmcOfOld",
     "step 1/74: train loss 4.367631 (80.639 ms, 50792 tok/s)\nstep 2/74: train loss 4.031 (acc 4.0) (40.1 ms, 100792 tok/s)\n",
     "",
     "loss",
     "loss",
     {1, 2},
     {4.367631, 4.031}},
    {"HuggingFaceNumbersAsText",
     "{'loss': '2.5', 'grad_norm': '0.75', 'learning_rate': '1e-05', 'epoch': '0.3'}\n"
     "{'rewards/chosen': 0.1, 'loss': 0.75, 'learning_rate': 1e-05, 'epoch': 0.6}\n{'loss': '0.5', 'epoch': '0.9'}\n",
     "",
     "loss",
     "loss",
     {1, 2, 3},
     {2.5, 0.75, 0.5}},
    {"HuggingFaceBarAndValuesInOneLine",
     "100%|#####| 1000/1000 [1:23:45<00:00,  5.01s/it]   {'loss': 0.5, 'learning_rate': 0.0, 'epoch': 3.0}\n",
     "",
     "loss",
     "loss",
     {1000},
     {0.5}},
    {"SwiftSaysItsSteps",
     "{'loss': 1.75, 'learning_rate': 1e-05, 'epoch': 0.01, 'global_step/max_steps': '5/100', 'percentage': '5.00%'}\n"
     "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.02, 'global_step/max_steps': '10/100', 'percentage': '10.00%'}\n",
     "",
     "loss",
     "loss",
     {5, 10},
     {1.75, 1.5}},
    {"LlamaFactoryJsonLines",
     R"({"current_steps": 5, "total_steps": 100, "loss": 1.25, "lr": 5e-05, "epoch": 0.02, "elapsed_time": "0:00:10"})"
     "\n",
     "",
     "loss",
     "loss",
     {5},
     {1.25}},
    {"Verl",
     "(TaskRunner pid=1234) step:1 - actor/entropy:0.441 - actor/pg_loss:-0.012 - perf/throughput:1234.5\n"
     "(TaskRunner pid=1234) step:2 - actor/pg_loss:np.float64(-0.02) - val-core/openai/gsm8k/reward/mean@1:0.5\n",
     "",
     "actor/pg_loss",
     "loss",
     {1, 2},
     {-0.012, -0.02}},
    {"Composer",
     "[batch=1/4800]:\n\t Train time/batch: 0\n\t Train loss/train/total: 11.125\n[batch=2/4800]:\n\t Train loss/train/total: 10.5\n",
     "",
     "loss/train/total",
     "loss",
     {1, 2},
     {11.125, 10.5}},
    {"OlmoCore",
     "2025-05-01 10:00:00.000\thost:0\tolmo_core.train:816\tINFO\t[step=1/739328,epoch=1]\n    optim/total grad norm=5.5\n    train/CE "
     "loss=11.25\n",
     "",
     "train/CE loss",
     "loss",
     {1},
     {11.25}},
    {"Torchtune",
     "Step 1 | loss:1.2345 lr:2e-05 tokens_per_second_per_gpu:1234.5 grad_norm:0.5\nStep 2 | loss:1.2 lr:2e-05\n",
     "",
     "loss",
     "loss",
     {1, 2},
     {1.2345, 1.2}},
    {"LitGpt",
     "Epoch 1 | iter 1 step 0 | loss train: 2.345, val: n/a | iter time: 320.12 ms\n"
     "Epoch 1 | iter 2 step 1 | loss train: 2.245, val: 2.3 | iter time: 320.12 ms (step) remaining time: 0:01:02\n",
     "",
     "val_loss",
     "validation_loss",
     {2},
     {2.3}},
    {"PaddleNlp",
     "[2024-01-01 10:00:00,123] [    INFO] - loss: 10.9, learning_rate: 3e-05, global_step: 10, interval_samples_per_second: 12.0\n",
     "",
     "loss",
     "loss",
     {10},
     {10.9}},
    {"MlperfCountsIterations",
     R"([1,0]<stdout>: :::MLLOG {"namespace":"","time_ms":1700000000000,"event_type":"POINT_IN_TIME","key":"train_loss","value":2.5,"metadata":{"iteration":10}})"
     "\n",
     "",
     "train_loss",
     "loss",
     {10},
     {2.5}},
};
INSTANTIATE_TEST_SUITE_P(InTheWild, LogShapes, testing::ValuesIn(kShapes), [](const auto& info) { return std::string(info.param.name); });

TEST(LogShapesEvents, MlperfWithoutSpacesBeginsAndEnds) {
  const auto log = importLog(R"(:::MLLOG {"time_ms":1700000000000,"key":"run_start","value":null,"metadata":{}})"
                             "\n"
                             R"(:::MLLOG {"time_ms":1700000001000,"key":"eval_accuracy","value":0.5,"metadata":{"epoch_num":4}})"
                             "\n"
                             R"(:::MLLOG {"time_ms":1700000002000,"key":"run_stop","value":null,"metadata":{"status":"success"}})"
                             "\n");
  EXPECT_TRUE(log.out.hasEvent("start"));
  EXPECT_EQ(log.out.runs[0].state, RunState::kFinished);
}

TEST(LogShapesEvents, TorchTitanCheckpointsBecomeDurable) {
  const auto log = importLog(
      "[titan] 2025-09-11 10:00:00,111 - root - INFO - step: 10  loss:  7.6812  grad_norm:  2.2000\n"
      "[titan] 2025-09-11 10:00:01,111 - root - INFO - Saving a full checkpoint at last step, step 10.\n"
      "[titan] 2025-09-11 10:00:06,111 - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in 5.22 seconds.\n");
  ASSERT_EQ(log.out.checkpoints.size(), 2U);
  EXPECT_EQ(log.out.checkpoints[1].step, 10);
  EXPECT_TRUE(log.out.checkpoints[1].durable);
}

TEST(LogShapesEvents, BothOverflowMessagesOfDeepSpeedAreSkippedIterations) {
  const auto log = importLog(
      "[INFO] [loss_scaler.py:181:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 4294967296, reducing to "
      "1\n"
      "[INFO] [stage_1_and_2.py:1751:step] [deepspeed] fp16 dynamic loss scale overflow! Skipping step. Attempted loss scale: 65536.0, "
      "reducing "
      "to 32768.0\n");
  ASSERT_EQ(log.out.events.size(), 2U);
  EXPECT_EQ(log.out.events[1].code, "65536.0");
}

}  // namespace
}  // namespace runglass::test
