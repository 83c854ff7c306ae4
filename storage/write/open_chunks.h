// SPDX-License-Identifier: Apache-2.0
// OpenChunks: points of series on their way into chunks: the open chunks of each series, sealing, late points, and their rows. Internal to
// storage.
// Invariants:
// 1. A point goes to the main chunk unless it is before the last sealed main point; then it goes to the late chunk. Equal x therefore keep
//    their order of arrival when main chunks are read before late ones. A main chunk of many points is sealed when a point arrives that is
//    before them.
// 2. A sealed chunk is pending with the generation of the next commit until that commit is done.
// 3. Data that a series in the file cannot accept continues in another series, whose key differs in a label: the damaged pages are not
//    accessed again, and data recorded from then on is readable.
//
// Threading:  the writer's thread; save() and related calls: the commit's, while nothing is recorded.
// Errors:     a point that cannot be recorded is a FirstFailure; else those of SQLite and CommitRows.
// Cost:       append(): O(n) copies; a full chunk is encoded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/codec/series_buffer.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"
#include "storage/write/first_failure.h"
#include "storage/write/row_log.h"
#include "storage/write/series_rows.h"

namespace runglass {

class OpenChunks {
 public:
  // Late chunks that got no points for between `late_idle` and twice that are evicted from memory.
  OpenChunks(const std::string& path, sqlite::Connection& db, CommitRows& rows, Catalog& catalog, LiveTail& tail, SeriesRows& series_rows,
             RowLog& log, FirstFailure& failure, DurNs late_idle)
      : m_path(path),
        m_db(db),
        m_rows(rows),
        m_catalog(catalog),
        m_tail(&tail),
        m_series_rows(series_rows),
        m_log(log),
        m_failure(failure),
        m_late_idle(late_idle) {}
  Status load();
  void close();

  // Null, with a FirstFailure: the series cannot be recorded. Sets `id` to the series that continues it, if there is one.
  LiveSeries* live(SeriesId& id);
  // `time` is null if points have none.
  void append(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void sealIdleLate();
  // Seals open chunks of series that are not in memory, so that retention may delete them: those older than `before`, or all. A few at a
  // time.
  Status sealAbandoned(std::optional<TimeNs> before, TimeNs now);
  // These series were evicted from the tail.
  void evicted(const std::vector<SeriesId>& gone);
  std::int64_t nextChunk() const { return m_next_chunk; }
  std::int64_t openChunks() const { return static_cast<std::int64_t>(m_open_chunks); }

  // The time, monotonic, that the following points touch their series at.
  void setNow(TimeNs now) { m_now = now; }
  const std::vector<SeriesId>& unsaved() const { return m_unsaved; }
  std::int64_t pendingBytes() const { return m_pending_bytes; }  // of sealed chunks

  // Inside the caller's transaction: all unsaved data, or that of one series.
  void commitBegins() { m_written_bytes = 0; }
  Status save();
  Status save(SeriesId id);
  // Moves the data of a series that is not in the file to the series that continues it; it is stored by the same commit. Without such a
  // series it stays.
  void moveOn(SeriesId id, const Status& why);
  void committed();
  std::int64_t writtenBytes() const { return m_written_bytes; }

 private:
  void countOpenChunks(std::int64_t more);
  void limit(SeriesBuffer& buffer, std::size_t points) const;
  void list(SeriesId id, LiveSeries& series);
  void noteLate(SeriesId id);
  void seal(LiveSeries& series, SeriesBuffer& buffer, bool late) RG_REQUIRES(series.mutex);
  SeriesId continueSeries(SeriesId id, const Status& why);
  // open_chunks_file.cpp
  Status load(SeriesId id);
  Status loadSeries(SeriesId id, LiveSeries& series);
  Status findAbandoned(std::optional<TimeNs> before, std::vector<SeriesId>& series);
  Status saveSealed(std::span<const SeriesId> ids);
  std::optional<ChunkRow> openChunk(LiveSeries& series, bool late);
  Status saveSeries(SeriesId id, LiveSeries& series);
  Status saveChunk(SeriesId id, const ChunkRow& row, bool sealed);
  Status savePyramid(SeriesId id, const PendingChunk& chunk);

  const std::string& m_path;
  sqlite::Connection& m_db;
  CommitRows& m_rows;
  Catalog& m_catalog;
  LiveTail* const m_tail;
  SeriesRows& m_series_rows;
  RowLog& m_log;
  FirstFailure& m_failure;
  const DurNs m_late_idle;
  sqlite::Statement m_chunk, m_drop_chunk;
  std::vector<SeriesId> m_unsaved;
  std::size_t m_open_chunks = 0, m_chunk_limit = kChunkPoints;  // main and late ones
  std::vector<SeriesId> m_late_series;                          // that have a late chunk
  std::size_t m_next_late = 0;                                  // index of the next one in this pass
  TimeNs m_late_pass = 0;                                       // when it began
  std::unordered_map<SeriesId, SeriesId> m_continued;
  std::uint64_t m_first_new_series = 0;  // ids from this one on have no data in the file
  std::int64_t m_next_chunk = 1;
  TimeNs m_now = 0;
  std::int64_t m_pending_bytes = 0, m_written_bytes = 0;
};

}  // namespace runglass
