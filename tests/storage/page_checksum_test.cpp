// SPDX-License-Identifier: Apache-2.0
// Page checksums: each changed bit of a store is detected, is an error for the affected row, and does not affect other data.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <set>

#include "storage/maintain/repair_store.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/page_checksum.h"
#include "storage/sqlite/page_checksum_vfs.h"
#include "tests/storage/flip_store.h"
#include "tests/support/older_store.h"
#include "tests/support/seed.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using sqlite::Connection;
using sqlite::OpenMode;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// The damage that verify reports; if the store cannot be opened, the reason.
std::vector<std::string> damageOf(const std::string& path) {
  auto reader = openStore(path).reader();
  if (!reader.ok()) return {reader.status().message()};
  auto found = (*reader)->verify();
  return found.ok() ? *found : std::vector<std::string>{found.status().message()};
}

class PageChecksum : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_path);
    m_content = fileContent(m_path);
  }
  std::size_t pages() const { return m_content.size() / kFlipPage; }
  // A page that contains only a part of the long event's message.
  std::size_t pageOfLongText() const {
    for (std::size_t page = 0; page < pages(); ++page)
      if (m_content.compare(page * kFlipPage + 4, 3'000, std::string(3'000, 'x')) == 0) return page;
    return 0;
  }

  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl"), m_flipped = m_folder.file("flipped.rgl"), m_content;
};

TEST_F(PageChecksum, AGoodStoreHasThemAndIsClean) {
  EXPECT_THAT(damageOf(m_path), IsEmpty());
  EXPECT_TRUE((*openStore(m_path).reader())->info()->page_checksums);
  for (std::size_t page = 1; page <= pages(); ++page) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(m_content.data()) + (page - 1) * kFlipPage;
    std::uint64_t stored = 0;
    std::memcpy(&stored, bytes + kFlipPage - 8, 8);
    EXPECT_EQ(stored, sqlite::pageChecksum(bytes, kFlipPage, static_cast<std::uint32_t>(page))) << "page " << page;
  }
}

TEST_F(PageChecksum, VerifyFindsOneFlippedBitInEachPage) {
  ASSERT_GT(pages(), 70U);
  std::mt19937_64 random(test::seed());
  for (std::size_t page = 0; page < pages(); ++page) {
    const std::size_t bit = (page * kFlipPage * 8) + random() % (kFlipPage * 8);
    writeFlipped(m_flipped, m_content, bit);
    EXPECT_THAT(damageOf(m_flipped), testing::Not(IsEmpty())) << "bit " << bit << " of page " << page + 1;
    if (page > 0) EXPECT_THAT(damageOf(m_flipped), Contains(HasSubstr("page " + std::to_string(page + 1)))) << "bit " << bit;
  }
}

// The header has the page size and whether pages have checksums: damage there must not disable the check.
TEST_F(PageChecksum, EachBitOfTheFileHeaderIsFound) {
  for (std::size_t bit = 0; bit < 100U * 8; ++bit) {
    writeFlipped(m_flipped, m_content, bit);
    EXPECT_THAT(damageOf(m_flipped), testing::Not(IsEmpty())) << "byte " << bit / 8 << " bit " << bit % 8;
  }
}

TEST_F(PageChecksum, APageWrittenToTheWrongPlaceIsFound) {
  std::string content = m_content;
  content.replace(20 * kFlipPage, kFlipPage, content.substr(40 * kFlipPage, kFlipPage));
  std::ofstream(m_flipped, std::ios::binary) << content;
  EXPECT_THAT(damageOf(m_flipped), Contains(HasSubstr("page 21")));
}

