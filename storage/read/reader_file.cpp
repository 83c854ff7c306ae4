// SPDX-License-Identifier: Apache-2.0
#include "storage/read/reader_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "storage/reader.h"
#include "storage/schema/past_attempts.h"
#include "storage/schema/schema.h"
#include "storage/store_files.h"

namespace runglass {

Status ReaderFile::start() {
  std::error_code ignored;
  const bool wal = std::filesystem::exists(walPath(m_path), ignored);
  const std::string folder = std::filesystem::path(resolvedStore(m_path)).parent_path().string();
  const bool writable =
      ::faccessat(AT_FDCWD, m_path.c_str(), W_OK, AT_EACCESS) == 0 && ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
  m_immutable = !wal && !writable;
  if (!wal) RG_TRY(checkName());
  RG_ASSIGN(m_db, sqlite::Connection::open(m_path, m_immutable ? sqlite::OpenMode::kImmutable : sqlite::OpenMode::kReadOnly));
  RG_ASSIGN(const auto application, m_db.queryInt64("PRAGMA application_id"));
  if (application.value_or(0) != sqlite::kApplicationId) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": this is an SQLite file, but not a Runglass store"};
  }
  RG_ASSIGN(const auto version, m_db.queryInt64("PRAGMA user_version"));
  RG_TRY(checkSchema(m_path, version.value_or(0)));
  if (const std::int64_t newest = shippedSchema().newest(); *version < newest) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": its schema " + std::to_string(*version) +
                                           " is older than this program's " + std::to_string(newest) +
                                           "; update it with: runglassctl recover --store " + m_path};
  }
  RG_TRY(addPastPid(m_db.raw(), m_path));
  return m_db.exec("PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-8192");
}

// The newest pages of a store that is being written are in the -wal file named after the writer's path; under another name of the file,
// neither they nor the locks are shared.
Status ReaderFile::checkName() const {
  const auto file = sqlite::DatabaseFile::open(m_path, false);
  const std::string other = file.ok() ? file->otherName() : "";
  if (other.empty()) return {};
  constexpr off_t kReadVersion = 19;  // offset in the file's header
  char version = 0;
  if (::pread(file->fd(), &version, 1, kReadVersion) != 1 || version < 2) return {};
  return {Code::kFailedPrecondition,
          "cannot open store: " + m_path + ": it is being written by another name of the file (" + other + "); open it by that name"};
}

Result<sqlite::Statement*> ReaderFile::kept(sqlite::Statement& statement, std::string_view sql) {
  if (!statement) {
    RG_ASSIGN(statement, m_db.prepare(sql, true));
  }
  statement.reset();
  return &statement;
}

Result<std::int64_t> ReaderFile::dataVersion() {
  RG_ASSIGN(sqlite::Statement * statement, kept(m_version_sql, "PRAGMA data_version"));
  const auto row = statement->step();
  const std::int64_t version = row.ok() && *row ? statement->int64(0) : 0;
  statement->reset();
  RG_TRY(row.status());
  return version;
}

std::shared_ptr<void> ReaderFile::hold() {
  if (auto held = m_hold.lock()) return held;
  const std::shared_ptr<void> hold(this, [](void* file) { static_cast<ReaderFile*>(file)->m_held.reset(); });
  m_hold = hold;
  return hold;
}

Result<ReaderFile::Snapshot> ReaderFile::snapshot(bool renew) {
  const bool held = !m_hold.expired();
  const TimeNs now = held ? monotonicNow() : 0;
  if (m_held && !renew && now - m_held_since < kHeldFor) return m_held;
  m_held.reset();
  RG_ASSIGN(auto begun, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
  auto snapshot = std::make_shared<sqlite::Transaction>(std::move(begun));
  if (held) m_held = snapshot, m_held_since = now;
  return snapshot;
}

Result<std::uint64_t> ReaderFile::generation() {
  RG_ASSIGN(sqlite::Statement * statement, kept(m_generation_sql, "SELECT value FROM rg_meta WHERE key = 'generation'"));
  RG_ASSIGN(const bool row, statement->step());
  const auto generation = row ? static_cast<std::uint64_t>(statement->int64(0)) : 0;
  statement->reset();
  return generation;
}

// Calls `take` with the tail's rows that complete the file's snapshot; retries when a commit came in between.
Status ReaderFile::consistent(const std::function<Status(const PendingRows&)>& take, bool logs) {
  constexpr int kAttempts = 100;
  for (int i = 0; i < kAttempts; ++i) {
    RG_ASSIGN(const Snapshot file, snapshot(i > 0));
    RG_ASSIGN(const std::uint64_t generation, generation());
    if (!m_live) return take(PendingRows());
    auto rows = m_live->rows(generation, logs);
    if (rows) return take(*rows);
  }
  return {Code::kUnavailable, "cannot read store: " + m_path + ": commits came faster than this read"};
}

Status ReaderFile::refreshClocks() {
  RG_ASSIGN(const std::int64_t now, dataVersion());
  if (now == m_clocks_version) return {};
  RG_TRY(m_clocks.load(m_db, m_aligned));
  m_clocks_version = now;
  return {};
}

}  // namespace runglass
