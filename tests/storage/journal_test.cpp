// SPDX-License-Identifier: Apache-2.0
// The batches that a journal returns after the disk has damaged it, lost its end, or failed to write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "model/crc32c.h"
#include "storage/codec/bytes.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace {
std::atomic<int> g_failing_syncs = 0;  // number of journal syncs that will still fail
std::atomic<int> g_syncs = 0;          // number of syncs requested
}  // namespace

// Replaces the C library's function in the whole program.
extern "C" int fdatasync(int fd) {
  ++g_syncs;
  if (g_failing_syncs > 0) {
    std::error_code error;
    const std::string file = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
    if (file.find("-ingest") != std::string::npos) {
      --g_failing_syncs;
      errno = EIO;
      return -1;
    }
  }
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

const StreamKey kStream{"agent", "session", 1};
const StreamKey kOther{"other", "session", 2};
constexpr std::size_t kHead = 44;

JournalReplay replayEvents() {
  return [](const StreamKey& stream, std::uint64_t seq, std::string_view payload, Writer& writer) -> Status {
    writer.event({.time = static_cast<TimeNs>(seq), .kind = stream.agent, .message = std::string(payload)});
    return {};
  };
}
std::string payloadOf(std::uint64_t seq) { return "batch " + std::to_string(seq) + std::string(200, '.'); }

// `batches` of both streams, acknowledged, on disk and not stored, by a killed writer.
void leaveJournal(const std::string& store, std::uint64_t batches, std::uint64_t from = 0, bool flushed = false) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = openStore(store).writer({.replay = replayEvents(), .power_safe = true});
    if (!writer.ok()) ::_exit(1);
    for (std::uint64_t seq = from; seq < from + batches; ++seq)
      for (const StreamKey* stream : {&kStream, &kOther})
        if (!(*writer)->journal(*stream, seq, payloadOf(seq)).ok() || !(*writer)->syncJournal().ok()) ::_exit(2);
    if (flushed && !(*writer)->flush().ok()) ::_exit(3);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
}

std::string contentOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& file, std::size_t at, std::string_view bytes) {
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(at));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
std::vector<std::string> keptOf(const TempStore& store) {
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(store.folder()))
    if (entry.path().filename().string().starts_with("test.rgl-ingest.corrupt-")) kept.push_back(entry.path());
  return kept;
}

struct Replayed {
  std::set<TimeNs> of_one, of_other;
  std::vector<Issue> issues;
  std::size_t events = 0;
  std::int64_t count(std::string_view code) const {
    std::int64_t sum = 0;
    for (const Issue& issue : issues) sum += issue.code == code ? issue.count : 0;
    return sum;
  }
};
// Opens the store, like a hub, and returns its content afterwards.
Replayed replay(const std::string& store) {
  Replayed found;
  {
    auto writer = openStore(store).writer({.replay = replayEvents()});
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    if (!writer.ok()) return found;
    EXPECT_TRUE((*writer)->close().ok());
  }
  const auto reader = openStore(store).reader();
  const std::vector<Event> events = *(*reader)->events({.limit = 100'000});
  for (const Event& event : events) {
    (event.kind == "agent" ? found.of_one : found.of_other).insert(event.time.value_or(-1));
    ++found.events;
    EXPECT_EQ(event.message, payloadOf(static_cast<std::uint64_t>(event.time.value_or(0))));
  }
  found.issues = *(*reader)->issues();
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
  EXPECT_FALSE(fs::exists(journalPath(store)));
  return found;
}

TEST(DamagedJournal, EachFlippedByteCostsAtMostTheRecordThatItHits) {
  const TempStore store;
  constexpr std::uint64_t kBatches = 4;
  ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), kBatches));
  const std::string whole = contentOf(journalPath(store.path()));
  for (std::size_t at = 0; at < whole.size(); at += at < 60 ? 4 : 61) {
    SCOPED_TRACE("byte " + std::to_string(at));
    const TempStore copy;
    ASSERT_NO_FATAL_FAILURE(fs::copy_file(store.path(), copy.path()));
    for (const char* tail : {"-wal", "-ingest"})
      if (fs::exists(store.path() + tail)) fs::copy_file(store.path() + tail, copy.path() + tail);
    write(journalPath(copy.path()), at, std::string(1, static_cast<char>(whole[at] ^ 0x10)));
    const Replayed found = replay(copy.path());
    const bool in_head = at < kHead;
    // The loss of a stream's last record leaves no gap, so it cannot be detected.
    EXPECT_GE(found.events, 2 * kBatches - (in_head ? 0 : 1));
    EXPECT_EQ(found.events + static_cast<std::size_t>(found.count("store.batches_lost")) + (found.of_one.contains(kBatches - 1) ? 0U : 1U) +
                  (found.of_other.contains(kBatches - 1) ? 0U : 1U),
              2 * kBatches);
    EXPECT_GE(found.count("store.journal_damaged") + found.count("store.journal_torn"), 1);
    if (found.count("store.journal_damaged") == 0) continue;
    ASSERT_THAT(keptOf(copy), SizeIs(1));
    std::string damaged = whole;
    damaged[at] = static_cast<char>(whole[at] ^ 0x10);
    EXPECT_EQ(contentOf(keptOf(copy)[0]), damaged) << "kept as it was";
  }
}

