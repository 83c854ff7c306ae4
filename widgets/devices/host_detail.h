// SPDX-License-Identifier: GPL-3.0-or-later
// HostDetail: one host in numbers and strips: its devices as rows, its metrics over the shared window.
//
// Threading:  readHostDetail() on a query worker; the value is immutable afterwards.
// Ownership:  plots share their bins.
// Units:      a column has one unit, in its header.
// Errors:     the Reader's; a missing value is kAbsentText, a column without any value is left out.
// Cost:       latest() of a dozen metrics per device, bins of the strips.
#pragma once

#include <memory>
#include <vector>

#include "analysis/views/fleet.h"
#include "widgets/charts/plot_data.h"
#include "widgets/core/query_service.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"

namespace runglass {

struct DetailColumn {
  QString title, why;
  bool number = true;
};
struct DetailRow {
  QString device;
  std::vector<QString> cells;  // one per column
};

struct HostDetail {
  QString name;  // with rack and rank range
  std::vector<DetailColumn> columns;
  std::vector<DetailRow> rows;
  QString host_line;  // CPU, memory, NIC, mounts in one line
  QString trouble;    // warnings and above of the last hour, a line each: the fault, its meaning, the action
  std::shared_ptr<const PlotData> strips;
  std::int64_t x0 = 0, x1 = 0;
};

struct DetailQuestion {
  NodeId node;
  DeviceId device;  // drawn on top
  TimeWindow window;
  std::size_t pixels = 600;
  TimeStyle style = TimeStyle::kUtc;
};

QString rankText(const Rank& rank);                                          // "37 (0,1,5)"
QString reasonText(std::uint64_t reasons);                                   // clock event reasons as text
inline constexpr std::uint64_t kSlowdownReasons = 0x8 | 0x20 | 0x40 | 0x80;  // NVML: HW slowdown, SW and HW thermal, power brake
inline constexpr std::uint64_t kPowerCapReason = 0x4;

Result<HostDetail> readHostDetail(const MomentReaders& readers, const Fleet& fleet, const DetailQuestion& question,
                                  const std::stop_token& stop);

}  // namespace runglass
