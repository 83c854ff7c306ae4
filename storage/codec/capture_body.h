// SPDX-License-Identifier: Apache-2.0
// A capture's text as rg_capture holds it. Internal to storage.
//
// Threading:  any thread.
// Units:      bytes; the checksum covers the body as stored and the text's size.
// Errors:     captureText(): absent for a body that differs from the stored one.
// Cost:       zstd level 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass {

struct CaptureBody {
  std::string bytes;
  bool packed = false;
};
CaptureBody captureBody(std::string_view text);
std::uint32_t captureChecksum(std::string_view body, bool packed, std::int64_t text_bytes);
std::optional<std::string> captureText(std::string_view body, bool packed, std::int64_t text_bytes);

}  // namespace runglass
