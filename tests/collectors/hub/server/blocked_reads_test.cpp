// SPDX-License-Identifier: Apache-2.0
// While reads of the store are blocked, acknowledgements and replication calls continue: reads have their own threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>

#include "collectors/hub/server/follow_service.h"
#include "collectors/hub/server/ingest_thread.h"
#include "collectors/hub/server/tls_server.h"
#include "storage/open_store.h"
#include "storage/read/live_tail.h"
#include "storage/read/store_uuid.h"
#include "storage/reader.h"
#include "storage/travel/forwarding_reader.h"
#include "storage/writer.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using testing::HasSubstr;
using testing::IsEmpty;

// Holds reads until it is opened.
class Gate {
 public:
  ~Gate() { open(); }
  void pass() {
    MutexLock lock(m_mutex);
    m_held = true;
    m_changed.notifyAll();
    m_changed.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_open; });
  }
  void open() {
    const MutexLock lock(m_mutex);
    m_open = true;
    m_changed.notifyAll();
  }
  bool waitUntilHeld() {
    MutexLock lock(m_mutex);
    return m_changed.waitFor(lock, DurNs{60} * kNsPerSecond, [this]() RG_REQUIRES(m_mutex) { return m_held; });
  }

 private:
  Mutex m_mutex;
  ConditionVariable m_changed;
  bool m_open RG_GUARDED_BY(m_mutex) = false;
  bool m_held RG_GUARDED_BY(m_mutex) = false;
};

class RecordedLink final : public AgentLink {
 public:
  void sendWelcome(v1::Welcome) override { m_welcomed = true; }
  void sendPong(const v1::Pong&) override {}
  void sendAck(std::uint32_t, std::uint32_t, std::uint64_t next_seq, std::uint64_t) override { m_next_seq = next_seq; }
  void sendCredit(std::uint64_t) override {}
  void sendOrder(v1::Order) override {}
  void resumeReads() override {}
  void finish(const Status&) override {}
  std::string peer() const override { return "test"; }
  bool welcomed() const { return m_welcomed; }
  std::uint64_t nextSeq() const { return m_next_seq; }

 private:
  std::atomic<bool> m_welcomed = false;
  std::atomic<std::uint64_t> m_next_seq = 0;
};

class NullFeedLink final : public FeedLink {
 public:
  void send(v1::FeedMessage) override {}
  void finish(const Status&) override {}
};

TEST(BlockedReads, AnOrderThatReadsTheStoreHoldsUpNoAcknowledgement) {
  test::TempFolder dir;
  const std::string store = dir.file("s.rgl");
  auto writer = openStore(store).writer({});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  (void)(*writer)->attempt({.run = (*writer)->run({.name = "live"}), .key = "0"});
  ASSERT_TRUE((*writer)->flush().ok());
  Gate gate;
  const auto open = [&gate, store]() -> Result<std::unique_ptr<Reader>> {
    gate.pass();
    return openStore(store).reader();
  };
  IngestThread ingest(std::move(*writer), open, {}, {});
  std::promise<Status> done;
  ingest.order({.kind = OrderKind::kCapture, .run = "live", .ranks = {}, .number = 1},
               [&done](const Result<OrderOutcome>& outcome) { done.set_value(outcome.status()); });
  ASSERT_TRUE(gate.waitUntilHeld());
  const auto link = std::make_shared<RecordedLink>();
  v1::AgentMessage hello;
  *hello.mutable_hello() = RawAgent::hello();
  ingest.push(link, hello);
  ASSERT_TRUE(test::waitUntil([&] { return link->welcomed(); }));
  for (std::uint64_t seq = 0; seq < 20; ++seq) {
    v1::AgentMessage batch;
    *batch.mutable_batch() = RawAgent::batch(4, seq, "");
    ingest.push(link, batch);
    ASSERT_TRUE(test::waitUntil([&] { return link->nextSeq() == seq + 1; })) << "batch " << seq;
  }
  std::future<Status> outcome = done.get_future();
  EXPECT_EQ(outcome.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "the read is blocked still";
  gate.open();
  EXPECT_THAT(outcome.get().message(), HasSubstr("the ranks of its newest attempt are not known"));
  EXPECT_TRUE(ingest.stop().ok());
}

TEST(BlockedReads, AnOrderEndsInTimeWhenTheStoreDoesNotAnswer) {
  Gate gate;
  std::deque<std::function<void(Writer&)>> posted;
  OrderDispatcher orders(
      [&gate]() -> Result<std::unique_ptr<Reader>> {
        gate.pass();
        return Status(Code::kUnavailable, "the store is gone");
      },
      [&posted](std::function<void(Writer&)> action) { posted.push_back(std::move(action)); });
  test::TempFolder dir;
  auto writer = openStore(dir.file("s.rgl")).writer({});
  ASSERT_TRUE(writer.ok());
  std::vector<Status> outcomes;
  orders.place(
      {.kind = OrderKind::kCapture, .run = "live", .ranks = {}, .number = 1},
      [](Writer&) -> std::vector<OrderDispatcher::Peer> {
        ADD_FAILURE() << "nothing is sent";
        return {};
      },
      0, [&outcomes](const Result<OrderOutcome>& outcome) { outcomes.push_back(outcome.status()); });
  orders.tick(OrderDispatcher::kPatience - 1, **writer);
  EXPECT_THAT(outcomes, IsEmpty());
  orders.tick(OrderDispatcher::kPatience, **writer);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].code(), Code::kUnavailable);
  EXPECT_THAT(outcomes[0].message(), HasSubstr("run 'live': the store does not answer in time"));
  ASSERT_TRUE(gate.waitUntilHeld());
  gate.open();
  orders.stopReading();
  for (const auto& action : posted) action(**writer);
  EXPECT_EQ(outcomes.size(), 1U) << "an answer that is late is dropped";
}

