// SPDX-License-Identifier: Apache-2.0
// BinReader: series reduced to bins, from raw points while there are few, else from the pyramid; and blocks of which only the summary is
// left. Internal to storage.
// Invariants:
// 1. The returned bins tile [x0, x1); every sample of the range is in exactly one.
// 2. An inner edge is never inside a pyramid block: it is moved to the next block that begins after the end of the block before it.
// 3. Blocks that overlap an end of the range are decoded from their chunks.
// 4. A decoded pyramid row is identified by id and checksum; the most recently used ones are cached, up to 64 MiB.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "storage/codec/sample_blocks.h"
#include "storage/read/decoded_cache.h"
#include "storage/read/point_reader.h"
#include "storage/read/reader_file.h"
#include "storage/reader.h"

namespace runglass {

class BinReader {
 public:
  BinReader(ReaderFile& file, PointReader& points) : m_file(file), m_points(points) {}

  // As in Reader.
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins, std::stop_token stop);
  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range);
  // The number of samples in the range that only summaries() cover.
  Result<std::int64_t> samplesSummarised(SeriesId series, TimeRange range);
  // The newest of the samples at or before x that such blocks summarise; see LatestSample::mean.
  Result<std::optional<FoundPoint>> newestSummarised(SeriesId id, std::int64_t x);

 private:
  Result<std::vector<Bin>> rawBins(SeriesId series, const SeriesIdentity& identity, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                   const std::stop_token& stop);
  Result<std::vector<Bin>> binsByTime(SeriesId id, const SeriesIdentity& identity, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                      const std::stop_token& stop);
  Status decodeRange(SeriesId id, XBounds bounds, const std::stop_token& stop, SeriesSnapshot& tail, RawPoints& out);
  Result<PyramidSegment> cutBlock(SeriesId id, XBounds bounds, const std::stop_token& stop, SeriesSnapshot& tail);
  // The file's pyramid rows; damaged ones are noted, left out, and named in `damage`.
  Status storedSegments(SeriesId id, std::vector<PyramidSegment>& out, std::string& damage);
  Status pyramidSegments(SeriesId id, SeriesSnapshot& tail, std::vector<PyramidSegment>& out);
  // bin_reader_summaries.cpp. Blocks that overlap the bounds, by x0. `chunks` are those of the bounds.
  Result<Pyramid> summariesAlone(SeriesId id, XBounds bounds, const std::vector<ChunkView>& chunks);
  Result<std::vector<Bin>> summarisedBins(SeriesId id, std::int64_t x0, std::int64_t x1, std::size_t bins, const std::stop_token& stop,
                                          SeriesSnapshot& tail);
  Result<Pyramid> summarisedBlocks(SeriesId id, XBounds bounds);

  ReaderFile& m_file;
  PointReader& m_points;
  sqlite::Statement m_pyramid_sql, m_pyramid_data_sql, m_block_sql;
  DecodedCache<PyramidSegment> m_pyramids{std::size_t{64} << 20};
};

}  // namespace runglass
