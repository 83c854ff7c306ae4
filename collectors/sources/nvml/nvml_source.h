// SPDX-License-Identifier: Apache-2.0
// Source `nvml`: NVIDIA GPUs through libnvidia-ml.so.1: identity, power, clocks and the reasons that limit them, temperatures and limits,
// memory, activity (GPM where supported), ECC, remapped rows, PCIe, NVLink, Xid events, and the GPU used by each rank's process.
//
// Threading:  the agent's thread of this source; a call to a failing GPU can block only this thread.
// Ownership:  owns the library handle.
// Units:      watts, celsius, hertz, bytes, ratios; NVML's mW/MHz/KiB are converted only here.
// Errors:     start(): UNAVAILABLE without library or driver. Fields that a GPU lacks are never recorded. A lost GPU is one event.
// Cost:       fast set (power, clocks, activity, NVLink) every fast_ms, slow set (temperature, memory) every 1 s, rare set (ECC, links,
//             processes) every 10 s; a query takes tens of microseconds on a healthy driver.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

// Config [source.nvml]: fast_ms (100; 1 = burst), library (path, for tests and nonstandard installations).
std::unique_ptr<Source> makeNvmlSource();

}  // namespace runglass
