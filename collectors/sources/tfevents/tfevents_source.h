// SPDX-License-Identifier: Apache-2.0
// Source `tfevents`: tails TensorBoard event files. Threading, ownership, cost and configuration: see follow_source.h.
//
// Units:      wall_time of the events.
// Errors:     see follow_source.h; damaged records are tfevents.* issues.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeTfeventsSource();

}  // namespace runglass
