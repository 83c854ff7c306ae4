// SPDX-License-Identifier: Apache-2.0
// Source `rdma`: traffic, errors and state of the node's RDMA ports (InfiniBand, RoCE).
//
// Threading:  the agent's thread of this source.
// Units:      bytes per second; counters since the driver was loaded.
// Errors:     start(): UNAVAILABLE where the machine has no RDMA device.
// Cost:       per poll some 6 small reads a port, every 5 s some 25 more.
// Config:     interval_ms = 1000 (at most 10000).
//
// Events: link_down and link_up (with the duration), link_flap (too short to be seen as a state), rdma_errors (compared with the node's
// other ports), rdma_traffic_stopped, rdma_traffic_faded, rdma_traffic_resumed. docs/operate/network.md has the conditions.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeRdmaSource();

}  // namespace runglass
