// SPDX-License-Identifier: Apache-2.0
// What a printed wall time lacks: its year (syslog's "Jan 21 04:41:44", glog's "E0520 06:31:05.05") or its zone.
//
// Units:  TimeNs.
// Errors: none.
#pragma once

#include "model/time.h"

namespace runglass {

// `in_2000`: the stamp as one of the year 2000, which has every day. The same stamp in the last year in which it is not later
// than `reference` (when the file was modified, or now), but for the day by which clocks and zones differ.
TimeNs inAssumedYear(TimeNs in_2000, TimeNs reference);

// The instant at which a clock on the wall of this machine shows what, read as UTC, is `time`.
TimeNs fromLocalClock(TimeNs time);

}  // namespace runglass
