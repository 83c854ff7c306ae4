// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/published_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace runglass {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> noise(std::size_t count, double sigma, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(2, sigma);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

RuleHits hitsOf(PublishedRule rule, const std::vector<double>& values) {
  std::vector<std::int64_t> steps(values.size());
  std::iota(steps.begin(), steps.end(), 1'000);
  return applyRule(rule, steps, values);
}

// The rule as defined in its source, without running sums.
std::vector<std::int64_t> plainSigmaHits(const std::vector<double>& values, std::size_t window, std::size_t fewest, double sigmas) {
  std::vector<std::int64_t> hits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i > window ? i - window : 0;
    if (i - from < fewest) continue;
    const std::vector<double> before(values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(i));
    const double mean = std::accumulate(before.begin(), before.end(), 0.0) / static_cast<double>(before.size());
    double squares = 0;
    for (const double value : before) squares += (value - mean) * (value - mean);
    if (values[i] - mean > sigmas * std::sqrt(squares / static_cast<double>(before.size() - 1)))
      hits.push_back(1'000 + static_cast<std::int64_t>(i));
  }
  return hits;
}

TEST(PublishedRules, RunningSumsGiveWhatThePlainRuleGives) {
  std::vector<double> values = noise(5'000, 0.02);
  for (const std::size_t at : {70U, 200U, 1'500U, 1'501U, 3'000U, 4'999U}) values[at] += 0.2;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e4;  // sums of squares around 0 would lose the noise
  EXPECT_EQ(hitsOf(PublishedRule::kSkipStep, values).steps, plainSigmaHits(values, 128, 64, 6));
  EXPECT_EQ(hitsOf(PublishedRule::kOlmoScore, values).steps, plainSigmaHits(values, 1'000, 1'000, 7));
  EXPECT_EQ(hitsOf(PublishedRule::kSkipStep, values).steps.size(), 6U);
}

TEST(PublishedRules, ACurveShorterThanTheWarmUpHasNoScore) {
  for (const PublishedRuleInfo& info : publishedRules()) {
    const RuleHits none = hitsOf(info.rule, {});
    EXPECT_EQ(none.judged, 0) << info.id;
    EXPECT_FALSE(none.score().has_value()) << info.id;
    const RuleHits early = hitsOf(info.rule, noise(info.warm_up, 0.1));
    EXPECT_EQ(early.judged, 0) << info.id;
    const RuleHits next = hitsOf(info.rule, noise(info.warm_up + 1, 0.1));
    EXPECT_EQ(next.judged, 1) << info.id;
  }
}

TEST(PublishedRules, AConstantCurveIsNeverAHit) {
  for (const PublishedRuleInfo& info : publishedRules())
    EXPECT_TRUE(hitsOf(info.rule, std::vector<double>(3'000, 0.1)).steps.empty()) << info.id;
}

TEST(PublishedRules, TheScoreIsTheShareOfJudgedPoints) {
  std::vector<double> values = noise(3'000, 0.01);
  values[2'000] = values[2'500] = 5;
  const RuleHits hits = hitsOf(PublishedRule::kOlmoScore, values);
  EXPECT_EQ(hits.steps, (std::vector<std::int64_t>{3'000, 3'500}));
  EXPECT_EQ(hits.judged, 2'000);
  EXPECT_DOUBLE_EQ(*hits.score(), 0.001);
}

TEST(PublishedRules, OneNanBlindsNoWindow) {
  std::vector<double> values = noise(400, 0.01);
  values[200] = kNan;
  values[210] = 5;
  EXPECT_EQ(hitsOf(PublishedRule::kSkipStep, values).steps, (std::vector<std::int64_t>{1'210}));
}

TEST(PublishedRules, LightningAlsoStrikesAtWhatIsNotFinite) {
  std::vector<double> values(50, 1.0);
  values[20] = kNan;
  values[30] = 3.0;  // deviates by twice the mean
  values[45] = 2.9;
  EXPECT_EQ(hitsOf(PublishedRule::kLightning, values).steps, (std::vector<std::int64_t>{1'020, 1'030}));
}

TEST(PublishedRules, MegatronComparesWithTheFirstHundredForEver) {
  std::vector<double> values(300, 1.0);
  values[50] = 3;
  values[60] = 100;  // among the first hundred: no later value exceeds it
  EXPECT_TRUE(hitsOf(PublishedRule::kMegatronRerun, values).steps.empty());
  values[60] = 1;
  values[250] = 30;
  EXPECT_EQ(hitsOf(PublishedRule::kMegatronRerun, values).steps, (std::vector<std::int64_t>{1'250}));
}

TEST(PublishedRules, MegatronComparesMagnitudes) {
  std::vector<double> values(100, -5.0);
  values.insert(values.end(), {3.0, -49.0, -50.0, 50.0});
  EXPECT_EQ(hitsOf(PublishedRule::kMegatronRerun, values).steps, (std::vector<std::int64_t>{1'102, 1'103}));
}

TEST(PublishedRules, ZClipBeginsWithTheVarianceOfItsWarmUpAsAPopulation) {
  std::vector<double> values;
  for (int i = 0; i < 25; ++i) values.push_back(i % 2 == 0 ? 11 : 9);  // mean 10.04, deviation 0.9992 (sample deviation 1.0198)
  values.push_back(12.56);
  EXPECT_EQ(hitsOf(PublishedRule::kZClip, values).steps, (std::vector<std::int64_t>{1'025}));
}

TEST(PublishedRules, LlmFoundryWantsFiveInARow) {
  std::vector<double> values(300, 1.0);
  for (std::size_t i = 150; i < 154; ++i) values[i] = 4;
  EXPECT_TRUE(hitsOf(PublishedRule::kLlmFoundry, values).steps.empty());
  values[154] = 4;
  EXPECT_EQ(hitsOf(PublishedRule::kLlmFoundry, values).steps, (std::vector<std::int64_t>{1'154}));
}

TEST(PublishedRules, LlmFoundryAlsoStrikesWhereHalfOfTheWindowIsAboveTen) {
  const RuleHits hits = hitsOf(PublishedRule::kLlmFoundry, std::vector<double>(250, 11.0));
  ASSERT_FALSE(hits.steps.empty());
  EXPECT_EQ(hits.steps.front(), 1'199);  // the 200th
}

TEST(PublishedRules, ZClipTakesASpikeIntoItsAveragesAsClipped) {
  std::vector<double> values = noise(200, 0.05);
  values[100] = 200;
  values[101] = 3;
  const RuleHits hits = hitsOf(PublishedRule::kZClip, values);
  EXPECT_TRUE(std::ranges::count(hits.steps, 1'100) == 1);
  EXPECT_TRUE(std::ranges::count(hits.steps, 1'101) == 1) << "the first one had raised the average";
}

TEST(PublishedRules, HostileValuesEndInAnAnswer) {
  const std::vector<double> values = {kNan, HUGE_VAL, -HUGE_VAL, 1e308, 1e308, -1e308, 0, 5e-324, -0.0};
  std::vector<double> many;
  for (int i = 0; i < 300; ++i) many.insert(many.end(), values.begin(), values.end());
  for (const PublishedRuleInfo& info : publishedRules()) EXPECT_EQ(hitsOf(info.rule, many).points, static_cast<std::int64_t>(many.size()));
}

}  // namespace
}  // namespace runglass
