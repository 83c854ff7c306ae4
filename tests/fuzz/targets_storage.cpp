// SPDX-License-Identifier: Apache-2.0
// Decoders of a store's content: a damaged or hostile file must never do harm.
#include <algorithm>
#include <string_view>
#include <vector>

#include "storage/codec/pyramid.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/span_chunk.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

// The first two bytes are the number of points that the row claims to hold.
std::size_t claimed(const std::uint8_t*& data, std::size_t& size) {
  if (size < 2) return 0;
  const std::size_t n = (static_cast<std::size_t>(data[0]) << 8 | data[1]) % 4097;
  data += 2;
  size -= 2;
  return n;
}
std::string_view text(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

RG_FUZZ(sample_chunk) {
  const std::size_t n = claimed(data, size);
  std::vector<std::int64_t> x(n), time(n);
  std::vector<double> value(n);
  const std::string_view blob = text(data, size);
  (void)decodeSampleChunk(blob, n, 0, x.data(), sampleChunkHasTime(blob) ? time.data() : nullptr, value.data());
}

RG_FUZZ(span_chunk) {
  const std::size_t n = claimed(data, size);
  SpanChunk chunk;
  (void)decodeSpanChunk(text(data, size), n, chunk);
}

RG_FUZZ(pyramid) {
  Pyramid pyramid;
  (void)decodePyramid(text(data, size), pyramid);
}

}  // namespace
