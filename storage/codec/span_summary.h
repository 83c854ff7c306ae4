// SPDX-License-Identifier: Apache-2.0
// A chunk of spans at low zoom: up to 48 stretches, each with its busy time per category, count and longest span. A stretch ends after 128
// spans and at each of the chunk's widest gaps, so that idle time stays empty on screen.
//
// Ownership:  SpanSummary owns its columns.
// Units:      TimeNs, DurNs; t1 is exclusive, and the highest int64 while a span is open.
// Errors:     decode returns false on bytes that no encoder wrote (they contain a checksum) and where the count differs from `n` spans.
// Cost:       about 15 ns per span to build, 10 ns per stretch and column to decode.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec/span_chunk.h"

namespace runglass {

struct SpanSummary {
  std::vector<std::int64_t> t0, t1, count, longest, longest_name, longest_category;
  std::array<std::vector<std::int64_t>, kSpanCategoryCount> busy;  // sums of durations; empty: no span of that category
  std::size_t size() const { return t0.size(); }
  std::size_t bytes() const;
};

// The exclusive end; the highest int64 for open spans and for ends beyond that. A span of zero length ends 1 ns after its start.
inline TimeNs spanEnd(TimeNs start, DurNs dur) {
  constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
  TimeNs end = 0;
  return dur == kAbsent || __builtin_add_overflow(start, dur < 1 ? 1 : dur, &end) ? kHighest : end;
}

SpanSummary summarise(const SpanChunk& chunk);
std::string encodeSpanSummary(const SpanSummary& summary);
bool decodeSpanSummary(std::string_view blob, std::size_t n, SpanSummary& out);

}  // namespace runglass
