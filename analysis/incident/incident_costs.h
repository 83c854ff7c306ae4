// SPDX-License-Identifier: Apache-2.0
// What each of a run's incidents cost, for a list of them: one read of the restart ledger for all.
//
// Threading:  on the thread of the Reader; incidentRange() is pure.
// Ownership:  values.
// Units:      as IncidentImpact.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       one readGoodput() and the catalogue of places, then impactOf() for each; never the ranking.
#pragma once

#include <map>
#include <stop_token>

#include "analysis/incident/incident_cost.h"
#include "storage/reader.h"

namespace runglass {

// Its own, else that of its findings; a moment has a length of 1 ns.
std::optional<TimeRange> incidentRange(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places);

// By uuid. `findings`: of the run; `price`: of a GPU-hour.
Result<std::map<std::string, IncidentImpact>> readIncidentCosts(Reader& reader, const Run& run, std::span<const Incident> incidents,
                                                                std::span<const Finding> findings, std::optional<double> price,
                                                                std::stop_token stop);

}  // namespace runglass
