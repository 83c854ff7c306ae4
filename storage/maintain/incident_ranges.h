// SPDX-License-Identifier: Apache-2.0
// The times that an incident pins: its range and those of its cards, with a margin. Internal to storage.
//
// Units:      TimeNs of corrected time; half-open.
// Cost:       O(cards log cards).
#pragma once

#include <vector>

#include "model/incident.h"

namespace runglass {

// The range; an open-ended one ends at the incident's last change, once the incident is no longer open.
TimeRange pastOf(const Incident& incident, TimeRange range);
// The times that retention must keep; none for a dismissed incident. While the incident is open, an open-ended range also pins all later
// data.
std::vector<TimeRange> pinnedRanges(const Incident& incident);

}  // namespace runglass
