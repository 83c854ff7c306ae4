// SPDX-License-Identifier: Apache-2.0
// SmiMonitor: the tables of nvidia-smi dmon and pmon: two header lines beginning with #, names and units, then a row per GPU or process.
//
// Threading:  one thread.
// Ownership:  borrows the sink.
// Units:      by the second header line.
// Errors:     rows without a time (only -o DT prints it) are counted and left out, since no time is invented. Values of pmon belong to the
// GPU, distinguished
//             by labels: pid and command.
// Cost:       O(line).
#pragma once

#include <string>
#include <vector>

#include "collectors/importers/nvidia_smi/smi_sink.h"

namespace runglass::nvidia_smi {

class SmiMonitor {
 public:
  explicit SmiMonitor(SmiSink& sink) : m_sink(sink) {}
  static bool isHeader(std::string_view line);  // "# gpu    pwr  gtemp", "#Date       Time        gpu"
  void header(std::string_view line);
  void units(std::string_view line);
  // False if the line is not a row: the table has ended.
  bool row(std::string_view line);

 private:
  struct Column {
    std::string printed, metric;
    const Unit* unit = nullptr;
    bool known = false;
  };
  SmiSink& m_sink;
  std::vector<Column> m_columns;
  int m_date = -1, m_time = -1, m_gpu = -1, m_pid = -1;
  bool m_processes = false;
};

}  // namespace runglass::nvidia_smi
