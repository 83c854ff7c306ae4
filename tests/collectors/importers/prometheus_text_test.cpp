// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collectors/exposition/exposition_parser.h"
#include "model/metric_catalog.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::Pair;
using Line = ExpositionParser::Line;

TEST(Exposition, ReadsSamplesWithLabelsEscapesTimesAndExemplars) {
  ExpositionParser parser;
  ASSERT_EQ(parser.line("http_requests_total{method=\"po\\\"st\",path=\"C:\\\\a\\n\",} 1.5e3 1395066363000"), Line::kSample);
  EXPECT_EQ(parser.sample().name, "http_requests_total");
  EXPECT_THAT(parser.sample().labels, ElementsAre(Pair("method", "po\"st"), Pair("path", "C:\\a\n")));
  EXPECT_EQ(parser.sample().value, 1500);
  EXPECT_EQ(parser.sample().time, 1'395'066'363'000'000'000);
  ASSERT_EQ(parser.line("up -Inf"), Line::kSample);
  EXPECT_TRUE(std::isinf(parser.sample().value));
  EXPECT_FALSE(parser.sample().time);
  ASSERT_EQ(parser.line("x_bucket{le=\"+Inf\"} 7 1747325044.429 # {trace_id=\"a\"} 0.5 1747325044"), Line::kSample);
  EXPECT_EQ(parser.sample().time, 1'747'325'044'429'000'000);
  EXPECT_TRUE(parser.sample().exemplar);
  EXPECT_EQ(parser.line("# TYPE x histogram"), Line::kType);
  EXPECT_EQ(parser.typeOf("x_bucket"), "histogram");
  EXPECT_EQ(parser.line("# HELP x y z"), Line::kHelp);
  EXPECT_EQ(parser.line("# EOF"), Line::kEnd);
  EXPECT_EQ(parser.line(""), Line::kBlank);
}

TEST(Exposition, WhatIsNoSampleIsBad) {
  ExpositionParser parser;
  for (const char* const bad : {"Active 2*1g.5gb + 2g.10gb", "a{b=\"c} 1", "a{b=c} 1", "a{b=\"c\" 1", "a{", "a", "a 1 2 3", "1a 1",
                                "a{b=\"c\"} x", "a 1 -5", "a 1 99999999999999999999", "a{b=\"c\"d=\"e\"} 1", "a{b=\"\\", "# TYPE a"})
    EXPECT_EQ(parser.line(bad), Line::kBad) << bad;
}

TEST(PrometheusText, ValuesThatCannotBeOfTheirMetricAreRefusedAndReported) {
  const Imported result = importText(
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 40 1747325044429\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 65535 1747325045429\n"
      "DCGM_FI_DEV_MEM_COPY_UTIL{gpu=\"0\"} 85899345920 1747325044429\nDCGM_FI_DEV_MEM_COPY_UTIL{gpu=\"0\"} NaN 1747325045429\n");
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius").value, ElementsAre(40.0));
  EXPECT_EQ(result.recorder.samplesOf("gpu_memory_busy_ratio").value.size(), 1U) << "NaN is a reading";
  EXPECT_EQ(result.recorder.issueCount("import.implausible_value"), 2);
}

TEST(PrometheusText, TimedSamplesOfDcgmAreDevicesSeries) {
  const Imported result = importText(
      "# TYPE DCGM_FI_DEV_FB_USED gauge\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"3\",UUID=\"GPU-a-1\",device=\"nvidia3\",modelName=\"H100\",pod=\"p\"} 2 1747325044429\n"
      "dcgm_gpu_temp{gpu=\"3\",uuid=\"GPU-a-1\"} 40 1747325044429\n"
      "node_load1 0.5 1747325044429\nrubbish\n");
  EXPECT_EQ(result.kind, "prometheus_text");
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].model, "H100");
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes", R"({"pod":"p"})", DeviceId{1}).value, ElementsAre(2'097'152.0));
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "", DeviceId{1}).time, ElementsAre(1'747'325'044'429'000'000));
  EXPECT_THAT(result.recorder.samplesOf("node_load1", "").value, ElementsAre(0.5));
  EXPECT_EQ(result.recorder.issueCount("prometheus_text.bad_line"), 1);
}

