// SPDX-License-Identifier: Apache-2.0
// A store in trouble: killed writers, full disks, damaged bytes, two writers, stores of later versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/support/seed.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;

const StreamKey kStream{"agent-1", "session-1", 3};
constexpr std::size_t kPerBatch = 50;

SeriesId seriesOf(Recorder& recorder, int number = 0) {
  SeriesKey key;
  key.node = recorder.node({.id = {}, .uuid = "n", .name = "n", .rack = {}, .fabric_switch = {}, .state = {}, .last_heard = {}});
  key.metric = "m" + std::to_string(number);
  return recorder.series(key);
}

// Batch `seq` is 50 samples numbered consecutively, and every tenth batch an event and a span.
void recordBatch(Writer& writer, std::uint64_t seq) {
  std::vector<TimeNs> time;
  std::vector<double> value;
  for (std::size_t i = 0; i < kPerBatch; ++i) {
    time.push_back(static_cast<TimeNs>((seq * kPerBatch + i) * 1000));
    value.push_back(static_cast<double>(seq * kPerBatch + i));
  }
  writer.samples(seriesOf(writer), time, value);
  writer.samples(seriesOf(writer, 1 + static_cast<int>(seq % 20)), time, value);
  if (seq % 10 != 0) return;
  Event event;
  event.kind = "batch";
  event.time = static_cast<TimeNs>(seq);
  writer.event(event);
  Attempt attempt;
  attempt.run = writer.run({.id = {}, .uuid = {}, .name = "run", .time_domain = {}, .state = {}, .start = {}, .end = {}, .framework = {}});
  TrackKey track;
  track.attempt = writer.attempt(attempt);
  track.kind = "thread";
  SpanColumns spans;
  spans.names = {"forward"};
  spans.start = {static_cast<TimeNs>(seq)};
  spans.dur = {5};
  spans.name = {0};
  spans.category = {SpanCategory::kCompute};
  writer.spans(writer.track(track), spans);
}

JournalReplay replayBatches() {
  return [](const StreamKey& stream, std::uint64_t seq, std::string_view payload, Writer& writer) -> Status {
    EXPECT_EQ(stream, kStream);
    EXPECT_EQ(payload, "batch " + std::to_string(seq));
    recordBatch(writer, seq);
    return {};
  };
}

// Writes batches until it is killed; reports each acknowledged one to the parent.
[[noreturn]] void childWrites(const std::string& path, int acks) {
  auto writer = openStore(path).writer({.replay = replayBatches()});
  if (!writer.ok()) {
    std::fprintf(stderr, "%s\n", writer.status().message().c_str());
    ::_exit(3);
  }
  for (std::uint64_t seq = (*writer)->resumeFrom(kStream);; ++seq) {
    const auto arrival = (*writer)->journal(kStream, seq, "batch " + std::to_string(seq));
    if (!arrival.ok() || *arrival != Arrival::kNew) ::_exit(4);
    if (::write(acks, &seq, sizeof seq) != sizeof seq) ::_exit(5);
    recordBatch(**writer, seq);
    if (seq % 7 == 0 && !(*writer)->flushIfDue().ok()) ::_exit(6);
    if (seq % 97 == 0 && !(*writer)->flush().ok()) ::_exit(7);
  }
}

