// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/log_text.h"

#include <algorithm>

#include "collectors/importers/train_log/pairs.h"
#include "collectors/text/display_name.h"
#include "model/topology.h"
#include "model/url_secrets.h"

namespace runglass::train_log {

std::string cleanText(std::string_view text, std::size_t most) { return validText(trimmed(text), most); }

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
