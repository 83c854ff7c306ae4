// SPDX-License-Identifier: Apache-2.0
// Who a ring says its process is, and how its clock stands to ours.
//
// Threading:  pure, but for the clock and the boot id.
// Ownership:  none.
// Units:      ns.
// Errors:     what a ring does not say, or says absurdly, is left out or clamped; its texts must be terminated.
// Cost:       O(1); ringClockOffset reads a small file.
#pragma once

#include "collectors/client/ring_layout.h"
#include "model/topology.h"

namespace runglass {

void applyIdentity(const rgr_identity& identity, Run& run, Attempt& attempt, Rank& rank);
// The texts of a header read from a file end where they must.
void terminateTexts(rgr_header& header);
// TimeNs - the ring's CLOCK_MONOTONIC. A ring of an earlier boot counts from another zero: then its own pair of clocks is the best there
// is.
DurNs ringClockOffset(const rgr_header& header, TimeNs now);
bool isOfThisBoot(const rgr_header& header);

}  // namespace runglass
