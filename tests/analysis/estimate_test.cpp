// SPDX-License-Identifier: Apache-2.0
// The estimators compared with published cases: their numbers, not ours.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "analysis/estimate/launch_options.h"
#include "analysis/estimate/memory.h"
#include "analysis/estimate/run_facts.h"
#include "analysis/estimate/run_plan.h"
#include "analysis/estimate/training_time.h"
#include "analysis/statistics/failures.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double daysOf(const std::optional<Estimated>& days) { return days ? days->value : kNaN; }

TEST(TrainingTime, TenTrillionTokensOn8192GpusAtHalfOf1000TeraflopsTake30Days) {
  EXPECT_NEAR(daysOf(trainingDays({.tokens = 10e12, .parameters = 175e9, .gpus = 8192}, 1000e12, 0.5)), 30, 0.5);
}
TEST(TrainingTime, OptAtItsAchievedRateTakes25Days) {
  EXPECT_NEAR(daysOf(trainingDays({.tokens = 300e9, .parameters = 175e9, .gpus = 992}, 147e12)), 25, 0.1);
}
TEST(TrainingTime, BloomAtItsAchievedRateTakes77Days) {
  EXPECT_NEAR(daysOf(trainingDays({.tokens = 366e9, .parameters = 175e9, .gpus = 384}, 150e12)), 77, 0.5);
}
TEST(TrainingTime, Falcon180bAtHalfOfAnA100Takes68Days) {
  EXPECT_NEAR(daysOf(trainingDays({.tokens = 3.5e12, .parameters = 180e9, .gpus = 4096}, 312e12, 0.5)), 68, 0.6);
}
TEST(TrainingTime, FullRecomputationCostsAThirdMoreAndSelectiveNothing) {
  TrainingWork work{.tokens = 1e12, .parameters = 1e9, .gpus = 64};
  const double none = daysOf(trainingDays(work, 100e12));
  work.recompute = Recompute::kFull;
  EXPECT_NEAR(daysOf(trainingDays(work, 100e12)) / none, 8.0 / 6, 1e-12);
  work.recompute = Recompute::kSelective;
  EXPECT_DOUBLE_EQ(daysOf(trainingDays(work, 100e12)), none);
}
TEST(TrainingTime, TheFormulaStandsBesideTheNumber) {
  const auto days = trainingDays({.tokens = 300e9, .parameters = 175e9, .gpus = 992}, 147e12);
  EXPECT_THAT(days->formula, HasSubstr("300e9 × 6 × 175e9 ÷ (992 × 147e12) ÷ 86,400 = 25"));
}
TEST(TrainingTime, WithoutAPositiveNumberForEverythingThereIsNoAnswer) {
  EXPECT_FALSE(trainingDays({.tokens = 0, .parameters = 1, .gpus = 1}, 1));
  EXPECT_FALSE(trainingDays({.tokens = 1, .parameters = kNaN, .gpus = 1}, 1));
  EXPECT_FALSE(trainingDays({.tokens = 1, .parameters = 1, .gpus = -8}, 1));
  EXPECT_FALSE(trainingDays({.tokens = 1e300, .parameters = 1e300, .gpus = 1}, 1));  // overflows
}
TEST(TrainingTime, MfuIsSixFlopsAParameterAndTokenOverThePeak) {
  // PaLM 540B: 238.3 K tokens/s on 6,144 TPU v4 of 275 TFLOP/s: 45.7 % without attention (Chowdhery et al. 2022, appendix B).
  EXPECT_NEAR(daysOf(measuredMfu(540.35e9, 238.3e3 / 6144, 275e12)), 0.457, 0.001);
}

