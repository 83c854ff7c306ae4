// SPDX-License-Identifier: Apache-2.0
// StreamMarks: the position up to which each sender's stream was accepted, so that each batch is accepted exactly once. Internal to
// storage.
// Invariants:
// 1. A mark is in memory, or in the file: only committed marks are evicted from memory.
// 2. take() returns the current marks; after putBack() they count as unsaved again.
//
// Threading:  the writer's thread, also while a commit runs: marks that are not in memory are read through a separate connection. save():
//             the commit's.
// Errors:     next(): the mark cannot be read, and the stream's position is unknown.
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

  // Marks not used for `idle` are evicted from memory.
  StreamMarks(const std::string& path, DurNs idle) : m_path(path), m_idle(idle) {}
  Result<std::uint64_t> next(const StreamKey& stream);  // 0 for an unknown stream
  void set(const StreamKey& stream, std::uint64_t next);
  bool anyChanged() const { return m_any_changed; }
  // When a flush begins: the marks that moved since the last one. Marks that move from now on are touched at `now`, monotonic.
  Marks take(TimeNs now);
  void putBack(const Marks& marks);
  // Inside the caller's transaction.
  static Status save(sqlite::Connection& db, const Marks& marks);
  void close();

 private:
  struct State {
    std::uint64_t next_seq = 0;
    bool changed = false;
    TimeNs touched = 0;  // as in LiveSeries
  };

  const std::string& m_path;
  const DurNs m_idle;
  TimeNs m_now = 0;
  std::map<StreamKey, State> m_streams;  // those in use; the file has all committed ones
  bool m_any_changed = false;
  sqlite::Connection m_db;  // used while runBegun() owns the writer's connection
  sqlite::Statement m_find;
};

}  // namespace runglass
