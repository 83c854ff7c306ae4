// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The authorizer is set before any foreign SQL is prepared and never removed.
// 2. One query at a time: m_catalogue and m_stop belong to it. query() may not be called from its own sink.
// 3. m_catalogue and m_clocks outlive m_connection, whose cursors use the one and whose function uses the other.
#include "storage/sql/sql_session.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "model/issue_catalog.h"
#include "storage/clock_map.h"
#include "storage/codec/capture_body.h"
#include "storage/schema/past_attempts.h"
#include "storage/sql/catalogue.h"
#include "storage/sql/relations.h"
#include "storage/sql/statistics.h"
#include "storage/sql/tables.h"
#include "storage/sqlite/connection.h"

namespace runglass {
namespace {

constexpr int kProgressOps = 2000;  // virtual machine steps between checks of the stop token: well under a millisecond

const sql::TableSpec* const kTables[] = {&sql::kSampleTable, &sql::kBinTable,      &sql::kScalarTable, &sql::kScalarAllTable,
                                         &sql::kStepTable,   &sql::kStepPartTable, &sql::kSpanTable,   &sql::kSpanInTable,
                                         &sql::kFlowTable,   &sql::kLogSearchTable};

// PRAGMAs that return the columns of a relation only read; all others are refused.
bool readingPragma(const char* name) {
  static constexpr std::array<std::string_view, 4> kAllowed = {"table_info", "table_xinfo", "table_list", "database_list"};
  return name && std::find(kAllowed.begin(), kAllowed.end(), std::string_view(name)) != kAllowed.end();
}

bool safeFunction(const char* name) {
  static constexpr std::array<std::string_view, 3> kRefused = {"load_extension", "fts3_tokenizer", "sqlite_rename_table"};
  return name && std::find(kRefused.begin(), kRefused.end(), std::string_view(name)) == kRefused.end();
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return safeFunction(second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return readingPragma(first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

void issueSeverity(sqlite3_context* out, int, sqlite3_value** argv) {
  const auto* code = reinterpret_cast<const char*>(sqlite3_value_text(argv[0]));
  const IssueInfo* info = code ? findIssue(code) : nullptr;
  if (info) sqlite3_result_text(out, severityName(info->severity), -1, SQLITE_STATIC);
}

// corrected(time, node_id, attempt_id, rank): the time as the Reader returns it for a row with these columns.
void correctedTime(sqlite3_context* out, int, sqlite3_value** argv) {
  const ClockMaps* const clocks = *static_cast<const ClockMaps* const*>(sqlite3_user_data(out));
  if (!clocks || sqlite3_value_type(argv[0]) != SQLITE_INTEGER) return sqlite3_result_value(out, argv[0]);
  const auto id = [argv](int i) { return static_cast<std::uint64_t>(sqlite3_value_int64(argv[i])); };  // NULL is 0: no id
  const auto rank = sqlite3_value_type(argv[3]) == SQLITE_NULL ? std::nullopt : std::optional(sqlite3_value_int(argv[3]));
  const ClockMap* const clock = clocks->of(NodeId{id(1)}, AttemptId{id(2)}, rank);
  const TimeNs time = sqlite3_value_int64(argv[0]);
  sqlite3_result_int64(out, clock ? clock->corrected(time) : time);
}

// capture_text(body, packed, bytes): NULL for a damaged capture.
void captureTextOf(sqlite3_context* out, int, sqlite3_value** argv) {
  const void* bytes = sqlite3_value_blob(argv[0]);
  const std::string_view body(static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_value_bytes(argv[0])));
  const auto text = captureText(body, sqlite3_value_int(argv[1]) != 0, sqlite3_value_int64(argv[2]));
  if (text) sqlite3_result_text(out, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
}

// A value for the sink; a blob becomes SQLite's own literal.
SqlValue valueOf(const sqlite::Statement& statement, int column) {
  switch (statement.columnType(column)) {
    case SQLITE_INTEGER:
      return statement.int64(column);
    case SQLITE_FLOAT:
      return statement.real(column);
    case SQLITE_TEXT:
      return std::string(statement.text(column));
    case SQLITE_BLOB: {
      static constexpr char kHex[] = "0123456789ABCDEF";
      std::string literal = "X'";
      for (const char byte : statement.blob(column)) {
        literal += kHex[(static_cast<unsigned char>(byte) >> 4) & 15];
        literal += kHex[static_cast<unsigned char>(byte) & 15];
      }
      return literal + '\'';
    }
    default:
      return std::monostate();
  }
}

class Session : public SqlSession {
 public:
  Session(sqlite::Connection connection, Reader& reader, const ClockMaps* clocks)
      : m_catalogue(reader), m_clocks(clocks), m_connection(std::move(connection)) {
    m_catalogue.setStore(m_connection);
  }

  Status prepareConnection() {
    sqlite3* db = m_connection.raw();
    // Sorting may need more than memory.
    RG_TRY(m_connection.exec("PRAGMA temp_store=FILE"));
    RG_TRY(refuseForeignObjects());
    int rc = sqlite3_create_function_v2(db, "issue_severity", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                        issueSeverity, nullptr, nullptr, nullptr);
    if (rc == SQLITE_OK) {
      rc = sqlite3_create_function_v2(db, "corrected", 4, SQLITE_UTF8 | SQLITE_INNOCUOUS, &m_clocks, correctedTime, nullptr, nullptr,
                                      nullptr);
    }
    if (rc == SQLITE_OK) {
      rc = sqlite3_create_function_v2(db, "capture_text", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr, captureTextOf,
                                      nullptr, nullptr, nullptr);
    }
    if (rc != SQLITE_OK) return sqlite::sqliteStatus(db, rc, "cannot prepare SQL", m_connection.path());
    RG_TRY(addPastPid(db, m_connection.path()));
    RG_TRY(sql::addStatistics(db, m_connection.path()));
    for (const sql::TableSpec* table : kTables) {
      RG_TRY(sql::registerTable(db, *table, m_catalogue));
      // Connects it now: declaring its columns later would look like CREATE TABLE to the authorizer.
      RG_TRY(m_connection.exec(std::string("PRAGMA table_info(") + table->name + ")"));
    }
    for (const std::string& view : sql::viewDefinitions(m_clocks != nullptr)) RG_TRY(m_connection.exec(view));
    RG_TRY(m_connection.exec("PRAGMA query_only=ON"));
    sqlite3_set_authorizer(db, authorize, nullptr);
    sqlite3_progress_handler(
        db, kProgressOps, [](void* self) { return static_cast<Session*>(self)->m_stop.stop_requested() ? 1 : 0; }, this);
    return {};
  }

  Status query(std::string_view sql, const Reader::SqlSink& sink, std::stop_token stop) override {
    m_stop = stop;
    m_catalogue.begin(std::move(stop));
    const Status done = run(sql, sink);
    m_catalogue.begin({});  // the cached data may be large, and the next query may be much later
    return done;
  }

 private:
  Status run(std::string_view sql, const Reader::SqlSink& sink) {
    RG_ASSIGN(sqlite::Statement statement, prepareOne(sql));
    std::vector<std::string> names;
    for (int i = 0; i < statement.columnCount(); ++i) names.emplace_back(statement.columnName(i));
    if (sink.columns) sink.columns(names);
    std::vector<SqlValue> row(names.size());
    while (true) {
      const int rc = sqlite3_step(statement.raw());
      if (rc == SQLITE_DONE) return {};
      if (rc != SQLITE_ROW) return failed(rc);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = valueOf(statement, static_cast<int>(i));
      if (sink.row && !sink.row(row)) return {};
    }
  }

  // A store contains rg_* tables and their indexes, and damaged tables that were rebuilt. Anything else is foreign and could execute code
  // or shadow a relation.
  Status refuseForeignObjects() {
    RG_ASSIGN(
        const std::string foreign,
        m_connection.queryText("SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('view','trigger') OR (type = 'table' AND "
                               "(name NOT GLOB 'rg_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'damaged_rg_*_[0-9]*' OR (sql LIKE "
                               "'CREATE VIRTUAL%' AND NOT (name = 'rg_log_words' AND "
                               "sql LIKE 'CREATE VIRTUAL TABLE rg_log_words USING fts5(%')))) LIMIT 1"));
    if (foreign.empty()) return {};
    return {Code::kFailedPrecondition, "cannot open store for SQL: " + m_connection.path() + ": it holds the " + foreign +
                                           ", which no store has; the file was changed by another program"};
  }

  Status failed(int rc) {
    if (m_stop.stop_requested()) return {Code::kCancelled, "query cancelled: " + m_connection.path()};
    if ((rc & 0xff) == SQLITE_AUTH || (rc & 0xff) == SQLITE_READONLY)
      return {Code::kPermissionDenied, "query refused: " + m_connection.path() + ": only reading is allowed"};
    const std::string_view why = sqlite3_errmsg(m_connection.raw());
    if (why.starts_with("not authorized"))
      return {Code::kPermissionDenied, "query refused: " + m_connection.path() + ": " + std::string(why)};
    return sqlite::sqliteStatus(m_connection.raw(), rc, "query failed", m_connection.path());
  }

  Result<sqlite::Statement> prepareOne(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    if (sql.size() > 1'000'000)
      return Status(Code::kInvalidArgument, "query failed: " + m_connection.path() + ": the SQL is longer than 1 MB");
    int rc = sqlite3_prepare_v2(m_connection.raw(), sql.data(), static_cast<int>(sql.size()), &raw, &tail);
    if (rc != SQLITE_OK) return failed(rc);
    if (!raw) return Status(Code::kInvalidArgument, "query failed: " + m_connection.path() + ": there is no SQL statement");
    auto statement = sqlite::Statement::adopt(raw, m_connection);
    sqlite3_stmt* more = nullptr;
    const auto rest = static_cast<int>(sql.size() - static_cast<std::size_t>(tail - sql.data()));
    rc = sqlite3_prepare_v2(m_connection.raw(), tail, rest, &more, nullptr);
    sqlite3_finalize(more);
    if (rc != SQLITE_OK || more)
      return Status(Code::kInvalidArgument, "query failed: " + m_connection.path() + ": one statement at a time");
    if (!sqlite3_stmt_readonly(raw)) return failed(SQLITE_READONLY);
    return statement;
  }

  sql::Catalogue m_catalogue;
  const ClockMaps* m_clocks;  // null: no correction
  std::stop_token m_stop;
  sqlite::Connection m_connection;
};

}  // namespace

Result<std::unique_ptr<SqlSession>> SqlSession::open(const std::string& path, bool immutable, Reader& reader, const ClockMaps* clocks) {
  RG_ASSIGN(auto connection, sqlite::Connection::open(path, immutable ? sqlite::OpenMode::kImmutable : sqlite::OpenMode::kReadOnly));
  auto session = std::make_unique<Session>(std::move(connection), reader, clocks);
  RG_TRY(session->prepareConnection());
  return std::unique_ptr<SqlSession>(std::move(session));
}

}  // namespace runglass
