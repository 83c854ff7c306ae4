// SPDX-License-Identifier: Apache-2.0
// A span by its id: the same row as in a full scan, wherever the span is stored at the moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>

#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr DurNs kHour = 3600 * kNsPerSecond;

class SpanLookupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    const AttemptId attempt = m_writer->attempt({.run = m_writer->run({.uuid = "u", .name = "r"})});
    for (std::int32_t i = 0; i < 2; ++i)
      m_track[i] = m_writer->track({.attempt = attempt, .rank = i, .kind = i == 0 ? "thread" : "gpu_stream", .name = "t"});
    ASSERT_TRUE(m_writer->flush().ok());
  }
  void open() { m_writer = m_store.writer().value(); }
  std::unique_ptr<Reader> reader() { return m_store.reader({.live = m_writer ? m_writer->liveTail() : nullptr}).value(); }
  // Appends to both tracks; every eighth span overlaps the previous one.
  void record(int n) {
    for (const TrackId track : m_track) {
      SpanColumns spans;
      spans.names = {"gemm", "all_reduce"};
      for (int i = 0; i < n; ++i) {
        const int at = m_recorded / 2 + i;
        spans.start.push_back(at * 100 - (at % 8 == 7 ? 60 : 0));
        spans.dur.push_back(at == 999 && track == m_track[0] ? kAbsent : 90);
        spans.name.push_back(static_cast<std::uint32_t>(at % 2));
        spans.category.push_back(at % 2 == 0 ? SpanCategory::kCompute : SpanCategory::kComm);
        spans.depth.push_back(at % 3 == 0 ? 1 : 0);
        spans.step.push_back(at % 5 == 0 ? kAbsent : at);
        spans.args.push_back(at % 100 == 0 ? R"({"at":)" + std::to_string(at) + "}" : "");
      }
      m_writer->spans(track, spans);
    }
    m_recorded += 2 * n;
  }
  // Looks up every possible id.
  void expectLookupsToBeTheScan(Reader& from, int expected) {
    const auto scan = sqlRows(from, "SELECT s.* FROM span s ORDER BY span_id");
    EXPECT_EQ(static_cast<int>(scan.size()), expected);
    const std::string last = sqlRows(from, "SELECT max(span_id) + 10 FROM span").at(0);
    const auto found = sqlRows(from, "WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id < " + last +
                                         ") SELECT s.* FROM n CROSS JOIN span s ON s.span_id = n.id ORDER BY 1");
    EXPECT_TRUE(found == scan) << found.size() << " by id, " << scan.size() << " in the scan";
  }
  void execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store.path(), &db), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(db);
  }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  TrackId m_track[2];
  int m_recorded = 0;
};

TEST_F(SpanLookupTest, EverySpanIsFoundByItsIdInTheTailTheFileAndBoth) {
  auto live = reader();
  record(7'000);
  expectLookupsToBeTheScan(*live, m_recorded);  // sealed and open chunks of the tail
  ASSERT_TRUE(m_writer->flush().ok());
  expectLookupsToBeTheScan(*live, m_recorded);  // the file has all of them, including open chunks
  record(3'000);
  expectLookupsToBeTheScan(*live, m_recorded);  // the file's open chunks are older than the tail's, or sealed there
  auto other = m_store.reader().value();
  expectLookupsToBeTheScan(*other, m_recorded - 6'000);
  ASSERT_TRUE(m_writer->flush().ok());
  expectLookupsToBeTheScan(*other, m_recorded);
  other.reset(), live.reset();
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  const auto closed = m_store.reader().value();
  expectLookupsToBeTheScan(*closed, m_recorded);
  EXPECT_THAT(sqlRows(*closed, "SELECT count(*) > 0 FROM ingest_issue WHERE code = 'spans.overlap'"), ElementsAre("1"))
      << "overflow lanes were among them";
  EXPECT_THAT(*closed->verify(), IsEmpty());
  open();
  record(100);
  expectLookupsToBeTheScan(*reader(), m_recorded);
}

TEST_F(SpanLookupTest, WhatRetentionDeletedIsNotFoundAndTheRestIs) {
  record(9'000);
  ASSERT_TRUE(m_writer->close().ok());
  open();
  const auto before = sqlRows(*reader(), "SELECT track_id, count(*), min(span_id) FROM span GROUP BY 1");
  ASSERT_EQ(before.size(), 2U);
  ASSERT_TRUE(m_writer->applyRetention({}, 1'000 * kHour).ok());
  const std::string gone = before[1].substr(before[1].rfind('|') + 1);
  EXPECT_THAT(sqlRows(*reader(), "SELECT count(*) FROM span WHERE span_id = " + gone), ElementsAre("0"));
  expectLookupsToBeTheScan(*reader(), m_recorded / 2);
}

TEST_F(SpanLookupTest, APieceThatGrewIsReadAgainWithinAQuery) {
  record(10);
  auto live = reader();
  std::vector<std::string> found;
  Reader::SqlSink sink;
  sink.row = [&](const std::vector<SqlValue>& row) {
    found.push_back(printSql(row[0]));
    if (found.size() == 1) record(10);
    return true;
  };
  const std::string first = sqlRows(*live, "SELECT min(span_id) FROM span WHERE track_id = 1").at(0);
  const std::string sql = "WITH n(id) AS (VALUES (" + first + "), (" + first + " + 1), (" + first + " + 6)) SELECT s.span_id - " + first +
                          " FROM n CROSS JOIN span s ON s.span_id = n.id";
  ASSERT_TRUE(live->query(sql, sink).ok());
  EXPECT_THAT(found, ElementsAre("0", "1", "6")) << "of the first lane, which had four spans before";
}

TEST_F(SpanLookupTest, ADamagedChunkIsNamedAndOthersAreStillFound) {
  record(6'000);
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  execute("UPDATE rg_span_chunk SET crc = crc + 1 WHERE chunk_id = 1");
  const auto from = m_store.reader().value();
  EXPECT_THAT(sqlRows(*from, "SELECT name FROM span WHERE span_id = 4096"), ElementsAre(HasSubstr("track 1 chunk 1")));
  EXPECT_THAT(sqlRows(*from, "SELECT count(*) FROM span WHERE span_id = 8192"), ElementsAre("1"));
}

TEST_F(SpanLookupTest, IdsThatNoSpanHasAreNoError) {
  record(10);
  for (const std::int64_t id : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max(), std::int64_t{4096} * 4096}) {
    const auto piece = reader()->spansWith(id, {});
    ASSERT_TRUE(piece.ok()) << piece.status().message();
    EXPECT_EQ(piece->first, piece->end) << id;
  }
}

TEST_F(SpanLookupTest, VerifyFindsAChunkWhoseIdsAreNotThoseOfItsNumber) {
  record(10);
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  execute("UPDATE rg_span_chunk SET first_span_id = first_span_id + 1 WHERE chunk_id = 1");
  EXPECT_THAT(*m_store.reader().value()->verify(), ElementsAre(HasSubstr("its span ids are not those of its number")));
}

}  // namespace
}  // namespace runglass
