// SPDX-License-Identifier: Apache-2.0
// One hostile agent and one well-behaved agent: the hostile one only harms itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "collectors/hub/server/control_service.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/server/ingest_limits.h"
#include "collectors/wire/payload_budget.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using grpc::StatusCode;
using test::RawAgent;
using testing::HasSubstr;
using Wire = v1::Payload;

class HubLimits : public testing::Test {
 protected:
  void SetUp() override {
    auto started = Hub::start(store, {});
    ASSERT_TRUE(started.ok()) << started.status().message();
    hub = std::move(*started);
    good = std::make_unique<RawAgent>(hub->address());
    ASSERT_TRUE(good->join(good->hello("s", "good")));
    const std::string payload = samplePayload(0);
    ASSERT_TRUE(good->sendDefinitions(dictionary.recordsFrom(0)));
  }
  std::string samplePayload(double value) {
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    out.sample(dictionary.series({.metric = "m"}), wallNow(), value);
    return out.take(StreamClass::kMetrics);
  }
  // The good agent's waiting time for an acknowledgement.
  DurNs roundTrip() {
    const DurNs began = monotonicNow();
    EXPECT_TRUE(good->send(RawAgent::batch(4, m_seq, samplePayload(1))));
    EXPECT_TRUE(good->waitForAck(4, ++m_seq));
    return monotonicNow() - began;
  }
  std::unique_ptr<RawAgent> hostile(const std::function<void(v1::Hello&)>& change = {}) const {
    auto agent = std::make_unique<RawAgent>(hub->address());
    v1::Hello hello = agent->hello("s", "hostile");
    if (change) change(hello);
    EXPECT_TRUE(agent->join(hello));
    return agent;
  }
  std::unique_ptr<Reader> stopped() const {
    EXPECT_TRUE(hub->stop().ok());
    auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return std::move(reader).value();
  }
  static std::int64_t issueCount(Reader& reader, const std::string& code) {
    std::int64_t count = 0;
    const std::vector<Issue> issues = reader.issues().value();
    for (const Issue& issue : issues) count += issue.code == code ? issue.count : 0;
    return count;
  }
  static constexpr DurNs kSoon = 5 * kNsPerSecond;

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  SessionDictionary dictionary;
  std::unique_ptr<Hub> hub;
  std::unique_ptr<RawAgent> good;

 private:
  std::uint64_t m_seq = 0;
};

TEST_F(HubLimits, AHeartbeatWithSixtyThousandLeasesHoldsUpNobody) {
  const auto agent = hostile();
  v1::AgentMessage beat;
  beat.mutable_heartbeat()->set_raw_ns(wallNow());
  for (int i = 0; i < 60'000; ++i) {
    v1::Lease& lease = *beat.mutable_heartbeat()->add_leases();
    lease.set_file("/f" + std::to_string(i));
    lease.set_offset(1);
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agent->write(beat));
  EXPECT_LT(roundTrip(), kSoon);
  ASSERT_TRUE(agent->beat());
  EXPECT_EQ(issueCount(*stopped(), "wire.too_many_leases"), 1);
}

