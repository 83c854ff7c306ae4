// SPDX-License-Identifier: Apache-2.0
// SenderSession into a store, without a hub's threads: what is a node, a device, a metric; what is stored once.
#include "collectors/hub/receivers/sender_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/collectors/hub/receivers/sender_fixture.h"

namespace runglass {
namespace {

using test::kNowMs;
using test::Sender;
using test::WriteBody;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

const WriteBody::Labels kUp = {{"__name__", "up"}, {"instance", "gpu-01:9100"}, {"job", "node"}};

TEST_F(Sender, AMetricMeansWhatItMeansWhenItIsScraped) {
  WriteBody body;
  body.series({{"Hostname", "gpu-01"},
               {"UUID", "GPU-7"},
               {"__name__", "DCGM_FI_DEV_FB_USED"},
               {"gpu", "3"},
               {"instance", "10.0.0.1:9400"},
               {"job", "dcgm"},
               {"modelName", "NVIDIA H100"}},
              {{kNowMs, 2}});
  body.series({{"__name__", "node_cpu_seconds_total"}, {"cpu", "0"}, {"instance", "gpu-02:9100"}, {"job", "node"}}, {{kNowMs, 5}});
  body.series({{"__name__", "node_load1"}, {"instance", "localhost:9100"}, {"job", "node"}}, {{kNowMs, 1}});
  EXPECT_EQ(send(body).stored, 3);
  const auto open = reader();
  const auto memory = open->series({.metric = "gpu_memory_used_bytes"}).value();
  ASSERT_THAT(memory, SizeIs(1));
  EXPECT_THAT(points("gpu_memory_used_bytes"), ElementsAre(Pair(kNowMs, 2.0 * (1 << 20))));
  EXPECT_EQ(memory[0].key.source, "dcgm");
  EXPECT_EQ(memory[0].key.unit, "bytes");
  const auto devices = open->devices().value();
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_EQ(devices[0].uuid, "GPU-7");
  EXPECT_EQ(devices[0].index, 3);
  EXPECT_EQ(devices[0].model, "NVIDIA H100");
  std::map<std::string, std::string> nodes;
  for (const Node& node : open->nodes().value()) nodes[node.name] = node.uuid;
  EXPECT_THAT(nodes, ElementsAre(Pair("gpu-01", "machine-1"), Pair("gpu-02", "name:gpu-02"), Pair("this-machine", "name:this-machine")));
  EXPECT_EQ(open->series({.metric = "node_cpu_seconds_total"}).value().at(0).key.kind, SeriesKind::kCounter);
}

TEST_F(Sender, WhatIsSentAgainIsStoredOnceAlsoByALaterProcess) {
  WriteBody body;
  body.series(kUp, {{kNowMs, 1}, {kNowMs + 1'000, 2}, {kNowMs + 2'000, 3}});
  EXPECT_EQ(send(body).stored, 3);
  EXPECT_EQ(send(body).repeated, 3) << "before the commit of the new series";
  ASSERT_TRUE(m_writer->flush().ok());
  EXPECT_EQ(send(body).repeated, 3);
  restart();
  const WriteOutcome again = send(body);
  EXPECT_EQ(again.repeated, 3);
  EXPECT_EQ(again.stored, 0);
  EXPECT_THAT(points("up"), ElementsAre(Pair(kNowMs, 1), Pair(kNowMs + 1'000, 2), Pair(kNowMs + 2'000, 3)));
}

TEST_F(Sender, LateSamplesAreStoredWhereTheyAreMissing) {
  WriteBody first, second;
  first.series(kUp, {{kNowMs, 1}, {kNowMs + 2'000, 3}});
  second.series(kUp, {{kNowMs + 1'000, 2}, {kNowMs, 1}, {kNowMs + 1'000, 2}, {kNowMs + 2'000, 3}, {kNowMs + 3'000, 4}});
  EXPECT_EQ(send(first).stored, 2);
  WriteOutcome outcome = send(second);
  EXPECT_EQ(outcome.stored, 2);
  EXPECT_EQ(outcome.repeated, 3);
  ASSERT_TRUE(m_writer->flush().ok());
  outcome = send(second, kNowMs + 120'000);
  EXPECT_EQ(outcome.stored, 0);
  EXPECT_EQ(outcome.repeated, 5);
  EXPECT_THAT(points("up"), ElementsAre(Pair(kNowMs, 1), Pair(kNowMs + 1'000, 2), Pair(kNowMs + 2'000, 3), Pair(kNowMs + 3'000, 4)));
}

TEST_F(Sender, AStaleMarkerIsAGap) {
  WriteBody body;
  body.series(kUp, {{kNowMs, 1}, {kNowMs + 1'000, std::bit_cast<double>(test::kStaleBits)}});
  const WriteOutcome outcome = send(body);
  EXPECT_EQ(outcome.stored, 1);
  EXPECT_EQ(outcome.stale, 1);
  EXPECT_THAT(points("up"), ElementsAre(Pair(kNowMs, 1)));
  body = {};
  body.series(kUp, {{kNowMs + 2'000, std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(send(body).stored, 1) << "an ordinary NaN is a value";
}

TEST_F(Sender, OddSamplesAreLeftOutAndCounted) {
  WriteBody body;
  body.series(kUp, {{kNowMs + 3'600'000, 1}, {0, 1}, {-5, 1}, {kNowMs, 7}});
  body.series({{"job", "x"}}, {{kNowMs, 1}});
  body.series({{"UUID", "GPU-7"}, {"__name__", "DCGM_FI_DEV_GPU_TEMP"}, {"instance", "a:1"}}, {{kNowMs, 2147483632.0}, {kNowMs + 1, 900}});
  const WriteOutcome outcome = send(body);
  EXPECT_EQ(outcome.stored, 1);
  EXPECT_EQ(outcome.ahead, 1);
  EXPECT_EQ(outcome.no_time, 2);
  EXPECT_EQ(outcome.unnamed, 1);
  EXPECT_EQ(outcome.blank, 1);
  EXPECT_EQ(outcome.implausible, 1);
  std::map<std::string, std::int64_t> issues;
  for (const Issue& issue : reader()->issues().value()) issues[issue.code] = issue.count;
  EXPECT_THAT(issues, ElementsAre(Pair("receive.absurd_time", 3), Pair("receive.blank_value", 1), Pair("receive.implausible_value", 1),
                                  Pair("receive.unnamed_series", 1)));
}

TEST_F(Sender, NewSeriesBeyondTheLimitsAreRefusedAndKnownOnesContinue) {
  m_limits.series = 3;
  restart();
  const auto many = [](int from, int to, std::int64_t time) {
    WriteBody body;
    for (int i = from; i < to; ++i) body.series({{"__name__", "m"}, {"id", std::to_string(i)}, {"instance", "a:1"}}, {{time, 1}});
    return body;
  };
  const WriteOutcome outcome = send(many(0, 5, kNowMs));
  EXPECT_EQ(outcome.stored, 3);
  EXPECT_EQ(outcome.too_many_series, 2);
  EXPECT_EQ(send(many(0, 3, kNowMs + 1)).stored, 3);
  // A day later those that no longer come give their places back.
  const std::int64_t later = kNowMs + 25LL * 3'600'000;
  EXPECT_EQ(send(many(7, 10, later), later).stored, 3);

  m_limits = {.series = 100, .new_series_burst = 4, .new_series_per_s = 2};
  restart();
  EXPECT_EQ(send(many(20, 30, kNowMs)).too_fast, 6);
  EXPECT_EQ(send(many(20, 30, kNowMs), kNowMs + 1'000).stored, 2);
}

// A session keeps its definitions: it is replaced once another one needs less.
TEST_F(Sender, AfterTheLimitsOfASessionAnotherOneBegins) {
  m_limits.series = 3;
  std::set<std::string> sessions;
  const auto deliver = m_port.deliver;
  m_port.deliver = [&](ReceivedBatch batch) {
    sessions.insert(batch.session);
    deliver(std::move(batch));
  };
  const auto sendDay = [&](int day) {
    const std::int64_t time = kNowMs + day * 25LL * 3'600'000;
    WriteBody body;
    for (int i = 0; i < 3; ++i)
      body.series({{"__name__", "DCGM_FI_DEV_GPU_TEMP"},
                   {"Hostname", "n" + std::to_string(3 * day + i)},
                   {"UUID", "GPU-" + std::to_string(3 * day + i)}},
                  {{time, 40}});
    return send(body, time).stored;
  };
  SenderLimits series = m_limits, nodes = m_limits, devices = m_limits, labels = m_limits;
  series.defined_series = 6;
  nodes.nodes = 6;
  devices.devices = 6;
  labels.label_bytes = 400;
  int day = 0;
  for (const SenderLimits& limits : {series, nodes, devices, labels}) {
    m_limits = limits;
    m_session = std::make_unique<SenderSession>("receiver/prom", m_port, m_limits);
    sessions.clear();
    for (const int end = day + 6; day < end; ++day) EXPECT_EQ(sendDay(day), 3) << day;
    if (limits.label_bytes == labels.label_bytes)
      EXPECT_GT(sessions.size(), 1U);
    else
      EXPECT_EQ(sessions.size(), 3U) << "one for two days";
  }
  EXPECT_EQ(reader()->series({.metric = "temperature_celsius"}).value().size(), static_cast<std::size_t>(3 * day));
}

TEST_F(Sender, TheLabelsOfItsSeriesAreLimited) {
  m_limits.label_bytes = 2'000;
  restart();
  const auto labelled = [](const std::string& name, std::int64_t time) {
    WriteBody body;
    body.series({{"__name__", name}, {"instance", "a:1"}, {"x", std::string(1'200, 'x')}}, {{time, 1}});
    return body;
  };
  EXPECT_EQ(send(labelled("m1", kNowMs)).stored, 1);
  EXPECT_EQ(send(labelled("m2", kNowMs)).too_many_series, 1);
  EXPECT_EQ(send(labelled("m1", kNowMs + 1)).stored, 1);
  const std::int64_t later = kNowMs + 25LL * 3'600'000;
  EXPECT_EQ(send(labelled("m2", later), later).stored, 1) << "m1 has given its place back";
}

TEST_F(Sender, ANodeWasLastHeardInItsNewestSample) {
  const auto sample = [](const std::string& host, std::int64_t time) {
    WriteBody body;
    body.series({{"__name__", "up"}, {"instance", host + ":1"}}, {{time, 1}});
    return body;
  };
  send(sample("ended", kNowMs - 5'000));
  send(sample("ahead", kNowMs + 30'000));
  for (int i = 1; i <= 3; ++i) send(sample("running", kNowMs + i * 20'000), kNowMs + i * 20'000);
  std::map<std::string, std::int64_t> heard;
  for (const Node& node : reader()->nodes().value()) heard[node.name] = node.last_heard.value_or(0) / kNsPerMs;
  EXPECT_THAT(heard, ElementsAre(Pair("ahead", kNowMs), Pair("ended", kNowMs - 5'000), Pair("running", kNowMs + 60'000)));
}

TEST_F(Sender, AfterARefusedBatchTheRetryIsStoredOnce) {
  WriteBody first, second;
  first.series(kUp, {{kNowMs, 1}});
  second.series(kUp, {{kNowMs + 1'000, 2}});
  send(first);
  m_refuse = true;
  send(second);
  EXPECT_FALSE(m_status->ok());
  m_refuse = false;
  EXPECT_EQ(send(second).stored, 1);
  EXPECT_EQ(send(first).repeated, 1);
  EXPECT_THAT(points("up"), ElementsAre(Pair(kNowMs, 1), Pair(kNowMs + 1'000, 2)));
}

TEST_F(Sender, AChangedLastXidIsAnEvent) {
  for (const auto& [time, xid] : {std::pair{kNowMs, 0.0}, {kNowMs + 1'000, 79.0}, {kNowMs + 2'000, 79.0}}) {
    WriteBody body;
    body.series({{"Hostname", "gpu-01"}, {"UUID", "GPU-7"}, {"__name__", "DCGM_FI_DEV_XID_ERRORS"}, {"gpu", "3"}}, {{time, xid}});
    send(body);
  }
  const std::vector<Event> events = reader()->events({}).value();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, "xid");
  EXPECT_EQ(events[0].code, "79");
}

TEST_F(Sender, ALateXidIsNoChangeOfTheLastOne) {
  for (const auto& [time, xid] : {std::pair{kNowMs, 0.0}, {kNowMs + 100'000, 79.0}, {kNowMs + 40'000, 0.0}, {kNowMs + 115'000, 79.0}}) {
    WriteBody body;
    body.series({{"Hostname", "gpu-01"}, {"UUID", "GPU-7"}, {"__name__", "DCGM_FI_DEV_XID_ERRORS"}, {"gpu", "3"}}, {{time, xid}});
    EXPECT_EQ(send(body).stored, 1);
    ASSERT_TRUE(m_writer->flush().ok());
  }
  EXPECT_THAT(reader()->events({}).value(), SizeIs(1));
}

}  // namespace
}  // namespace runglass
