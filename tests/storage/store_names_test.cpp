// SPDX-License-Identifier: Apache-2.0
// A store has one writer, whatever the name by which it is opened, and no use of its files in this process releases SQLite's locks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "storage/open_store.h"
#include "storage/sqlite/database_file.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const StreamKey kStream{"agent", "session", 1};

JournalReplay replayEvents() {
  return [](const StreamKey&, std::uint64_t seq, std::string_view, Writer& writer) -> Status {
    writer.event({.time = static_cast<TimeNs>(seq), .kind = "batch"});
    return {};
  };
}

TEST(StoreNames, ALinkLeadsToTheSameFiles) {
  const TempStore store;
  fs::create_directory(store.file("there"));
  const std::string real = fs::canonical(store.folder()).string() + "/there/s.rgl";
  fs::create_symlink("there/s.rgl", store.file("link.rgl"));
  fs::create_directory_symlink("there", store.file("folder"));
  for (const std::string& name : {store.file("link.rgl"), store.file("folder/s.rgl"), store.file("there/../there/s.rgl")}) {
    EXPECT_EQ(resolvedStore(name), real) << "of a store that is still to be made";
    EXPECT_EQ(lockPath(name), real + "-lock");
    EXPECT_EQ(journalPath(name), real + "-ingest");
    EXPECT_EQ(nextJournalPath(name), real + "-ingest-next");
  }
  fs::create_symlink("loop.rgl", store.file("loop.rgl"));
  EXPECT_FALSE(openStore(store.file("loop.rgl")).writer().ok());
}

TEST(StoreNames, ASecondWriterThroughALinkIsRefused) {
  const TempStore store;
  fs::create_symlink("test.rgl", store.file("current.rgl"));
  const auto first = store.writer();
  ASSERT_TRUE(first.ok());
  const auto second = openStore(store.file("current.rgl")).writer();
  ASSERT_EQ(second.status().code(), Code::kAlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr("pid " + std::to_string(::getpid())));
  const auto holder = holderOf(store.file("current.rgl"));
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, std::to_string(::getpid()));
  EXPECT_TRUE(openStore(store.file("current.rgl")).reader().ok());
}

