// SPDX-License-Identifier: Apache-2.0
// Retention in a store with a damaged page: unreadable data stays and is reported, all other data is deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/storage/store_leaves.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

constexpr TimeNs kDamageStart = 1'790'000'000'000'000'000;
constexpr DurNs kDamageDay = Retention::kDay;
constexpr int kOwners = 40, kEach = 50, kLines = 2'000;

// Rows that retention deletes, and their number.
struct DamagedKind {
  const char* table;
  std::int64_t rows;
};
constexpr std::array kKinds = {DamagedKind{"rg_chunk", kOwners* kEach}, DamagedKind{"rg_span_chunk", kOwners* kEach},
                               DamagedKind{"rg_pyramid", kOwners* kEach}, DamagedKind{"rg_log", kLines}, DamagedKind{"rg_event", kLines}};

class RetentionDamage : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto writer = m_store.writer().value();
    const RunId run = writer->run({.name = "r"});
    const AttemptId attempt = writer->attempt({.run = run, .key = "0"});
    for (int i = 0; i < kOwners; ++i) {
      writer->series({.metric = "m" + std::to_string(i)});
      writer->track({.attempt = attempt, .rank = i, .kind = "thread", .name = "t"});
    }
    for (int i = 0; i < kLines; ++i) {
      const std::string text = "a line of some words that fill pages, number " + std::to_string(i);
      writer->log({.time = kDamageStart + i, .stream = "stdout", .text = text});
      writer->event({.time = kDamageStart + i, .kind = "note", .message = text});
    }
    ASSERT_TRUE(writer->close().ok());
    // Retention decodes no raw chunk. Those of all owners are adjacent.
    const std::string of_all =
        "WITH RECURSIVE k(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM k WHERE i + 1 < " + std::to_string(kOwners * kEach) + ") ";
    const std::string x =
        "1 + i % " + std::to_string(kOwners) + ", " + std::to_string(kDamageStart) + " + i, " + std::to_string(kDamageStart) + " + i, ";
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store.path(), &db), SQLITE_OK);
    for (const std::string& sql :
         {of_all + "INSERT INTO rg_chunk(chunk_id, series_id, x0, x1, n, sealed, late, crc, data) SELECT 1 + i, " + x +
              "1, 1, 0, 0, zeroblob(200) FROM k",
          of_all + "INSERT INTO rg_pyramid(pyramid_id, series_id, x0, x1, chunks, crc, data) SELECT 1 + i, " + x +
              "1, 0, zeroblob(200) FROM k",
          of_all + "INSERT INTO rg_span_chunk(chunk_id, track_id, t0, t1, lane, n, first_span_id, sealed, crc, data) SELECT 1 + i, " + x +
              "0, 1, i, 1, 0, zeroblob(200) FROM k"})
      ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  // From the table or an index of it, whichever is readable.
  static std::int64_t rowsOf(const std::string& path, const std::string& table) {
    sqlite3* db = nullptr;
    EXPECT_EQ(test::openDatabase(path, &db), SQLITE_OK);
    std::int64_t rows = -1;
    for (const std::string& how : {std::string(" NOT INDEXED"), " INDEXED BY " + table + "_series", " INDEXED BY " + table + "_track",
                                   " INDEXED BY " + table + "_time"}) {
      sqlite3_stmt* count = nullptr;
      if (rows < 0 &&
          sqlite3_prepare_v2(db, ("SELECT count(*) FROM " + table + how + " WHERE +1").c_str(), -1, &count, nullptr) == SQLITE_OK &&
          sqlite3_step(count) == SQLITE_ROW)
        rows = sqlite3_column_int64(count, 0);
      sqlite3_finalize(count);
    }
    sqlite3_close(db);
    return rows;
  }
  void retain(const Retention& policy, TimeNs now) {
    const std::vector<std::uint32_t> leaves = leavesOf(m_store.path(), GetParam());
    ASSERT_GT(leaves.size(), 4U);
    const std::string copy = m_store.file("copy.rgl");
    copyFlipped(m_store.path(), leaves[leaves.size() / 2], copy);
    auto writer = openStore(copy).writer().value();
    const auto applied = writer->applyRetention(policy, now);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
    EXPECT_TRUE(*applied);
    writer->sample(writer->series({.metric = "new"}), now, 1);
    const Status closed = writer->close();
    ASSERT_TRUE(closed.ok()) << closed.message();
    bool reported = false;
    const std::string hit = std::string(GetParam());
    for (const DamagedKind& kind : kKinds) {
      const std::int64_t left = rowsOf(copy, kind.table);
      const std::string table = kind.table;
      const bool is_hit = hit == table || hit.starts_with(table + "_");
      // A pyramid row is deleted only if its raw chunks are known to be deleted.
      const bool may_keep = is_hit || (table == "rg_pyramid" && hit.starts_with("rg_chunk"));
      if (may_keep)
        EXPECT_LT(left, kind.rows / 3) << table;
      else
        EXPECT_LE(left, 1) << table;
      reported = reported || is_hit;
    }
    ASSERT_TRUE(reported);
    const auto reader = openStore(copy).reader().value();
    EXPECT_THAT(*reader->issues(), Contains(testing::AllOf(Field(&Issue::code, "store.retention_skipped"),
                                                           Field(&Issue::detail, HasSubstr("the file is damaged")))));
    // With such a small cap, samples are refused whatever was deleted.
    if (policy.max_bytes > 0) return;
    EXPECT_EQ(reader->samples(reader->series({.metric = "new"})->front().id, {})->size(), 1U);
  }

  const TempStore m_store;
};
INSTANTIATE_TEST_SUITE_P(Of, RetentionDamage,
                         testing::Values("rg_chunk", "rg_chunk_series", "rg_span_chunk", "rg_span_chunk_track", "rg_pyramid",
                                         "rg_pyramid_series", "rg_log", "rg_log_time", "rg_event", "rg_event_time"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(RetentionDamage, ByAgeCostsOnlyThePage) { retain({}, kDamageStart + 400 * kDamageDay); }

TEST_P(RetentionDamage, ForRoomCostsOnlyThePage) { retain({.max_bytes = 1}, kDamageStart + kNsPerSecond); }

}  // namespace
}  // namespace runglass