// Rajbhandari et al. 2020, figure 1: 7.5 B parameters on 64 data-parallel ranks, K = 12.
TEST(MemoryPerGpu, ZeroStagesAreThoseOfTheZeroPaper) {
  const auto states = [](int stage) { return memoryPerGpu({.parameters = 7.5e9, .dp = 64, .zero = stage})->states_bytes / 1e9; };
  EXPECT_NEAR(states(0), 120, 0.1);
  EXPECT_NEAR(states(1), 31.4, 0.1);
  EXPECT_NEAR(states(2), 16.6, 0.1);
  EXPECT_NEAR(states(3), 1.88, 0.01);
}
// Korthikanti et al. 2022, table 2 and figure 1: selective recomputation with sequence parallelism needs a fifth of none with TP alone.
TEST(MemoryPerGpu, ActivationsOfA530BModelShrinkAsInKorthikanti) {
  MemoryQuestion q{
      .parameters = 530e9, .pp = 35, .tp = 8, .shape = {.layers = 105, .hidden = 20480, .heads = 128, .sequence = 2048, .micro_batch = 1}};
  const double tp_only = *memoryPerGpu(q)->activations_bytes;
  const double sbh = 2048.0 * 20480;
  EXPECT_NEAR(tp_only, 105 * sbh * (10 + 24.0 / 8 + 5.0 * 128 * 2048 / (20480.0 * 8)), 1);
  q.sequence_parallel = true, q.recompute = Recompute::kSelective;
  EXPECT_NEAR(*memoryPerGpu(q)->activations_bytes, 105 * sbh * 34 / 8, 1);
  EXPECT_LT(*memoryPerGpu(q)->activations_bytes / tp_only, 0.21);
}
TEST(MemoryPerGpu, AnUnknownShapeLeavesActivationsAbsentNotZero) {
  const auto estimate = memoryPerGpu({.parameters = 1e9, .shape = {.layers = 10, .hidden = 1024}});
  ASSERT_TRUE(estimate);
  EXPECT_FALSE(estimate->activations_bytes);
  EXPECT_EQ(estimate->parts.size(), 4U);
}
TEST(MemoryPerGpu, NonsenseHasNoAnswer) {
  EXPECT_FALSE(memoryPerGpu({.parameters = -1}));
  EXPECT_FALSE(memoryPerGpu({.parameters = 1e9, .dp = 0}));
  EXPECT_FALSE(memoryPerGpu({.parameters = 1e9, .zero = 4}));
  EXPECT_FALSE(memoryPerGpu({.parameters = std::numeric_limits<double>::infinity()}));
}

