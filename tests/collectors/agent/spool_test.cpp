// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

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
    EXPECT_THAT(recovered->issues, SizeIs(1)) << "byte " << at;
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

}  // namespace
}  // namespace runglass
