// SPDX-License-Identifier: Apache-2.0
// ChangeReader: the content of a store as it was recorded, for replication: times as stamped, rows by their ids, points in order of
// arrival; and the changes since a given position, at low cost.
//
// Threading:  one thread at a time. Each call is at most one short read transaction.
// Ownership:  owns its connection; shares the live tail.
// Units:      TimeNs as stamped; PointPosition counts points.
// Errors:     as Reader.
// Cost:       grown(): 1 us per 1,000 series. points(): only the new points while they are in memory, else a chunk. Calls for complete
//             tables: their rows; parts() shows which tables have changed.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/mirror_recorder.h"
#include "storage/read/live_tail.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// The number of a series' points that a replica has, counted separately for points in order and for late ones.
struct PointPosition {
  std::int64_t main = 0, late = 0;
  friend bool operator==(const PointPosition&, const PointPosition&) = default;
};

struct NewPoints {
  std::vector<ScalarColumns> pieces;  // in order of arrival; within a piece either all points have times or none (then `time` is empty)
  PointPosition next;                 // after them
  bool more = false;                  // there are more points to read now
  bool unclear = false;               // it is not determinable which points are new: see whole()
};

// All points of a series in order of step, equal steps in order of arrival; a point without a time has kAbsent if others have one.
struct WholeSeries {
  ScalarColumns points;
  PointPosition next;
};

// Blocks of a series over time that the replica does not have yet.
struct NewSummaries {
  std::optional<Summaries> reported;
  // Samples that do not fill a block yet are not included; they are returned on request (`rest`), and again once they fill one.
  bool rest = false;
};

class ChangeReader {
 public:
  using Parts = std::array<std::uint64_t, kStoreParts>;

  static Result<std::unique_ptr<ChangeReader>> open(const std::string& path, ReaderOptions options = {});

  // A part whose number is unchanged has not changed.
  Result<Parts> parts();
  // Series that may have new points since the call that returned `since` (0: no earlier call).
  Result<std::uint64_t> grown(std::uint64_t since, std::vector<SeriesId>& out);
  Result<NewPoints> points(SeriesId series, PointPosition have);
  Result<WholeSeries> whole(SeriesId series);
  Result<PointPosition> end(SeriesId series);  // the position after all points
  Result<NewSummaries> summaries(SeriesId series, const SummaryPosition& have, bool rest);
  // In a store that is a replica: the position up to which each series has its source's summaries.
  Result<std::unordered_map<SeriesId, SummaryPosition>> copied();

  Result<std::vector<Series>> series(SeriesId after);                   // by id; extents as of the last commit
  Result<std::vector<Track>> tracks(TrackId after, std::size_t limit);  // by id
  // Of the newest attempt of each run, or of all attempts.
  Result<std::vector<Progress>> progress(bool all_attempts);
  Result<std::vector<Event>> events(std::int64_t after, std::size_t limit);
  Result<std::vector<std::pair<std::int64_t, LogLine>>> logs(std::int64_t after, std::size_t limit);
  Result<std::vector<std::pair<std::int64_t, Label>>> labels(std::int64_t after, std::size_t limit);
  // Clock readings stored after the one with number `after`, in that order; then `after` is the number of the newest.
  Result<std::vector<ClockReading>> clocks(std::int64_t& after);

 private:
  struct Sealed {
    std::int64_t id = 0;
    bool late = false;
    std::int64_t x0 = 0, x1 = 0;
    std::size_t n = 0;
    std::uint32_t crc = 0;
    std::shared_ptr<const ChunkRow> pending;  // of the tail; null: in the file
  };
  // The current state of a series: its sealed chunks in order of arrival and the open points beyond `have`.
  struct State {
    std::vector<Sealed> main, late;
    LiveTail::Arrivals tail;
    PointPosition sealed;
    std::int64_t gone = 0;  // main points that retention thinned; the first ones of the series
    bool odd = false;       // chunks are missing
  };
  ChangeReader(std::string path, ReaderOptions options) : m_path(std::move(path)), m_live(std::move(options.live)) {}
  static PointPosition endOf(const State& state);
  Result<std::uint64_t> generation();
  Result<std::uint64_t> version();
  Status snapshot(SeriesId series, PointPosition have, State& out);
  Result<bool> decode(SeriesId series, const Sealed& chunk, RawPoints& out);
  Status rows(const std::function<Status(const PendingRows&)>& take, bool logs);
  // change_summaries.cpp
  Status sealedSince(SeriesId series, std::int64_t chunk, std::vector<Sealed>& sealed, LiveTail::Blocks& blocks);
  Status storedBlocks(SeriesId series, std::int64_t from, std::vector<Bin>& out);

  const std::string m_path;
  const std::shared_ptr<const LiveTail> m_live;
  sqlite::Connection m_db;
  sqlite::Statement m_generation_sql, m_version_sql, m_chunks_sql, m_data_sql, m_gone_sql, m_new_chunks_sql, m_pyramids_sql;
};

}  // namespace runglass
