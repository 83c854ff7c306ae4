// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/loss_spikes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>

namespace runglass {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSteps = 10'000;
constexpr int kSeeds = 100;

// A decrease like that of a language model: fast at first, then a power law.
double fallingLoss(std::size_t step) { return 1.9 + 9.1 * std::pow(1 + static_cast<double>(step) / 40, -0.6); }

std::vector<double> noisyLoss(std::uint64_t seed, std::size_t count, double noise, bool heavy = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> tails(3);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(fallingLoss(i) * (1 + noise * (heavy ? tails(random) : normal(random))));
  return values;
}

std::vector<LossSpike> find(const std::vector<double>& values, std::int64_t stride = 1) {
  LossSpikeDetector detector;
  for (std::size_t i = 0; i < values.size(); ++i) detector.push(static_cast<std::int64_t>(i) * stride, values[i]);
  return detector.spikes();
}

TEST(LossSpikes, CleanGaussianNoiseOfAnyLevelRaisesNothing) {
  for (const double noise : {0.0, 0.003, 0.01, 0.03, 0.06, 0.1}) {
    std::size_t alarms = 0;
    for (int seed = 0; seed < kSeeds; ++seed) alarms += find(noisyLoss(static_cast<std::uint64_t>(seed), kSteps, noise)).size();
    EXPECT_EQ(alarms, 0u) << "noise " << noise;
  }
}

// A spike of half the loss that decays over some steps, at each of these steps.
TEST(LossSpikes, ASpikeOfAFallingLossThatIsLoggedEveryTenthStepIsFound) {
  for (const std::size_t at : {600, 800, 950, 1050, 1200}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> normal;
      std::vector<double> values;
      for (std::size_t step = 10; step <= 3000; step += 10) {
        const double spike = step < at ? 0 : 0.5 * std::exp(-static_cast<double>(step - at) / 20);
        values.push_back(fallingLoss(step) * (1 + 0.015 * normal(random) + spike));
      }
      const auto spikes = find(values, 10);
      ASSERT_EQ(spikes.size(), 1u) << "at " << at << ", seed " << seed;
      EXPECT_EQ(spikes[0].first_step, static_cast<std::int64_t>(at - 10));
    }
  }
}

// Student's t with 3 degrees of freedom exceeds 8 robust sigma 14 times in 10,000: these are outliers by the rule, and single points.
TEST(LossSpikes, HeavyTailsRaiseSingleBenignPointsAndNothingWorse) {
  struct Level {
    double noise, most_per_run;
  };
  for (const Level level : {Level{0.002, 0.05}, Level{0.005, 1}, Level{0.01, 8}, Level{0.03, 16}}) {
    std::size_t alarms = 0, worse = 0;
    for (int seed = 0; seed < kSeeds; ++seed)
      for (const LossSpike& spike : find(noisyLoss(static_cast<std::uint64_t>(seed), kSteps, level.noise, true))) {
        ++alarms;
        worse += spike.verdict == SpikeVerdict::kMalignant ? 1 : 0;
      }
    std::printf("t3 noise of %.3f: %.2f marks in %zu steps\n", level.noise, static_cast<double>(alarms) / kSeeds, kSteps);
    EXPECT_LE(static_cast<double>(alarms) / kSeeds, level.most_per_run) << "noise " << level.noise;
    EXPECT_EQ(worse, 0u) << "noise " << level.noise;
  }
}

