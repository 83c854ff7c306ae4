// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_costs.h"

#include <algorithm>

#include "analysis/incident/read_proposals.h"

namespace runglass {
namespace {

std::vector<const Finding*> membersOf(const Incident& incident, std::span<const Finding> findings) {
  std::vector<const Finding*> members;
  for (const Finding& one : findings)
    if (one.id != 0 && std::ranges::find(incident.findings, one.id) != incident.findings.end()) members.push_back(&one);
  return members;
}

// The same part of the same attempt, or the same finding's slowness.
bool isSame(const CostItem& a, const CostItem& b) { return a.finding == b.finding && a.attempt == b.attempt && a.what == b.what; }

}  // namespace

std::optional<TimeRange> incidentRange(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places) {
  std::optional<TimeRange> range = incident.range;
  for (const Finding* const one : findings) {
    const FindingPlace place = placeOf(*one, places);
    if (incident.range || !place.start) continue;
    const TimeNs until = place.until.value_or(*place.start);
    range = range ? TimeRange{std::min(range->t0, *place.start), std::max(range->t1, until)} : TimeRange{*place.start, until};
  }
  // Half-open: a single moment has a length.
  if (range && range->t1 <= range->t0) range->t1 = range->t0 + (range->t0 < std::numeric_limits<TimeNs>::max() ? 1 : 0);
  return range;
}

bool shareCost(const IncidentImpact& a, const IncidentImpact& b) {
  return std::ranges::any_of(a.items, [&](const CostItem& one) {
    return std::ranges::any_of(b.items, [&](const CostItem& other) { return isSame(one, other); });
  });
}

IncidentCosts incidentCosts(const Goodput& goodput, const RunPlaces& places, std::span<const Incident> incidents,
                            std::span<const Finding> findings, std::optional<double> price) {
  IncidentCosts costs;
  std::vector<const Finding*> of_all;
  std::vector<const Incident*> counted;
  for (const Incident& incident : incidents) {
    const auto members = membersOf(incident, findings);
    costs.of[incident.uuid] = impactOf(
        {.goodput = goodput, .places = places, .range = incidentRange(incident, members, places), .findings = members, .price = price});
    if (incident.state == IncidentState::kDismissed) continue;
    counted.push_back(&incident);
    for (const Finding* one : members)
      if (std::ranges::find(of_all, one) == of_all.end()) of_all.push_back(one);
  }
  for (const Incident* one : counted)
    for (const Incident* other : counted)
      if (one != other && shareCost(costs.of[one->uuid], costs.of[other->uuid])) costs.of[one->uuid].also_in.push_back(other->title);

  // All findings at once, so that no time counts twice; then the additional cost of incidents without findings.
  std::vector<CostItem> items;
  if (!of_all.empty()) items = impactOf({.goodput = goodput, .places = places, .range = {}, .findings = of_all, .price = {}}).items;
  bool any = false;
  for (const Incident* one : counted) {
    const IncidentImpact& own = costs.of[one->uuid];
    any |= own.gpu_hours.value.has_value();
    costs.gpu_hours.at_least |= own.gpu_hours.at_least || !own.gpu_hours.value;
    if (!membersOf(*one, findings).empty()) continue;
    for (const CostItem& item : own.items) {
      const auto same = std::ranges::find_if(items, [&](const CostItem& known) { return isSame(known, item); });
      if (same == items.end())
        items.push_back(item);
      else if (item.time > same->time)
        *same = item;
    }
  }
  if (!any) {
    costs.gpu_hours.reason = "of none of them is known what it cost";
    return costs;
  }
  double sum = 0;
  for (const CostItem& item : items) {
    sum += item.gpu_hours.value_or(0);
    costs.gpu_hours.at_least |= !item.gpu_hours;
  }
  costs.gpu_hours.value = sum;
  return costs;
}

Result<IncidentCosts> readIncidentCosts(Reader& reader, const Run& run, std::span<const Incident> incidents,
                                        std::span<const Finding> findings, std::optional<double> price, std::stop_token stop) {
  if (incidents.empty()) return IncidentCosts{};
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  RG_ASSIGN(const Goodput goodput, readGoodput(reader, run, findings, std::nullopt, stop));
  if (stop.stop_requested()) return Status(Code::kCancelled, "incidents: superseded");
  return incidentCosts(goodput, places, incidents, findings, price);
}

}  // namespace runglass
