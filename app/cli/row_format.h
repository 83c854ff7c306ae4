// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of SQL as csv (RFC 4180 quoting, header row, "\n"), json (an array of objects) or an aligned table, while they stream.
//
// Threading:  one thread.
// Ownership:  borrows the Output.
// Units:      doubles print shortest round-trip; NULL is empty in csv, null in json, "-" in a table; NaN and Inf are strings in json.
// Errors:     see Output.
// Cost:       csv and json hold one row; a table holds its first 500 rows to determine its widths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "storage/reader.h"

namespace runglass::ctl {

class RowFormat {
 public:
  virtual ~RowFormat() = default;
  virtual void columns(const std::vector<std::string>& names) = 0;
  virtual void row(const std::vector<SqlValue>& row) = 0;
  virtual void end() = 0;
};

// `format` is "csv", "json", "table" or, for spreadsheets, "sheet": csv in which no text is a formula; texts that would be one are prefixed
// with an apostrophe.
std::unique_ptr<RowFormat> makeRowFormat(const std::string& format, Output& out);

// Runs `sql` and prints it; the caller finishes `out`. Spooled output of a query that fails is not printed.
Status printQuery(Reader& reader, const std::string& sql, const std::string& format, Output& out);

}  // namespace runglass::ctl
