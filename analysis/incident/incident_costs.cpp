// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_costs.h"

#include <algorithm>

#include "analysis/incident/read_proposals.h"

namespace runglass {

std::optional<TimeRange> incidentRange(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places) {
  std::optional<TimeRange> range = incident.range;
  for (const Finding* const one : findings) {
    const FindingPlace place = placeOf(*one, places);
    if (incident.range || !place.start) continue;
    const TimeNs until = place.until.value_or(*place.start);
    range = range ? TimeRange{std::min(range->t0, *place.start), std::max(range->t1, until)} : TimeRange{*place.start, until};
  }
  // Half-open: a moment has a length.
  if (range && range->t1 <= range->t0) range->t1 = range->t0 + (range->t0 < std::numeric_limits<TimeNs>::max() ? 1 : 0);
  return range;
}

Result<std::map<std::string, IncidentImpact>> readIncidentCosts(Reader& reader, const Run& run, std::span<const Incident> incidents,
                                                                std::span<const Finding> findings, std::optional<double> price,
                                                                std::stop_token stop) {
  std::map<std::string, IncidentImpact> costs;
  if (incidents.empty()) return costs;
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  RG_ASSIGN(const Goodput goodput, readGoodput(reader, run, findings, std::nullopt, stop));
  for (const Incident& incident : incidents) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "incidents: superseded");
    std::vector<const Finding*> members;
    for (const Finding& one : findings)
      if (one.id != 0 && std::ranges::find(incident.findings, one.id) != incident.findings.end()) members.push_back(&one);
    costs[incident.uuid] = impactOf({.goodput = goodput,
                                     .places = places,
                                     .run = run.id,
                                     .range = incidentRange(incident, members, places),
                                     .findings = members,
                                     .price = price});
  }
  return costs;
}

}  // namespace runglass
