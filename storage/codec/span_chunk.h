// SPDX-License-Identifier: Apache-2.0
// Up to 4,096 spans of one lane of a track as one blob: each column as integer blocks, the arguments as raw JSON text, zstd over each part.
//
// Threading:  pure functions.
// Ownership:  values own their bytes.
// Units:      TimeNs, DurNs; names are ids of interned strings; spans stay in order of arrival (span_id = first id + position).
// Errors:     decode returns false for bytes that no encoder wrote; `n` bounds every allocation, and arguments are limited to 64 MiB.
// Cost:       about 20 ns per span for either direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/spans.h"
#include "storage/codec/sample_chunk.h"

namespace runglass {

// Many short texts in one buffer, in order of arrival: 8 bytes per text and no allocation of its own; clear() keeps the capacity.
class TextColumn {
 public:
  void push_back(std::string_view text) {
    m_text.append(text);
    m_ends.push_back(m_text.size());
  }
  void resize(std::size_t n) {  // with empty texts, to at least n
    if (n > size()) m_ends.resize(n, m_text.size());
  }
  void clear() { m_text.clear(), m_ends.clear(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : m_ends[i - 1];
    return std::string_view(m_text).substr(begin, m_ends[i] - begin);
  }
  std::size_t size() const { return m_ends.size(); }
  bool empty() const { return m_ends.empty(); }
  const std::string& text() const { return m_text; }  // all texts, concatenated
  friend bool operator==(const TextColumn&, const TextColumn&) = default;

 private:
  std::string m_text;
  std::vector<std::size_t> m_ends;
};

inline constexpr std::size_t kSpanChunkSpans = 4096;

struct SpanChunk {
  std::vector<std::int64_t> start, dur, name, category, depth;
  // step, microbatch, group, seq, bytes, correlation, external_id; each empty (all absent) or as long as start.
  static constexpr std::size_t kOptional = 7;
  std::vector<std::int64_t> optional[kOptional];
  TextColumn args;  // empty or as long as start
  std::size_t size() const { return start.size(); }
  void clear();  // keeps the capacity
};

std::string encodeSpanChunk(const SpanChunk& chunk);
// `kShape`: only start, dur, name and category.
enum class SpanParts : std::uint8_t { kAll, kShape };
bool decodeSpanChunk(std::string_view blob, std::size_t n, SpanChunk& out, SpanParts parts = SpanParts::kAll);

}  // namespace runglass
