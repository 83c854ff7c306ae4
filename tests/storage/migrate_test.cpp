// SPDX-License-Identifier: Apache-2.0
// Stores of older schemas: read completely, migrated after making a copy, and refused if they are from before the first release.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/storage/store_leaves.h"
#include "tests/support/older_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kAddRoom = "ALTER TABLE rg_node ADD COLUMN room TEXT; UPDATE rg_node SET room = 'of ' || name";

// While it lives, no file can exceed this size: simulates a full disk for one process.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : m_signal(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &m_before);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = m_before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_signal);
  }

 private:
  void (*m_signal)(int);
  rlimit m_before = {};
};

class OlderStore : public ::testing::Test {
 protected:
  void SetUp() override { test::makeOlderStore(m_store.path()); }
  std::string copy() const { return m_store.path() + ".schema15"; }
  static std::string textOf(const std::string& store, std::string_view sql) {
    auto db = sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly).value();
    return db.queryText(sql).value();
  }

  const TempStore m_store;
  const test::LaterSchema m_later{kAddRoom};
};

TEST_F(OlderStore, OfTheFirstSchemaIsReadWholeAfterEveryShippedScript) {
  ASSERT_TRUE((*m_store.writer())->close().ok());
  auto opened = m_store.reader();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  Reader* const reader = opened->get();
  EXPECT_THAT(*reader->verify({}), IsEmpty());
  const auto all = reader->series({});
  ASSERT_GT(all->size(), 20U);
  for (const Series& series : *all) {
    if (series.sample_count == 0) continue;
    const std::vector ids = {series.id};
    const auto latest = reader->latest(ids);
    ASSERT_EQ(latest->size(), 1U) << series.key.metric;
    EXPECT_EQ(latest->at(0).x, series.last_x) << series.key.metric;
    const bool scalar = series.key.kind == SeriesKind::kScalar;
    EXPECT_EQ(latest->at(0).value, scalar ? reader->scalars(series.id, series.last_x, series.last_x + 1, {})->value.back()
                                          : reader->samples(series.id, {series.last_x, series.last_x + 1}, {})->value.back());
  }
  EXPECT_GT(reader->spans(TrackId{1}, {})->size(), 3U);
  EXPECT_THAT(*reader->findings({}), SizeIs(1));
  EXPECT_THAT(*reader->incidents(std::nullopt), SizeIs(2));
  const auto hits = reader->searchLogs({.words = "\"most recent call\""});
  ASSERT_TRUE(hits.ok()) << hits.status().message();
  EXPECT_THAT(hits->hits, SizeIs(1));
}

