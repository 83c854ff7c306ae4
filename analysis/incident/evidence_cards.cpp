// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/evidence_cards.h"

#include <algorithm>
#include <limits>

#include "analysis/incident/incident_words.h"
#include "analysis/incident/propose.h"
#include "model/time_ranges.h"

namespace runglass {
namespace {

constexpr const char *kLossTitle = "Loss and gradient norm", *kStepsTitle = "Step times of all ranks",
                     *kDeviceTitle = "Clock, power, temperature", *kLogTitle = "Log lines", *kBeganTitle = "Timeline where it began",
                     *kBeforeTitle = "Timeline before it began";

constexpr std::size_t kMaxAsked = 20;  // findings; the root is the first

// A name with a delimiter cannot be part of a selection.
bool isSelectable(const std::string& node) { return !node.empty() && node.find_first_of(",= \n") == std::string::npos; }

std::string selectOf(const Finding& finding, const FindingPlace& place, const RunPlaces& places, bool with_step) {
  std::string out;
  const auto add = [&](const char* key, const std::string& value) { out += (out.empty() ? "" : ",") + std::string(key) + "=" + value; };
  if (!place.ranks.empty())
    add("rank", std::to_string(place.ranks.front()));
  else if (const std::string node = place.nodes.empty() ? "" : places.nodeName(place.nodes.front()); isSelectable(node))
    add("node", node);
  if (with_step && finding.first_step) add("step", std::to_string(*finding.first_step));
  if (const Attempt* attempt = places.attempt(finding.attempt)) add("attempt", std::to_string(attempt->number));
  return out;
}

std::optional<TimeRange> shownOf(const Incident& incident) {
  return incident.range ? std::optional(widened(*incident.range, kMargin)) : std::nullopt;
}

}  // namespace

std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::optional<std::int32_t> rank, const std::string& node) {
  std::vector<IncidentEvidence> cards;
  const std::optional<TimeRange> range = shownOf(incident);
  const std::string select = rank ? "rank=" + std::to_string(*rank) : "";
  cards.push_back({.kind = "steps", .title = kStepsTitle, .caption = "", .range = range, .select = select});
  cards.push_back({.kind = "loss", .title = kLossTitle, .caption = "", .range = range, .select = ""});
  if (isSelectable(node))
    cards.push_back({.kind = "device", .title = kDeviceTitle, .caption = "", .range = range, .select = "node=" + node});
  cards.push_back({.kind = "log", .title = kLogTitle, .caption = "", .range = range, .select = select});
  return cards;
}

std::vector<IncidentEvidence> suggestEvidence(const Incident& incident, std::span<const Finding* const> findings, const RunPlaces& places) {
  if (findings.empty()) return suggestEvidence(incident, std::nullopt, "");
  std::vector<IncidentEvidence> out;
  const std::optional<TimeRange> range = shownOf(incident);
  const auto first_of = [&](auto fits) -> const Finding* {
    const auto found = std::ranges::find_if(findings, [&](const Finding* one) { return fits(*one, placeOf(*one, places)); });
    return found != findings.end() ? *found : nullptr;
  };
  const auto add = [&](const char* kind, const char* title, const Finding& of, std::optional<TimeRange> when, bool with_step) {
    out.push_back({.kind = kind,
                   .title = title,
                   .caption = oneLineOf(of.summary, kMaxSummary),
                   .range = when,
                   .select = selectOf(of, placeOf(of, places), places, with_step)});
  };
  findings = findings.first(std::min(findings.size(), kMaxAsked));
  if (const Finding* loss = first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kLoss; }))
    add("loss", kLossTitle, *loss, range, true);
  // Slowness of a rank shows in the ranks' steps since its start; slowness of the run in the step time.
  const Finding* slow =
      first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kRank && !p.everywhere() && !p.stands; });
  std::optional<TimeRange> since = range;
  if (slow != nullptr && slow->start)
    if (const auto until = placeOf(*slow, places).until; until && *until > *slow->start) since = TimeRange{*slow->start, *until};
  if (slow == nullptr)
    slow = first_of([](const Finding&, const FindingPlace& p) { return p.link == ChainLink::kRank || p.link == ChainLink::kRun; });
  add("steps", kStepsTitle, slow != nullptr ? *slow : *findings.front(), since, false);
  if (slow != nullptr && slow->start && places.traced) {
    constexpr TimeNs kFirst = std::numeric_limits<TimeNs>::min() + kNsPerSecond, kLast = std::numeric_limits<TimeNs>::max() - 2 * kMaxCrop;
    // A rank that hangs records no span that ends: what it did last is what there is to see.
    const bool before = *slow->start >= places.traced->t1;
    const TimeNs begin = std::clamp(before ? places.traced->t1 : *slow->start, kFirst, kLast) - kNsPerSecond;
    const TimeNs end = std::clamp(placeOf(*slow, places).until.value_or(begin), begin + 2 * kNsPerSecond, begin + kMaxCrop);
    add("timeline", before ? kBeforeTitle : kBeganTitle, *slow, TimeRange{begin, before ? begin + 2 * kNsPerSecond : end}, true);
  }
  const auto measured = [&](const FindingPlace& p) {
    return !places.measured || std::ranges::any_of(p.nodes, [&](NodeId node) { return places.measured->contains(node); });
  };
  if (const Finding* of =
          first_of([&](const Finding&, const FindingPlace& p) { return p.link <= ChainLink::kRank && !p.nodes.empty() && measured(p); }))
    add("device", kDeviceTitle, *of, range, false);
  if (const Finding *of = first_of([](const Finding& f, const FindingPlace& p) { return p.stands || f.kind == "hardware_fault"; }))
    add("log", kLogTitle, *of, range, false);
  return out;
}

}  // namespace runglass
