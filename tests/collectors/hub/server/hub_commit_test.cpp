// SPDX-License-Identifier: Apache-2.0
// A hub while its store commits: it continues to acknowledge, and records afterwards, in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "collectors/agent/wire_recorder.h"
#include "collectors/hub/server/hub.h"
#include "collectors/wire/payload_replay.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using testing::IsEmpty;

// The disk is checked on the commits' thread, so this can block a commit.
class Gate {
 public:
  void holdOthersThan(std::thread::id thread) {
    const std::lock_guard lock(m_mutex);
    m_free = thread;
    m_closed = true;
  }
  void open() {
    const std::lock_guard lock(m_mutex);
    m_closed = false;
    m_changed.notify_all();
  }
  bool waitUntilHeld() {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, test::kDeadline, [this] { return m_held; });
  }
  void pass() {
    std::unique_lock lock(m_mutex);
    if (!m_closed || std::this_thread::get_id() == m_free) return;
    m_held = true;
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return !m_closed; });
    m_held = false;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::thread::id m_free;
  bool m_closed = false, m_held = false;
};

class HubCommit : public testing::Test {
 protected:
  void SetUp() override {
    HubOptions options;
    options.queue_bytes = kQueueBytes;
    options.writer.disk_space = [gate = gate](const std::string&) {
      gate->pass();
      return DiskSpace{std::int64_t{1} << 40, std::int64_t{1} << 41};
    };
    auto started = Hub::start(store, options);
    ASSERT_TRUE(started.ok()) << started.status().message();
    hub = std::move(*started);
    agent = std::make_unique<RawAgent>(hub->address());
    ASSERT_TRUE(agent->join(agent->hello()));
    const SeriesId id = dictionary.series({.metric = "m"});
    agent->sendDefinitions(dictionary.recordsFrom(0));
    series = id;
  }
  void TearDown() override { gate->open(); }

  // Sends the next sample, numbered consecutively, with a text of this size.
  void say(std::size_t bytes = 0) {
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    out.sample(series, wallNow(), static_cast<double>(said));
    if (bytes > 0) out.log({.time = wallNow(), .stream = "stdout", .text = std::string(bytes, 'x')});
    std::string payload = out.take(StreamClass::kMetrics);
    payload += out.take(StreamClass::kLogs);
    agent->send(RawAgent::batch(4, said++, payload));
  }
  // From now on, a commit blocks until the gate opens.
  void holdCommits() {
    std::promise<std::thread::id> writer;
    hub->post([&](Writer&) { writer.set_value(std::this_thread::get_id()); });
    gate->holdOthersThan(writer.get_future().get());
    say();
    ASSERT_TRUE(agent->waitForAck(4, said));
    ASSERT_TRUE(gate->waitUntilHeld());
  }
  void expectAllStored() {
    ASSERT_TRUE(hub->stop().ok());
    expectAllIn(store);
  }
  void expectAllIn(const std::string& file) const {
    const auto reader = openStore(file).reader();
    EXPECT_THAT(*(*reader)->verify(), IsEmpty());
    const std::vector<Series> all = *(*reader)->series({.metric = "m"});
    ASSERT_EQ(all.size(), 1U);
    const auto samples = *(*reader)->samples(all[0].id, {});
    ASSERT_EQ(samples.size(), said);
    for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples.value[i], static_cast<double>(i));
  }

  static constexpr std::size_t kQueueBytes = std::size_t{2} << 20;
  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  std::unique_ptr<Hub> hub;
  std::unique_ptr<RawAgent> agent;
  SessionDictionary dictionary;
  SeriesId series;
  std::uint64_t said = 0;
};

TEST_F(HubCommit, AcknowledgesMeanwhileAndRecordsAfterwards) {
  holdCommits();
  const std::int64_t recorded = hub->stats().samples;
  for (int i = 0; i < 100; ++i) say();
  EXPECT_TRUE(agent->waitForAck(4, said)) << "no acknowledgement while the store commits";
  EXPECT_EQ(hub->stats().samples, recorded);
  EXPECT_GT(hub->stats().queue_bytes, 0) << "what waits is memory that counts";
  gate->open();
  expectAllStored();
}