TEST(StoreNames, AKilledWriterOfALinkIsRecoveredByAnyName) {
  const TempStore store;
  fs::create_symlink("test.rgl", store.file("current.rgl"));
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = openStore(store.file("current.rgl")).writer();
    if (!writer.ok() || !(*writer)->journal(kStream, 0, "batch").ok()) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(needsRecovery(store.path()));
  EXPECT_TRUE(needsRecovery(store.file("current.rgl")));
  const auto writer = store.writer({.replay = replayEvents()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_EQ((*writer)->resumeFrom(kStream), 1U);
}

TEST(StoreNames, AHardLinkIsRefusedAndReadWhileNobodyWrites) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  fs::create_hard_link(store.path(), store.file("other.rgl"));
  for (const std::string& name : {store.path(), store.file("other.rgl")}) {
    const auto refused = openStore(name).writer();
    ASSERT_EQ(refused.status().code(), Code::kFailedPrecondition);
    EXPECT_THAT(refused.status().message(), HasSubstr("hard link"));
    EXPECT_THAT(refused.status().message(), HasSubstr(name));
    EXPECT_FALSE(fs::exists(lockPath(name)));
  }
  EXPECT_TRUE(openStore(store.file("other.rgl")).reader().ok()) << "a backup made of links can be read";
  fs::remove(store.file("other.rgl"));
  auto writer = store.writer();
  ASSERT_TRUE(writer.ok());
  (*writer)->event({.kind = "one"});
  ASSERT_TRUE((*writer)->flush().ok());
  fs::create_hard_link(store.path(), store.file("other.rgl"));
  const auto reader = openStore(store.file("other.rgl")).reader();
  ASSERT_EQ(reader.status().code(), Code::kFailedPrecondition) << "its newest pages are beside the other name";
  EXPECT_THAT(reader.status().message(), HasSubstr("another name"));
  EXPECT_FALSE(fs::exists(store.file("other.rgl-wal")));
}

TEST(StoreNames, ABindMountOfTheFileIsRefused) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  std::ofstream(store.file("mounted.rgl")).put('x');
  if (::mount(store.path().c_str(), store.file("mounted.rgl").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mount: " << std::strerror(errno);
  const auto refused = openStore(store.file("mounted.rgl")).writer();
  ::umount(store.file("mounted.rgl").c_str());
  ASSERT_EQ(refused.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.status().message(), HasSubstr("mount its folder"));
}

TEST(StoreNames, AWriterOfARenamedStoreKeepsOthersOut) {
  const TempStore store;
  const auto first = store.writer();
  ASSERT_TRUE(first.ok());
  fs::rename(store.path(), store.file("renamed.rgl"));
  const auto second = openStore(store.file("renamed.rgl")).writer();
  EXPECT_EQ(second.status().code(), Code::kAlreadyExists);
  EXPECT_FALSE(fs::exists(store.file("renamed.rgl-lock")));
}

// The owner of a lock that another process would encounter on a byte of a file; 0: none.
int ownerOfLock(const std::string& file, off_t byte) {
  int owner[2];
  if (::pipe(owner) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    const int fd = ::open(file.c_str(), O_RDWR);
    const int answer = fd < 0 || ::fcntl(fd, F_GETLK, &lock) != 0 ? -1 : lock.l_type == F_UNLCK ? 0 : lock.l_pid;
    ::_exit(::write(owner[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
  }
  int answer = -1;
  if (::read(owner[0], &answer, sizeof answer) != sizeof answer) answer = -1;
  ::close(owner[0]);
  ::close(owner[1]);
  ::waitpid(child, nullptr, 0);
  return answer;
}

TEST(StoreNames, NothingThatThisProcessDoesDropsSqlitesLocks) {
  constexpr off_t kShared = 0x40000002, kDeadMansSwitch = 128;  // SQLite's bytes: SHARED of the database, the open -shm
  const TempStore store;
  fs::create_symlink("test.rgl", store.file("link.rgl"));
  auto writer = store.writer();
  ASSERT_TRUE(writer.ok());
  std::atomic<bool> stop = false;
  std::thread others([&] {
    while (!stop) {
      for (const std::string& name : {store.path(), store.file("link.rgl")}) {
        EXPECT_TRUE(openStore(name).reader({.live = (*writer)->liveTail()}).ok());
        EXPECT_TRUE(holderOf(name));
        EXPECT_FALSE(needsRecovery(name));
        EXPECT_FALSE(needsUpgrade(name));
        EXPECT_FALSE(openStore(name).writer().ok());
        EXPECT_TRUE(isOpenHere(name));
        EXPECT_TRUE(sqlite::DatabaseFile::open(name, false).ok());
      }
    }
  });
  for (std::uint64_t seq = 0; seq < 300; ++seq) {
    ASSERT_TRUE((*writer)->journal(kStream, seq, "batch").ok());
    (*writer)->event({.time = static_cast<TimeNs>(seq), .kind = "batch", .message = std::string(2'000, 'x')});
    if (seq % 10 == 0) ASSERT_TRUE((*writer)->flush().ok());
    if (seq % 50 != 0) continue;
    EXPECT_EQ(ownerOfLock(store.path(), kShared), ::getpid()) << "after batch " << seq;
    EXPECT_EQ(ownerOfLock(store.path() + "-shm", kDeadMansSwitch), ::getpid()) << "after batch " << seq;
  }
  stop = true;
  others.join();
  ASSERT_TRUE((*writer)->close().ok());
  writer->reset();
  EXPECT_FALSE(isOpenHere(store.path()));
  const auto reader = store.reader();
  EXPECT_EQ((*reader)->events({.limit = 1'000})->size(), 300U);
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
}

TEST(StoreNames, ALookAtTheLockNeverStopsAWriterThatOpens) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  std::atomic<bool> stop = false;
  std::thread looks([&] {
    while (!stop) (void)holderOf(store.path());
  });
  for (int i = 0; i < 100; ++i) {
    auto writer = store.writer();
    EXPECT_TRUE(writer.ok()) << writer.status().message();
  }
  stop = true;
  looks.join();
}

}  // namespace
}  // namespace runglass
