// SPDX-License-Identifier: Apache-2.0
// Sources `train_log` and `nccl_log`: tail logs (rules: collectors/importers/train_log, docs/formats/log_rules.md). They are one reader
// under two names, so that NCCL's output (NCCL_DEBUG_FILE) can belong to another run or name than the trainer's log.
// Threading, ownership, cost and configuration: see follow_source.h.
//
// Units:      a line without a time gets the time at which it was read (within 200 ms of being written), except in the backlog.
// Errors:     see follow_source.h; unparsable lines are train_log.* issues.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeTrainLogSource();
std::unique_ptr<Source> makeNcclLogSource();

}  // namespace runglass