TEST_F(HubCommit, WhatPeopleDoWaitsForItAndComesInOrder) {
  holdCommits();
  std::promise<std::int64_t> edited;
  auto at = edited.get_future();
  say();
  EXPECT_TRUE(agent->waitForAck(4, said));
  hub->post([&](Writer&) { edited.set_value(hub->stats().samples); });
  const auto before = static_cast<std::int64_t>(said);
  say();
  EXPECT_TRUE(agent->waitForAck(4, said)) << "the hub has handled what was posted before this";
  EXPECT_EQ(at.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "and not run it";
  gate->open();
  EXPECT_EQ(at.get(), before) << "after what was acknowledged before it";
  expectAllStored();
}

TEST_F(HubCommit, LetsAnAgentInMeanwhile) {
  holdCommits();
  RawAgent other(hub->address());
  EXPECT_TRUE(other.join(other.hello("s", "another")));
  EXPECT_TRUE(other.beat());
  gate->open();
  expectAllStored();
  const std::vector<Node> nodes = *(*openStore(store).reader())->nodes();
  EXPECT_THAT(nodes, testing::Contains(testing::Field(&Node::uuid, "node-of-another")));
}

TEST_F(HubCommit, TakesNoMoreThanItsMemoryAllows) {
  holdCommits();
  std::thread speaker([&] {
    for (int i = 0; i < 100; ++i) say(100'000);  // five times the hub's limit
  });
  EXPECT_TRUE(test::waitUntil([&] { return hub->stats().queue_bytes >= static_cast<std::int64_t>(kQueueBytes); }));
  // Round trips of other agents give it time to read more.
  for (int i = 0; i < 20; ++i) {
    RawAgent other(hub->address());
    EXPECT_TRUE(other.join(other.hello("s", "other-" + std::to_string(i))));
    // A single message may exceed the limit; transport buffers do not count.
    EXPECT_LE(hub->stats().queue_bytes, static_cast<std::int64_t>(kQueueBytes + 300'000));
  }
  gate->open();
  speaker.join();
  EXPECT_TRUE(agent->waitForAck(4, said));
  expectAllStored();
}

TEST_F(HubCommit, KeepsHalfOfItsRoomForWhatIsNew) {
  ASSERT_TRUE(agent->waitForCredit([](std::uint64_t credit) { return credit > 0; }));
  holdCommits();
  while (hub->stats().queue_bytes < static_cast<std::int64_t>(kQueueBytes / 2)) {
    say(100'000);
    ASSERT_TRUE(agent->waitForAck(4, said)) << "what was sent is acknowledged all the same";
  }
  EXPECT_TRUE(agent->waitForCredit([](std::uint64_t credit) { return credit == 0; })) << "whoever kept something still sends it";
  say();
  EXPECT_TRUE(agent->waitForAck(4, said));
  gate->open();
  EXPECT_TRUE(agent->waitForCredit([](std::uint64_t credit) { return credit > 0; })) << "nobody says that there is room again";
  expectAllStored();
}

// A commit advances the marks of everything journaled, so that it must have recorded all of it.
TEST_F(HubCommit, OneThatIsAskedForStoresWhatIsAcknowledgedBeforeItRuns) {
  holdCommits();
  const test::TempFolder killed;
  std::promise<Status> committed;
  hub->commit([&](const Status& status) {
    // What a hub that is killed now leaves behind.
    std::filesystem::copy(dir.path(), killed.path(), std::filesystem::copy_options::recursive);
    committed.set_value(status);
  });
  for (int i = 0; i < 10; ++i) say();
  ASSERT_TRUE(agent->waitForAck(4, said));
  gate->open();
  ASSERT_TRUE(committed.get_future().get().ok());
  expectAllStored();
  ASSERT_TRUE(openStore(killed.file("s.rgl")).writer({.replay = makeJournalReplay()}).ok()) << "the next hub replays the journal";
  expectAllIn(killed.file("s.rgl"));
}

TEST_F(HubCommit, AStopAnswersOneThatIsAskedFor) {
  holdCommits();
  std::promise<Status> committed;
  hub->commit([&](const Status& status) { committed.set_value(status); });
  say();
  ASSERT_TRUE(agent->waitForAck(4, said));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    gate->open();
  });
  expectAllStored();
  opener.join();
  EXPECT_TRUE(committed.get_future().get().ok());
}

TEST_F(HubCommit, AStopWaitsForItAndLosesNothing) {
  holdCommits();
  for (int i = 0; i < 10; ++i) say();
  EXPECT_TRUE(agent->waitForAck(4, said));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    gate->open();
  });
  expectAllStored();
  opener.join();
}

}  // namespace
}  // namespace runglass
