// SPDX-License-Identifier: Apache-2.0
// Thin RAII over SQLite: Connection, Statement, Transaction. Internal to storage: no public header includes this.
//
// Threading:  one thread at a time per Connection (opened NOMUTEX), its Statements included.
// Ownership:  a Statement must die before its Connection. Text and blob columns are views, valid until the next step or reset.
// Errors:     full -> RESOURCE_EXHAUSTED, busy -> UNAVAILABLE, corrupt or no database -> DATA_LOSS, read-only or cannot open ->
//             PERMISSION_DENIED (NOT_FOUND where the file is missing), interrupted -> CANCELLED. Message: "what: path: why".
// Cost:       that of SQLite; bound text and blobs are not copied and must live until the next reset.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/result.h"
#include "storage/sqlite/database_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace runglass::sqlite {

// "RGL1": the application_id in the header of a store.
inline constexpr std::int32_t kApplicationId = 0x52474C31;

enum class OpenMode : std::uint8_t {
  kReadOnly,
  kImmutable,  // a file that no process writes: no locks, no -shm; wrong results if one does write
  kReadWrite,
  kCreate,
};

class Connection;

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept : m_stmt(std::exchange(other.m_stmt, nullptr)), m_path(other.m_path) {}
  Statement& operator=(Statement&& other) noexcept {
    std::swap(m_stmt, other.m_stmt);
    std::swap(m_path, other.m_path);
    return *this;
  }
  ~Statement();
  // Takes ownership of a statement created with the C interface on `connection`.
  static Statement adopt(sqlite3_stmt* stmt, const Connection& connection);
  explicit operator bool() const { return m_stmt != nullptr; }

  // Parameter indexes start at 1.
  template <std::integral T>
  void bind(int index, T value) {
    bindInt64(index, static_cast<std::int64_t>(value));
  }
  void bind(int index, double value);
  void bind(int index, std::string_view text);
  void bindBlob(int index, std::string_view blob);
  void bindNull(int index);
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (!value) return bindNull(index);
    bind(index, *value);
  }

  // True: a row is available. False: done.
  Result<bool> step();
  // Steps a statement that returns no rows, then resets it.
  Status run();
  void reset();

  // Column indexes start at 0.
  int columnCount() const;
  std::string_view columnName(int column) const;
  int columnType(int column) const;  // SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL
  bool isNull(int column) const;
  std::int64_t int64(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  std::optional<std::int64_t> optionalInt64(int column) const;
  std::optional<double> optionalReal(int column) const;

  // With the bound values in place of the parameters; empty if the text exceeds SQLite's limit.
  std::string expanded() const;

  sqlite3_stmt* raw() const { return m_stmt; }

 private:
  friend class Connection;
  void bindInt64(int index, std::int64_t value);
  Statement(sqlite3_stmt* stmt, const std::string* path) : m_stmt(stmt), m_path(path) {}
  sqlite3_stmt* m_stmt = nullptr;
  const std::string* m_path = nullptr;  // of the connection, for messages
};

class Connection {
 public:
  Connection() = default;
  Connection(Connection&& other) noexcept
      : m_file(std::move(other.m_file)), m_db(std::exchange(other.m_db, nullptr)), m_path(std::exchange(other.m_path, nullptr)) {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(m_file, other.m_file);
    std::swap(m_db, other.m_db);
    std::swap(m_path, other.m_path);
    return *this;
  }
  ~Connection();
  explicit operator bool() const { return m_db != nullptr; }

  // Hardened: defensive, no extensions, untrusted schema, limits. Reads the file, so that "not a database" is detected here.
  static Result<Connection> open(const std::string& path, OpenMode mode);
  // Runs statements whose results are not needed.
  Status exec(const std::string& sql);
  // `keep`: the statement will be reused many times.
  Result<Statement> prepare(std::string_view sql, bool keep = false);
  // First column of the first row; absent when there is no row or it is NULL.
  Result<std::optional<std::int64_t>> queryInt64(std::string_view sql);
  Result<std::string> queryText(std::string_view sql);

  std::int64_t lastInsertRowId() const;
  std::int64_t changes() const;
  bool inTransaction() const;
  // Whether the last failed call failed only because of the rows or pages that it touched: others can still be written.
  bool failedLocally() const;
  // A subset of these: a page cannot be read, and the transaction accepts no further statements.
  bool spoiledByDamage() const;
  // Closes now and returns why that failed, which the destructor cannot.
  Status close();
  const std::string& path() const { return *m_path; }
  DatabaseFile& file() { return m_file; }
  sqlite3* raw() const { return m_db; }

 private:
  friend class Statement;
  DatabaseFile m_file;  // outlives m_db
  sqlite3* m_db = nullptr;
  const std::string* m_path = nullptr;  // owned; its address stays the same on moves because Statements point to it
};

// The Status of a failed SQLite call on `db`: "what: path: why".
Status sqliteStatus(sqlite3* db, int rc, std::string_view what, std::string_view path);

// Rolls back when destroyed uncommitted, unless SQLite already did.
class Transaction {
 public:
  // kImmediate takes the write lock at once.
  enum class Kind : std::uint8_t { kRead, kImmediate };
  static Result<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept : m_connection(std::exchange(other.m_connection, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Connection* connection) : m_connection(connection) {}
  Connection* m_connection = nullptr;
};

}  // namespace runglass::sqlite
