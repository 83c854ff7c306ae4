// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/loss_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "analysis/loss_health/loss_health.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

struct Points {
  std::vector<std::int64_t> steps;
  std::vector<double> loss, grad;
};

class LossWatchTest : public testing::Test {
 protected:
  void SetUp() override { open("s.rgl"); }
  void open(const std::string& name) {
    reader.reset();
    writer.reset();
    writer = openStore(folder.file(name)).writer().value();
    run = writer->run({.name = "r", .start = kStoreStart});
    reader = openStore(folder.file(name)).reader().value();
  }
  AttemptId attempt(const std::string& key, std::int32_t world = 8) {
    Attempt one{.run = run, .key = key};
    one.layout.world = world;
    return writer->attempt(one);
  }
  SeriesId series(AttemptId in, const std::string& tag) {
    return writer->series({.attempt = in, .metric = tag, .kind = SeriesKind::kScalar});
  }
  void add(SeriesId to, const std::vector<std::int64_t>& steps, const std::vector<double>& values) {
    std::vector<TimeNs> times;
    for (const std::int64_t step : steps) times.push_back(kStoreStart + step * kNsPerSecond);
    writer->scalars(to, steps, times, values);
  }
  // Spikes of all sorts, NaN, and a drift.
  static Points eventful(std::uint64_t seed, std::int64_t from, std::int64_t to, std::int64_t stride = 1, double worse = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Points points;
    int high = 0;
    for (std::int64_t step = from; step < to; step += stride) {
      if (high == 0 && random() % 200 == 0) high = static_cast<int>(random() % 4 == 0 ? 60 : 1 + random() % 14);
      const double times = high > 0 ? 1.4 : 1;
      high -= high > 0 ? 1 : 0;
      const double value = (2 + 6 / std::sqrt(1 + static_cast<double>(step) / 20)) * times * worse * (1 + 0.01 * normal(random));
      points.steps.push_back(step);
      points.loss.push_back(random() % 400 == 0 ? std::numeric_limits<double>::quiet_NaN() : value);
      points.grad.push_back(0.5 * (times > 1 ? 3 : 1) * (1 + 0.05 * std::abs(normal(random))));
    }
    return points;
  }
  std::vector<Finding> look(Analysis& analysis, std::optional<TimeNs> now = {}) {
    auto found = analysis.look({.reader = *reader, .run = run, .now = now, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<Finding>{};
  }
  static std::vector<std::string> words(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const Finding& one : findings)
      all.push_back(one.kind + "|" + one.subject + "|" + std::to_string(one.first_step.value_or(-1)) + "|" + severityName(one.severity) +
                    "|" + one.summary + "|" + one.evidence + "|" + std::to_string(one.start.value_or(-1)) + "|" +
                    std::to_string(one.end.value_or(-1)));
    return all;
  }

  test::TempFolder folder;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Reader> reader;
  RunId run;
};

TEST_F(LossWatchTest, PiecesGiveTheFindingsOfTheWhole) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    open("p" + std::to_string(seed) + ".rgl");
    const Points points = eventful(seed, 0, 3'000);
    const AttemptId only = attempt("a");
    const SeriesId loss = series(only, "lm loss"), grad = series(only, "grad norm");
    std::mt19937_64 random(seed);
    const auto live = makeLossHealth();
    for (std::size_t at = 0; at < points.steps.size();) {
      const std::size_t end = std::min(points.steps.size(), at + 1 + random() % 700);
      const auto part = [&](const std::vector<double>& of) {
        return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(at), of.begin() + static_cast<std::ptrdiff_t>(end));
      };
      const std::vector<std::int64_t> steps(points.steps.begin() + static_cast<std::ptrdiff_t>(at),
                                            points.steps.begin() + static_cast<std::ptrdiff_t>(end));
      add(loss, steps, part(points.loss));
      add(grad, steps, part(points.grad));
      ASSERT_TRUE(writer->flush().ok());
      look(*live, kStoreStart + points.steps[end - 1] * kNsPerSecond);
      at = end;
    }
    const std::vector<Finding> in_pieces = look(*live), whole = look(*makeLossHealth());
    EXPECT_GT(whole.size(), 3U);
    EXPECT_EQ(words(in_pieces), words(whole)) << "seed " << seed;
  }
}