TEST_F(OlderStore, IsMigratedWithACopyKept) {
  const std::string node = textOf(m_store.path(), "SELECT name FROM rg_node LIMIT 1");
  EXPECT_TRUE(needsUpgrade(m_store.path(), m_later.history()));
  {
    auto writer = m_store.writer({.schema = &m_later.history()});
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    (*writer)->log({.time = 1, .stream = "stdout", .text = "still here"});
    ASSERT_TRUE((*writer)->close().ok());
  }
  EXPECT_FALSE(needsUpgrade(m_store.path(), m_later.history()));
  EXPECT_EQ(textOf(m_store.path(), "SELECT room FROM rg_node LIMIT 1"), "of " + node);
  EXPECT_EQ(textOf(m_store.path(), "PRAGMA user_version"), m_later.newest());
  EXPECT_EQ(textOf(m_store.path(), "PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(needsUpgrade(copy(), m_later.history())) << "the copy is as it was";
  EXPECT_EQ(textOf(copy(), "SELECT count(*) FROM pragma_table_info('rg_node') WHERE name = 'room'"), "0");
  // Opening it again neither migrates nor copies.
  std::filesystem::remove(copy());
  ASSERT_TRUE(m_store.writer({.schema = &m_later.history()}).ok());
  EXPECT_FALSE(std::filesystem::exists(copy()));
}

TEST_F(OlderStore, ANewOneHasWhatAMigratedOneHas) {
  ASSERT_TRUE((*m_store.writer({.schema = &m_later.history()}))->close().ok());
  const std::string fresh = m_store.file("new.rgl");
  ASSERT_TRUE((*openStore(fresh).writer({.schema = &m_later.history()}))->close().ok());
  const char* const kColumns =
      "SELECT group_concat(name, ' ') FROM (SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE "
      "m.type = 'table' ORDER BY 1)";
  EXPECT_EQ(textOf(fresh, kColumns), textOf(m_store.path(), kColumns));
  EXPECT_EQ(textOf(fresh, "PRAGMA user_version"), m_later.newest());
}

TEST_F(OlderStore, StaysAtTheLastVersionThatWasCompleted) {
  const test::LaterSchema failing{kAddRoom, "CREATE TABLE rg_half(a); INSERT INTO rg_absent VALUES(1)"};
  const auto refused = m_store.writer({.schema = &failing.history()});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("rg_absent"));
  EXPECT_EQ(textOf(m_store.path(), "PRAGMA user_version"), m_later.newest());
  EXPECT_EQ(textOf(m_store.path(), "SELECT count(*) FROM sqlite_schema WHERE name = 'rg_half'"), "0");
  const test::LaterSchema mended{kAddRoom, "CREATE TABLE rg_half(a)"};
  auto writer = m_store.writer({.schema = &mended.history()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  ASSERT_TRUE((*writer)->close().ok());
  EXPECT_EQ(textOf(m_store.path(), "PRAGMA user_version"), mended.newest());
}

TEST_F(OlderStore, ACopyThatADiskHadNoRoomForIsMadeAgain) {
  {
    const FileLimit limit(std::filesystem::file_size(m_store.path()) / 2);
    ASSERT_FALSE(m_store.writer({.schema = &m_later.history()}).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(copy())) << "half a copy is none";
  EXPECT_TRUE(needsUpgrade(m_store.path(), m_later.history()));
  ASSERT_TRUE(m_store.writer({.schema = &m_later.history()}).ok());
  EXPECT_EQ(textOf(copy(), "PRAGMA integrity_check"), "ok");
  EXPECT_FALSE(std::filesystem::exists(copy() + ".part"));
}

// The copy includes data that a killed program left in the -wal file and a reader keeps there.
TEST_F(OlderStore, IsCopiedWithItsWal) {
  const auto run = [](sqlite3* db, const char* sql) {
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql << ": " << sqlite3_errmsg(db);
  };
  sqlite3 *reader = nullptr, *killed = nullptr;
  ASSERT_EQ(sqlite3_open(m_store.path().c_str(), &killed), SQLITE_OK);
  ASSERT_EQ(sqlite3_open(m_store.path().c_str(), &reader), SQLITE_OK);
  run(killed, "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0");
  run(reader, "BEGIN; SELECT count(*) FROM rg_meta");
  run(killed, "INSERT INTO rg_meta(key, value) VALUES('late', 'committed')");
  ASSERT_TRUE(m_store.writer({.schema = &m_later.history()}).ok());
  sqlite3_close(reader);
  sqlite3_close(killed);
  EXPECT_FALSE(std::filesystem::exists(copy() + "-wal") || std::filesystem::exists(copy() + ".part-wal"));
  EXPECT_EQ(textOf(copy(), "SELECT value FROM rg_meta WHERE key = 'late'"), "committed");
  EXPECT_EQ(textOf(copy(), "PRAGMA journal_mode"), "delete");
  EXPECT_EQ(textOf(copy(), "PRAGMA integrity_check"), "ok");
}

// A script that uses a damaged table runs after that was rebuilt.
TEST_F(OlderStore, GoesOnWithADamagedTable) {
  const test::LaterSchema rebuilding{"INSERT INTO rg_log_words(rg_log_words) VALUES('rebuild')"};
  const std::string damaged = m_store.file("damaged.rgl");
  copyFlipped(m_store.path(), leavesOf(m_store.path(), "rg_log").back(), damaged);
  auto writer = openStore(damaged).writer({.schema = &rebuilding.history()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  (*writer)->log({.time = 1, .stream = "stdout", .text = "still here"});
  ASSERT_TRUE((*writer)->close().ok());
  EXPECT_EQ(textOf(damaged, "SELECT count(*) FROM rg_log_words('still')"), "1");
  EXPECT_EQ(textOf(damaged, "PRAGMA user_version"), rebuilding.newest());
}

TEST_F(OlderStore, OfALaterProgramIsRefused) {
  ASSERT_TRUE((*m_store.writer({.schema = &m_later.history()}))->close().ok());
  const std::string newer = "its schema " + m_later.newest() + " is newer than this program's " + std::to_string(shippedSchema().newest()) +
                            "; use a newer runglass";
  EXPECT_THAT(m_store.writer().status().message(), HasSubstr(newer));
  EXPECT_THAT(m_store.reader().status().message(), HasSubstr(newer));
}

TEST(OldestStore, FromBeforeTheFirstReleaseIsRefusedAndLeftAsItIs) {
  const TempStore store;
  test::makeOlderStore(store.path(), 14);
  const std::string before = contentOf(store.path());
  const std::string refusal = "cannot open store: " + store.path() +
                              ": its schema 14 is from before the first release, and this program reads schema 15 and later; import the "
                              "data into a new store";
  for (const Status& status : {store.writer().status(), store.reader().status()}) {
    EXPECT_EQ(status.code(), Code::kFailedPrecondition);
    EXPECT_EQ(status.message(), refusal);
  }
  EXPECT_FALSE(needsUpgrade(store.path()));
  EXPECT_EQ(contentOf(store.path()), before);
  EXPECT_FALSE(std::filesystem::exists(store.path() + ".schema14"));
}

}  // namespace
}  // namespace runglass
