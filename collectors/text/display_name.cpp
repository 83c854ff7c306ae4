// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/display_name.h"

namespace runglass {

std::string validText(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < text.size() && out.size() < most;) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t want = c < 0x80 ? 1 : (c >= 0xC2 && c < 0xE0) ? 2 : (c >= 0xE0 && c < 0xF0) ? 3 : (c >= 0xF0 && c < 0xF5) ? 4 : 0;
    bool good = want != 0 && i + want <= text.size();
    for (std::size_t k = 1; good && k < want; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    if (good && c == 0xE0) good = static_cast<unsigned char>(text[i + 1]) >= 0xA0;
    if (good && c == 0xED) good = static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (good && c == 0xF0) good = static_cast<unsigned char>(text[i + 1]) >= 0x90;
    if (good && c == 0xF4) good = static_cast<unsigned char>(text[i + 1]) < 0x90;
    if (!good) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else if (want == 1) {
      out += c < 0x20 || c == 0x7F ? ' ' : text[i];
      ++i;
    } else {
      out.append(text.substr(i, want));
      i += want;
    }
  }
  return out;
}

std::string printable(std::string_view name) {
  const auto byte = [&](std::size_t i) { return i < name.size() ? static_cast<unsigned char>(name[i]) : 0U; };
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    // C1 controls are C2 80..9F; U+202A..202E and U+2066..2069 are E2 80 AA..AE and E2 81 A6..A9 in UTF-8.
    const bool control = byte(i) < 0x20 || byte(i) == 0x7F;
    const bool c1 = byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0;
    const bool turns = byte(i) == 0xE2 && ((byte(i + 1) == 0x80 && byte(i + 2) >= 0xAA && byte(i + 2) <= 0xAE) ||
                                           (byte(i + 1) == 0x81 && byte(i + 2) >= 0xA6 && byte(i + 2) <= 0xA9));
    if (control || c1 || turns)
      out += '_';
    else
      out += name[i];
    i += turns ? 3 : c1 ? 2 : 1;
  }
  return validText(out, std::string::npos);
}

std::string displayName(std::string_view name) {
  constexpr std::size_t kMaxBytes = 256;
  std::string out = printable(name);
  if (out.size() > kMaxBytes) {
    out.resize(kMaxBytes);
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
  }
  return out;
}

}  // namespace runglass