TEST_F(LossWatchTest, WhatWasSaidOfAStepKeepsItsIdentityWhileTheRunGoesOn) {
  const Points points = eventful(11, 0, 2'000);
  const SeriesId loss = series(attempt("a"), "loss");
  const auto live = makeLossHealth();
  std::vector<std::tuple<std::string, std::string, std::int64_t>> said;
  for (std::size_t at = 0; at < points.steps.size(); ++at) {
    add(loss, {points.steps[at]}, {points.loss[at]});
    if (at % 5 != 4) continue;
    ASSERT_TRUE(writer->flush().ok());
    std::vector<std::tuple<std::string, std::string, std::int64_t>> now;
    for (const Finding& one : look(*live, kStoreStart)) now.emplace_back(one.kind, one.subject, *one.first_step);
    for (const auto& before : said) EXPECT_TRUE(std::ranges::count(now, before) == 1) << std::get<2>(before) << " at point " << at;
    said = now;
  }
  EXPECT_GT(said.size(), 2U);
}

TEST_F(LossWatchTest, PointsThatComeLateAreJudgedInTheirPlace) {
  const Points points = eventful(4, 0, 2'000);
  const SeriesId loss = series(attempt("a"), "loss");
  const auto half = [&](std::size_t which) {
    Points some;
    for (std::size_t i = 0; i < points.steps.size(); ++i)
      if ((points.steps[i] < 1'000) == (which == 1)) some.steps.push_back(points.steps[i]), some.loss.push_back(points.loss[i]);
    return some;
  };
  const Points late = half(1), early = half(0);
  const auto live = makeLossHealth();
  add(loss, early.steps, early.loss);
  ASSERT_TRUE(writer->flush().ok());
  look(*live, kStoreStart);
  add(loss, late.steps, late.loss);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(words(look(*live)), words(look(*makeLossHealth())));
}

TEST_F(LossWatchTest, AGradientNormThatIsLoggedLaterIsUsedFromThenOn) {
  const Points points = eventful(7, 0, 2'500);
  const AttemptId only = attempt("a");
  const SeriesId loss = series(only, "loss");
  add(loss, {points.steps.begin(), points.steps.begin() + 500}, {points.loss.begin(), points.loss.begin() + 500});
  ASSERT_TRUE(writer->flush().ok());
  const auto live = makeLossHealth();
  look(*live, kStoreStart);
  add(loss, {points.steps.begin() + 500, points.steps.end()}, {points.loss.begin() + 500, points.loss.end()});
  add(series(only, "grad_norm"), points.steps, points.grad);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(words(look(*live)), words(look(*makeLossHealth())));
}

TEST_F(LossWatchTest, ASpikeThatWasRewoundStaysReported) {
  const SeriesId first = series(attempt("a"), "loss");
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  for (std::int64_t step = 0; step < 1'000; ++step) steps.push_back(step), values.push_back(step >= 900 ? 3.5 : 2 + 0.01 * (step % 5));
  add(first, steps, values);
  ASSERT_TRUE(writer->flush().ok());
  const auto live = makeLossHealth();
  ASSERT_EQ(look(*live, kStoreStart).size(), 1U);
  const SeriesId second = series(attempt("b"), "loss");
  steps.clear(), values.clear();
  for (std::int64_t step = 800; step < 1'500; ++step) steps.push_back(step), values.push_back(2 + 0.01 * static_cast<double>(step % 5));
  add(second, steps, values);
  ASSERT_TRUE(writer->flush().ok());
  const auto findings = look(*live, kStoreStart);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].first_step, 900);
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_NE(findings[0].evidence.find("\"superseded_from\":800"), std::string::npos) << findings[0].evidence;
  EXPECT_TRUE(findings[0].end.has_value()) << "its attempt is over";
}

TEST_F(LossWatchTest, ALossThatIsWorseAfterARestartIsADivergenceAndAnotherWorldSizeMakesItInfo) {
  for (const std::int32_t world : {8, 16}) {
    open("w" + std::to_string(world) + ".rgl");
    const SeriesId before = series(attempt("a", 8), "loss"), after = series(attempt("b", world), "loss");
    for (const auto& [to, from, end, level] : {std::tuple{before, 0, 1'000, 2.0}, std::tuple{after, 950, 1'200, 2.2}}) {
      std::vector<std::int64_t> steps;
      std::vector<double> values;
      for (std::int64_t step = from; step < end; ++step)
        steps.push_back(step), values.push_back(level + 0.002 * static_cast<double>(step % 7));
      add(to, steps, values);
    }
    ASSERT_TRUE(writer->flush().ok());
    const auto findings = look(*makeLossHealth());
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].kind, "loss_divergence");
    EXPECT_EQ(findings[0].subject, "attempt:1 restart");
    EXPECT_EQ(findings[0].first_step, 950);
    EXPECT_EQ(findings[0].severity, world == 8 ? Severity::kWarning : Severity::kInfo) << findings[0].summary;
  }
}

TEST_F(LossWatchTest, ARunThatBeginsAnewIsNotComparedWithTheOneBefore) {
  for (const char* key : {"a", "b"}) {
    const SeriesId loss = series(attempt(key), "loss");
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    for (std::int64_t step = 0; step < 300; ++step) steps.push_back(step), values.push_back(*key == 'a' ? 2.0 : 4.0);
    add(loss, steps, values);
  }
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_TRUE(look(*makeLossHealth()).empty());
}

TEST_F(LossWatchTest, SpikesOfValidationAndAuxiliaryLossesAreLeftAlone) {
  const AttemptId only = attempt("a");
  Points points = eventful(2, 0, 2'000);
  for (double& value : points.loss)
    if (std::isnan(value)) value = 3;
  add(series(only, "validation loss"), points.steps, points.loss);
  add(series(only, "moe_aux_loss"), points.steps, points.loss);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_TRUE(look(*makeLossHealth()).empty());
}

TEST_F(LossWatchTest, EveryLossIsWatchedForNaN) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [tag, severity] : {std::pair("critic/vf_loss", Severity::kCritical), std::pair("actor/pg_loss", Severity::kCritical),
                                      std::pair("train/perplexity", Severity::kCritical), std::pair("nll", Severity::kCritical),
                                      std::pair("val_loss", Severity::kWarning)}) {
    open(std::string("s") + std::to_string(std::string(tag).size()) + ".rgl");
    const AttemptId only = attempt("a");
    const SeriesId loss = series(only, tag);
    const auto live = makeLossHealth();
    std::int64_t step = 0;
    for (; step < 300; ++step) add(loss, {step}, {2.0});
    ASSERT_TRUE(writer->flush().ok());
    EXPECT_TRUE(look(*live, kStoreStart).empty()) << tag;
    add(loss, {step++}, {kNan});
    ASSERT_TRUE(writer->flush().ok());
    auto found = look(*live, kStoreStart);
    ASSERT_EQ(found.size(), 1U) << tag << ": at the first line";
    EXPECT_EQ(found[0].kind, "non_finite");
    EXPECT_EQ(found[0].first_step, 300);
    for (; step < 315; ++step) add(loss, {step}, {kNan});
    ASSERT_TRUE(writer->flush().ok());
    found = look(*live, kStoreStart);
    ASSERT_EQ(found.size(), 1U) << tag;
    EXPECT_EQ(found[0].severity, severity) << tag << ": " << found[0].summary;
    EXPECT_EQ(found[0].start, kStoreStart + 300 * kNsPerSecond);
    EXPECT_EQ(words(found), words(look(*makeLossHealth(), kStoreStart))) << "in pieces as in one";
  }
}

TEST_F(LossWatchTest, TheFirstRankOfALossThatEveryRankLogsIsNamed) {
  const AttemptId only = attempt("a");
  std::vector<double> finite(20, 2.0);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step < 20; ++step) steps.push_back(step);
  add(series(only, "loss"), steps, finite);
  for (const std::int32_t rank : {0, 1, 2, 3}) {
    std::vector<double> values = finite;
    for (std::size_t step = rank == 2 ? 16 : 17; step < values.size(); ++step) values[step] = std::numeric_limits<double>::infinity();
    add(writer->series({.attempt = only, .rank = rank, .metric = "loss", .kind = SeriesKind::kScalar}), steps, values);
  }
  ASSERT_TRUE(writer->flush().ok());
  const auto found = look(*makeLossHealth());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first_step, 16);
  EXPECT_NE(found[0].summary.find("first on rank 2"), std::string::npos) << found[0].summary;
}

