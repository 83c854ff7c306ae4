// SPDX-License-Identifier: Apache-2.0
// A hub whose store cannot accept data: one invalid batch, and failing commits. All acknowledged data is stored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "collectors/agent/wire_recorder.h"
#include "collectors/hub/server/hub.h"
#include "runglass/v1/payload.pb.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {
using test::RawAgent;
using test::waitUntil;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTrouble : public testing::Test {
 protected:
  void serve(HubOptions options = {}) {
    auto started = Hub::start(store, std::move(options));
    ASSERT_TRUE(started.ok()) << started.status().message();
    hub = std::move(*started);
  }
  void TearDown() override { release(); }
  // An agent that knows the series.
  std::unique_ptr<RawAgent> join() {
    auto agent = std::make_unique<RawAgent>(hub->address());
    const auto welcome = agent->join(agent->hello());
    EXPECT_TRUE(welcome);
    if (!welcome) return nullptr;
    next = welcome->resume_size() > 0 ? welcome->resume(0).next_seq() : 0;
    agent->sendDefinitions(dictionary.recordsFrom(0));
    return agent;
  }
  // Sends the next sample, numbered consecutively, with a text of this size.
  void say(RawAgent& agent, std::size_t bytes = 0) {
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    out.sample(series, wallNow(), static_cast<double>(next));
    if (bytes > 0) out.log({.time = wallNow(), .stream = "stdout", .text = std::string(bytes, 'x')});
    std::string payload = out.take(StreamClass::kMetrics);
    payload += out.take(StreamClass::kLogs);
    agent.send(RawAgent::batch(4, next++, payload));
  }
  // Another process writes to the store.
  void hold() {
    ASSERT_EQ(test::openDatabase(store, &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 10'000);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(other);
  }
  void release() {
    sqlite3_close(std::exchange(other, nullptr));  // rolls back
  }
  void expectRefused() const {
    for (int i = 0; i < 3; ++i) {
      RawAgent agent(hub->address());
      EXPECT_FALSE(agent.join(agent.hello("s", "another")));
      const grpc::Status status = agent.finish();
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
      EXPECT_THAT(status.error_message(), HasSubstr("cannot take data now"));
      EXPECT_FALSE(hub->stats().store_error.empty()) << "as long as it lasts";
    }
  }
  // Samples 0 … `count` - 1, each once.
  void expectStored(std::uint64_t count) {
    ASSERT_TRUE(hub->stop().ok());
    const auto reader = openStore(store).reader().value();
    EXPECT_THAT(*reader->verify(), IsEmpty());
    const std::vector<Series> all = *reader->series({.metric = "m"});
    ASSERT_EQ(all.size(), 1U);
    const auto samples = *reader->samples(all[0].id, {});
    ASSERT_EQ(samples.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(samples.value[i], static_cast<double>(i));
  }
  std::int64_t issueCount(const std::string& code) const {
    std::int64_t count = 0;
    const std::vector<Issue> issues = *openStore(store).reader().value()->issues();
    for (const Issue& issue : issues) count += issue.code == code ? issue.count : 0;
    return count;
  }

  test::TempFolder dir;
  const std::string store = dir.file("s.rgl");
  std::unique_ptr<Hub> hub;
  SessionDictionary dictionary;
  const SeriesId series = dictionary.series({.metric = "m"});
  std::uint64_t next = 0;
  sqlite3* other = nullptr;
};

// Records with an undefined owner: sent by a broken or hostile agent.
std::vector<std::string> poison() {
  std::vector<v1::Payload> all(5);
  const auto attempt = [](v1::Payload& payload, std::uint32_t run) {
    v1::Attempt* const defined = payload.add_define_attempt();
    defined->set_id(1);
    defined->set_run(run);
    v1::Attempt* const update = payload.add_attempt();
    update->set_id(1);
    update->set_end_cause("x");
  };
  attempt(all[0], 0);
  attempt(all[1], 7);
  {  // a valid definition of an attempt, and an update without its run
    all[2].add_define_run()->set_id(1);
    all[2].mutable_define_run(0)->set_name("run");
    attempt(all[2], 1);
  }
  all[3].add_define_track()->set_id(1);
  all[3].mutable_define_track(0)->set_kind("thread");
  all[4].add_define_series()->set_id(1);
  all[4].mutable_define_series(0)->set_attempt(9);
  all[4].mutable_define_series(0)->set_metric("poison");
  all[4].add_event()->set_attempt(9);
  all[4].add_log()->set_node(9);
  all[4].add_rank()->set_rank(1);
  std::vector<std::string> payloads;
  for (const v1::Payload& one : all) payloads.push_back(one.SerializeAsString());
  return payloads;
}

TEST_F(StoreTrouble, ABatchWithoutOwnersCostsOnlyItself) {
  serve();
  const auto good = join();
  ASSERT_TRUE(good);
  say(*good);
  const std::vector<std::string> payloads = poison();
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    RawAgent hostile(hub->address());
    ASSERT_TRUE(hostile.join(hostile.hello("s", "hostile-" + std::to_string(i))));
    hostile.send(RawAgent::batch(4, 0, payloads[i]));
    EXPECT_TRUE(hostile.waitForAck(4, 1));
    say(*good);
  }
  EXPECT_TRUE(good->waitForAck(4, next));
  EXPECT_TRUE(waitUntil([&] { return !(*openStore(store).reader().value()->series({.metric = "m"})).empty(); }));
  EXPECT_EQ(hub->stats().store_error, "");
  expectStored(next);
  EXPECT_GE(issueCount("wire.unknown_id"), 5);
  EXPECT_EQ(issueCount("store.row_refused"), 0);
  const auto reader = openStore(store).reader().value();
  EXPECT_THAT(*reader->series({.metric = "poison"}), IsEmpty());
}

TEST_F(StoreTrouble, CommitsThatFailEndAcknowledgingUntilOneSucceeds) {
  serve({.max_failed_commits = 1});
  auto agent = join();
  ASSERT_TRUE(agent);
  say(*agent);
  EXPECT_TRUE(agent->waitForAck(4, next));
  hold();
  say(*agent);
  EXPECT_TRUE(agent->waitForAck(4, next)) << "the journal takes it";
  const std::uint64_t acknowledged = next;
  EXPECT_TRUE(agent->waitForCredit([](std::uint64_t credit) { return credit == 0; })) << "first it may send nothing";
  const grpc::Status ended = agent->finish();
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(ended.error_message(), HasSubstr("database is locked"));
  expectRefused();
  EXPECT_THAT(hub->stats().store_error, HasSubstr("database is locked"));
  release();
  ASSERT_TRUE(waitUntil([&] { return hub->stats().store_error.empty(); })) << "it goes on by itself";
  agent = join();
  ASSERT_TRUE(agent);
  EXPECT_EQ(next, acknowledged);
  say(*agent);
  EXPECT_TRUE(agent->waitForAck(4, next));
  expectStored(next);
}

TEST_F(StoreTrouble, TooMuchThatIsNotStoredEndsAcknowledging) {
  constexpr std::int64_t kMax = 300'000;
  serve({.max_unstored_bytes = kMax});
  auto agent = join();
  ASSERT_TRUE(agent);
  say(*agent);
  EXPECT_TRUE(agent->waitForAck(4, next));
  hold();
  std::uint64_t acknowledged = next;
  while (acknowledged < 1'000) {
    say(*agent, 10'000);
    if (!agent->waitForAck(4, next)) break;
    acknowledged = next;
  }
  // The number of batches accepted until the hub checks again is limited by the sending rate.
  EXPECT_GT(acknowledged, 20U);
  EXPECT_LT(acknowledged, 1'000U);
  const grpc::Status ended = agent->finish();
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(ended.error_message(), HasSubstr("are acknowledged and not stored"));
  expectRefused();
  release();
  ASSERT_TRUE(waitUntil([&] { return hub->stats().store_error.empty(); }));
  agent = join();
  ASSERT_TRUE(agent);
  EXPECT_EQ(next, acknowledged) << "nothing that was acknowledged is asked for again, and nothing else is missing";
  say(*agent);
  EXPECT_TRUE(agent->waitForAck(4, next));
  expectStored(next);
}

}  // namespace
}  // namespace runglass
