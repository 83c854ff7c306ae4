// SPDX-License-Identifier: Apache-2.0
// NewestReader: the newest sample of many series, now and at a moment. Internal to storage.
// Invariants:
// 1. The newest point at or before x is in a chunk that begins at or before x and does not end before the last such chunk begins.
// 2. Chunks of a series follow each other unless one of them is late; of points of equal x, the last to arrive wins (main before late, then
//    by id, as in PointReader).
// 3. A chunk is identified by id and checksum: while the file's row has both, the cached chunk matches it.
// 4. The answers for one moment are kept for one version of the file and the tail.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "storage/read/bin_reader.h"
#include "storage/read/decoded_cache.h"
#include "storage/read/moment_cache.h"
#include "storage/read/point_reader.h"
#include "storage/read/reader_file.h"
#include "storage/read/series_list.h"

namespace runglass {

class NewestReader {
 public:
  NewestReader(ReaderFile& file, SeriesList& series, PointReader& points, BinReader& bins)
      : m_file(file), m_series(series), m_points(points), m_bins(bins) {}

  // As in Reader.
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series);
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop);

 private:
  struct WantedSeries {
    SeriesId id;
    bool scalar = false;
    const ClockMap* clock = nullptr;
    MomentAnswers::Answer* answer = nullptr;
  };
  Status newestOf(const std::vector<WantedSeries>& wanted, TimeNs moment, const std::stop_token& stop);
  Status noteLateChunks(std::int64_t version);
  Status judgeOrder(SeriesId id, MomentSlot& slot);
  Status fillSlot(SeriesId id, std::int64_t x, std::int64_t version, bool without_open, MomentSlot& slot);
  void noteDamage(SeriesId series, std::int64_t chunk, std::int64_t x0, std::int64_t x1);
  // False: the tail cannot complete this snapshot of the file.
  Result<bool> newestPoint(SeriesId id, std::int64_t x, std::int64_t version, std::uint64_t generation, std::optional<FoundPoint>& out);
  Status fillSteps(SeriesId id, std::int64_t version, bool without_open, StepSlot& slot);
  // Null for a damaged chunk, which is noted.
  Result<std::shared_ptr<EncodedChunk>> stepChunk(SeriesId id, StepChunk& chunk);
  Result<bool> newestStep(SeriesId id, TimeNs time, std::int64_t version, std::uint64_t generation, std::optional<FoundPoint>& out);

  ReaderFile& m_file;
  SeriesList& m_series;
  PointReader& m_points;
  BinReader& m_bins;
  sqlite::Statement m_moment_sql, m_next_sql, m_order_sql, m_steps_sql, m_step_chunk_sql;
  MomentCache m_moments{std::size_t{128} << 20};
  MomentAnswers m_answers;
  std::unordered_map<std::uint64_t, StepSlot> m_step_slots;  // by series
  DecodedCache<KeptChunk> m_step_chunks{std::size_t{64} << 20};
  std::int64_t m_late_from = 0, m_late_version = -1;
};

}  // namespace runglass
