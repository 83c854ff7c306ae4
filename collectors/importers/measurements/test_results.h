// SPDX-License-Identifier: Apache-2.0
// TestResults: what a hardware test measured. Numbers are series of a node, GPU or NIC with the test's name and parameters as labels, so
// that a repeated test has a history; a finished test is an event `test_result`, a failed one `test_failed`.
//
// Threading:  one thread.
// Ownership:  borrows target and Recorder.
// Units:      base units of the catalogue.
// Errors:     these tools print no time: results have the time at which their file was written, with an issue; without that, only events
//             are recorded. Lines that cannot be read are counted.
// Cost:       a series per node or device and parameter.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "collectors/importers/telemetry/device_series.h"

namespace runglass {

class TestResults {
 public:
  TestResults(const ImportTarget& target, Recorder& out);

  bool recording = true;  // false: the following data was recorded by an earlier import; nothing of it is recorded

  // The following data belongs to this host; "": to the file's node.
  void onHost(std::string_view host) { m_series.onHost(host); }
  DeviceId device(const DeviceName& name) { return recording ? m_series.device(name) : DeviceId{}; }
  void fact(const std::string& key, std::string_view value) {
    if (recording) m_series.fact(key, value);
  }
  // `labels`: an object with "test" and what else distinguishes this number; device 0: of the node.
  void value(DeviceId device, std::string_view metric, const nlohmann::json& labels, double value);
  void finished(const std::string& test, const std::string& what);
  // device 0: which one is not known. `everywhere`: the test ran on several nodes, and none of them alone is at fault.
  void failed(const std::string& test, DeviceId device, const std::string& what, bool everywhere = false,
              Severity severity = Severity::kError);
  void badLine(std::string_view line);
  void finish(ImportReport& report);

  bool any() const { return m_any; }

 private:
  void event(Event event);

  const ImportTarget& m_target;
  Recorder& m_out;
  DeviceSeries m_series;
  bool m_any = false;
  std::int64_t m_values = 0, m_bad = 0;
  std::string m_first_bad;
};

}  // namespace runglass
