// SPDX-License-Identifier: Apache-2.0
// PictureReader: tracks reduced to what a screen shows. Internal to storage.
// Invariants:
// 1. A chunk is shown by its summary when each of its stretches in the range is one span or at most kBlur pixels wide; otherwise its spans
//    are decoded, as long as all such chunks of the picture hold at most kMaxExact spans.
// 2. Sealed chunks never change: their decoded form is cached by chunk id, the outline of a track until the file changes. Open ones are
//    decoded each time.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <unordered_map>

#include "storage/codec/span_summary.h"
#include "storage/read/decoded_cache.h"
#include "storage/read/reader_file.h"
#include "storage/read/span_reader.h"
#include "storage/reader.h"

namespace runglass {

class PictureReader {
 public:
  PictureReader(ReaderFile& file, SpanReader& spans) : m_file(file), m_spans(spans) {}

  // As in Reader.
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop);

 private:
  struct PictureChunk;
  struct PictureTrack;
  struct TrackOutline;
  struct OutlineRow {
    std::shared_ptr<const TrackOutline> outline;
    std::size_t size = 0;
    std::size_t bytes() const { return size; }
  };
  Status showStored(TrackId track, PictureChunk& chunk, std::string_view summary);
  // Empty for a damaged chunk, which is noted.
  Result<SpanShapes> shapesOf(TrackId track, const PictureChunk& chunk, const PendingSpans* pending);
  Result<std::shared_ptr<const TrackOutline>> outlineOf(TrackId track, TimeRange range, std::int64_t version);
  Status pictureChunks(PictureTrack& track, std::int64_t version, const std::optional<LiveTail::SpanSnapshot>& tail);
  Status pictureBars(const PictureTrack& track, const std::optional<LiveTail::SpanSnapshot>& tail, bool exact, DurNs pixel,
                     SpanPicture& out, std::unordered_map<std::int64_t, std::uint32_t>& names);

  ReaderFile& m_file;
  SpanReader& m_spans;
  sqlite::Statement m_picture_sql, m_outline_sql, m_summary_sql;
  DecodedCache<OutlineRow> m_outlines{std::size_t{64} << 20};
  SpanSummary m_summary;  // the last one decoded; reused to save allocations
  DecodedCache<SpanShapes> m_shapes{std::size_t{48} << 20};
};

}  // namespace runglass