// The 18 names of the first dcgm-exporter, and rates that older exporters declare as counters.
TEST(PrometheusText, EveryFirstGenerationNameOfDcgmIsKnownInBaseUnits) {
  const std::vector<std::tuple<std::string, std::string, std::string, double>> kNames = {
      {"dcgm_sm_clock", "1410", "sm_clock_hertz", 1.41e9},
      {"dcgm_memory_clock", "1215", "memory_clock_hertz", 1.215e9},
      {"dcgm_gpu_temp", "61", "temperature_celsius", 61},
      {"dcgm_power_usage", "310.5", "power_watts", 310.5},
      {"dcgm_pcie_tx_throughput", "2000", "pcie_transmit_sampled_bytes_per_s", 2e6},
      {"dcgm_pcie_rx_throughput", "3000", "pcie_receive_sampled_bytes_per_s", 3e6},
      {"dcgm_pcie_replay_counter", "4", "pcie_replay_total", 4},
      {"dcgm_gpu_utilization", "97", "gpu_busy_ratio", 0.97},
      {"dcgm_mem_copy_utilization", "40", "gpu_memory_busy_ratio", 0.4},
      {"dcgm_enc_utilization", "10", "utilization_encoder_ratio", 0.1},
      {"dcgm_dec_utilization", "20", "utilization_decoder_ratio", 0.2},
      {"dcgm_xid_errors", "0", "last_xid", 0},
      {"dcgm_power_violation", "5000", "power_violation_ns", 5000},
      {"dcgm_thermal_violation", "6000", "thermal_violation_ns", 6000},
      {"dcgm_sync_boost_violation", "7000", "sync_boost_violation_ns", 7000},
      {"dcgm_fb_free", "1", "gpu_memory_free_bytes", 1'048'576},
      {"dcgm_fb_used", "2", "gpu_memory_used_bytes", 2'097'152},
      {"dcgm_fan_speed_percent", "35", "fan_speed_ratio", 0.35}};
  std::string page;
  for (const auto& [name, value, metric, stored] : kNames)
    page += "# TYPE " + name + " counter\n" + name + "{gpu=\"0\",uuid=\"GPU-a\"} " + value + " 1747325044429\n";
  const Imported result = importText(page);
  for (const auto& [name, value, metric, stored] : kNames) {
    EXPECT_THAT(result.recorder.samplesOf(metric).value, ElementsAre(stored)) << name;
    for (const auto& [id, key] : result.recorder.series_keys)
      if (key.metric == metric) {
        EXPECT_EQ(key.kind, findMetric(metric)->counter ? SeriesKind::kCounter : SeriesKind::kGauge) << name;
      }
  }
}

TEST(PrometheusText, NoTwoNamesOnOnePageAreOneSeries) {
  const Imported result = importText(
      "# TYPE DCGM_FI_DEV_PCIE_TX_THROUGHPUT gauge\n"
      "DCGM_FI_DEV_PCIE_TX_THROUGHPUT{gpu=\"0\",UUID=\"GPU-a\"} 2000 1747325044429\n"
      "DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\",UUID=\"GPU-a\"} 1900000 1747325044429\n"
      "DCGM_FI_DEV_PCIE_RX_THROUGHPUT{gpu=\"0\",UUID=\"GPU-a\"} 3000 1747325044429\n"
      "DCGM_FI_PROF_PCIE_RX_BYTES{gpu=\"0\",UUID=\"GPU-a\"} 2900000 1747325044429\n");
  EXPECT_THAT(result.recorder.samplesOf("pcie_transmit_bytes_per_s").value, ElementsAre(1.9e6));
  EXPECT_THAT(result.recorder.samplesOf("pcie_transmit_sampled_bytes_per_s").value, ElementsAre(2e6));
  EXPECT_THAT(result.recorder.samplesOf("pcie_receive_bytes_per_s").value, ElementsAre(2.9e6));
  EXPECT_THAT(result.recorder.samplesOf("pcie_receive_sampled_bytes_per_s").value, ElementsAre(3e6));
}

constexpr TimeNs kWritten = 1'783'116'646'000'000'000;

Imported importPage(std::string_view text) { return importText(text, {.run_name = "run", .path = "test", .modified = kWritten}); }

