// SPDX-License-Identifier: Apache-2.0
// A hub and replicas of its store, over the wire: the hub's data is in each replica, once, whatever happens to the connection.
#include "collectors/hub/replica/mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <future>
#include <random>

#include "collectors/hub/server/hub.h"
#include "collectors/wire/control_client.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/collectors/hub/replica/slow_proxy.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::SlowProxy;
using testing::HasSubstr;

class MirrorTest : public testing::Test {
 protected:
  std::unique_ptr<Hub> serve(HubOptions options = {}) {
    auto hub = Hub::start(there, options);
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    return hub.ok() ? std::move(*hub) : nullptr;
  }
  MirrorOptions options(const std::string& address) const {
    return {.store = here, .hub = {.hub = address}, .first_pause = 20 * kNsPerMs, .longest_pause = 200 * kNsPerMs};
  }
  std::unique_ptr<Mirror> follow(const std::string& address) const {
    auto mirror = Mirror::start(options(address));
    EXPECT_TRUE(mirror.ok()) << mirror.status().message();
    return mirror.ok() ? std::move(*mirror) : nullptr;
  }
  // On the hub's writer thread.
  static void write(Hub& hub, const std::function<void(Writer&)>& action) {
    std::promise<void> done;
    hub.post([&](Writer& writer) {
      action(writer);
      done.set_value();
    });
    done.get_future().wait();
  }
  static void grow(Writer& writer, int ranks, std::int64_t step) {
    const RunId run =
        writer.run({.uuid = "u", .name = "job", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = kBegin});
    const AttemptId attempt = writer.attempt({.run = run, .key = "0", .start = kBegin, .layout = {.world = ranks}});
    const TimeNs now = kBegin + step * kNsPerSecond;
    for (int rank = 0; rank < ranks; ++rank) {
      const NodeId node = writer.node({.uuid = "n" + std::to_string(rank / 8), .name = "n" + std::to_string(rank / 8)});
      writer.rank({.attempt = attempt, .rank = rank, .node = node, .dp = rank});
      writer.progress({.attempt = attempt,
                       .rank = rank,
                       .time = now + rank,
                       .step = step,
                       .seq = step * 3,
                       .phase = "steady",
                       .op = "all_reduce",
                       .since = now});
      for (const char* part : {"forward", "backward"})
        writer.scalar(writer.series({.attempt = attempt,
                                     .rank = rank,
                                     .metric = "step_part_ns",
                                     .labels = std::string(R"({"part":")") + part + "\"}",
                                     .unit = "ns",
                                     .kind = SeriesKind::kScalar}),
                      step, now, static_cast<double>(100'000'000 + rank * 1'000 + step % 7));
    }
    writer.scalar(writer.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar}), step, now,
                  3.0 / static_cast<double>(step + 1));
    if (step % 5 == 0)
      writer.event({.time = now, .attempt = attempt, .kind = "checkpoint_saved", .message = "step " + std::to_string(step)});
    writer.log({.time = now, .attempt = attempt, .stream = "stdout", .text = "step " + std::to_string(step)});
    if (step % 10 == 0)
      writer.finding({.run = run,
                      .attempt = attempt,
                      .kind = "slow_rank",
                      .subject = "rank:3",
                      .first_step = step / 20,
                      .summary = "rank 3 is slow at step " + std::to_string(step),
                      .evidence = "{}"});
  }
  // Both stores must be closed, or not being written.
  void expectEqual() const {
    const auto source = mustRead(openStore(there).reader()), copy = mustRead(openStore(here).reader());
    const auto a = storeText(*source), b = storeText(*copy);
    std::vector<std::string> lacks, extra;
    std::ranges::set_difference(a, b, std::back_inserter(lacks));
    std::ranges::set_difference(b, a, std::back_inserter(extra));
    lacks.resize(std::min<std::size_t>(lacks.size(), 5)), extra.resize(std::min<std::size_t>(extra.size(), 5));
    EXPECT_THAT(lacks, testing::IsEmpty());
    EXPECT_THAT(extra, testing::IsEmpty());
    EXPECT_GT(a.size(), 10u);
  }
  // Waits until two rounds that began after this call are done.
  static void catchUp(Mirror& mirror) {
    ASSERT_TRUE(mirror.waitComplete(60 * kNsPerSecond)) << mirror.status().problem;
    ASSERT_TRUE(mirror.waitComplete(60 * kNsPerSecond)) << mirror.status().problem;
    ASSERT_TRUE(mirror.waitComplete(60 * kNsPerSecond)) << mirror.status().problem;
  }

