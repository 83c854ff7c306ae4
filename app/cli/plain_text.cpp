// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plain_text.h"

#include <cmath>
#include <cstdio>

#include "app/cli/output.h"

namespace runglass::ctl {

std::string countText(std::int64_t count) {
  std::string text = std::to_string(count);
  const auto first = static_cast<std::ptrdiff_t>(count < 0 ? 1 : 0);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3) text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string shortText(double value) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (std::fabs(value) >= 1000 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  char text[40];
  std::snprintf(text, sizeof text, "%.3g%s", value, kUnits[unit]);
  return text;
}

std::string bytesText(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  char text[40];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string fitted(const std::string& text, std::size_t width) {
  std::string line = oneLine(text);
  if (line.size() <= width) return line;
  std::size_t end = width > 3 ? width - 3 : width;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;
  return line.substr(0, end) + (width > 3 ? "..." : "");
}

}  // namespace runglass::ctl
