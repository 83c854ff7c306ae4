// SPDX-License-Identifier: Apache-2.0
// Analysis `job_failure`: for an attempt that an exception or a signal ended, the rank that failed first and its traceback, with the
// timeouts and failures that followed from it; a process of a rank that the kernel killed or that crashed. Finding `job_failed`.
//
// What began with a fault of a machine, a hang or a pod is left to `hardware_faults`, `hangs` and `scheduling`: see causeOf().
//
// Cost:       the events of the run, and one page of log lines per failed attempt.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeJobFailure();

}  // namespace runglass
