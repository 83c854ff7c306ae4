// SPDX-License-Identifier: Apache-2.0
// DeviceSeries: the devices and metric series of one imported telemetry file, on the nodes in the file: its hosts, else the node of its
// path (nodeOfPath()).
//
// Threading:  one thread.
// Ownership:  borrows target and Recorder.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     devices and series beyond kMaxDevices and kMaxSeries are left out and counted (leftOut()); values impossible for their metric
//             are rejected with an issue. Call flush() at the end.
// Cost:       a hash look-up per value; columns of up to kBatch values per series, passed on together when kMaxHeld values wait.
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

// Identification of a device by a source; any field may be missing.
struct DeviceName {
  std::string_view kind = "gpu";
  std::string_view uuid;  // anonymised ones (all zeros) do not count
  std::optional<std::int32_t> index;
  std::string_view bus_id, model;
};

class DeviceSeries {
 public:
  static constexpr std::size_t kMaxDevices = 4'096, kMaxNodes = 4'096, kMaxSeries = 65'536, kBatch = 4'096, kMaxHeld = 1U << 20;

  DeviceSeries(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out) {}

  RunId run();  // declares run and attempt at the first call
  // The following data belongs to this host; "": to the file's node.
  void onHost(std::string_view host);
  NodeId node();  // declares it at the first call
  AttemptId attempt();
  // The device of this name; 0 beyond the limit. Names that share an identity are one device.
  DeviceId device(const DeviceName& name);
  // A MIG instance of `gpu` (kMigKind), by the id of its GPU instance.
  void instance(DeviceId gpu, std::string_view id, std::string_view profile);
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
    const MetricInfo* metric = nullptr;  // null: not in the catalogue
    std::vector<TimeNs> time;
    std::vector<double> value;
  };
  struct OfNode {
    NodeId id;
    std::string uuid;
    std::map<std::string, DeviceId> devices;  // by every name of each: "uuid:GPU-…", "index:0", "bus:00000000:19:00.0"
    std::set<std::uint64_t> with_uuid;
    std::map<std::string, std::string> facts;
  };
  OfNode& ofNode();
  void hand(Column& column);
  bool refuses(const MetricInfo* metric, double value);

  const ImportTarget& m_target;
  Recorder& m_out;
  RunId m_run;
  AttemptId m_attempt;
  std::string m_host;                     // "": the file's node
  std::map<std::string, OfNode> m_nodes;  // by host
  std::unordered_map<std::string, Column> m_series;
  std::unordered_map<std::uint64_t, Device> m_devices;  // by id
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
