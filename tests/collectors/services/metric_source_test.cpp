// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/metric_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <set>

#include "tests/support/http_server.h"
#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

using test::HttpServer;
using testing::ElementsAre;
using testing::SizeIs;

constexpr TimeNs kAt = 1'700'000'000 * kNsPerSecond;

// Answers for node_load1 of `nodes` machines with a sample every second, and refuses a question about more than `limit` samples.
class FakePrometheus {
 public:
  FakePrometheus(int nodes, std::int64_t limit) : m_nodes(nodes), m_limit(limit) {}
  std::string url() const { return m_server.url(""); }
  std::vector<std::string> queries;  // read after the requests
  std::string warnings;
  int listings_without_hosts = INT_MAX;  // questions for label sets after which a scrape with the hosts' names arrives
  bool hosts_with_samples = false;       // it arrives with the first samples

 private:
  bool answer(const std::string& request, const HttpServer::Connection& to) {
    if (request.starts_with("GET /api/v1/label/__name__/values"))
      return to.answer(R"({"status":"success","data":["go_goroutines","node_cpu_seconds_total","node_load1")" +
                       std::string(m_listings >= listings_without_hosts ? ",\"node_uname_info\"" : "") + "]}");
    if (request.starts_with("GET /api/v1/metadata")) return to.answer("no such page", "text/plain", "404 Not Found");
    if (request.starts_with("POST /api/v1/series") && request.find("node_uname_info") != std::string::npos) return hosts(to);
    if (request.starts_with("POST /api/v1/series")) {
      ++m_listings;
      std::string sets;
      for (int i = 0; i < m_nodes; ++i)
        sets += std::string(i > 0 ? "," : "") + R"({"__name__":"node_load1","instance":"n)" + std::to_string(i) + ":1\"}";
      return to.answer(R"({"status":"success","data":[)" + sets + "]" + warnings + "}");
    }
    return samples(request.substr(request.find("query=")), to);
  }
  bool hosts(const HttpServer::Connection& to) const {
    std::string sets;
    for (int i = 0; i < m_nodes && m_listings >= listings_without_hosts; ++i)
      sets += std::string(i > 0 ? "," : "") + R"({"__name__":"node_uname_info","instance":"n)" + std::to_string(i) +
              R"(:1","nodename":"host-)" + std::to_string(i) + "\"}";
    return to.answer(R"({"status":"success","data":[)" + sets + "]}");
  }
  bool samples(const std::string& form, const HttpServer::Connection& to) {
    queries.push_back(form);
    if (hosts_with_samples) listings_without_hosts = 0;
    const std::int64_t window = std::stoll(form.substr(form.find("%5B") + 3)) / 1'000;
    const std::int64_t end = std::stoll(form.substr(form.find("time=") + 5));
    std::vector<int> asked;
    for (int i = 0; i < m_nodes; ++i) {
      const std::string name = "n" + std::to_string(i) + "%3A1";
      if (form.find("instance") == std::string::npos || form.find(name) != std::string::npos) asked.push_back(i);
    }
    if (static_cast<std::int64_t>(asked.size()) * window > m_limit)
      return to.answer(R"({"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"})",
                       "application/json", "422 Unprocessable Entity");
    std::string columns;
    for (const int i : asked) {
      std::string values;
      for (std::int64_t t = end - window; t <= end; ++t)
        values += (values.empty() ? "[" : ",[") + std::to_string(t) + ",\"" + std::to_string(i) + "\"]";
      columns += (columns.empty() ? "" : ",") + std::string(R"({"metric":{"__name__":"node_load1","instance":"n)") + std::to_string(i) +
                 R"(:1"},"values":[)" + values + "]}";
    }
    return to.answer(R"({"status":"success","data":{"resultType":"matrix","result":[)" + columns + "]}}");
  }

  const int m_nodes;
  const std::int64_t m_limit;
  int m_listings = 0;
  HttpServer m_server{[this](const std::string& request, const HttpServer::Connection& to) { return answer(request, to); }};
};

struct Read {
  Read(const std::string& url, QueriedPlaces places, const std::string& match = "")
      : client({.url = url}, {.timeout = 5 * kNsPerSecond, .first_pause = kNsPerMs}),
        series(url, std::move(places), nullptr),
        source(client, series, match) {}
  Status over(TimeRange range) {
    RG_TRY(source.find(range));
    return source.read(range, [this](ExporterPart part) {
      ExporterBatch batch;
      batch.add(std::move(part));
      batch.apply(out);
      return Status();
    });
  }
  QueryClient client;
  QueriedSeries series;
  MetricSource source;
  test::MemoryRecorder out;
};

TEST(MetricSource, APortionThatIsTooLargeIsAskedForInHalvesAndLosesNothing) {
  FakePrometheus prometheus(3, 200);
  Read read(prometheus.url(), {});
  const Status status = read.over({kAt, kAt + 600 * kNsPerSecond});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(read.source.metrics(), 1U) << "only names of the catalogue are asked for";
  ASSERT_THAT(read.out.series_keys, SizeIs(3));
  for (const auto& [id, columns] : read.out.metric_samples) {
    ASSERT_THAT(columns.time, SizeIs(600));
    for (std::size_t i = 0; i < 600; ++i) EXPECT_EQ(columns.time[i], kAt + static_cast<TimeNs>(i) * kNsPerSecond);
  }
}

