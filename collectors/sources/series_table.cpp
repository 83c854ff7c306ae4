// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/series_table.h"

#include <cstdio>

namespace runglass {

std::string oneLabel(std::string_view key, std::string_view value) {
  std::string json = "{\"" + std::string(key) + "\":\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      json += escaped;
    } else {
      json += c;
    }
  }
  return json += "\"}";
}

}  // namespace runglass
