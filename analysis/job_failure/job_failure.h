// SPDX-License-Identifier: Apache-2.0
// Analysis `job_failure`: for an attempt that an exception or a signal ended, the rank that failed first and its traceback. Finding
// `job_failed`.
//
// Events are ordered by time, those without a time by their position in the log. Failures after a collective timeout or a hardware fault
// are left to `hangs` and `hardware_faults`, those after an OOM kill of a container to `scheduling`.
//
// Cost:       the events of the run, and one page of log lines per failed attempt.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeJobFailure();

}  // namespace runglass
