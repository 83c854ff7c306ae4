// SPDX-License-Identifier: Apache-2.0
// A page of an exporter means the same whichever way it arrives: imported from a file, scraped, queried from a Prometheus, received from
// one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "collectors/hub/receivers/sender_session.h"
#include "collectors/scrape/scrape_page.h"
#include "collectors/services/prometheus/queried_series.h"
#include "collectors/wire/payload_replay.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/receivers/write_body.h"
#include "tests/collectors/importers/import_fixture.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

constexpr std::int64_t kMs = 1'700'000'000'000;
constexpr TimeNs kAt = kMs * kNsPerMs;

// Pages of an exporter a minute apart: dcgm-exporter's and npu-exporter's, with a new fault on the second page that stays on the third.
std::vector<std::string> pages() {
  std::vector<std::string> out;
  for (int minute = 0; minute < 4; ++minute) {
    const std::string time = " " + std::to_string(kMs + minute * 60'000) + "\n";
    const std::string gpu = R"({gpu="3",UUID="GPU-3",modelName="H100",Hostname="gpu-01"})",
                      npu = R"({id="2",vdie_id="D2",model_name="910B"})";
    out.push_back("DCGM_FI_DEV_FB_USED" + gpu + " " + std::to_string(100 + minute) + time +  //
                  "DCGM_FI_DEV_XID_ERRORS" + gpu + (minute == 0 ? " 31" : " 79") + time +    //
                  "npu_chip_info_temperature" + npu + " 45" + time +                         //
                  "npu_chip_info_error_code" + npu + (minute == 1 || minute == 2 ? " 2152857600" : " 0") + time + "node_load1 " +
                  std::to_string(minute) + time);
  }
  return out;
}

MetricLabels labelsOf(const ExpositionParser::Sample& sample) {
  MetricLabels labels{{"__name__", std::string(sample.name)}, {"instance", "gpu-01:9400"}, {"job", "exporter"}};
  for (const auto& [name, value] : sample.labels) labels.emplace_back(name, value);
  return labels;
}

// Samples and events, without the names of sources and nodes, which depend on the way.
std::multiset<std::string> rowsOf(const test::MemoryRecorder& all) {
  std::multiset<std::string> rows;
  const auto uuid = [&](DeviceId id) { return id ? all.devices.at(id.value - 1).uuid : std::string(); };
  for (const auto& [id, key] : all.series_keys) {
    const SampleColumns samples = all.samplesOf(key.metric, "*", key.device);
    for (std::size_t i = 0; i < samples.size(); ++i)
      rows.insert(key.metric + " " + uuid(key.device) + " " + key.labels + " " + key.unit + " " +
                  std::to_string(static_cast<int>(key.kind)) + " " + std::to_string((samples.time[i] - kAt) / kNsPerMs) + " " +
                  std::to_string(samples.value[i]));
  }
  for (const Event& event : all.events)
    rows.insert(event.kind + " " + uuid(event.device) + " " + event.code + " " + std::to_string((event.time.value_or(0) - kAt) / kNsPerMs) +
                " " + event.message);
  return rows;
}

std::multiset<std::string> imported() {
  std::string page;
  for (const std::string& one : pages()) page += one;
  return rowsOf(test::importText(page).recorder);
}

std::multiset<std::string> scraped() {
  const ScrapeTarget target{.url = "http://gpu-01:9400/metrics", .job = "exporter", .source = "exporter"};
  const ScrapePlace place;
  std::int64_t count = 0;
  ScrapePage page(target, place, count);
  test::MemoryRecorder out;
  TimeNs now = kAt;
  for (const std::string& text : pages()) {
    page.begin(now);
    now += 60 * kNsPerSecond;
    const HttpAnswer head{.status = 200, .content_type = "text/plain"};
    page.body(head, text);
    Result<ExporterPart> part = page.finish(head);
    EXPECT_TRUE(part.ok()) << part.status().message();
    ExporterBatch batch;
    batch.add(std::move(*part));
    batch.apply(out);
  }
  return rowsOf(out);
}

// Calls `use` with each sample of the pages.
void eachSample(const std::function<void(const ExpositionParser::Sample&)>& use) {
  for (const std::string& page : pages()) {
    ExpositionParser parser;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = page.find('\n', begin)) != std::string::npos; begin = end + 1)
      if (parser.line(std::string_view(page).substr(begin, end - begin)) == ExpositionParser::Line::kSample) use(parser.sample());
  }
}

std::multiset<std::string> queried() {
  QueriedSeries asked("http://prom", {}, nullptr);
  eachSample([&](const ExpositionParser::Sample& sample) {
    asked.add({.labels = labelsOf(sample), .time = {*sample.time}, .value = {sample.value}});
  });
  Result<ExporterPart> part = asked.take({kAt, kAt + 3'600 * kNsPerSecond});
  EXPECT_TRUE(part.ok());
  ExporterBatch batch;
  batch.add(std::move(*part));
  test::MemoryRecorder out;
  batch.apply(out);
  return rowsOf(out);
}

std::multiset<std::string> received() {
  const test::TempFolder folder;
  EXPECT_TRUE(openStore(folder.file("s.rgl")).writer().ok());
  test::MemoryRecorder out;
  std::unique_ptr<PayloadReplay> replay;
  ReceiverPort port;
  port.deliver = [&](const ReceivedBatch& batch) {
    if (batch.begins) replay = std::make_unique<PayloadReplay>(batch.sender);
    replay->play(batch.definitions, out);
    replay->play(batch.payload, out);
    batch.done({});
  };
  port.settle = [] {};
  port.commit = [] { return Status(); };
  port.reader = [&] { return openStore(folder.file("s.rgl")).reader(); };
  SenderSession session("receiver/prom", port, {});
  test::WriteBody body;
  eachSample([&](const ExpositionParser::Sample& sample) { body.series(labelsOf(sample), {{*sample.time / kNsPerMs, sample.value}}); });
  EXPECT_TRUE(session.take({.bytes = body.bytes(), .address = "127.0.0.1"}, kAt + 600 * kNsPerSecond, [](const Status&) {}).ok());
  return rowsOf(out);
}

TEST(SamePage, GivesTheSameRowsImportedScrapedQueriedOrReceived) {
  const std::multiset<std::string> expected = scraped();
  std::multiset<std::string> faults;
  for (const std::string& row : expected)
    if (row.find("xid") == 0 || row.find("npu_fault") == 0) faults.insert(row.substr(0, row.find(':')));
  EXPECT_THAT(faults,
              testing::UnorderedElementsAre(testing::StartsWith("xid_seen_last GPU-3 31 0 "), testing::StartsWith("xid GPU-3 79 60000 "),
                                            testing::StartsWith("npu_fault D2 80520000 60000 ")));
  EXPECT_EQ(queried(), expected);
  EXPECT_EQ(received(), expected);
  EXPECT_EQ(imported(), expected);
}

}  // namespace
}  // namespace runglass
