// SPDX-License-Identifier: Apache-2.0
// Analysis `job_failure`: of an attempt that an exception or a signal ended, the rank that failed first, and its traceback. Finding
// `job_failed`.
//
// Events count in the order of their times, those without one in the order of their log. What a collective timeout or a fault of the
// hardware precedes is left to `hangs` and `hardware_faults`.
//
// Cost: the events of the run, and of each attempt that failed one page of log lines.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeJobFailure();

}  // namespace runglass
