// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/sources/follow/followed_file.h"

#include <gtest/gtest.h>

#include "tests/collectors/sources/follow/scratch_folder.h"

namespace runglass::test {
namespace {
using enum FollowedFile::News;

// All currently readable data; [R] and [C] where the file was replaced or cut.
std::string drain(FollowedFile& file, std::size_t budget = 1 << 20) {
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const auto read = file.read(budget);
    if (!read.ok()) return all + "[" + std::to_string(static_cast<int>(read.status().code())) + "]";
    if (read->news == kReplaced) all += "[R]";
    if (read->news == kCut) all += "[C]";
    all += read->bytes;
    if (read->news == kNone) return all;
  }
  return all + "[endless]";
}

TEST(FollowedFile, WaitsForAFileThatComesLater) {
  const ScratchFolder folder;
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(file.read(100).status().code(), Code::kUnavailable);
  folder.write("a.log", "one\n");
  EXPECT_EQ(drain(file), "one\n");
}

TEST(FollowedFile, GivesWhatIsAppendedWhateverTheBudget) {
  const ScratchFolder folder;
  folder.write("a.log", "0123456789");
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(drain(file, 3), "0123456789");
  folder.append("a.log", "abc");
  EXPECT_EQ(drain(file, 1), "abc");
  EXPECT_EQ(file.offset(), 13U);
}

TEST(FollowedFile, ReadsARotatedFileToItsEndBeforeTheNewOne) {
  const ScratchFolder folder;
  folder.write("a.log", "old ");
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(drain(file), "old ");
  folder.append("a.log", "rest");
  folder.rename("a.log", "a.log.1");
  folder.write("a.log", "new");
  EXPECT_EQ(drain(file), "rest[R]new");
  folder.append("a.log.1", "late");
  EXPECT_EQ(drain(file), "");
}

TEST(FollowedFile, SeesTruncationAndRewritingInPlace) {
  const ScratchFolder folder;
  folder.write("a.log", "a long first content");
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(drain(file), "a long first content");
  folder.write("a.log", "short");
  EXPECT_EQ(drain(file), "[C]short");
  folder.write("a.log", "another content, longer than before");
  EXPECT_EQ(drain(file), "[C]another content, longer than before");
}

TEST(FollowedFile, KeepsReadingAFileWhoseNameIsGone) {
  const ScratchFolder folder;
  folder.write("a.log", "one");
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(drain(file), "one");
  std::filesystem::remove(folder.file("a.log"));
  EXPECT_EQ(drain(file), "");
  folder.write("a.log", "two");
  EXPECT_EQ(drain(file), "[R]two");
}

TEST(FollowedFile, AMarkHoldsForTheGrownFileAndForNoOther) {
  const ScratchFolder folder;
  folder.write("a.log", "head");
  FollowedFile file(folder.file("a.log"));
  drain(file);
  const FileMark mark = *file.mark();
  folder.append("a.log", std::string(1000, 'x'));
  EXPECT_TRUE(file.isSame(mark));
  folder.write("a.log", "hEAD" + std::string(1000, 'x'));
  EXPECT_FALSE(file.isSame(mark));
}

TEST(FollowedFile, RefusesADirectory) {
  const ScratchFolder folder;
  FollowedFile file(folder.path());
  EXPECT_FALSE(file.read(100).ok());
}

TEST(FollowedFile, ASuccessorThatCannotBeOpenedAtOnceIsAnotherFileWhenItIs) {
  const ScratchFolder folder;
  folder.write("a.log", "one");
  FollowedFile file(folder.file("a.log"));
  EXPECT_EQ(drain(file), "one");
  folder.rename("a.log", "b.log");
  ASSERT_EQ(::mkfifo(folder.file("a.log").c_str(), 0600), 0);
  EXPECT_FALSE(file.read(100).ok());
  EXPECT_FALSE(file.read(100).ok());
  std::filesystem::remove(folder.file("a.log"));
  folder.write("a.log", "two");
  EXPECT_EQ(drain(file), "[R]two");
}

TEST(FollowedFile, AFileOfAnotherUserIsNotRead) {
  const ScratchFolder folder;
  folder.write("a.log", "one");
  EXPECT_FALSE(FollowedFile(folder.file("a.log"), {}, ::geteuid() + 1).read(100).ok());
  EXPECT_TRUE(FollowedFile(folder.file("a.log"), {}, ::geteuid()).read(100).ok());
}

}  // namespace
}  // namespace runglass::test