TEST(KilledWriter, LosesNoAcknowledgedBatchAndStoresNoneTwice) {
  const TempStore store;
  std::mt19937_64 random(test::seed());
  std::uint64_t acked = 0;
  for (int round = 0; round < 12; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) childWrites(store.path(), pipe[1]);
    ::close(pipe[1]);
    // Every third is killed while it opens, the others once they have begun to write, however slow the machine is.
    std::uint64_t seq = 0;
    if (round % 3 != 2 && ::read(pipe[0], &seq, sizeof seq) == sizeof seq) acked = seq + 1;
    ::usleep(static_cast<useconds_t>(random() % 100'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
    while (::read(pipe[0], &seq, sizeof seq) == sizeof seq) acked = seq + 1;
    ::close(pipe[0]);
  }
  ASSERT_GE(acked, 8U);
  auto writer = store.writer({.replay = replayBatches()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  const std::uint64_t stored = (*writer)->resumeFrom(kStream);
  EXPECT_GE(stored, acked);
  const SeriesId id = seriesOf(**writer);
  ASSERT_TRUE((*writer)->close().ok());
  auto reader = store.reader();
  const auto samples = (*reader)->samples(id, {});
  ASSERT_TRUE(samples.ok());
  ASSERT_EQ(samples->size(), stored * kPerBatch);
  for (std::size_t i = 0; i < samples->size(); ++i) {
    ASSERT_EQ(samples->time[i], static_cast<TimeNs>(i * 1000));
    ASSERT_EQ(samples->value[i], static_cast<double>(i));
  }
  EventFilter filter;
  filter.limit = 1'000'000;
  EXPECT_EQ((*reader)->events(filter)->size(), (stored + 9) / 10);
  EXPECT_EQ((*reader)->spans({1}, {})->size(), (stored + 9) / 10);
  EXPECT_EQ((*reader)->series({})->at(0).sample_count, static_cast<std::int64_t>(stored * kPerBatch));
  EXPECT_TRUE((*reader)->verify()->empty());
}

TEST(Journal, TellsDuplicatesAndGapsAndKeepsItsMarksAcrossAClose) {
  const TempStore store;
  {
    auto writer = store.writer();
    EXPECT_EQ((*writer)->resumeFrom(kStream), 0U);
    EXPECT_EQ((*writer)->journal(kStream, 0, "a").value(), Arrival::kNew);
    EXPECT_EQ((*writer)->journal(kStream, 0, "a").value(), Arrival::kDuplicate);
    EXPECT_EQ((*writer)->journal(kStream, 5, "b").value(), Arrival::kAfterGap);
    const std::uint64_t epoch = (*writer)->journalEpoch();
    ASSERT_TRUE((*writer)->flush().ok());
    EXPECT_GT((*writer)->journalEpoch(), epoch);
    ASSERT_TRUE((*writer)->close().ok());
  }
  auto writer = store.writer();
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ((*writer)->resumeFrom(kStream), 6U);
}

TEST(Journal, WithoutAReplayRefusesToOpenAndKeepsWhatWasAcknowledged) {
  const TempStore store;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = store.writer();
    if (!writer.ok() || !(*writer)->journal(kStream, 0, "batch 0").ok()) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto refused = store.writer();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.status().message(), HasSubstr("journal"));
  auto writer = store.writer({.replay = replayBatches()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_EQ((*writer)->resumeFrom(kStream), 1U);
}

TEST(FullDisk, LosesNothingAndRecovers) {
  const TempStore store;
  std::uint64_t seq = 0;
  {
    auto writer = store.writer({.max_pages = 120});
    ASSERT_TRUE(writer.ok());
    Status status;
    std::mt19937_64 random(1);
    while (status.ok() && seq < 3000) {
      recordBatch(**writer, seq++);
      // Incompressible data fills the disk.
      for (int i = 0; i < 50; ++i)
        (*writer)->sample(seriesOf(**writer, 50), static_cast<TimeNs>(seq), std::ldexp(static_cast<double>(random()), -70));
      if (seq % 20 == 0) status = (*writer)->flush();
    }
    ASSERT_EQ(status.code(), Code::kResourceExhausted) << status.message();
    EXPECT_THAT(status.message(), HasSubstr("full"));
    // In this process all data is still visible.
    auto live = store.reader({(*writer)->liveTail()});
    EXPECT_EQ((*live)->samples({1}, {})->size(), seq * kPerBatch);
    // Other processes see the committed data, in complete batches.
    const auto before = (*store.reader())->samples({1}, {});
    ASSERT_TRUE(before.ok());
    EXPECT_LT(before->size(), seq * kPerBatch);
    EXPECT_EQ(before->size() % (20 * kPerBatch), 0U);
    live->reset();
    // With space again, no batch has to be sent twice.
    (*writer)->setMaxPages(1'000'000);
    EXPECT_TRUE((*writer)->flush().ok());
    EXPECT_TRUE((*writer)->close().ok());
  }
  auto reader = store.reader();
  EXPECT_EQ((*reader)->samples({1}, {})->size(), seq * kPerBatch);
  EXPECT_TRUE((*reader)->verify()->empty());
}

TEST(SecondWriter, IsRefusedNamingTheFirst) {
  const TempStore store;
  auto first = store.writer();
  ASSERT_TRUE(first.ok());
  const auto second = store.writer();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), Code::kAlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr("pid " + std::to_string(::getpid())));
}

void execSql(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(path, &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(StoreFromTheFuture, IsRefusedByReaderAndWriter) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  execSql(store.path(), "PRAGMA user_version = 99");
  const auto reader = store.reader();
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(reader.status().message(), HasSubstr("newer"));
  const auto writer = store.writer();
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().code(), Code::kFailedPrecondition);
}

TEST(ForeignDatabase, IsNotTakenForAStore) {
  const TempStore store;
  execSql(store.path(), "CREATE TABLE t(a)");
  EXPECT_EQ(store.reader().status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(store.writer().status().code(), Code::kFailedPrecondition);
}

// Root may write everywhere; during a test it acts as an unprivileged user.
class Unprivileged {
 public:
  Unprivileged() : m_was_root(::geteuid() == 0) {
    if (m_was_root) RG_CHECK(::seteuid(kNobody) == 0);
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (m_was_root) RG_CHECK(::seteuid(0) == 0);
  }
  static constexpr uid_t kNobody = 65534;

 private:
  bool m_was_root;
};

TEST(ReadOnlyFolder, OpensForReadingAndNotForWriting) {
  const TempStore store;
  {
    auto writer = store.writer();
    recordBatch(**writer, 0);
    ASSERT_TRUE((*writer)->close().ok());
  }
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(store.folder().c_str(), Unprivileged::kNobody, Unprivileged::kNobody), 0);
    ASSERT_EQ(::chown(store.path().c_str(), Unprivileged::kNobody, Unprivileged::kNobody), 0);
  }
  const Unprivileged nobody;
  std::filesystem::permissions(store.path(), std::filesystem::perms::owner_read);
  std::filesystem::permissions(store.folder(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  auto reader = store.reader();
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ((*reader)->samples({1}, {})->size(), kPerBatch);
  EXPECT_EQ(store.writer().status().code(), Code::kPermissionDenied);
}

TEST(DamagedChunk, LeavesTheRestReadable) {
  const TempStore store;
  {
    auto writer = store.writer();
    for (std::uint64_t seq = 0; seq < 400; ++seq) recordBatch(**writer, seq);
    ASSERT_TRUE((*writer)->close().ok());
  }
  execSql(store.path(),
          "UPDATE rg_chunk SET data = CAST(substr(data, 1, 50) || x'ff' || substr(data, 52) AS BLOB) WHERE chunk_id = "
          "(SELECT min(chunk_id) FROM rg_chunk WHERE series_id = 1)");
  auto reader = store.reader();
  const auto samples = (*reader)->samples({1}, {});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_LT(samples->size(), 400 * kPerBatch);
  EXPECT_GE(samples->size(), 400 * kPerBatch - 4096);
  EXPECT_EQ((*reader)->samples({2}, {})->size(), 20 * kPerBatch);
  EXPECT_EQ((*reader)->verify()->size(), 1U);
}

TEST(NetworkFilesystem, IsReadAndNotWritten) {
  const TempStore store;
  const auto on_nfs = [](const std::string& folder) { return folder.empty() ? std::string() : std::string("nfs"); };
  const auto refused = store.writer({.filesystem = on_nfs});
  EXPECT_EQ(refused.status().code(), Code::kFailedPrecondition);
  for (const char* word : {"(nfs)", "network filesystem", "/var/tmp/"}) EXPECT_THAT(refused.status().message(), testing::HasSubstr(word));
  EXPECT_FALSE(std::filesystem::exists(store.path())) << "nothing was begun";
  ASSERT_TRUE(store.writer().ok());
  EXPECT_TRUE(store.reader().ok());
  EXPECT_EQ(store.writer({.filesystem = on_nfs}).status().code(), Code::kFailedPrecondition);
}

TEST(LiveReader, SeesEverySampleExactlyOnceWhileTheWriterCommits) {
  const TempStore store;
  auto writer = store.writer();
  recordBatch(**writer, 0);
  ASSERT_TRUE((*writer)->flush().ok());
  std::atomic<std::uint64_t> recorded{1};
  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  std::thread thread([&, tail = (*writer)->liveTail()] {
    auto reader = store.reader({tail});
    while (!done) {
      const std::uint64_t at_least = recorded;
      const auto samples = (*reader)->samples({1}, {});
      ASSERT_TRUE(samples.ok()) << samples.status().message();
      ASSERT_GE(samples->size(), at_least * kPerBatch);
      for (std::size_t i = 0; i < samples->size(); ++i) ASSERT_EQ(samples->time[i], static_cast<TimeNs>(i * 1000)) << "twice or missing";
      ++looks;
    }
  });
  for (std::uint64_t seq = 1; seq < 4000 || looks < 20; ++seq) {
    recordBatch(**writer, seq);
    recorded = seq + 1;
    if (seq % 3 == 0) {
      ASSERT_TRUE((*writer)->flush().ok());
    }
    if (testing::Test::HasFatalFailure()) break;
  }
  done = true;
  thread.join();
  EXPECT_TRUE((*writer)->close().ok());
}

}  // namespace
}  // namespace runglass
