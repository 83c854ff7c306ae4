// SPDX-License-Identifier: Apache-2.0
// FaultCodes: the events of gauges that hold the code of a device's last fault. A gauge keeps its code until it is reset or reports another
// one: only a change is a new fault.
//
// Threading:  one thread.
// Units:      TimeNs.
// Cost:       a look-up per reading of such a gauge.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "model/events.h"

namespace runglass {

enum class CodeGauge : std::uint8_t {
  kNone,
  kLastXid,   // the last Xid of a GPU, until the driver is reloaded
  kNpuFault,  // the fault code of an NPU, 0 for none
};

class FaultCodes {
 public:
  // Ids of the caller's; a reading belongs to the device, because labels change with the code and with the pod that uses the device.
  // Readings of a device are in the order of time. The event of a new code, node and device not set.
  std::optional<Event> read(CodeGauge gauge, std::uint64_t node, std::uint64_t device, double code, std::optional<TimeNs> time);

 private:
  std::map<std::tuple<CodeGauge, std::uint64_t, std::uint64_t>, double> m_last;
};

}  // namespace runglass
