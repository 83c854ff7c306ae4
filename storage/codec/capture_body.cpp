// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/capture_body.h"

#include "model/captures.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/zstd_frame.h"

namespace runglass {

CaptureBody captureBody(std::string_view text) {
  CaptureBody body;
  body.packed = zstdPack(text, text.size(), body.bytes);
  if (!body.packed) body.bytes = text;
  return body;
}

std::uint32_t captureChecksum(std::string_view body, bool packed, std::int64_t text_bytes) {
  return chunkChecksum(packed ? 1 : 0, 0, 0, static_cast<std::uint64_t>(text_bytes), body);
}

std::optional<std::string> captureText(std::string_view body, bool packed, std::int64_t text_bytes) {
  // The file is not trusted: its stated size is checked against the limit before memory is allocated.
  if (text_bytes < 0 || text_bytes > static_cast<std::int64_t>(kMaxCaptureBytes)) return std::nullopt;
  const auto size = static_cast<std::size_t>(text_bytes);
  if (!packed) return body.size() == size ? std::optional(std::string(body)) : std::nullopt;
  std::string text;
  return zstdUnpack(body, size, text) ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace runglass
