// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "collectors/agent/outbox.h"
#include "tests/support/temp_folder.h"

namespace {
int g_failing_syncs = 0;  // number of syncs that will still fail
}  // namespace

// Replaces the C library's function in the whole program.
extern "C" int fdatasync(int fd) {
  if (g_failing_syncs > 0) {
    --g_failing_syncs;
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class SpoolTest : public testing::Test {
 protected:
  Spool::Location put(Spool& spool, std::uint64_t seq, const std::string& payload, const std::string& session = "s1") {
    const auto definitions = [this](std::size_t offset) { return dictionary.substr(offset); };
    auto where = spool.append(session, definitions, 4, seq, 1000 + static_cast<TimeNs>(seq), payload);
    EXPECT_TRUE(where.ok()) << where.status().message();
    return *where;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path())) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }
  Spool::Recovered reopen() {
    auto recovered = again.open(dir.path());
    EXPECT_TRUE(recovered.ok());
    return std::move(*recovered);
  }

  test::TempFolder dir;
  std::string dictionary = "definitions";
  Spool again;
};

TEST_F(SpoolTest, GivesBackWhatItTookAfterARestart) {
  {
    Spool spool;
    ASSERT_TRUE(spool.open(dir.path()).ok());
    put(spool, 0, "zero");
    dictionary += " and more";
    put(spool, 1, std::string(100'000, 'x'));
  }
  const Spool::Recovered recovered = reopen();
  EXPECT_THAT(recovered.issues, IsEmpty());
  ASSERT_THAT(recovered.sessions, SizeIs(1));
  EXPECT_EQ(recovered.sessions[0].name, "s1");
  EXPECT_EQ(recovered.sessions[0].dictionary, dictionary);
  ASSERT_THAT(recovered.sessions[0].batches, SizeIs(2));
  EXPECT_EQ(recovered.sessions[0].batches[1].sealed, 1001);
  EXPECT_EQ(*again.read(recovered.sessions[0].batches[0].where), "zero");
  EXPECT_EQ(*again.read(recovered.sessions[0].batches[1].where), std::string(100'000, 'x'));
}

TEST_F(SpoolTest, CutsOffADamagedTailAndKeepsTheRest) {
  for (const int lost : {1, 5, 21, 40}) {
    Spool::Location second;
    {
      Spool spool;
      ASSERT_TRUE(spool.open(dir.path()).ok());
      put(spool, 0, "first batch");
      second = put(spool, 1, "second batch, which a kill will tear");
    }
    const auto path = files().back();
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - static_cast<std::uintmax_t>(lost));
    Spool spool;
    auto recovered = spool.open(dir.path());
    ASSERT_TRUE(recovered.ok());
    EXPECT_THAT(recovered->issues, SizeIs(1)) << lost;
    ASSERT_THAT(recovered->sessions, SizeIs(1));
    ASSERT_THAT(recovered->sessions[0].batches, SizeIs(1)) << lost;
    EXPECT_EQ(*spool.read(recovered->sessions[0].batches[0].where), "first batch");
    spool.release(recovered->sessions[0].batches[0].where);
    EXPECT_THAT(files(), IsEmpty()) << "released segments are deleted";
  }
}

TEST_F(SpoolTest, FindsEveryFlippedByte) {
  {
    Spool spool;
    ASSERT_TRUE(spool.open(dir.path()).ok());
    put(spool, 0, "payload");
  }
  const auto path = files().at(0);
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t at = 0; at < size; ++at) {
    test::TempFolder copy;
    std::filesystem::copy_file(path, copy.file(path.filename().string()));
    {
      std::fstream file(copy.file(path.filename().string()), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ 0x10);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    Spool spool;
    const auto recovered = spool.open(copy.path());
    ASSERT_TRUE(recovered.ok());
    EXPECT_THAT(recovered->issues, testing::Not(IsEmpty())) << "byte " << at;
  }
}

TEST_F(SpoolTest, MakesEverySegmentExplainItself) {
  {
    Spool spool;
    ASSERT_TRUE(spool.open(dir.path()).ok());
    const std::string large(9U << 20, 'a');
    for (std::uint64_t seq = 0; seq < 4; ++seq) put(spool, seq, large);
  }
  ASSERT_GE(files().size(), 2U);
  std::filesystem::remove(files().front());
  const Spool::Recovered recovered = reopen();
  ASSERT_THAT(recovered.sessions, SizeIs(1));
  EXPECT_EQ(recovered.sessions[0].dictionary, dictionary);
  EXPECT_FALSE(recovered.sessions[0].batches.empty());
}

TEST_F(SpoolTest, KeepsSessionsApart) {
  {
    Spool spool;
    ASSERT_TRUE(spool.open(dir.path()).ok());
    put(spool, 0, "a", "s1");
    put(spool, 0, "b", "s2");
    put(spool, 1, "c", "s1");
  }
  const Spool::Recovered recovered = reopen();
  ASSERT_THAT(recovered.sessions, SizeIs(2));
  EXPECT_THAT(recovered.sessions[0].batches, SizeIs(2));
  EXPECT_EQ(recovered.sessions[0].dictionary, dictionary);
  EXPECT_THAT(recovered.sessions[1].batches, SizeIs(1));
}

TEST_F(SpoolTest, SkipsADamagedRecordAndKeepsTheFile) {
  for (const bool length_too : {false, true}) {
    test::TempFolder folder;
    std::string path, damaged;
    {
      Spool spool;
      ASSERT_TRUE(spool.open(folder.path()).ok());
      const auto definitions = [this](std::size_t offset) { return dictionary.substr(offset); };
      std::vector<Spool::Location> all;
      for (std::uint64_t seq = 0; seq < 5; ++seq)
        all.push_back(spool.append("s1", definitions, 4, seq, 1000, std::string(3'000, static_cast<char>('a' + seq))).value());
      path = std::filesystem::directory_iterator(folder.path())->path();
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      // The payload, or everything from its marker on.
      const auto at = static_cast<std::streamoff>(all[2].offset - (length_too ? 41 : 0));
      file.seekp(at).write(std::string(512, '\0').data(), 512);
    }
    std::ifstream file(path, std::ios::binary);
    damaged.assign(std::istreambuf_iterator<char>(file), {});
    Spool spool;
    const auto recovered = spool.open(folder.path());
    ASSERT_TRUE(recovered.ok());
    ASSERT_THAT(recovered->issues, SizeIs(1));
    EXPECT_THAT(recovered->issues[0].detail, testing::HasSubstr("1 places"));
    EXPECT_THAT(recovered->issues[0].detail, testing::HasSubstr(path + ".corrupt"));
    ASSERT_THAT(recovered->sessions, SizeIs(1));
    std::vector<std::uint64_t> found;
    for (const Spool::Batch& batch : recovered->sessions[0].batches) {
      found.push_back(batch.seq);
      EXPECT_EQ(*spool.read(batch.where), std::string(3'000, static_cast<char>('a' + batch.seq)));
    }
    EXPECT_THAT(found, testing::ElementsAre(0, 1, 3, 4));
    for (const Spool::Batch& batch : recovered->sessions[0].batches) spool.release(batch.where);
    EXPECT_FALSE(std::filesystem::exists(path));
    std::ifstream kept(path + ".corrupt", std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), damaged) << "as it was";
  }
}

TEST_F(SpoolTest, KeepsAFewDamagedFiles) {
  for (int life = 0; life < 6; ++life) {
    Spool spool;
    const auto recovered = spool.open(dir.path());
    ASSERT_TRUE(recovered.ok());
    for (const Spool::Session& session : recovered->sessions)
      for (const Spool::Batch& batch : session.batches) spool.release(batch.where);
    put(spool, 0, "first");
    const Spool::Location second = put(spool, 1, "second");
    put(spool, 2, "third");
    for (const auto& path : files())
      if (path.extension() == ".rgs")
        std::fstream(path, std::ios::in | std::ios::out).seekp(static_cast<std::streamoff>(second.offset)).put('!');
  }
  (void)reopen();
  EXPECT_EQ(std::ranges::count_if(files(), [](const auto& path) { return path.extension() == ".corrupt"; }), 4);
}

// Definitions precede the batches that need them: without them, a batch would be read with the ids of other definitions.
TEST_F(SpoolTest, LeavesOutBatchesWhoseDefinitionsAreLost) {
  {
    Spool spool;
    ASSERT_TRUE(spool.open(dir.path()).ok());
    put(spool, 0, "before");
    dictionary += " lost ones";
    const Spool::Location second = put(spool, 1, "needs them");
    dictionary += " later ones";
    put(spool, 2, "needs them too");
    std::fstream file(files()[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(second.offset - 41 - 5)).put('!');
  }
  const Spool::Recovered recovered = reopen();
  ASSERT_THAT(recovered.sessions, SizeIs(1));
  EXPECT_EQ(recovered.sessions[0].dictionary, "definitions");
  ASSERT_THAT(recovered.sessions[0].batches, SizeIs(1));
  EXPECT_EQ(recovered.sessions[0].batches[0].seq, 0U);
  std::int64_t lost = 0;
  for (const Issue& issue : recovered.issues)
    if (issue.detail.find("definitions of") != std::string::npos) lost += issue.count;
  EXPECT_EQ(lost, 2);
}

TEST_F(SpoolTest, AFullDiskLeavesNoSegmentWithoutItsSession) {
  const std::string disk = dir.file("disk");
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "mount: " << std::strerror(errno);
  const auto definitions = [this](std::size_t offset) { return dictionary.substr(offset); };
  std::uint64_t spooled = 0;
  {
    Spool spool;
    ASSERT_TRUE(spool.open(disk + "/spool").ok());
    std::ofstream fill(disk + "/fill", std::ios::binary);
    while (fill.write(std::string(4'096, 'x').data(), 4'096).flush()) {
    }
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(spool.append("s1", definitions, 4, 0, 1000, std::string(5'000, 'a')).ok());
    std::filesystem::remove(disk + "/fill");
    // Fills it once more, now in the middle of a segment.
    for (int round = 0; round < 2; ++round) {
      while (spool.append("s1", definitions, 4, spooled, 1000, std::string(5'000, 'b')).ok()) ++spooled;
      if (round == 0) {
        EXPECT_FALSE(spool.append("s2", definitions, 4, 0, 1000, std::string(5'000, 'c')).ok());
        fill.close();
      }
    }
    EXPECT_TRUE(spool.sync().ok());
  }
  {
    Spool spool;
    const auto recovered = spool.open(disk + "/spool");
    ASSERT_TRUE(recovered.ok());
    EXPECT_THAT(recovered->issues, IsEmpty());
    ASSERT_THAT(recovered->sessions, SizeIs(1));
    EXPECT_THAT(recovered->sessions[0].batches, SizeIs(spooled));
    EXPECT_EQ(recovered->sessions[0].dictionary, dictionary);
    EXPECT_GT(spooled, 50U);
  }
  ::umount(disk.c_str());
}

TEST_F(SpoolTest, ASyncThatFailedIsNeverFollowedByASuccessOfThatFile) {
  Spool spool;
  ASSERT_TRUE(spool.open(dir.path()).ok());
  const Spool::Location first = put(spool, 0, "first");
  g_failing_syncs = 1;
  EXPECT_FALSE(spool.sync().ok());
  EXPECT_THAT(spool.takeUnsynced(), testing::ElementsAre(first.segment));
  EXPECT_THAT(spool.takeUnsynced(), IsEmpty());
  const Spool::Location second = put(spool, 1, "second");
  EXPECT_NE(second.segment, first.segment);
  EXPECT_TRUE(spool.sync().ok());
  EXPECT_EQ(*spool.read(first), "first") << "what the kernel still has is read";
}

TEST_F(SpoolTest, WhatCouldNotBeSyncedGoesToAnotherSegment) {
  SessionDictionary definitions;
  std::vector<Issue> issues;
  auto outbox = Outbox::open(dir.path(), {.spool_after = 0}, "s1", definitions, issues).value();
  outbox->add(StreamClass::kMetrics, "one", 1, 1);
  g_failing_syncs = 1;
  outbox->persist(2 * kNsPerSecond);
  EXPECT_EQ(g_failing_syncs, 0);
  EXPECT_EQ(outbox->spoolBytes(), 0U) << "its segment is gone";
  outbox->persist(4 * kNsPerSecond);
  EXPECT_GT(outbox->spoolBytes(), 0U);
  outbox.reset();
  const Spool::Recovered recovered = reopen();
  ASSERT_THAT(recovered.sessions, SizeIs(1));
  ASSERT_THAT(recovered.sessions[0].batches, SizeIs(1));
  EXPECT_EQ(*again.read(recovered.sessions[0].batches[0].where), "one");
}

}  // namespace
}  // namespace runglass
