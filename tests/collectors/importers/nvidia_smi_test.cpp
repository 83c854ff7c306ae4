// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;

constexpr TimeNs kJuly = 1'783'116'646'000'000'000;  // 2026-07-03 22:10:46 UTC

TEST(NvidiaSmi, AQueryBecomesSeriesPerDeviceInBaseUnits) {
  const Imported result = importText(
      "timestamp, index, uuid, name, power.draw [W], memory.used [MiB], utilization.gpu [%], clocks.current.sm [MHz]\n"
      "2026/07/03 22:10:46.109, 0, GPU-aaaaaaaa-1, NVIDIA H200, 77.71 W, 2 MiB, 35 %, 345 MHz\n"
      "2026/07/03 22:10:46.112, 1, GPU-bbbbbbbb-2, NVIDIA H200, 80.10 W, 4 MiB, 100 %, 1980 MHz\n"
      "2026/07/03 22:10:47.109, 0, GPU-aaaaaaaa-1, NVIDIA H200, 78.00 W, 2 MiB, 36 %, 345 MHz\n");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nvidia_smi");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[0].uuid, "GPU-aaaaaaaa-1");
  EXPECT_EQ(result.recorder.devices[1].index, 1);
  EXPECT_EQ(result.recorder.devices[1].model, "NVIDIA H200");
  const DeviceId first{1}, second{2};
  const SampleColumns power = result.recorder.samplesOf("power_watts", "*", first);
  EXPECT_THAT(power.time, ElementsAre(kJuly + 109'000'000, kJuly + 1'109'000'000));
  EXPECT_THAT(power.value, ElementsAre(77.71, 78.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes", "*", second).value, ElementsAre(4.0 * 1'048'576));
  EXPECT_THAT(result.recorder.samplesOf("gpu_busy_ratio", "*", first).value, ElementsAre(0.35, 0.36));
  EXPECT_THAT(result.recorder.samplesOf("sm_clock_hertz", "*", second).value, ElementsAre(1'980'000'000.0));
  EXPECT_EQ(result.report.end_time, kJuly + 1'109'000'000);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.no_time_zone"), 1);
}

TEST(NvidiaSmi, UnitsComeFromTheHeaderWhereValuesHaveNone) {
  const Imported result = importText(
      "timestamp, index, power.draw [W], memory.total [MiB], fan.speed [%], encoder.stats.averageLatency\r\n"
      "2026/07/03 22:10:46.000, 3, 77.71, 100, 38, 4373\r\n");
  EXPECT_THAT(result.recorder.samplesOf("power_watts").value, ElementsAre(77.71));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_total_bytes").value, ElementsAre(104'857'600.0));
  EXPECT_THAT(result.recorder.samplesOf("fan_speed_ratio").value, ElementsAre(0.38));
  EXPECT_THAT(result.recorder.samplesOf("encoder_stats_averagelatency").value, ElementsAre(4373.0));
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].uuid, "name:run/test/gpu3");
}

TEST(NvidiaSmi, AbsentValuesAreNoZerosAndTheirReasonIsReported) {
  const Imported result = importText(
      "timestamp, index, power.draw [W], temperature.memory, fan.speed [%], pcie.link.gen.current\n"
      "2026/07/03 22:10:46.000, 0, [N/A], N/A, [Not Supported], [Insufficient Permissions]\n"
      "2026/07/03 22:10:47.000, 0, [GPU is lost], 40, [Unknown Error], oops\n");
  EXPECT_TRUE(result.recorder.samplesOf("power_watts").value.empty());
  EXPECT_THAT(result.recorder.samplesOf("memory_temperature_celsius").value, ElementsAre(40.0));
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.unsupported"), 3);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.denied"), 1);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.lost"), 1);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.unknown"), 1);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.unreadable_value"), 1);
}

TEST(NvidiaSmi, OddRowsAreCountedAndTheOthersKept) {
  const std::string text =
      "timestamp, index, power.draw [W]\n"
      "2026/07/03 22:10:46.000, 0, 70 W\n"
      "2026/07/03 22:10:47.000, 0\n"
      "yesterday, 0, 70 W\n"
      "2026/13/03 22:10:47.000, 0, 70 W\n"
      "2026/07/03 22:10:48.000, 0, 72 W\n"
      "2026/07/03 22:10:49.000, 0, 7";
  const Imported result = importText(text, {}, 7);
  EXPECT_THAT(result.recorder.samplesOf("power_watts").value, ElementsAre(70.0, 72.0));
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.ragged_row"), 1);
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.no_time"), 2);
  EXPECT_EQ(result.recorder.issueCount("import.truncated"), 1);
  EXPECT_EQ(result.report.committed_offset, text.rfind('\n') + 1);
}

TEST(NvidiaSmi, AGrownFileIsReadOnFromWhereItEnded) {
  const std::string before = "timestamp, index, power.draw [W]\n2026/07/03 22:10:46.000, 0, 70 W\n";
  const Imported result = importText(before + "2026/07/03 22:10:47.000, 0, 71 W\n", {.run_name = {}, .resume_at = before.size()});
  EXPECT_THAT(result.recorder.samplesOf("power_watts").value, ElementsAre(71.0));
}

TEST(NvidiaSmi, TwoLimitsOfOneGpuAreTwoMetrics) {
  const Imported both =
      importText("timestamp, index, power.limit [W], enforced.power.limit [W]\n2026/07/03 22:10:46.000, 0, 700 W, 650 W\n");
  EXPECT_THAT(both.recorder.samplesOf("power_limit_watts").value, ElementsAre(650.0));
  EXPECT_THAT(both.recorder.samplesOf("power_limit_requested_watts").value, ElementsAre(700.0));
  const Imported one = importText("timestamp, index, power.limit [W]\n2026/07/03 22:10:46.000, 0, 700 W\n");
  EXPECT_THAT(one.recorder.samplesOf("power_limit_watts").value, ElementsAre(700.0));
}

TEST(NvidiaSmi, ProcessesAreDistinguishedByPidAndName) {
  const Imported result = importText(
      "timestamp, gpu_name, gpu_bus_id, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
      "2026/07/03 22:10:46.000, NVIDIA H200, 00000000:83:00.0, GPU-aaaaaaaa-1, 10291, /bin/a, 2566 MiB\n"
      "2026/07/03 22:10:46.000, NVIDIA H200, 00000000:83:00.0, GPU-aaaaaaaa-1, 10293, /bin/a, 1 MiB\n");
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_memory_bytes", R"({"name":"/bin/a","pid":"10293"})").value, ElementsAre(1'048'576.0));
  EXPECT_EQ(result.recorder.devices.size(), 1U);
}

TEST(NvidiaSmi, MonitorRowsHaveATimeOnlyWithItsOption) {
  const Imported timed = importText(
      "#Date       Time        gpu    pwr  gtemp     sm    mem     fb  tviol\n"
      "#YYYYMMDD   HH:MM:SS    Idx      W      C      %      %     MB   bool\n"
      " 20260703   22:10:46      0     77     28      5      -     10      0\n");
  EXPECT_EQ(timed.kind, "nvidia_smi");
  EXPECT_THAT(timed.recorder.samplesOf("power_watts").time, ElementsAre(kJuly));
  EXPECT_THAT(timed.recorder.samplesOf("gpu_busy_ratio").value, ElementsAre(0.05));
  EXPECT_THAT(timed.recorder.samplesOf("gpu_memory_used_bytes").value, ElementsAre(10'485'760.0));
  EXPECT_TRUE(timed.recorder.samplesOf("gpu_memory_busy_ratio").value.empty());
  const Imported untimed = importText("# gpu    pwr  gtemp\n# Idx      W      C\n    0     77     28\n    0     77     28\n");
  EXPECT_TRUE(untimed.recorder.metric_samples.empty());
  EXPECT_EQ(untimed.recorder.issueCount("nvidia_smi.no_time"), 2);
  EXPECT_FALSE(untimed.report.skipped_reason.empty());
}

std::string queryText() {
  return "\n==============NVSMI LOG==============\n\n"
         "Timestamp                                 : Fri Jul  3 22:10:46 2026\n"
         "Driver Version                            : 535.161.08\n\n"
         "Attached GPUs                             : 1\n"
         "GPU 00000000:19:00.0\n"
         "    Product Name                          : NVIDIA H100 80GB HBM3\n"
         "    GPU UUID                              : GPU-ee7954ec-1\n"
         "    Minor Number                          : 4\n"
         "    Performance State                     : P2\n"
         "    Clocks Event Reasons\n"
         "        Idle                              : Not Active\n"
         "        SW Power Cap                      : Active\n"
         "        HW Slowdown                       : Active\n"
         "            HW Power Brake Slowdown       : Active\n"
         "    FB Memory Usage\n"
         "        Used                              : 3 MiB\n"
         "    GPU Power Readings\n"
         "        Power Draw                        : 67.74 W\n"
         "    Module Power Readings\n"
         "        Power Draw                        : N/A\n"
         "    Processes\n"
         "        Process ID                        : 10291\n"
         "            Name                          : /bin/a\n"
         "            Used GPU Memory               : 2 MiB\n\n";
}

TEST(NvidiaSmi, TheLongQueryIsReadByItsIndentation) {
  const Imported result = importText(queryText());
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].uuid, "GPU-ee7954ec-1");
  EXPECT_EQ(result.recorder.devices[0].index, 4);
  EXPECT_THAT(result.recorder.samplesOf("power_watts").value, ElementsAre(67.74));
  EXPECT_THAT(result.recorder.samplesOf("power_watts").time, ElementsAre(kJuly));
  EXPECT_THAT(result.recorder.samplesOf("clock_event_reasons").value, ElementsAre(0x8C));
  EXPECT_THAT(result.recorder.samplesOf("performance_state").value, ElementsAre(2));
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_memory_bytes", R"({"name":"/bin/a","pid":"10291"})").value, ElementsAre(2'097'152.0));
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.unsupported"), 1);
}