  static constexpr TimeNs kBegin = 1'760'000'000'000'000'000;
  const test::TempFolder dir;
  const std::string there = dir.file("there.rgl"), here = dir.file("here.rgl");
};

TEST_F(MirrorTest, WhatAHubHasAndGetsIsHere) {
  auto hub = serve();
  for (int step = 0; step < 20; ++step) write(*hub, [&](Writer& writer) { grow(writer, 16, step); });
  auto mirror = follow(hub->address());
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
  for (int step = 20; step < 40; ++step) write(*hub, [&](Writer& writer) { grow(writer, 16, step); });
  write(*hub, [](Writer& writer) { ASSERT_TRUE(writer.flush().ok()); });
  catchUp(*mirror);
  EXPECT_LT(mirror->status().age(wallNow()), 60 * kNsPerSecond);
  ASSERT_TRUE(mirror->stop().ok());
  ASSERT_TRUE(hub->stop().ok());
  expectEqual();
  const StoreInfo info = mustRead(mustRead(openStore(here).reader())->info());
  ASSERT_TRUE(info.mirror);
  EXPECT_EQ(info.mirror->source_uuid, mustRead(mustRead(openStore(there).reader())->info()).store_uuid);
}

TEST_F(MirrorTest, ACutCostsWhatWasOnTheWire) {
  auto hub = serve();
  SlowProxy proxy(hub->port(), 0);
  auto mirror = follow(proxy.address());
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
  for (int step = 0; step < 60; ++step) {
    const std::int64_t connections = mirror->status().connections;
    write(*hub, [&](Writer& writer) { grow(writer, 32, step); });
    if (step % 10 == 9) {
      proxy.cut();
      write(*hub, [&](Writer& writer) { grow(writer, 32, ++step); });
      ASSERT_TRUE(test::waitUntil([&] { return mirror->status().connections > connections; }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  write(*hub, [](Writer& writer) { ASSERT_TRUE(writer.flush().ok()); });
  catchUp(*mirror);
  EXPECT_GE(mirror->status().connections, 4);
  EXPECT_EQ(mirror->status().resumed, mirror->status().connections - 1) << "only the first connection began a session";
  ASSERT_TRUE(mirror->stop().ok());
  ASSERT_TRUE(hub->stop().ok());
  expectEqual();
}

// Findings are committed separately; if another process prevents the commit, they are committed later.
TEST_F(MirrorTest, WhatCannotBeStoredNowIsStoredLater) {
  auto hub = serve();
  write(*hub, [&](Writer& writer) { grow(writer, 8, 0); });
  auto mirror = follow(hub->address());
  catchUp(*mirror);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(here.c_str(), &other), SQLITE_OK);
  sqlite3_busy_timeout(other, 10'000);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(other);
  for (int step = 1; step < 40; ++step) write(*hub, [&](Writer& writer) { grow(writer, 8, step); });
  write(*hub, [](Writer& writer) { ASSERT_TRUE(writer.flush().ok()); });
  EXPECT_TRUE(test::waitUntil([&] { return mirror->status().problem.find("locked") != std::string::npos; }));
  sqlite3_close(other);  // rolls back
  EXPECT_TRUE(test::waitUntil([&] { return mirror->status().problem.empty(); })) << "and says no longer that it cannot";
  catchUp(*mirror);
  ASSERT_TRUE(mirror->stop().ok());
  ASSERT_TRUE(hub->stop().ok());
  expectEqual();
}

TEST_F(MirrorTest, GoesOnAfterEitherSideWasRestarted) {
  int step = 0;
  std::mt19937 random(4);
  for (int round = 0; round < 6; ++round) {
    auto hub = serve();
    auto mirror = follow(hub->address());
    for (int i = 0; i < 15; ++i) {
      write(*hub, [&](Writer& writer) { grow(writer, 16, step++); });
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 80));
      if (i == 7 && round % 2 == 0) {
        (void)mirror->stop();
        mirror = follow(hub->address());
      }
    }
    if (round == 5) {
      write(*hub, [](Writer& writer) { ASSERT_TRUE(writer.flush().ok()); });
      catchUp(*mirror);
    }
    (void)(round % 2 == 0 ? hub->stop() : mirror->stop());
    (void)mirror->stop();
    (void)hub->stop();
  }
  expectEqual();
}

TEST_F(MirrorTest, ACopyComesFromWhereItsHubWasReached) {
  auto hub = serve();
  write(*hub, [&](Writer& writer) { grow(writer, 4, 0); });
  const auto from = [&] { return mustRead(mustRead(openStore(here).reader())->info()).mirror->from; };
  SlowProxy proxy(hub->port(), 0);  // the end of a tunnel
  auto mirror = follow(proxy.address());
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
  EXPECT_EQ(mustRead(mustRead(openStore(here).reader(mirror->readerOptions()))->info()).mirror->from, proxy.address());
  ASSERT_TRUE(mirror->stop().ok());
  EXPECT_EQ(from(), proxy.address());
  mirror = follow(hub->address());
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
  ASSERT_TRUE(mirror->stop().ok());
  EXPECT_EQ(from(), hub->address()) << "it was reached another way";
}

TEST_F(MirrorTest, EditsOfACopyAreMadeAtItsHub) {
  auto hub = serve();
  write(*hub, [&](Writer& writer) { grow(writer, 4, 0); });
  auto mirror = follow(hub->address());
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond));
  const StoreInfo info = mustRead(mustRead(openStore(here).reader(mirror->readerOptions()))->info());
  ControlClient client({.hub = hub->address()});
  ASSERT_TRUE(client.edit(Note{.run_uuid = "u", .author = "me", .text = "seen"}, info.mirror->source_uuid).ok());
  catchUp(*mirror);
  const auto reader = mustRead(openStore(here).reader(mirror->readerOptions()));
  const auto runs = mustRead(reader->runs());
  const auto notes = mustRead(reader->notes(runs.at(0).id));
  ASSERT_EQ(notes.size(), 1u);
  // And is deleted again.
  ASSERT_TRUE(client.edit(Note{.id = notes[0].id, .run_uuid = "u", .author = "me", .text = ""}, info.mirror->source_uuid).ok());
  catchUp(*mirror);
  EXPECT_TRUE(mustRead(reader->notes(runs[0].id)).empty());
}

