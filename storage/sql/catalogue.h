// SPDX-License-Identifier: Apache-2.0
// Data shared by the virtual tables during one query: the Reader, the stop token, and series, attempts and tracks by id.
//
// Threading:  the Reader's thread.
// Ownership:  borrows the Reader; returned references are valid until the next begin().
// Errors:     those of the Reader; an id without a row gives an empty answer.
// Cost:       each list is read once per query, on first use; the most recently used pieces of spans are cached, up to 64 MiB.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "model/result.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"

namespace runglass::sql {

struct AttemptRow {
  RunId run;
  std::int32_t number = 0;
};

class Catalogue {
 public:
  explicit Catalogue(Reader& reader) : m_reader(reader) {}
  // The session's own connection; it outlives the queries.
  void setStore(sqlite::Connection& store) { m_store = &store; }

  // Drops the data of the last query.
  void begin(std::stop_token stop);
  Reader& reader() { return m_reader; }
  const std::stop_token& stop() const { return m_stop; }

  Result<const std::vector<Series>*> series();
  Result<const Series*> seriesById(std::int64_t id);     // nullptr: not found
  Result<const AttemptRow*> attempt(AttemptId attempt);  // nullptr: not found
  Result<const std::vector<Track>*> tracks();
  Result<const Track*> track(TrackId track);  // nullptr: not found
  // Reader::spansWith for span-by-span access. Null: no such span.
  Result<std::shared_ptr<const StoredSpans>> piece(std::int64_t span, TimeRange range);
  // Absent: no later attempt restarted this series.
  Result<std::optional<std::int64_t>> supersededFrom(SeriesId series);
  // The last step up to which retention thinned the series; absent: it was not thinned.
  Result<std::optional<std::int64_t>> thinnedTo(SeriesId series);

 private:
  struct KeptPiece {
    std::shared_ptr<const StoredSpans> piece;
    TimeRange range;  // as requested
    std::size_t bytes = 0;
    std::uint64_t used = 0;
  };
  Status loadAttempts();
  void keepPiece(std::shared_ptr<const StoredSpans> piece, TimeRange range);

  Reader& m_reader;
  sqlite::Connection* m_store = nullptr;
  std::stop_token m_stop;
  std::optional<std::vector<Series>> m_series;
  std::unordered_map<std::uint64_t, std::size_t> m_series_index;
  std::optional<std::unordered_map<SeriesId, std::int64_t>> m_superseded;
  std::optional<std::map<AttemptId, AttemptRow>> m_attempts;
  std::optional<std::vector<Track>> m_tracks;
  std::unordered_map<TrackId, std::size_t> m_track_index;
  std::map<std::int64_t, KeptPiece> m_pieces;  // by first id
  std::size_t m_piece_bytes = 0;
  std::uint64_t m_piece_clock = 0;
};

}  // namespace runglass::sql