TEST(MemoryPerGpu, ParallelSizesWhoseProductIsBeyondAnIntStillDivide) {
  const auto m = memoryPerGpu({.parameters = 1e12, .pp = 100'000, .tp = 100'000, .shape = {}});
  ASSERT_TRUE(m);
  EXPECT_DOUBLE_EQ(m->states_bytes, 1e12 / 1e10 * 16);
}
TEST(Failures, AThousandthPerGpuAndDayIs0Point8PercentFor8And99Point99For10000) {
  EXPECT_NEAR(failureOfDay(0.001, 8)->value, 0.008, 0.0001);
  EXPECT_GT(failureOfDay(0.001, 10'000)->value, 0.9999);
  EXPECT_LT(failureOfDay(0.001, 10'000)->value, 1);
}
TEST(Failures, TheFieldsRateIsThatOfLlama3) {
  // 419 in 54 days on 16,384 GPUs: about one in three hours.
  EXPECT_NEAR(expectedMtbf(kFieldFailuresPerGpuDay, 16'384)->value / 3600, 54.0 * 24 / 419, 1e-9);
  EXPECT_FALSE(expectedMtbf(kFieldFailuresPerGpuDay, 0));
}
TEST(Failures, PoissonIntervalsAreGarwoods) {
  // Garwood 1936, table: 0 -> (0, 3.689); 1 -> (0.0253, 5.572); 10 -> (4.795, 18.39); 100 -> (81.36, 121.63).
  EXPECT_NEAR(poissonInterval(0).high, 3.689, 0.001);
  EXPECT_EQ(poissonInterval(0).low, 0);
  EXPECT_NEAR(poissonInterval(1).low, 0.0253, 0.0001);
  EXPECT_NEAR(poissonInterval(1).high, 5.572, 0.001);
  EXPECT_NEAR(poissonInterval(10).low, 4.795, 0.001);
  EXPECT_NEAR(poissonInterval(10).high, 18.391, 0.001);
  EXPECT_NEAR(poissonInterval(100).low, 81.36, 0.01);
  EXPECT_NEAR(poissonInterval(100).high, 121.63, 0.01);
}
TEST(Failures, WithoutAFailureTheMeanIsAbsentAndOnlyBoundedFromBelow) {
  const Mtbf none = mtbfOf(0, 36'890);
  EXPECT_FALSE(none.mean_s);
  EXPECT_FALSE(none.high_s);
  EXPECT_NEAR(none.low_s, 10'000, 5);
  EXPECT_FALSE(mtbfOf(1, 1000).enough());
  EXPECT_TRUE(mtbfOf(2, 1000).enough());
}
TEST(Failures, DalyIsNearYoungForCheapSavesAndCutsOffAtTheMtbf) {
  EXPECT_NEAR(youngInterval(60, 86'400)->value, std::sqrt(2 * 60 * 86'400.0), 1e-9);
  const double young = youngInterval(1, 1e6)->value, daly = dalyInterval(1, 1e6)->value;
  EXPECT_NEAR(daly / young, 1, 0.001);
  // Daly 2006, equation 37 at δ/2M = 0.25: √(2δM) (1 + 1/6 + 1/36) − δ.
  EXPECT_NEAR(dalyInterval(50, 100)->value, 100 * (1 + 1.0 / 6 + 1.0 / 36) - 50, 1e-9);
  EXPECT_DOUBLE_EQ(dalyInterval(300, 100)->value, 100);
  EXPECT_FALSE(dalyInterval(0, 100));
}

TEST(LaunchOptions, ACommandLineFallsIntoItsOptions) {
  const auto o =
      optionsOf("python pretrain.py --global-batch-size 512 --lr=3e-4 --bf16 --data-path 0.3 a 0.7 b --shift -1.5 model.dim=4096 +x.y=2");
  EXPECT_EQ(o.at("global_batch_size"), "512");
  EXPECT_EQ(o.at("lr"), "3e-4");
  EXPECT_EQ(o.at("bf16"), "true");
  EXPECT_EQ(o.at("data_path"), "0.3 a 0.7 b");
  EXPECT_EQ(o.at("shift"), "-1.5");
  EXPECT_EQ(o.at("model.dim"), "4096");
  EXPECT_EQ(o.at("x.y"), "2");
}
TEST(LaunchOptions, SecretsAreNeverShownAndTokensOfTextAreNoSecrets) {
  const auto o =
      optionsOf("--api-key abc --hf-token=hf_123 --train-tokens 300e9 --tokenizer-type GPT2 --wandb-password 12345 --max-tokens secret");
  EXPECT_EQ(o.at("api_key"), "(not shown)");
  EXPECT_EQ(o.at("hf_token"), "(not shown)");
  EXPECT_EQ(o.at("wandb_password"), "(not shown)");
  EXPECT_EQ(o.at("max_tokens"), "(not shown)");
  EXPECT_EQ(o.at("train_tokens"), "300e9");
  EXPECT_EQ(o.at("tokenizer_type"), "GPT2");
}
TEST(LaunchOptions, HostileCommandLinesAreBounded) {
  std::string line;
  for (int i = 0; i < 50'000; ++i) line += "--o" + std::to_string(i) + " \"un'closed ";
  EXPECT_LE(optionsOf(line).size(), 10'000U);
  EXPECT_TRUE(optionsOf("").empty());
  EXPECT_TRUE(optionsOf("-- - = == --=").empty());
}

TEST(RunFacts, MegatronsArgumentsFillTheEstimators) {
  const std::vector<Fact> facts = {{.key = "argv", .value = "pretrain_gpt.py --num-layers 24 --seq-length 2048"},
                                   {.key = "num_layers", .value = "32"},
                                   {.key = "global_batch_size", .value = "1,024"},
                                   {.key = "train_samples", .value = "146484375"},
                                   {.key = "recompute_granularity", .value = "full"},
                                   {.key = "sequence_parallel", .value = "True"}};
  const RunFacts f = runFactsOf(facts);
  EXPECT_EQ(f.layers, 32);  // the framework's final settings take precedence over the command line
  EXPECT_EQ(f.sequence, 2048);
  EXPECT_EQ(f.global_batch, 1024);
  EXPECT_EQ(f.tokensPerStep(), 1024.0 * 2048);
  EXPECT_EQ(f.recompute, Recompute::kFull);
  EXPECT_EQ(f.sequence_parallel, true);
  EXPECT_FALSE(f.parameters);
  EXPECT_FALSE(f.train_steps);
}

std::vector<DoneStep> evenSteps(std::int64_t first, std::int64_t last) {
  std::vector<DoneStep> steps;
  for (std::int64_t s = first; s <= last; ++s) steps.push_back({s, s * 10 * kNsPerSecond});
  return steps;
}
TEST(RunPlan, AnEvenPaceEndsWhenTheStepsSay) {
  RunPlan plan{.planned_steps = 1'000};
  const auto steps = evenSteps(1, 400);
  forecast(plan, steps, steps.back().end);
  ASSERT_TRUE(plan.finish);
  EXPECT_NEAR(static_cast<double>(*plan.finish) / 1e9, 10'000, 1);
  EXPECT_NEAR(static_cast<double>(*plan.finish_low) / 1e9, 10'000, 200);
  EXPECT_NEAR(static_cast<double>(*plan.finish_high) / 1e9, 10'000, 200);
  EXPECT_DOUBLE_EQ(*plan.done_share, 0.4);
}
TEST(RunPlan, APauseWidensTheIntervalAndDelaysTheEnd) {
  RunPlan plan{.planned_steps = 1'000};
  auto steps = evenSteps(1, 400);
  for (auto& one : steps)
    if (one.step > 200) one.end += 1'000 * kNsPerSecond;
  forecast(plan, steps, steps.back().end);
  EXPECT_NEAR(static_cast<double>(*plan.finish) / 1e9, 5'000 + 600 * (4'990.0 / 399), 20);
  EXPECT_LT(*plan.finish_low, *plan.finish);
  EXPECT_GT(*plan.finish_high, *plan.finish);
}
TEST(RunPlan, TooFewStepsSayWhyThereIsNoForecast) {
  RunPlan plan{.planned_steps = 1'000};
  const auto steps = evenSteps(1, 5);
  forecast(plan, steps, steps.back().end);
  EXPECT_FALSE(plan.finish);
  EXPECT_THAT(plan.reason, HasSubstr("fewer than 20 steps"));
  RunPlan none{.planned_steps = 10};
  forecast(none, {}, 0);
  EXPECT_EQ(none.reason, "no step is known");
}
TEST(RunPlan, AnEndBeyondWhatATimeCanBeIsNotReported) {
  RunPlan plan{.planned_steps = 4e10};
  std::vector<DoneStep> steps;
  for (std::int64_t s = 0; s < 30; ++s) steps.push_back({s, 3'999'999'990'000'000'000 + s * 150'000'000});
  forecast(plan, steps, steps.back().end);
  EXPECT_FALSE(plan.finish && *plan.finish < steps.back().end) << "it went round";
  EXPECT_FALSE(plan.finish_high && *plan.finish_high < steps.back().end);
}
TEST(RunPlan, ARunThatDidItAllIsFinished) {
  RunPlan plan{.planned_steps = 400};
  const auto steps = evenSteps(0, 399);
  forecast(plan, steps, steps.back().end + 1);
  EXPECT_TRUE(plan.finished);
  EXPECT_EQ(plan.finish, steps.back().end);
}

}  // namespace
}  // namespace runglass
