// SPDX-License-Identifier: Apache-2.0
// Machine metrics during an attempt's steps: clocks, CPUs, memory and device utilization.
//
// Threading:  on the thread of the Reader.
// Units:      as machine_idle.h; ratios.
// Errors:     the Reader's; CANCELLED when `stop` fires. Metrics that are not recorded are absent.
// Cost:       kMachineBins bins of at most seven series for each of at most kMachinesAsked devices and nodes, evenly sampled.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/gpu_idle/machine_idle.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMachineBins = 256;
inline constexpr std::size_t kMachinesAsked = 256;

struct DeviceClocks {
  DeviceId device;
  std::optional<std::int32_t> rank;
  std::optional<double> level;  // unthrottled; that of the other devices where its own is unknown
  bool level_of_others = false;
  std::optional<ThrottleShare> thermal, power_cap;
};

struct NodeLoad {
  NodeId node;
  std::optional<SaturationShare> cpu;
  std::optional<StallShare> stalls;
  std::optional<double> huge_page_fallbacks;  // in the window
};

struct MachineReading {
  std::vector<DeviceClocks> devices;
  std::vector<NodeLoad> nodes;
  std::size_t devices_total = 0, nodes_total = 0;
  std::optional<double> gpu_busy, engine_active, sm_active;  // means over devices
  std::size_t busy_devices = 0;                              // devices in the first available mean
};

Result<MachineReading> readMachines(Reader& reader, const std::vector<Rank>& ranks, TimeRange when, const std::stop_token& stop);

// Share of the steps in which the training thread was runnable without a CPU, over ranks; absent: not recorded.
Result<std::optional<double>> readRunDelay(Reader& reader, AttemptId attempt, std::optional<std::int64_t> first_step,
                                           std::optional<std::int64_t> last_step, const std::stop_token& stop);

}  // namespace runglass
