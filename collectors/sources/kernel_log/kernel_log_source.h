// SPDX-License-Identifier: Apache-2.0
// Source `kernel_log`: what this node's kernel says: Xids and other faults as events, the rest as log lines
// (collectors/importers/kernel_log).
//
// Threading:  the agent's thread of this source.
// Ownership:  owns the descriptor of /dev/kmsg.
// Units:      times of /dev/kmsg are the kernel's own, since boot, put on the session's clock.
// Errors:     start(): UNAVAILABLE where /dev/kmsg cannot be read and no `paths` are given (it wants root, CAP_SYSLOG or
//             kernel.dmesg_restrict = 0). A ring that was overwritten, and what is beyond the rate bound, are counted kernel_log.* issues.
// Cost:       every 200 ms one read() without news; at most 1 MiB per poll; 10,000 lines and 2,000 events at once, then 100 and 50 a
// second. Config:     kmsg = "/dev/kmsg" ("" = off), paths = ["/var/log/kern.log", ...] (followed as by follow_source.h, default none).
//             <state_dir>/kernel_log.kmsg keeps the number of the last record and of the boot: nothing is recorded twice.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeKernelLogSource();

}  // namespace runglass
