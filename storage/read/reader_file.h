// SPDX-License-Identifier: Apache-2.0
// ReaderFile: a store as one Reader sees it: the connection, the tail of this process' writer, and the clocks. Internal to storage.
// Invariants:
// 1. Each call of a Reader is one short read transaction (snapshot()); calls during a hold share one for kHeldFor.
// 2. Data in the tail that is not yet in the file is added, never counted twice: a snapshot of the file is used together with the tail's
//    data for its generation, or replaced by a newer one (live_tail.h).
// 3. clocks() are those of the file as of the last refreshClocks().
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/clock_map.h"
#include "storage/read/damage_log.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"

namespace runglass {

class ReaderFile {
 public:
  // `aligned`: apply alignments.
  ReaderFile(std::string path, std::shared_ptr<const LiveTail> live, bool aligned)
      : m_path(std::move(path)), m_damage(DamageLog::of(m_path)), m_live(std::move(live)), m_aligned(aligned) {}
  Status start();

  const std::string& path() const { return m_path; }
  bool aligned() const { return m_aligned; }
  bool immutable() const { return m_immutable; }  // opened as a file that no process writes
  sqlite::Connection& db() { return m_db; }
  const std::shared_ptr<const LiveTail>& live() const { return m_live; }  // null: no writer in this process
  DamageLog& damage() { return *m_damage; }
  // A statement prepared on first use, and reset.
  Result<sqlite::Statement*> kept(sqlite::Statement& statement, std::string_view sql);

  // One state of the file for several statements: a new one for this call, or that of the hold. `renew`: the tail refused the previous one,
  // which the caller has released.
  using Snapshot = std::shared_ptr<sqlite::Transaction>;
  Result<Snapshot> snapshot(bool renew);
  std::shared_ptr<void> hold();
  // Generation of the file as of the snapshot: the number by which the tail counts commits.
  Result<std::uint64_t> generation();
  // Changes when another connection commits.
  Result<std::int64_t> dataVersion();
  // Calls `take` inside one read transaction with the tail's rows that complete the file's; retries when the tail has advanced meanwhile.
  Status consistent(const std::function<Status(const PendingRows&)>& take, bool logs = false);

  // Reloads the clock maps when another connection has committed since.
  Status refreshClocks();
  const ClockMaps& clocks() const { return m_clocks; }

 private:
  Status checkName() const;

  std::string m_path;
  std::shared_ptr<DamageLog> m_damage;
  bool m_immutable = false;
  std::shared_ptr<const LiveTail> m_live;
  bool m_aligned;
  sqlite::Connection m_db;
  std::weak_ptr<void> m_hold;
  Snapshot m_held;  // while m_hold lives, since m_held_since on the monotonic clock
  TimeNs m_held_since = 0;
  sqlite::Statement m_generation_sql, m_version_sql;
  ClockMaps m_clocks;
  std::int64_t m_clocks_version = -1;
};

}  // namespace runglass
