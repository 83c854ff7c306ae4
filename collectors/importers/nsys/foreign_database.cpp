// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nsys/foreign_database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace runglass {
namespace {

constexpr int kProgressEvery = 10'000;  // virtual machine instructions

// Read-only: otherwise a hostile schema could make SQLite run triggers, views and functions of its choice.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && (std::strcmp(second, "coalesce") == 0 || std::strcmp(second, "ifnull") == 0) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      for (const char* allowed : {"table_info", "quick_check", "page_size"})
        if (first != nullptr && std::strcmp(first, allowed) == 0) return SQLITE_OK;
      return SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

std::int64_t ForeignRow::int64(int column) const { return sqlite3_column_int64(m_statement, column); }
std::optional<std::int64_t> ForeignRow::optionalInt64(int column) const {
  return sqlite3_column_type(m_statement, column) == SQLITE_NULL ? std::nullopt : std::optional(int64(column));
}
std::optional<std::int64_t> ForeignRow::wholeNumber(int column) const {
  const int type = sqlite3_column_type(m_statement, column);
  if (type == SQLITE_INTEGER) return int64(column);
  if (type != SQLITE_TEXT) return std::nullopt;
  const std::string_view digits = text(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}
std::string_view ForeignRow::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

ForeignDatabase::~ForeignDatabase() { sqlite3_close(m_db); }

Result<std::unique_ptr<ForeignDatabase>> ForeignDatabase::open(ByteStream& in, const std::string& path, std::stop_token stop) {
  std::unique_ptr<ForeignDatabase> database(new ForeignDatabase(path, std::move(stop)));
  std::string name;
  Status status = database->copy(in, name);
  if (status.ok()) status = database->prepare(name);
  if (!name.empty()) ::unlink(name.c_str());
  if (!status.ok()) return status;
  RG_TRY(database->check());
  return database;
}

Status ForeignDatabase::copy(ByteStream& in, std::string& name) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  name = (error ? std::filesystem::path("/tmp") : folder) / "runglass-import-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    const std::string failed = std::exchange(name, {});
    return {Code::kUnavailable, m_path + ": cannot be copied to " + failed + ": " + std::strerror(errno)};
  }
  Status status;
  while (status.ok()) {
    if (m_stop.stop_requested()) status = Status(Code::kCancelled, m_path + ": stopped");
    const auto bytes = in.next();
    if (!bytes.ok()) status = bytes.status();
    if (!status.ok() || bytes->empty()) break;
    m_bytes += bytes->size();
    for (std::size_t at = 0; at < bytes->size() && status.ok();) {
      const ssize_t wrote = ::write(file, bytes->data() + at, bytes->size() - at);
      if (wrote > 0)
        at += static_cast<std::size_t>(wrote);
      else if (errno != EINTR)
        status = Status(Code::kResourceExhausted, m_path + ": cannot be copied to " + name + ": " + std::strerror(errno));
    }
  }
  ::close(file);
  return status;
}

Status ForeignDatabase::prepare(const std::string& name) {
  const std::string uri = "file:" + name + "?mode=ro&immutable=1";
  if (sqlite3_open_v2(uri.c_str(), &m_db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return failed("cannot be opened");
  for (const auto& [option, value] : std::initializer_list<std::pair<int, int>>{{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                                                                {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                                                                {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                                                                {SQLITE_DBCONFIG_ENABLE_VIEW, 0}})
    sqlite3_db_config(m_db, option, value, nullptr);
  sqlite3_exec(m_db, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0", nullptr, nullptr, nullptr);
  sqlite3_limit(m_db, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_limit(m_db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(m_db, SQLITE_LIMIT_COLUMN, 512);
  sqlite3_limit(m_db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_set_authorizer(m_db, authorize, nullptr);
  sqlite3_progress_handler(
      m_db, kProgressEvery, [](void* self) { return static_cast<ForeignDatabase*>(self)->m_stop.stop_requested() ? 1 : 0; }, this);
  // Opens the file now, while it has a name.
  std::string made_by_module;
  RG_TRY(query("SELECT name, sql FROM sqlite_master WHERE type = 'table'", [&](const ForeignRow& row) {
    m_tables.emplace(row.text(0));
    if (row.text(1).starts_with("CREATE VIRTUAL")) made_by_module = row.text(0);
  }));
  if (made_by_module.empty()) return {};
  return {Code::kInvalidArgument, m_path + ": table " + made_by_module + " is not stored but made by a module: refused"};
}

Status ForeignDatabase::check() {
  // SQLite reads the missing part of the last page as zeros.
  std::size_t page = 0;
  RG_TRY(query("PRAGMA page_size", [&](const ForeignRow& row) { page = static_cast<std::size_t>(row.int64(0)); }));
  if (page == 0 || m_bytes % page != 0)
    return {Code::kInvalidArgument, m_path + ": cut: " + std::to_string(m_bytes) + " bytes are no whole pages of " + std::to_string(page)};
  std::string found;
  RG_TRY(query("PRAGMA quick_check(1)", [&](const ForeignRow& row) { found = row.text(0); }));
  if (found != "ok") return {Code::kInvalidArgument, m_path + ": damaged database: " + found};
  return {};
}

std::set<std::string> ForeignDatabase::columns(const std::string& table) {
  std::set<std::string> names;
  (void)query("PRAGMA table_info(" + quoted(table) + ")", [&](const ForeignRow& row) { names.emplace(row.text(1)); });
  return names;
}

Status ForeignDatabase::query(const std::string& sql, const std::function<void(const ForeignRow&)>& take) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(m_db, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return failed("cannot be read");
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) take(ForeignRow(statement));
  return code == SQLITE_DONE ? Status() : failed("cannot be read");
}

Status ForeignDatabase::failed(const char* what) const {
  if (m_stop.stop_requested()) return {Code::kCancelled, m_path + ": stopped"};
  return {Code::kInvalidArgument, m_path + ": " + what + ": " + sqlite3_errmsg(m_db)};
}

}  // namespace runglass