TEST(DamagedJournal, AHoleOfASectorCostsWhatItHits) {
  for (const std::size_t begin : {std::size_t{0}, std::size_t{512}, std::size_t{4'096}}) {
    SCOPED_TRACE(begin);
    const TempStore store;
    constexpr std::uint64_t kBatches = 40;
    ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), kBatches));
    ASSERT_GT(contentOf(journalPath(store.path())).size(), begin + 4'096);
    write(journalPath(store.path()), begin, std::string(512, '\0'));
    const Replayed found = replay(store.path());
    EXPECT_GE(found.events, 2 * kBatches - 4);
    EXPECT_LT(found.events, 2 * kBatches);
    EXPECT_EQ(found.events + static_cast<std::size_t>(found.count("store.batches_lost")), 2 * kBatches);
    EXPECT_EQ(found.count("store.journal_damaged"), begin == 0 ? 2 : 1);
  }
}

TEST(DamagedJournal, AnUnfinishedRecordAtTheEndIsNoDamage) {
  const TempStore store;
  ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), 3));
  fs::resize_file(journalPath(store.path()), fs::file_size(journalPath(store.path())) - 50);
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.events, 5U);
  EXPECT_EQ(found.count("store.journal_torn"), 1);
  EXPECT_EQ(found.count("store.journal_damaged"), 0);
  EXPECT_THAT(keptOf(store), IsEmpty());
}

TEST(DamagedJournal, AZeroedTailIsReportedAsDamage) {
  const TempStore store;
  ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), 3));
  const auto size = fs::file_size(journalPath(store.path()));
  write(journalPath(store.path()), size - 300, std::string(300, '\0'));
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.events, 4U);
  EXPECT_EQ(found.count("store.journal_damaged"), 1);
  EXPECT_EQ(found.count("store.journal_torn"), 0);
}

// A payload may contain bytes that look like a record: they are not one where the sizes around them are right, nor without the store's
// uuid.
TEST(DamagedJournal, APayloadCannotPassForARecord) {
  const TempStore store, donor;
  ASSERT_NO_FATAL_FAILURE(leaveJournal(donor.path(), 1));
  const std::string forged = contentOf(journalPath(donor.path())).substr(kHead);
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = store.writer({.power_safe = true});
    for (std::uint64_t seq = 0; seq < 3; ++seq)
      if (!writer.ok() || !(*writer)->journal(kOther, seq, forged).ok() || !(*writer)->syncJournal().ok()) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  write(journalPath(store.path()), kHead, std::string(12, '\x7f'));  // the first record's marker, size and checksum
  std::map<std::string, int> records;
  auto writer = store.writer({.replay = [&](const StreamKey& stream, std::uint64_t, std::string_view, Writer&) -> Status {
    ++records[stream.agent];
    return {};
  }});
  ASSERT_TRUE(writer.ok());
  EXPECT_THAT(records, testing::ElementsAre(testing::Pair("other", 2)));
}