TEST(PrometheusText, APageIsAsOldAsItsFile) {
  const Imported result = importPage(
      "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",modelName=\"H100\"} 60\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",UUID=\"GPU-2\",modelName=\"H100\"} 61\n");
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "", DeviceId{2}).time, ElementsAre(kWritten));
  EXPECT_EQ(result.recorder.issueCount("import.file_time"), 2);
  const Imported two = importPage("# TYPE a gauge\na{x=\"1\"} 5\na{x=\"1\"} 7\n");
  EXPECT_EQ(two.recorder.issueCount("prometheus_text.no_time"), 2) << "two pages in one file have no time each";
}

TEST(PrometheusText, APageThatWasAppendedIsAsOldAsItsFile) {
  const std::string page = "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",modelName=\"H100\"} 60\n";
  for (const std::size_t before : {page.size(), 2 * page.size()}) {
    std::string text;
    while (text.size() <= before) text += page;
    const Imported result = importText(text, {.run_name = "run", .path = "test", .resume_at = before, .modified = kWritten});
    EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "", DeviceId{1}).time, ElementsAre(kWritten));
    EXPECT_TRUE(result.recorder.scalar_points.empty());
  }
}

TEST(PrometheusText, AmdsExporterHasTheSameMetricsWithAndWithoutItsPrefix) {
  const std::string labels =
      "{card_model=\"0xc34\",card_series=\"AMD Instinct MI300X\",card_vendor=\"AMD\",driver_version=\"6.8\",gpu_id=\"3\","
      "gpu_partition_id=\"NA\",hostname=\"node7\",job_id=\"130\",serial_number=\"692251001124\"";
  const std::string page = "# TYPE amd_gpu_gfx_activity gauge\namd_gpu_gfx_activity" + labels + "} 97\ngpu_junction_temperature" + labels +
                           "} 66\nGPU_EDGE_TEMPERATURE" + labels + "} 50\ngpu_power_usage" + labels + "} 512\ngpu_used_vram" + labels +
                           "} 2\ngpu_clock" + labels + ",clock_index=\"0\",clock_type=\"GPU_CLOCK_TYPE_SYSTEM\"} 2100\n" +
                           "gpu_power_usage{vendor=\"other\"} 5\n";
  const Imported result = importPage(page);
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].model, "AMD Instinct MI300X");
  EXPECT_EQ(result.recorder.devices[0].index, 3);
  EXPECT_EQ(result.recorder.devices[0].uuid, "serial:692251001124");
  const DeviceId device{1};
  const std::string job = R"({"job_id":"130"})";
  EXPECT_THAT(result.recorder.samplesOf("gpu_busy_ratio", job, device).value, ElementsAre(0.97));
  EXPECT_THAT(result.recorder.samplesOf("temperature_hotspot_celsius", job, device).value, ElementsAre(66.0));
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", job, device).value, ElementsAre(50.0));
  EXPECT_THAT(result.recorder.samplesOf("power_watts", job, device).value, ElementsAre(512.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes", job, device).value, ElementsAre(2'097'152.0));
  EXPECT_THAT(result.recorder.samplesOf("sm_clock_hertz", R"({"clock_index":"0","job_id":"130"})", device).value, ElementsAre(2.1e9));
  EXPECT_THAT(result.recorder.samplesOf("gpu_power_usage").value, ElementsAre(5.0)) << "of another exporter";
}

TEST(PrometheusText, NpuExporterGivesMetricsAndFaultCodes) {
  const std::string labels =
      "{id=\"2\",model_name=\"910B3-Ascend-V1\",vdie_id=\"A-B-C\",pcie_bus_info=\"0000:C1:00.0\",namespace=\"\",pod_name=\"\"} ";
  std::string page;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"utilization", "97"},
                                                                                    {"hbm_used_memory", "60056"},
                                                                                    {"hbm_temperature", "55"},
                                                                                    {"link_status", "1"},
                                                                                    {"bandwidth_rx", "12"},
                                                                                    {"hbm_ecc_total_double_bit_error_cnt", "1"},
                                                                                    {"error_code", "2163214345"}})
    page += "# TYPE npu_chip_info_" + name + " gauge\nnpu_chip_info_" + name + labels + value + " 1747325044429\n";
  const Imported result = importText(page);
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].kind, "npu");
  EXPECT_THAT(result.recorder.samplesOf("memory_temperature_celsius").value, ElementsAre(55.0));
  EXPECT_THAT(result.recorder.samplesOf("rdma_receive_bytes_per_s").value, ElementsAre(12e6));
  EXPECT_THAT(result.recorder.samplesOf("ecc_uncorrected_total").value, ElementsAre(1.0));
  ASSERT_EQ(result.recorder.events.size(), 1U);
  EXPECT_EQ(result.recorder.events[0].kind, "npu_fault");
  EXPECT_EQ(result.recorder.events[0].code, "80F00809");
  EXPECT_EQ(result.recorder.events[0].device, DeviceId{1});
}

