// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/queried_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/scrape/scrape_page.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr TimeNs kAt = 1'700'000'000 * kNsPerSecond;
constexpr TimeRange kAll{kAt, kAt + 3'600 * kNsPerSecond};

// Seconds after kAt.
QueriedColumn column(MetricLabels labels, std::vector<int> seconds, std::vector<double> values) {
  QueriedColumn out{.labels = std::move(labels), .time = {}, .value = std::move(values)};
  for (const int second : seconds) out.time.push_back(kAt + second * kNsPerSecond);
  return out;
}

MetricLabels gpu(const std::string& metric, const std::string& index, MetricLabels more = {}) {
  MetricLabels labels{{"Hostname", "gpu-01"}, {"UUID", "GPU-" + index},      {"__name__", metric}, {"gpu", index},
                      {"job", "dcgm"},        {"instance", "10.0.0.1:9400"}, {"modelName", "H100"}};
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

void record(QueriedSeries& series, Recorder& out, TimeRange range = kAll) {
  Result<ExporterPart> part = series.take(range);
  ASSERT_TRUE(part.ok()) << part.status().message();
  ExporterBatch batch;
  batch.add(std::move(*part));
  batch.apply(out);
}

TEST(QueriedSeries, AMetricMeansTheSameAsWhenItIsScraped) {
  QueriedSeries asked("http://prom", {}, nullptr);
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "3", {{"pod", "train-0"}}), {0, 15}, {100, 200}));
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "3", {{"err_code", "31"}}), {0}, {31}));
  test::MemoryRecorder of_query;
  record(asked, of_query);

  const ScrapeTarget target{.url = "http://10.0.0.1:9400/metrics", .job = "dcgm", .source = "dcgm"};
  const ScrapePlace place;
  std::int64_t count = 0;
  ScrapePage page(target, place, count);
  page.begin(kAt);
  const HttpAnswer head{.status = 200, .content_type = "text/plain"};
  page.body(head,
            "# TYPE DCGM_FI_DEV_FB_USED gauge\n"
            "DCGM_FI_DEV_FB_USED{gpu=\"3\",UUID=\"GPU-3\",modelName=\"H100\",Hostname=\"gpu-01\",pod=\"train-0\"} 100\n"
            "DCGM_FI_DEV_XID_ERRORS{gpu=\"3\",UUID=\"GPU-3\",modelName=\"H100\",Hostname=\"gpu-01\",err_code=\"31\"} 31\n");
  Result<ExporterPart> part = page.finish(head);
  ASSERT_TRUE(part.ok());
  ExporterBatch batch;
  batch.add(std::move(*part));
  test::MemoryRecorder of_scrape;
  batch.apply(of_scrape);

  for (const char* metric : {"gpu_memory_used_bytes", "last_xid"}) {
    const auto keyOf = [&](const test::MemoryRecorder& all) {
      for (const auto& [id, key] : all.series_keys)
        if (key.metric == metric) return key;
      return SeriesKey();
    };
    const SeriesKey queried = keyOf(of_query), scraped = keyOf(of_scrape);
    EXPECT_EQ(queried.metric, metric);
    EXPECT_EQ(queried.labels, scraped.labels);
    EXPECT_EQ(queried.unit, scraped.unit);
    EXPECT_EQ(queried.kind, scraped.kind);
    EXPECT_EQ(of_query.samplesOf(metric).value.front(), of_scrape.samplesOf(metric).value.front());
  }
  ASSERT_THAT(of_query.devices, SizeIs(1));
  EXPECT_EQ(of_query.devices[0].uuid, of_scrape.devices[0].uuid);
  EXPECT_EQ(of_query.devices[0].model, "H100");
  EXPECT_EQ(of_query.nodes[of_query.devices[0].node.value - 1].name, "gpu-01");
  EXPECT_EQ(of_query.events[0].kind, "xid_seen_last");
}