TEST(DamagedJournal, OfAnotherStoreIsSetAside) {
  const TempStore store, other;
  ASSERT_TRUE((*store.writer())->close().ok());
  ASSERT_NO_FATAL_FAILURE(leaveJournal(other.path(), 2));
  fs::copy_file(journalPath(other.path()), journalPath(store.path()));
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.events, 0U);
  EXPECT_EQ(found.count("store.journal_foreign"), 1);
  EXPECT_THAT(keptOf(store), SizeIs(1));
}

TEST(DamagedJournal, KeepsAFewDamagedFiles) {
  const TempStore store;
  std::uint64_t next = 0;
  for (int life = 0; life < 6; ++life) {
    ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), 3, next));
    next += 3;
    write(journalPath(store.path()), kHead + 20, "xxxx");
    (void)replay(store.path());
  }
  EXPECT_THAT(keptOf(store), SizeIs(4));
}

// A power cut may lose any part of unsynced data. Replaying batches after the gap would move the mark past batches that their sender still
// holds.
TEST(Journal, WhatIsBehindAHoleOfAPowerCutIsLeftToItsSender) {
  const TempStore store;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = store.writer({.replay = replayEvents()});
    for (std::uint64_t seq = 0; seq < 4; ++seq)
      if (!writer.ok() || !(*writer)->journal(kStream, seq, payloadOf(seq)).ok()) ::_exit(1);
    if (!(*writer)->journal(kOther, 0, payloadOf(0)).ok()) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::string content = contentOf(journalPath(store.path()));
  write(journalPath(store.path()), content.find("batch 1") + 1, std::string(100, '\0'));
  auto writer = store.writer({.replay = replayEvents()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_EQ((*writer)->resumeFrom(kStream), 1U);
  EXPECT_EQ((*writer)->resumeFrom(kOther), 1U);
  ASSERT_TRUE((*writer)->close().ok());
  EXPECT_EQ(replay(store.path()).count("store.journal_left_out"), 2);
}

// The kernel drops pages that it could not write: a second sync of the same file would find nothing to do.
TEST(Journal, ASyncThatFailedIsFatalForItsFile) {
  for (const bool power_safe : {true, false}) {
    SCOPED_TRACE(power_safe);
    const TempStore store;
    {
      auto writer = store.writer({.replay = replayEvents(), .power_safe = power_safe}).value();
      const auto say = [&](std::uint64_t seq) {
        const Status journaled = writer->journal(kStream, seq, payloadOf(seq)).status();
        if (journaled.ok()) writer->event({.time = static_cast<TimeNs>(seq), .kind = "agent", .message = payloadOf(seq)});
        return journaled;
      };
      g_failing_syncs = 1;
      std::uint64_t next = 0;
      // Power-safe: fails at once; otherwise the sync runs in the background, and the next call returns its result.
      ASSERT_TRUE(test::waitUntil([&] {
        if (!say(next).ok()) return true;
        ++next;
        return !writer->syncJournal().ok();
      }));
      next = writer->resumeFrom(kStream);
      ASSERT_EQ(g_failing_syncs, 0);
      EXPECT_FALSE(writer->syncJournal().ok());
      EXPECT_FALSE(writer->syncJournal().ok());
      EXPECT_FALSE(say(next).ok()) << "nothing more goes into that file";
      ASSERT_TRUE(writer->flush().ok());
      EXPECT_TRUE(say(next).ok());
      EXPECT_TRUE(writer->syncJournal().ok());
    }
    const Replayed found = replay(store.path());
    EXPECT_EQ(found.events, found.of_one.size());
    EXPECT_GE(found.events, 1U);
    EXPECT_EQ(found.count("store.batches_lost"), 0);
  }
}

// Previously, a hub with as many connections as its limit of open files accepted nothing more, because a sync opened the folder.
TEST(Journal, ASyncNeedsNoDescriptor) {
  const TempStore store;
  const auto writer = store.writer({.replay = replayEvents()}).value();
  EXPECT_EQ(writer->resumeFrom(kStream), 0U);  // as the hub does once for each stream
  const auto synced = [&](std::uint64_t seq) -> Status {
    const int syncs = g_syncs;
    RG_TRY(writer->journal(kStream, seq, payloadOf(seq)).status());
    Status status;
    EXPECT_TRUE(test::waitUntil([&] {
      status = writer->syncJournal();
      return !status.ok() || g_syncs > syncs;
    }));
    return status.ok() ? writer->syncJournal() : status;
  };
  // The first one without a limit: UBSan creates a pipe when it sees a class for the first time.
  ASSERT_TRUE(synced(0).ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status status = synced(1);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(writer->journal(kStream, 2, payloadOf(2)).ok());
}

TEST(Journal, OfAnOlderProgramIsReplayed) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  const std::string uuid = (*store.reader())->info()->store_uuid;
  std::string file = "RGJ1";
  appendFixed(file, static_cast<std::uint32_t>(uuid.size()));
  file += uuid;
  const auto record = [&](const std::string& body) {
    appendFixed(file, static_cast<std::uint32_t>(body.size()));
    appendFixed(file, crc32c(body));
    file += body;
  };
  record(std::string("\0\0", 2) + "\x05" + "agent" + "\x07" + "session" + "\x01");
  for (char seq = 0; seq < 3; ++seq) record(std::string("\1\0", 2) + seq + payloadOf(static_cast<std::uint64_t>(seq)));
  std::ofstream(journalPath(store.path()), std::ios::binary) << file;
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.of_one, (std::set<TimeNs>{0, 1, 2}));
  EXPECT_THAT(found.issues, IsEmpty());
}

// After a power cut, a store's -wal file may not be on disk: each acknowledged batch is in the store or the journal.
TEST(Journal, KeepsWhatIsCommittedUntilThatIsOnTheDisk) {
  const TempStore store, after;
  {
    auto writer = store.writer({.replay = replayEvents()});
    ASSERT_TRUE(writer.ok());
    std::uint64_t seq = 0;
    for (int commit = 0; commit < 10; ++commit) {
      for (int i = 0; i < 20; ++i, ++seq) {
        ASSERT_TRUE((*writer)->journal(kStream, seq, payloadOf(seq)).ok());
        (*writer)->event({.time = static_cast<TimeNs>(seq), .kind = "agent", .message = payloadOf(seq)});
      }
      ASSERT_TRUE((*writer)->flush().ok());
      // The first commit was synced; nothing of the others is on disk.
      if (commit == 0) fs::copy_file(store.path(), after.path()), fs::copy_file(walPath(store.path()), walPath(after.path()));
    }
    for (const char* tail : {"-ingest", "-ingest-next"})
      if (fs::exists(store.path() + tail)) fs::copy_file(store.path() + tail, after.path() + tail);
  }
  const Replayed found = replay(after.path());
  EXPECT_THAT(found.of_one, SizeIs(200));
  EXPECT_EQ(found.events, 200U);
  EXPECT_EQ(found.count("store.batches_lost"), 0);
}

TEST(Journal, ReportsAHoleBetweenTheStoreAndItself) {
  const TempStore store;
  ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), 5));
  (void)replay(store.path());
  ASSERT_NO_FATAL_FAILURE(leaveJournal(store.path(), 5, 5));
  // The first of them is lost: cut out, without damage to others.
  const std::string whole = contentOf(journalPath(store.path()));
  const std::size_t record = (whole.size() - kHead) / 10;
  fs::remove(journalPath(store.path()));
  std::ofstream(journalPath(store.path()), std::ios::binary) << whole.substr(0, kHead) << whole.substr(kHead + 2 * record);
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.events, 18U);
  EXPECT_EQ(found.count("store.batches_lost"), 2);
}

TEST(Journal, AHoleThatItsSenderReportedIsNoLoss) {
  const TempStore store;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = store.writer();
    if (!writer.ok() || !(*writer)->journal(kStream, 0, payloadOf(0)).ok() || !(*writer)->journal(kStream, 7, payloadOf(7)).ok())
      ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Replayed found = replay(store.path());
  EXPECT_EQ(found.of_one, (std::set<TimeNs>{0, 7}));
  EXPECT_THAT(found.issues, IsEmpty());
}

}  // namespace
}  // namespace runglass
