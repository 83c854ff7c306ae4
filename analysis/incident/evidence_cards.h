// SPDX-License-Identifier: Apache-2.0
// The evidence cards that a new incident starts with: what to show, for which time and which ranks or nodes.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     a card without a clock has no range.
// Cost:       O(findings).
#pragma once

#include <span>
#include <vector>

#include "analysis/incident/finding_place.h"
#include "model/incident.h"

namespace runglass {

inline constexpr DurNs kMaxCrop = 5 * 60 * kNsPerSecond;  // of a timeline card; spans are dense

// Root first. Always the steps; the others by kind of finding: the loss where it changed, a crop of the timeline at the worst step, the
// device where a machine or rank is named, log lines where something broke or hung. A run without spans has no timeline to crop. Without
// findings, cards of the whole window. Each card shows kMargin before and after the incident.
std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places);
// For an incident without findings: cards of its whole window, and of the rank and node that the user selected; "": no node.
std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::optional<std::int32_t> rank, const std::string& node);

}  // namespace runglass
