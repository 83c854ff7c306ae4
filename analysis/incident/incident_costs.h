// SPDX-License-Identifier: Apache-2.0
// What each of a run's incidents cost, and all of them together, for a list of them: one read of the restart ledger for all.
//
// Threading:  on the thread of the Reader; the others are pure.
// Units:      as IncidentImpact.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       one readGoodput() and the catalogue of places, then impactOf() for each and once more for all; O(incidents² × items) for
//             who shares what. Never the ranking.
#pragma once

#include <map>
#include <stop_token>

#include "analysis/incident/incident_cost.h"
#include "storage/reader.h"

namespace runglass {

// Its own, else that of its findings; a moment has a length of 1 ns.
std::optional<TimeRange> incidentRange(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places);

struct IncidentCosts {
  std::map<std::string, IncidentImpact> of;  // by uuid
  // Of all but those dismissed: what several of them count is in it once. A lower bound where the cost of one of them is not known.
  Reported<double> gpu_hours;
};

// Both count some of the same time: a part of the same restart, or the same slowness.
bool shareCost(const IncidentImpact& a, const IncidentImpact& b);

// `findings`: of the run; `price`: of a GPU-hour.
Result<IncidentCosts> readIncidentCosts(Reader& reader, const Run& run, std::span<const Incident> incidents,
                                        std::span<const Finding> findings, std::optional<double> price, std::stop_token stop);
// The same where ledger and places were read already.
IncidentCosts incidentCosts(const Goodput& goodput, const RunPlaces& places, RunId run, std::span<const Incident> incidents,
                            std::span<const Finding> findings, std::optional<double> price);

}  // namespace runglass
