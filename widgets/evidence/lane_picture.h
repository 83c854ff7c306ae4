// SPDX-License-Identifier: GPL-3.0-or-later
// The two lanes of an incident on one axis of minutes: what happened, and what was known when. The incidents view paints them on screen and
// reports on paper by this.
//
// Threading:  any thread that owns the painter.
// Ownership:  values.
// Units:      TimeNs; minutes since the first sign; device-independent pixels.
// Errors:     none.
// Cost:       O(entries log entries), at most kMaxEntries.
#pragma once

#include <vector>

#include "analysis/incident/incident_timeline.h"
#include "widgets/evidence/evidence.h"

namespace runglass {

struct LaneStory {
  std::vector<TimelineEntry> entries;  // by time
  TimeRange range{0, 1};               // finite, with all entries in it
  TimeNs zero = 0;                     // the first sign
};
// `range`: of the incident; one that is not over is drawn to its last entry.
LaneStory laneStory(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero);

int laneStripHeight();
double laneX(const LaneStory& story, TimeNs time, double width);
double laneTop(IncidentLane lane);
double laneBottom();  // of both
void paintLanes(QPainter& painter, QSizeF size, const LaneStory& story, const Theme& theme);

Evidence lanesEvidence(LaneStory story);

}  // namespace runglass
