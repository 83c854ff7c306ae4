// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Only the Writer's connection checkpoints.
// 2. A checkpoint's result is given by its counts. The -wal file restarts once all of it is in the store and no snapshot needs it. Readers
//    of this process hold a snapshot for at most 250 ms, so beyond kRestartBytes it is worth waiting for them.
// 3. After a failed sync no sync succeeds any more: the kernel may have dropped the unwritten pages.
#include "storage/write/wal_file.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr DurNs kCheckpointInterval = 10 * kNsPerSecond, kSyncInterval = 2 * kNsPerSecond, kReportAgain = 600 * kNsPerSecond;
constexpr std::int64_t kCheckpointBytes = std::int64_t{16} << 20, kRestartBytes = std::int64_t{32} << 20;
constexpr std::int64_t kFrameBytes = 4'096 + 24;
constexpr int kBusyMs = 5'000, kRestartMs = 500;  // kBusyMs: the timeout that Connection sets

// The process that holds a snapshot: SQLite's read locks are bytes 123 to 127 of the -shm file.
std::string holder(sqlite::Connection& db) {
  constexpr const char* kOurs = "a reader of this process";
  const int shm = db.file().sharedMemory(resolvedStore(db.path()));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 123;
  lock.l_len = 5;
  if (shm < 0 || ::fcntl(shm, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return kOurs;
  if (lock.l_pid <= 0) return "a process outside this container";
  std::ifstream comm("/proc/" + std::to_string(lock.l_pid) + "/comm");
  std::string name;
  std::getline(comm, name);
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return "process " + std::to_string(lock.l_pid) + (name.empty() ? "" : " (" + name + ")");
}

}  // namespace

Status WalFile::checkpoint(sqlite::Connection& db, int mode) {
  int frames = 0, stored = 0;
  if (mode != SQLITE_CHECKPOINT_PASSIVE) sqlite3_busy_timeout(db.raw(), kRestartMs);
  const int rc = sqlite3_wal_checkpoint_v2(db.raw(), "main", mode, &frames, &stored);
  if (mode != SQLITE_CHECKPOINT_PASSIVE) sqlite3_busy_timeout(db.raw(), kBusyMs);
  const TimeNs now = monotonicNow();
  m_checkpoint_at = now;
  if (rc != SQLITE_OK && rc != SQLITE_BUSY) return sqlite::sqliteStatus(db.raw(), rc, "cannot checkpoint store", db.path());
  const bool blocked = rc == SQLITE_BUSY || stored < frames;
  // -1: there is no -wal. A passive checkpoint does not restart it; the next commit may.
  const bool over = !blocked && mode != SQLITE_CHECKPOINT_PASSIVE;
  m_frames = over ? 0 : std::max(0, frames);
  m_stored = over ? 0 : std::max(0, stored);
  if (!blocked) m_blocked_since = 0;
  if (blocked && m_blocked_since == 0) m_blocked_since = now;
  return {};
}

void WalFile::watch(sqlite::Connection& db) {
  const auto count = [](void* self, sqlite3*, const char*, int frames) {
    auto& wal = *static_cast<WalFile*>(self);
    if (frames < wal.m_frames) wal.m_stored = 0;  // the -wal restarted
    wal.m_frames = frames;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(db.raw(), count, this);
}

void WalFile::committed(sqlite::Connection& db, std::optional<std::int64_t> room) {
  const std::int64_t unchecked = (m_frames - m_stored) * kFrameBytes;
  const TimeNs now = monotonicNow();
  // Readers of this process hold short snapshots: if only those blocked this checkpoint, the next commit tries again. A longer snapshot
  // would delay every commit.
  const bool restart = m_frames * kFrameBytes >= kRestartBytes && (m_blocked_since == 0 || now - m_blocked_since < kCheckpointInterval);
  const bool due = restart || unchecked >= kCheckpointBytes || now - m_checkpoint_at >= kCheckpointInterval || (room && *room <= unchecked);
  if (!due) return;
  // Work that is not possible now (a snapshot blocks it, or the disk is full) is left to the next checkpoint; the data are safe in the -wal
  // file. On a disk that is nearly full, the file is truncated.
  const int mode = room && *room < kCheckpointBytes          ? SQLITE_CHECKPOINT_TRUNCATE
                   : m_frames * kFrameBytes >= kRestartBytes ? SQLITE_CHECKPOINT_RESTART
                                                             : SQLITE_CHECKPOINT_PASSIVE;
  (void)checkpoint(db, mode);
}

Status WalFile::check(sqlite::Connection& db) {
  if (m_frames * kFrameBytes < m_max_bytes) return {};
  // The snapshot may have ended meanwhile.
  RG_TRY(checkpoint(db, SQLITE_CHECKPOINT_RESTART));
  if (m_blocked_since == 0) return {};
  return {Code::kResourceExhausted, "cannot store more data: " + walPath(db.path()) + ": has grown to " +
                                        std::to_string((m_frames * kFrameBytes) >> 20) + " MiB, because " + holder(db) +
                                        " holds a snapshot of the store; end it"};
}

std::optional<Issue> WalFile::blocked(sqlite::Connection& db) {
  const TimeNs now = monotonicNow();
  if (m_blocked_since == 0 || now - m_blocked_since < m_report_after) return std::nullopt;
  if (m_reported_at != 0 && now - m_reported_at < kReportAgain) return std::nullopt;
  m_reported_at = now;
  const TimeNs wall = wallNow();
  return Issue{.code = "store.reader_blocks",
               .source = db.path(),
               .first = wall,
               .last = wall,
               .detail = holder(db) + " has held a snapshot of the store for " + std::to_string((now - m_blocked_since) / kNsPerSecond) +
                         " s; until it ends, the -wal file cannot shrink (" + std::to_string((m_frames * kFrameBytes) >> 20) + " MiB)"};
}

Result<bool> WalFile::sync(const std::string& store) {
  if (m_sync_failed == 0) {
    if (monotonicNow() - m_synced_at < kSyncInterval) return false;
    if (!m_file) {
      const int fd = ::open(walPath(store).c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) return errno == ENOENT;  // no commit was written: the store is one file
      m_file = std::make_shared<OpenFile>(fd);
    }
    m_sync_failed = syncFile(m_file->fd());
    m_synced_at = monotonicNow();
  }
  if (m_sync_failed == 0) return true;
  return Status(Code::kUnavailable,
                "cannot sync store: " + walPath(store) + ": " + std::strerror(m_sync_failed) + "; check the disk, then restart");
}

}  // namespace runglass
