// SPDX-License-Identifier: Apache-2.0
// One training log per framework: a few lines in its format.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kCanonicalLoss = R"({"canonical":"loss"})";

TEST(TrainLogFrameworks, MegatronGivesLossTimesLayoutAndCheckpoints) {
  const auto log = importLog(
      "using world size: 16, data-parallel size: 2, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: "
      "2\n"
      "  hidden_size ..................................... 4096\n"
      "  hf_api_token .................................... abc\n"
      " [2025-03-01 10:00:10.250000] iteration       10/     100 | consumed samples:         160 | elapsed time per iteration (ms): 812.5 "
      "| "
      "throughput per GPU (TFLOP/s/GPU): 410.5 | learning rate: 1.5E-04 | lm loss: 9.125000E+00 | loss scale: 1.0 | grad norm: 2.5 | "
      "number of skipped iterations:   2 | number of nan iterations:   0 |\n"
      "saving checkpoint at iteration      10 to /ckpt in torch_dist format\n"
      "  successfully saved checkpoint from iteration      10 to /ckpt\n"
      " [2025-03-01 10:00:18.500000] iteration       20/     100 | consumed samples:         320 | elapsed time per iteration (ms): 800.0 "
      "| "
      "learning rate: 1.4E-04 | lm loss: 8.5E+00 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
      " validation loss at iteration 20 | lm loss value: 8.75E+00 | lm loss PPL: 6.3E+03 | \n");
  EXPECT_THAT(log.out.scalarsOf("lm loss").step, ElementsAre(10, 20));
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(9.125, 8.5));
  EXPECT_THAT(log.out.scalarsOf("lm loss").time, ElementsAre(1740823210250000000, 1740823218500000000));
  EXPECT_EQ(keyOf(log.out, "lm loss")->labels, kCanonicalLoss);
  EXPECT_THAT(log.out.scalarsOf("elapsed time per iteration").value, ElementsAre(812.5e6, 800e6));
  EXPECT_EQ(keyOf(log.out, "elapsed time per iteration")->unit, "ns");
  EXPECT_THAT(log.out.scalarsOf("throughput per GPU").value, ElementsAre(DoubleEq(410.5e12)));
  EXPECT_EQ(keyOf(log.out, "lm loss value")->source, "validation");
  EXPECT_TRUE(log.out.hasEvent("skipped_iteration"));
  ASSERT_EQ(log.out.attempts.size(), 1U);
  EXPECT_EQ(log.out.attempts[0].layout, (Layout{.world = 16, .tp = 4, .pp = 2, .dp = 2}));
  ASSERT_EQ(log.out.checkpoints.size(), 2U);  // begun, then durable
  EXPECT_FALSE(log.out.checkpoints[0].durable);
  EXPECT_TRUE(log.out.checkpoints[1].durable);
  EXPECT_EQ(log.out.checkpoints[1].path, "/ckpt");
  ASSERT_EQ(log.out.facts.size(), 1U) << "a secret-looking argument must not be kept";
  EXPECT_EQ(log.out.facts[0].key, "hidden_size");
  EXPECT_EQ(log.out.runs[0].framework, "Megatron-LM");
  EXPECT_EQ(log.out.runs[0].time_domain, TimeDomain::kUtc);
}

