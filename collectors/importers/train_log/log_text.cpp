// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/log_text.h"

#include <algorithm>

#include "collectors/importers/train_log/pairs.h"
#include "model/topology.h"
#include "model/url_secrets.h"

namespace runglass::train_log {

std::string cleanText(std::string_view text, std::size_t most) { return validText(trimmed(text), most); }

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

std::string withoutSecrets(std::string_view text) {
  std::string out;
  bool hide_next = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    if (hide_next && !word.empty() && !word.starts_with("--")) {
      out += "***";
      hide_next = false;
    } else if (equals != std::string_view::npos && looksSecret(name)) {
      (out += name) += "=***";
    } else {
      out += word;
      if (!word.empty()) hide_next = word.starts_with("--") && looksSecret(name);
    }
    if (end < text.size()) out += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return withoutUrlSecrets(out);
}

}  // namespace runglass::train_log
