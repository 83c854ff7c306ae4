// SPDX-License-Identifier: Apache-2.0
// DeviceSeries: the devices and metric series of one imported telemetry file, all on the node that the file speaks of.
//
// Threading:  one thread.
// Ownership:  borrows target and Recorder.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     what is beyond kMostDevices and kMostSeries is left out and counted (leftOut()); values that cannot be of their metric are
// refused with an
//             issue. Call flush() at the end.
// Cost:       a hash look-up per value; columns of up to kBatch values per series, handed on together when kMostHeld values wait.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/importers/importer.h"
#include "model/metric_catalog.h"
#include "model/recorder.h"

namespace runglass {

// What a source says of a device; any of it may be missing.
struct DeviceName {
  std::string_view kind = "gpu";
  std::string_view uuid;  // masked ones (all zeros) are none
  std::optional<std::int32_t> index;
  std::string_view bus_id, model;
};

class DeviceSeries {
 public:
  static constexpr std::size_t kMostDevices = 4'096, kMostSeries = 65'536, kBatch = 4'096, kMostHeld = 1U << 20;

  // The node is called after run and file.
  DeviceSeries(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out) {}

  RunId run();  // declares run, attempt and node at the first call
  NodeId node();
  AttemptId attempt();
  // The device of this name; 0 when there are too many. Names that share an identity are one device.
  DeviceId device(const DeviceName& name);
  void fact(const std::string& key, std::string_view value);
  // device 0: of the node.
  void put(DeviceId device, std::string_view metric, std::string_view labels, TimeNs time, double value, bool counter = false);
  void flush();

  bool started() const { return m_run.value != 0; }
  std::int64_t leftOut() const { return m_left_out; }
  std::optional<TimeNs> newest() const { return m_newest; }

 private:
  struct Column {
    SeriesId id;
    const MetricInfo* metric = nullptr;  // null: not catalogued
    std::vector<TimeNs> time;
    std::vector<double> value;
  };
  void hand(Column& column);
  bool refuses(const MetricInfo* metric, double value);

  const ImportTarget& m_target;
  Recorder& m_out;
  RunId m_run;
  AttemptId m_attempt;
  NodeId m_node;
  std::string m_node_uuid;
  std::map<std::string, DeviceId> m_devices;  // by every name of each: "uuid:GPU-…", "index:0", "bus:00000000:19:00.0"
  std::set<std::uint64_t> m_with_uuid;
  std::map<std::string, std::string> m_facts;
  std::unordered_map<std::string, Column> m_series;
  std::size_t m_device_count = 0, m_held = 0;
  std::int64_t m_left_out = 0;
  struct Refused {
    std::int64_t count = 0;
    double first = 0;
  };
  std::map<std::string_view, Refused> m_refused;  // by metric
  std::optional<TimeNs> m_oldest, m_newest;
};

}  // namespace runglass
