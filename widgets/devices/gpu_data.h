// SPDX-License-Identifier: GPL-3.0-or-later
// GpuData: the state of every device and host now, for one chosen metric, and the detail of one chosen host.
//
// Threading:  readGpus() on a query worker; the value is immutable afterwards.
// Ownership:  strip plots share their bins.
// Units:      catalogue units; deviation = value over the peers' median, minus 1.
// Errors:     the Reader's. A device that says nothing is absent or stale with its age, never 0.
// Cost:       one catalogue read, latest() of four metrics for every device, bins for the chosen host.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "storage/reader.h"
#include "widgets/charts/plot_data.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"

namespace runglass {

// What the keys 1 to 9 show. `over` divides by another metric of the device: power over its limit, clock over its maximum.
struct GridMetric {
  const char* title;
  const char* metric;
  const char* over;    // "" = the value itself
  bool more_is_worse;  // which side of the median is drawn as worse
};
inline constexpr std::array<GridMetric, 9> kGridMetrics = {{{"power ÷ limit", "power_watts", "power_limit_watts", false},
                                                            {"SM active", "sm_active_ratio", "", false},
                                                            {"tensor active", "tensor_active_ratio", "", false},
                                                            {"SM clock", "sm_clock_hertz", "", false},
                                                            {"temperature", "temperature_celsius", "", true},
                                                            {"GPU memory", "gpu_memory_used_bytes", "", true},
                                                            {"NVLink", "nvlink_transmit_bytes_per_s", "", false},
                                                            {"GPU busy", "gpu_busy_ratio", "", false},
                                                            {"host CPU", "cpu_busy_ratio", "", true}}};

enum class CellState : std::uint8_t { kHeard, kStale, kLost, kAbsent };

struct GpuCell {
  NodeId node;
  DeviceId device;         // 0: the host itself
  std::int32_t index = 0;  // in its host's column
  CellState state = CellState::kAbsent;
  std::optional<double> value;
  DurNs age = 0;
  double deviation = 0;    // of the value to the median of its peers
  bool throttled = false;  // hardware or thermal slowdown now
  bool remap_pending = false;
  bool xid = false;  // an Xid event in the last hour of data
  QString name;      // "n0412 GPU 3"
};

struct HostColumn {
  NodeId node;
  QString name, rack;
  std::vector<GpuCell> cells;
};

struct HostRow {  // of the detail table
  QString device, rank;
  std::vector<QString> values;
};

struct GpuData {
  std::vector<HostColumn> hosts;  // by rack, then name
  std::optional<double> median;
  double spread = 0;  // the deviation that is drawn at full colour
  std::string unit;
  int heard = 0, stale = 0, lost = 0, absent = 0, throttled = 0, xids = 0;
  bool has_gpus = false;
  QString sentence;  // what stands out, in words
  Severity severity = Severity::kInfo;
  NodeId chosen;
  QString chosen_name;
  std::vector<QString> columns;  // of the detail table
  std::vector<HostRow> rows;
  std::shared_ptr<const PlotData> strips;
  std::int64_t x0 = 0, x1 = 0;
};

struct GpuQuestion {
  std::size_t metric = 0;  // of kGridMetrics
  RunId run;
  NodeId node;  // chosen host; 0: the one that stands out most
  TimeWindow window;
  std::size_t pixels = 600;
  TimeStyle style = TimeStyle::kUtc;
  ThemeName theme = ThemeName::kDark;
  TimeNs now = 0;
};

Result<GpuData> readGpus(Reader& reader, const GpuQuestion& question, std::stop_token stop);

}  // namespace runglass