TEST_F(LossWatchTest, ALossThatIsLoggedLaterIsWatchedToo) {
  const AttemptId only = attempt("a");
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step < 500; ++step) steps.push_back(step);
  add(series(only, "loss"), steps, std::vector<double>(500, 2.0));
  ASSERT_TRUE(writer->flush().ok());
  const auto live = makeLossHealth();
  for (int i = 0; i < 21; ++i) EXPECT_TRUE(look(*live, kStoreStart).empty());
  add(series(only, "critic/loss"), {499}, {std::numeric_limits<double>::quiet_NaN()});
  ASSERT_TRUE(writer->flush().ok());
  std::vector<Finding> found;
  for (int i = 0; i < 16 && found.empty(); ++i) found = look(*live, kStoreStart);
  EXPECT_EQ(found.size(), 1U);
}

TEST_F(LossWatchTest, RewardsBesideTheLossMakeEverythingInfo) {
  const AttemptId only = attempt("a");
  const Points points = eventful(2, 0, 2'000);
  add(series(only, "train/loss"), points.steps, points.loss);
  add(series(only, "train/chosen_rewards"), points.steps, points.grad);
  ASSERT_TRUE(writer->flush().ok());
  const auto findings = look(*makeLossHealth());
  EXPECT_FALSE(findings.empty());
  for (const Finding& one : findings) EXPECT_EQ(one.severity, Severity::kInfo) << one.summary;
}

TEST_F(LossWatchTest, ALossThatIsLoggedLateIsFoundWithinSixteenLooks) {
  const AttemptId only = attempt("a");
  add(series(only, "lr"), {0}, {1e-4});
  ASSERT_TRUE(writer->flush().ok());
  const auto live = makeLossHealth();
  for (int i = 0; i < 21; ++i) EXPECT_TRUE(look(*live, kStoreStart).empty());
  const Points points = eventful(3, 0, 2'000);
  add(series(only, "loss"), points.steps, points.loss);
  ASSERT_TRUE(writer->flush().ok());
  std::vector<Finding> found;
  for (int i = 0; i < 16 && found.empty(); ++i) found = look(*live, kStoreStart);
  EXPECT_EQ(words(found), words(look(*makeLossHealth())));
  EXPECT_FALSE(found.empty());
}

TEST_F(LossWatchTest, AnEmptyRunAndAStopAreAnswered) {
  EXPECT_TRUE(look(*makeLossHealth()).empty());
  const Points points = eventful(2, 0, 100);
  add(series(attempt("a"), "loss"), points.steps, points.loss);
  ASSERT_TRUE(writer->flush().ok());
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = makeLossHealth()->look({.reader = *reader, .run = run, .now = {}, .stop = stop.get_token()});
  EXPECT_EQ(cancelled.status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace runglass
