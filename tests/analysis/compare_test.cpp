// SPDX-License-Identifier: Apache-2.0
// Comparing two stretches of training: parts whose differences add up, noise that is not a difference, regimes that are not comparable.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "analysis/compare/read_comparison.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMs = 1e6;

// Ranks with `steps` steps of 1,000 ms ± 1 ms; `extra` is rank 0's own work, for which the others wait.
CompareSide side(int ranks, int steps, double extra_ms) {
  CompareSide out;
  for (int r = 0; r < ranks; ++r) {
    RankMeans rank{.rank = r, .node = "n" + std::to_string(r / 2), .waits_reported = true};
    for (int s = 0; s < steps; ++s) {
      const double dur = (1'000 + (s % 2 == 0 ? 1 : -1) + extra_ms) * kMs;
      ++rank.steps, rank.sum_ns += dur;
      auto& sum = out.by_step[100 + s];
      sum.first += dur, ++sum.second;
      const double work = 600 * kMs + (r == 0 ? extra_ms * kMs : 0);
      rank.parts_ns["forward"] += work;
      rank.parts_ns["communication"] += 100 * kMs;
      rank.parts_ns["communication wait"] += dur - work - 150 * kMs;
      rank.waited_ns += dur - work - 150 * kMs;
    }
    out.ranks.push_back(std::move(rank));
  }
  out.regime = {.world = ranks, .global_batch = 512, .sequence = 2'048};
  return out;
}

TEST(Comparison, DifferencesOfPartsAndRemainderSumToThatOfTheMeans) {
  const Comparison c = compareSides(side(8, 100, 0), side(8, 77, 40));
  ASSERT_TRUE(c.delta_ns);
  EXPECT_NEAR(*c.delta_ns, 40 * kMs, 0.1 * kMs);
  const double sum =
      std::accumulate(c.parts.begin(), c.parts.end(), 0.0, [](double all, const PartDelta& part) { return all + part.delta_ns(); });
  EXPECT_NEAR(sum, *c.delta_ns, 1);
  EXPECT_EQ(c.parts.front().part, "communication wait");
  EXPECT_TRUE(c.differs());
}
TEST(Comparison, ThePartThatGrewIsOthersWaitingButTheWorkNamesTheRank) {
  const Comparison c = compareSides(side(8, 100, 0), side(8, 100, 40));
  EXPECT_EQ(c.ranks.front().rank, 0);
  EXPECT_EQ(c.nodes.front().node, "n0");
  const std::string said = words::english(comparisonSentence(c, {"attempt 0", "attempt 0"}, {"attempt 1", "attempt 1"}));
  EXPECT_THAT(said, HasSubstr("attempt 1 is 4.0 % slower than attempt 0"));
  EXPECT_THAT(said, HasSubstr("own work of rank 0 on n0 is"));
}
TEST(Comparison, ADifferenceWithinTheNoiseIsNone) {
  const Comparison c = compareSides(side(4, 100, 0), side(4, 100, 0.05));
  EXPECT_FALSE(c.differs());
  EXPECT_THAT(words::english(comparisonSentence(c, {"A", "A"}, {"B", "B"})), HasSubstr("No difference beyond the noise"));
}
TEST(Comparison, AnotherWorldOrBatchIsComparedPerTokenAndWarnedOf) {
  CompareSide b = side(8, 100, 0);
  b.regime.global_batch = 1'024;
  const Comparison c = compareSides(side(4, 100, 0), b);
  ASSERT_EQ(c.warnings.size(), 2);
  EXPECT_THAT(c.warnings[0].english, HasSubstr("world size 4 → 8"));
  EXPECT_THAT(c.warnings[1].english, HasSubstr("global batch size 512 → 1024"));
  ASSERT_TRUE(c.token_a_ns && c.token_b_ns);
  EXPECT_NEAR(*c.token_b_ns / *c.token_a_ns, 0.5, 1e-9);
  EXPECT_THAT(words::english(comparisonSentence(c, {"A", "A"}, {"B", "B"})), HasSubstr("50.0 % less time per token"));
}
TEST(Comparison, ADifferencePerTokenWithinTheNoiseIsNone) {
  CompareSide a = side(8, 100, 0), b = side(8, 100, 0.01);
  b.regime.world = 16;
  const std::string said = words::english(comparisonSentence(compareSides(a, b), {"A", "A"}, {"B", "B"}));
  EXPECT_THAT(said, HasSubstr("No difference per token beyond the noise"));
}
TEST(Comparison, WithoutBatchAndLengthThereIsNoComparisonPerToken) {
  CompareSide b = side(8, 100, 0);
  b.regime.sequence.reset();
  const Comparison c = compareSides(side(4, 100, 0), b);
  EXPECT_FALSE(c.token_b_ns);
  EXPECT_THAT(c.warnings.back().english, HasSubstr("no comparison per token"));
  EXPECT_THAT(words::english(comparisonSentence(c, {"A", "A"}, {"B", "B"})), HasSubstr("not comparable"));
}
TEST(Comparison, ASideWithoutStepsIsSaidAndNotZero) {
  const Comparison c = compareSides(side(2, 20, 0), {});
  EXPECT_FALSE(c.mean_b_ns);
  EXPECT_FALSE(c.delta_ns);
  EXPECT_TRUE(c.parts.empty());
  EXPECT_THAT(words::english(comparisonSentence(c, {"A", "A"}, {"B", "B"})), HasSubstr("B has no steady steps"));
  EXPECT_FALSE(compareSides({}, {}).delta_ns);
}
TEST(Comparison, OneSideWithoutPartsLeavesPartsAbsentButNotTheStep) {
  CompareSide b = side(4, 50, 10);
  for (RankMeans& rank : b.ranks) rank.parts_ns.clear();
  const Comparison c = compareSides(side(4, 50, 0), b);
  EXPECT_FALSE(c.parts_reported);
  EXPECT_TRUE(c.parts.empty());
  EXPECT_NEAR(*c.delta_ns, 10 * kMs, 0.1 * kMs);
}
TEST(Comparison, NodesThatCameAndWentAreNamed) {
  CompareSide b = side(4, 20, 0);
  for (RankMeans& rank : b.ranks)
    if (rank.node == "n1") rank.node = "spare";
  const Comparison c = compareSides(side(4, 20, 0), b);
  EXPECT_THAT(c.nodes_in, ElementsAre("spare"));
  EXPECT_THAT(c.nodes_out, ElementsAre("n1"));
  EXPECT_FALSE(c.nodes.back().change());
}
TEST(Comparison, TooFewStepsMakeNoClaim) {
  EXPECT_THAT(words::english(comparisonSentence(compareSides(side(4, 3, 0), side(4, 3, 500)), {"A", "A"}, {"B", "B"})),
              HasSubstr("Too few steady steps"));
}

TEST(Comparison, OfTenStepsTheIntervalIsStudentsAndNotTheNormalOne) {
  CompareSide a, b;
  for (int s = 0; s < 10; ++s) a.by_step[s] = b.by_step[s] = {(100 + (s % 2 == 0 ? 3 : -3)) * kMs, 1};
  a.ranks = b.ranks = {{.rank = 0, .node = {}, .steps = 10, .sum_ns = 1'000 * kMs, .parts_ns = {}}};
  const Comparison c = compareSides(a, b);
  ASSERT_TRUE(c.low_ns && c.high_ns);
  // Welch: 18 degrees of freedom, t = 2.1009; the variance of a side is 9 * 10 / 9 ms².
  EXPECT_NEAR((*c.high_ns - *c.low_ns) / 2, 2.1009 * std::sqrt(2 * 10.0 / 10) * kMs, 0.002 * kMs);
}
TEST(FactDiff, OptionsOfTheCommandLineAndVariablesThatDifferAreNamed) {
  const std::vector<Fact> a = {
      {.key = "argv", .value = "train.py --lr 3e-4 --bf16"}, {.key = "NCCL_IB_TIMEOUT", .value = "22"}, {.key = "hostname", .value = "x"}};
  const std::vector<Fact> b = {{.key = "argv", .value = "train.py --lr 1e-4 --bf16 --zero 1"},
                               {.key = "NCCL_IB_TIMEOUT", .value = "22"},
                               {.key = "hostname", .value = "y"}};
  const auto diff = differentFacts(a, b);
  ASSERT_EQ(diff.size(), 2U);
  EXPECT_EQ(diff[0].key, "lr");
  EXPECT_EQ(diff[0].b, "1e-4");
  EXPECT_EQ(diff[1].key, "zero");
  EXPECT_FALSE(diff[1].a);
}
TEST(FactDiff, ANodeWithAnotherVersionShowsBothValues) {
  const NodeId one{1}, two{2};
  const std::vector<Fact> a = {{.node = one, .key = "driver_version", .value = "550"},
                               {.node = two, .key = "driver_version", .value = "550"}};
  const std::vector<Fact> b = {{.node = one, .key = "driver_version", .value = "550"},
                               {.node = two, .key = "driver_version", .value = "535"}};
  const auto diff = differentFacts(a, b);
  ASSERT_EQ(diff.size(), 1U);
  EXPECT_EQ(diff[0].a, "550");
  EXPECT_EQ(diff[0].b, "535 | 550");
}
TEST(FactDiff, SecretsThatDifferAreNotShown) {
  const std::vector<Fact> a = {{.key = "argv", .value = "t --api-key abc"}, {.rank = 1, .key = "MY_TOKEN", .value = "abc"}};
  const std::vector<Fact> b = {{.key = "argv", .value = "t --api-key def"}, {.rank = 1, .key = "MY_TOKEN", .value = "def"}};
  for (const FactDelta& fact : differentFacts(a, b)) {
    EXPECT_THAT(fact.a.value_or(""), Not(HasSubstr("abc"))) << fact.key;
    EXPECT_THAT(fact.b.value_or(""), Not(HasSubstr("def"))) << fact.key;
  }
}

class ComparisonOfAStore : public ::testing::Test {
 protected:
  // Two attempts of 100 steps; the second is 10 % slower, its steps 50 to 59 evaluate and take three times as long.
  void fill() {
    auto opened = openStore(m_folder.file("s.rgl")).writer();
    ASSERT_TRUE(opened.ok());
    Writer& w = **opened;
    const NodeId node = w.node({.uuid = "u", .name = "n0"});
    m_run = w.run({.name = "r/1"});
    for (int number = 0; number < 2; ++number) {
      const AttemptId attempt = w.attempt({.run = m_run, .key = std::to_string(number), .layout = {.world = 2}});
      w.fact({.attempt = attempt, .key = "argv", .value = number == 0 ? "t --lr 1" : "t --lr 2"});
      const SeriesId loss = w.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
      for (std::int64_t s = 1; s <= 100; ++s) w.scalar(loss, s, kStoreStart + s, number == 0 ? 2.0 : 2.5);
      for (std::int32_t rank = 0; rank < 2; ++rank) {
        w.rank({.attempt = attempt, .rank = rank, .node = node});
        const SeriesId time =
            w.series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
        const SeriesId phase = w.series({.attempt = attempt, .rank = rank, .metric = "step_phase", .kind = SeriesKind::kScalar});
        const SeriesId part = w.series({.attempt = attempt,
                                        .rank = rank,
                                        .metric = "step_part_ns",
                                        .labels = R"({"part":"forward"})",
                                        .unit = "ns",
                                        .kind = SeriesKind::kScalar});
        for (std::int64_t s = 1; s <= 100; ++s) {
          const bool evaluates = number == 1 && s >= 50 && s < 60;
          const double dur = (number == 0 ? 100 : 110) * (evaluates ? 3 : 1) * kMs * (s == 1 ? 50 : 1);
          w.scalar(time, s, kStoreStart + s, s == 7 ? std::nan("") : dur);
          w.scalar(phase, s, kStoreStart + s, evaluates ? 3 : 2);
          w.scalar(part, s, kStoreStart + s, dur / 2);
        }
      }
    }
    ASSERT_TRUE(w.close().ok());
    auto reader = openStore(m_folder.file("s.rgl")).reader();
    ASSERT_TRUE(reader.ok());
    m_reader = std::move(*reader);
  }
  test::TempFolder m_folder;
  RunId m_run;
  std::unique_ptr<Reader> m_reader;
};

TEST_F(ComparisonOfAStore, EvaluationsAndTheFirstStepDoNotCount) {
  fill();
  const auto answer = readComparison(*m_reader, {.a = {{}, 0}, .b = {{}, 1}, .at_step = {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  const Comparison& c = answer->comparison;
  EXPECT_NEAR(*c.mean_a_ns, 100 * kMs, 1);
  EXPECT_NEAR(*c.mean_b_ns, 110 * kMs, 1);
  EXPECT_EQ(c.steps_a, 98);
  EXPECT_EQ(c.steps_b, 88);
  ASSERT_EQ(c.parts.size(), 2U);
  EXPECT_NEAR(c.parts[0].delta_ns(), 5 * kMs, 1);
  EXPECT_TRUE(c.work_is_whole_step);
  ASSERT_EQ(answer->scalars.size(), 1U);
  EXPECT_EQ(answer->scalars[0].common, 100);
  EXPECT_DOUBLE_EQ(answer->scalars[0].last_delta, 0.5);
  ASSERT_EQ(answer->facts.size(), 1U);
  EXPECT_EQ(answer->facts[0].key, "lr");
}
TEST_F(ComparisonOfAStore, AHangThatRecoveredHidesNoDifference) {
  auto writer = openStore(m_folder.file("s.rgl")).writer().value();
  const RunId run = writer->run({.name = "r"});
  for (int number = 0; number < 2; ++number) {
    const AttemptId attempt = writer->attempt({.run = run, .key = std::to_string(number)});
    const SeriesId time =
        writer->series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t s = 0; s < 20; ++s)
      writer->scalar(time, s, std::nullopt, number == 1 && s == 9 ? 575'000 * kMs : (1'300 + 40 * number + s % 2) * kMs);
  }
  ASSERT_TRUE(writer->close().ok());
  const auto reader = openStore(m_folder.file("s.rgl")).reader().value();
  const auto answer = readComparison(*reader, {.a = {run, 0}, .b = {run, 1}, .at_step = {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->comparison.steps_b, 18) << "the first step and the stalled one are left out";
  EXPECT_NEAR(*answer->comparison.delta_ns, 40 * kMs, kMs);
  EXPECT_THAT(answer->sentence.english, HasSubstr("3.1 % slower")) << answer->sentence.english;
}
TEST_F(ComparisonOfAStore, BeforeAndAfterAStepAreTwoSidesOfOneAttempt) {
  fill();
  const auto answer = readComparison(*m_reader, {.a = {m_run, 0}, .b = {}, .at_step = 41}, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->a.by_step.rbegin()->first, 40);
  EXPECT_EQ(answer->b.by_step.begin()->first, 41);
  EXPECT_FALSE(answer->comparison.differs());
}
TEST_F(ComparisonOfAStore, ARunIsFoundByIdOrNameEvenWithASlashInIt) {
  fill();
  EXPECT_FALSE(chooseSide(*m_reader, "r/1")->attempt);
  EXPECT_EQ(chooseSide(*m_reader, "r/1/0")->attempt, 0);
  EXPECT_EQ(chooseSide(*m_reader, std::to_string(m_run.value) + "/1")->attempt, 1);
  EXPECT_EQ(chooseSide(*m_reader, "nobody").status().code(), Code::kNotFound);
  EXPECT_EQ(readComparison(*m_reader, {.a = {m_run, 9}, .b = {}, .at_step = {}}, {}).status().code(), Code::kNotFound);
}
TEST_F(ComparisonOfAStore, ScalarsOfOneNameArePairedByTheirLabels) {
  auto opened = openStore(m_folder.file("s.rgl")).writer();
  ASSERT_TRUE(opened.ok());
  Writer& w = **opened;
  const RunId run = w.run({.name = "r"});
  for (int number = 0; number < 2; ++number) {
    const AttemptId attempt = w.attempt({.run = run, .key = std::to_string(number)});
    for (const char* layer : {R"({"layer":"0"})", R"({"layer":"1"})"}) {
      const SeriesId norm = w.series({.attempt = attempt, .metric = "grad_norm", .labels = layer, .kind = SeriesKind::kScalar});
      for (std::int64_t s = 1; s <= 20; ++s) w.scalar(norm, s, kStoreStart + s, layer[10] == '0' ? 1.0 : 2.0);
    }
    // The only series of its name on either side: it matches whatever its labels are.
    const SeriesId loss = w.series(
        {.attempt = attempt, .metric = "loss", .labels = number == 0 ? "" : R"({"canonical":"loss"})", .kind = SeriesKind::kScalar});
    for (std::int64_t s = 1; s <= 20; ++s) w.scalar(loss, s, kStoreStart + s, 3.0);
  }
  ASSERT_TRUE(w.close().ok());
  auto reader = openStore(m_folder.file("s.rgl")).reader();
  ASSERT_TRUE(reader.ok());
  const auto answer = readComparison(**reader, {.a = {run, 0}, .b = {run, 1}, .at_step = {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->scalars.size(), 3U);
  std::vector<std::string> tags;
  for (const ScalarPair& pair : answer->scalars) {
    EXPECT_DOUBLE_EQ(pair.last_delta, 0) << pair.tag;
    tags.push_back(pair.tag);
  }
  EXPECT_THAT(tags, ::testing::UnorderedElementsAre("loss", R"(grad_norm {"layer":"0"})", R"(grad_norm {"layer":"1"})"));
}
TEST_F(ComparisonOfAStore, OfManyScalarsTheLossIsReadFirstAndTheRestIsCounted) {
  auto opened = openStore(m_folder.file("s.rgl")).writer();
  ASSERT_TRUE(opened.ok());
  Writer& w = **opened;
  const RunId run = w.run({.name = "r"});
  for (int number = 0; number < 2; ++number) {
    const AttemptId attempt = w.attempt({.run = run, .key = std::to_string(number)});
    for (std::size_t i = 0; i <= kMaxScalars + 5; ++i) {
      const std::string tag = i <= kMaxScalars + 4 ? "aux/" + std::to_string(i) : "loss";
      const SeriesId one = w.series({.attempt = attempt, .metric = tag, .kind = SeriesKind::kScalar});
      w.scalar(one, 1, kStoreStart, 1.0);
    }
  }
  ASSERT_TRUE(w.close().ok());
  auto reader = openStore(m_folder.file("s.rgl")).reader();
  ASSERT_TRUE(reader.ok());
  const auto answer = readComparison(**reader, {.a = {run, 0}, .b = {run, 1}, .at_step = {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->scalars.size(), kMaxScalars);
  EXPECT_EQ(answer->scalars.front().tag, "loss");
  EXPECT_EQ(answer->scalars_left_out, 6U);
}
TEST_F(ComparisonOfAStore, ASpikeOfOneStepStaysInACurveOfManyPoints) {
  auto opened = openStore(m_folder.file("s.rgl")).writer();
  ASSERT_TRUE(opened.ok());
  Writer& w = **opened;
  const RunId run = w.run({.name = "r"});
  for (int number = 0; number < 2; ++number) {
    const AttemptId attempt = w.attempt({.run = run, .key = std::to_string(number)});
    const SeriesId loss = w.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
    std::vector<std::int64_t> steps(10'000);
    std::iota(steps.begin(), steps.end(), 1);
    std::vector<double> values(steps.size(), 2.0);
    values[static_cast<std::size_t>(number == 0 ? 5'002 : 7'001)] = 9;
    w.scalars(loss, steps, {}, values);
  }
  ASSERT_TRUE(w.close().ok());
  auto reader = openStore(m_folder.file("s.rgl")).reader();
  ASSERT_TRUE(reader.ok());
  const auto answer = readComparison(**reader, {.a = {run, 0}, .b = {run, 1}, .at_step = {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  const ScalarPair& pair = answer->scalars.at(0);
  EXPECT_EQ(pair.common, 10'000);
  EXPECT_LE(pair.step.size(), kCurvePoints);
  EXPECT_TRUE(std::ranges::is_sorted(pair.step));
  EXPECT_THAT(pair.a, ::testing::Contains(9));
  EXPECT_THAT(pair.b, ::testing::Contains(9));
}

}  // namespace
}  // namespace runglass