TEST(NvidiaSmi, ARepeatedQueryIsOneDeviceWithMorePoints) {
  const Imported result = importText(queryText() + queryText());
  EXPECT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.samplesOf("power_watts").value.size(), 2U);
}

TEST(NvidiaSmi, MaskedUuidsMakeNoTwoMachinesOne) {
  const Imported result = importText(
      "timestamp, index, uuid, power.draw [W]\n"
      "2026/07/03 22:10:46.000, 0, GPU-00000000-0000-0000-0000-000000000000, 70 W\n"
      "2026/07/03 22:10:46.000, 1, GPU-00000000-0000-0000-0000-000000000000, 71 W\n");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[1].uuid, "name:run/test/gpu1");
}

TEST(NvidiaSmi, ACaptureTellsTheZoneOfItsClock) {
  const Imported result = importText(
      "################\ncollected_at:   2026-07-03T20:10:40Z\n################\n# $ nvidia-smi --query-gpu=timestamp,index,power.draw\n"
      "################\ntimestamp, index, power.draw [W]\n2026/07/03 22:10:46.000, 0, 70 W\n");
  EXPECT_THAT(result.recorder.samplesOf("power_watts").time, ElementsAre(kJuly - 7'200 * kNsPerSecond));
  EXPECT_EQ(result.recorder.issueCount("nvidia_smi.no_time_zone"), 0);
}

TEST(NvidiaSmi, HostileTextIsCountedAndBounded) {
  std::string text = "timestamp, index, power.draw [W], ";
  for (int i = 0; i < 200; ++i) text += "evil." + std::string(400, 'x') + std::to_string(i) + ", ";
  text += "last [W]\n2026/07/03 22:10:46.000, 99999999999, 1e999 W, ";
  for (int i = 0; i < 200; ++i) text += "1, ";
  text += "5 W\n" + std::string(3U << 20, 'z') + "\n";
  const Imported result = importText(text);
  ASSERT_TRUE(result.status.ok());
  for (const auto& [id, key] : result.recorder.series_keys) EXPECT_LE(key.metric.size(), 120U);
  EXPECT_THAT(result.recorder.samplesOf("last_watts").value, ElementsAre(5.0));
  EXPECT_GE(result.recorder.issueCount("nvidia_smi.ragged_row"), 1);
  std::string deep = "==NVSMI LOG==\nGPU 0\n";
  for (int i = 0; i < 3'000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "k\n";
  EXPECT_TRUE(importText(deep).status.ok());
}

// Every stored file, compared with facts.json.
TEST(NvidiaSmi, StoredFilesGiveTheirDevicesAndDriver) {
  const std::filesystem::path data = std::filesystem::path(RG_SHARED_DATA);
  if (!std::filesystem::exists(data / "facts.json")) GTEST_SKIP() << "no shared data";
  const auto facts = nlohmann::json::parse(std::ifstream(data / "facts.json"))["kinds"]["nvidia_smi"];
  EXPECT_EQ(facts.size(), 5U);
  for (const auto& [name, fact] : facts.items()) {
    SCOPED_TRACE(name);
    const Imported result = test::importFile(data / "nvidia_smi" / name);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "nvidia_smi");
    EXPECT_TRUE(result.report.skipped_reason.empty()) << result.report.skipped_reason;
    EXPECT_EQ(std::to_string(result.recorder.devices.size()), fact["attached_gpus"].get<std::string>());
    std::set<std::string> uuids, models;
    for (const Device& device : result.recorder.devices) uuids.insert(device.uuid), models.insert(device.model);
    for (const std::string uuid : fact["gpu_uuids"]) {
      const bool masked = uuid.find("GPU-00000000-0000") != std::string::npos;
      EXPECT_TRUE(masked || uuids.contains(uuid)) << uuid;
    }
    EXPECT_EQ(models, fact["product_names"].get<std::set<std::string>>());
    bool driver = false;
    for (const Fact& reported : result.recorder.facts)
      driver = driver || (reported.key == "driver_version" && reported.value == fact["driver"].get<std::string>());
    EXPECT_TRUE(driver);
    EXPECT_GE(result.recorder.samplesOf("power_watts").value.size(), 1U);
    EXPECT_EQ(result.recorder.issueCount("nvidia_smi.ragged_row"), 0);
    EXPECT_EQ(result.recorder.issueCount("nvidia_smi.unreadable_value"), 0);
    EXPECT_EQ(result.recorder.issueCount("nvidia_smi.no_device"), 0);
  }
}

}  // namespace
}  // namespace runglass
