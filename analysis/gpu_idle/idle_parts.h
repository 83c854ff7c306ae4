// SPDX-License-Identifier: Apache-2.0
// Idle time from the parts of steps that trainers tell: what the host did while it had nothing issued. Coarser than spans: the device may
// have worked on what was issued before.
//
// Threading:  the kernel anywhere; readPartIdle() on the thread of the Reader.
// Ownership:  values.
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
  double untold = 0;                        // ns of steps in no part, where waiting for peers was not told either
  double delay = 0;                         // ns in which the training thread was ready and had no CPU
  bool comm_reported = false, delay_reported = false;
  std::array<bool, kStepPartColumns> reported{};  // some rank has the column
  bool any() const { return tally.window > 0; }
};

// Steady steps and saves; other phases never count. Columns of a rank's step become causes: data, gc, checkpoint, host (kHostBound), and
// what is in no part kUnexplained, where the waiting of communication is told. A save that has no column of its own costs what its step
// takes longer than the median steady one, up to what is in no part.
PartIdle partIdle(std::span<const StepFrame> frames, const std::vector<Rank>& ranks);

Result<PartIdle> readPartIdle(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop);

}  // namespace runglass
