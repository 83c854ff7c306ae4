// SPDX-License-Identifier: Apache-2.0
// Settings that differ on a few nodes, and settings that are harmful on all of them.
#include "analysis/settings_check/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/settings_check/settings_check.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

std::vector<ReportedSetting> onNodes(const char* key, const char* value, int nodes, const char* odd_value = nullptr) {
  std::vector<ReportedSetting> reported;
  for (int n = 0; n < nodes; ++n)
    reported.push_back({key, odd_value != nullptr && n == 3 ? odd_value : value, "n" + std::to_string(n), {}});
  return reported;
}

TEST(SettingsTest, EqualSettingsAreQuiet) {
  for (const char* key : {"driver", "cuda", "nccl_version", "max_sm_clock_hertz", "ecc", "power_limit_watts"})
    EXPECT_TRUE(judgeSettings(onNodes(key, "1", 64)).empty()) << key;
  EXPECT_TRUE(judgeSettings({}).empty());
  EXPECT_TRUE(judgeSettings(onNodes("hostname", "a", 8, "b")).empty()) << "what may differ";
  EXPECT_TRUE(judgeSettings(onNodes("mig", "false", 8)).empty());
}

TEST(SettingsTest, NameTheOneNodeThatDiffers) {
  const auto found = judgeSettings(onNodes("driver", "550.54", 64, "535.10"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "settings");
  EXPECT_EQ(found[0].subject, "setting:driver");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].summary, "GPU driver differs: n3 has 535.10, the other 63 nodes 550.54");
  EXPECT_THAT(found[0].evidence, HasSubstr(R"("odd":["n3"])"));
}

TEST(SettingsTest, OneDriverThatDiffersIsOneFinding) {
  auto reported = onNodes("driver", "550.54", 64, "535.10");
  for (const ReportedSetting& one : onNodes("driver_version", "550.54", 64, "535.10")) reported.push_back(one);
  ASSERT_EQ(judgeSettings(reported).size(), 1U);
  EXPECT_EQ(judgeSettings(reported)[0].summary, "GPU driver differs: n3 has 535.10, the other 63 nodes 550.54");
  EXPECT_EQ(judgeSettings(onNodes("driver_version", "550.54", 64, "535.10")).size(), 1U);
  // Some nodes have an agent, others an imported file.
  auto mixed = onNodes("driver", "550.54", 32);
  mixed.push_back({"driver_version", "535.10", "imported", {}});
  ASSERT_EQ(judgeSettings(mixed).size(), 1U);
  EXPECT_EQ(judgeSettings(mixed)[0].summary, "GPU driver differs: imported has 535.10, the other 32 nodes 550.54");
}

TEST(SettingsTest, WithoutAMajorityNobodyIsTheOddOne) {
  auto reported = onNodes("nccl_version", "2.20", 4);
  for (const ReportedSetting& one : onNodes("nccl_version", "2.21", 4)) reported.push_back({one.key, one.value, "m" + one.node, {}});
  const auto found = judgeSettings(reported);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  EXPECT_THAT(found[0].evidence, HasSubstr(R"("odd":[])"));
}

TEST(SettingsTest, MigLeftOnGdrOffAndLowTimeoutsAreReported) {
  EXPECT_THAT(judgeSettings(onNodes("mig", "false", 8, "true")).at(0).summary, HasSubstr("MIG mode differs: n3 has true"));
  EXPECT_EQ(judgeSettings(onNodes("mig", "true", 8)).at(0).severity, Severity::kWarning) << "left on";
  auto sliced = onNodes("mig", "true", 8);
  sliced.push_back({"mig_instances", "GPU-1/gi7", "n0", "GPU-1/gi7"});
  EXPECT_EQ(judgeSettings(sliced).at(0).severity, Severity::kInfo) << "the job may be meant to run on instances";
  EXPECT_EQ(judgeSettings(onNodes("nccl_gdrdma", "off", 8)).at(0).severity, Severity::kInfo);
  EXPECT_EQ(judgeSettings(onNodes("nccl_gdrdma", "on", 8, "off")).at(0).severity, Severity::kWarning);
  EXPECT_TRUE(judgeSettings(onNodes("nccl_gdrdma", "on", 8)).empty());
  EXPECT_EQ(judgeSettings(onNodes("NCCL_IB_TIMEOUT", "14", 1)).at(0).severity, Severity::kInfo);
  EXPECT_TRUE(judgeSettings(onNodes("NCCL_IB_TIMEOUT", "22", 1)).empty());
  EXPECT_TRUE(judgeSettings(onNodes("NCCL_IB_RETRY_CNT", "seven", 1)).empty()) << "no number is not judged";
}

TEST(SettingsTest, AnIbTimeoutBelow22IsReportedForLargeJobsOnly) {
  EXPECT_TRUE(judgeSettings(onNodes("NCCL_IB_TIMEOUT", "20", 63)).empty());
  const auto found = judgeSettings(onNodes("NCCL_IB_TIMEOUT", "20", 64));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  EXPECT_EQ(found[0].summary, "NCCL_IB_TIMEOUT is 20: 22 is advised for a job of 64 nodes");
  EXPECT_TRUE(judgeSettings(onNodes("NCCL_IB_TIMEOUT", "22", 64)).empty());
  EXPECT_TRUE(judgeSettings(onNodes("NCCL_IB_RETRY_CNT", "7", 64)).empty());
}