TEST(LossSpikes, AWarmUpBumpAndAFallingLearningRateAreNoSpikes) {
  std::vector<double> values = noisyLoss(1, 6'000, 0.01);
  for (std::size_t i = 0; i < 60; ++i) values[i] *= 1 + 0.1 * std::sin(static_cast<double>(i) / 19);  // rises by 10 % and returns
  for (std::size_t i = 3'000; i < 4'500; ++i) values[i] *= 1 - 0.1 * static_cast<double>(i - 3'000) / 1'500;
  for (std::size_t i = 4'500; i < 6'000; ++i) values[i] *= 0.9 + 0.15 * std::min(1.0, static_cast<double>(i - 4'500) / 300);  // restart
  EXPECT_TRUE(find(values).empty());
}

// A spike of `sigmas` over ten points at three places in each of 100 runs; returns how many of the 300 were found.
int found(double sigmas) {
  constexpr double kNoise = 0.03;
  int hits = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::vector<double> values = noisyLoss(static_cast<std::uint64_t>(seed), 4'000, kNoise);
    for (const std::size_t at : {1'000u, 2'000u, 3'000u})
      for (std::size_t i = at; i < at + 10; ++i) values[i] = fallingLoss(i) * std::exp(sigmas * kNoise);
    for (const LossSpike& spike : find(values)) {
      const auto at = spike.first_step / 1'000 * 1'000;
      EXPECT_TRUE(spike.first_step < at + 10 && at >= 1'000) << "an alarm where nothing was planted: " << spike.first_step;
      EXPECT_EQ(spike.verdict, SpikeVerdict::kBenign);
      ++hits;
    }
  }
  std::printf("planted %g sigma: %d of 300\n", sigmas, hits);
  return hits;
}

TEST(LossSpikes, PlantedSpikesAreFoundAboveEightSigmaAndNotBelow) {
  EXPECT_LE(found(5), 1);
  const int at_the_edge = found(8);  // depends on the estimate of sigma
  EXPECT_GE(at_the_edge, 90);
  EXPECT_LE(at_the_edge, 260);
  EXPECT_EQ(found(20), 300);
}

TEST(LossSpikes, ASpikeTellsItsBeginPeakEndAndBaseline) {
  std::vector<double> values = noisyLoss(3, 3'000, 0.005);
  const double level = fallingLoss(2'000);
  for (std::size_t i = 2'000; i < 2'020; ++i) values[i] = level * (2 - std::abs(static_cast<double>(i) - 2'007) / 20);
  const auto spikes = find(values);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].first_step, 2'000);
  EXPECT_EQ(spikes[0].peak_step, 2'007);
  EXPECT_EQ(spikes[0].last_step, 2'019);
  EXPECT_NEAR(static_cast<double>(spikes[0].recovered_step.value()), 2'020, 2);
  EXPECT_DOUBLE_EQ(spikes[0].peak, 2 * level);
  EXPECT_NEAR(spikes[0].baseline, level, 0.01 * level);
  EXPECT_EQ(spikes[0].rule, SpikeRule::kRobustZ);
  EXPECT_EQ(spikes[0].verdict, SpikeVerdict::kBenign);
}

TEST(LossSpikes, ADivergenceIsMalignantOnceAndItsLevelIsTheNewBaseline) {
  std::vector<double> values = noisyLoss(4, 5'000, 0.01);
  for (std::size_t i = 2'000; i < 5'000; ++i) values[i] = values[i] + 5 * (1 - std::exp(-static_cast<double>(i - 2'000) / 10));
  const auto spikes = find(values);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(spikes[0].first_step), 2'000, 2);
  EXPECT_EQ(spikes[0].verdict, SpikeVerdict::kMalignant);
  EXPECT_FALSE(spikes[0].recovered_step.has_value());
  values.resize(5'300, fallingLoss(2'000));
  const auto later = find(values);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].recovered_step, 5'000) << "the verdict stays, the return is told";
  EXPECT_EQ(later[0].verdict, SpikeVerdict::kMalignant);
}

TEST(LossSpikes, WhereThePointsEndInASpikeTheVerdictIsUnknown) {
  std::vector<double> values = noisyLoss(5, 1'010, 0.01);
  for (std::size_t i = 1'000; i < values.size(); ++i) values[i] *= 3;
  const auto spikes = find(values);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].verdict, SpikeVerdict::kUnknown);
  EXPECT_EQ(spikes[0].last_step, 1'009);
}

// There, distances to a median are mostly slope: they would hide a jump of a quarter.
TEST(LossSpikes, ASpikeOnASteepSlopeIsSeen) {
  int found = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::vector<double> values = noisyLoss(static_cast<std::uint64_t>(seed), 400, 0.004);
    for (std::size_t step = 150; step < 163; ++step) values[step] *= 1.4;
    const auto spikes = find(values);
    found += spikes.size() == 1 && spikes[0].first_step == 150 && spikes[0].verdict == SpikeVerdict::kBenign ? 1 : 0;
  }
  EXPECT_EQ(found, kSeeds);
}

TEST(LossSpikes, BlipsThatComeBackAreNeverANewLevelHoweverMany) {
  std::vector<double> values(4'000);
  for (std::size_t step = 0; step < values.size(); ++step) values[step] = 2 + 0.001 * static_cast<double>(step % 7);
  for (std::size_t step = 200; step < values.size(); step += 20) values[step] = 3;
  const auto spikes = find(values);
  ASSERT_EQ(spikes.size(), 1U) << "one bunch";
  EXPECT_EQ(spikes[0].verdict, SpikeVerdict::kBenign);
  EXPECT_EQ(spikes[0].longest, 1);
  EXPECT_EQ(spikes[0].points, 190);
}

TEST(LossSpikes, NotANumberIsAMarkOfItsOwnAndPoisonsNoBaseline) {
  std::vector<double> values = noisyLoss(6, 2'000, 0.01);
  values[1'000] = kNan;
  values[1'001] = std::numeric_limits<double>::infinity();
  values[1'500] = 30;
  const auto spikes = find(values);
  ASSERT_EQ(spikes.size(), 2u);
  EXPECT_EQ(spikes[0].rule, SpikeRule::kNonFinite);
  EXPECT_EQ(spikes[0].first_step, 1'000);
  EXPECT_EQ(spikes[0].last_step, 1'001);
  EXPECT_EQ(spikes[0].recovered_step, 1'002);
  EXPECT_EQ(spikes[0].verdict, SpikeVerdict::kMalignant);
  EXPECT_EQ(spikes[1].first_step, 1'500);
  EXPECT_EQ(find(std::vector<double>(500, kNan)).size(), 1u);
}

TEST(LossSpikes, ALogOfEveryTenthStepIsJudgedByItsPoints) {
  std::vector<double> values = noisyLoss(7, 500, 0.01);
  for (std::size_t i = 300; i < 305; ++i) values[i] *= 2;
  const auto spikes = find(values, 10);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].first_step, 3'000);
  EXPECT_EQ(spikes[0].recovered_step, 3'050);
}

TEST(LossSpikes, ASpikeInTheFirstStepsOfAShortRunIsSeen) {
  const auto spikes = find({12.1, 12.0, 12.1, 12.0, 20, 35, 30, 18, 12.0, 11.9, 11.8});
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].rule, SpikeRule::kWarmUp);
  EXPECT_EQ(spikes[0].first_step, 4);
  EXPECT_EQ(spikes[0].peak, 35);
  EXPECT_EQ(spikes[0].recovered_step, 8);
}

TEST(LossSpikes, LossesPrintedToFewDigitsHaveNoFalseFineness) {
  std::vector<double> values;
  for (int i = 0; i < 2'000; ++i) values.push_back(i % 7 == 0 ? 0.3 : 0.2);
  EXPECT_TRUE(find(values).empty()) << "one unit of the last digit is no spike";
}

TEST(LossSpikes, LossesAroundZeroAreJudgedWithoutALogarithm) {
  std::vector<double> values;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 3'000; ++i) values.push_back(0.1 * normal(random));
  EXPECT_TRUE(find(values).empty());
  values[2'000] = 5;
  ASSERT_EQ(find(values).size(), 1u);
}

TEST(LossSpikes, AConstantZeroOfManyDigitsHasNoScaleToLeave) {
  std::vector<double> values{0.123456789};  // more digits than a print has: nothing was rounded to 0
  values.resize(300, 0.0);
  values.push_back(1e-9);
  values.resize(320, 0.0);
  EXPECT_TRUE(find(values).empty());
}

TEST(LossSpikes, ALaterPointNeverChangesWhatABeginWas) {
  std::vector<double> values = noisyLoss(8, 3'000, 0.02, true);
  for (std::size_t i = 1'500; i < 1'700; ++i) values[i] *= 1.8;
  values[2'500] = kNan;
  values[2'700] = -1;
  LossSpikeDetector detector;
  std::vector<LossSpike> begins;
  for (std::size_t i = 0; i < values.size(); ++i) {
    detector.push(static_cast<std::int64_t>(i), values[i]);
    for (std::size_t k = begins.size(); k < detector.spikes().size(); ++k) begins.push_back(detector.spikes()[k]);
    for (std::size_t k = 0; k < begins.size(); ++k) {
      ASSERT_EQ(detector.spikes()[k].first_step, begins[k].first_step);
      ASSERT_EQ(detector.spikes()[k].rule, begins[k].rule);
      ASSERT_TRUE(detector.spikes()[k].baseline == begins[k].baseline);
    }
  }
  EXPECT_GT(begins.size(), 2u);
}

}  // namespace
}  // namespace runglass