TEST(TrainLogFrameworks, PrimusColoursRanksAndDoubleLoggersGiveOnePointAStep) {
  const std::string line =
      "iteration        3/      20 | consumed samples:          896 | elapsed time per iteration (ms): 32208.7/32100.5 | lm loss: 1.1E+01 "
      "| "
      "hip mem usage/free/total: 232.82GB/55.17GB/287.98GB |";
  const std::string first =
      "[\x1b[32m20260511 02:59:23\x1b[0m][\x1b[36mrank-7/8\x1b[0m]\x1b[34m[DEBUG]    \x1b[0m[----utils.py:425] : " + line + "\x1b[0m\n";
  const std::string second =
      "[\x1b[32m20260511 02:59:23\x1b[0m][\x1b[36mrank-7/8\x1b[0m]\x1b[34m[DEBUG]    \x1b[0m[----utils.py:429] : " + line + "\x1b[0m\n";
  const auto log = importLog("[Primus:Env] rank=7, world_size=8\n" + first + second);
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(11.0));
  EXPECT_THAT(log.out.scalarsOf("elapsed time per iteration").value, ElementsAre(32208.7e6));
  EXPECT_THAT(log.out.scalarsOf("hip mem usage/free").value, ElementsAre(DoubleEq(55.17e9)));
  EXPECT_EQ(keyOf(log.out, "hip mem usage")->unit, "bytes");
  EXPECT_EQ(log.out.runs[0].framework, "Primus (Megatron-LM)");
}

TEST(TrainLogFrameworks, DeepSpeedStepAndTimerLinesShareTheirSteps) {
  const auto log = importLog(
      "[2023-04-18 01:46:52,554] [INFO] [loss_scaler.py:188:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss "
      "scale: "
      "65536, reducing to 32768\n"
      "[2023-04-18 01:46:59,142] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.5e-06, 9.5e-06], mom=[(0.9, 0.95)]\n"
      "[2023-04-18 01:46:59,171] [INFO] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.5, "
      "CurrSamplesPerSec=171.25, MemAllocated=3.96GB, MaxMemAllocated=22.95GB\n");
  EXPECT_THAT(log.out.scalarsOf("lr").value, ElementsAre(9.5e-06));
  EXPECT_THAT(log.out.scalarsOf("CurrSamplesPerSec").value, ElementsAre(171.25));
  EXPECT_THAT(log.out.scalarsOf("CurrSamplesPerSec").step, ElementsAre(10));
  EXPECT_THAT(log.out.scalarsOf("MemAllocated").value, ElementsAre(DoubleEq(3.96e9)));
  EXPECT_TRUE(log.out.hasEvent("skipped_iteration"));
}

TEST(TrainLogFrameworks, TwoDeepSpeedEnginesOfOneStepAreTwoSeries) {
  std::string text;
  for (const int step : {10, 20})
    for (const char* lr : {"1e-05", "5e-06"})
      text += "[2023-04-18 08:48:01,543] [INFO] [logging.py:96:log_dist] [Rank 0] step=" + std::to_string(step) + ", skipped=0, lr=[" + lr +
              "]\n";
  const auto log = importLog(text);
  std::vector<std::vector<double>> values;
  for (const auto& [id, key] : log.out.series_keys)
    if (key.metric == "lr") values.push_back(log.out.scalar_points.at(id).value);
  EXPECT_THAT(values, ElementsAre(ElementsAre(1e-05, 1e-05), ElementsAre(5e-06, 5e-06)));
}

TEST(TrainLogFrameworks, GptNeoxKeepsBothOfItsLossLines) {
  const auto log = importLog(
      "NeoXArgs.configure_distributed_args() using world size: 8 and model-parallel size: 1 \n"
      "steps: 1 loss: 11.0643 iter time (s): 5.845 samples/sec: 87.599\n"
      " samples/sec: 87.558 | iteration        1/    3072 | elapsed time per iteration (ms): 5847.6 | approx flops per GPU: 5.6TFLOPS | "
      "lm_loss: 1.106431E+01 | loss scale: 4096.0 | number of skipped iterations:   0 | number of nan iterations:   0 |\n");
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(11.0643));
  EXPECT_THAT(log.out.scalarsOf("lm_loss").value, ElementsAre(11.06431));
  EXPECT_THAT(log.out.scalarsOf("approx flops per GPU").value, ElementsAre(DoubleEq(5.6e12)));
  EXPECT_EQ(log.out.runs[0].framework, "GPT-NeoX");
  EXPECT_EQ(log.out.runs[0].time_domain, TimeDomain::kNone) << "the log prints no time, so none is invented";
}

