// SPDX-License-Identifier: Apache-2.0
// Reads what causeOf() judges: the events of a run, and the nodes of an attempt's ranks.
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's.
// Cost:       five reads; one per attempt.
#pragma once

#include <vector>

#include "analysis/one_fault/attempt_cause.h"
#include "model/events.h"
#include "storage/reader.h"

namespace runglass {

// Those of at least severity warning, oldest first; then the recoveries of links and nodes, and processes without the name of a trainer
// that the kernel reports as dead. A `range` leaves out events without a time.
Result<std::vector<Event>> endEvents(Reader& reader, RunId run, TimeRange range = {});
// Processes that the kernel reports as dead, oldest first.
Result<std::vector<Event>> deathEvents(Reader& reader, RunId run, TimeRange range = {});
Result<NodesOfRanks> placesOfRanks(Reader& reader, const Attempt& attempt);

}  // namespace runglass
