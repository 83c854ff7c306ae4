// SPDX-License-Identifier: Apache-2.0
// The answer of an SQL query as lines of text.
//
// Threading:  one thread.
// Errors:     the message of a failure is the last line.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "storage/reader.h"

namespace runglass {

inline std::string printSql(const SqlValue& value) {
  struct {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      std::ostringstream out;
      out << number;
      return out.str();
    }
    std::string operator()(const std::string& text) const { return text; }
  } printer;
  return std::visit(printer, value);
}

// Rows as "a|b|c".
inline Reader::SqlSink sinkInto(std::vector<std::string>& lines) {
  Reader::SqlSink sink;
  sink.row = [&lines](const std::vector<SqlValue>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i ? "|" : "") + printSql(row[i]);
    lines.push_back(line);
    return true;
  };
  return sink;
}

inline std::vector<std::string> sqlRows(Reader& reader, std::string_view sql) {
  std::vector<std::string> lines;
  const Status status = reader.query(sql, sinkInto(lines));
  if (!status.ok()) lines.push_back(status.message());
  return lines;
}

}  // namespace runglass
