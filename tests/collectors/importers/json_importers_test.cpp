// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::importText;

const std::string kState = R"({"epoch": 1.0, "global_step": 20, "log_history": [
  {"epoch": 0.5, "loss": 2.5, "learning_rate": 1e-05, "step": 10, "remaining_time": "59h"},
  {"epoch": 1.0, "loss": NaN, "step": 20}, {"loss": 1.0}]})";

TEST(HfTrainerState, TurnsLogHistoryIntoScalarsWithoutInventingTimes) {
  const auto result = importText(kState);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "hf_trainer_state");
  const auto loss = result.recorder.scalarsOf("loss");
  EXPECT_EQ(loss.step, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(loss.value[0], 2.5);
  EXPECT_TRUE(std::isnan(loss.value[1])) << "Python's NaN is a value of the training";
  EXPECT_TRUE(loss.time.empty());
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kNone);
  EXPECT_EQ(result.recorder.scalarsOf("remaining_time").size(), 0U);
  EXPECT_EQ(result.recorder.issueCount("hf_trainer_state.no_step"), 1);
}

TEST(HfTrainerState, RecordsOnlyNewEntriesOfAFileWrittenAgain) {
  const auto result = importText(kState, {.resume_at = 1});
  EXPECT_EQ(result.recorder.scalarsOf("loss").step, std::vector<std::int64_t>{20});
  EXPECT_EQ(result.report.committed_offset, 3U);
}

TEST(HfTrainerState, KeepsItsIdentityWhileItGrows) {
  const std::string grown = R"({"epoch": 9.0, "global_step": 99, "log_history": [
  {"epoch": 0.5, "loss": 2.5, "learning_rate": 1e-05, "step": 10, "remaining_time": "59h"}, {"loss": 1, "step": 99}]})";
  const ImportProbe before{"a", kState}, after{"a", grown};
  EXPECT_EQ(test::importerFor(before)->identity(before), test::importerFor(after)->identity(after));
}

TEST(HfTrainerState, NamesTheByteWhereJsonBreaks) {
  const auto result = importText(R"({"global_step": 1, "log_history": [{"step": 1, "loss": }]})");
  EXPECT_EQ(result.status.code(), Code::kInvalidArgument);
  EXPECT_NE(result.status.message().find("test: not valid JSON"), std::string::npos);
  EXPECT_NE(result.status.message().find("column"), std::string::npos) << result.status.message();
}

TEST(HfTrainerState, KeepsWholeEntriesOfAFileThatIsCutAndTakesTheRestLater) {
  const auto cut = importText(kState.substr(0, kState.find("NaN")));
  ASSERT_TRUE(cut.status.ok()) << cut.status.message();
  EXPECT_NE(cut.report.partial_reason.find("column"), std::string::npos) << cut.report.partial_reason;
  EXPECT_EQ(cut.recorder.issueCount("import.truncated"), 1);
  EXPECT_EQ(cut.recorder.scalarsOf("loss").step, std::vector<std::int64_t>{10});
  const auto whole = importText(kState, {.resume_at = cut.report.committed_offset});
  EXPECT_EQ(whole.recorder.scalarsOf("loss").step, std::vector<std::int64_t>{20});
}

TEST(HfTrainerState, TakesTheStepWhereverItStandsInAnEntry) {
  const auto result = importText(R"({"log_history": [{"step": 3, "loss": 1.5}, {"loss": 1.25, "step": 4}, 7, {"loss": 1, "step": "x"},
    {"loss": 1, "step": 1e99}], "global_step": 4})");
  EXPECT_EQ(result.recorder.scalarsOf("loss").step, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(result.recorder.issueCount("hf_trainer_state.no_step"), 3);
}

TEST(HfTrainerState, RefusesAbsurdNestingAndOtherShapes) {
  const std::string head = R"({"global_step": 5, "log_history": )";
  EXPECT_NE(importText(head + std::string(100'000, '[')).status.message().find("nested more than"), std::string::npos);
  EXPECT_NE(importText(head + "7}").status.message().find("log_history is not a list"), std::string::npos);
  EXPECT_LT(importText(head + "[\"" + std::string(1 << 20, 'x')).status.message().size(), 400U) << "the error must not quote the file";
}

TEST(HfTrainerState, LeavesTheLiteralsInsideTextsAlone) {
  const auto result = importText(R"({"global_step": 1, "note": "NaN \" Infinity", "log_history": [{"step": 1, "loss": -Infinity}]})");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.recorder.scalarsOf("loss").value[0], -std::numeric_limits<double>::infinity());
}

TEST(MegatronGolden, ReadsBothShapesAndCountsWhatWasNotLogged) {
  const auto map =
      importText(R"({"lm loss": {"start_step": 1, "end_step": 10, "step_interval": 5, "values": {"1": 9.5, "5": 8.5, "10": "nan"}}})");
  ASSERT_TRUE(map.status.ok()) << map.status.message();
  EXPECT_EQ(map.recorder.scalarsOf("lm loss").step, (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(map.recorder.series_keys.at(1).labels, R"({"canonical":"loss"})");
  EXPECT_EQ(map.recorder.issueCount("megatron_golden.not_a_number"), 1);
  const auto list = importText(R"({"num-zeros": {"start_step": 0, "end_step": 10, "step_interval": 5, "values": [3, 2, 1]}})");
  EXPECT_EQ(list.recorder.scalarsOf("num-zeros").step, (std::vector<std::int64_t>{0, 5, 10}));
  const auto odd = importText(R"({"a": {"values": [3, 2], "start_step": "x", "step_interval": "1"}, "b": 5, "c": {"values": {"1x": 2}}})");
  ASSERT_TRUE(odd.status.ok()) << odd.status.message();
  EXPECT_EQ(odd.recorder.scalarsOf("a").step, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(odd.recorder.issueCount("megatron_golden.bad_step"), 1);
}

}  // namespace
}  // namespace runglass
