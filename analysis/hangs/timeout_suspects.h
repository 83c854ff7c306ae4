// SPDX-License-Identifier: Apache-2.0
// The ranks that differ from the others in the lines of the collective watchdogs, of which each rank prints its own.
//
// Threading:  pure.
// Errors:     events without a rank or a number are ignored.
// Cost:       O(events x log events).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/events.h"

namespace runglass {

struct TimeoutSuspects {
  std::vector<HangMember> culprits;   // kAwaited, kBehind or kMismatched; empty: none differs, or no majority agrees
  std::optional<HangGroup> mismatch;  // of kMismatched
  bool same = true;                   // all ranks timed out in the same operation of the same number
};
// `timeouts`: events `collective_timeout`; `states`: `collective_state`; both of one attempt. In this order, within one process group:
// ranks that the timeouts name as their peer and that have none themselves; ranks that have not enqueued the operation after the last that
// any rank completed; that completed the fewest; that timed out in an earlier operation; that called another operation, or the same one
// with another size, under the same number.
TimeoutSuspects suspectsOf(std::span<const Event> timeouts, std::span<const Event> states);

// Whether all members of a communicator must pass buffers of the same size to the operation.
bool needsEqualSizes(std::string_view op);

}  // namespace runglass
