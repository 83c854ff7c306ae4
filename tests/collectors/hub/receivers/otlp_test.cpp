// SPDX-License-Identifier: Apache-2.0
// OTLP requests: what is read of them, what they mean in a store, what is stored once, and what a bomb costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/wire/wire_writer.h"
#include "tests/collectors/hub/receivers/sender_fixture.h"

namespace runglass {
namespace {

using test::kNowMs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string nanos(std::int64_t ms) { return "\"" + std::to_string(ms) + "000000\""; }
std::string text(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + R"("}})";
}
std::string number(const std::string& key, int value) {
  return R"({"key":")" + key + R"(","value":{"intValue":")" + std::to_string(value) + R"("}})";
}

// A request around metrics, spans or log records.
std::string request(OtlpSignal signal, const std::string& resource, const std::string& items) {
  const char* const kind = signal == OtlpSignal::kMetrics ? "Metrics" : signal == OtlpSignal::kLogs ? "Logs" : "Spans";
  const char* const field = signal == OtlpSignal::kMetrics ? "metrics" : signal == OtlpSignal::kLogs ? "logRecords" : "spans";
  return R"({"resource)" + std::string(kind) + R"(":[{"resource":{"attributes":[)" + resource + R"(]},"scope)" + kind +
         R"(":[{"scope":{"name":"lib"},")" + field + "\":[" + items + "]}]}]}";
}
std::string metrics(const std::string& resource, const std::string& items) { return request(OtlpSignal::kMetrics, resource, items); }

std::string gauge(const std::string& name, const std::string& unit, double value, std::int64_t ms = kNowMs,
                  const std::string& attributes = "") {
  return R"({"name":")" + name + R"(","unit":")" + unit + R"(","gauge":{"dataPoints":[{"timeUnixNano":)" + nanos(ms) + R"(,"asDouble":)" +
         std::to_string(value) + R"(,"attributes":[)" + attributes + "]}]}}";
}
std::string sum(const std::string& name, int temporality, bool monotonic, int value, std::int64_t ms) {
  return R"({"name":")" + name + R"(","unit":"{request}","sum":{"aggregationTemporality":)" + std::to_string(temporality) +
         R"(,"isMonotonic":)" + (monotonic ? "true" : "false") + R"(,"dataPoints":[{"timeUnixNano":)" + nanos(ms) + R"(,"asInt":")" +
         std::to_string(value) + R"("}]}})";
}

const std::string kHost = text("host.name", "gpu-01") + "," + text("service.name", "trainer");

class Otlp : public test::Sender {
 protected:
  std::map<std::string, Series> all() {
    std::map<std::string, Series> out;
    for (const Series& series : reader()->series({}).value()) out[series.key.metric + series.key.labels] = series;
    return out;
  }
  std::vector<double> values(const std::string& metric) {
    std::vector<double> out;
    for (const auto& [time, value] : points(metric)) out.push_back(value);
    return out;
  }
};

TEST_F(Otlp, MetricsHaveTheNamesAndUnitsOfTheCatalogueOrTheirOwn) {
  const std::string gpu = text("hw.id", "GPU-7") + "," + text("hw.type", "gpu") + "," + text("hw.name", "NVIDIA H100");
  EXPECT_EQ(send(OtlpSignal::kMetrics,
                 metrics(kHost, gauge("hw.temperature", "Cel", 61, kNowMs, gpu) + "," + gauge("queue.wait", "ms", 250) + "," +
                                    gauge("buffer", "MiBy", 2) + "," + gauge("ratio.thing", "1", 0.5) + "," + gauge("odd", "furlong", 3) +
                                    "," + gauge("DCGM_FI_DEV_FB_USED", "", 4, kNowMs, text("UUID", "GPU-7") + "," + text("gpu", "0"))))
                .stored,
            6);
  const auto series = all();
  EXPECT_THAT(values("temperature_celsius"), ElementsAre(61));
  EXPECT_THAT(values("queue.wait"), ElementsAre(250e6));
  EXPECT_THAT(values("buffer"), ElementsAre(2.0 * (1 << 20)));
  EXPECT_THAT(values("gpu_memory_used_bytes"), ElementsAre(4.0 * (1 << 20)));
  for (const auto& [name, one] : series) {
    if (one.key.metric == "queue.wait") EXPECT_EQ(one.key.unit, "ns");
    if (one.key.metric == "buffer") EXPECT_EQ(one.key.unit, "bytes");
    if (one.key.metric == "odd") EXPECT_THAT(one.key.labels, HasSubstr(R"("unit":"furlong")"));
    if (one.key.metric == "temperature_celsius") EXPECT_TRUE(one.key.device);
  }
  const auto devices = reader()->devices().value();
  ASSERT_THAT(devices, SizeIs(1)) << "DCGM and hw.* name the same GPU";
  EXPECT_EQ(devices[0].model, "NVIDIA H100");
  EXPECT_EQ(reader()->nodes().value().at(0).uuid, "machine-1");
}

