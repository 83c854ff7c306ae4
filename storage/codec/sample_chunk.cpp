// SPDX-License-Identifier: Apache-2.0
// Blob = codec byte | [varint body size, when packed] | body. Codec: bits 0..3 version (1), bit 4 has time, bit 7 packed by zstd.
// Body = blocks of 256 points (the last may be shorter): x (int block after the previous x; the first after x0), [time], value.
#include "storage/codec/sample_chunk.h"

#include <algorithm>

#include "model/crc32c.h"
#include "storage/codec/zstd_frame.h"

namespace runglass {
namespace {

constexpr std::uint8_t kSampleChunkVersion = 1, kHasTime = 0x10, kPacked = 0x80;
constexpr std::size_t kMaxBlockBytes = 2 * kMaxIntBlockBytes + kMaxValueBlockBytes;

// A string that doubles wastes a third on average: too much where there are so many chunks that their blocks are short.
void makeRoom(std::string& bytes, std::size_t more) {
  if (bytes.size() + more <= bytes.capacity()) return;
  std::string grown;
  grown.reserve(bytes.size() + bytes.size() / 8 + more);
  bytes = std::move(grown.append(bytes));
}

}  // namespace

void SampleBody::append(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n, MappedValues& mapped) {
  alignas(64) std::uint8_t buffer[kMaxBlockBytes];  // a buffer that is not cache-line aligned makes packing a tenth slower
  if (m_points == 0) m_first_x = m_x.last = x[0];
  std::uint8_t* end = encodeIntBlock(x, n, m_x, true, buffer);
  if (time != nullptr) end = encodeIntBlock(time, n, m_time, true, end);
  mapValues(value, n, m_exponent_hint, mapped);
  end = encodeValueBlock(mapped, n, m_value, end);
  const auto more = static_cast<std::size_t>(end - buffer);
  if (n < kBlockPoints) makeRoom(m_bytes, more);
  m_bytes.append(reinterpret_cast<const char*>(buffer), more);
  m_points += n;
}

void SampleBody::clear() {
  std::string().swap(m_bytes);  // assigning an empty string would keep the capacity
  *this = SampleBody();
}

std::string sealSampleChunk(std::string_view body, bool has_time, bool try_zstd, bool* zstd_paid) {
  std::string blob(1, static_cast<char>(has_time ? kSampleChunkVersion | kHasTime : kSampleChunkVersion));
  std::string frame;
  const bool packed = try_zstd && zstdPack(body, body.size() - body.size() / 16, frame);
  if (zstd_paid != nullptr) *zstd_paid = packed;
  if (!packed) return blob.append(body);
  blob[0] = static_cast<char>(static_cast<std::uint8_t>(blob[0]) | kPacked);
  appendVarint(blob, body.size());
  return blob.append(frame);
}

bool sampleChunkHasTime(std::string_view blob) { return !blob.empty() && (static_cast<std::uint8_t>(blob[0]) & kHasTime) != 0; }

namespace {

// Finds the body of a blob: a view into the blob, or into `unpacked` where zstd was used.
bool bodyOf(std::string_view blob, std::size_t n, std::string& unpacked, std::string_view& body) {
  ByteReader in(blob);
  const std::uint8_t codec = in.byte();
  if (!in.ok() || (codec & 0x6f) != kSampleChunkVersion || n == 0 || n > kChunkPoints) return false;
  if ((codec & kPacked) == 0) {
    body = in.take(in.left());
    return true;
  }
  const std::uint64_t size = in.varint();
  if (!in.ok() || size > kMaxBlockBytes * ((n + kBlockPoints - 1) / kBlockPoints)) return false;
  if (!zstdUnpack(in.take(in.left()), size, unpacked)) return false;
  body = unpacked;
  return true;
}

}  // namespace

bool sampleChunkBody(std::string_view blob, std::size_t n, std::string& body) {
  std::string_view found;
  if (!bodyOf(blob, n, body, found)) return false;
  if (found.data() != body.data()) body = found;
  return true;
}

bool decodeSampleChunk(std::string_view blob, std::size_t n, std::int64_t x0, std::int64_t* x, std::int64_t* time, double* value) {
  std::string unpacked;
  std::string_view body;
  if (!bodyOf(blob, n, unpacked, body)) return false;
  return decodeSampleBody(body, sampleChunkHasTime(blob), n, kBlockPoints, x0, x, time, value);
}

bool decodeSampleBody(std::string_view body, bool has_time, std::size_t n, std::size_t block, std::int64_t x0, std::int64_t* x,
                      std::int64_t* time, double* value) {
  ByteReader r(body);
  IntColumnState x_state{x0, 0}, time_state;
  ValueColumnState value_state;
  std::int64_t unwanted[kBlockPoints];
  for (std::size_t at = 0; at < n; at += block) {
    const std::size_t m = std::min(block, n - at);
    if (!decodeIntBlock(r, m, x_state, x + at)) return false;
    if (has_time && !decodeIntBlock(r, m, time_state, time == nullptr ? unwanted : time + at)) return false;
    if (!decodeValueBlock(r, m, value_state, value + at)) return false;
  }
  return r.atEnd();
}

std::uint32_t chunkChecksum(std::uint64_t owner, std::int64_t x0, std::int64_t x1, std::uint64_t n, std::string_view blob) {
  const std::int64_t head[4] = {static_cast<std::int64_t>(owner), x0, x1, static_cast<std::int64_t>(n)};
  return crc32c(blob, crc32c(std::string_view(reinterpret_cast<const char*>(head), sizeof head)));
}

}  // namespace runglass
