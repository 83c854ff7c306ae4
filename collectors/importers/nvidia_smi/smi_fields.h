// SPDX-License-Identifier: Apache-2.0
// What nvidia-smi calls things, and what the metric catalogue calls them.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      `unit` is what nvidia-smi means where it prints none.
// Errors:     unknown names are fine: they are made into a metric name of their own.
// Cost:       a few dozen compares per column, not per value.
#pragma once

#include <string_view>

#include "collectors/importers/telemetry/quantity.h"

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

// Columns and paths that say what a device is, not how it does: numbers, versions, addresses, limits that never change.
bool isIdentity(std::string_view printed);

// The bit of clock_event_reasons that "clocks event reasons/sw power cap" stands for; 0: none.
unsigned reasonBit(std::string_view path);

// The total that "ecc errors/aggregate/dram correctable" counts towards: "ecc_corrected_total"; "": none. Drivers name the parts of it by
// bits ("single bit/total"), by memory (SRAM, DRAM), or by memory and code (SEC-DED, parity).
std::string_view eccTotal(std::string_view path);

// "Drain and Reset" -> 4, as NVML counts; nullopt: not known.
std::optional<double> recoveryAction(std::string_view text);

}  // namespace runglass::nvidia_smi