TEST(QueriedSeries, AMachineIsNamedByHostnameThenByUnameThenByItsAddress) {
  QueriedSeries asked("http://prom", {}, nullptr);
  asked.learnHosts({{{"__name__", "node_uname_info"}, {"instance", "10.0.0.2:9100"}, {"nodename", "gpu-02"}},
                    {{"Hostname", "gpu-03"}, {"__name__", "DCGM_FI_DEV_GPU_TEMP"}, {"gpu", "0"}, {"instance", "10.0.0.3:9400"}}});
  EXPECT_EQ(asked.nodeOf({{"Hostname", "gpu-09"}, {"__name__", "DCGM_FI_DEV_GPU_TEMP"}, {"gpu", "0"}, {"instance", "10.0.0.2:9100"}}),
            "gpu-09");
  EXPECT_EQ(asked.nodeOf({{"__name__", "node_load1"}, {"instance", "10.0.0.2:9100"}}), "gpu-02");
  EXPECT_EQ(asked.nodeOf({{"__name__", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"}, {"gpu", "0"}, {"instance", "10.0.0.3:9400"}}), "gpu-03");
  EXPECT_EQ(asked.nodeOf({{"__name__", "node_load1"}, {"instance", "gpu-04.example:9100"}}), "gpu-04.example");
  EXPECT_EQ(asked.nodeOf({{"__name__", "node_load1"}, {"instance", "[fd00::1]:9100"}}), "fd00::1");
  EXPECT_EQ(asked.nodeOf({{"__name__", "node_load1"}}), std::nullopt);
}

TEST(QueriedSeries, TimeThatIsQueriedAgainAddsOnlyTheSamplesThatCameLate) {
  QueriedSeries asked("http://prom", {}, nullptr, 60 * kNsPerSecond);
  test::MemoryRecorder out;
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "0"), {0, 15, 45}, {1, 2, 4}));
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0"), {0, 15, 45}, {0, 31, 79}));
  record(asked, out);
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "0"), {0, 15, 30, 45, 60}, {1, 2, 3, 4, 5}));
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "1"), {0, 60}, {0x7FFFFFF0, 7}));
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0"), {0, 15, 30, 45, 60}, {0, 31, 31, 79, 79}));
  record(asked, out);
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "0"), {30, 45, 60}, {3, 4, 5}));
  asked.add(column(gpu("DCGM_FI_DEV_FB_USED", "1"), {0, 60}, {0x7FFFFFF0, 7}));
  record(asked, out);
  const SampleColumns memory = out.samplesOf("gpu_memory_used_bytes", "*", DeviceId{1});
  std::map<TimeNs, double> by_time;
  for (std::size_t i = 0; i < memory.time.size(); ++i) by_time[memory.time[i] - kAt] = memory.value[i] / (1 << 20);
  EXPECT_THAT(memory.time, SizeIs(5)) << "nothing twice";
  EXPECT_THAT(by_time, ElementsAre(Pair(0, 1), Pair(15 * kNsPerSecond, 2), Pair(30 * kNsPerSecond, 3), Pair(45 * kNsPerSecond, 4),
                                   Pair(60 * kNsPerSecond, 5)));
  EXPECT_EQ(out.issueCount("prometheus.blank_value"), 1) << "a refused value is counted once as well";
  std::vector<std::string> kinds;
  for (const Event& event : out.events) kinds.push_back(event.kind);
  EXPECT_THAT(kinds, ElementsAre("xid", "xid")) << "a late reading is no change";
}

TEST(QueriedSeries, OnlyWantedNodesAndGpusAreRecordedUnderTheWantedName) {
  QueriedSeries asked("http://prom", {.nodes = {"gpu-01", "gpu-05"}, .gpus = {{"gpu-01", {1}}}}, nullptr);
  MetricLabels qualified = gpu("DCGM_FI_DEV_GPU_TEMP", "1");
  qualified[0].second = "gpu-01.cluster.example";
  asked.add(column(qualified, {0}, {40}));
  asked.add(column(gpu("DCGM_FI_DEV_GPU_TEMP", "0"), {0}, {41}));
  asked.add(column({{"__name__", "node_load1"}, {"instance", "gpu-01:9100"}}, {0}, {2}));
  asked.add(column({{"__name__", "node_load1"}, {"instance", "gpu-02:9100"}}, {0}, {2}));
  test::MemoryRecorder out;
  record(asked, out);
  ASSERT_THAT(out.nodes, SizeIs(1));
  EXPECT_EQ(out.nodes[0].name, "gpu-01");
  ASSERT_THAT(out.devices, SizeIs(1));
  EXPECT_EQ(out.devices[0].index, 1);
  EXPECT_THAT(out.series_keys, SizeIs(2));
  EXPECT_THAT(asked.silentNodes(), ElementsAre("gpu-05"));
  EXPECT_THAT(out.issues, IsEmpty());
}

TEST(QueriedSeries, AWantedNodeIsRecordedFromWhenItsNameIsKnown) {
  QueriedSeries asked("http://prom", {.nodes = {"gpu-02"}, .gpus = {}}, nullptr);
  test::MemoryRecorder out;
  const MetricLabels load{{"__name__", "node_load1"}, {"instance", "10.0.0.2:9100"}};
  asked.add(column(load, {0}, {1}));
  record(asked, out);
  EXPECT_THAT(out.nodes, IsEmpty());
  EXPECT_EQ(asked.unnamedInstance(load), "10.0.0.2:9100");
  asked.learnHosts({{{"__name__", "node_uname_info"}, {"instance", "10.0.0.2:9100"}, {"nodename", "gpu-02"}}});
  asked.add(column(load, {15}, {2}));
  record(asked, out);
  ASSERT_THAT(out.nodes, SizeIs(1));
  EXPECT_EQ(out.nodes[0].name, "gpu-02");
}