// Counts calls; the first of `held` waits at the gate.
class HeldReader final : public ForwardingReader {
 public:
  HeldReader(std::unique_ptr<Reader> inner, Gate& gate, std::string held, std::map<std::string, int>& calls)
      : ForwardingReader(std::move(inner)), m_gate(gate), m_held(std::move(held)), m_calls(calls) {}
  Result<std::vector<Run>> runs() override { return called("runs"), ForwardingReader::runs(); }
  Result<std::vector<Attempt>> attempts(RunId run) override { return called("attempts"), ForwardingReader::attempts(run); }
  Result<std::vector<Node>> nodes() override { return called("nodes"), ForwardingReader::nodes(); }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override {
    return called("latest"), ForwardingReader::latest(series);
  }
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override {
    return called("scalars"), ForwardingReader::scalars(series, step0, step1, std::move(stop));
  }

 private:
  void called(const std::string& name) {
    if (++m_calls[name] == 1 && name == m_held) m_gate.pass();
  }
  Gate& m_gate;
  const std::string m_held;
  std::map<std::string, int>& m_calls;  // used by the pool's thread until it has ended
};

class TimedOutOrders : public testing::TestWithParam<std::string> {
 protected:
  // Several portions of series with steps, and a rank.
  void SetUp() override {
    auto opened = openStore(store).writer({});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    writer = std::move(*opened);
    const AttemptId attempt = writer->attempt({.run = writer->run({.name = "live"}), .key = "0"});
    const NodeId node = writer->node({.uuid = "n1", .name = "n1"});
    writer->rank({.attempt = attempt, .rank = 0, .node = node});
    for (std::int32_t rank = 0; rank < 1000; ++rank) {
      const SeriesId series = writer->series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
      writer->scalars(series, std::vector<std::int64_t>{1, 2}, std::vector<TimeNs>{kNsPerSecond, 2 * kNsPerSecond},
                      std::vector<double>{1e9, 1e9});
    }
    ASSERT_TRUE(writer->flush().ok());
  }
  void place(OrderDispatcher& orders, int count) {
    for (int i = 0; i < count; ++i)
      orders.place(
          {.kind = OrderKind::kTraceSteps, .run = "live", .ranks = {}, .number = 1},
          [](Writer&) { return std::vector<OrderDispatcher::Peer>(); }, 0,
          [this](const Result<OrderOutcome>& outcome) { outcomes.push_back(outcome.status()); });
  }

  test::TempFolder dir;
  const std::string store = dir.file("s.rgl");
  std::unique_ptr<Writer> writer;
  Gate gate;
  std::map<std::string, int> calls;
  std::atomic<int> posted = 0;
  std::vector<Status> outcomes;
};

