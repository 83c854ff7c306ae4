// SPDX-License-Identifier: GPL-3.0-or-later
// GpuData: the current state of every device and host for one selected metric, and the details of one selected host.
//
// Threading:  readGpus() on a query worker; the value is immutable afterwards.
// Ownership:  strip plots share their bins.
// Units:      catalogue units.
// Errors:     the Reader's. A device without data is absent, stale or lost with its age, never 0.
// Cost:       one Fleet; latest() of four metrics and a bin per device, or the new steps of every rank; bins for the selected host.
#pragma once

#include <QCoreApplication>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/ranking/slow_verdict.h"
#include "analysis/views/gpu_findings.h"
#include "analysis/views/gpu_shade.h"
#include "model/mutex.h"
#include "model/step_metrics.h"
#include "storage/reader.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"
#include "widgets/devices/device_facts.h"
#include "widgets/devices/host_detail.h"

namespace runglass {

struct DeviceText {
  Q_DECLARE_TR_FUNCTIONS(Devices)
};

// The value behind a cell's colour, by key. `over` divides by another metric of the device if it has that one. `scale` belongs to the
// metric and does not depend on the data.
struct GridMetric {
  enum class Kind : std::uint8_t { kWork, kSample, kErrors, kLastReport, kStepTime };
  char key;
  const char* title;
  Kind kind;
  const char* metric;
  const char* over;  // "" = the value itself
  ShadeScale scale;
};
inline constexpr std::array<GridMetric, 11> kGridMetrics = {
    {{'W', QT_TRANSLATE_NOOP("Devices", "own work"), GridMetric::Kind::kWork, "", "", {kSlowerThanPeers, 0.25, true}},
     {'1', QT_TRANSLATE_NOOP("Devices", "power ÷ limit"), GridMetric::Kind::kSample, "power_watts", "power_limit_watts", {0.1, 0.5, false}},
     {'2', QT_TRANSLATE_NOOP("Devices", "SM active"), GridMetric::Kind::kSample, "sm_active_ratio", "", {0.1, 0.5, false}},
     {'3', QT_TRANSLATE_NOOP("Devices", "SM clock"), GridMetric::Kind::kSample, "sm_clock_hertz", "", {0.05, 0.25, false}},
     {'4',
      QT_TRANSLATE_NOOP("Devices", "temperature ÷ limit"),
      GridMetric::Kind::kSample,
      "temperature_celsius",
      "temperature_slowdown_celsius",
      {0.1, 0.3, true}},
     {'5', QT_TRANSLATE_NOOP("Devices", "GPU memory"), GridMetric::Kind::kSample, "gpu_memory_used_bytes", "", {0.1, 0.5, true}},
     {'6', QT_TRANSLATE_NOOP("Devices", "NIC transmit"), GridMetric::Kind::kSample, "net_transmit_bytes_per_s", "", {0.25, 1, false}},
     {'7', QT_TRANSLATE_NOOP("Devices", "errors"), GridMetric::Kind::kErrors, "", "", {0, 1, true}},
     {'8', QT_TRANSLATE_NOOP("Devices", "last report"), GridMetric::Kind::kLastReport, "", "", {0.5, 1, true}},
     {'9',
      QT_TRANSLATE_NOOP("Devices", "rank step time"),
      GridMetric::Kind::kStepTime,
      kStepTimeMetric.data(),
      "",
      {kSlowerThanPeers, 0.25, true}},
     {'0', QT_TRANSLATE_NOOP("Devices", "host CPU"), GridMetric::Kind::kSample, "cpu_busy_ratio", "", {0.25, 1, true}}}};
inline constexpr std::size_t kWorkMetric = 0, kPowerMetric = 1;
inline constexpr std::size_t kHostMetric = 10;  // the metric of hosts without GPUs
inline constexpr bool isOfGpusOnly(std::size_t metric) { return metric >= kPowerMetric && metric <= 5; }
inline constexpr DurNs kStaleAfter = 6 * kNsPerSecond;  // three missed heartbeats
// Averaging time: single samples fall into different phases of a step.
inline constexpr DurNs kAveragedOver = 60 * kNsPerSecond;

enum class CellState : std::uint8_t { kHeard, kStale, kLost, kAbsent };  // kHeard: reporting

struct GpuCell {
  NodeId node;
  DeviceId device;         // 0: the host itself
  std::int32_t index = 0;  // in its host's column
  CellState state = CellState::kAbsent;
  std::optional<double> value;
  std::optional<DurNs> age;         // time since the last data from it
  std::optional<double> deviation;  // of the value from its peers' median; errors and ages have a scale of their own
  double shade = 0;                 // see shadeOf(): 0 is neutral, positive is worse
  bool throttled = false;           // hardware or thermal slowdown now
  bool capped = false;              // at its power cap: counted, no badge
  bool remap_pending = false;
  bool link_error = false;             // NVLink replays, recoveries or CRC errors
  bool xid = false;                    // an Xid event in the last hour of data
  bool mig = false;                    // partitioned into instances
  QString instances;                   // the known ones: "1g.5gb, 1g.5gb, 2g.10gb"
  QString tenants;                     // pods or processes on it: "train-0, eval-0"
  std::optional<FindingMark> finding;  // open findings about it
  QString name;                        // "n0412 GPU 3"
  QString rank;                        // "37 (0,1,5)"
  std::optional<std::int32_t> rank_number;
};

struct HostColumn {
  NodeId node;
  QString name, rack;
  std::vector<GpuCell> cells;
};

// Groups of cells that are counted and can be highlighted.
enum class CellGroup : std::uint8_t { kAll, kHeard, kStale, kLost, kAbsent, kFinding, kXid, kThrottled, kRemap, kLinkError, kMig, kCapped };
bool isIn(const GpuCell& cell, CellGroup group);
inline constexpr std::array<std::pair<CellGroup, const char*>, 11> kCellGroups = {
    {{CellGroup::kHeard, QT_TRANSLATE_NOOP("Devices", "reporting")},
     {CellGroup::kStale, QT_TRANSLATE_NOOP("Devices", "stale")},
     {CellGroup::kLost, QT_TRANSLATE_NOOP("Devices", "lost")},
     {CellGroup::kAbsent, QT_TRANSLATE_NOOP("Devices", "without this metric")},
     {CellGroup::kFinding, QT_TRANSLATE_NOOP("Devices", "□ open finding")},
     {CellGroup::kXid, QT_TRANSLATE_NOOP("Devices", "■ Xid, last hour")},
     {CellGroup::kThrottled, QT_TRANSLATE_NOOP("Devices", "◣ slowed down")},
     {CellGroup::kRemap, QT_TRANSLATE_NOOP("Devices", "● remap pending")},
     {CellGroup::kLinkError, QT_TRANSLATE_NOOP("Devices", "◆ NVLink errors")},
     {CellGroup::kMig, QT_TRANSLATE_NOOP("Devices", "▭ MIG on")},
     {CellGroup::kCapped, QT_TRANSLATE_NOOP("Devices", "power-capped")}}};

struct GpuData {
  std::vector<HostColumn> hosts;
  std::size_t metric = 0;        // index into kGridMetrics of the shown metric
  std::optional<double> median;  // of all reporting cells
  std::size_t work_steps = 0;    // for kWorkMetric
  bool whole_steps = false;      // for kWorkMetric: no step parts are recorded, whole step times are compared
  std::string unit;
  std::map<CellGroup, int> counts;
  int total = 0;
  bool has_gpus = false, live = false;
  QString sentence;  // text about the outliers
  QString scale;     // legend of the colours
  Severity severity = Severity::kInfo;
  NodeId chosen;
  HostDetail detail;
  DeviceFacts facts;
  std::int64_t facts_of = 0;  // number of devices whose facts were read
};

struct GpuQuestion {
  // Index into kGridMetrics. Absent: own work where ranks report their steps, else power, else the hosts' CPU.
  std::optional<std::size_t> metric;
  bool by_job = false;  // hosts ordered by rank instead of grouped by rack
  RunId run;
  NodeId node;      // selected host; 0: the strongest outlier
  DeviceId device;  // on that host, drawn on top
  TimeWindow window;
  std::size_t pixels = 600;
  TimeStyle style = TimeStyle::kUtc;
  TimeNs now = 0;
  std::shared_ptr<SharedSlowVerdict> memory;  // null: a single query
  std::shared_ptr<const GpuData> previous;    // facts are read again only when devices were added or removed
};

Result<GpuData> readGpus(const MomentReaders& readers, const GpuQuestion& question, std::stop_token stop);

}  // namespace runglass
