// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"

#include <gtest/gtest.h>

#include "analysis/engine/analysis.h"

namespace runglass {
namespace {

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;

Label label(const char* kind, std::optional<std::int32_t> rank, DurNs begin, DurNs end) {
  return {.kind = kind, .rank = rank, .start = kT + begin * kNsPerSecond, .end = kT + end * kNsPerSecond};
}
Finding finding(const char* kind, std::optional<std::int32_t> rank, DurNs begin, Severity severity = Severity::kWarning) {
  Finding one;
  one.kind = kind, one.rank = rank, one.start = kT + begin * kNsPerSecond, one.end = *one.start + 10 * kNsPerSecond,
  one.severity = severity;
  return one;
}

TEST(ScoreTest, CountsHitsMissesAndFalseAlarms) {
  const std::vector<Label> labels = {label("hang", 3, 0, 100), label("thermal_throttle", {}, 0, 50)};
  const std::vector<Finding> findings = {finding("hang", 3, 20), finding("hang", 4, 20), finding("hang", 3, 500)};
  const auto scores = scoreFindings(findings, labels);
  EXPECT_EQ(scores.at("hang").hits, 1);
  EXPECT_EQ(scores.at("hang").false_alarms, 2) << "the wrong rank, and the wrong time";
  EXPECT_EQ(scores.at("thermal_throttle").misses, 1);
}

TEST(ScoreTest, FindsALabelUnderAnotherNameAndDoesNotBlameWhatFollows) {
  const std::vector<Label> labels = {label("xid", 3, 0, 100), label("nan", {}, 0, 100)};
  const std::vector<Finding> findings = {finding("hardware_fault", 3, 1), finding("hang", {}, 30),
                                         finding("stall", {}, 900, Severity::kInfo)};
  const auto scores = scoreFindings(findings, labels);
  EXPECT_EQ(scores.at("xid").hits, 1);
  EXPECT_EQ(scores.at("nan").misses, 1);
  EXPECT_EQ(scores.at("hang").explained, 1);
  EXPECT_EQ(scores.at("hang").false_alarms, 0);
  EXPECT_EQ(scores.at("stall").info, 1);
  EXPECT_EQ(scores.at("stall").false_alarms, 0);
}

TEST(ScoreTest, ACalmRunHasOnlyFalseAlarms) {
  const std::vector<Finding> findings = {finding("hang", {}, 0)};
  EXPECT_EQ(scoreFindings(findings, {}).at("hang").false_alarms, 1);
}

TEST(RegistryTest, NamesAreUniqueAndEveryAnalysisIsMade) {
  std::map<std::string_view, int> names;
  for (const AnalysisEntry& entry : analyses()) {
    EXPECT_EQ(++names[entry.name], 1);
    EXPECT_NE(entry.make(), nullptr);
  }
  EXPECT_GE(names.size(), 2U);
}

}  // namespace
}  // namespace runglass
