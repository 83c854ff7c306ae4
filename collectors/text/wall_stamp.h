// SPDX-License-Identifier: Apache-2.0
// Completes a printed wall time that lacks its year (syslog's "Jan 21 04:41:44", glog's "E0520 06:31:05.05") or its zone.
//
// Units:      TimeNs.
#pragma once

#include "model/time.h"

namespace runglass {

// `in_2000`: the stamp in the leap year 2000. Returns it in the last year in which it is not later than `reference` (the file's
// modification time, or now), with one day of tolerance for differing clocks and zones.
TimeNs inAssumedYear(TimeNs in_2000, TimeNs reference);

// `time`: the local wall-clock reading of this machine, interpreted as UTC. Returns the instant it stands for.
TimeNs fromLocalClock(TimeNs time);

}  // namespace runglass
