// SPDX-License-Identifier: Apache-2.0
// The identity of a ring's process, and the offset of its clock.
//
// Threading:  pure, but for the clock and the boot id.
// Units:      ns.
// Errors:     missing or absurd fields are left out or clamped; texts must be terminated first.
// Cost:       O(1); ringClockOffset reads a small file.
#pragma once

#include "collectors/client/ring_layout.h"
#include "model/topology.h"

namespace runglass {

void applyIdentity(const rgr_identity& identity, Run& run, Attempt& attempt, Rank& rank);
// Terminates the texts of a header read from a file.
void terminateTexts(rgr_header& header);
// TimeNs - the ring's CLOCK_MONOTONIC. A ring of an earlier boot has another zero: then its own pair of clock readings is the best
// estimate.
DurNs ringClockOffset(const rgr_header& header, TimeNs now);
bool isOfThisBoot(const rgr_header& header);

}  // namespace runglass
