// SPDX-License-Identifier: Apache-2.0
// Power logs of MLPerf and training events of DLRover.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;

TEST(MlperfPower, ReadingsAreOfTheNodeAndOddLinesAreCounted) {
  const Imported result = importText(
      ":::MLLOG {\"time_ms\": 1000, \"key\": \"power_measurement_start\", \"value\": null}\n"
      ":::MLLOG {\"time_ms\": 1000, \"key\": \"conversion_eff\", \"value\": 0.96}\n"
      ":::MLLOG {\"time_ms\": 2000, \"key\": \"power_reading\", \"value\": 2877.5}\n"
      ":::MLLOG {\"time_ms\": 3000, \"key\": \"power_reading\", \"value\": \"much\"}\n"
      ":::MLLOG {\"time_ms\": 99999999999999999, \"key\": \"power_reading\", \"value\": 1}\n"
      ":::MLLOG {\"time_ms\": 40");
  EXPECT_EQ(result.kind, "mlperf_power");
  EXPECT_THAT(result.recorder.samplesOf("node_power_watts").time, ElementsAre(2 * kNsPerSecond));
  EXPECT_THAT(result.recorder.samplesOf("node_power_watts").value, ElementsAre(2877.5));
  EXPECT_EQ(result.recorder.issueCount("mlperf_power.bad_line"), 3);
}

TEST(MlperfPower, FilesOfOneNameInTwoFoldersAreTwoNodes) {
  const std::string text = ":::MLLOG {\"time_ms\": 2000, \"key\": \"power_reading\", \"value\": 1}\n";
  const auto node = [&](const std::string& source) {
    return importText(text, {.run_name = "r", .path = source + "/node_1.txt", .source = source}).recorder.nodes.at(0).name;
  };
  EXPECT_EQ(node("a"), "r/a/node_1");
  EXPECT_EQ(node("b"), "r/b/node_1");
}

TEST(MlperfPower, StoredFilesMatchTheirFacts) {
  const std::filesystem::path data = RG_SHARED_DATA;
  if (!std::filesystem::exists(data / "facts.json")) GTEST_SKIP() << "no shared data";
  const auto facts = nlohmann::json::parse(std::ifstream(data / "facts.json"))["kinds"]["mlperf_power"];
  EXPECT_EQ(facts.size(), 74U);
  for (const auto& [name, fact] : facts.items()) {
    SCOPED_TRACE(name);
    const Imported result = test::importFile(data / "mlperf_power" / name);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "mlperf_power");
    const SampleColumns power = result.recorder.samplesOf("node_power_watts");
    ASSERT_EQ(power.size(), fact["readings"].get<std::size_t>());
    EXPECT_EQ(*std::ranges::max_element(power.value), fact["max_w"].get<double>());
    EXPECT_EQ(*std::ranges::min_element(power.value), fact["min_w"].get<double>());
    EXPECT_NEAR(std::accumulate(power.value.begin(), power.value.end(), 0.0) / static_cast<double>(power.size()),
                fact["mean_w"].get<double>(), 1e-6);
    EXPECT_EQ(*std::ranges::min_element(power.time), fact["first_ms"].get<std::int64_t>() * kNsPerMs);
    EXPECT_EQ(*std::ranges::max_element(power.time), fact["last_ms"].get<std::int64_t>() * kNsPerMs);
    EXPECT_EQ(result.recorder.issueCount("mlperf_power.bad_line"), 0);
  }
}

TEST(DlroverEvents, StepsSavesAndLogsOfTheStoredFileAreRead) {
  const std::filesystem::path path = std::filesystem::path(RG_SHARED_DATA) / "dlrover" / "training_events_0.log";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data";
  const Imported result = test::importFile(path);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "dlrover");
  const ScalarColumns steps = result.recorder.scalarsOf("step_time_ns");
  EXPECT_THAT(steps.step, ElementsAre(177019, 177020, 177021));
  EXPECT_EQ(steps.value[1], 20'519'226'000.0);
  EXPECT_THAT(result.recorder.scalarsOf("learning rate").value, ElementsAre(0.0002));
  ASSERT_EQ(result.recorder.checkpoints.size(), 2U);
  EXPECT_EQ(result.recorder.checkpoints[1].step, 177413);
  EXPECT_EQ(*result.recorder.checkpoints[0].durable - *result.recorder.checkpoints[0].begin, 91'609'160'000);
  EXPECT_EQ(result.recorder.issueCount("dlrover.no_time_zone"), 1);
  EXPECT_EQ(result.recorder.issueCount("dlrover.bad_line"), 0);
}

TEST(DlroverEvents, AnEndWithoutItsBeginHasNoDuration) {
  const Imported result = importText(
      "[2025-04-21T23:53:35.596206] [426] [22b7ca89] [T] [#step] [END] {\"global_step\": 9}\n"
      "[2025-04-21T23:53:35.596206] [426] [22b7ca89] [T] [#step] [BEGIN] {\n");
  EXPECT_EQ(result.recorder.issueCount("dlrover.unmatched"), 1);
  EXPECT_EQ(result.recorder.issueCount("dlrover.bad_line"), 1);
  EXPECT_TRUE(result.recorder.scalar_points.empty());
}

TEST(DlroverEvents, BeginsThatNeverEndAreBounded) {
  std::string text;
  for (int i = 0; i < 10'050; ++i)
    text += "[2025-04-21T23:53:35] [426] [" + std::to_string(i) + "] [T] [#step] [BEGIN] {\"global_step\": 9}\n";
  EXPECT_EQ(importText(text).recorder.issueCount("dlrover.too_many"), 50);
}

}  // namespace
}  // namespace runglass