TEST_F(HubLimits, ABatchOfIssuesHoldsUpNobodyAndLeavesFewRows) {
  const auto agent = hostile();
  std::string payload;
  wire::appendFixed64(payload, Wire::kSealedNsFieldNumber, wallNow());
  for (int i = 0; i < 80'000; ++i) {
    v1::Issue issue;
    issue.set_code("c" + std::to_string(i));
    wire::appendBytes(payload, Wire::kIssueFieldNumber, issue.SerializeAsString());
  }
  ASSERT_TRUE(agent->send(RawAgent::batch(1, 0, payload)));
  EXPECT_LT(roundTrip(), kSoon);
  EXPECT_TRUE(agent->waitForAck(1, 1));
  const auto reader = stopped();
  EXPECT_LT(reader->issues()->size(), 1'000U);
  EXPECT_GT(issueCount(*reader, "wire.too_many_issues"), 60'000);
}

TEST_F(HubLimits, TheLargestBatchIsTakenAndALargerOneIsRefused) {
  const auto agent = hostile();
  // Logs of one record after the other, as an agent's.
  const auto batch = [](std::size_t bytes) {
    v1::LogLine line;
    line.set_text(std::string(1'000, 'x'));
    std::string payload;
    while (payload.size() + 1'010 < bytes) wire::appendBytes(payload, Wire::kLogFieldNumber, line.SerializeAsString());
    return payload + std::string(bytes - payload.size(), '\0');
  };
  for (std::uint64_t seq = 0; seq < 20; ++seq) {
    ASSERT_TRUE(agent->send(RawAgent::batch(3, seq, batch(kMaxBatch))));
    ASSERT_TRUE(agent->waitForAck(3, seq + 1)) << seq;
  }
  (void)agent->send(RawAgent::batch(3, 20, batch(kMaxBatch + 1)));
  EXPECT_THAT(agent->finish().error_message(), HasSubstr("larger than the welcome allows"));
  EXPECT_LT(roundTrip(), kSoon);
}

TEST_F(HubLimits, DefinitionsWithoutEndEndTheirOwnSession) {
  const auto agent = hostile([](v1::Hello& hello) {
    for (int i = 0; i < 40; ++i) hello.add_sessions()->set_session("more" + std::to_string(i));
  });
  v1::Series series;
  series.set_metric(std::string(1'000, 'm'));
  std::string records;
  while (records.size() < (512U << 10)) wire::appendBytes(records, Wire::kDefineSeriesFieldNumber, series.SerializeAsString());
  int sent = 0;
  v1::AgentMessage message;
  message.mutable_definitions()->set_records(records);
  message.mutable_definitions()->set_crc32c(crc32c(records));
  for (; sent < 200; ++sent) {
    message.mutable_definitions()->set_session_index(static_cast<std::uint32_t>(sent % 41));
    if (!agent->write(message)) break;
  }
  const grpc::Status status = agent->finish();
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("define more than 48 MiB"));
  EXPECT_LT(roundTrip(), kSoon);
}

// Each session leaves marks of its streams in the store.
TEST_F(HubLimits, AnAgentThatBeginsSessionsWithoutEndIsRefusedAlone) {
  constexpr std::size_t kAtOnce = 64;
  std::size_t begun = 0;
  grpc::Status refused;
  while (begun < 2 * PayloadBudget::kMaxSessions) {
    RawAgent agent(hub->address());
    v1::Hello hello = agent.hello("s", "hostile");
    hello.clear_sessions();
    for (std::size_t i = 1; i < kAtOnce; ++i) hello.add_sessions()->set_session("s" + std::to_string(begun++));
    hello.add_sessions()->set_session("live");  // the newest: it may replace the previous connection
    if (agent.join(hello)) continue;
    refused = agent.finish();
    break;
  }
  EXPECT_EQ(refused.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("more than 4096 sessions within a day"));
  EXPECT_LT(roundTrip(), kSoon);
}

TEST(ClientCalls, OfOneClientLeaveRoomForOthers) {
  ClientCalls calls;
  for (int i = 0; i < ClientCalls::kMaxOfClient; ++i) EXPECT_EQ(calls.take("alice"), "");
  EXPECT_THAT(calls.take("alice"), HasSubstr("alice has 8 calls open already"));
  EXPECT_EQ(calls.take("bob"), "");
  calls.give("alice");
  EXPECT_EQ(calls.take("alice"), "");
  int taken = ClientCalls::kMaxOfClient + 1;
  while (calls.take("c" + std::to_string(taken)).empty()) ++taken;
  EXPECT_EQ(taken, ClientCalls::kMaxCalls);
}

TEST_F(HubLimits, DefinitionsHoldNothingElse) {
  for (const std::uint32_t field : {Wire::kEventFieldNumber, Wire::kOnlyNodeFieldNumber}) {
    const auto agent = hostile();
    std::string records;
    wire::appendBytes(records, field, "");
    ASSERT_TRUE(agent->sendDefinitions(records));
    EXPECT_EQ(agent->finish().error_code(), StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(HubLimits, NoTimeOfAnAgentLiesInTheFarFuture) {
  constexpr TimeNs kMax = std::numeric_limits<TimeNs>::max();
  {
    // The stamp that only a hub sets, and a second one after a valid one.
    const auto agent = hostile();
    for (const std::uint32_t field : {Wire::kReceivedNsFieldNumber, Wire::kSealedNsFieldNumber}) {
      WireRecorder out(
          dictionary, [] { return wallNow(); }, [] {});
      out.event({.time = kMax, .kind = "future"});
      std::string payload = out.take(StreamClass::kEvents);
      std::string forged;
      wire::appendFixed64(forged, field, kMax);
      payload = field == Wire::kReceivedNsFieldNumber ? forged + payload : payload.substr(0, 10) + forged + payload.substr(10);
      const std::uint64_t seq = field == Wire::kReceivedNsFieldNumber ? 0 : 1;
      ASSERT_TRUE(agent->send(RawAgent::batch(1, seq, payload)));
      ASSERT_TRUE(agent->waitForAck(1, seq + 1));
    }
    v1::AgentMessage beat;
    for (const DurNs offset : {kMax, 2'000'000'000'000'000'000, -1'000'000'000'000'000'000}) {
      beat.mutable_heartbeat()->set_raw_ns(wallNow());
      beat.mutable_heartbeat()->set_offset_ns(offset);
      ASSERT_TRUE(agent->write(beat));
    }
  }
  {
    // A clock that is wrong by centuries in all its times.
    const auto agent = hostile([](v1::Hello& hello) {
      hello.set_agent_uuid("late");
      hello.set_node_uuid("late");
      hello.set_raw_ns(kMax - 5);
    });
    WireRecorder out(
        dictionary, [] { return kMax - 4; }, [] {});
    out.event({.time = kMax - 4, .kind = "future"});
    (void)out.flush();
    ASSERT_TRUE(agent->send(RawAgent::batch(1, 0, out.take(StreamClass::kEvents))));
    ASSERT_TRUE(agent->waitForAck(1, 1));
    v1::AgentMessage beat;
    beat.mutable_heartbeat()->set_raw_ns(3'900'000'000'000'000'000);
    beat.mutable_heartbeat()->set_offset_ns(wallNow() - 3'900'000'000'000'000'000);
    ASSERT_TRUE(agent->write(beat));
  }
  EXPECT_LT(roundTrip(), kSoon);
  const auto reader = stopped();
  const std::vector<Event> events = reader->events({.kind = "future"}).value();
  EXPECT_EQ(events.size(), 3U);
  for (const Event& event : events) EXPECT_LE(event.time.value_or(kMax), wallNow() + 700 * kNsPerSecond);
  EXPECT_GT(issueCount(*reader, "wire.absurd_time"), 0);
}

}  // namespace
}  // namespace runglass
