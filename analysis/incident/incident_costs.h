// SPDX-License-Identifier: Apache-2.0
// The cost of each of a run's incidents and of all together, for a list: goodput is read once for all.
//
// Threading:  read functions on the thread of the Reader; the others are pure.
// Units:      as IncidentImpact.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       one readGoodput() and the catalogue of places, then impactOf() for each incident and once for all; O(incidents² × items) to
//             find shared costs. The ranking is not read.
#pragma once

#include <map>
#include <stop_token>

#include "analysis/incident/incident_cost.h"
#include "storage/reader.h"

namespace runglass {

// Its own range, else that of its findings; a single moment has a length of 1 ns.
std::optional<TimeRange> incidentRange(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places);

struct IncidentCosts {
  std::map<std::string, IncidentImpact> of;  // by uuid
  // The cost of all that are not dismissed; shared costs count once. A lower bound where the cost of one is unknown.
  Reported<double> gpu_hours;
};

// Whether both count some of the same time: a part of the same restart, or the same slowness.
bool shareCost(const IncidentImpact& a, const IncidentImpact& b);

// `findings`: of the run; `price`: per GPU-hour.
Result<IncidentCosts> readIncidentCosts(Reader& reader, const Run& run, std::span<const Incident> incidents,
                                        std::span<const Finding> findings, std::optional<double> price, std::stop_token stop);
// The same, with goodput and places read already.
IncidentCosts incidentCosts(const Goodput& goodput, const RunPlaces& places, std::span<const Incident> incidents,
                            std::span<const Finding> findings, std::optional<double> price);

}  // namespace runglass