TEST(TrainLogFrameworks, TorchTitanColourLinesGiveValuesAndLayout) {
  const auto log = importLog(
      "[rank0]:[titan] 2026-05-24 20:14:43,257 - root - INFO - Building device mesh with parallelism: pp=2, dp_replicate=2, dp_shard=4, "
      "cp=1, "
      "tp=8, ep=1\n"
      "[rank0]:[titan] 2026-05-24 20:15:28,388 - root - INFO - \x1b[31mstep:  2  \x1b[32mloss: 11.30210  \x1b[38;2;180;60;0mgrad_norm: "
      "51.5000  "
      "\x1b[38;2;54;234;195mmemory: 160.02GiB(89.72%)  \x1b[34mtps: 11,180  \x1b[36mtflops: 942.01  \x1b[35mmfu: N/A\x1b[39m\n");
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(11.30210));
  EXPECT_THAT(log.out.scalarsOf("tps").value, ElementsAre(11180));
  EXPECT_THAT(log.out.scalarsOf("flops").value, ElementsAre(DoubleEq(942.01e12)));
  EXPECT_EQ(keyOf(log.out, "mfu"), nullptr) << "N/A is absent, not a value";
  EXPECT_EQ(log.out.attempts[0].layout, (Layout{.world = 128, .tp = 8, .pp = 2, .dp = 8, .cp = 1, .ep = 1}));
}

TEST(TrainLogFrameworks, FairseqJsonWithoutItsEndGivesWhatIsThere) {
  const auto log = importLog(
      "[2022-03-28 22:27:36,540][train_inner][INFO] - {\"epoch\": 5, \"loss\": \"4.841\", \"num_updates\": \"3400\", \"lr\": \"5.4e-05\", "
      "\"gnorm\": \"0.666\"\n"
      "2022-03-28 23:27:36 | INFO | train_inner | {\"epoch\": 6, \"loss\": \"4.5\", \"num_updates\": \"3600\", \"wps\": \"25000\"}\n"
      "[2022-03-28 23:28:00,000][valid][INFO] - {\"epoch\": 6, \"valid_loss\": \"4.25\", \"valid_num_updates\": \"3600\"}\n"
      "[2022-03-28 23:29:00,000][fairseq.checkpoint_utils][INFO] - Saved checkpoint ckpt/best.pt (epoch 6 @ 3600 updates, score 4.2)\n");
  EXPECT_THAT(log.out.scalarsOf("loss").step, ElementsAre(3400, 3600));
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(4.841, 4.5));
  EXPECT_THAT(log.out.scalarsOf("gnorm").value, ElementsAre(0.666));
  EXPECT_EQ(keyOf(log.out, "valid_loss")->labels, R"({"canonical":"validation_loss"})");
  EXPECT_THAT(log.out.scalarsOf("valid_loss").step, ElementsAre(3600));
  EXPECT_TRUE(log.out.hasEvent("checkpoint_saved"));
}