TEST_F(Otlp, SumsAreCountersOfTheirTotalWhateverTheTemporality) {
  for (int i = 1; i <= 3; ++i) {
    const std::int64_t at = kNowMs + i * 1'000;
    const std::string body = metrics(kHost, sum("cumulative", 2, true, 10 * i, at) + "," + sum("delta", 1, true, i, at) + "," +
                                                sum("level", 1, false, i == 2 ? -5 : 1, at));
    EXPECT_EQ(send(OtlpSignal::kMetrics, body).stored, 3);
    EXPECT_EQ(send(OtlpSignal::kMetrics, body).repeated, 3) << "a retry adds nothing";
  }
  EXPECT_THAT(values("cumulative"), ElementsAre(10, 20, 30));
  EXPECT_THAT(values("delta"), ElementsAre(1, 3, 6));
  EXPECT_THAT(values("level"), ElementsAre(1, -4, -3));
  // A restarted hub continues from the stored total.
  ASSERT_TRUE(m_writer->flush().ok());
  restart();
  EXPECT_EQ(send(OtlpSignal::kMetrics, metrics(kHost, sum("delta", 1, true, 3, kNowMs + 3'000))).repeated, 1);
  EXPECT_EQ(send(OtlpSignal::kMetrics, metrics(kHost, sum("delta", 1, true, 4, kNowMs + 4'000))).stored, 1);
  const WriteOutcome late = send(OtlpSignal::kMetrics, metrics(kHost, sum("delta", 1, true, 9, kNowMs + 3'500)));
  EXPECT_EQ(late.late_deltas, 1);
  EXPECT_EQ(late.rejected_items, 1);
  EXPECT_THAT(values("delta"), ElementsAre(1, 3, 6, 10));
  std::map<std::string, SeriesKind> kinds;
  for (const Series& one : reader()->series({}).value()) kinds[one.key.metric] = one.key.kind;
  EXPECT_THAT(
      kinds, ElementsAre(Pair("cumulative", SeriesKind::kCounter), Pair("delta", SeriesKind::kCounter), Pair("level", SeriesKind::kGauge)));
}

// All data points of a request that are late by themselves are decided by one read of their series.
TEST_F(Otlp, LatePointsOfOneSeriesAreReadAtOnceAndStoredOnce) {
  int reads = 0;
  readThrough([&] { return ++reads, Status(); });
  send(OtlpSignal::kMetrics, metrics(kHost, gauge("g", "1", 9, kNowMs)));
  ASSERT_TRUE(m_writer->flush().ok());
  reads = 0;
  std::string late = gauge("g", "1", 1, kNowMs - 1'000);
  for (const int ms : {3'000, 2'000, 1'000, 2'000}) late += "," + gauge("g", "1", 1, kNowMs - ms);
  const WriteOutcome outcome = send(OtlpSignal::kMetrics, metrics(kHost, late));
  EXPECT_EQ(outcome.stored, 3);
  EXPECT_EQ(outcome.repeated, 2);
  EXPECT_EQ(reads, 1);
  EXPECT_THAT(points("g"), ElementsAre(Pair(kNowMs - 3'000, 1), Pair(kNowMs - 2'000, 1), Pair(kNowMs - 1'000, 1), Pair(kNowMs, 9)));
}

TEST_F(Otlp, LatePointsOfAFailedRequestAreNotThoseOfTheNextOne) {
  int reads_left = 100;
  readThrough([&] { return reads_left-- > 0 ? Status() : Status(Code::kUnavailable, "broken"); });
  const auto both = [](std::int64_t ms) { return metrics(kHost, gauge("a", "1", 1, ms) + "," + gauge("b", "1", 1, ms)); };
  send(OtlpSignal::kMetrics, both(kNowMs));
  ASSERT_TRUE(m_writer->flush().ok());
  reads_left = 1;
  const std::string bytes = otlpFromJson(OtlpSignal::kMetrics, both(kNowMs - 1'000)).value();
  EXPECT_FALSE(m_session->take({.bytes = bytes, .address = "127.0.0.1", .otlp = OtlpSignal::kMetrics}, kNowMs * kNsPerMs, {}).ok());
  reads_left = 100;
  EXPECT_EQ(send(OtlpSignal::kMetrics, metrics(kHost, gauge("c", "1", 2))).stored, 1);
  EXPECT_THAT(points("c"), ElementsAre(Pair(kNowMs, 2)));
  EXPECT_EQ(send(OtlpSignal::kMetrics, both(kNowMs - 1'000)).stored, 1) << "the one that failed";
  for (const char* name : {"a", "b"}) EXPECT_THAT(points(name), ElementsAre(Pair(kNowMs - 1'000, 1), Pair(kNowMs, 1)));
}

TEST_F(Otlp, AnIncrementThatIsNoNumberDoesNotReachTheTotal) {
  const auto histogram = [](const char* sum, int count, std::int64_t ms) {
    return metrics(kHost, R"({"name":"h","histogram":{"aggregationTemporality":1,"dataPoints":[{"timeUnixNano":)" + nanos(ms) +
                              R"(,"count":")" + std::to_string(count) + R"(","sum":)" + sum + "}]}}");
  };
  EXPECT_EQ(send(OtlpSignal::kMetrics, histogram("1", 1, kNowMs)).stored, 2);
  for (const char* sum : {"\"NaN\"", "\"Infinity\""})
    EXPECT_EQ(send(OtlpSignal::kMetrics, histogram(sum, 1, kNowMs + 1'000)).implausible, 1);
  EXPECT_EQ(send(OtlpSignal::kMetrics, histogram("1e308", 1, kNowMs + 2'000)).stored, 2);
  EXPECT_EQ(send(OtlpSignal::kMetrics, histogram("1e308", 1, kNowMs + 3'000)).implausible, 1) << "their total is infinite";
  EXPECT_THAT(values("h_sum"), ElementsAre(1, 1e308));
  // A late data point is one item, whatever its parts.
  const WriteOutcome late = send(OtlpSignal::kMetrics, histogram("1", 1, kNowMs + 500));
  EXPECT_EQ(late.late_deltas, 2);
  EXPECT_EQ(late.rejected_items, 1);
}

TEST_F(Otlp, HistogramsKeepTheirBucketsAndSummariesTheirQuantiles) {
  const std::string time = R"("timeUnixNano":)" + nanos(kNowMs);
  const std::string items =
      R"({"name":"h","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[{)" + time +
      R"(,"count":"6","sum":3.5,"min":0.1,"max":2,"bucketCounts":["1","2","3"],"explicitBounds":[0.5,1]}]}},)" +
      R"({"name":"e","unit":"s","exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[{)" + time +
      R"(,"count":"4","sum":7,"scale":4,"zeroCount":"1","zeroThreshold":0.25,"positive":{"offset":15,"bucketCounts":["0","1","1","0","0","1"]}}]}},)" +
      R"({"name":"q","summary":{"dataPoints":[{)" + time + R"(,"count":"2","sum":3,"quantileValues":[{"quantile":0.5,"value":1.5}]}]}})";
  // h: count, sum, min, max and three buckets; e: count, sum and three buckets; q: count, sum and a quantile.
  EXPECT_EQ(send(OtlpSignal::kMetrics, metrics(kHost, items)).stored, 7 + 5 + 3);
  std::map<std::string, double> stored;
  const auto open = reader();
  for (const Series& one : open->series({}).value())
    stored[one.key.metric + " " + one.key.labels.substr(0, one.key.labels.find(",\"otel"))] = open->samples(one.id, {}).value().value.at(0);
  EXPECT_EQ(stored.at(R"(h_bucket {"le":"0.5")"), 1);
  EXPECT_EQ(stored.at(R"(h_bucket {"le":"1")"), 3);
  EXPECT_EQ(stored.at(R"(h_bucket {"le":"+Inf")"), 6);
  const auto exponential = std::ranges::count_if(stored, [](const auto& one) { return one.first.starts_with("e_bucket"); });
  EXPECT_EQ(exponential, 3);
  EXPECT_EQ(stored.lower_bound(R"(e_bucket {"gt":"2",)")->second, 2) << "two buckets of scale 4 are one of scale 3";
  EXPECT_EQ(stored.at(R"(e_bucket {"gt":"-0.25","le":"0.25")"), 1);
}

TEST_F(Otlp, ARankOfAJobOwnsItsSeriesAndLines) {
  const std::string rank = kHost + "," + number("torch.rank", 3) + "," + text("slurm.job.id", "4711") + "," + number("WORLD_SIZE", 16);
  send(OtlpSignal::kMetrics, metrics(rank, gauge("loss", "1", 2.5)));
  EXPECT_EQ(send(OtlpSignal::kLogs,
                 request(OtlpSignal::kLogs, rank,
                         R"({"timeUnixNano":)" + nanos(kNowMs) +
                             R"(,"severityNumber":17,"body":{"stringValue":"NCCL timeout"},"attributes":[)" + number("step", 7) + "]}"))
                .stored,
            1);
  const auto open = reader();
  const auto run = open->runs().value().at(0);
  EXPECT_EQ(run.name, "slurm-4711");
  const Attempt attempt = open->attempts(run.id).value().at(0);
  EXPECT_EQ(attempt.key, "slurm 4711");
  EXPECT_EQ(attempt.layout.world, 16);
  EXPECT_EQ(open->series({.metric = "loss"}).value().at(0).key.rank, 3);
  const auto lines = open->logs({}).value();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].text, "NCCL timeout step=7");
  EXPECT_EQ(lines[0].severity, Severity::kError);
  EXPECT_EQ(lines[0].rank, 3);
  EXPECT_EQ(lines[0].stream, "trainer");
  // After a restart of the hub the series is the same one.
  ASSERT_TRUE(m_writer->flush().ok());
  restart();
  EXPECT_EQ(send(OtlpSignal::kMetrics, metrics(rank, gauge("loss", "1", 2.5))).repeated, 1);
}

std::string span(const std::string& name, int id, int parent, std::int64_t begin, std::int64_t end, const std::string& attributes = "") {
  const auto hex = [](int n) { return std::string(14, '0') + std::to_string(10 + n); };
  return R"({"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":")" + hex(id) + R"(","parentSpanId":")" +
         (parent > 0 ? hex(parent) : "") + R"(","name":")" + name + R"(","kind":1,"startTimeUnixNano":)" + nanos(begin) +
         R"(,"endTimeUnixNano":)" + nanos(end) + R"(,"attributes":[)" + attributes + "]}";
}

TEST_F(Otlp, SpansAreTracksAndPhasesOfReinforcementLearningHaveRoles) {
  const std::string run = kHost + "," + text("runglass.run", "grpo") + "," + number("rank", 0);
  const std::string spans =
      span("step", 1, 0, kNowMs - 9'000, kNowMs, number("step", 12)) + "," + span("rollout", 2, 1, kNowMs - 9'000, kNowMs - 5'000) + "," +
      span("compute reward", 3, 1, kNowMs - 5'000, kNowMs - 4'000) + "," + span("actor.train", 4, 1, kNowMs - 4'000, kNowMs - 1'000) + "," +
      span("weight_sync", 5, 1, kNowMs - 1'000, kNowMs) + "," + span("inner", 6, 1, kNowMs - 8'000, kNowMs - 7'000) + "," +
      span("chat", 7, 2, kNowMs - 8'000, kNowMs - 7'000, text("gen_ai.operation.name", "chat")) + "," +
      span("constraint", 8, 6, kNowMs - 7'900, kNowMs - 7'800);
  EXPECT_EQ(send(OtlpSignal::kTraces, request(OtlpSignal::kTraces, run, spans)).stored, 8);
  const auto open = reader();
  const auto found = open->runs().value().at(0);
  EXPECT_EQ(found.name, "grpo");
  const AttemptId attempt = open->attempts(found.id).value().at(0).id;
  std::map<std::string, std::vector<std::string>> tracks;
  for (const Track& track : open->tracks(attempt).value()) {
    EXPECT_EQ(track.key.rank, 0);
    const SpanColumns columns = open->spans(track.id, {}).value();
    for (std::size_t i = 0; i < columns.size(); ++i)
      tracks[track.key.kind + " " + track.key.name].push_back(columns.names[columns.name[i]] + " " + std::to_string(columns.depth[i]));
  }
  EXPECT_THAT(tracks,
              UnorderedElementsAre(Pair("role rollout", ElementsAre("rollout 0")), Pair("role reward", ElementsAre("compute reward 0")),
                                   Pair("role train", ElementsAre("actor.train 0")), Pair("role weight_sync", ElementsAre("weight_sync 0")),
                                   Pair("role gen_ai", ElementsAre("chat 0")),
                                   Pair("spans lib", UnorderedElementsAre("step 0", "inner 1", "constraint 2"))));
  for (const Track& track : open->tracks(attempt).value()) {
    if (track.key.name != "rollout") continue;
    EXPECT_THAT(open->spans(track.id, {}).value().args.at(0), HasSubstr(R"("parent_span_id":"0000000000000011")"));
  }
}

TEST_F(Otlp, SpansAndLinesThatAreSentAgainAreStoredOnceAlsoByALaterProcess) {
  const std::string spans =
      request(OtlpSignal::kTraces, kHost, span("a", 1, 0, kNowMs - 2'000, kNowMs) + "," + span("b", 2, 1, kNowMs - 2'000, kNowMs));
  const std::string line = R"({"timeUnixNano":)" + nanos(kNowMs) + R"(,"body":{"stringValue":"same"}})";
  const std::string lines = request(OtlpSignal::kLogs, kHost, line + "," + line);
  EXPECT_EQ(send(OtlpSignal::kTraces, spans).stored, 2);
  EXPECT_EQ(send(OtlpSignal::kTraces, spans).repeated, 2);
  EXPECT_EQ(send(OtlpSignal::kLogs, lines).stored, 2) << "equal lines of one request are two";
  EXPECT_EQ(send(OtlpSignal::kLogs, lines).repeated, 2);
  ASSERT_TRUE(m_writer->flush().ok());
  restart();
  EXPECT_EQ(send(OtlpSignal::kTraces, spans).repeated, 2);
  EXPECT_EQ(send(OtlpSignal::kLogs, lines).repeated, 2);
  EXPECT_EQ(send(OtlpSignal::kTraces, request(OtlpSignal::kTraces, kHost, span("c", 3, 0, kNowMs - 1'000, kNowMs))).stored, 1);
  m_refuse = true;
  const std::string refused = request(OtlpSignal::kTraces, kHost, span("d", 4, 0, kNowMs - 1'000, kNowMs));
  send(OtlpSignal::kTraces, refused);
  m_refuse = false;
  EXPECT_EQ(send(OtlpSignal::kTraces, refused).stored, 1);
  const auto open = reader();
  std::multiset<std::string> names;
  for (const auto& run : open->runs().value())
    for (const Attempt& attempt : open->attempts(run.id).value())
      for (const Track& track : open->tracks(attempt.id).value()) {
        const SpanColumns columns = open->spans(track.id, {}).value();
        for (const std::uint32_t name : columns.name) names.insert(columns.names[name]);
      }
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(open->logs({}).value(), SizeIs(2));
}

// After the fault of a read the request is sent again: what was prepared of it by then is not stored twice.
TEST_F(Otlp, SpansOfARequestWhoseComparisonFailedAreStoredOnce) {
  const auto both = [](int id) {
    return request(OtlpSignal::kTraces, kHost,
                   span("rollout", id, 0, kNowMs - 1'000, kNowMs) + "," + span("reward", id + 1, 0, kNowMs - 1'000, kNowMs));
  };
  EXPECT_EQ(send(OtlpSignal::kTraces, both(1)).stored, 2);
  ASSERT_TRUE(m_writer->flush().ok());
  int reads_left = 1;
  readThrough([&] { return reads_left-- > 0 ? Status() : Status(Code::kUnavailable, "broken"); });
  const std::string bytes = otlpFromJson(OtlpSignal::kTraces, both(3)).value();
  EXPECT_FALSE(m_session->take({.bytes = bytes, .address = "127.0.0.1", .otlp = OtlpSignal::kTraces}, kNowMs * kNsPerMs, {}).ok());
  reads_left = 100;
  EXPECT_EQ(send(OtlpSignal::kTraces, both(3)).stored, 2);
  const auto open = reader();
  for (const Track& track : open->tracks(open->attempts(open->runs().value().at(0).id).value().at(0).id).value())
    EXPECT_THAT(open->spans(track.id, {}).value().start, SizeIs(2)) << track.key.name;
}

TEST_F(Otlp, SpansAndLinesThatCannotBeComparedAreRefused) {
  constexpr std::int64_t kDay = 86'400'000;
  const std::string run = kHost + "," + text("runglass.run", "job");
  const auto spans = [&](const std::string& items) { return request(OtlpSignal::kTraces, run, items); };
  const auto line = [&](std::int64_t ms, const char* said) {
    return request(OtlpSignal::kLogs, run, R"({"timeUnixNano":)" + nanos(ms) + R"(,"body":{"stringValue":")" + said + R"("}})");
  };
  WriteOutcome outcome = send(OtlpSignal::kTraces, spans(span("long", 1, 0, kNowMs - 3 * kDay, kNowMs) + "," +
                                                         span("old", 2, 0, kNowMs - 3 * kDay, kNowMs - 2 * kDay)));
  EXPECT_EQ(outcome.stored, 1) << "it has ended since";
  EXPECT_EQ(outcome.too_old, 1);
  EXPECT_EQ(outcome.rejected_items, 1);
  EXPECT_EQ(send(OtlpSignal::kLogs, line(kNowMs - 2 * kDay, "old")).too_old, 1);
  EXPECT_EQ(send(OtlpSignal::kLogs, line(kNowMs - 7'000, "first")).stored, 1);
  // As far ahead as is accepted, in the session before.
  const std::string ahead = spans(span("ahead", 3, 0, kNowMs + 500'000, kNowMs + 540'000));
  EXPECT_EQ(send(OtlpSignal::kTraces, ahead).stored, 1);
  {
    const auto open = reader();
    EXPECT_EQ(open->attempts(open->runs().value().at(0).id).value().at(0).start, (kNowMs - 7'000) * kNsPerMs) << "of the first line";
    std::map<std::string, std::int64_t> issues;
    for (const Issue& issue : open->issues().value()) issues[issue.code] = issue.count;
    EXPECT_THAT(issues, ElementsAre(Pair("receive.too_old", 2)));
  }
  restart();
  EXPECT_EQ(send(OtlpSignal::kTraces, ahead).repeated, 1);
  EXPECT_EQ(send(OtlpSignal::kTraces, spans(span("long", 1, 0, kNowMs - 3 * kDay, kNowMs))).repeated, 1);
  // More are stored than are compared: only what is surely new continues.
  m_limits.compared = 1;
  restart();
  outcome = send(OtlpSignal::kTraces, spans(span("x", 4, 0, kNowMs - 1'000, kNowMs) + "," + span("y", 5, 0, kNowMs, kNowMs + 599'000)));
  EXPECT_EQ(outcome.too_old, 2);
  EXPECT_EQ(outcome.rejected_items, 2);
  send(OtlpSignal::kLogs, line(kNowMs + 1'000, "second"));
  ASSERT_TRUE(m_writer->flush().ok());
  restart();
  EXPECT_EQ(send(OtlpSignal::kLogs, line(kNowMs + 2'000, "third")).too_old, 1);
  EXPECT_EQ(send(OtlpSignal::kTraces, spans(span("z", 6, 0, kNowMs, kNowMs + 700'000)), kNowMs + 800'000).stored, 1);
}

TEST_F(Otlp, WhatCannotBeStoredIsCountedByItem) {
  const std::string bad = gauge("ahead", "1", 1, kNowMs + 3'600'000) + "," + gauge("", "1", 1) + "," + gauge("fine", "1", 1) + "," +
                          R"({"name":"h","histogram":{"dataPoints":[{"count":"1","bucketCounts":["1","0"],"explicitBounds":[1]}]}})";
  WriteOutcome outcome = send(OtlpSignal::kMetrics, metrics(kHost, bad));
  EXPECT_EQ(outcome.stored, 1);
  EXPECT_EQ(outcome.rejected_items, 3) << "a histogram is one data point";
  m_limits.tracks = 1;
  m_limits.resources = 2;
  restart();
  outcome =
      send(OtlpSignal::kTraces, request(OtlpSignal::kTraces, kHost,
                                        span("rollout", 1, 0, kNowMs - 2'000, kNowMs) + "," + span("reward", 2, 0, kNowMs - 2'000, kNowMs) +
                                            "," + span("rollout", 3, 0, kNowMs, kNowMs - 1'000)));
  EXPECT_EQ(outcome.stored, 1);
  EXPECT_EQ(outcome.too_many_tracks, 1);
  EXPECT_EQ(outcome.rejected_items, 2);
}

TEST(OtlpJson, IsTheSameRequestAsInProtobuf) {
  const auto bytes = otlpFromJson(OtlpSignal::kMetrics, metrics(kHost, gauge("g", "1", 1.5)));
  ASSERT_TRUE(bytes.ok());
  std::vector<std::string> seen;
  OtlpPoint point;
  forEachItem(
      *bytes, [&](const OtlpScope& scope) { seen.emplace_back(bytesOf(scope.scope, 1)); },
      [&](std::string_view metric) {
        EXPECT_TRUE(forEachPoint(metric, point, [&](const OtlpMetric& what, const OtlpPoint& one) {
          seen.push_back(std::string(what.name) + "=" + std::to_string(one.value) + "@" + std::to_string(one.time));
          return true;
        }));
      });
  EXPECT_THAT(seen, ElementsAre("lib", "g=1.500000@" + std::to_string(kNowMs) + "000000"));
  // Unknown keys, names of the .proto file, numbers as texts and the other way round.
  EXPECT_TRUE(
      otlpFromJson(OtlpSignal::kTraces, R"({"x":[{"y":1}],"resource_spans":[{"scopeSpans":[{"spans":[{"kind":"2"}],"z":{}}]}]})").ok());
  for (const char* wrong : {"", "[]", "{", R"({"resourceMetrics":1})", R"({"resourceMetrics":[[]]})",
                            R"({"resourceMetrics":[{"scopeMetrics":[{"scope":{"name":5}}]}]})"})
    EXPECT_EQ(otlpFromJson(OtlpSignal::kMetrics, wrong).status().code(), Code::kInvalidArgument) << wrong;
  EXPECT_FALSE(otlpFromJson(OtlpSignal::kTraces, R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"xyz"}]}]}]})").ok());
}

TEST(OtlpBomb, CostsItsOwnSizeAndIsRefused) {
  // Values nested in values, in JSON and in protobuf.
  std::string json, value;
  for (int i = 0; i < 2'000; ++i) json += R"({"arrayValue":{"values":[)";
  EXPECT_EQ(otlpFromJson(OtlpSignal::kLogs, request(OtlpSignal::kLogs, "", R"({"body":)" + json)).status().code(), Code::kInvalidArgument);
  for (int i = 0; i < 100; ++i) {
    std::string array, outer;
    wire::appendBytes(array, 1, value);
    wire::appendBytes(outer, 5, array);
    value = outer;
  }
  const auto nest = [](std::string item) {
    for (const std::uint32_t field : {2U, 2U, 1U}) {
      std::string outer;
      wire::appendBytes(outer, field, item);
      item = outer;
    }
    return item;
  };
  std::string log;
  wire::appendBytes(log, 5, value);
  EXPECT_EQ(countOtlp(OtlpSignal::kLogs, nest(log)).status().code(), Code::kInvalidArgument);
  // Empty messages of two bytes.
  std::string empty, scopes;
  for (std::int64_t i = 0; i <= OtlpCounts::kMaxParts; ++i) empty += std::string("\x12\x00", 2);
  std::string of_resource;
  wire::appendBytes(of_resource, 2, empty);
  std::string whole;
  wire::appendBytes(whole, 1, of_resource);
  EXPECT_EQ(countOtlp(OtlpSignal::kTraces, whole).status().code(), Code::kResourceExhausted);
  // Buckets of one byte each.
  std::string counts, buckets, point, data, metric;
  wire::appendBytes(buckets, 2, std::string(1 << 20, '\1'));
  wire::appendBytes(point, 8, buckets);
  wire::appendBytes(data, 1, point);
  wire::appendBytes(metric, 10, data);
  EXPECT_FALSE(countOtlp(OtlpSignal::kMetrics, nest(metric)).ok());
  // Each bucket of a data point is a series with all of its attributes.
  std::string attribute, metric_of_many;
  wire::appendBytes(attribute, 1, std::string(16'000, 'k'));
  buckets.clear(), point.clear(), data.clear();
  wire::appendBytes(buckets, 2, std::string(4'000, '\1'));
  wire::appendBytes(point, 8, buckets);
  wire::appendBytes(point, 1, attribute);
  for (int i = 0; i < 9; ++i) wire::appendBytes(data, 1, point);
  wire::appendBytes(metric_of_many, 10, data);
  EXPECT_EQ(countOtlp(OtlpSignal::kMetrics, nest(metric_of_many)).status().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace runglass
