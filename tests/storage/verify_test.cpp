// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>
#include <random>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override { m_ids = makeSampleStore(m_path); }
  void execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_path, &db), SQLITE_OK);
    char* why = nullptr;
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(db);
  }
  // Flips one bit in the middle of the blob of the first row of `table`.
  void flip(const std::string& table, const std::string& id) {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_path, &db), SQLITE_OK);
    sqlite3_int64 row = 0;
    sqlite3_stmt* first = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db, ("SELECT min(" + id + ") FROM " + table).c_str(), -1, &first, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_step(first), SQLITE_ROW);
    row = sqlite3_column_int64(first, 0);
    sqlite3_finalize(first);
    sqlite3_blob* blob = nullptr;
    ASSERT_EQ(sqlite3_blob_open(db, "main", table.c_str(), "data", row, 1, &blob), SQLITE_OK) << sqlite3_errmsg(db);
    const int middle = sqlite3_blob_bytes(blob) / 2;
    char byte = 0;
    ASSERT_EQ(sqlite3_blob_read(blob, &byte, 1, middle), SQLITE_OK);
    byte = static_cast<char>(byte ^ 0x10);
    ASSERT_EQ(sqlite3_blob_write(blob, &byte, 1, middle), SQLITE_OK);
    sqlite3_blob_close(blob);
    sqlite3_close(db);
  }
  std::vector<std::string> damage() {
    auto reader = openStore(m_path).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    auto found = (*reader)->verify();
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<std::string>{"verify failed"};
  }

  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl");
  SampleStoreIds m_ids;
};

TEST_F(VerifyTest, ReadersLeaveOutWhatIsDamagedKeepTheRestAndSayIt) {
  flip("rg_chunk", "chunk_id");
  flip("rg_pyramid", "pyramid_id");
  auto opened = openStore(m_path).reader();
  const auto& reader = *opened;
  const auto reported = [&] {
    std::vector<Issue> found;
    auto another = openStore(m_path).reader();  // as in another worker
    const std::vector<Issue> issues = *(*another)->issues();
    for (const Issue& issue : issues)
      if (issue.code == "store.damaged_chunk") found.push_back(issue);
    return found;
  };
  EXPECT_THAT(reported(), IsEmpty()) << "nothing was read yet";
  const auto samples = reader->samples(m_ids.power, {});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_LT(samples->size(), static_cast<std::size_t>(kStoreSamples));
  EXPECT_GT(samples->size(), static_cast<std::size_t>(kStoreSamples) / 2);
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported()[0].count, 1);
  EXPECT_THAT(reported()[0].detail, HasSubstr("series " + std::to_string(m_ids.power.value)));
  // The picture works without the pyramid, from the remaining data.
  const auto bins = reader->bins(m_ids.power, Axis::kX, kStoreStart, kStoreStart + kStoreSamples * kNsPerMs, 50);
  ASSERT_TRUE(bins.ok()) << bins.status().message();
  std::int64_t counted = 0;
  for (const Bin& bin : *bins) counted += bin.count + bin.nan_count;
  EXPECT_EQ(counted, static_cast<std::int64_t>(samples->size()));
  EXPECT_EQ(reported()[0].count, 2);
}

TEST_F(VerifyTest, AGoodStoreIsClean) { EXPECT_THAT(damage(), IsEmpty()); }

TEST_F(VerifyTest, AFlippedBitInASampleChunkNamesChunkAndSeries) {
  flip("rg_chunk", "chunk_id");
  EXPECT_THAT(damage(), Contains(AllOf(HasSubstr("sample chunk"), HasSubstr("power_watts"), HasSubstr("checksum mismatch"))));
}

TEST_F(VerifyTest, AFlippedBitInAPyramidRowNamesIt) {
  flip("rg_pyramid", "pyramid_id");
  EXPECT_THAT(damage(), Contains(AllOf(HasSubstr("pyramid row"), HasSubstr("power_watts"), HasSubstr("checksum mismatch"))));
}

TEST_F(VerifyTest, AFlippedBitInASpanChunkNamesItsTrack) {
  flip("rg_span_chunk", "chunk_id");
  EXPECT_THAT(damage(), Contains(AllOf(HasSubstr("span chunk"), HasSubstr("track"), HasSubstr("checksum mismatch"))));
}

TEST_F(VerifyTest, ALostPyramidRowIsMissed) {
  execute("DELETE FROM rg_pyramid WHERE pyramid_id = (SELECT min(pyramid_id) FROM rg_pyramid)");
  EXPECT_THAT(damage(), Contains(AllOf(HasSubstr("pyramid of series"), HasSubstr("no matching entry"))));
}

TEST_F(VerifyTest, ALostChunkIsMissed) {
  execute("DELETE FROM rg_chunk WHERE chunk_id = (SELECT min(chunk_id) FROM rg_chunk)");
  EXPECT_THAT(damage(), Contains(AllOf(HasSubstr("power_watts"), HasSubstr("its chunks hold"))));
  EXPECT_THAT(damage(), Contains(HasSubstr("samples that are not there")));
}

TEST_F(VerifyTest, ReferencesToNothingAreNamed) {
  execute("UPDATE rg_track SET attempt_id = 999 WHERE track_id = " + std::to_string(m_ids.thread.value));
  EXPECT_THAT(damage(), Contains(HasSubstr("track " + std::to_string(m_ids.thread.value) + ": names something")));
}

TEST_F(VerifyTest, OtherDataStaysReadableBesideADamagedChunk) {
  flip("rg_chunk", "chunk_id");
  auto reader = openStore(m_path).reader();
  ASSERT_TRUE(reader.ok());
  auto loss = (*reader)->scalars(m_ids.loss, 0, 1000);
  ASSERT_TRUE(loss.ok()) << loss.status().message();
  EXPECT_EQ(loss->size(), 100u);
}

// Bytes of the whole file are flipped, including page headers and the schema: everything may be refused, nothing may crash.
TEST_F(VerifyTest, AFileWithFlippedBytesIsRefusedOrReadButNeverCrashes) {
  std::string good;
  {
    std::ifstream file(m_path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  ASSERT_GT(good.size(), 10'000u);
  std::mt19937 random(7);
  int refused = 0, damaged = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    for (int flips = 0; flips < 1 + round % 20; ++flips) bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    if (round % 5 == 4) bad.resize(random() % bad.size());
    std::ofstream(m_path, std::ios::binary | std::ios::trunc) << bad;
    auto reader = openStore(m_path).reader();
    if (!reader.ok()) {
      EXPECT_FALSE(reader.status().message().empty());
      ++refused;
      continue;
    }
    const auto found = (*reader)->verify();
    damaged += found.ok() && !found->empty() ? 1 : 0;
    for (const char* sql :
         {"SELECT count(value) FROM series s, sample(s.series_id)", "SELECT sum(value) FROM scalar_all", "SELECT count(*) FROM span",
          "SELECT sum(count) FROM series s, bin(s.series_id, 1700000000000000000, 1700000020000000000, 7)", "SELECT * FROM event"}) {
      const Status status = (*reader)->query(sql, {});
      EXPECT_TRUE(status.ok() || !status.message().empty());
    }
  }
  EXPECT_GT(refused + damaged, 20);
}

TEST_F(VerifyTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  auto reader = openStore(m_path).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->verify(stop.get_token()).status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace runglass
