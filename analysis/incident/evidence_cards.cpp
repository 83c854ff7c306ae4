// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/evidence_cards.h"

#include <algorithm>
#include <limits>

#include "analysis/incident/incident_words.h"

namespace runglass {
namespace {

constexpr std::size_t kMostAsked = 20;  // findings; the root is the first

std::string selectOf(const Finding& finding, const FindingPlace& place, const RunPlaces& places, bool with_step) {
  std::string out;
  const auto add = [&](const char* key, const std::string& value) { out += (out.empty() ? "" : ",") + std::string(key) + "=" + value; };
  if (!place.ranks.empty()) add("rank", std::to_string(place.ranks.front()));
  // A name that would end the word cannot be part of a selection.
  else if (const std::string node = place.nodes.empty() ? "" : places.nodeName(place.nodes.front());
           !node.empty() && node.find_first_of(",= \n") == std::string::npos)
    add("node", node);
  if (with_step && finding.first_step) add("step", std::to_string(*finding.first_step));
  if (const Attempt* attempt = places.attempt(finding.attempt)) add("attempt", std::to_string(attempt->number));
  return out;
}

}  // namespace

std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places) {
  std::vector<IncidentEvidence> out;
  const auto first_of = [&](auto fits) -> const Finding* {
    const auto found = std::ranges::find_if(findings, [&](const Finding* one) { return fits(*one, placeOf(*one, places)); });
    return found != findings.end() ? *found : nullptr;
  };
  const auto add = [&](const char* kind, const char* title, const Finding& of, std::optional<TimeRange> range, bool with_step) {
    out.push_back({.kind = kind,
                   .title = title,
                   .caption = oneLineOf(of.summary, kMostSummary),
                   .range = range,
                   .select = selectOf(of, placeOf(of, places), places, with_step)});
  };
  if (findings.empty()) return out;
  findings = findings.first(std::min(findings.size(), kMostAsked));
  if (const Finding* loss = first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kLoss; }))
    add("loss", "Loss and gradient norm", *loss, incident.range, true);
  // A rank's slowness shows in the ranks' steps, from where it began on; the run's in their length.
  const Finding* slow =
      first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kRank && !p.everywhere() && !p.stands; });
  std::optional<TimeRange> since = incident.range;
  if (slow != nullptr && slow->start)
    if (const auto until = placeOf(*slow, places).until; until && *until > *slow->start) since = TimeRange{*slow->start, *until};
  if (slow == nullptr)
    slow = first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kRank || p.link == ChainLink::kRun; });
  add("steps", "Step times of all ranks", slow != nullptr ? *slow : *findings.front(), since, false);
  if (slow != nullptr && slow->start && places.traced) {
    constexpr TimeNs kFirst = std::numeric_limits<TimeNs>::min() + kNsPerSecond, kLast = std::numeric_limits<TimeNs>::max() - 2 * kMostCrop;
    const TimeNs begin = std::clamp(*slow->start, kFirst, kLast) - kNsPerSecond;
    const TimeNs end = std::clamp(placeOf(*slow, places).until.value_or(begin), begin + 2 * kNsPerSecond, begin + kMostCrop);
    add("timeline", "Time line where it began", *slow, TimeRange{begin, end}, true);
  }
  const auto measured = [&](const FindingPlace& p) {
    return !places.measured || std::ranges::any_of(p.nodes, [&](NodeId node) { return places.measured->contains(node); });
  };
  if (const Finding* of =
          first_of([&](const Finding&, const FindingPlace& p) { return p.link <= ChainLink::kRank && !p.nodes.empty() && measured(p); }))
    add("device", "Clock, power, temperature", *of, incident.range, false);
  if (const Finding *of = first_of([](const Finding& f, const FindingPlace& p) { return p.stands || f.kind == "hardware_fault"; }))
    add("log", "Log lines", *of, incident.range, false);
  return out;
}

}  // namespace runglass
