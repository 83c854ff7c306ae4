// SPDX-License-Identifier: Apache-2.0
// nvidia-smi's names of quantities, and their names in the metric catalogue.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      `unit` is nvidia-smi's unit where none is printed.
// Errors:     an unknown name is converted to a metric name of its own.
// Cost:       a few dozen comparisons per column, not per value.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "collectors/text/quantity.h"

namespace runglass::nvidia_smi {

struct Field {
  std::string_view printed;  // lower case, without unit: "power.draw", "temperature/gpu current temp", "pwr"
  std::string_view metric;
  std::string_view unit = {};
};

// Columns of --query-gpu; paths of -q below its GPU; columns of dmon.
const Field* findColumn(std::string_view printed);
const Field* findPath(std::string_view printed);
const Field* findMonitorColumn(std::string_view printed);
const Field* findProcessColumn(std::string_view printed);  // of pmon

// Columns and paths with the identity of a device, not its state: numbers, versions, addresses, limits that never change.
bool isIdentity(std::string_view printed);

// The bit of clock_event_reasons for a path such as "clocks event reasons/sw power cap"; 0: none.
unsigned reasonBit(std::string_view path);

// The total to which a path such as "ecc errors/aggregate/dram correctable" contributes: "ecc_corrected_total"; "": none. Drivers divide it
// by bits ("single bit/total"), by memory (SRAM, DRAM), or by memory and code (SEC-DED, parity).
std::string_view eccTotal(std::string_view path);

// A mode of a GPU under its key in `device_facts`, as the NVML source records it.
struct GpuFact {
  std::string_view key;
  std::variant<bool, int> value;
};
// "mig.mode.current" or "mig mode/current" with "Enabled": {"mig", true}; nothing where the device has no such mode.
std::optional<GpuFact> gpuFact(std::string_view printed, std::string_view text);

// "Drain and Reset" -> 4, NVML's number; nullopt: unknown.
std::optional<double> recoveryAction(std::string_view text);

}  // namespace runglass::nvidia_smi
