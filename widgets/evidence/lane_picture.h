// SPDX-License-Identifier: GPL-3.0-or-later
// The two lanes of an incident on one axis of minutes: the events, and the information available at the time. The incidents view uses it on
// screen, reports on paper.
//
// Threading:  any thread that owns the painter.
// Units:      TimeNs; minutes since the first sign; device-independent pixels.
// Cost:       O(entries log entries), at most kMaxEntries.
#pragma once

#include <vector>

#include "analysis/incident/incident_timeline.h"
#include "widgets/evidence/evidence.h"

namespace runglass {

struct LaneStory {
  std::vector<TimelineEntry> entries;  // by time
  TimeRange range{0, 1};               // finite, contains all entries
  TimeNs zero = 0;                     // the first sign
};
// `range`: of the incident; an ongoing one is drawn up to its last entry.
LaneStory laneStory(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero);

int laneStripHeight();
double laneX(const LaneStory& story, TimeNs time, double width);
double laneTop(IncidentLane lane);
double laneBottom();  // bottom edge of both lanes
void paintLanes(QPainter& painter, QSizeF size, const LaneStory& story, const Theme& theme);

Evidence lanesEvidence(LaneStory story);

}  // namespace runglass
