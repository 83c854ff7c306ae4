// SPDX-License-Identifier: Apache-2.0
// Source `ethernet`: traffic, errors, drops, pauses and links of the node's network interfaces.
//
// Threading:  the agent's thread of this source.
// Units:      bytes per second; counters since boot.
// Errors:     start(): UNAVAILABLE where /proc/net/dev cannot be read.
// Cost:       per poll one file and two small reads for each adapter; every 10 s an ioctl for each.
// Config:     interval_ms = 1000.
//
// Events: link_down, link_up (with the duration), link_flap; for interfaces with an adapter and for bonds, not for those of containers.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeEthernetSource();

}  // namespace runglass
