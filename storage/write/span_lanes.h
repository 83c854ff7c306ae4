// SPDX-License-Identifier: Apache-2.0
// SpanLanes: spans of tracks on their way into chunks: lanes, sealing, and their rows. Internal to storage.
// Invariants:
// 1. A lane is that of a depth of the source, or one of that depth's overflow lanes: in a lane spans do not overlap, except in the last
//    overflow lane, which takes the rest.
// 2. A sealed chunk is pending with the generation of the next commit until that commit is done. The id of a span is its chunk's and its
//    place in it: it never changes.
// 3. A track whose chunks the file refuses goes on in another one, whose name says so, once the commit that left them out is done.
//
// Threading:  the writer's thread; save() and what goes with it are the commit's, while nothing is recorded.
// Errors:     spans that cannot be recorded are a FirstFailure; else those of SQLite and CommitRows.
// Cost:       append(): O(n) copies; a chunk that is full is encoded.
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

  // Returns how many went to overflow lanes. `id` becomes that of the track which goes on for it, if one does.
  std::int64_t append(TrackId& id, const SpanColumns& spans);
  // Of jobs that ended: what is open is sealed with this commit, so that it may leave memory after the next.
  void sealOpen(const std::vector<TrackId>& ids);

  // Spans that come from here on touch their track at `now`, monotonic.
  void setNow(TimeNs now) { m_now = now; }
  const std::vector<TrackId>& unsaved() const { return m_unsaved; }
  std::int64_t pendingBytes() const { return m_pending_bytes; }  // of sealed chunks

  // Inside the caller's transaction: all that is unsaved, or one track of it.
  void commitBegins() { m_written_bytes = 0; }
  Status save();
  Status save(TrackId id);
  void committed();
  std::int64_t writtenBytes() const { return m_written_bytes; }
  // Tracks that the commit which is going on leaves out; dropRefused() once it is done.
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
