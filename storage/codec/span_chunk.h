// SPDX-License-Identifier: Apache-2.0
// Up to 4,096 spans of a track's lane as one blob: each column as integer blocks, the arguments as raw JSON text, zstd over each part.
//
// Threading:  pure functions and plain values.
// Ownership:  values own their bytes.
// Units:      TimeNs, DurNs; names are ids of interned strings; spans stay in order of arrival (span_id = first id + position).
// Errors:     decode returns false on bytes that no encoder wrote; `n` bounds every allocation, arguments are bounded by 64 MiB.
// Cost:       about 20 ns a span either way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/spans.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/text_column.h"

namespace runglass {

inline constexpr std::size_t kSpanChunkSpans = 4096;

struct SpanChunk {
  std::vector<std::int64_t> start, dur, name, category, depth;
  // step, microbatch, group, seq, bytes, correlation, external_id; each empty (all absent) or as long as start.
  static constexpr std::size_t kOptional = 7;
  std::vector<std::int64_t> optional[kOptional];
  TextColumn args;  // empty or as long as start
  std::size_t size() const { return start.size(); }
  void clear();  // keeps the room
};

std::string encodeSpanChunk(const SpanChunk& chunk);
// `kShape`: only start, dur, name and category.
enum class SpanParts : std::uint8_t { kAll, kShape };
bool decodeSpanChunk(std::string_view blob, std::size_t n, SpanChunk& out, SpanParts parts = SpanParts::kAll);

}  // namespace runglass
