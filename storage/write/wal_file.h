// SPDX-License-Identifier: Apache-2.0
// The -wal file of the Writer's store: when it is synced, when its pages are moved into the store, and which process prevents that.
// Internal to storage.
//
// Threading:  one thread at a time: that of the commits, or the writer's between them.
// Ownership:  a descriptor of the -wal file.
// Units:      bytes.
// Errors:     check(): RESOURCE_EXHAUSTED, naming the process that holds a snapshot; sync(): UNAVAILABLE, permanently.
// Cost:       a checkpoint every 16 MiB or 10 s, an fdatasync every 2 s, on the thread of the commits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/events.h"
#include "model/result.h"
#include "model/time.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/file_sync.h"

namespace runglass {

class WalFile {
 public:
  // Before the first commit of the connection, which must not commit after this object is destroyed.
  void watch(sqlite::Connection& db);
  // After a commit. `room`: free space on the disk; absent: unknown.
  void committed(sqlite::Connection& db, std::optional<std::int64_t> room);
  // Fails if the file must not grow by another commit.
  Status check(sqlite::Connection& db);
  // Whether all commits so far survive a power cut. False: a sync is not due yet.
  Result<bool> sync(const std::string& store);
  // An issue if a process has held a snapshot for too long: at first, and then every ten minutes.
  std::optional<Issue> blocked(sqlite::Connection& db);
  // Before SQLite deletes the file.
  void close() { m_file.reset(); }

  // Lower limits for tests.
  void setLimits(std::int64_t max_bytes, DurNs report_after) { m_max_bytes = max_bytes, m_report_after = report_after; }

 private:
  Status checkpoint(sqlite::Connection& db, int mode);

  std::int64_t m_max_bytes = std::int64_t{2} << 30;
  DurNs m_report_after = 20 * kNsPerSecond;
  std::int64_t m_frames = 0;                                                            // frames since it restarted, one per page
  std::int64_t m_stored = 0;                                                            // of these, already in the store
  TimeNs m_checkpoint_at = 0, m_blocked_since = 0, m_reported_at = 0, m_synced_at = 0;  // 0: never, or not blocked
  int m_sync_failed = 0;                                                                // errno
  std::shared_ptr<OpenFile> m_file;
};

}  // namespace runglass
