// SPDX-License-Identifier: Apache-2.0
// SmiQuery: the indented text of nvidia-smi -q, once or repeated.
//
// Threading:  one thread.
// Ownership:  borrows the sink.
// Units:      as printed after each value.
// Errors:     values without a preceding time are counted and left out, as are those beyond kMaxReadings of a GPU.
// Cost:       O(line); holds one GPU's readings.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectors/importers/nvidia_smi/smi_sink.h"

namespace runglass::nvidia_smi {

class SmiQuery {
 public:
  static constexpr std::size_t kMaxReadings = 4'096, kMaxDepth = 12;

  explicit SmiQuery(SmiSink& sink) : m_sink(sink) {}
  void begin();  // "==============NVSMI LOG=============="
  void line(std::string_view text);
  void end();  // passes on the last GPU
  bool inGpu() const { return m_in_gpu; }

 private:
  struct Reading {
    std::string path, text, labels;
    bool recording = true;
  };
  void top(std::string_view key, std::string_view text);
  void field(std::string_view text_path, std::string_view text);
  void process(std::string_view key, std::string_view text);
  std::string path() const;
  void hand(const Reading& reading, DeviceId device, std::set<std::string>& taken);

  SmiSink& m_sink;
  std::optional<TimeNs> m_time;
  bool m_in_gpu = false;
  std::int32_t m_gpus = 0;
  std::vector<std::pair<std::size_t, std::string>> m_stack;  // indent and key, lower case
  nlohmann::json m_facts = nlohmann::json::object();
  std::string m_driver, m_cuda;
  std::string m_bus, m_uuid, m_model, m_pid, m_process;
  std::optional<std::int32_t> m_minor;
  std::vector<Reading> m_readings;
};

}  // namespace runglass::nvidia_smi
