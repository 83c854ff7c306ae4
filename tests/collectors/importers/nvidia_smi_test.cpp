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

const Event* factsOf(const Imported& result, DeviceId device) {
  for (const Event& event : result.recorder.events)
    if (event.kind == "device_facts" && event.device == device) return &event;
  return nullptr;
}

TEST(NvidiaSmi, TheTableIsReadWithAllItsFields) {
  const Imported result = importText(
      "Fri Jul  3 22:10:46 2026       \n"
      "+-----------------------------------------------------------------------------------------+\n"
      "| NVIDIA-SMI 590.48.01              Driver Version: 590.48.01      CUDA Version: 13.1     |\n"
      "+-----------------------------------------+------------------------+----------------------+\n"
      "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
      "|                                         |                        |               MIG M. |\n"
      "|=========================================+========================+======================|\n"
      "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n"
      "| N/A   41C    P0             69W /  700W |   11842MiB /  81559MiB |     97%   E. Process |\n"
      "|                                         |                        |              Enabled |\n"
      "+-----------------------------------------+------------------------+----------------------+\n"
      "|   1  NVIDIA GeForce RTX 4080 ...    Off |   00000000:2B:00.0  On |                  N/A |\n"
      "| 38%   43C    P8             25W /  320W |     596MiB /  16376MiB |      0%      Default |\n"
      "|                                         |                        |                  N/A |\n"
      "+-----------------------------------------+------------------------+----------------------+\n"
      "\n"
      "+-----------------------------------------------------------------------------------------+\n"
      "| MIG devices:                                                                            |\n"
      "+------------------+----------------------------------+-----------+-----------------------+\n"
      "| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|        Shared         |\n"
      "|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |\n"
      "|==================+==================================+===========+=======================|\n"
      "|  0    7   0   0  |             12MiB /  9856MiB     | 16      0 |  1   0    1    0    1 |\n"
      "|                  |                 0MiB / 16383MiB  |           |                       |\n"
      "+------------------+----------------------------------+-----------+-----------------------+\n"
      "\n"
      "+-----------------------------------------------------------------------------------------+\n"
      "| Processes:                                                                              |\n"
      "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
      "|        ID   ID                                                               Usage      |\n"
      "|=========================================================================================|\n"
      "|    0    7    0            10291      C   python train.py                       11838MiB |\n"
      "|    1   N/A  N/A            2165    C+G   /usr/bin/kwin_wayland                    25MiB |\n"
      "+-----------------------------------------------------------------------------------------+\n");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nvidia_smi");
  ASSERT_EQ(result.recorder.devices.size(), 3U);
  EXPECT_EQ(result.recorder.devices[0].model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(result.recorder.devices[1].kind, "mig");
  EXPECT_EQ(result.recorder.devices[1].uuid, result.recorder.devices[0].uuid + "/gi7");
  const DeviceId first{1}, second{3};
  const auto value = [&](const char* metric, DeviceId device, const char* labels = "") {
    const auto values = result.recorder.samplesOf(metric, labels, device).value;
    return values.size() == 1 ? values[0] : -1;
  };
  EXPECT_THAT(result.recorder.samplesOf("power_watts", "*", first).time, ElementsAre(kJuly));
  EXPECT_EQ(value("power_watts", first), 69);
  EXPECT_EQ(value("power_limit_watts", first), 700);
  EXPECT_EQ(value("temperature_celsius", first), 41);
  EXPECT_EQ(value("performance_state", first), 0);
  EXPECT_EQ(value("performance_state", second), 8);
  EXPECT_EQ(value("gpu_busy_ratio", first), 0.97);
  EXPECT_EQ(value("gpu_memory_used_bytes", first), 11'842.0 * 1'048'576);
  EXPECT_EQ(value("gpu_memory_total_bytes", second), 16'376.0 * 1'048'576);
  EXPECT_EQ(value("ecc_errors_uncorrected_volatile_total", first), 0);
  EXPECT_EQ(value("fan_speed_ratio", second), 0.38);
  EXPECT_TRUE(result.recorder.samplesOf("fan_speed_ratio", "*", first).value.empty()) << "no fan is no zero";
  EXPECT_EQ(value("mig_memory_used_bytes", first, R"({"GPU_I_ID":"7"})"), 12.0 * 1'048'576);
  EXPECT_EQ(value("gpu_process_memory_bytes", first, R"({"GPU_I_ID":"7","name":"python train.py","pid":"10291"})"), 11'838.0 * 1'048'576);
  EXPECT_EQ(value("gpu_process_memory_bytes", second, R"({"name":"/usr/bin/kwin_wayland","pid":"2165"})"), 25.0 * 1'048'576);
  ASSERT_NE(factsOf(result, first), nullptr);
  EXPECT_EQ(nlohmann::json::parse(factsOf(result, first)->message), (nlohmann::json{{"driver", "590.48.01"},
                                                                                    {"cuda", "13.1"},
                                                                                    {"pci", "00000000:19:00.0"},
                                                                                    {"persistence", true},
                                                                                    {"ecc", true},
                                                                                    {"mig", true},
                                                                                    {"compute_mode", 3},
                                                                                    {"vendor", "NVIDIA"}}));
  EXPECT_EQ(nlohmann::json::parse(factsOf(result, second)->message)["persistence"], false);
  EXPECT_FALSE(nlohmann::json::parse(factsOf(result, second)->message).contains("mig"));
}

TEST(NvidiaSmi, TheTableOfOldDriversIsRead) {
  const Imported result = importText(
      "Fri Jul  3 22:10:46 2026       \n"
      "+-----------------------------------------------------------------------------+\n"
      "| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |\n"
      "|-------------------------------+----------------------+----------------------+\n"
      "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
      "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
      "|===============================+======================+======================|\n"
      "|   0  Tesla V100-SXM2...  On   | 00000000:00:1E.0 Off |                  Off |\n"
      "| N/A   43C    P0    57W / 300W |   1500MiB / 16160MiB |     97%      Default |\n"
      "+-------------------------------+----------------------+----------------------+\n"
      "|   1  Tesla V100-SXM2...  On   | 00000000:00:1F.0 Off |                    2 |\n"
      "| N/A   ERR!   ERR!   N/A / N/A |   Unknown Error      |    ERR!      Default |\n"
      "+-------------------------------+----------------------+----------------------+\n"
      "                                                                               \n"
      "+-----------------------------------------------------------------------------+\n"
      "| Processes:                                                       GPU Memory |\n"
      "|  GPU       PID   Type   Process name                             Usage      |\n"
      "|=============================================================================|\n"
      "|    0      2165      C   python                                      1490MiB |\n"
      "+-----------------------------------------------------------------------------+\n");
  ASSERT_TRUE(result.status.ok());
  EXPECT_THAT(result.recorder.samplesOf("power_watts").value, ElementsAre(57.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes").value, ElementsAre(1'500.0 * 1'048'576));
  EXPECT_THAT(result.recorder.samplesOf("ecc_errors_uncorrected_volatile_total").value, ElementsAre(2.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_memory_bytes").value, ElementsAre(1'490.0 * 1'048'576));
  EXPECT_TRUE(result.recorder.samplesOf("temperature_celsius", "*", DeviceId{2}).value.empty());
  EXPECT_GE(result.recorder.issueCount("nvidia_smi.unknown"), 3);
}

// What nvidia-smi -l appends each second.
std::string screenText(int second) {
  const std::string taken = "Fri Jul  3 22:10:" + std::to_string(second) + " 2026       \n";
  return taken +
         "+-----------------------------------------------------------------------------+\n"
         "| NVIDIA-SMI 535.161.08   Driver Version: 535.161.08   CUDA Version: 12.2     |\n"
         "|-------------------------------+----------------------+----------------------+\n"
         "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
         "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
         "|===============================+======================+======================|\n"
         "|   0  Tesla V100-SXM2...  On   | 00000000:00:1E.0 Off |                    2 |\n"
         "| N/A   43C    P0    57W / 300W |   1500MiB / 16160MiB |     97%      Default |\n"
         "+-------------------------------+----------------------+----------------------+\n"
         "|   1  Tesla V100-SXM2...  On   | 00000000:00:1F.0 Off |                    0 |\n"
         "| N/A   44C    P0    58W / 300W |   1501MiB / 16160MiB |     98%      Default |\n"
         "+-------------------------------+----------------------+----------------------+\n"
         "| Processes:                                                       GPU Memory |\n"
         "|  GPU       PID   Type   Process name                             Usage      |\n"
         "|=============================================================================|\n"
         "|    0      2165      C   python                                      1490MiB |\n";
}

// All values, as "metric labels device time".
std::multiset<std::string> valuesOf(const Imported& result) {
  std::multiset<std::string> all;
  for (const auto& [id, columns] : result.recorder.metric_samples) {
    const auto& key = result.recorder.series_keys.at(id);
    for (const TimeNs time : columns.time)
      all.insert(key.metric + " " + key.labels + " " + std::to_string(key.device.value) + " " + std::to_string(time));
  }
  return all;
}

TEST(NvidiaSmi, AGrownFileOfTablesGivesEachValueOnce) {
  const std::string text = screenText(46) + screenText(47) + screenText(48);
  const auto whole = valuesOf(importText(text));
  EXPECT_EQ(whole.size(), 3U * 17);
  for (std::size_t cut = text.find('\n') + 1; cut < text.size(); cut = text.find('\n', cut) + 1) {
    const Imported before = importText(std::string_view(text).substr(0, cut));
    auto both = valuesOf(before);
    both.merge(valuesOf(importText(text, {.run_name = {}, .resume_at = before.report.committed_offset})));
    ASSERT_EQ(both, whole) << "cut at byte " << cut;
  }
}

TEST(NvidiaSmi, TheValuesOfATableAreBounded) {
  std::string text = screenText(46);
  constexpr int kRows = 100'000;
  for (int i = 0; i < kRows; ++i) text += "|    0      2165      C   python      1MiB |\n";
  const Imported result = importText(text + screenText(47));
  EXPECT_GT(result.recorder.issueCount("nvidia_smi.too_many"), kRows / 4);
  EXPECT_LT(result.recorder.samplesOf("gpu_process_memory_bytes", "*", DeviceId{1}).value.size(), 3U * kRows / 4);
  EXPECT_EQ(result.recorder.samplesOf("power_watts", "*", DeviceId{1}).value.size(), 2U) << "the next table is complete";
}

TEST(NvidiaSmi, ProcessesOfPmonHaveTheirShareOfTheGpu) {
  const Imported result = importText(
      "#Date       Time        gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n"
      "#YYYYMMDD   HH:MM:SS    Idx           #    C/G      %      %      %      %      %      %    name \n"
      " 20260703   22:10:46      0       5022     C      5      1     54      -      -      -    ffmpeg         \n"
      " 20260703   22:10:46      0       5023     C     90     41      -      -      -      -    python train.py\n"
      " 20260703   22:10:46      1          -     -      -      -      -      -      -      -    -              \n");
  EXPECT_EQ(result.kind, "nvidia_smi");
  ASSERT_EQ(result.recorder.devices.size(), 1U) << "a GPU without a process has no value";
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_busy_ratio", R"({"name":"python train.py","pid":"5023"})").value, ElementsAre(0.9));
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_memory_busy_ratio", R"({"name":"ffmpeg","pid":"5022"})").value, ElementsAre(0.01));
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_encoder_ratio", R"({"name":"ffmpeg","pid":"5022"})").value, ElementsAre(0.54));
  EXPECT_TRUE(result.recorder.samplesOf("gpu_busy_ratio").value.empty()) << "a process is not the GPU";
}

TEST(NvidiaSmi, EveryFieldOfAQueryHasItsMetricAndModesAreFacts) {
  const Imported result = importText(
      "timestamp, index, fan.speed [%], pstate, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max, "
      "utilization.encoder [%], utilization.decoder [%], memory.free [MiB], memory.reserved [MiB], persistence_mode, compute_mode, "
      "mig.mode.current, ecc.mode.current\n"
      "2026/07/03 22:10:46.000, 0, 38 %, P2, 4, 5, 8, 16, 10 %, 20 %, 3 MiB, 4 MiB, Enabled, Exclusive_Process, Disabled, Enabled\n"
      "2026/07/03 22:10:47.000, 0, 38 %, P2, 4, 5, 8, 16, 10 %, 20 %, 3 MiB, 4 MiB, Enabled, Exclusive_Process, Disabled, Enabled\n");
  for (const auto& [metric, value] : std::vector<std::pair<std::string, double>>{{"fan_speed_ratio", 0.38},
                                                                                 {"performance_state", 2},
                                                                                 {"pcie_link_generation", 4},
                                                                                 {"pcie_link_generation_max", 5},
                                                                                 {"pcie_link_width", 8},
                                                                                 {"pcie_link_width_max", 16},
                                                                                 {"utilization_encoder_ratio", 0.1},
                                                                                 {"utilization_decoder_ratio", 0.2},
                                                                                 {"gpu_memory_free_bytes", 3'145'728},
                                                                                 {"gpu_memory_reserved_bytes", 4'194'304}})
    EXPECT_THAT(result.recorder.samplesOf(metric).value, ElementsAre(value, value)) << metric;
  ASSERT_EQ(result.recorder.events.size(), 1U) << "modes that stay are one event";
  EXPECT_EQ(nlohmann::json::parse(result.recorder.events[0].message),
            (nlohmann::json{{"persistence", true}, {"compute_mode", 3}, {"mig", false}, {"ecc", true}, {"vendor", "NVIDIA"}}));
}

TEST(NvidiaSmi, TheTopologyIsAFactPerGpuAndNic) {
  const Imported result = importText(
      "\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
      "GPU0\t X \tNV18\tPIX\tSYS\t0-47,96-143\t0\t\tN/A\n"
      "GPU1\tNV18\t X \tSYS\tPIX\t48-95\t1\t\tN/A\n"
      "NIC0\tPIX\tSYS\t X \tSYS\t\t\t\t\n"
      "NIC1\tSYS\tPIX\tSYS\t X \t\t\t\t\n"
      "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP interconnect\n"
      "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n");
  EXPECT_EQ(result.kind, "nvidia_smi");
  EXPECT_TRUE(result.report.skipped_reason.empty());
  std::map<std::string, std::string> facts;
  for (const Fact& fact : result.recorder.facts) facts[fact.key] = fact.value;
  EXPECT_EQ(facts["topology_gpu0"], "GPU1 NV18, mlx5_0 PIX, mlx5_1 SYS; CPU 0-47,96-143, NUMA 0");
  EXPECT_EQ(facts["topology_gpu1"], "GPU0 NV18, mlx5_0 SYS, mlx5_1 PIX; CPU 48-95, NUMA 1");
  EXPECT_EQ(facts["topology_mlx5_0"], "GPU0 PIX, GPU1 SYS, mlx5_1 SYS");
}

TEST(Gpustat, ItsTextIsReadWithFanPowerAndProcesses) {
  const Imported result = importText(
      "node7                    Fri Jul  3 22:10:46 2026  535.161.08\n"
      "[0] NVIDIA A100-SXM4-80GB | 31'C,  40 %,  97 %,  250 / 400 W | 11848 / 81920 MB | alice:python/1234(11838M) gdm(4M)\n"
      "[1] NVIDIA A100-SXM4-80GB | 77°C,   0 %,  E:   3 %  D:   4 % |   455 / 81920 MB |\n"
      "[2] NVIDIA A100-SXM4-80GB | ?\?'C,  ?\? % |   455 / 81920 MB |\n");
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.kind, "gpustat");
  ASSERT_EQ(result.recorder.devices.size(), 3U);
  EXPECT_EQ(result.recorder.nodes.at(0).name, "node7");
  const DeviceId first{1}, second{2}, third{3};
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "*", first).time, ElementsAre(kJuly));
  EXPECT_THAT(result.recorder.samplesOf("fan_speed_ratio", "*", first).value, ElementsAre(0.4));
  EXPECT_THAT(result.recorder.samplesOf("gpu_busy_ratio", "*", first).value, ElementsAre(0.97));
  EXPECT_THAT(result.recorder.samplesOf("power_watts", "*", first).value, ElementsAre(250.0));
  EXPECT_THAT(result.recorder.samplesOf("power_limit_watts", "*", first).value, ElementsAre(400.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes", "*", first).value, ElementsAre(11'848.0 * 1'048'576));
  EXPECT_THAT(result.recorder.samplesOf("gpu_process_memory_bytes", R"({"name":"python","pid":"1234","user":"alice"})", first).value,
              ElementsAre(11'838.0 * 1'048'576));
  EXPECT_TRUE(result.recorder.samplesOf("fan_speed_ratio", "*", second).value.empty());
  EXPECT_THAT(result.recorder.samplesOf("utilization_encoder_ratio", "*", second).value, ElementsAre(0.03));
  EXPECT_THAT(result.recorder.samplesOf("utilization_decoder_ratio", "*", second).value, ElementsAre(0.04));
  EXPECT_TRUE(result.recorder.samplesOf("temperature_celsius", "*", third).value.empty());
}

TEST(Gpustat, ItsJsonIsReadAlsoWhenRepeated) {
  const std::string one =
      R"({"hostname": "node7", "driver_version": "535.161.08", "query_time": "2026-07-03T22:10:46.500000", "gpus": [
      {"index": 0, "uuid": "GPU-aaaaaaaa-1", "name": "NVIDIA A100", "temperature.gpu": 31, "fan.speed": null, "utilization.gpu": 97,
       "utilization.enc": 0, "utilization.dec": 4, "power.draw": 250, "enforced.power.limit": 400, "memory.used": 11848,
       "memory.total": 81920, "processes": [{"username": "alice", "command": "python", "gpu_memory_usage": 11838, "pid": 1234}]}]})";
  const Imported result = importText(one + "\n" + one + "\n");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "gpustat_json");
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].uuid, "GPU-aaaaaaaa-1");
  EXPECT_THAT(result.recorder.samplesOf("gpu_busy_ratio").value, ElementsAre(0.97, 0.97));
  EXPECT_THAT(result.recorder.samplesOf("utilization_decoder_ratio").value, ElementsAre(0.04, 0.04));
  EXPECT_TRUE(result.recorder.samplesOf("fan_speed_ratio").value.empty());
  EXPECT_EQ(result.report.committed_offset, 2U);
  const Imported cut = importText(one + "\n" + one.substr(0, 200));
  EXPECT_EQ(cut.recorder.samplesOf("gpu_busy_ratio").value.size(), 1U);
  EXPECT_NE(cut.report.partial_reason.find("has no end"), std::string::npos) << cut.report.partial_reason;
}

TEST(Gpustat, AGrownFileKeepsItsNodeAndGivesEachLineOnce) {
  const std::string text =
      "node7                    Fri Jul  3 22:10:46 2026  535.161.08\n"
      "[0] NVIDIA A100-SXM4-80GB | 31'C,  40 % |   455 / 81920 MB |\n"
      "[1] NVIDIA A100-SXM4-80GB | 32'C,  50 % |   455 / 81920 MB |\n"
      "[2] NVIDIA A100-SXM4-80GB | 33'C,  60 % |   455 / 81920 MB |\n";
  for (std::size_t cut = text.find("[1]"); cut < text.size(); ++cut) {
    const Imported before = importText(std::string_view(text).substr(0, cut));
    const Imported after = importText(text, {.run_name = {}, .resume_at = before.report.committed_offset});
    for (const Imported* part : {&before, &after})
      for (const Node& node : part->recorder.nodes) ASSERT_EQ(node.name, "node7") << "cut at byte " << cut;
    std::size_t values = 0;
    for (const Imported* part : {&before, &after})
      for (const auto& [id, columns] : part->recorder.metric_samples) values += columns.time.size();
    ASSERT_EQ(values, 3U * 4) << "cut at byte " << cut;
  }
}

TEST(Gpustat, JsonDocumentsBeyondTheLimitAreReported) {
  std::string text = R"({"query_time": "2026-07-03T22:10:46", "gpus": []})";
  for (int i = 0; i < 65'535; ++i) text += "\n{}";
  EXPECT_EQ(importText(text).report.partial_reason, "");
  const Imported result = importText(text + "\n{}");
  EXPECT_EQ(result.report.committed_offset, 65'536U);
  EXPECT_NE(result.report.partial_reason.find("65,536"), std::string::npos) << result.report.partial_reason;
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
