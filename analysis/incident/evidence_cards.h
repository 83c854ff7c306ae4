// SPDX-License-Identifier: Apache-2.0
// Which evidence cards an incident should begin with: what to look at, when, of whom.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     none: a card without a clock has no range.
// Cost:       O(findings).
#pragma once

#include <span>
#include <vector>

#include "analysis/incident/finding_place.h"
#include "model/incident.h"

namespace runglass {

inline constexpr DurNs kMaxCrop = 5 * 60 * kNsPerSecond;  // of a timeline card; spans are dense

// Root first. Steps always; the rest by what the findings are of: loss where it moved, a crop of the timeline at the worst step, the device
// where a machine or rank is named, log lines where something broke or stood. A run without spans has no timeline to crop.
// Without findings those of its time as a whole. Each shows kMargin before and after the incident.
std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places);
// Of what no finding tells: its time as a whole, and of whom somebody pointed at; "": no node.
std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::optional<std::int32_t> rank, const std::string& node);

}  // namespace runglass
