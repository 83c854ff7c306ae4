// SPDX-License-Identifier: Apache-2.0
// SpanLanes: spans of tracks on their way into chunks: lanes, sealing, and their rows. Internal to storage.
// Invariants:
// 1. A lane belongs to a depth of the source, or is one of that depth's overflow lanes: spans in a lane do not overlap, except in the last
//    overflow lane, which takes the rest.
// 2. A sealed chunk is pending with the generation of the next commit until that commit is done. The id of a span is derived from its chunk
//    and its position there: it never changes.
// 3. A track whose chunks the file refuses continues in another one, with a name that shows it, once the commit that left them out is done.
//
// Threading:  the writer's thread; save() and related calls: the commit's, while nothing is recorded.
// Errors:     spans that cannot be recorded are a FirstFailure; else those of SQLite and CommitRows.
// Cost:       append(): O(n) copies; a full chunk is encoded.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"
#include "storage/write/first_failure.h"
#include "storage/write/row_log.h"

namespace runglass {

class SpanLanes {
 public:
  SpanLanes(const std::string& path, sqlite::Connection& db, CommitRows& rows, Catalog& catalog, LiveTail& tail, RowLog& log,
            FirstFailure& failure)
      : m_path(path), m_db(db), m_rows(rows), m_catalog(catalog), m_tail(&tail), m_log(log), m_failure(failure) {}
  Status load();
  void close() { m_chunk = {}; }

  // Returns the number of spans put into overflow lanes. Sets `id` to the track that continues it, if there is one.
  std::int64_t append(TrackId& id, const SpanColumns& spans);
  // For jobs that ended: open chunks are sealed with this commit, so that they may be evicted after the next one.
  void sealOpen(const std::vector<TrackId>& ids);

  // The time, monotonic, that the following spans touch their track at.
  void setNow(TimeNs now) { m_now = now; }
  const std::vector<TrackId>& unsaved() const { return m_unsaved; }
  std::int64_t pendingBytes() const { return m_pending_bytes; }  // of sealed chunks

  // Inside the caller's transaction: all unsaved data, or that of one track.
  void commitBegins() { m_written_bytes = 0; }
  Status save();
  Status save(TrackId id);
  void committed();
  std::int64_t writtenBytes() const { return m_written_bytes; }
  // Tracks that the current commit leaves out; call dropRefused() once it is done.
  void noteRefused(TrackId id, Status why) { m_refused.emplace_back(id, std::move(why)); }
  void clearRefused() { m_refused.clear(); }
  void dropRefused();

 private:
  std::int64_t appendTo(LiveTrack& track, const SpanColumns& spans, const std::vector<std::int64_t>& names) RG_REQUIRES(track.mutex);
  void appendRun(LiveLane& lane, const SpanColumns& spans, const std::vector<std::int64_t>& names, std::size_t from, std::size_t to);
  void seal(LiveLane& lane, std::size_t index);
  Status saveChunk(TrackId id, const PendingSpans& chunk, const PackedSpans& packed);
  void continueTrack(TrackId id, const Status& why);

  const std::string& m_path;
  sqlite::Connection& m_db;
  CommitRows& m_rows;
  Catalog& m_catalog;
  LiveTail* const m_tail;
  RowLog& m_log;
  FirstFailure& m_failure;
  sqlite::Statement m_chunk;
  std::vector<TrackId> m_unsaved;
  std::unordered_map<TrackId, TrackId> m_continued;
  std::vector<std::pair<TrackId, Status>> m_refused;
  std::int64_t m_next_chunk = 1;
  TimeNs m_now = 0;
  std::int64_t m_pending_bytes = 0, m_written_bytes = 0;
};

}  // namespace runglass
