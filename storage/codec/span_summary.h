// SPDX-License-Identifier: Apache-2.0
// What a chunk of spans looks like from afar: up to 48 stretches, each with its busy time per category, count and longest span.
// Stretches end after 128 spans and at the chunk's widest gaps, so that what is empty on screen stays empty.
//
// Threading:  pure functions and plain values.
// Ownership:  SpanSummary owns its columns.
// Units:      TimeNs, DurNs; t1 is exclusive and the highest int64 while a span is open.
// Errors:     decode returns false on bytes that no encoder wrote (their checksum is inside) or that count other than `n` spans.
// Cost:       about 15 ns a span to make; decoding about 10 ns a stretch and column.
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
  std::array<std::vector<std::int64_t>, kSpanCategoryCount> busy;  // sums of durations; empty: the chunk has no span of it
  std::size_t size() const { return t0.size(); }
  std::size_t bytes() const;
};

// The exclusive end; the highest int64 for open spans and those that end beyond it. A span of no length ends 1 ns after its start.
inline TimeNs spanEnd(TimeNs start, DurNs dur) {
  constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
  TimeNs end = 0;
  return dur == kAbsent || __builtin_add_overflow(start, dur < 1 ? 1 : dur, &end) ? kHighest : end;
}

SpanSummary summarise(const SpanChunk& chunk);
std::string encodeSpanSummary(const SpanSummary& summary);
bool decodeSpanSummary(std::string_view blob, std::size_t n, SpanSummary& out);

}  // namespace runglass
