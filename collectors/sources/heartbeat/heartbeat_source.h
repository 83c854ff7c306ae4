// SPDX-License-Identifier: Apache-2.0
// Source `heartbeat`: who this node is: pod, job, hardware, software, and how many trainers run. The beat itself (every 2 s) is the
// agent session's; the hub turns its silence into stale and lost.
//
// Threading:  the agent's thread of this source.
// Ownership:  none.
// Units:      bytes, counts.
// Errors:     what a machine does not tell stays absent.
// Cost:       a few small files every 2 s.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeHeartbeatSource();

}  // namespace runglass