TEST(PrometheusText, NcclInspectorsFileIsOfItsGpus) {
  const Imported result = importPage(
      "nccl_p2p_bus_bandwidth_gbs{version=\"v5.1\",slurm_job_id=\"1670760\",node=\"nvl72033-T01\",gpu=\"GPU0\",comm_name=\"unknown\","
      "n_nodes=\"1\",nranks=\"64\",p2p_operation=\"Send\",message_size=\"1-2MB\"} 19.1634\n"
      "nccl_bus_bandwidth_gbs{version=\"v5.1\",slurm_job_id=\"1670760\",node=\"nvl72033-T01\",gpu=\"GPU0\",comm_name=\"unknown\","
      "n_nodes=\"4\",nranks=\"32\",collective=\"ReduceScatter\",message_size=\"134-135MB\",algo_proto=\"RING_SIMPLE\"} 44.1181\n"
      "nccl_collective_exec_time_microseconds{version=\"v5.1\",slurm_job_id=\"1670760\",node=\"nvl72033-T01\",gpu=\"GPU0\","
      "comm_name=\"unknown\",n_nodes=\"4\",nranks=\"32\",collective=\"ReduceScatter\",message_size=\"134-135MB\","
      "algo_proto=\"RING_SIMPLE\"} 104164\n");
  EXPECT_EQ(result.kind, "prometheus_text");
  EXPECT_EQ(result.recorder.nodes.at(0).name, "nvl72033-T01");
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].index, 0);
  const std::string labels =
      R"({"algo_proto":"RING_SIMPLE","collective":"ReduceScatter","comm_name":"unknown","message_size":"134-135MB","n_nodes":"4",)"
      R"("nranks":"32","slurm_job_id":"1670760"})";
  EXPECT_THAT(result.recorder.samplesOf("nccl_bus_bandwidth_bytes_per_s", labels, DeviceId{1}).value, ElementsAre(44.1181e9));
  EXPECT_THAT(result.recorder.samplesOf("nccl_collective_time_ns", labels, DeviceId{1}).value, ElementsAre(104'164'000.0));
  EXPECT_EQ(result.recorder.samplesOf("nccl_p2p_bus_bandwidth_bytes_per_s").value.size(), 1U);
}

TEST(PrometheusText, SamplesWithoutATimeGetNoneInvented) {
  const Imported result = importText("# TYPE a gauge\na{x=\"1\"} 5\na{x=\"2\"} 6\na{x=\"1\"} 7\n");
  ASSERT_EQ(result.recorder.runs.size(), 1U);
  EXPECT_EQ(result.recorder.runs[0].time_domain, TimeDomain::kNone);
  const ScalarColumns a = result.recorder.scalarsOf("a", std::nullopt, R"({"x":"1"})");
  EXPECT_THAT(a.step, ElementsAre(0, 1));
  EXPECT_THAT(a.value, ElementsAre(5.0, 7.0));
  EXPECT_TRUE(a.time.empty());
  EXPECT_EQ(result.recorder.issueCount("prometheus_text.no_time"), 3);
}