TEST(SettingsTest, AsyncErrorHandlingThatIsOffIsAWarning) {
  for (const char* key : {"NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_ASYNC_ERROR_HANDLING"}) {
    EXPECT_TRUE(judgeSettings(onNodes(key, "1", 8)).empty());
    const auto found = judgeSettings(onNodes(key, "0", 8));
    ASSERT_EQ(found.size(), 1U) << key;
    EXPECT_EQ(found[0].severity, Severity::kWarning);
    EXPECT_EQ(found[0].summary, std::string(key) + " is 0: when a rank fails, its peers wait instead of ending");
  }
}

TEST(SettingsTest, ComeFromFactsAndFromWhatAgentsSayOfGpus) {
  TempStore file;
  auto writer = file.writer();
  ASSERT_TRUE(writer.ok());
  const RunId run = (*writer)->run({.name = "r", .state = RunState::kRunning});
  const AttemptId attempt = (*writer)->attempt({.run = run, .key = "0", .start = 1000});
  for (int n = 0; n < 4; ++n) {
    const std::string name = "n" + std::to_string(n);
    const NodeId node = (*writer)->node({.uuid = name, .name = name});
    const auto say = [&](const std::string& uuid, const std::string& message) {
      const DeviceId device = (*writer)->device({.uuid = uuid, .node = node, .index = 0, .kind = "gpu"});
      (*writer)->event({.time = 2000, .node = node, .device = device, .kind = "device_facts", .message = message});
      return device;
    };
    const DeviceId used = say(name + "-0", n == 2 ? R"({"driver":"550","mig":true})" : R"({"driver":"550","mig":false})");
    (void)say(name + "-1", n == 1 ? R"({"driver":"111"})" : "not json");  // no rank runs there
    (*writer)->rank({.attempt = attempt, .rank = n, .node = node, .device = used});
  }
  (*writer)->fact({.attempt = attempt, .key = "NCCL_IB_TIMEOUT", .value = "12"});
  ASSERT_TRUE((*writer)->flush().ok());
  auto reader = file.reader();
  ASSERT_TRUE(reader.ok());
  const auto found = makeSettingsCheck()->look({.reader = **reader, .run = run, .now = {}, .stop = {}});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].subject, "setting:NCCL_IB_TIMEOUT");
  EXPECT_EQ((*found)[1].subject, "setting:mig");
  EXPECT_EQ((*found)[1].start, 1000);
}

TEST(SettingsTest, ImportedTelemetryWithoutRanksIsChecked) {
  TempStore file;
  auto writer = file.writer();
  ASSERT_TRUE(writer.ok());
  const RunId run = (*writer)->run({.name = "r"});
  const AttemptId attempt = (*writer)->attempt({.run = run, .key = "0", .start = 1000});
  for (int n = 0; n < 8; ++n) {
    const std::string name = "n" + std::to_string(n);
    const NodeId node = (*writer)->node({.uuid = name, .name = name});
    const DeviceId device = (*writer)->device({.uuid = name + "-0", .node = node, .index = 0, .kind = "gpu"});
    (*writer)->fact({.attempt = attempt, .node = node, .key = "telemetry_file", .value = "smi.txt"});
    (*writer)->event({.time = 2000,
                      .attempt = attempt,
                      .node = node,
                      .device = device,
                      .kind = "device_facts",
                      .message = n == 3 ? R"({"mig":true,"persistence":true})" : R"({"mig":false,"persistence":true})"});
  }
  ASSERT_TRUE((*writer)->flush().ok());
  auto reader = file.reader();
  ASSERT_TRUE(reader.ok());
  const auto found = makeSettingsCheck()->look({.reader = **reader, .run = run, .now = {}, .stop = {}});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].severity, Severity::kWarning);
  EXPECT_THAT((*found)[0].summary, HasSubstr("MIG mode differs: n3 has true"));
}

TEST(SettingsTest, WhatRankZeroTellsIsOfItsNode) {
  TempStore file;
  auto writer = file.writer();
  ASSERT_TRUE(writer.ok());
  const RunId run = (*writer)->run({.name = "r", .state = RunState::kRunning});
  const AttemptId attempt = (*writer)->attempt({.run = run, .key = "0", .start = 1000});
  for (int n = 0; n < 8; ++n) {
    const std::string name = "n" + std::to_string(n);
    const NodeId node = (*writer)->node({.uuid = name, .name = name});
    (*writer)->rank({.attempt = attempt, .rank = n, .node = node});
    if (n > 0) (*writer)->fact({.attempt = attempt, .node = node, .key = "nccl_version", .value = "2.21"});
    (*writer)->fact({.attempt = attempt, .node = node, .key = "mig", .value = "false"});
  }
  (*writer)->fact({.attempt = attempt, .key = "nccl_version", .value = "2.20"});
  (*writer)->fact({.attempt = attempt, .key = "mig", .value = "true"});
  ASSERT_TRUE((*writer)->flush().ok());
  auto reader = file.reader();
  ASSERT_TRUE(reader.ok());
  const auto found = makeSettingsCheck()->look({.reader = **reader, .run = run, .now = {}, .stop = {}});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1U) << "what the node itself says of MIG counts";
  EXPECT_EQ((*found)[0].summary, "NCCL version differs: n0 has 2.20, the other 7 nodes 2.21");
}

}  // namespace
}  // namespace runglass
