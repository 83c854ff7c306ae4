// SPDX-License-Identifier: Apache-2.0
// Source `host`: what the machine itself is doing: CPU, memory, pressure, disks, mounts, trainers' processes, and the
// kernel's compaction and huge-page counters that stall large-memory trainers.
//
// Threading:  the agent's thread of this source.
// Ownership:  none beyond itself.
// Units:      ratios 0..1, bytes, bytes_per_s, ns.
// Errors:     a file that this kernel lacks is left out; a mount that does not answer within 2 s is an event, once per stall.
// Cost:       about 15 small files a second; /proc/PID scanned every 5 s for processes with RANK in their environment.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

// Config [source.host]: interval_ms (1000), mounts (list; default: those of the machine that a job writes to).
std::unique_ptr<Source> makeHostSource();

}  // namespace runglass