TEST(PrometheusText, APageWithoutTimesStillNamesItsDevicesAndTheirTrouble) {
  const Imported result = importText(
      "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",modelName=\"H100\"} 60\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",UUID=\"GPU-2\",modelName=\"H100\"} 61\n"
      "DCGM_FI_DEV_XID_ERRORS{gpu=\"1\",UUID=\"GPU-2\",modelName=\"H100\",err_code=\"79\"} 79\n"
      "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\",modelName=\"H100\",err_code=\"0\"} 0\n");
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kNone);
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[1].uuid, "GPU-2");
  ASSERT_EQ(result.recorder.events.size(), 1U) << "the last Xid, which may be old";
  EXPECT_EQ(result.recorder.events[0].kind, "xid_seen_last");
  EXPECT_EQ(result.recorder.events[0].code, "79");
  EXPECT_EQ(result.recorder.events[0].device, DeviceId{2});
}

TEST(PrometheusText, AHangThatXpuTimerReportsIsOneOfItsRank) {
  const Imported result = importText(
      "# TYPE XPU_TIMER_COMMON_HANG gauge\n"
      "XPU_TIMER_COMMON_HANG{ip=\"10.0.0.1\",local_rank=\"0\",rank=\"0\"} 1\n"
      "XPU_TIMER_COMMON_HANG{ip=\"10.0.0.1\",local_rank=\"1\",rank=\"1\"} 0\n"
      "XPU_TIMER_COMMON_HANG{ip=\"10.0.0.1\",local_rank=\"0\",rank=\"0\"} 1\n");
  ASSERT_EQ(result.recorder.events.size(), 1U);
  EXPECT_EQ(result.recorder.events[0].kind, "collective_timeout");
  EXPECT_EQ(result.recorder.events[0].rank, 0);
  EXPECT_EQ(result.recorder.ranks.size(), 2U) << "the rank that does not hang is known, too";
}

TEST(PrometheusText, ALogOfPairsIsNone) { EXPECT_NE(importText("step 5\nloss 0.5\nlr 0.1\n").kind, "prometheus_text"); }

TEST(PrometheusText, HostileNamesAreBounded) {
  const std::string text = "# TYPE a gauge\n" + std::string(5'000, 'a') + "{" + std::string(5'000, 'b') + "=\"" + std::string(5'000, 'c') +
                           "\"} 1 1747325044\n" + "z 1 1747325044\n";
  const Imported result = importText(text);
  for (const auto& [id, key] : result.recorder.series_keys) {
    EXPECT_LE(key.metric.size(), 256U);
    EXPECT_LE(key.labels.size(), 600U);
  }
  EXPECT_EQ(result.recorder.metric_samples.size(), 2U);
}

TEST(PrometheusText, StoredFilesMatchTheirFacts) {
  const std::filesystem::path data = RG_SHARED_DATA;
  if (!std::filesystem::exists(data / "facts.json")) GTEST_SKIP() << "no shared data";
  const auto kinds = nlohmann::json::parse(std::ifstream(data / "facts.json"))["kinds"];
  std::vector<std::pair<std::filesystem::path, nlohmann::json>> files;
  for (const auto& [name, fact] : kinds["prometheus_text"].items()) files.emplace_back(data / "prometheus_text" / name, fact);
  EXPECT_EQ(files.size(), 7U);
  files.emplace_back(data / "dlrover" / "xpu_timer_metric_normal_0.txt", kinds["dlrover"]["xpu_timer_metric_normal_0.txt"]["prom"]);
  for (const auto& [path, fact] : files) {
    SCOPED_TRACE(path.filename());
    const Imported result = test::importFile(path);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "prometheus_text");
    std::size_t samples = 0;
    TimeNs newest = 0;
    for (const auto& [id, columns] : result.recorder.metric_samples) {
      samples += columns.size();
      for (const TimeNs time : columns.time) newest = std::max(newest, time);
    }
    for (const auto& [id, columns] : result.recorder.scalar_points) samples += columns.size();
    EXPECT_EQ(samples, fact["samples"].get<std::size_t>());
    EXPECT_EQ(result.recorder.series_keys.size(), fact["distinct_series"].get<std::size_t>());
    EXPECT_EQ(result.recorder.issueCount("prometheus_text.bad_line"), fact["not_matched"].get<std::int64_t>());
    if (fact["max_timestamp"].is_number()) {
      EXPECT_NEAR(static_cast<double>(newest) / 1e9, fact["max_timestamp"].get<double>(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace runglass
