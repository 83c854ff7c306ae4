// SPDX-License-Identifier: Apache-2.0
// PointReader: points of series, merged from the file's chunks and the tail. Internal to storage.
// Invariants:
// 1. Main chunks come before late ones, each in order of arrival; a stable merge by x therefore keeps equal x in order of arrival.
// 2. A chunk whose checksum or content is wrong is left out and named; all others are returned.
// 3. The cache of expired samples (forgottenTo()) is of one version of the file.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/samples.h"
#include "storage/read/reader_file.h"

namespace runglass {

// One chunk of a series, from the file or the tail.
struct ChunkView {
  std::int64_t id = 0;
  bool late = false;
  std::int64_t x0 = 0, x1 = 0;
  std::size_t n = 0;
  std::uint32_t crc = 0;
  std::string blob;                 // from the file: checked and decoded when needed
  std::optional<RawPoints> points;  // from the tail's open chunk
  bool checked = false;             // from the tail: no checksum to check
};

// Bounds that a chunk must overlap: [x0, x1], both inclusive.
struct XBounds {
  std::int64_t x0, x1;
};

struct SeriesIdentity {
  SeriesKind kind = SeriesKind::kGauge;
  std::int64_t count = 0;
  const ClockMap* clock = nullptr;  // null: its times need no correction
  bool correctsX() const { return clock != nullptr && kind != SeriesKind::kScalar; }
};

class PointReader {
 public:
  explicit PointReader(ReaderFile& file) : m_file(file) {}

  // As in Reader, except SampleColumns::summarised.
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop);
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop);

  Result<SeriesIdentity> identityOf(SeriesId id);
  // A consistent state of the chunks of a series; `file` keeps the file's snapshot open.
  Status openSnapshot(SeriesId id, ReaderFile::Snapshot& file, SeriesSnapshot& tail);
  // Chunks that overlap `bounds`, main before late, each group in order of arrival. `open_only`: those without a pyramid row.
  Status chunks(SeriesId id, XBounds bounds, bool open_only, SeriesSnapshot& tail, std::vector<ChunkView>& out);
  // Appends the points of the chunks inside `bounds`, merged in x order; the first damaged chunk is named in `damage`.
  Status decode(SeriesId id, const std::vector<ChunkView>& chunks, XBounds bounds, const std::stop_token& stop, RawPoints& out,
                std::string& damage);
  // All points in `bounds`, including those that retention kept when it thinned. Not corrected.
  Result<RawPoints> points(SeriesId id, XBounds bounds, const std::stop_token& stop);
  // As stored in the file.
  Result<std::optional<LatestSample>> newestStored(SeriesId id);
  // The x up to which samples of the series may be deleted, with only summaries or thinned points left; absent: no sample is.
  Result<std::optional<std::int64_t>> forgottenTo(SeriesId id);

 private:
  // For scalars, adds the points that retention kept of deleted chunks, in the same snapshot.
  Status addThinned(SeriesId id, XBounds bounds, const std::stop_token& stop, RawPoints& out, std::string& damage);

  ReaderFile& m_file;
  sqlite::Statement m_chunks_sql, m_open_sql, m_known_sql, m_newest_sql, m_thinned_sql, m_expired_sql;
  std::unordered_map<SeriesId, std::optional<std::int64_t>> m_forgotten;  // as of m_forgotten_version
  std::int64_t m_forgotten_version = -1;
};

}  // namespace runglass
