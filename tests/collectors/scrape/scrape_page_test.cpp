// SPDX-License-Identifier: Apache-2.0
// Exporter pages without a network: the recorded data, and pages that are rejected.
#include "collectors/scrape/scrape_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr TimeNs kBegin = 1'700'000'000 * kNsPerSecond, kEvery = 15 * kNsPerSecond;

class Scrape : public testing::Test {
 protected:
  Scrape() {
    target.url = "http://127.0.0.1:9400/metrics";
    target.job = target.source = "test";
    place.this_node = "here";
    place.node_uuid = [](const std::string& name) { return name == "known" ? "machine-id" : std::string(); };
  }
  // The status of one scrape; its data goes to `out`.
  Status scrape(const std::string& text, const std::string& type = "text/plain; version=0.0.4", int status = 200) {
    if (!page) page = std::make_unique<ScrapePage>(target, place, series);
    now += kEvery;
    page->begin(now);
    HttpAnswer head{.status = status, .content_type = type};
    for (std::size_t at = 0; at < text.size(); at += 7)  // split like network reads
      if (!page->body(head, std::string_view(text).substr(at, 7))) break;
    Result<ExporterPart> part = page->finish(head);
    if (!part.ok()) return part.status();
    ExporterBatch batch;
    batch.add(std::move(*part));
    batch.apply(out);
    return {};
  }
  std::string nodeOf(const std::string& metric) const {
    for (const auto& [id, key] : out.series_keys)
      if (key.metric == metric) return out.nodes[key.node.value - 1].name;
    return "none";
  }

  ScrapeTarget target;
  ScrapePlace place;
  std::int64_t series = 0;
  std::unique_ptr<ScrapePage> page;
  TimeNs now = kBegin;
  test::MemoryRecorder out;
};

TEST_F(Scrape, SamplesBearTheTimeOfTheScrapeAndCountersAreCounters) {
  ASSERT_TRUE(scrape("# TYPE a_total counter\na_total{x=\"1\"} 5\nb_celsius 7\nlast 1").ok());
  ASSERT_TRUE(scrape("# TYPE a_total counter\nb_celsius 8\na_total{x=\"1\"} 6\nlast 2\n").ok());
  EXPECT_THAT(out.samplesOf("a_total", R"({"x":"1"})").time, ElementsAre(kBegin + kEvery, kBegin + 2 * kEvery));
  EXPECT_THAT(out.samplesOf("a_total").value, ElementsAre(5.0, 6.0));
  EXPECT_THAT(out.samplesOf("b_celsius").value, ElementsAre(7.0, 8.0));
  EXPECT_THAT(out.samplesOf("last").value, ElementsAre(1.0, 2.0));
  for (const auto& [id, key] : out.series_keys) {
    EXPECT_EQ(key.kind, key.metric == "a_total" ? SeriesKind::kCounter : SeriesKind::kGauge);
    EXPECT_EQ(key.source, "test");
    EXPECT_EQ(key.unit, key.metric == "b_celsius" ? "celsius" : key.metric == "a_total" ? "total" : "");
  }
  EXPECT_EQ(nodeOf("last"), "here");
}

TEST_F(Scrape, ValuesThatCannotBeOfTheirMetricAreRefusedAndReported) {
  // An exporter that prints bytes of memory as its utilization, and a failed sensor.
  ASSERT_TRUE(scrape("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 81\nDCGM_FI_DEV_MEM_COPY_UTIL{gpu=\"0\"} 85899345920\n"
                     "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 65535\nother_ratio 7\n")
                  .ok());
  EXPECT_THAT(out.samplesOf("gpu_busy_ratio").value, ElementsAre(0.81));
  EXPECT_THAT(out.samplesOf("gpu_memory_busy_ratio").value, testing::IsEmpty());
  EXPECT_THAT(out.samplesOf("temperature_celsius").value, testing::IsEmpty());
  EXPECT_THAT(out.samplesOf("other_ratio").value, ElementsAre(7.0)) << "not ours to judge";
  EXPECT_EQ(out.issueCount("scrape.implausible_value"), 2);
}

