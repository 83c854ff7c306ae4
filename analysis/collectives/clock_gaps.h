// SPDX-License-Identifier: Apache-2.0
// How far the clocks of the ranks of an attempt may be apart, read from a store.
//
// Threading:  on the thread of the Reader; the answer from any thread.
// Ownership:  the answer owns what it knows.
// Units:      DurNs.
// Errors:     the Reader's.
// Cost:       one look-up a node.
#pragma once

#include <vector>

#include "analysis/collectives/collective_waits.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

// At `time`. Ranks of one node share a clock. A rank whose node is not known is taken to share its clock with others of that kind only.
Result<ClockGapOf> readClockGaps(Reader& reader, const std::vector<Rank>& ranks, TimeNs time);

}  // namespace runglass
