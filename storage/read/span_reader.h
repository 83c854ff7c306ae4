// SPDX-License-Identifier: Apache-2.0
// SpanReader: spans of tracks, from the file's chunks and the tail, in start order. Internal to storage.
// Invariants:
// 1. A chunk whose checksum or content is wrong is left out and named.
// 2. The text of an id never changes, so each is read once. The cached extents of runs are of one version of the file.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "storage/codec/span_chunk.h"
#include "storage/read/reader_file.h"
#include "storage/reader.h"

namespace runglass {

class SpanReader {
 public:
  explicit SpanReader(ReaderFile& file) : m_file(file) {}

  // As in Reader.
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop);
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range);
  Result<std::optional<TimeRange>> spanExtent(RunId run);

  Result<const ClockMap*> clockOf(TrackId track);  // null: its times need no correction
  Result<std::string> text(std::int64_t id);       // an interned text
  // A chunk of the file. False for a damaged one, which is noted.
  Result<bool> chunk(TrackId track, std::int64_t chunk_id, SpanChunk& out, SpanParts parts = SpanParts::kShape);

 private:
  ReaderFile& m_file;
  sqlite::Statement m_spans_sql, m_span_chunk_sql, m_piece_sql, m_text_sql;
  std::unordered_map<std::int64_t, std::string> m_texts;
  std::unordered_map<std::uint64_t, std::optional<TimeRange>> m_span_extents;  // by run, as of m_extents_version
  std::optional<std::int64_t> m_extents_version;
};

}  // namespace runglass
