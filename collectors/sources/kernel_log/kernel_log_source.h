// SPDX-License-Identifier: Apache-2.0
// Source `kernel_log`: this node's kernel log: Xids and other faults as events, the rest as log lines (collectors/importers/kernel_log).
//
// Threading:  the agent's thread of this source.
// Ownership:  owns the descriptor of /dev/kmsg.
// Units:      times of /dev/kmsg are the kernel's, since boot, converted to the session's clock.
// Errors:     start(): UNAVAILABLE where /dev/kmsg cannot be read and no `paths` are given (it requires root, CAP_SYSLOG or
//             kernel.dmesg_restrict = 0). Lost records of an overwritten ring and those beyond the rate limit are counted kernel_log.*
//             issues.
// Cost:       every 200 ms one read() without new data; at most 1 MiB per poll; 10,000 lines and 2,000 events at once, then 100 and 50 a
//             second.
// Config:     kmsg = "/dev/kmsg" ("" = off), paths = ["/var/log/kern.log", ...] (tailed as in follow_source.h, default none).
//             <state_dir>/kernel_log.kmsg stores the number of the last record and the boot id: nothing is recorded twice.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeKernelLogSource();

}  // namespace runglass
