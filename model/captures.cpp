// SPDX-License-Identifier: Apache-2.0
#include "model/captures.h"

#include <algorithm>
#include <array>

namespace runglass {

std::string_view captureReasonName(CaptureReason reason) {
  static constexpr std::array<std::string_view, 3> kNames = {"by hand", "stall", "sigterm"};
  return kNames[static_cast<std::size_t>(reason)];
}

void boundCapture(Capture& capture, std::size_t most) {
  std::string& text = capture.text;
  if (text.size() > most) {
    std::size_t begin = text.size() - most;
    // If one line fills the whole limit, it is cut in the middle.
    if (const std::size_t line = text.find('\n', begin); line != std::string::npos && line + 1 < text.size()) begin = line + 1;
    capture.truncated_bytes += static_cast<std::int64_t>(begin);
    text.erase(0, begin);
  }
  std::ranges::replace(text, '\0', ' ');
  capture.bytes = static_cast<std::int64_t>(text.size());
}

}  // namespace runglass
