// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A live Connection has m_db and m_path set; Statements borrow both.
// 2. Nothing here throws, and a failed call leaves the connection usable.
#include "storage/sqlite/connection.h"

#include <sqlite3.h>

#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "storage/sqlite/damaged_pages.h"
#include "storage/sqlite/page_checksum.h"
#include "storage/sqlite/page_checksum_vfs.h"

namespace runglass::sqlite {
namespace {

Code codeOf(int rc) {
  switch (rc & 0xff) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      return Code::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Code::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_IOERR:
      return Code::kDataLoss;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Code::kPermissionDenied;
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT:
      return Code::kCancelled;
    case SQLITE_CONSTRAINT:
    case SQLITE_NOTADB:  // no repair can help
      return Code::kFailedPrecondition;
    case SQLITE_ERROR:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
      return Code::kInvalidArgument;
    default:
      return Code::kInternal;
  }
}

std::string uriOf(const std::string& path, bool immutable) {
  std::string uri = "file:";
  for (const char c : path) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    if (c == '%' || c == '?' || c == '#') {
      uri += '%';
      uri += kHex[(static_cast<unsigned char>(c) >> 4) & 15];
      uri += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      uri += c;
    }
  }
  if (immutable) uri += "?immutable=1";
  return uri;
}

void harden(sqlite3* db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Runglass's own views and triggers are TEMP and stay enabled; any in the file is foreign.
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 2);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 4096);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, 5000);
}

}  // namespace

Status sqliteStatus(sqlite3* db, int rc, std::string_view what, std::string_view path) {
  std::string message(what);
  message.append(": ").append(path).append(": ");
  const char* why = db && (sqlite3_errcode(db) & 0xff) == (rc & 0xff) ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
  switch (rc & 0xff) {
    case SQLITE_NOTADB:
      message += "this is not a Runglass store (not an SQLite file, or its first bytes are damaged)";
      break;
    case SQLITE_CORRUPT:
      message.append("the file is damaged or cut off (").append(rc == kPageDamaged ? lastPageDamage() : why).append(")");
      break;
    case SQLITE_FULL:
      message += "the disk is full";
      break;
    case SQLITE_IOERR:
      message += why;
      if (const int system = db != nullptr ? sqlite3_system_errno(db) : 0; system != 0)
        message.append(" (").append(std::strerror(system)).append(")");
      break;
    default:
      message += why;
  }
  return {codeOf(rc), std::move(message)};
}

namespace {

// "; read for rg_event, rg_string": pages do not record the table that they belong to.
std::string tablesIn(std::string_view sql) {
  std::vector<std::string> names;
  for (std::size_t at = sql.find("rg_"); at != std::string_view::npos; at = sql.find("rg_", at + 3)) {
    const std::size_t end = sql.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
    std::string name(sql.substr(at, end - at));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; read for " : ", ") + name;
  return text;
}

}  // namespace

Statement Statement::adopt(sqlite3_stmt* stmt, const Connection& connection) { return {stmt, connection.m_path}; }
Statement::~Statement() { sqlite3_finalize(m_stmt); }

void Statement::bindInt64(int index, std::int64_t value) { sqlite3_bind_int64(m_stmt, index, value); }
void Statement::bind(int index, double value) { sqlite3_bind_double(m_stmt, index, value); }
void Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(m_stmt, index, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void Statement::bindBlob(int index, std::string_view blob) {
  sqlite3_bind_blob64(m_stmt, index, blob.data() ? blob.data() : "", blob.size(), SQLITE_STATIC);
}
void Statement::bindNull(int index) { sqlite3_bind_null(m_stmt, index); }

Result<bool> Statement::step() {
  const int rc = sqlite3_step(m_stmt);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  Status status = sqliteStatus(sqlite3_db_handle(m_stmt), rc, "store access failed", *m_path);
  if ((rc & 0xff) == SQLITE_CORRUPT) {
    status = {status.code(), status.message() + tablesIn(sqlite3_sql(m_stmt))};
    noteDamagedPage(*m_path, status.message());
  }
  sqlite3_reset(m_stmt);
  return status;
}

Status Statement::run() {
  auto stepped = step();
  reset();
  return stepped.status();
}

void Statement::reset() { sqlite3_reset(m_stmt); }

std::string Statement::expanded() const {
  const std::unique_ptr<char, decltype(&sqlite3_free)> text(sqlite3_expanded_sql(m_stmt), &sqlite3_free);
  return text ? std::string(text.get()) : std::string();
}

int Statement::columnCount() const { return sqlite3_column_count(m_stmt); }
std::string_view Statement::columnName(int column) const {
  const char* name = sqlite3_column_name(m_stmt, column);
  return name ? name : "";
}
int Statement::columnType(int column) const { return sqlite3_column_type(m_stmt, column); }
bool Statement::isNull(int column) const { return columnType(column) == SQLITE_NULL; }
std::int64_t Statement::int64(int column) const { return sqlite3_column_int64(m_stmt, column); }
double Statement::real(int column) const { return sqlite3_column_double(m_stmt, column); }
std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_stmt, column));
  return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_stmt, column))) : std::string_view();
}
std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(m_stmt, column));
  return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_stmt, column))) : std::string_view();
}
std::optional<std::int64_t> Statement::optionalInt64(int column) const {
  return isNull(column) ? std::nullopt : std::optional(int64(column));
}
std::optional<double> Statement::optionalReal(int column) const { return isNull(column) ? std::nullopt : std::optional(real(column)); }

