// SPDX-License-Identifier: Apache-2.0
// A repaired store passes verify and has everything that was readable; the lost data is listed.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <fcntl.h>

#include "storage/maintain/repair_store.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "storage/store_files.h"
#include "tests/storage/flip_store.h"
#include "tests/support/older_store.h"
#include "tests/support/seed.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

class RepairTest : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
  }
  Result<Repair> repairFlipped(std::size_t bit) {
    writeFlipped(m_damaged, m_content, bit);
    std::filesystem::remove(m_to);
    return repairStore(m_damaged, m_to);
  }
  // The page of the first row of `table`.
  std::size_t rootOf(const std::string& table) {
    auto db = sqlite::Connection::open(m_good, sqlite::OpenMode::kReadOnly).value();
    return static_cast<std::size_t>(*db.queryInt64("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'").value());
  }
  std::int64_t count(const std::string& what) {
    auto db = sqlite::Connection::open(m_to, sqlite::OpenMode::kReadOnly).value();
    return db.queryInt64("SELECT count(*) FROM " + what)->value_or(-1);
  }

  test::TempFolder m_folder;
  std::string m_good = m_folder.file("good.rgl"), m_damaged = m_folder.file("damaged.rgl"), m_to = m_folder.file("new.rgl"), m_content;
};

TEST_F(RepairTest, OfAGoodStoreLosesNothing) {
  const auto repair = repairStore(m_good, m_to);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, IsEmpty());
  const auto before = openStore(m_good).reader().value(), after = openStore(m_to).reader().value();
  EXPECT_THAT(*after->verify(), IsEmpty());
  EXPECT_EQ(after->info()->store_uuid, before->info()->store_uuid);
  EXPECT_EQ(after->info()->sample_count, before->info()->sample_count);
  EXPECT_EQ(after->events({.limit = 10'000})->size(), before->events({.limit = 10'000})->size());
  EXPECT_EQ(after->findings(std::nullopt)->size(), before->findings(std::nullopt)->size());
  EXPECT_EQ(repairStore(m_good, m_to).status().code(), Code::kAlreadyExists);
}

TEST_F(RepairTest, OfAnyPageFlippedMakesACleanStore) {
  std::mt19937_64 random(test::seed());
  int refused = 0, whole = 0, lossy = 0;
  for (std::size_t page = random() % 4; page < m_content.size() / kFlipPage; page += 4) {
    const auto repair = repairFlipped(page * kFlipPage * 8 + random() % (kFlipPage * 8));
    SCOPED_TRACE("page " + std::to_string(page + 1));
    if (!repair.ok()) {  // the schema
      EXPECT_EQ(repair.status().code(), Code::kDataLoss) << repair.status().message();
      EXPECT_FALSE(std::filesystem::exists(m_to));
      ++refused;
      continue;
    }
    EXPECT_THAT(*openStore(m_to).reader().value()->verify(), IsEmpty());
    ++(repair->lost.empty() ? whole : lossy);
  }
  EXPECT_LT(refused, 5);
  EXPECT_GT(whole, 0) << "indexes and summaries are made again";
  EXPECT_GT(lossy, 5);
}

TEST_F(RepairTest, ALongValueThatIsDamagedCostsItsRow) {
  std::size_t page = 0;
  while (m_content.compare(page * kFlipPage + 4, 3'000, std::string(3'000, 'x')) != 0) ++page;
  const auto repair = repairFlipped((page * kFlipPage + 900) * 8);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, ElementsAre(AllOf(Field(&LostObject::object, AllOf(HasSubstr("row "), HasSubstr(" of rg_event"))),
                                              Field(&LostObject::why, HasSubstr("page " + std::to_string(page + 1))))));
  EXPECT_EQ(count("rg_event WHERE kind = 'note'"), 200);
  EXPECT_EQ(count("rg_event WHERE kind = 'long'"), 0);
}

