// SPDX-License-Identifier: Apache-2.0
// Source `heartbeat`: identity of this node: pod, job, hardware, software, and the number of trainers. The heartbeat itself (every 2 s) is
// sent by the agent's session; the hub derives the states stale and lost from its silence.
//
// Threading:  the agent's thread of this source.
// Units:      bytes, counts.
// Errors:     values not available on the machine stay absent.
// Cost:       a few small files every 2 s.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeHeartbeatSource();

}  // namespace runglass
