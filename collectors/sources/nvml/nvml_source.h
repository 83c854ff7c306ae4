// SPDX-License-Identifier: Apache-2.0
// Source `nvml`: NVIDIA GPUs through libnvidia-ml.so.1: identity, power, clocks and why they are held, temperatures and limits,
// memory, activity (GPM where supported), ECC, remapped rows, PCIe, NVLink, Xid events, and which rank's process uses which GPU.
//
// Threading:  the agent's thread of this source; a call into a dying GPU may block it, nothing else.
// Ownership:  owns the library handle.
// Units:      watts, celsius, hertz, bytes, ratios; NVML's mW/MHz/KiB are converted here and nowhere else.
// Errors:     start(): UNAVAILABLE without library or driver. A field that a GPU lacks is never recorded. A lost GPU is one event.
// Cost:       fast set (power, clocks, activity, NVLink) per fast_ms, slow set (temperature, memory) per 1 s, rare set (ECC, links,
//             processes) per 10 s; a query takes tens of microseconds on a healthy driver.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

// Config [source.nvml]: fast_ms (100; 1 = burst), library (path, for tests and odd installs).
std::unique_ptr<Source> makeNvmlSource();

}  // namespace runglass