TEST(QueriedSeries, CountersAreThoseOfTheMetadataTheCatalogueOrTheName) {
  QueriedSeries asked("http://prom", {}, nullptr);
  asked.learnTypes({{"nccl_ops", "counter"}});
  asked.add(column({{"__name__", "nccl_ops"}, {"instance", "a:1"}}, {0}, {1}));
  asked.add(column({{"__name__", "node_network_receive_bytes_total"}, {"instance", "a:1"}}, {0}, {1}));
  asked.add(column(gpu("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0"), {0}, {1'000}));
  asked.add(column({{"__name__", "node_load1"}, {"instance", "a:1"}}, {0}, {1}));
  test::MemoryRecorder out;
  record(asked, out);
  std::map<std::string, SeriesKind> kinds;
  for (const auto& [id, key] : out.series_keys) kinds[key.metric] = key.kind;
  EXPECT_EQ(kinds["nccl_ops"], SeriesKind::kCounter);
  EXPECT_EQ(kinds["node_network_receive_bytes_total"], SeriesKind::kCounter);
  EXPECT_EQ(kinds["energy_joules"], SeriesKind::kCounter);
  EXPECT_EQ(kinds["node_load1"], SeriesKind::kGauge);
}

TEST(QueriedSeries, BlankAndImpossibleValuesAreIssuesAndGapsStayGaps) {
  QueriedSeries asked("http://prom", {}, nullptr);
  asked.add(column(gpu("DCGM_FI_DEV_GPU_TEMP", "0"), {0, 15, 90}, {40, 0x7FFFFFF0, 5'000}));
  asked.add(column(gpu("DCGM_FI_DEV_GPU_TEMP", "1"), {0, 120}, {40, 41}));
  test::MemoryRecorder out;
  record(asked, out);
  EXPECT_EQ(out.issueCount("prometheus.blank_value"), 1);
  EXPECT_EQ(out.issueCount("prometheus.implausible_value"), 1);
  EXPECT_THAT(out.samplesOf("temperature_celsius", "*", DeviceId{1}).time, ElementsAre(kAt));
  EXPECT_THAT(out.samplesOf("temperature_celsius", "*", DeviceId{2}).time, ElementsAre(kAt, kAt + 120 * kNsPerSecond));
}

TEST(QueriedSeries, AnXidIsAChangeOfTheGaugeWhateverItsLabels) {
  QueriedSeries asked("http://prom", {}, nullptr);
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0", {{"err_code", "79"}}), {45, 60}, {79, 79}));
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0", {{"err_code", "31"}}), {0, 15}, {31, 31}));
  asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0", {{"err_code", "79"}, {"pod", "b"}}), {75}, {79}));
  test::MemoryRecorder out;
  record(asked, out);
  ASSERT_THAT(out.events, SizeIs(2));
  EXPECT_EQ(out.events[0].kind, "xid_seen_last");
  EXPECT_EQ(out.events[1].kind, "xid");
  EXPECT_EQ(out.events[1].code, "79");
  EXPECT_EQ(out.events[1].time, kAt + 45 * kNsPerSecond);
}

TEST(QueriedSeries, AnOverlappingWindowDoublesNeitherSamplesNorEvents) {
  TempStore store;
  const auto import = [&](int from, int to) {
    auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    auto reader = store.reader();
    ASSERT_TRUE(reader.ok());
    StoredSeries stored(**reader);
    ASSERT_TRUE(stored.load().ok());
    QueriedSeries asked("http://prom", {}, &stored);
    std::vector<int> seconds;
    std::vector<double> load, xid;
    for (int s = from; s < to; s += 15) seconds.push_back(s), load.push_back(s), xid.push_back(s < 100 ? 0 : s < 300 ? 31 : 79);
    asked.add(column({{"__name__", "node_load1"}, {"instance", "gpu-01:9100"}}, seconds, load));
    asked.add(column(gpu("DCGM_FI_DEV_XID_ERRORS", "0"), seconds, xid));
    record(asked, **writer, {kAt + from * kNsPerSecond, kAt + to * kNsPerSecond});
    reader->reset();
    const Status closed = (*writer)->close();
    ASSERT_TRUE(closed.ok()) << closed.message();
  };
  import(150, 300);
  import(0, 600);
  import(0, 600);
  import(300, 450);
  auto reader = store.reader();
  ASSERT_TRUE(reader.ok());
  const auto all = (*reader)->series({});
  ASSERT_THAT(*all, SizeIs(2));
  for (const Series& series : *all) {
    const auto samples = (*reader)->samples(series.id, {});
    ASSERT_EQ(samples->size(), 40U) << series.key.metric;
    for (std::size_t i = 0; i < samples->size(); ++i) EXPECT_EQ(samples->time[i], kAt + static_cast<TimeNs>(i) * 15 * kNsPerSecond);
  }
  std::vector<std::pair<std::string, std::string>> events;
  const auto found = (*reader)->events({});
  for (const Event& event : *found) events.emplace_back(event.kind, event.code);
  EXPECT_THAT(events,
              testing::UnorderedElementsAre(testing::Pair("xid_seen_last", "31"), testing::Pair("xid", "31"), testing::Pair("xid", "79")));
}

}  // namespace
}  // namespace runglass