TEST(MetricSource, WhereTimeCannotBeHalvedTheAddressesAre) {
  FakePrometheus prometheus(8, 4);
  Read read(prometheus.url(), {});
  const Status status = read.over({kAt, kAt + 4 * kNsPerSecond});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(read.out.series_keys, SizeIs(8));
  for (const auto& [id, columns] : read.out.metric_samples) EXPECT_THAT(columns.time, SizeIs(4));
}

TEST(MetricSource, ALimitThatNothingFitsIsAnErrorWithTheServersWords) {
  FakePrometheus prometheus(1, 0);
  Read read(prometheus.url(), {});
  EXPECT_THAT(read.over({kAt, kAt + 60 * kNsPerSecond}).message(), testing::HasSubstr("too many samples"));
}

TEST(MetricSource, OnlyTheAddressesOfWantedNodesAreAskedFor) {
  FakePrometheus prometheus(8, 100'000);
  Read read(prometheus.url(), {.nodes = {"n3", "n5"}, .gpus = {}}, "{cluster=\"a\"}");
  ASSERT_TRUE(read.over({kAt, kAt + 60 * kNsPerSecond}).ok());
  ASSERT_THAT(prometheus.queries, SizeIs(1));
  EXPECT_THAT(prometheus.queries[0], testing::HasSubstr("node_load1%7Bcluster%3D%22a%22%2Cinstance%3D~%22n3%3A1%7Cn5%3A1%22%7D"));
  EXPECT_THAT(read.out.nodes, SizeIs(2));
}

TEST(MetricSource, EachAnswerIsBoundedHoweverManyNodesThereAre) {
  // 2,000 machines over an hour: 480,000 samples at the usual interval.
  FakePrometheus prometheus(2'000, 0);
  Read read(prometheus.url(), {});
  EXPECT_FALSE(read.over({kAt, kAt + 3'600 * kNsPerSecond}).ok());
  EXPECT_THAT(prometheus.queries[0], testing::HasSubstr("instance")) << "the first question is about a part of them";
}

TEST(MetricSource, AWarningOfTheServerBecomesAnIssue) {
  FakePrometheus prometheus(1, 100'000);
  prometheus.warnings = R"(,"warnings":["sidecar:10901 did not answer"])";
  Read read(prometheus.url(), {});
  ASSERT_TRUE(read.over({kAt, kAt + 60 * kNsPerSecond}).ok());
  EXPECT_EQ(read.out.issueCount("prometheus.warning"), 1);
}

std::set<std::string> nodesOf(const Read& read) {
  std::set<std::string> names;
  for (const Node& node : read.out.nodes) names.insert(node.name);
  return names;
}

TEST(MetricSource, AScrapeThatArrivesWhileMetricsAreListedNamesItsHost) {
  // The names of metrics, then the label sets: the hosts are there only afterwards.
  FakePrometheus prometheus(2, 100'000);
  prometheus.listings_without_hosts = 1;
  Read read(prometheus.url(), {.nodes = {"host-1"}, .gpus = {}});
  ASSERT_TRUE(read.over({kAt, kAt + 60 * kNsPerSecond}).ok());
  EXPECT_THAT(nodesOf(read), ElementsAre("host-1")) << "a wanted node is found by its name";
}

TEST(MetricSource, AScrapeThatArrivesAfterTheListingNamesItsHost) {
  FakePrometheus prometheus(2, 100'000);
  prometheus.hosts_with_samples = true;
  Read read(prometheus.url(), {});
  ASSERT_TRUE(read.over({kAt, kAt + 60 * kNsPerSecond}).ok());
  EXPECT_THAT(nodesOf(read), ElementsAre("host-0", "host-1"));
}

TEST(MetricSource, AMachineRecordedUnderItsAddressStaysOneNodeWhenItsNameBecomesKnown) {
  FakePrometheus prometheus(2, 100'000);
  Read read(prometheus.url(), {});
  ASSERT_TRUE(read.over({kAt, kAt + 60 * kNsPerSecond}).ok());
  EXPECT_THAT(nodesOf(read), ElementsAre("n0", "n1"));
  prometheus.listings_without_hosts = 0;
  ASSERT_TRUE(read.over({kAt + 60 * kNsPerSecond, kAt + 120 * kNsPerSecond}).ok());
  // A series that was not there before.
  read.series.add({.labels = {{"__name__", "node_load5"}, {"instance", "n0:1"}}, .time = {kAt}, .value = {1}});
  const Result<ExporterPart> part = read.series.take({kAt, kAt + kNsPerSecond});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(part->nodes, SizeIs(0));
  EXPECT_THAT(nodesOf(read), ElementsAre("n0", "n1"));
}

TEST(MetricSource, ASelectorHasBraces) {
  EXPECT_TRUE(checkMatch("").ok());
  EXPECT_TRUE(checkMatch("{cluster=\"a\"}").ok());
  EXPECT_FALSE(checkMatch("cluster=\"a\"").ok());
  EXPECT_FALSE(checkMatch("{}").ok());
}

}  // namespace
}  // namespace runglass