TEST_F(Scrape, ThreeGenerationsOfDcgmNamesAreOneMetricOfOneGpu) {
  ASSERT_TRUE(scrape("dcgm_power_usage{gpu=\"3\",uuid=\"GPU-1\"} 100\n").ok());
  ASSERT_TRUE(scrape("DCGM_FI_DEV_POWER_USAGE{gpu=\"3\",UUID=\"GPU-1\",modelName=\"H100\",Hostname=\"n1\"} 200\n").ok());
  ASSERT_TRUE(scrape("DCGM_FI_DEV_BOARD_POWER_WATTS{gpu=\"3\",UUID=\"GPU-1\",hostname=\"n1\",pod=\"p\",namespace=\"s\"} 300\n").ok());
  ASSERT_EQ(out.devices.size(), 1U);
  EXPECT_EQ(out.devices[0].uuid, "GPU-1");
  EXPECT_EQ(out.devices[0].index, 3);
  EXPECT_EQ(out.devices[0].kind, "gpu");
  EXPECT_EQ(out.devices[0].model, "H100");
  std::vector<double> values;
  for (const auto& [id, columns] : out.metric_samples) {
    EXPECT_EQ(out.series_keys.at(id).metric, "power_watts");
    values.insert(values.end(), columns.value.begin(), columns.value.end());
  }
  EXPECT_THAT(values, testing::UnorderedElementsAre(100.0, 200.0, 300.0));
  EXPECT_THAT(out.samplesOf("power_watts", R"({"namespace":"s","pod":"p"})").value, ElementsAre(300.0));
}

TEST_F(Scrape, UnitsOfExportersBecomeThoseOfTheCatalogue) {
  ASSERT_TRUE(scrape("DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\"} 2\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\"} 50\n"
                     "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",UUID=\"GPU-1\"} 1500\n")
                  .ok());
  EXPECT_THAT(out.samplesOf("gpu_memory_used_bytes").value, ElementsAre(2'097'152.0));
  EXPECT_THAT(out.samplesOf("gpu_busy_ratio").value, ElementsAre(0.5));
  EXPECT_THAT(out.samplesOf("energy_joules").value, ElementsAre(1.5));
}

TEST_F(Scrape, AnNpuIsADeviceWithTheTimesOfItsExporter) {
  const std::string label = "{id=\"2\",model_name=\"910B\",vdie_id=\"VDIE-7\",pcie_bus_info=\"0000:C1:00.0\",pod_name=\"p\"}";
  const std::string ms = std::to_string((kBegin + kNsPerSecond) / kNsPerMs);
  ASSERT_TRUE(scrape("npu_chip_info_power" + label + " 90 " + ms + "\n").ok());
  ASSERT_TRUE(scrape("npu_chip_info_power" + label + " 90 " + ms + "\n").ok());  // no newer value
  EXPECT_EQ(out.devices[0].uuid, "VDIE-7");
  EXPECT_EQ(out.devices[0].kind, "npu");
  EXPECT_EQ(out.devices[0].index, 2);
  EXPECT_THAT(out.samplesOf("power_watts", R"({"pod_name":"p"})").time, ElementsAre(kBegin + kNsPerSecond));
}

TEST_F(Scrape, AGpuWithoutAUuidIsItsNodesNthGpu) {
  ASSERT_TRUE(scrape("dcgm_gpu_temp{gpu=\"1\",Hostname=\"known\"} 40\n").ok());
  EXPECT_EQ(out.devices[0].uuid, "machine-id/gpu1");
}

