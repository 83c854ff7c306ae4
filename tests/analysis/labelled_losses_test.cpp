// SPDX-License-Identifier: Apache-2.0
// Loss curves with known events: a falling power law with autocorrelated noise, logged at every, every 5th or every 10th step, with and
// without spikes. Measures how many spikes are found, and the findings on calm curves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <random>

#include "analysis/loss_health/loss_findings.h"

namespace runglass {
namespace {

struct Bump {
  std::int64_t step = 0, steps = 1;  // first step and length
  double times = 1;                  // the loss at its begin; it returns to the curve linearly
  bool contains(std::int64_t at) const { return at >= step && at < step + steps; }
};

struct CurveOf {
  std::uint64_t seed = 0;
  std::int64_t stride = 1;  // steps between two logged ones
  double noise = 0.01;      // standard deviation, relative
  double correlation = 0;   // between the noise of consecutive logged points
  std::size_t points = 2'000;
};

double powerLaw(std::int64_t step) { return 1.9 + 9.1 * std::pow(1 + static_cast<double>(step) / 40, -0.6); }

std::vector<LossFinding> findingsOf(const CurveOf& of, const std::vector<Bump>& bumps = {}) {
  WatchedAttempt attempt;
  attempt.newest = true;
  attempt.feeds[0] = {.role = Role::kLoss, .series = Series{}};
  std::mt19937_64 random(of.seed);
  std::normal_distribution<double> normal;
  double error = normal(random);
  for (std::size_t i = 1; i <= of.points; ++i) {
    const std::int64_t step = static_cast<std::int64_t>(i) * of.stride;
    error = of.correlation * error + std::sqrt(1 - of.correlation * of.correlation) * normal(random);
    double value = powerLaw(step) * std::exp(of.noise * error);
    for (const Bump& bump : bumps)
      if (bump.contains(step))
        value *= 1 + (bump.times - 1) * (1 - static_cast<double>(step - bump.step) / static_cast<double>(2 * bump.steps));
    attempt.health.loss(step, value);
  }
  return lossFindings(attempt);
}

// The most severe finding that begins in the bump; absent: none.
std::optional<Severity> foundAt(const std::vector<LossFinding>& findings, const Bump& bump) {
  std::optional<Severity> worst;
  for (const LossFinding& one : findings)
    if (one.finding.kind == "loss_spike" && one.finding.first_step <= bump.step + bump.steps && one.finding.last_step >= bump.step)
      worst = std::max(worst.value_or(one.finding.severity), one.finding.severity);
  return worst;
}

constexpr std::array<std::int64_t, 3> kStrides = {1, 5, 10};

TEST(LabelledLosses, SixOfSixSpikesOnAFallingCurveAreWarnings) {
  int found = 0, planted = 0;
  for (const std::int64_t stride : kStrides)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      // In logged points, so that each stride has the same decrease; lengths in steps.
      const auto at = [&](std::int64_t point) { return point * stride; };
      const std::vector<Bump> bumps = {{at(120), 4 * stride + 12, 1.5}, {at(300), 3 * stride + 10, 1.25}, {at(500), 12 * stride, 1.35},
                                       {at(800), 30 * stride, 1.1},     {at(1'100), 40 * stride, 2},      {at(1'500), 2 * stride + 12, 4}};
      const auto findings = findingsOf({.seed = seed, .stride = stride, .noise = 0.008, .correlation = 0.6}, bumps);
      for (const Bump& bump : bumps) {
        ++planted;
        const auto severity = foundAt(findings, bump);
        found += severity >= Severity::kWarning ? 1 : 0;
        EXPECT_GE(severity, Severity::kWarning) << "stride " << stride << ", seed " << seed << ", step " << bump.step;
      }
    }
  std::printf("spikes of +10 %% to +300 %%: %d of %d are warnings or worse\n", found, planted);
}

TEST(LabelledLosses, AHundredCalmCurvesRaiseNoWarning) {
  int warnings = 0, infos = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const CurveOf of{.seed = seed,
                     .stride = kStrides[seed % 3],
                     .noise = std::array{0.002, 0.005, 0.01, 0.03, 0.06}[seed / 3 % 5],
                     .correlation = std::array{0.0, 0.5, 0.8, 0.95}[seed / 15 % 4],
                     .points = 5'000};
    for (const LossFinding& one : findingsOf(of)) {
      ++(one.finding.severity >= Severity::kWarning ? warnings : infos);
      if (one.finding.severity >= Severity::kWarning) ADD_FAILURE() << "seed " << seed << ": " << one.finding.summary;
    }
  }
  std::printf("100 calm curves of 5,000 points: %d warnings, %d infos\n", warnings, infos);
  EXPECT_EQ(warnings, 0);
  EXPECT_LE(infos, 100);
}

TEST(LabelledLosses, ARiseBelowTheLimitIsReportedAsSuch) {
  int found = 0;
  for (const std::int64_t stride : kStrides)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Bump rise{1'000 * stride, 20 * stride, 1.15};
      const auto findings = findingsOf({.seed = seed, .stride = stride, .noise = 0.02, .correlation = 0.3}, {rise});
      const auto severity = foundAt(findings, rise);
      found += severity.has_value() ? 1 : 0;
      for (const LossFinding& one : findings)
        EXPECT_EQ(one.finding.severity >= Severity::kWarning, one.finding.evidence.find("below_limit") == std::string::npos)
            << one.finding.summary;
    }
  std::printf("rises of +15 %% in 2 %% noise: %d of 60 are reported\n", found);
  EXPECT_GE(found, 54);
}

// Short runs that are logged at every tenth step: 20 to 45 points of a curve that bends.
struct ShortCurve {
  double floor, above, half;  // value = floor + above x 2^(-step / half)
  double noise;
};
std::vector<LossFinding> findingsOfShort(const ShortCurve& of, std::uint64_t seed, std::size_t points,
                                         const std::optional<Bump>& bump = {}) {
  WatchedAttempt attempt;
  attempt.newest = true;
  attempt.feeds[0] = {.role = Role::kLoss, .series = Series{}};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 1; i <= points; ++i) {
    const std::int64_t step = static_cast<std::int64_t>(i) * 10;
    double value = (of.floor + of.above * std::exp2(-static_cast<double>(step) / of.half)) * std::exp(of.noise * normal(random));
    if (bump && bump->contains(step)) value *= bump->times;
    attempt.health.loss(step, value);
  }
  return lossFindings(attempt);
}
constexpr std::array<ShortCurve, 6> kShortCurves = {
    {{1.9, 9.1, 60, 0.005}, {2.2, 8.8, 20, 0.005}, {2.2, 8.8, 20, 0.02}, {2.5, 8.5, 60, 0.02}, {1.2, 10, 120, 0.01}, {4, 7, 200, 0.03}}};