// As a lost write into a hole of the file: the last page of a long value is valid as zeros, and came back as NULs.
TEST_F(RepairTest, APageOfZerosInALongValueCostsItsRow) {
  std::size_t last = 0;  // the long message's last page: no further page follows
  for (std::size_t page = 1; page < m_content.size() / kFlipPage; ++page)
    if (m_content.compare(page * kFlipPage, 4, std::string(4, '\0')) == 0 &&
        m_content.compare(page * kFlipPage + 4, 100, std::string(100, 'x')) == 0)
      last = page;
  ASSERT_GT(last, 0U);
  m_content.replace(last * kFlipPage, kFlipPage, std::string(kFlipPage, '\0'));
  std::ofstream(m_damaged, std::ios::binary) << m_content;
  const auto reader = openStore(m_damaged).reader().value();
  EXPECT_EQ(reader->events({.limit = 10'000}).status().code(), Code::kDataLoss);
  EXPECT_THAT(*reader->verify(), Contains(HasSubstr("table rg_event")));
  const auto repair = repairStore(m_damaged, m_to);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, ElementsAre(Field(&LostObject::object, HasSubstr(" of rg_event"))));
  EXPECT_EQ(count("rg_event WHERE kind = 'long'"), 0);
}

TEST_F(RepairTest, SamplesOutliveTheLossOfAllThatNamesThem) {
  const auto repair = repairFlipped((rootOf("rg_node") - 1) * kFlipPage * 8 + 30'000);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, Contains(Field(&LostObject::object, HasSubstr("rg_node"))));
  const auto reader = openStore(m_to).reader().value();
  const auto series = *reader->series({.metric = "flip_7"});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(reader->samples(series[0].id, {})->size(), static_cast<std::size_t>(kFlipPoints));
}

// Two damaged leaves of a table: the rows between them are still read.
TEST_F(RepairTest, ReadsWhatIsBetweenDamagedPages) {
  std::vector<std::size_t> leaves;  // with words of events, each once
  for (std::size_t page = 1; page < m_content.size() / kFlipPage; ++page) {
    const std::string_view bytes(m_content.data() + page * kFlipPage, kFlipPage);
    if (bytes[0] == 13 && bytes.find("brown fox") != std::string_view::npos && bytes.find("note") != std::string_view::npos)
      leaves.push_back(page);
  }
  ASSERT_GT(leaves.size(), 5U);
  std::string content = m_content;
  for (const std::size_t page : {leaves[1], leaves[leaves.size() - 2]}) content[page * kFlipPage + 2'000] ^= 1;
  std::ofstream(m_damaged, std::ios::binary) << content;
  const auto repair = repairStore(m_damaged, m_to);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_GT(count("rg_event WHERE kind = 'note'"), 120);
  EXPECT_THAT(repair->lost, Not(IsEmpty()));
}

// A row of rg_expired counts what retention has deleted: its loss is no loss of samples.
TEST_F(RepairTest, ALostRowOfWhatRetentionDeletedIsNoLossOfSamples) {
  {
    auto db = sqlite::Connection::open(m_good, sqlite::OpenMode::kReadWrite).value();
    ASSERT_TRUE(db.exec("UPDATE rg_series SET sample_count = sample_count + 1000; INSERT INTO rg_expired(series_id, sample_count, last_x) "
                        "SELECT series_id, 1000, 0 FROM rg_series; PRAGMA wal_checkpoint(TRUNCATE)")
                    .ok());
  }
  m_content = fileContent(m_good);
  const std::size_t page = rootOf("rg_expired") - 1;
  const auto repair = repairFlipped((page * kFlipPage + 2'000) * 8);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, Not(IsEmpty()));
  EXPECT_THAT(repair->lost, Each(Field(&LostObject::object, HasSubstr("rg_expired"))));
}

TEST_F(RepairTest, ARowWhoseKeyAnotherRowHasIsListed) {
  const std::string old = m_folder.file("old.rgl");
  test::makeOlderStore(old);
  std::int64_t nodes = 0;
  {
    // As a changed bit would leave it in a store without page checksums: the unique index has the key that the row had.
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(old, &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db,
                           "INSERT INTO rg_node(node_id, uuid, name, state) VALUES(901, 'uuid-1', 'n1', 0), (902, 'uuid-2', 'n2', 0), "
                           "(903, 'uuid-3', 'n3', 0)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::string content = fileContent(old);
  for (std::size_t at = content.find("uuid-2"); at != std::string::npos; at = content.find("uuid-2", at + 1))
    content[at + 5] = '3', ++nodes;
  ASSERT_GE(nodes, 1);
  std::ofstream(old, std::ios::binary) << content;
  const auto repair = repairStore(old, m_to);
  ASSERT_TRUE(repair.ok()) << repair.status().message();
  EXPECT_THAT(repair->lost, Contains(AllOf(Field(&LostObject::object, HasSubstr(" of rg_node")), Field(&LostObject::rows, Optional(1)))));
}

TEST_F(RepairTest, IsRefusedWhereSomebodyWrites) {
  const auto writer = openStore(m_good).writer().value();
  const Status refused = repairStore(m_good, m_to).status();
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("writes it"));
}

TEST_F(RepairTest, IsRefusedWhereTheStoreIsWrittenMeanwhile) {
  std::atomic<int> writes = 0;
  // As a hub that starts and ends while tables are copied.
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const timespec at[] = {{.tv_sec = 1'000'000'000 + writes, .tv_nsec = 0}, {.tv_sec = 1'000'000'000 + writes, .tv_nsec = 0}};
      ASSERT_EQ(::utimensat(AT_FDCWD, m_good.c_str(), at, 0), 0);
      ++writes;
    }
  });
  ASSERT_TRUE(test::waitUntil([&] { return writes > 0; }));
  const Status refused = repairStore(m_good, m_to).status();
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("was written meanwhile"));
  for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("new.rgl")) << entry.path();
}

TEST_F(RepairTest, TakesAcknowledgedBatchesAlong) {
  const StreamKey stream{"agent", "session", 1};
  {
    auto writer = openStore(m_good).writer().value();
    ASSERT_TRUE(writer->journal(stream, 0, "batch").ok());
    // Killed: copies of the store and its journal.
    for (const char* suffix : {"", "-wal", "-ingest"})
      if (std::filesystem::exists(m_good + suffix)) std::filesystem::copy_file(m_good + suffix, m_damaged + suffix);
  }
  ASSERT_TRUE(repairStore(m_damaged, m_to).ok());
  int replayed = 0;
  WriterOptions options;
  options.replay = [&](const StreamKey& of, std::uint64_t, std::string_view payload, Writer&) -> Status {
    replayed += of == stream && payload == "batch" ? 1 : 0;
    return {};
  };
  ASSERT_TRUE(openStore(m_to).writer(options).ok());
  EXPECT_EQ(replayed, 1);
}

}  // namespace
}  // namespace runglass
