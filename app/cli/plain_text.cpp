// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plain_text.h"

#include <cmath>
#include <cstdio>

#include "app/cli/output.h"

namespace runglass::ctl {

std::string fitted(const std::string& text, std::size_t width) {
  std::string line = oneLine(text);
  if (line.size() <= width) return line;
  std::size_t end = width > 3 ? width - 3 : width;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;
  return line.substr(0, end) + (width > 3 ? "..." : "");
}

}  // namespace runglass::ctl
