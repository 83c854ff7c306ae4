// SPDX-License-Identifier: Apache-2.0
// Idle time from the parts of steps that trainers report: the host's activity while it issued nothing. Coarser than spans: the device may
// have been busy with work issued earlier.
//
// Threading:  the kernel anywhere; readPartIdle() on the thread of the Reader.
// Units:      ns.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       the kernel O(ranks x steps); reading as StepFeed, the newest kIdleSteps.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "analysis/gpu_idle/idle_answer.h"
#include "analysis/gpu_idle/idle_tally.h"
#include "analysis/steps/step_frame.h"
#include "model/topology.h"

namespace runglass {

struct PartIdle {
  IdleTally tally;
  double work = 0, transfer = 0, wait = 0;  // ns: forward, backward, optimizer and others; communication
  double untold = 0;                        // ns of steps in no part, where waiting for peers is not recorded either
  double delay = 0;                         // ns in which the training thread was runnable without a CPU
  bool comm_reported = false, delay_reported = false;
  std::array<bool, kStepPartColumns> reported{};  // some rank has the column
  bool any() const { return tally.window > 0; }
};

// Uses steady steps and saves only. Columns of a rank's step become causes: data, gc, checkpoint, host (kHostBound); the time in no part is
// kUnexplained where communication is recorded. A save without a column of its own costs the excess of its step over the median steady one,
// at most the time in no part.
PartIdle partIdle(std::span<const StepFrame> frames, const std::vector<Rank>& ranks);

Result<PartIdle> readPartIdle(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop);

}  // namespace runglass