TEST_F(PageChecksum, ADamagedPageFailsTheRowThatReadsItAndNothingElse) {
  const std::size_t page = pageOfLongText();
  ASSERT_GT(page, 0U);
  writeFlipped(m_flipped, m_content, (page * kFlipPage + 1'000) * 8);
  auto db = Connection::open(m_flipped, OpenMode::kReadWrite).value();
  const Status read = db.queryText("SELECT message FROM rg_event WHERE kind = 'long'").status();
  EXPECT_EQ(read.code(), Code::kDataLoss);
  EXPECT_THAT(read.message(), AllOf(HasSubstr("page " + std::to_string(page + 1) + " of "), HasSubstr(m_flipped)));
  EXPECT_EQ(db.queryInt64("SELECT count(*) FROM rg_event WHERE kind = 'note'")->value_or(0), 200);
  // A transaction around the failure continues: its other changes are stored.
  ASSERT_TRUE(db.exec("BEGIN IMMEDIATE; UPDATE rg_event SET code = 'kept' WHERE kind = 'note'").ok());
  EXPECT_FALSE(db.queryText("SELECT message FROM rg_event WHERE kind = 'long'").ok());
  ASSERT_TRUE(db.inTransaction());
  ASSERT_TRUE(db.exec("COMMIT").ok());
  EXPECT_EQ(db.queryInt64("SELECT count(*) FROM rg_event WHERE code = 'kept'")->value_or(0), 200);
}

TEST_F(PageChecksum, AStoreThatSqliteWroteGoesOnWithoutThemAndRepairMakesOneThatHasThem) {
  const std::string old = m_folder.file("old.rgl");
  test::makeOlderStore(old);
  {
    auto writer = openStore(old).writer().value();
    for (int number = 0; number < kFlipSeries; ++number) flipPoints(*writer, number, 0, kFlipPoints);
    ASSERT_TRUE(writer->close().ok());
  }
  EXPECT_FALSE((*openStore(old).reader())->info()->page_checksums);
  EXPECT_THAT(damageOf(old), IsEmpty());
  const std::string content = fileContent(old);
  EXPECT_EQ(content[20], 0) << "its layout stays";
  const std::string repaired = m_folder.file("repaired.rgl");
  ASSERT_TRUE(repairStore(old, repaired).ok());
  EXPECT_EQ(fileContent(repaired)[20], sqlite::kPageReserve);
  auto made = Connection::open(repaired, OpenMode::kReadOnly).value();
  EXPECT_TRUE(sqlite::hasPageChecksums(made.raw()));
  EXPECT_EQ(made.queryText("PRAGMA integrity_check").value(), "ok");
}

class DamagedWal : public PageChecksum {
 protected:
  // Flips a bit in the newest page in the -wal of a store that is being written.
  std::uint32_t flipNewest() {
    std::fstream wal(m_path + "-wal", std::ios::in | std::ios::out | std::ios::binary);
    wal.seekg(0, std::ios::end);
    const auto at = static_cast<std::streamoff>(wal.tellg()) - static_cast<std::streamoff>(kFlipPage) - 24;
    unsigned char number[4] = {};
    wal.seekg(at).read(reinterpret_cast<char*>(number), 4);
    wal.seekg(at + 24 + 3000);
    const int byte = wal.get();
    wal.seekp(at + 24 + 3000).put(static_cast<char>(byte ^ 0x40));
    return static_cast<std::uint32_t>(number[0]) << 24 | number[1] << 16 | number[2] << 8 | number[3];
  }
};

TEST_F(DamagedWal, IsFoundAndDoesNotBecomeGoodInTheDatabase) {
  auto writer = openStore(m_path).writer().value();
  writer->event({.time = kStoreStart, .kind = "first"});
  ASSERT_TRUE(writer->flush().ok()) << "which checkpoints: the next one does not so soon";
  writer->event({.time = kStoreStart, .kind = "new", .message = std::string(30'000, 'y')});
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_THAT(damageOf(m_path), IsEmpty());
  const std::string page = "page " + std::to_string(flipNewest());
  EXPECT_THAT(damageOf(m_path), Contains(HasSubstr(page + " in the write-ahead log")));
  const Status closed = writer->close();
  EXPECT_TRUE(closed.ok()) << closed.message() << ": the checkpoint goes on";
  writer.reset();
  EXPECT_THAT(damageOf(m_path), Contains(HasSubstr(page)));
}

// A transaction larger than the page cache writes pages to the -wal and changes them again before its commit.
TEST_F(PageChecksum, ATransactionThatSpillsReadsItsOwnPages) {
  auto db = Connection::open(m_path, OpenMode::kReadWrite).value();
  ASSERT_TRUE(db.exec("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=5").ok());
  for (int round = 0; round < 5; ++round) {
    const Status spilled = db.exec(
        "BEGIN IMMEDIATE; UPDATE rg_event SET code = 'a'; UPDATE rg_event SET code = 'bb', message = message || 'z'; "
        "UPDATE rg_log SET text = text || ' again'; UPDATE rg_event SET step = rowid");
    ASSERT_TRUE(spilled.ok()) << spilled.message();
    ASSERT_TRUE(db.exec(round == 2 ? "ROLLBACK" : "COMMIT").ok());
    ASSERT_EQ(db.queryText("PRAGMA integrity_check").value(), "ok");
    if (round == 3) ASSERT_TRUE(db.exec("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  }
  EXPECT_EQ(db.queryInt64("SELECT count(*) FROM rg_event WHERE code = 'bb'")->value_or(0), 202);
}

TEST_F(PageChecksum, SurvivesVacuumAndFreedPages) {
  {
    auto db = Connection::open(m_path, OpenMode::kReadWrite).value();
    ASSERT_TRUE(db.exec("DELETE FROM rg_event WHERE kind = 'long'; DELETE FROM rg_fact").ok());
  }
  EXPECT_THAT(damageOf(m_path), IsEmpty()) << "with free pages";
  {
    auto db = Connection::open(m_path, OpenMode::kReadWrite).value();
    ASSERT_TRUE(db.exec("PRAGMA incremental_vacuum(3)").ok());
    ASSERT_TRUE(db.exec("VACUUM").ok());
  }
  EXPECT_THAT(damageOf(m_path), IsEmpty());
  EXPECT_TRUE((*openStore(m_path).reader())->info()->page_checksums);
}

}  // namespace
}  // namespace runglass