TEST_F(Scrape, BlankValuesAreAbsent) {
  ASSERT_TRUE(
      scrape("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"G\"} 2147483632\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"G\"} 140737488355328\n"
             "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"G\"} 9223372036854775794\nx 2147483632\n")
          .ok());
  EXPECT_TRUE(out.samplesOf("temperature_celsius").value.empty());
  EXPECT_TRUE(out.samplesOf("power_watts").value.empty());
  EXPECT_TRUE(out.samplesOf("sm_clock_hertz").value.empty());
  EXPECT_THAT(out.samplesOf("x").value, ElementsAre(2'147'483'632.0));
  EXPECT_EQ(out.issueCount("scrape.blank_value"), 3);
}

class XidGauge : public Scrape {
 protected:
  void show(int xid, const std::string& more = "") {
    ASSERT_TRUE(scrape("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"" + more + "} " + std::to_string(xid) + "\n").ok());
  }
  std::vector<std::string> reported() const {
    std::vector<std::string> all;
    all.reserve(out.events.size());
    for (const Event& event : out.events) all.push_back(event.kind + " " + event.code);
    return all;
  }
};

TEST_F(XidGauge, OnlyAChangeIsAFault) {
  show(0);
  show(79, ",err_code=\"79\",err_msg=\"GPU has fallen off the bus\"");
  show(79, ",err_code=\"79\",err_msg=\"GPU has fallen off the bus\"");
  show(79, ",err_code=\"79\",err_msg=\"GPU has fallen off the bus\",pod=\"other\"");
  show(0);
  EXPECT_THAT(reported(), ElementsAre("xid 79"));
  EXPECT_EQ(out.events[0].severity, Severity::kCritical);
  EXPECT_EQ(out.devices[out.events[0].device.value - 1].uuid, "GPU-1");
  EXPECT_EQ(out.events[0].time, kBegin + 2 * kEvery);
}

TEST_F(XidGauge, AnOldValueAtFirstSightIsReportedOnceAndIsNoFault) {
  show(13);
  show(13);
  EXPECT_THAT(reported(), ElementsAre("xid_seen_last 13"));
  EXPECT_EQ(out.events[0].severity, Severity::kInfo);
  show(31);
  EXPECT_THAT(reported(), ElementsAre("xid_seen_last 13", "xid 31"));
}

TEST_F(XidGauge, AFailedScrapeTellsNothing) {
  show(0);
  EXPECT_FALSE(scrape("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"} 79\nbad bad bad\nbad bad bad\n").ok());
  EXPECT_TRUE(out.events.empty());
  show(79);
  EXPECT_THAT(reported(), ElementsAre("xid 79"));
}

TEST_F(Scrape, TheNodeIsWhatTheConfigurationSays) {
  target.node = "n7";
  ASSERT_TRUE(scrape("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"G\",Hostname=\"pod-x\"} 40\ny 1\n").ok());
  EXPECT_EQ(nodeOf("temperature_celsius"), "n7");
  EXPECT_EQ(nodeOf("y"), "n7");
}

TEST_F(Scrape, ElseItIsWhatTheSamplesSay) {
  ASSERT_TRUE(scrape("y 1\nnode_uname_info{nodename=\"known\",machine=\"x86_64\"} 1\n").ok());
  EXPECT_EQ(nodeOf("y"), "known");
  EXPECT_EQ(out.nodes[0].uuid, "machine-id");
}

TEST_F(Scrape, ElseItIsTheHostOfTheUrl) {
  target.url = "http://gpu-17:9400/metrics";
  ASSERT_TRUE(scrape("y 1\n").ok());
  EXPECT_EQ(nodeOf("y"), "gpu-17");
  EXPECT_EQ(out.nodes[0].uuid, "name:gpu-17");
}

TEST_F(Scrape, SeriesBeyondTheShareAreRefusedAndTheOthersGoOn) {
  target.most_series = 10;
  std::string explosion = "good 1\n";
  for (int i = 0; i < 100; ++i) explosion += "a{id=\"" + std::to_string(i) + "\"} 1\n";
  ASSERT_TRUE(scrape(explosion + "late 1\n").ok());
  ASSERT_TRUE(scrape("late 1\ngood 2\n").ok());
  EXPECT_EQ(series, 10);
  EXPECT_EQ(out.series_keys.size(), 10U);
  EXPECT_THAT(out.samplesOf("good").value, ElementsAre(1.0, 2.0));
  EXPECT_EQ(out.issueCount("scrape.too_many_series"), 92 + 1);
}

TEST_F(Scrape, SeriesThatAreGoneForADayGiveTheirPlaceBack) {
  target.most_series = 2;
  ASSERT_TRUE(scrape("a 1\nb 1\n").ok());
  ASSERT_TRUE(scrape("a 2\nc 1\n").ok());
  EXPECT_EQ(out.issueCount("scrape.too_many_series"), 1);
  now += TargetState::kForgottenAfter - kEvery;
  ASSERT_TRUE(scrape("a 3\n").ok());
  ASSERT_TRUE(scrape("a 4\nc 2\n").ok());
  EXPECT_THAT(out.samplesOf("c").value, ElementsAre(2.0));
  EXPECT_THAT(out.samplesOf("b").value, ElementsAre(1.0));
  EXPECT_EQ(series, 2);
}

TEST_F(Scrape, LongLabelSetsAreRefused) {
  std::string many = "m{";
  for (int i = 0; i < 65; ++i) many += "l" + std::to_string(i) + "=\"x\",";
  ASSERT_TRUE(scrape(many + "} 1\nlong{l=\"" + std::string(5'000, 'x') + "\"} 1\n" + std::string(300, 'n') + " 1\nok 1\n").ok());
  EXPECT_EQ(out.series_keys.size(), 1U);
  EXPECT_EQ(out.issueCount("scrape.long_labels"), 3);
}

TEST_F(Scrape, OddLinesAreCountedAndTheRestCounts) {
  ASSERT_TRUE(scrape("a 1\nrub\x1b[31mbish\nb 2\na 3\nfuture 1 " + std::to_string((kBegin / kNsPerMs) + 3'600'000) + "\n").ok());
  EXPECT_THAT(out.samplesOf("a").value, ElementsAre(1.0));
  EXPECT_THAT(out.samplesOf("future").time, ElementsAre(kBegin + kEvery));
  EXPECT_EQ(out.issueCount("scrape.bad_line"), 1);
  EXPECT_EQ(out.issueCount("scrape.repeated_sample"), 1);
  EXPECT_EQ(out.issueCount("scrape.absurd_time"), 1);
  for (const Issue& issue : out.issues) EXPECT_EQ(issue.detail.find('\x1b'), std::string::npos);
}

TEST_F(Scrape, WhatIsNoPageOfMetricsDoesNotCount) {
  EXPECT_THAT(scrape("a 1\n", "text/html").message(), HasSubstr("text/html, which is no metrics"));
  EXPECT_THAT(scrape("a 1\n", "text/plain", 503).message(), HasSubstr("HTTP status 503"));
  EXPECT_THAT(scrape("", "text/plain", 302).message(), HasSubstr("redirects are not followed"));
  EXPECT_THAT(scrape("<html>\n<body>\nhello world here\n").message(), HasSubstr("no metrics: <html>"));
  EXPECT_THAT(scrape("a 1\n", "application/openmetrics-text; version=1.0.0").message(), HasSubstr("ends before its # EOF"));
  EXPECT_TRUE(out.series_keys.empty());
  ASSERT_TRUE(scrape("a 1 1700000001\n# EOF\n", "application/openmetrics-text; version=1.0.0").ok());
  EXPECT_THAT(out.samplesOf("a").time, ElementsAre(kBegin + kNsPerSecond));
}

TEST_F(Scrape, MoreSamplesThanAllowedAreRefusedAsAWhole) {
  std::string text;
  for (std::size_t i = 0; i <= ScrapePage::kMaxSamples; ++i) text += "a 1\n";
  EXPECT_EQ(scrape(text).code(), Code::kResourceExhausted);
  EXPECT_TRUE(out.metric_samples.empty());
}

}  // namespace
}  // namespace runglass
