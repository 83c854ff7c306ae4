// SPDX-License-Identifier: GPL-3.0-or-later
// GpuData: the state of every device and host now, for one chosen metric, and the detail of one chosen host.
//
// Threading:  readGpus() on a query worker; the value is immutable afterwards.
// Ownership:  strip plots share their bins.
// Units:      catalogue units.
// Errors:     the Reader's. A device that says nothing is absent, stale or lost with its age, never 0.
// Cost:       one Fleet, latest() of four metrics for every device, bins for the chosen host.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "storage/reader.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"
#include "widgets/devices/host_detail.h"

namespace runglass {

// What a cell's colour shows, by key. `over` divides by another metric of the device where it has that one.
struct GridMetric {
  enum class Kind : std::uint8_t { kSample, kErrors, kLastHeard, kStepTime };
  char key;
  const char* title;
  Kind kind;
  const char* metric;
  const char* over;    // "" = the value itself
  bool more_is_worse;  // which side of the median is drawn as worse
};
inline constexpr std::array<GridMetric, 10> kGridMetrics = {
    {{'1', "power ÷ limit", GridMetric::Kind::kSample, "power_watts", "power_limit_watts", false},
     {'2', "SM active", GridMetric::Kind::kSample, "sm_active_ratio", "", false},
     {'3', "SM clock", GridMetric::Kind::kSample, "sm_clock_hertz", "", false},
     {'4', "temperature ÷ limit", GridMetric::Kind::kSample, "temperature_celsius", "temperature_slowdown_celsius", true},
     {'5', "GPU memory", GridMetric::Kind::kSample, "gpu_memory_used_bytes", "", true},
     {'6', "NIC transmit", GridMetric::Kind::kSample, "net_transmit_bytes_per_s", "", false},
     {'7', "errors", GridMetric::Kind::kErrors, "", "", true},
     {'8', "last heard", GridMetric::Kind::kLastHeard, "", "", true},
     {'9', "rank step time", GridMetric::Kind::kStepTime, "step_time_ns", "", true},
     {'0', "host CPU", GridMetric::Kind::kSample, "cpu_busy_ratio", "", true}}};
inline constexpr std::size_t kHostMetric = 9;  // what hosts without GPUs show

enum class CellState : std::uint8_t { kHeard, kStale, kLost, kAbsent };

struct GpuCell {
  NodeId node;
  DeviceId device;         // 0: the host itself
  std::int32_t index = 0;  // in its host's column
  CellState state = CellState::kAbsent;
  std::optional<double> value;
  std::optional<DurNs> age;  // since anything was heard of it
  double deviation = 0;      // -1..1 and beyond: of the value to its peers' median; errors and ages against their own scale
  bool throttled = false;    // hardware or thermal slowdown now
  bool capped = false;       // at its power cap: a count, no badge
  bool remap_pending = false;
  bool link_error = false;  // NVLink replays, recoveries or CRC errors
  bool xid = false;         // an Xid event in the last hour of data
  bool mig = false;         // divided into instances
  QString name;             // "n0412 GPU 3"
  QString rank;             // "37 (0,1,5)"
};

struct HostColumn {
  NodeId node;
  QString name, rack;
  std::vector<GpuCell> cells;
};

// Cells that are counted and can be singled out.
enum class CellGroup : std::uint8_t { kAll, kHeard, kStale, kLost, kAbsent, kXid, kThrottled, kRemap, kLinkError, kMig, kCapped };
bool isIn(const GpuCell& cell, CellGroup group);
inline constexpr std::array<std::pair<CellGroup, const char*>, 10> kCellGroups = {{{CellGroup::kHeard, "heard"},
                                                                                   {CellGroup::kStale, "stale"},
                                                                                   {CellGroup::kLost, "lost"},
                                                                                   {CellGroup::kAbsent, "without this metric"},
                                                                                   {CellGroup::kXid, "■ Xid, last hour"},
                                                                                   {CellGroup::kThrottled, "◣ slowed down"},
                                                                                   {CellGroup::kRemap, "● remap pending"},
                                                                                   {CellGroup::kLinkError, "◆ NVLink errors"},
                                                                                   {CellGroup::kMig, "▭ MIG on"},
                                                                                   {CellGroup::kCapped, "power-capped"}}};

// A fact in which a few devices differ from most: "driver: 535.104 on 63, 550.54 on n0412 GPU 3".
struct FactDifference {
  QString text;
  std::vector<DeviceId> odd;
};

struct GpuData {
  std::vector<HostColumn> hosts;
  std::optional<double> median;
  double spread = 0;  // the deviation that is drawn at full colour
  std::string unit;
  std::map<CellGroup, int> counts;
  int total = 0;
  bool has_gpus = false, live = false;
  QString sentence;  // what stands out, in words
  QString scale;     // what the colours mean
  Severity severity = Severity::kInfo;
  NodeId chosen;
  HostDetail detail;
  std::vector<FactDifference> differences;
  std::vector<DeviceId> mig;  // in order
  std::int64_t facts_of = 0;  // devices whose facts were read
};

struct GpuQuestion {
  std::size_t metric = 0;  // of kGridMetrics
  bool by_job = false;     // hosts in the order of their ranks instead of racks
  RunId run;
  NodeId node;      // chosen host; 0: the one that stands out most
  DeviceId device;  // on it, drawn on top
  TimeWindow window;
  std::size_t pixels = 600;
  TimeStyle style = TimeStyle::kUtc;
  TimeNs now = 0;
  std::shared_ptr<const GpuData> previous;  // facts are read again only when devices came or went
};

Result<GpuData> readGpus(const MomentReaders& readers, const GpuQuestion& question, std::stop_token stop);

}  // namespace runglass