TEST_F(MirrorTest, ACopyTakesNoAgentsAndNoOtherHub) {
  {
    auto hub = serve();
    write(*hub, [&](Writer& writer) { grow(writer, 4, 0); });
    auto mirror = follow(hub->address());
    ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond));
  }
  const auto as_hub = Hub::start(here, {});
  EXPECT_EQ(as_hub.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(as_hub.status().message(), HasSubstr("is a copy of the store"));
  auto other = Hub::start(dir.file("other.rgl"), {});
  ASSERT_TRUE(other.ok());
  auto mirror = follow((*other)->address());
  EXPECT_FALSE(mirror->waitComplete(60 * kNsPerSecond));
  EXPECT_TRUE(mirror->status().refused);
  EXPECT_THAT(mirror->status().problem, HasSubstr("this hub writes"));
}

TEST_F(MirrorTest, AStoreOfItsOwnBecomesNoCopy) {
  {
    auto writer = mustRead(openStore(here).writer());
    grow(*writer, 4, 0);
  }
  const auto mirror = Mirror::start(options("127.0.0.1:1"));
  EXPECT_EQ(mirror.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(mirror.status().message(), HasSubstr("data of its own"));
}

TEST_F(MirrorTest, WithoutTheHubsTokenNothingIsReported) {
  const std::string token = dir.file("token");
  FILE* file = std::fopen(token.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("0123456789abcdef0123456789abcdef\n", file);
  std::fclose(file);
  std::filesystem::permissions(token, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  auto hub = serve({.token_file = token});
  write(*hub, [&](Writer& writer) { grow(writer, 4, 0); });
  auto mirror = follow(hub->address());
  EXPECT_FALSE(mirror->waitComplete(60 * kNsPerSecond));
  EXPECT_TRUE(mirror->status().refused);
  (void)mirror->stop();
  MirrorOptions with = options(hub->address());
  with.hub.token = "0123456789abcdef0123456789abcdef";
  auto known = mustRead(Mirror::start(with));
  EXPECT_TRUE(known->waitComplete(60 * kNsPerSecond)) << known->status().problem;
}

}  // namespace
}  // namespace runglass
