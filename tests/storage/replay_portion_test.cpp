// SPDX-License-Identifier: Apache-2.0
// A large journal is replayed and committed in portions; a crash in between neither loses nor duplicates data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kBatches = 100;
constexpr std::size_t kBatchBytes = 1'000, kPortion = 10'000;
const StreamKey kStream{"agent", "session", 4};

// One sample and one event per batch. Only the first batch declares the series, as on the wire.
class Session {
 public:
  void play(std::uint64_t seq, Writer& writer) {
    if (seq == 0) m_series = writer.series({.metric = "m"});
    writer.sample(m_series, static_cast<TimeNs>(seq + 1), static_cast<double>(seq));
    writer.event({.time = static_cast<TimeNs>(seq + 1), .kind = "batch"});
  }

 private:
  SeriesId m_series;
};

std::string payloadOf(std::uint64_t seq) { return std::to_string(seq) + std::string(kBatchBytes, '.'); }

// Journals all batches and is killed before any of them is stored.
void journalAll(const std::string& store) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = openStore(store).writer();
    if (!writer.ok()) ::_exit(1);
    for (std::uint64_t seq = 0; seq < kBatches; ++seq)
      if (!(*writer)->journal(kStream, seq, payloadOf(seq)).ok()) ::_exit(2);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
}

WriterOptions replayWith(std::function<void(std::uint64_t)> before) {
  WriterOptions options;
  options.replay_portion = kPortion;
  options.replay = [session = Session(), before = std::move(before)](const StreamKey&, std::uint64_t seq, std::string_view payload,
                                                                     Writer& writer) mutable -> Status {
    EXPECT_EQ(payload, payloadOf(seq));
    before(seq);
    session.play(seq, writer);
    return {};
  };
  return options;
}

void expectWhole(const std::string& store) {
  const auto reader = openStore(store).reader().value();
  EXPECT_THAT(sqlRows(*reader, "SELECT sample_count FROM rg_series"), ElementsAre(std::to_string(kBatches)));
  EXPECT_EQ(reader->events({.limit = 1'000})->size(), kBatches);
  EXPECT_THAT(sqlRows(*reader, "SELECT next_seq FROM rg_stream"), ElementsAre(std::to_string(kBatches)));
  EXPECT_THAT(*reader->issues(), IsEmpty());
  EXPECT_THAT(*reader->verify(), IsEmpty());
}

TEST(ReplayPortion, IsCommittedBeforeTheNextIsRead) {
  const TempStore store;
  journalAll(store.path());
  std::uint64_t most_waiting = 0;
  auto writer = store.writer(replayWith([&](std::uint64_t seq) {
    const std::vector<std::string> stored = sqlRows(*store.reader().value(), "SELECT next_seq FROM rg_stream");
    most_waiting = std::max<std::uint64_t>(most_waiting, seq - (stored.empty() ? 0 : std::stoull(stored[0])));
  }));
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_LE(most_waiting, kPortion / kBatchBytes);
  EXPECT_GT(most_waiting, 0U);
  ASSERT_TRUE((*writer)->close().ok());
  expectWhole(store.path());
}

TEST(ReplayPortion, ThatIsInterruptedGoesOnWhereItWas) {
  for (const std::uint64_t killed_at : {5U, 10U, 11U, 55U, 99U}) {
    SCOPED_TRACE(killed_at);
    const TempStore store;
    journalAll(store.path());
    const pid_t child = ::fork();
    if (child == 0) {
      (void)store.writer(replayWith([&](std::uint64_t seq) {
        if (seq == killed_at) ::raise(SIGKILL);
      }));
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    auto writer = store.writer(replayWith([](std::uint64_t) {}));
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    EXPECT_EQ((*writer)->resumeFrom(kStream), kBatches);
    ASSERT_TRUE((*writer)->close().ok());
    expectWhole(store.path());
    EXPECT_FALSE(std::filesystem::exists(journalPath(store.path())));
  }
}

// A batch that cannot be recorded is set aside; the store opens, and the other batches are in it.
TEST(ReplayPortion, ABatchThatCannotBeReplayedIsSetAside) {
  const TempStore store;
  journalAll(store.path());
  auto options = replayWith([](std::uint64_t) {});
  options.replay = [play = options.replay](const StreamKey& stream, std::uint64_t seq, std::string_view payload, Writer& writer) -> Status {
    if (seq == 7) return {Code::kDataLoss, "nonsense"};
    return play(stream, seq, payload, writer);
  };
  auto writer = store.writer(options);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  ASSERT_TRUE((*writer)->close().ok());
  const auto reader = store.reader().value();
  EXPECT_EQ(reader->events({.limit = 1'000})->size(), kBatches - 1);
  EXPECT_THAT(sqlRows(*reader, "SELECT code, count FROM rg_issue"), ElementsAre("store.batch_set_aside|1"));
  EXPECT_GT(std::filesystem::file_size(badPath(store.path())), kBatchBytes);
}

}  // namespace
}  // namespace runglass
