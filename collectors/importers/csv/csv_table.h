// SPDX-License-Identifier: Apache-2.0
// CsvTable: converts the records of one CSV file, according to a layout, to series of devices or of the node and to events.
//
// Threading:  one thread.
// Ownership:  borrows layout, series, target and Recorder.
// Units:      TimeNs; base units.
// Errors:     records with a different number of fields, without a time, with unreadable or absent values are counted; `tell()` records the
//             counts.
// Cost:       O(record).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/importers/csv/csv_layout.h"
#include "collectors/importers/telemetry/device_series.h"

namespace runglass {

class CsvTable {
 public:
  using Record = std::vector<std::string_view>;
  CsvTable(const CsvLayout& layout, DeviceSeries& series, const ImportTarget& target, Recorder& out)
      : m_layout(layout), m_series(series), m_target(target), m_out(out) {}

  // False if a column required by the layout is missing.
  static bool fits(const CsvLayout& layout, const Record& header);
  void header(const Record& header);
  // `recorded`: imported before; only state for later records is updated.
  void record(const Record& record, bool recorded);
  std::size_t width() const { return m_width; }
  std::optional<TimeNs> newestEvent() const { return m_newest_event; }
  void note(const std::string& code, const std::string& detail, std::int64_t count = 1);
  void tell();

 private:
  struct Column {
    std::size_t at = 0;
    std::string metric;
    const CsvColumn* what = nullptr;
    std::optional<std::int32_t> device_index;  // of `match`
    DeviceId device;
  };
  std::string_view cell(const Record& record, int column) const;
  std::optional<TimeNs> timeOf(std::string_view text);
  void events(const Record& record);
  void phase(const Record& record, TimeNs time, bool recorded);
  DeviceId deviceOf(const Record& record);
  std::string labelsOf(const Record& record) const;
  int hostColumn() const;
  void toHostOf(const Record& record);

  const CsvLayout& m_layout;
  DeviceSeries& m_series;
  const ImportTarget& m_target;
  Recorder& m_out;
  std::vector<std::string> m_names;
  std::vector<Column> m_columns;
  std::vector<std::pair<std::string, std::size_t>> m_labels;
  std::size_t m_width = 0;
  int m_time = -1, m_index = -1, m_uuid = -1, m_model = -1, m_phase = -1, m_host = -1;
  std::string m_host_now;
  std::map<std::string, std::string> m_phase_now;  // by host
  std::int64_t m_events = 0;
  std::optional<TimeNs> m_newest_event;
  std::map<std::string, std::pair<std::int64_t, std::string>> m_notes;
};

}  // namespace runglass
