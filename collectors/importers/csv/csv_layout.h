// SPDX-License-Identifier: Apache-2.0
// CsvLayout: the meaning of a CSV file's columns, from a TOML file (format: docs/formats/import_csv.md).
//
// Threading:  immutable.
// Ownership:  owns its texts.
// Units:      names of findUnit(); values are converted to base units.
// Errors:     loadLayouts: INVALID_ARGUMENT "FILE: layout 2: why"; an unknown field, unit or format is an error.
// Cost:       O(file).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/text/quantity.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct CsvColumn {
  std::string name;    // of the column; or
  std::string match;   // a regular expression for the names of many columns: its first group is the device's index
  std::string metric;  // "" = derived from name and unit
  const Unit* unit = nullptr;
  std::string device_kind;  // of `match`: "nic"; "" = the row's device, or the node
  bool counter = false;
};

// A row as an event.
struct CsvEvent {
  std::string time, kind, code, message;  // columns, except that `kind` is a constant; rows without that time have no such event
};

struct CsvLayout {
  enum class TimeFormat : std::uint8_t { kNone, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds, kWall };
  std::string name, kind = "csv";
  std::vector<std::string> require;  // columns by which this layout is recognised; all of them must be in the header
  char separator = ',';
  std::string time;
  TimeFormat time_format = TimeFormat::kNone;
  bool has_zone = false;
  int zone_minutes = 0;
  std::string device_kind = "gpu", index, uuid, model;  // columns
  std::string host;                                     // the column with the row's node; "" = hostname, host, node, ... if present
  std::vector<std::string> labels;                      // columns that distinguish series
  std::string phase;                                    // a column whose changes are events
  std::vector<CsvColumn> columns;
  std::vector<CsvEvent> events;
};

struct LayoutText {
  std::string name, toml;
};
// The built-in layout files.
std::span<const LayoutText> builtinLayoutTexts();

using CsvLayouts = std::vector<CsvLayout>;
Result<CsvLayouts> loadLayouts(const std::string& name, std::string_view toml);
std::shared_ptr<const CsvLayouts> builtinLayouts();

}  // namespace runglass
