// SPDX-License-Identifier: Apache-2.0
// The -wal file of a store with readers: it stays small, and a process that prevents this is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "storage/store_files.h"
#include "storage/write/store_writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    writer = store.writer().value();
    // The changes of its creation are in the file.
    ASSERT_TRUE(writer->flush().ok());
  }
  Status store_some(std::int64_t bytes) {
    for (; bytes > 0; bytes -= 32'768, ++events) {
      std::string text(32'768, '\0');
      for (char& c : text) c = static_cast<char>('a' + random() % 26);
      writer->event({.time = events, .kind = "filler", .message = std::move(text)});
    }
    return writer->flush();
  }
  std::int64_t walBytes() const { return static_cast<std::int64_t>(std::filesystem::file_size(walPath(store.path()))); }
  std::vector<Issue> blockers() const {
    std::vector<Issue> issues = *store.reader({.live = writer->liveTail()}).value()->issues();
    std::erase_if(issues, [](const Issue& issue) { return issue.code != "store.reader_blocks"; });
    return issues;
  }

  // A process that holds a snapshot, like a paused pipe.
  class Holder {
   public:
    explicit Holder(const std::string& path) {
      int ready[2];
      EXPECT_EQ(::pipe(ready), 0);
      m_pid = ::fork();
      if (m_pid == 0) {
        sqlite3* db = nullptr;
        const bool held = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                          sqlite3_exec(db, "BEGIN; SELECT count(*) FROM rg_event", nullptr, nullptr, nullptr) == SQLITE_OK;
        if (!held || ::write(ready[1], "x", 1) != 1) ::_exit(1);
        while (true) ::pause();
      }
      char c = 0;
      EXPECT_EQ(::read(ready[0], &c, 1), 1);
      ::close(ready[0]);
      ::close(ready[1]);
    }
    ~Holder() { end(); }
    void end() {
      if (m_pid > 0) ::kill(m_pid, SIGKILL), ::waitpid(m_pid, nullptr, 0);
      m_pid = 0;
    }
    int pid() const { return m_pid; }

   private:
    int m_pid = 0;
  };

  TempStore store;
  std::unique_ptr<Writer> writer;
  std::int64_t events = 0;
  std::mt19937 random{1};
};

TEST_F(CheckpointTest, AProcessThatHoldsASnapshotIsNamed) {
  static_cast<StoreWriter&>(*writer).wal().setLimits(2'048 * kMiB, 0);
  Holder holder(store.path());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store_some(17 * kMiB).ok());
  ASSERT_TRUE(writer->flush().ok());
  const std::vector<Issue> found = blockers();
  ASSERT_THAT(found, testing::SizeIs(1)) << "once in ten minutes";
  EXPECT_THAT(found[0].detail, HasSubstr("process " + std::to_string(holder.pid()) + " (storage_test)"));
}

TEST_F(CheckpointTest, BeyondItsLimitNothingIsStoredUntilTheSnapshotEnds) {
  static_cast<StoreWriter&>(*writer).wal().setLimits(40 * kMiB, 3'600 * kNsPerSecond);
  Holder holder(store.path());
  Status status;
  for (int i = 0; i < 5 && status.ok(); ++i) status = store_some(17 * kMiB);
  ASSERT_EQ(status.code(), Code::kResourceExhausted) << status.message();
  EXPECT_THAT(status.message(), HasSubstr("process " + std::to_string(holder.pid())));
  const std::int64_t stopped_at = walBytes();
  EXPECT_LT(stopped_at, 80 * kMiB);
  EXPECT_FALSE(writer->flush().ok());
  EXPECT_EQ(walBytes(), stopped_at);
  EXPECT_THAT(blockers(), IsEmpty());
  holder.end();
  EXPECT_TRUE(writer->flush().ok()) << "what waited is stored";
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader();
  EXPECT_EQ((*reader)->events({.limit = 100'000})->size(), static_cast<std::size_t>(events));
}

// Readers of this process hold a snapshot for 250 ms; several of them, one after the other, leave no moment without one.
TEST_F(CheckpointTest, OurReadersLetTheWalFileBeginAnew) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&, i] {
      const auto reader = store.reader().value();
      std::this_thread::sleep_for(std::chrono::milliseconds(80 * i));
      while (!stop) {
        const auto hold = reader->hold();
        for (int look = 0; look < 12; ++look) {
          EXPECT_TRUE(reader->events({.limit = 1}).ok());
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      }
    });
  }
  std::int64_t largest = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(store_some(4 * kMiB).ok());
    largest = std::max(largest, walBytes());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_LE(largest, 64 * kMiB);
}

}  // namespace
}  // namespace runglass
