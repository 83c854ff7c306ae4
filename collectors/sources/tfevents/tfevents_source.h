// SPDX-License-Identifier: Apache-2.0
// Source `tfevents`: tails TensorBoard event files.
//
// Threading:  see follow_source.h.
// Ownership:  see follow_source.h.
// Units:      wall_time of the events.
// Errors:     see follow_source.h; damaged records are tfevents.* issues.
// Cost:       see follow_source.h.
// Config:     see follow_source.h.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeTfeventsSource();

}  // namespace runglass
