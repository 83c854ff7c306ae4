// SPDX-License-Identifier: Apache-2.0
// Source `host`: state of the machine: CPU, memory, pressure, disks, mounts, trainers' processes, and the kernel's compaction and huge-page
// counters that explain stalls of large-memory trainers.
//
// Threading:  the agent's thread of this source.
// Units:      ratios 0..1, bytes, bytes_per_s, ns.
// Errors:     files that this kernel lacks are left out; a mount that does not answer within 2 s is an event, once per stall.
// Cost:       about 15 small files a second; /proc/PID scanned every 5 s for processes with RANK in their environment.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

// Config [source.host]: interval_ms (1000), mounts (list; default: the machine's mounts that a job can write to).
std::unique_ptr<Source> makeHostSource();

}  // namespace runglass