TEST_P(TimedOutOrders, ReadTheStoreNoLonger) {
  OrderDispatcher orders(
      [this]() -> Result<std::unique_ptr<Reader>> {
        RG_ASSIGN(std::unique_ptr<Reader> reader, openStore(store).reader());
        return std::unique_ptr<Reader>(std::make_unique<HeldReader>(std::move(reader), gate, GetParam(), calls));
      },
      [this](const std::function<void(Writer&)>&) { ++posted; });
  place(orders, 2);
  ASSERT_TRUE(gate.waitUntilHeld());
  orders.tick(OrderDispatcher::kPatience, *writer);
  ASSERT_EQ(outcomes.size(), 2U);
  place(orders, 1);
  const std::map<std::string, int> before = calls;
  gate.open();
  ASSERT_TRUE(test::waitUntil([&] { return posted > 0; })) << "the order that has not timed out";
  orders.stopReading();
  EXPECT_EQ(posted, 1) << "a plan that nobody waits for";
  EXPECT_EQ(calls["runs"], 2) << "of the held order and of the last";
  EXPECT_EQ(calls["attempts"], before.contains("attempts") ? 2 : 1);
  EXPECT_EQ(calls["latest"], before.contains("latest") ? 1 + 4 : 4);
  EXPECT_EQ(calls["scalars"], 1);
}

INSTANTIATE_TEST_SUITE_P(HeldIn, TimedOutOrders, testing::Values("runs", "latest"));

class BlockedFollower : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = openStore(store).writer({});
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    (*writer)->event({.time = wallNow(), .kind = "x"});
    ASSERT_TRUE((*writer)->close().ok());
    auto listening = Listener::listen("127.0.0.1:0", "");
    ASSERT_TRUE(listening.ok()) << listening.status().message();
    listener = std::move(*listening);
    access = *AccessTable::open("", {wallNow(), monotonicNow()});
    relay = *Relay::open(*listener, nullptr, {});
    admission = std::make_unique<Admission>(*access, *relay);
    service = std::make_unique<FollowService>(store, *storeUuid(store), ReaderOptions{.live = tail}, *admission);
    holder = std::jthread([this] { tail->append([this](PendingRows&) { gate.pass(); }); });
    ASSERT_TRUE(gate.waitUntilHeld());
  }
  void TearDown() override { gate.open(); }
  std::shared_ptr<FeedSession> join() {
    v1::Join join;
    join.set_proto_version(kFollowVersion);
    v1::Joined joined;
    auto session = service->join(join, joined);
    last = session.status();
    return session.ok() ? *session : nullptr;
  }
  // A replica that connects and stays attached until eight more have connected: its session then reads the data held by the gate.
  void comeAndGo() {
    auto session = join();
    if (session == nullptr) return;
    auto link = std::make_shared<NullFeedLink>();
    session->attach(link, 0, FeedSession::kMaxWindow);
    attached.emplace_back(std::move(session), std::move(link));
    if (attached.size() <= 8) return;
    attached.front().first->detach(attached.front().second.get());
    attached.pop_front();
  }

  test::TempFolder dir;
  const std::string store = dir.file("s.rgl");
  Gate gate;
  std::shared_ptr<LiveTail> tail = std::make_shared<LiveTail>();
  std::unique_ptr<Listener> listener;
  std::unique_ptr<AccessTable> access;
  std::unique_ptr<Relay> relay;
  std::unique_ptr<Admission> admission;
  std::unique_ptr<FollowService> service;
  std::deque<std::pair<std::shared_ptr<FeedSession>, std::shared_ptr<NullFeedLink>>> attached;
  std::jthread holder;
  Status last;
};

TEST_F(BlockedFollower, HoldsUpNoOtherCallAndTheSessionsThatEndAreLimited) {
  std::promise<void> limited;
  std::jthread calls([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && last.code() != Code::kResourceExhausted) comeAndGo();
    limited.set_value();
  });
  EXPECT_EQ(limited.get_future().wait_for(test::kDeadline), std::future_status::ready) << "a call waited for the read of another session";
  calls.request_stop();
  gate.open();
  calls.join();
  EXPECT_THAT(last.message(), HasSubstr("sessions are ending; try again"));
  EXPECT_TRUE(test::waitUntil([&] { return join() != nullptr; })) << last.message();
}

}  // namespace
}  // namespace runglass
