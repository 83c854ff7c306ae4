// SPDX-License-Identifier: Apache-2.0
// SmiTable: the CSV of nvidia-smi --query-gpu and --query-compute-apps, with any columns, with and without units.
//
// Threading:  one thread.
// Ownership:  borrows the sink.
// Units:      of the header ("[MiB]"), else of the value ("72 W"), else nvidia-smi's for the column.
// Errors:     rows with a different number of fields or without a time are counted and left out.
// Cost:       O(line).
#pragma once

#include <vector>

#include "collectors/importers/nvidia_smi/smi_fields.h"
#include "collectors/importers/nvidia_smi/smi_sink.h"

namespace runglass::nvidia_smi {

class SmiTable {
 public:
  explicit SmiTable(SmiSink& sink) : m_sink(sink) {}
  static bool isHeader(std::string_view line);
  void header(std::string_view line);
  void row(std::string_view line);

 private:
  struct Column {
    std::string printed, metric;  // empty: identity, or a duplicate of another column
    const Unit* unit = nullptr;
    bool known = false, state = false, recovery = false;
  };
  std::string_view cell(int column) const;
  void value(const Column& column, std::string_view text, DeviceId device, std::string_view labels, TimeNs time);

  SmiSink& m_sink;
  std::vector<Column> m_columns;
  std::vector<std::string_view> m_cells;
  int m_time = -1, m_index = -1, m_uuid = -1, m_bus = -1, m_name = -1, m_driver = -1, m_pid = -1, m_process = -1;
};

}  // namespace runglass::nvidia_smi
