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
#include <set>
#include <string>

#include "collectors/importers/telemetry/device_series.h"
#include "collectors/importers/telemetry/quantity.h"
#include "collectors/importers/telemetry/wall_time.h"

namespace runglass::nvidia_smi {

class SmiSink {
 public:
  static constexpr std::size_t kMaxNamed = 64;

  SmiSink(DeviceSeries& series, const ImportTarget& target, Recorder& out) : series(series), m_target(target), m_out(out) {}

  // UTC time at which the capture was taken, if it is printed: the first local time after it gives the zone.
  void takenAt(TimeNs utc) { m_taken_at = utc; }
  std::optional<TimeNs> time(std::string_view text);
  bool recording = true;  // false: this record was imported before

  void put(DeviceId device, const std::string& metric, std::string_view labels, TimeNs time, const Quantity& quantity);
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
};

}  // namespace runglass::nvidia_smi
