// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/line_splitter.h"

namespace runglass::train_log {

void stripAnsi(std::string_view line, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] != '\x1b') {
      const std::size_t next = std::min(line.find('\x1b', i), line.size());
      out.append(line.substr(i, next - i));
      i = next;
      continue;
    }
    if (++i == line.size()) break;
    if (line[i] == '[') {  // CSI: parameters and intermediates 0x20..0x3F, one final byte 0x40..0x7E
      ++i;
      while (i < line.size() && line[i] >= 0x20 && line[i] <= 0x3F) ++i;
      i += i < line.size() && line[i] >= 0x40 && line[i] <= 0x7E ? 1 : 0;
    } else if (line[i] == ']') {  // OSC: up to BEL or ESC backslash
      while (i < line.size() && line[i] != '\a' && line[i] != '\x1b') ++i;
      i += i < line.size() && line[i] == '\a' ? 1 : 0;
    } else {
      ++i;
    }
  }
}

}  // namespace runglass::train_log