TEST(TrainLogFrameworks, NanoGptFamilyIsDistinguished) {
  const auto nano = importLog("step 250: train loss 1.9655, val loss 2.0733\niter 250: loss 1.9, time 135.11ms, mfu 17.50%\n");
  EXPECT_THAT(nano.out.scalarsOf("loss").value, ElementsAre(1.9));
  EXPECT_THAT(nano.out.scalarsOf("time").value, ElementsAre(DoubleEq(135.11e6)));
  EXPECT_THAT(nano.out.scalarsOf("mfu").value, ElementsAre(DoubleEq(0.175)));
  EXPECT_EQ(nano.out.runs[0].framework, "nanoGPT");

  const auto modded =
      importLog("step:0/10 val_loss:10.8 train_time:315ms step_avg:nanms\nstep:1/10 train_loss:9.5 train_time:83992ms step_avg:41.5ms\n");
  EXPECT_THAT(modded.out.scalarsOf("train_loss").value, ElementsAre(9.5));
  EXPECT_THAT(modded.out.scalarsOf("train_time").value, ElementsAre(315e6, 83992e6));
  EXPECT_TRUE(std::isnan(modded.out.scalarsOf("step_avg").value.at(0)));
  EXPECT_EQ(modded.out.runs[0].framework, "modded-nanogpt");

  const auto llmc = importLog("s:0 tel:11.0092\ns:0 trl:11.0091 lr:0.000001 norm:15.37\n");
  EXPECT_THAT(llmc.out.scalarsOf("trl").value, ElementsAre(11.0091));
  EXPECT_THAT(llmc.out.scalarsOf("norm").value, ElementsAre(15.37));
  EXPECT_EQ(keyOf(llmc.out, "tel")->labels, R"({"canonical":"validation_loss"})");

  const auto chat = importLog(
      "step 00001/16704 (0.01%) | loss: 10.757717 | lrm: 1.00 | dt: 629.00ms | tok/sec: 833,525 | mfu: 52.10 | total time: 0.50m\n"
      "Step 00250 | Validation bpb: 1.086329\n");
  EXPECT_THAT(chat.out.scalarsOf("dt").value, ElementsAre(629e6));
  EXPECT_THAT(chat.out.scalarsOf("tok/sec").value, ElementsAre(833525));
  EXPECT_THAT(chat.out.scalarsOf("Validation bpb").step, ElementsAre(250));
}

TEST(TrainLogFrameworks, HuggingFaceDictionariesTakeTheirStepFromTheEpochElseFromTheBar) {
  const auto by_bar = importLog(
      "  0%|          | 0/100 [00:00<?, ?it/s]\r 10%|#         | 10/100 [00:10<01:30,  1.00it/s]\r\n"
      "{'loss': 2.5, 'grad_norm': 0.75, 'learning_rate': 1e-05, 'epoch': 0.3}\n"
      " 20%|##        | 20/100 [00:20<01:20,  1.00it/s]\r{'loss': 2.25, 'learning_rate': 9e-06, 'epoch': 0.6}\n"
      "{'eval_loss': 2.125, 'eval_runtime': 1.5, 'epoch': 0.6}\n");
  EXPECT_THAT(by_bar.out.scalarsOf("loss").step, ElementsAre(10, 20));
  EXPECT_THAT(by_bar.out.scalarsOf("loss").value, ElementsAre(2.5, 2.25));
  EXPECT_THAT(by_bar.out.scalarsOf("eval_loss").step, ElementsAre(20));

  const auto by_epoch =
      importLog("  Num Epochs = 3\n  Total optimization steps = 1,500\n{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.02}\n");
  EXPECT_THAT(by_epoch.out.scalarsOf("loss").step, ElementsAre(10));
}

constexpr const char* kStepTime = R"({"canonical":"step_time_ns"})";

TEST(TrainLogFrameworks, HuggingFaceStepTimesComeFromTheTrainersBar) {
  const auto log = importLog(
      "Loading checkpoint shards: 100%|##########| 4/4 [00:10<00:00,  2.60s/it]\n"
      " 10%|#         | 10/100 [00:20<03:00,  2.00s/it]\r\n"
      "{'loss': 2.5, 'grad_norm': 0.75, 'learning_rate': 1e-05, 'epoch': 0.3}\n"
      " 11%|#         | 11/100 [00:22<02:58,  2.00s/it]\r 11%|#         | 11/100 [00:22<02:58,  2.10s/it]\r\n"
      " 50%|#####     | 25/50 [00:01<00:01, 25.00it/s]\r\n"
      "{'eval_loss': 2.125, 'eval_runtime': 1.5, 'epoch': 0.6}\n"
      " 20%|##        | 20/100 [00:40<02:40,  2.00it/s]\r{'loss': 2.25, 'learning_rate': 9e-06, 'epoch': 0.6}\n");
  const ScalarColumns times = log.out.scalarsOf("step time (smoothed)", std::nullopt, kStepTime);
  EXPECT_THAT(times.step, ElementsAre(11, 20)) << "neither of what is loaded, nor of an evaluation, nor twice";
  EXPECT_THAT(times.value, ElementsAre(2e9, 0.5e9));
}

