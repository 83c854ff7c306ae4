// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "analysis/report/report_writers.h"

namespace runglass::report {
namespace {

// Numbers are written as numbers, including negative ones.
std::string csvCell(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell.value)) {
    if (std::isnan(*number)) return "NaN";
    if (std::isinf(*number)) return *number > 0 ? "Inf" : "-Inf";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, *number).ptr;
    return {text, end};
  }
  if (const auto* text = std::get_if<std::string>(&cell.value)) return csvText(*text);
  return {};
}

}  // namespace

std::string tableCsv(const Table& table) {
  std::string out;
  const auto line = [&](std::size_t count, auto field) {
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + field(i);
    out += "\r\n";
  };
  line(table.columns.size(), [&](std::size_t i) { return csvText(table.columns[i].key); });
  for (const auto& row : table.rows) line(row.size(), [&](std::size_t i) { return csvCell(row[i]); });
  return out;
}

}  // namespace runglass::report