TEST(LabelledLosses, SpikesOfShortRunsThatAreLoggedAtEveryTenthStepAreWarnings) {
  int found = 0, planted = 0;
  for (const ShortCurve& curve : kShortCurves)
    for (const std::int64_t at : {200, 400})
      for (const std::int64_t length : {1, 12, 30})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          const Bump bump{at, length, 3};
          const auto severity = foundAt(findingsOfShort(curve, seed, static_cast<std::size_t>(at / 10 + 5), bump), bump);
          ++planted;
          found += severity >= Severity::kWarning ? 1 : 0;
          EXPECT_GE(severity, Severity::kWarning) << "half-life " << curve.half << ", step " << at << ", length " << length;
        }
  std::printf("spikes of three times the loss in short runs: %d of %d are warnings or worse\n", found, planted);
}

TEST(LabelledLosses, AHundredCalmShortRunsRaiseNoWarning) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const LossFinding& one : findingsOfShort(kShortCurves[seed % kShortCurves.size()], seed, 20 + seed % 26))
      EXPECT_LT(one.finding.severity, Severity::kWarning) << "seed " << seed << ": " << one.finding.summary;
}

TEST(LabelledLosses, CalmLossesOfSingleBatchesWithHeavyTailsRaiseNoWarning) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    WatchedAttempt attempt;
    attempt.newest = true;
    attempt.feeds[0] = {.role = Role::kLoss, .series = Series{}};
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::bernoulli_distribution heavy(0.01);
    for (std::int64_t i = 1; i <= 1'000; ++i)
      attempt.health.loss(i * 10,
                          (2 + 2 * std::exp2(-static_cast<double>(i) / 40)) * (1 + 0.01 * normal(random)) * (heavy(random) ? 1.6 : 1));
    for (const LossFinding& one : lossFindings(attempt))
      EXPECT_LT(one.finding.severity, Severity::kWarning) << "seed " << seed << ": " << one.finding.summary;
  }
}

TEST(LabelledLosses, ABlipIsAtMostThreePointsAndFewerThanTenSteps) {
  for (const std::int64_t stride : kStrides)
    for (std::int64_t points = 1; points <= 4; ++points) {
      const Bump bump{1'000 * stride, points * stride, 3};
      const auto findings = findingsOf({.stride = stride, .noise = 0.005}, {bump});
      ASSERT_EQ(findings.size(), 1U);
      EXPECT_EQ(findings[0].finding.severity, points * stride >= kLastingSteps ? Severity::kWarning : Severity::kInfo)
          << points << " points of every " << stride << " steps";
    }
}

}  // namespace
}  // namespace runglass