TEST(TrainLogFrameworks, DatedLinesGiveTheStepTimesThatTheyDoNotPrint) {
  const auto line = [](int step, const char* time) {
    return std::string("[rank0]:[titan] 2026-05-24 20:15:") + time + " - root - INFO - step: " + std::to_string(step) +
           "  loss:  7.9  grad_norm:  1.2  memory: 22.10GiB(28.00%)  tps: 7,890  tflops: 60.10  mfu: 19.30%\n";
  };
  const auto log =
      importLog(line(1, "01,250") + line(10, "10,250") + line(20, "15,250") +
                "[rank0]:[titan] 2026-05-24 20:15:16,250 - root - INFO - Saving the checkpoint (or staging if async is enabled).\n"
                "[rank0]:[titan] 2026-05-24 20:15:16,500 - root - INFO - Saving a full checkpoint at last step, step 20.\n" +
                line(30, "55,250") + line(40, "59,250"));
  const ScalarColumns times = log.out.scalarsOf("step time", std::nullopt, kStepTime);
  EXPECT_THAT(times.step, ElementsAre(10, 20, 40)) << "the save is in the time to step 30";
  EXPECT_THAT(times.value, ElementsAre(1e9, 0.5e9, 0.4e9));
  EXPECT_THAT(times.time, testing::SizeIs(3));
}

TEST(TrainLogFrameworks, WholeSecondsGiveAStepTimeOnceItIsExact) {
  std::string text;
  for (int step = 0; step <= 60; ++step)
    text += "[2026-05-24 20:15:" + std::to_string(step / 2 + 10) +
            ",000] [INFO] [logging.py:96:log_dist] [Rank 0] step=" + std::to_string(step) + ", skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]\n";
  const ScalarColumns times = importLog(text).out.scalarsOf("step time", std::nullopt, kStepTime);
  ASSERT_THAT(times.value, testing::SizeIs(1));
  EXPECT_NEAR(times.value[0], 0.5e9, 0.025e9);
}

TEST(TrainLogFrameworks, APrintedStepTimeIsNotComputedAgain) {
  const auto log = importLog(
      "[2026-01-02 03:04:05.100] iteration 1/ 10 | elapsed time per iteration (ms): 900.0 | lm loss: 2.5 |\n"
      "[2026-01-02 03:04:07.200] iteration 2/ 10 | elapsed time per iteration (ms): 900.0 | lm loss: 2.5 |\n");
  EXPECT_EQ(keyOf(log.out, "step time"), nullptr);
  EXPECT_THAT(log.out.scalarsOf("elapsed time per iteration").value, ElementsAre(9e8, 9e8));
}

