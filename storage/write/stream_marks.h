// SPDX-License-Identifier: Apache-2.0
// StreamMarks: how far each sender's stream was taken, so that each batch is taken exactly once. Internal to storage.
// Invariants:
// 1. A mark is in memory, or in the file: only marks that were committed leave memory.
// 2. take() gives the marks as they are then; they count as unsaved again where putBack() returns them.
//
// Threading:  the writer's thread, also while a commit runs: what is not in memory is read through a connection of its own. save() is the
//             commit's.
// Errors:     next(): the mark cannot be read; nothing is known of the stream then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/ingest.h"
#include "storage/sqlite/connection.h"

namespace runglass {

class StreamMarks {
 public:
  using Marks = std::vector<std::pair<StreamKey, std::uint64_t>>;

  // What was not used for `idle` leaves memory.
  StreamMarks(const std::string& path, DurNs idle) : m_path(path), m_idle(idle) {}
  Result<std::uint64_t> next(const StreamKey& stream);  // 0 for an unknown one
  void set(const StreamKey& stream, std::uint64_t next);
  bool anyChanged() const { return m_any_changed; }
  // When a flush begins: the marks that moved since the last one. What moves from here on is touched at `now`, monotonic.
  Marks take(TimeNs now);
  void putBack(const Marks& marks);
  // Inside the caller's transaction.
  static Status save(sqlite::Connection& db, const Marks& marks);
  void close();

 private:
  struct State {
    std::uint64_t next_seq = 0;
    bool changed = false;
    TimeNs touched = 0;  // as LiveSeries::touched
  };

  const std::string& m_path;
  const DurNs m_idle;
  TimeNs m_now = 0;
  std::map<StreamKey, State> m_streams;  // those in use; the file has all that are committed
  bool m_any_changed = false;
  sqlite::Connection m_db;  // while the writer's is runBegun()'s
  sqlite::Statement m_find;
};

}  // namespace runglass
