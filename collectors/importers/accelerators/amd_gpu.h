// SPDX-License-Identifier: Apache-2.0
// AmdGpus: GPUs of amd-smi and rocm-smi: their values under the names of the metric catalogue, their identity and facts.
//
// Threading:  one thread.
// Ownership:  borrows target and Recorder.
// Units:      base units of the catalogue; the tools' MB are MiB.
// Errors:     neither tool prints a time but amd-smi in watch mode: values have the time at which their file was written, with an issue.
// Cost:       a series per GPU and field.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "collectors/importers/telemetry/device_series.h"

namespace runglass {

struct AmdGpu {
  std::optional<std::int32_t> index;
  std::string uuid, bus, model;
  struct Value {
    std::string field, text, unit;  // "temperature/edge", "41", "C"; the unit is empty where the field has it in its name
  };
  std::vector<Value> values;
  std::optional<TimeNs> time;
  nlohmann::json facts = {{"vendor", "AMD"}};
};

class AmdGpus {
 public:
  AmdGpus(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_series(target, out) {}
  void put(const AmdGpu& gpu);
  void fact(const std::string& key, std::string_view value) { m_series.fact(key, value); }
  void finish(ImportReport& report);

 private:
  const ImportTarget& m_target;
  Recorder& m_out;
  DeviceSeries m_series;
  std::int64_t m_values = 0, m_untimed = 0, m_absent = 0;
  std::map<std::uint64_t, std::string> m_facts;  // the last ones, by device
};

}  // namespace runglass