TEST(TrainLogFrameworks, MlperfLinesGiveScalarsFactsAndTheirOwnTimes) {
  const auto log = importLog(
      R"( 0: :::MLLOG {"namespace": "", "time_ms": 1728511564520, "event_type": "POINT_IN_TIME", "key": "submission_benchmark", "value": "llama2_70b_lora", "metadata": {"file": "x.py", "lineno": 3}})"
      "\n"
      R"( 0: :::MLLOG {"namespace": "", "time_ms": 1728511700456, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {"file": "x.py", "lineno": 4}})"
      "\n"
      R"( 0: :::MLLOG {"namespace": "", "time_ms": 1728511705985, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": 2.2484312057495117, "metadata": {"file": "x.py", "lineno": 5, "samples_count": 80, "lr": 0.0004}})"
      "\n"
      R"( 0: :::MLLOG {"namespace": "", "time_ms": 1728511825989, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": {"throughput": 14.5}, "metadata": {"file": "x.py", "lineno": 6, "step": 1536}})"
      "\n"
      R"( 0: :::MLLOG {"namespace": "", "time_ms": 1728511998378, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"file": "x.py", "lineno": 7, "status": "success"}})"
      "\n");
  EXPECT_THAT(log.out.scalarsOf("train_loss").value, ElementsAre(2.2484312057495117));
  EXPECT_THAT(log.out.scalarsOf("train_loss").step, ElementsAre(80));
  EXPECT_THAT(log.out.scalarsOf("train_loss").time, ElementsAre(1728511705985000000));
  EXPECT_EQ(keyOf(log.out, "train_loss")->labels, R"({"canonical":"loss","x":"samples"})");
  EXPECT_THAT(log.out.scalarsOf("lr").value, ElementsAre(0.0004));
  EXPECT_THAT(log.out.scalarsOf("throughput").value, ElementsAre(14.5));
  ASSERT_EQ(log.out.facts.size(), 1U);
  EXPECT_EQ(log.out.facts[0].value, "llama2_70b_lora");
  EXPECT_EQ(log.out.runs[0].state, RunState::kFinished);
  EXPECT_THAT(log.out.issues, IsEmpty());
}

TEST(TrainLogFrameworks, RlhfScoresJoinTheStepBeforeThem) {
  const auto log = importLog(
      "epoch: 0|step: 7|ppo_ep: 1|act_loss: 0.25|cri_loss: 0.125|unsuper_loss: 0.0\naverage reward score: -0.5\n"
      "|E2E latency=7.99s |Gather latency=0.00s (0.00%) |CurSamplesPerSec=8.01 |AvgSamplesPerSec=8.01\n");
  EXPECT_THAT(log.out.scalarsOf("act_loss").value, ElementsAre(0.25));
  EXPECT_THAT(log.out.scalarsOf("average reward score").step, ElementsAre(7));
  EXPECT_THAT(log.out.scalarsOf("E2E latency").value, ElementsAre(DoubleEq(7.99e9)));
}

TEST(TrainLogFrameworks, TroubleBecomesEventsUnderAnyFramework) {
  const auto log = importLog(
      "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=40, OpType=BROADCAST, "
      "NumelIn=800, Timeout(ms)=300000) ran for 300000 milliseconds before timing out.\n"
      "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
      "iteration 5/ 10 | lm loss: nan | grad norm: 1.0 |\n");
  EXPECT_TRUE(log.out.hasEvent("collective_timeout"));
  EXPECT_EQ(log.out.events[0].code, "40");
  EXPECT_EQ(log.out.events[0].rank, 3);
  EXPECT_TRUE(log.out.hasEvent("out_of_memory"));
  EXPECT_TRUE(log.out.hasEvent("non_finite"));
  EXPECT_TRUE(std::isnan(log.out.scalarsOf("lm loss").value.at(0)));
}

TEST(TrainLogFrameworks, ALogWithoutTrainingLinesSaysSo) {
  const auto log = importLog("hello\nworld\n");
  EXPECT_EQ(log.report.skipped_reason, "no known training line");
  EXPECT_FALSE(log.report.run);
  EXPECT_THAT(log.out.runs, IsEmpty());
}

TEST(TrainLogFrameworks, MindSporeCountsItsLinesAcrossEpochs) {
  const auto log = importLog("epoch: 1 step: 1, loss is 2.5\nepoch: 1 step: 2, loss is 2.25\nepoch: 2 step: 1, loss is nan\n");
  EXPECT_THAT(log.out.scalarsOf("loss").step, ElementsAre(1, 2, 3));
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(2.5, 2.25, testing::IsNan()));
  EXPECT_EQ(keyOf(log.out, "loss")->labels, kCanonicalLoss);
  EXPECT_EQ(log.out.attempts.size(), 1U);
}

}  // namespace
}  // namespace runglass::test
