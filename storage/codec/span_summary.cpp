// SPDX-License-Identifier: Apache-2.0
// Blob = version byte | varint stretches | varint mask of categories | columns as int blocks: t0, t1 - t0, count, longest, longest_name,
// longest_category, then busy time of each category in the mask | CRC32C of all before it. Extents are stored with wrap-around.
#include "storage/codec/span_summary.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "model/crc32c.h"
#include "storage/codec/int_column.h"

namespace runglass {
namespace {

constexpr std::uint8_t kSummaryVersion = 1;
constexpr std::size_t kMaxSpans = 128, kGaps = 16;
constexpr std::size_t kMaxStretches = kSpanChunkSpans / kMaxSpans + kGaps;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

void append(const std::vector<std::int64_t>& column, std::string& out) {
  static_assert(kMaxStretches <= kBlockPoints);
  std::uint8_t buffer[kMaxIntBlockBytes];
  IntColumnState state;
  const std::uint8_t* end = encodeIntBlock(column.data(), column.size(), state, false, buffer);
  out.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(end - buffer));
}

bool take(ByteReader& in, std::size_t n, std::vector<std::int64_t>& column) {
  column.resize(n);
  IntColumnState state;
  return decodeIntBlock(in, n, state, column.data());
}

std::size_t categoryOf(std::int64_t category) {
  constexpr auto kOther = static_cast<std::size_t>(SpanCategory::kOther);
  return category >= 0 && category < kSpanCategoryCount ? static_cast<std::size_t>(category) : kOther;
}

// Positions in start order; empty when the chunk is in that order already.
std::vector<std::uint32_t> startOrder(const SpanChunk& chunk) {
  std::vector<std::uint32_t> order;
  if (std::ranges::is_sorted(chunk.start)) return order;
  order.resize(chunk.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return chunk.start[a] < chunk.start[b]; });
  return order;
}

// The minimum width of a gap that ends a stretch: the (kGaps + 1)-th widest.
std::int64_t widestGap(const SpanChunk& chunk, const std::vector<std::uint32_t>& order) {
  std::vector<std::int64_t> gaps;
  gaps.reserve(chunk.size());
  TimeNs end = std::numeric_limits<TimeNs>::min();
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const std::size_t at = order.empty() ? i : order[i];
    if (i > 0 && chunk.start[at] > end) gaps.push_back(chunk.start[at] - end);
    end = std::max(end, spanEnd(chunk.start[at], chunk.dur[at]));
  }
  if (gaps.size() <= kGaps) return 0;
  std::ranges::nth_element(gaps, gaps.begin() + kGaps, std::greater<>());
  return gaps[kGaps];
}

void begin(SpanSummary& out, TimeNs start) {
  out.t0.push_back(start), out.t1.push_back(start), out.count.push_back(0);
  out.longest.push_back(-1), out.longest_name.push_back(0), out.longest_category.push_back(0);
  for (auto& busy : out.busy)
    if (!busy.empty()) busy.push_back(0);
}

void add(SpanSummary& out, TimeNs start, DurNs dur, std::int64_t name, std::size_t category) {
  const TimeNs end = spanEnd(start, dur);
  const DurNs length = dur == kAbsent ? kHighest : std::max<DurNs>(dur, 0);
  out.t1.back() = std::max(out.t1.back(), end);
  ++out.count.back();
  if (length > out.longest.back())
    out.longest.back() = length, out.longest_name.back() = name, out.longest_category.back() = static_cast<std::int64_t>(category);
  auto& busy = out.busy[category];
  busy.resize(out.size(), 0);
  if (__builtin_add_overflow(busy.back(), length, &busy.back())) busy.back() = kHighest;
}

}  // namespace

std::size_t SpanSummary::bytes() const {
  std::size_t columns = 6;
  for (const auto& column : busy) columns += column.empty() ? 0 : 1;
  return sizeof(SpanSummary) + columns * size() * 8;
}

SpanSummary summarise(const SpanChunk& chunk) {
  SpanSummary out;
  const auto order = startOrder(chunk);
  const std::int64_t widest = widestGap(chunk, order);
  std::size_t cuts = 0;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const std::size_t at = order.empty() ? i : order[i];
    const TimeNs start = chunk.start[at];
    bool fresh = i % kMaxSpans == 0;
    // No gap follows an open span.
    if (!fresh && cuts < kGaps && start > out.t1.back() && start - out.t1.back() > widest) fresh = true, ++cuts;
    if (fresh) begin(out, start);
    add(out, start, chunk.dur[at], chunk.name[at], categoryOf(chunk.category[at]));
  }
  for (auto& busy : out.busy)
    if (!busy.empty()) busy.resize(out.size(), 0);
  return out;
}

std::string encodeSpanSummary(const SpanSummary& summary) {
  std::string blob(1, static_cast<char>(kSummaryVersion));
  appendVarint(blob, summary.size());
  std::uint64_t mask = 0;
  for (std::size_t c = 0; c < summary.busy.size(); ++c) mask |= summary.busy[c].empty() ? 0 : std::uint64_t{1} << c;
  appendVarint(blob, mask);
  std::vector<std::int64_t> extent(summary.size());
  for (std::size_t i = 0; i < extent.size(); ++i)
    extent[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(summary.t1[i]) - static_cast<std::uint64_t>(summary.t0[i]));
  for (const auto* column : {&summary.t0, static_cast<const std::vector<std::int64_t>*>(&extent), &summary.count, &summary.longest,
                             &summary.longest_name, &summary.longest_category})
    append(*column, blob);
  for (const auto& busy : summary.busy)
    if (!busy.empty()) append(busy, blob);
  const std::uint32_t crc = crc32c(blob);
  blob.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return blob;
}

bool decodeSpanSummary(std::string_view blob, std::size_t n, SpanSummary& out) {
  std::uint32_t crc = 0;
  if (blob.size() < sizeof crc) return false;
  std::memcpy(&crc, blob.data() + blob.size() - sizeof crc, sizeof crc);
  blob.remove_suffix(sizeof crc);
  if (crc32c(blob) != crc) return false;
  ByteReader in(blob);
  const std::uint8_t version = in.byte();
  const std::uint64_t stretches = in.varint(), mask = in.varint();
  if (!in.ok() || version != kSummaryVersion || stretches == 0 || stretches > kMaxStretches || mask >> kSpanCategoryCount != 0)
    return false;
  for (auto* column : {&out.t0, &out.t1, &out.count, &out.longest, &out.longest_name, &out.longest_category})
    if (!take(in, stretches, *column)) return false;
  for (std::size_t i = 0; i < stretches; ++i)
    out.t1[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.t0[i]) + static_cast<std::uint64_t>(out.t1[i]));
  for (std::size_t c = 0; c < out.busy.size(); ++c) {
    out.busy[c].clear();
    if ((mask >> c & 1) != 0 && !take(in, stretches, out.busy[c])) return false;
  }
  std::int64_t total = 0;
  for (std::size_t i = 0; i < stretches; ++i) {
    if (out.count[i] < 1 || out.count[i] > static_cast<std::int64_t>(kSpanChunkSpans) || out.t1[i] < out.t0[i]) return false;
    total += out.count[i];
  }
  return in.atEnd() && total == static_cast<std::int64_t>(n);
}

}  // namespace runglass
