// SPDX-License-Identifier: Apache-2.0
// SmiScreen: the table that nvidia-smi prints without arguments: GPUs, MIG devices and processes, below the line with the time.
//
// Threading:  one thread.
// Errors:     tables without a readable time are counted and left out.
// Cost:       GPUs wait for end(), at most kMaxHeld with kMaxValues values, since a query in the same file names them better: by UUID and
//             full model.
#pragma once

#include <map>
#include <vector>

#include "collectors/importers/nvidia_smi/smi_sink.h"

namespace runglass::nvidia_smi {

class SmiScreen {
 public:
  static constexpr std::size_t kMaxHeld = 4'096, kMaxValues = 65'536;

  explicit SmiScreen(SmiSink& sink) : m_sink(sink) {}
  static bool isTitle(std::string_view line);  // "| NVIDIA-SMI 535.161.08   Driver Version: ... |"
  // `before`: the line before the table, which holds the time.
  void begin(std::string_view title, std::string_view before);
  // False if the line is none of a table.
  bool line(std::string_view text);
  void end();  // passes on all GPUs

 private:
  enum class Section : std::uint8_t { kNone, kGpus, kInstances, kProcesses };
  void gpuRow(const std::vector<std::string_view>& cells);
  void instanceRow(const std::vector<std::string_view>& cells);
  void processRow(std::string_view cell);
  GpuReading* reading(std::int32_t index);
  // Leaves out a value of a row that was imported before.
  void add(GpuReading& gpu, const char* field, const char* metric, std::string_view text, const char* unit, std::string_view labels = {});

  SmiSink& m_sink;
  Section m_section = Section::kNone;
  bool m_in_rows = false, m_modes = true;
  int m_row = 0;  // of the current GPU
  std::optional<TimeNs> m_time;
  std::string m_driver, m_cuda;
  std::vector<GpuReading> m_held;
  std::size_t m_values = 0;                        // in m_held
  std::map<std::int32_t, std::size_t> m_of_table;  // GPUs of this table, by index, in m_held
};

}  // namespace runglass::nvidia_smi
