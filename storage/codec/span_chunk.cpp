// SPDX-License-Identifier: Apache-2.0
// Blob = version byte | varint mask | numbers part | [arguments part]. Mask bit i: optional column i is there; bit 7: arguments are.
// Part = varint size (bit 0: zstd) | [varint stored size, when zstd] | bytes.
// Numbers: per column blocks of 256 (start continues from the block before). Arguments: varint length each, then all texts.
#include "storage/codec/span_chunk.h"

#include <algorithm>

#include "storage/codec/zstd_frame.h"

namespace runglass {
namespace {

constexpr std::uint8_t kSpanChunkVersion = 1;
constexpr std::uint64_t kArgsBit = 1U << SpanChunk::kOptional;
constexpr std::size_t kMaxArgsBytes = std::size_t{64} << 20;

void encodeColumn(const std::vector<std::int64_t>& column, std::string& body) {
  std::uint8_t buffer[kMaxIntBlockBytes];
  IntColumnState state;
  for (std::size_t at = 0; at < column.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, column.size() - at);
    const std::uint8_t* end = encodeIntBlock(column.data() + at, n, state, false, buffer);
    body.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(end - buffer));
  }
}

bool decodeColumn(ByteReader& in, std::size_t n, std::vector<std::int64_t>& column) {
  column.resize(n);
  IntColumnState state;
  for (std::size_t at = 0; at < n; at += kBlockPoints) {
    if (!decodeIntBlock(in, std::min(kBlockPoints, n - at), state, column.data() + at)) return false;
  }
  return true;
}

void appendPart(std::string& blob, const std::string& bytes) {
  std::string frame;
  const bool packed = zstdPack(bytes, bytes.size() - bytes.size() / 16, frame);
  appendVarint(blob, (static_cast<std::uint64_t>(bytes.size()) << 1) | (packed ? 1 : 0));
  if (packed) appendVarint(blob, frame.size());
  blob.append(packed ? frame : bytes);
}

bool takePart(ByteReader& in, std::size_t limit, std::string& unpacked, std::string_view& part) {
  const std::uint64_t head = in.varint();
  const std::uint64_t size = head >> 1;
  if (!in.ok() || size > limit) return false;
  if ((head & 1) == 0) {
    part = in.take(size);
    return in.ok();
  }
  const std::string_view frame = in.take(in.varint());
  if (!in.ok() || !zstdUnpack(frame, size, unpacked)) return false;
  part = unpacked;
  return true;
}

bool decodeArgs(std::string_view part, std::size_t n, TextColumn& args) {
  ByteReader r(part);
  std::vector<std::uint64_t> length(n);
  for (auto& l : length) l = r.varint();
  for (std::size_t i = 0; i < n && r.ok(); ++i) args.push_back(r.take(length[i]));
  return r.atEnd();
}

}  // namespace

void SpanChunk::clear() {
  for (auto* column : {&start, &dur, &name, &category, &depth}) column->clear();
  for (auto& column : optional) column.clear();
  args.clear();
}

std::string encodeSpanChunk(const SpanChunk& chunk) {
  std::string blob(1, static_cast<char>(kSpanChunkVersion));
  std::uint64_t mask = chunk.args.empty() ? 0 : kArgsBit;
  for (std::size_t i = 0; i < SpanChunk::kOptional; ++i) mask |= chunk.optional[i].empty() ? 0 : std::uint64_t{1} << i;
  appendVarint(blob, mask);
  std::string body;
  for (const auto* column : {&chunk.start, &chunk.dur, &chunk.name, &chunk.category, &chunk.depth}) encodeColumn(*column, body);
  for (const auto& column : chunk.optional) encodeColumn(column, body);
  appendPart(blob, body);
  if (!chunk.args.empty()) {
    body.clear();
    for (std::size_t i = 0; i < chunk.args.size(); ++i) appendVarint(body, chunk.args[i].size());
    body.append(chunk.args.text());
    appendPart(blob, body);
  }
  return blob;
}

bool decodeSpanChunk(std::string_view blob, std::size_t n, SpanChunk& out, SpanParts parts) {
  ByteReader in(blob);
  const std::uint8_t version = in.byte();
  const std::uint64_t mask = in.varint();
  if (!in.ok() || version != kSpanChunkVersion || n == 0 || n > kSpanChunkSpans || mask >= kArgsBit * 2) return false;
  const std::size_t columns = 5 + SpanChunk::kOptional;
  const std::size_t limit = columns * ((n + kBlockPoints - 1) / kBlockPoints) * kMaxIntBlockBytes;
  std::string unpacked;
  std::string_view part;
  if (!takePart(in, limit, unpacked, part)) return false;
  ByteReader r(part);
  for (auto* column : {&out.start, &out.dur, &out.name, &out.category}) {
    if (!decodeColumn(r, n, *column)) return false;
  }
  if (parts == SpanParts::kShape) return true;
  if (!decodeColumn(r, n, out.depth)) return false;
  for (std::size_t i = 0; i < SpanChunk::kOptional; ++i) {
    out.optional[i].clear();
    if ((mask >> i & 1) != 0 && !decodeColumn(r, n, out.optional[i])) return false;
  }
  if (!r.atEnd()) return false;
  out.args.clear();
  if ((mask & kArgsBit) != 0 && (!takePart(in, kMaxArgsBytes, unpacked, part) || !decodeArgs(part, n, out.args))) return false;
  return in.atEnd();
}

}  // namespace runglass