Connection::~Connection() {
  sqlite3_close_v2(m_db);
  delete m_path;
}

Result<Connection> Connection::open(const std::string& path, OpenMode mode) {
  struct stat file {};
  const bool exists = ::stat(path.c_str(), &file) == 0;
  const int why = errno;
  if (!exists && mode != OpenMode::kCreate) {
    return Status(why == ENOENT ? Code::kNotFound : Code::kPermissionDenied, "cannot open store: " + path + ": " + std::strerror(why));
  }
  if (exists && !S_ISREG(file.st_mode)) return Status(Code::kInvalidArgument, "cannot open store: " + path + ": not a regular file");
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case OpenMode::kReadOnly:
    case OpenMode::kImmutable:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case OpenMode::kReadWrite:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case OpenMode::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
  }
  Connection connection;
  RG_ASSIGN(connection.m_file, DatabaseFile::open(path, mode == OpenMode::kCreate));
  connection.m_path = new std::string(path);
  int rc = sqlite3_open_v2(uriOf(path, mode == OpenMode::kImmutable).c_str(), &connection.m_db, flags, storeVfs());
  if (rc != SQLITE_OK) return sqliteStatus(connection.m_db, rc, "cannot open store", path);
  harden(connection.m_db);
  // A new file gets room for checksums.
  int reserve = kPageReserve;
  sqlite3_file_control(connection.m_db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  // Only the first statement reads the file. The settings that must apply before that do not touch it.
  rc = sqlite3_exec(connection.m_db, "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA cell_size_check=ON; PRAGMA user_version",
                    nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return sqliteStatus(connection.m_db, rc, "cannot open store", path);
  return connection;
}

Status Connection::exec(const std::string& sql) {
  const int rc = sqlite3_exec(m_db, sql.c_str(), nullptr, nullptr, nullptr);
  return rc == SQLITE_OK ? Status() : sqliteStatus(m_db, rc, "store access failed", *m_path);
}

Result<Statement> Connection::prepare(std::string_view sql, bool keep) {
  sqlite3_stmt* stmt = nullptr;
  const int rc = sqlite3_prepare_v3(m_db, sql.data(), static_cast<int>(sql.size()), keep ? SQLITE_PREPARE_PERSISTENT : 0, &stmt, nullptr);
  if (rc != SQLITE_OK) return sqliteStatus(m_db, rc, "store access failed", *m_path);
  return Statement(stmt, m_path);
}

Result<std::optional<std::int64_t>> Connection::queryInt64(std::string_view sql) {
  RG_ASSIGN(Statement statement, prepare(sql));
  RG_ASSIGN(const bool row, statement.step());
  return row ? statement.optionalInt64(0) : std::optional<std::int64_t>();
}

Result<std::string> Connection::queryText(std::string_view sql) {
  RG_ASSIGN(Statement statement, prepare(sql));
  RG_ASSIGN(const bool row, statement.step());
  return row ? std::string(statement.text(0)) : std::string();
}

std::int64_t Connection::lastInsertRowId() const { return sqlite3_last_insert_rowid(m_db); }
std::int64_t Connection::changes() const { return sqlite3_changes64(m_db); }
bool Connection::inTransaction() const { return sqlite3_get_autocommit(m_db) == 0; }

bool Connection::spoiledByDamage() const {
  const int rc = sqlite3_extended_errcode(m_db);
  return (rc & 0xff) == SQLITE_CORRUPT || rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ || rc == SQLITE_IOERR_DATA ||
         rc == SQLITE_IOERR_CORRUPTFS;
}

bool Connection::failedLocally() const {
  const int rc = sqlite3_errcode(m_db) & 0xff;
  return rc == SQLITE_CONSTRAINT || rc == SQLITE_MISMATCH || rc == SQLITE_TOOBIG || spoiledByDamage();
}

Status Connection::close() {
  const int rc = sqlite3_close(m_db);
  if (rc != SQLITE_OK) return sqliteStatus(m_db, rc, "cannot close store", *m_path);
  m_db = nullptr;
  m_file = {};
  return {};
}

Result<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  RG_TRY(connection.exec(kind == Kind::kImmediate ? "BEGIN IMMEDIATE" : "BEGIN"));
  return Transaction(&connection);
}

Transaction::~Transaction() {
  // A full disk may have caused a rollback already.
  if (m_connection && m_connection->inTransaction()) (void)m_connection->exec("ROLLBACK");
}

Status Transaction::commit() {
  RG_TRY(m_connection->exec("COMMIT"));
  m_connection = nullptr;
  return {};
}

}  // namespace runglass::sqlite
