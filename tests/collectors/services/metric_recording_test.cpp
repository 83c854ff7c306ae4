// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/metric_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "tests/support/http_server.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::HttpServer;
using test::waitUntil;

constexpr std::int64_t kScrapeEvery = 15;

// Has a sample of node_load1 every 15 s since 1970, whose value is its time.
class TimedPrometheus {
 public:
  std::string url() const { return m_server.url(""); }
  std::atomic<bool> fails = false;
  std::atomic<int> answers = 0, failures = 0;

 private:
  bool answer(const std::string& request, const HttpServer::Connection& to) {
    if (fails && ++failures > 0) return to.answer("no", "text/plain", "500 Internal Server Error");
    if (request.starts_with("GET /api/v1/label")) return to.answer(R"({"status":"success","data":["node_load1"]})");
    if (request.starts_with("POST /api/v1/series"))
      return to.answer(R"({"status":"success","data":[{"__name__":"node_load1","instance":"n1:9100"}]})");
    if (!request.starts_with("POST /api/v1/query")) return to.answer("no such page", "text/plain", "404 Not Found");
    ++answers;
    const std::int64_t window = std::stoll(request.substr(request.find("%5B") + 3)) / 1'000;
    const std::int64_t end = std::stoll(request.substr(request.find("time=") + 5));
    std::string values;
    for (std::int64_t t = (end - window) / kScrapeEvery * kScrapeEvery; t <= end; t += kScrapeEvery)
      values += (values.empty() ? "[" : ",[") + std::to_string(t) + ",\"" + std::to_string(t) + "\"]";
    return to.answer(R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"node_load1",)"
                     R"("instance":"n1:9100"},"values":[)" +
                     values + "]}]}}");
  }
  HttpServer m_server{[this](const std::string& request, const HttpServer::Connection& to) { return answer(request, to); }};
};

TEST(MetricRecording, ALaterRecordingContinuesWhereTheLastOneEndedAndRepeatsNothing) {
  const TempStore store;
  TimedPrometheus server;
  const std::string mark = "prometheus:" + server.url() + " ";
  const TimeNs begun = wallNow(), stopped_at = begun - 3 * 3'600 * kNsPerSecond;
  const auto record = [&](const std::function<bool()>& enough) {
    const auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    if (!(*writer)->importMark(mark)) (*writer)->setImportMark(mark, {.identity = "prometheus", .offset = stopped_at});
    {
      MetricRecording recording({.access = {.url = server.url()},
                                 .places = {},
                                 .match = "",
                                 .interval = 20 * kNsPerMs,
                                 .reader = [&] { return store.reader({.live = (*writer)->liveTail()}); },
                                 .node_uuid = {},
                                 .report = [](const std::string&) {}},
                                [&](const std::function<void(Writer&)>& action) { action(**writer); });
      EXPECT_TRUE(waitUntil(enough));
    }
    EXPECT_GT((*writer)->importMark(mark)->offset, stopped_at);
    EXPECT_TRUE((*writer)->close().ok());
  };
  // Three hours are 18 parts and the newest one.
  record([&] { return server.answers >= 25; });
  server.answers = 0, server.fails = true;
  record([&] {
    if (server.failures >= 2) server.fails = false;
    return server.answers >= 3;
  });
  server.answers = 0;
  record([&] { return server.answers >= 3; });

  const auto reader = store.reader();
  ASSERT_TRUE(reader.ok());
  const auto series = (*reader)->series({});
  ASSERT_EQ(series->size(), 1U);
  const auto samples = (*reader)->samples(series->front().id, {0, INT64_MAX});
  ASSERT_TRUE(samples.ok());
  const std::set<TimeNs> times(samples->time.begin(), samples->time.end());
  EXPECT_EQ(times.size(), samples->time.size()) << "nothing twice";
  const std::int64_t first = *times.begin() / kNsPerSecond, last = *times.rbegin() / kNsPerSecond;
  EXPECT_NEAR(static_cast<double>(first), static_cast<double>((stopped_at - MetricRecording::kOverlap) / kNsPerSecond), kScrapeEvery);
  EXPECT_GE(last, begun / kNsPerSecond - kScrapeEvery);
  EXPECT_EQ(static_cast<std::int64_t>(times.size()), (last - first) / kScrapeEvery + 1) << "nothing is missing";
}

}  // namespace
}  // namespace runglass
