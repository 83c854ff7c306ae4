// SPDX-License-Identifier: Apache-2.0
// Recording: in order, whatever commits happen in between, and without loss if one fails.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "collectors/hub/server/recording.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;

class RecordingTest : public testing::Test {
 protected:
  void start(WriterOptions options = {}) {
    writer = openStore(store).writer(std::move(options)).value();
    recording = std::make_unique<Recording>(*writer, [this] { ++ran; });
  }
  void say(std::size_t bytes = 100) {
    recording->add(bytes, [n = said++](Writer& out) { out.event({.time = n, .kind = "n", .message = std::string(2'000, '.')}); });
  }
  // Waits until a commit has begun.
  void commit() {
    ASSERT_TRUE(waitUntil([&] {
      recording->commitIfDue();
      return !recording->atRest();
    }));
  }
  void expectAllInOrder() {
    recording.reset();
    ASSERT_TRUE(writer->close().ok());
    writer.reset();
    const std::vector<Event> events = *(*openStore(store).reader())->events({.limit = 1'000'000});
    ASSERT_EQ(static_cast<std::int64_t>(events.size()), said);
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].time, said - 1 - static_cast<std::int64_t>(i)) << "newest first";
  }

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Recording> recording;
  std::atomic<int> ran = 0;
  std::int64_t said = 0;
};

TEST_F(RecordingTest, KeepsTheOrderAcrossCommits) {
  start();
  for (int round = 0; round < 10; ++round) {
    say();
    EXPECT_EQ(recording->waitingBytes(), 0U) << "at rest it is recorded at once";
    commit();
    for (int i = 0; i < 50; ++i) say();
    EXPECT_EQ(recording->waitingBytes(), 5'000U);
    ASSERT_TRUE(waitUntil([&] {
      recording->work(0);
      say();
      return recording->atRest();
    }));
  }
  EXPECT_GE(ran, 10);
  EXPECT_TRUE(recording->status().ok());
  expectAllInOrder();
}

TEST_F(RecordingTest, GetsLessHoweverMuchComes) {
  start();
  say();
  commit();
  ASSERT_TRUE(waitUntil([&] { return ran > 0; }));
  for (int i = 0; i < 10; ++i) {
    recording->add(100, [this](Writer& out) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // one takes longer than a slice
      out.event({.time = said++, .kind = "n"});
    });
  }
  recording->work(300);
  EXPECT_EQ(recording->waitingBytes(), 400U);
  EXPECT_TRUE(recording->behind());
  recording->work(0);
  EXPECT_EQ(recording->waitingBytes(), 300U) << "one at least";
  recording->settle();
  EXPECT_TRUE(recording->atRest());
  expectAllInOrder();
}

TEST_F(RecordingTest, SaysThatACommitFailedAndTheNextStoresIt) {
  ASSERT_TRUE(openStore(store).writer().value()->close().ok());
  start({.max_pages = 1});  // no page more than the store has
  for (int i = 0; i < 50; ++i) say();
  commit();
  for (int i = 0; i < 50; ++i) say();
  recording->settle();
  EXPECT_EQ(recording->status().code(), Code::kResourceExhausted);
  writer->setMaxPages(1'000'000);
  commit();
  recording->settle();
  EXPECT_TRUE(recording->status().ok()) << recording->status().message();
  expectAllInOrder();
}

TEST_F(RecordingTest, RetentionTellsHowItEnded) {
  start();
  say();
  bool reported = false;
  recording->forget({}, kNsPerSecond, [&](const Result<bool>& done, DurNs) { reported = done.ok() && *done; });
  say();
  EXPECT_FALSE(reported) << "it runs elsewhere";
  recording->settle();
  EXPECT_TRUE(reported);
  expectAllInOrder();
}

}  // namespace
}  // namespace runglass
