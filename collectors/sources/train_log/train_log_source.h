// SPDX-License-Identifier: Apache-2.0
// Source `train_log`: follows training logs while they are written (rules: collectors/importers/train_log, docs/log_rules.md).
//
// Threading:  see follow_source.h.
// Ownership:  see follow_source.h.
// Units:      a line without a time gets the time at which it was seen (within 200 ms of being written), except in the backlog.
// Errors:     see follow_source.h; odd lines are train_log.* issues.
// Cost:       see follow_source.h.
// Config:     see follow_source.h.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeTrainLogSource();

}  // namespace runglass
