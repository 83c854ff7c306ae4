// SPDX-License-Identifier: Apache-2.0
// SeriesRows: rows of a series that its points and its summaries share: pyramids and the extent. Internal to storage.
// Invariants:
// 1. A pyramid row is written once, under its own id; rows that cover few chunks are merged into fewer rows (mergePyramids()).
// 2. A damaged row stays as it is, for verify to report.
//
// Threading:  the commit's, inside its transaction; loadExtent(): also the writer's.
// Errors:     those of SQLite and CommitRows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/read/live_series.h"
#include "storage/sqlite/connection.h"
#include "storage/write/commit_rows.h"

namespace runglass {

class SeriesRows {
 public:
  static constexpr std::int64_t kMinorPyramid = 8, kMajorPyramid = 64;  // chunks

  SeriesRows(sqlite::Connection& db, CommitRows& rows) : m_db(db), m_rows(rows) {}
  Status load();
  void close();

  Status addPyramid(SeriesId id, std::int64_t x0, std::int64_t x1, std::int64_t chunks, const std::string& data);
  Status dropPyramid(std::int64_t pyramid_id);
  // Merges the rows of the series that cover fewer chunks than `below` into one of at most kMajorPyramid chunks.
  Status mergePyramids(SeriesId id, std::int64_t below);
  // Leaves fields that the file does not have unchanged.
  Status loadExtent(SeriesId id, LiveSeries& series);
  Status saveExtent(SeriesId id, const SeriesExtent& extent, const std::optional<LatestSample>& latest);
  // Bytes written by merging since commitBegins().
  void commitBegins() { m_written_bytes = 0; }
  std::int64_t writtenBytes() const { return m_written_bytes; }

 private:
  sqlite::Connection& m_db;
  CommitRows& m_rows;
  sqlite::Statement m_pyramid, m_extent, m_small_pyramids, m_known_extent, m_drop_pyramid;
  std::int64_t m_next_pyramid = 1, m_written_bytes = 0;
};

}  // namespace runglass
