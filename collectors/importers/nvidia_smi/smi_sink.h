// SPDX-License-Identifier: Apache-2.0
// SmiSink: shared by the readers of nvidia-smi's outputs: destination of values, time zone, counts of invalid data.
//
// Threading:  one thread.
// Ownership:  borrows DeviceSeries and Recorder.
// Units:      TimeNs.
// Errors:     invalid data is counted and recorded by `tell()`; its details have at most kMaxNamed names.
// Cost:       O(1) per value; a set entry per absent or unreadable field.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "collectors/importers/telemetry/device_series.h"
#include "collectors/text/quantity.h"
#include "collectors/text/wall_time.h"

namespace runglass::nvidia_smi {

// Values of one GPU at one time, for outputs that print a GPU over several lines.
struct GpuReading {
  struct Value {
    std::string field, metric, labels;  // `field` as printed, for issues
    Quantity quantity;
  };
  TimeNs time = 0;
  std::optional<std::int32_t> index;
  std::string uuid, bus, model;
  std::vector<Value> values;
  std::set<std::string> instances;  // MIG: ids of GPU instances
  bool recording = false;           // a line of it was not imported before
  nlohmann::json facts = nlohmann::json::object();
};

class SmiSink {
 public:
  static constexpr std::size_t kMaxNamed = 64;

  SmiSink(DeviceSeries& series, const ImportTarget& target, Recorder& out) : series(series), m_target(target), m_out(out) {}

  // UTC time at which the capture was taken, if it is printed: the first local time after it gives the zone.
  void takenAt(TimeNs utc) { m_taken_at = utc; }
  std::optional<TimeNs> time(std::string_view text);
  bool recording = true;  // false: this record was imported before

  void put(DeviceId device, const std::string& metric, std::string_view labels, TimeNs time, const Quantity& quantity);
  // Modes and versions of a GPU; recorded where they are new or have changed. Empty ones are not recorded.
  void facts(DeviceId device, TimeNs time, nlohmann::json facts);
  void put(const GpuReading& reading);
  void absent(Absence why, std::string_view field);
  void text(std::string_view field) { note("nvidia_smi.text", field); }
  void unreadable(std::string_view field) { note("nvidia_smi.unreadable_value", field); }
  void note(const std::string& code, std::string_view what, std::int64_t count = 1);
  void tell();

  DeviceSeries& series;

 private:
  struct Note {
    std::int64_t count = 0;
    std::set<std::string> names;
    bool more = false;
  };
  const ImportTarget& m_target;
  Recorder& m_out;
  std::optional<TimeNs> m_taken_at;
  std::optional<DurNs> m_zone;
  std::map<std::string, Note> m_notes;
  std::map<std::uint64_t, std::string> m_facts;  // the last ones, by device
};

}  // namespace runglass::nvidia_smi
