// SPDX-License-Identifier: Apache-2.0
// The -wal file of the store that a Writer writes: when it is on the disk, when its pages go into the store, and which process keeps them
// from going. Internal to storage.
//
// Threading:  one thread at a time: that of the commits, or the writer's between them.
// Ownership:  a descriptor of the -wal file.
// Units:      bytes.
// Errors:     check(): RESOURCE_EXHAUSTED, naming the process that holds a snapshot; sync(): UNAVAILABLE, for good.
// Cost:       a checkpoint each 16 MiB or 10 s, an fdatasync each 2 s, on the thread of the commits.
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
  // Before the first commit of the connection, which must not commit after this is gone.
  void watch(sqlite::Connection& db);
  // After a commit. `room`: what the disk has left; absent: not known.
  void committed(sqlite::Connection& db, std::optional<std::int64_t> room);
  // Whether it may grow by another commit.
  Status check(sqlite::Connection& db);
  // Whether all commits so far survive a power cut. False: that is not due yet.
  Result<bool> sync(const std::string& store);
  // That a process has held a snapshot for too long: at first, and each ten minutes.
  std::optional<Issue> blocked(sqlite::Connection& db);
  // Before SQLite deletes it.
  void close() { m_file.reset(); }

  // Tests need less of both.
  void setLimits(std::int64_t max_bytes, DurNs report_after) { m_max_bytes = max_bytes, m_report_after = report_after; }

 private:
  Status checkpoint(sqlite::Connection& db, int mode);

  std::int64_t m_max_bytes = std::int64_t{2} << 30;
  DurNs m_report_after = 20 * kNsPerSecond;
  std::int64_t m_frames = 0;                                                            // since it began, each a page
  std::int64_t m_stored = 0;                                                            // of these, in the store
  TimeNs m_checkpoint_at = 0, m_blocked_since = 0, m_reported_at = 0, m_synced_at = 0;  // 0: never, or not
  int m_sync_failed = 0;                                                                // errno
  std::shared_ptr<OpenFile> m_file;
};

}  // namespace runglass
