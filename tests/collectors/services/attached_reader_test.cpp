// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/attached_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "model/mutex.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::HttpServer;
using test::waitUntil;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeNs kAttachAt = 1'700'000'010 * kNsPerSecond;  // a multiple of the 15 s between scrapes

std::string decoded(std::string_view form) {
  std::string out;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      out += form[i];
      continue;
    }
    out += static_cast<char>(std::stoi(std::string(form.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return out;
}

// A query API with the series that a test gives it.
class ScriptedPrometheus {
 public:
  struct Column {
    std::string name, instance, labels;  // labels: JSON members after these, with a comma before each
    std::function<std::optional<double>(std::int64_t second)> value;
  };
  enum class Mood : std::uint8_t { kAnswers, kFails, kHangs };

  explicit ScriptedPrometheus(std::vector<Column> columns) : m_columns(std::move(columns)) {}
  std::string url() const { return m_server.url(""); }
  std::vector<std::string> queries() {
    const MutexLock lock(m_mutex);
    return m_queries;
  }
  std::atomic<Mood> mood = Mood::kAnswers;
  std::atomic<int> hanging = 0;

 private:
  bool answer(const std::string& request, const HttpServer::Connection& to) {
    if (mood == Mood::kFails) return to.answer("storage is offline", "text/plain", "500 Internal Server Error");
    if (mood == Mood::kHangs) {
      ++hanging;
      to.hang();
      return false;
    }
    const auto success = [&to](const std::string& data) {
      return to.answer(R"({"status":"success","data":)" + data + "}", "application/json");
    };
    if (request.starts_with("GET /api/v1/label/")) {
      std::string names;
      for (const Column& one : m_columns) names += (names.empty() ? "\"" : ",\"") + one.name + "\"";
      return success("[" + names + "]");
    }
    if (request.starts_with("GET /api/v1/metadata")) return success(R"({"DCGM_FI_DEV_GPU_UTIL":[{"type":"gauge","help":"","unit":""}]})");
    const std::string form = decoded(request.substr(request.find("\r\n\r\n") + 4));
    const bool samples = request.starts_with("POST /api/v1/query");
    std::string selector = form.substr(form.find('=') + 1, form.find("&") - form.find('=') - 1);
    std::erase(selector, '\\');
    const std::string name = selector.substr(0, selector.find_first_of("{["));
    if (samples) {
      const MutexLock lock(m_mutex);
      m_queries.push_back(selector);
    }
    std::string all;
    for (const Column& one : m_columns) {
      if (one.name != name || (selector.find("instance=~") != std::string::npos && selector.find(one.instance) == std::string::npos))
        continue;
      const std::string labels = R"({"__name__":")" + name + R"(","instance":")" + one.instance + "\"" + one.labels + "}";
      const std::string set = samples ? R"({"metric":)" + labels + R"(,"values":[)" + values(one, form) + "]}" : labels;
      all += (all.empty() ? "" : ",") + set;
    }
    return success(samples ? R"({"resultType":"matrix","result":[)" + all + "]}" : "[" + all + "]");
  }
  static std::string values(const Column& one, const std::string& form) {
    const std::int64_t window = std::stoll(form.substr(form.find('[') + 1)) / 1'000;
    const std::int64_t end = std::stoll(form.substr(form.find("time=") + 5));
    std::string all;
    for (std::int64_t t = (end - window) / 15 * 15; t <= end; t += 15)
      if (const auto value = one.value(t - kAttachAt / kNsPerSecond))
        all += (all.empty() ? "[" : ",[") + std::to_string(t) + ",\"" + std::to_string(*value) + "\"]";
    return all;
  }

  const std::vector<Column> m_columns;
  Mutex m_mutex;
  std::vector<std::string> m_queries RG_GUARDED_BY(m_mutex);
  HttpServer m_server{[this](const std::string& request, const HttpServer::Connection& to) { return answer(request, to); }};
};

// Scraped every 15 s of [from, to), in seconds after kAttachAt; the value is the second.
auto seconds(std::int64_t from, std::int64_t to) {
  return
      [from, to](std::int64_t second) { return second >= from && second < to ? std::optional(static_cast<double>(second)) : std::nullopt; };
}

std::vector<ScriptedPrometheus::Column> hourOfTwoHosts() {
  const auto without = [](std::int64_t second) {  // scrapes between 600 s and 900 s failed
    return second < 600 || second >= 900 ? seconds(0, 7'200)(second) : std::nullopt;
  };
  const auto half = [](std::int64_t) { return std::optional(50.0); };
  return {{"node_load1", "10.0.0.1:9100", "", without},
          {"node_load1", "10.0.0.2:9100", "", seconds(0, 7'200)},
          {"node_uname_info", "10.0.0.1:9100", R"(,"nodename":"gpu-01.site")", seconds(0, 7'200)},
          {"node_uname_info", "10.0.0.2:9100", R"(,"nodename":"gpu-02.site")", seconds(0, 7'200)},
          {"DCGM_FI_DEV_GPU_UTIL", "10.0.0.1:9400", R"(,"Hostname":"gpu-01","gpu":"0","UUID":"GPU-a","modelName":"H100")", seconds(0, 60)},
          {"DCGM_FI_DEV_GPU_UTIL", "10.0.0.1:9400", R"(,"Hostname":"gpu-01","gpu":"1","UUID":"GPU-b","modelName":"H100")", half},
          {"go_goroutines", "10.0.0.1:9100", "", seconds(0, 7'200)}};
}

// A run of an hour on gpu-01, whose GPU 0 and load another source recorded.
class Attached : public testing::Test {
 protected:
  void record(TimeDomain domain = TimeDomain::kUtc) {
    auto writer = std::move(m_store.writer()).value();
    const RunId run = writer->run({.name = "night", .time_domain = domain, .start = kAttachAt, .end = kAttachAt + 3'600 * kNsPerSecond});
    writer->attempt({.run = run, .key = "a", .start = kAttachAt});
    const NodeId node = writer->node({.uuid = "machine-1", .name = "gpu-01"});
    const DeviceId gpu = writer->device({.uuid = "GPU-a", .node = node, .index = 0, .kind = "gpu"});
    const std::vector<TimeNs> time{kAttachAt};
    const std::vector<double> value{7};
    writer->samples(writer->series({.node = node, .device = gpu, .metric = "power_watts", .source = "nvml", .unit = "watts"}), time, value);
    ASSERT_TRUE(writer->close().ok());
  }
  void attach(const std::string& url, DurNs timeout = 10 * kNsPerSecond) {
    m_metrics = std::make_shared<AttachedMetrics>(PrometheusAccess{.url = url}, "", timeout);
    m_reader = another();
  }
  std::unique_ptr<Reader> another() { return attachedReader(std::move(m_store.reader()).value(), m_metrics); }
  Series only(const SeriesFilter& filter) {
    auto all = m_reader->series(filter);
    EXPECT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ(all.ok() ? all->size() : 0, 1U) << filter.metric.value_or("");
    return all.ok() && !all->empty() ? all->front() : Series();
  }
  static TimeRange part(std::int64_t from, std::int64_t to) { return {kAttachAt + from * kNsPerSecond, kAttachAt + to * kNsPerSecond}; }

  TempStore m_store;
  std::shared_ptr<AttachedMetrics> m_metrics;
  std::unique_ptr<Reader> m_reader;
};

TEST_F(Attached, SeriesOfTheRunsNodesAndTimeAreThereAsIfTheyWereStoredAndTheStoreStaysAsItIs) {
  record();
  ScriptedPrometheus prometheus(hourOfTwoHosts());
  attach(prometheus.url());
  const auto all = m_reader->series({});
  ASSERT_TRUE(all.ok()) << all.status().message();
  std::vector<std::string> shown;
  for (const Series& one : *all) shown.push_back(one.key.metric + " " + one.key.source);
  EXPECT_THAT(shown, ElementsAre("power_watts nvml", "gpu_busy_ratio prometheus", "gpu_busy_ratio prometheus",
                                 "node_load1 prometheus 10.0.0.1:9100", "node_uname_info prometheus 10.0.0.1:9100"));
  const auto devices = m_reader->devices();
  ASSERT_TRUE(devices.ok());
  ASSERT_THAT(*devices, SizeIs(2)) << "GPU 0 is the store's, GPU 1 is only known to Prometheus";
  EXPECT_EQ((*devices)[1].uuid, "GPU-b");
  EXPECT_EQ((*devices)[1].node, (*devices)[0].node);

  const Series load = only({.metric = "node_load1"});
  EXPECT_EQ(load.last_x, kAttachAt + 3'600 * kNsPerSecond) << "samples after the run are not its";
  const auto samples = m_reader->samples(load.id, part(570, 930));
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_THAT(samples->value, ElementsAre(570, 585, 900, 915)) << "a failed scrape is a gap";
  const auto bins = m_reader->bins(load.id, Axis::kTime, kAttachAt, kAttachAt + 1'200 * kNsPerSecond, 4);
  ASSERT_TRUE(bins.ok());
  EXPECT_EQ((*bins)[1].count, 20);
  EXPECT_EQ((*bins)[1].min, 300);
  EXPECT_EQ((*bins)[1].last, 585);
  EXPECT_EQ((*bins)[2].count, 0);

  const Series ended = only({.device = (*devices)[0].id, .metric = "gpu_busy_ratio"});
  EXPECT_EQ(ended.last_x, kAttachAt + 45 * kNsPerSecond) << "its newest sample, however old";
  EXPECT_DOUBLE_EQ(m_reader->samples(ended.id, part(30, 60))->value.front(), 0.3) << "in the unit of a recording";
  const std::vector<SeriesId> both{load.id, (*all)[0].id, ended.id};
  const auto newest = m_reader->latest(both);
  ASSERT_TRUE(newest.ok());
  ASSERT_THAT(*newest, SizeIs(3));
  EXPECT_EQ((*newest)[0].value, 3'600);
  EXPECT_EQ((*newest)[1].value, 7);
  EXPECT_DOUBLE_EQ((*newest)[2].value, 0.45);
  const auto then = m_reader->latestAt(both, kAttachAt + 800 * kNsPerSecond);
  ASSERT_TRUE(then.ok());
  EXPECT_EQ((*then)[0].value, 585) << "the newest before the gap";

  const auto alone = std::move(m_store.reader()).value();
  EXPECT_THAT(*alone->series({}), SizeIs(1));
  EXPECT_THAT(*alone->devices(), SizeIs(1));
  EXPECT_THAT(*alone->issues(), IsEmpty());
}

TEST_F(Attached, WhatWasReadIsNotAskedForAgain) {
  record();
  ScriptedPrometheus prometheus(hourOfTwoHosts());
  attach(prometheus.url());
  const Series load = only({.metric = "node_load1"});
  ASSERT_TRUE(m_reader->samples(load.id, part(0, 1'800)).ok());
  const std::size_t asked = prometheus.queries().size();
  EXPECT_THAT(prometheus.queries().back(), HasSubstr("node_load1{instance=~\"10.0.0.1:9100\"}"));
  EXPECT_THAT(m_reader->samples(load.id, part(600, 1'500))->value, SizeIs(40));
  EXPECT_THAT(another()->samples(load.id, part(0, 300))->value, SizeIs(20)) << "another worker's Reader";
  EXPECT_EQ(prometheus.queries().size(), asked);
  EXPECT_THAT(m_reader->samples(load.id, part(0, 2'700))->value, SizeIs(160));
  EXPECT_EQ(prometheus.queries().size(), asked + 1) << "one question for all blocks that are missing";
}

TEST_F(Attached, AServerThatFailsIsAnErrorAndAnIssueUntilItAnswersAgain) {
  record();
  ScriptedPrometheus prometheus(hourOfTwoHosts());
  attach(prometheus.url());
  const Series load = only({.metric = "node_load1"}), power = only({.metric = "power_watts"});
  prometheus.mood = ScriptedPrometheus::Mood::kFails;
  const auto failed = m_reader->samples(load.id, part(0, 60));
  EXPECT_EQ(failed.status().code(), Code::kUnavailable) << "not a gap";
  EXPECT_THAT(failed.status().message(), HasSubstr("storage is offline"));
  EXPECT_THAT(m_metrics->problem(), HasSubstr("storage is offline"));
  ASSERT_THAT(*m_reader->issues(), SizeIs(1));
  EXPECT_EQ(m_reader->issues()->front().code, "prometheus.unavailable");
  EXPECT_THAT(m_reader->samples(power.id, part(0, 60))->value, ElementsAre(7)) << "the store's data does not need the server";

  prometheus.mood = ScriptedPrometheus::Mood::kAnswers;
  const std::uint64_t before = m_reader->generation();
  ASSERT_TRUE(waitUntil([&] { return m_reader->generation() > before; })) << "views ask again";
  EXPECT_THAT(m_reader->samples(load.id, part(0, 60))->value, SizeIs(4));
  EXPECT_THAT(m_metrics->problem(), IsEmpty());
  EXPECT_THAT(*m_reader->issues(), IsEmpty());
}

TEST_F(Attached, AQuestionToASilentServerEndsWithItsRequestAndOthersWaitNoLonger) {
  record();
  ScriptedPrometheus prometheus(hourOfTwoHosts());
  attach(prometheus.url(), 600 * kNsPerSecond);
  const Series load = only({.metric = "node_load1"});
  prometheus.mood = ScriptedPrometheus::Mood::kHangs;
  std::stop_source first, second;
  Status of_first, of_second;
  std::jthread asks([&] { of_first = another()->samples(load.id, part(0, 60), first.get_token()).status(); });
  ASSERT_TRUE(waitUntil([&] { return prometheus.hanging > 0; }));
  std::jthread waits([&] { of_second = another()->samples(load.id, part(0, 60), second.get_token()).status(); });
  second.request_stop();
  waits.join();
  EXPECT_EQ(of_second.code(), Code::kCancelled);
  first.request_stop();
  asks.join();
  EXPECT_EQ(of_first.code(), Code::kCancelled);
  EXPECT_THAT(m_metrics->problem(), IsEmpty()) << "a cancelled question is no failure";

  prometheus.mood = ScriptedPrometheus::Mood::kAnswers;
  EXPECT_THAT(m_reader->samples(load.id, part(0, 60))->value, SizeIs(4));
  m_metrics->stop();
  EXPECT_EQ(m_reader->series({}).status().code(), Code::kCancelled);
}

TEST_F(Attached, ARunWithoutAWallClockHasNothingThatCouldBeAttached) {
  record(TimeDomain::kRelative);
  ScriptedPrometheus prometheus(hourOfTwoHosts());
  attach(prometheus.url());
  const auto series = m_reader->series({});
  EXPECT_EQ(series.status().code(), Code::kUnavailable);
  EXPECT_THAT(series.status().message(), HasSubstr("no run of this store has a wall clock"));
  EXPECT_THAT(prometheus.queries(), IsEmpty());
}

}  // namespace
}  // namespace runglass
