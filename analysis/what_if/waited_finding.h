// SPDX-License-Identifier: Apache-2.0
// The finding that all ranks wait for one in their collectives (analysis/collectives/waited_rank.h), for traces whose steps cannot be
// replayed.
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       as readCollectives().
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

struct WaitedLook {
  std::optional<Finding> finding;  // absent: no rank is waited for
  TimeRange looked{0, 0};          // the part of the trace that was read, its newest
};
Result<WaitedLook> waitedFinding(Reader& reader, RunId run, const Attempt& attempt, const std::map<NodeId, std::string>& nodes,
                                 const std::stop_token& stop);

}  // namespace runglass
