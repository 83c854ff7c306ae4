// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_draft.h"

#include <algorithm>

#include "analysis/incident/evidence_cards.h"
#include "analysis/incident/incident_words.h"
#include "analysis/incident/read_proposals.h"
#include "model/edits.h"
#include "model/fault_catalog.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

Incident fresh(const Run& run) {
  Incident incident;
  incident.uuid = randomUuid();
  incident.run = run.id;
  return incident;
}

// A finding that is in no proposal: of severity info, or part of a dismissed incident.
Incident ofOneFinding(const Run& run, const Finding& finding, const RunPlaces& places) {
  Incident incident = fresh(run);
  incident.attempt = finding.attempt;
  incident.severity = finding.severity;
  joinFinding(incident, finding);
  incident.title = incidentTitle(finding, places).english;
  incident.summary = incidentSentence(finding, {}, endedBy(finding, placeOf(finding, places), places), places).english;
  const Finding* const members[] = {&finding};
  incident.evidence = suggestEvidence(incident, members, places);
  return incident;
}

std::string eventWords(const Event& event, const RunPlaces& places) {
  std::string words = event.kind == "xid" || event.kind == "sxid" ? (event.kind == "xid" ? "Xid " : "SXid ") + event.code : event.kind;
  std::ranges::replace(words, '_', ' ');
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  const FaultInfo* const fault = findFault(event.kind, event.code);
  if (fault != nullptr) words += " (" + std::string(fault->meaning) + ")";
  if (event.rank) words += ", rank " + std::to_string(*event.rank);
  if (const std::string node = places.nodeName(event.node); !node.empty()) words += (event.rank ? " on " : ", ") + node;
  return words;
}

std::string placeTitle(const DraftPlace& place, const RunPlaces& places) {
  std::string words;
  if (place.rank) words = "Rank " + std::to_string(*place.rank);
  if (const std::string node = places.nodeName(place.node); !node.empty()) words += words.empty() ? "Node " + node : " on " + node;
  if (place.step) words += (words.empty() ? "Step " : ", step ") + std::to_string(*place.step);
  return words.empty() ? "New incident" : words;
}

// Findings and cards, except duplicates.
void joinParts(Incident& incident, const Incident& other, std::span<const Finding> findings) {
  for (const std::int64_t id : other.findings)
    if (const auto found = std::ranges::find(findings, id, &Finding::id); found != findings.end()) joinFinding(incident, *found);
  for (const IncidentEvidence& card : other.evidence) {
    const auto same = [&](const IncidentEvidence& own) {
      return own.kind == card.kind && own.select == card.select && own.range == card.range;
    };
    if (incident.evidence.size() < kMaxIncidentCards && std::ranges::none_of(incident.evidence, same)) incident.evidence.push_back(card);
  }
}

}  // namespace

bool joinFinding(Incident& incident, const Finding& finding) {
  if (std::ranges::find(incident.findings, finding.id) != incident.findings.end()) return false;
  if (incident.attempt != finding.attempt) incident.attempt = {};
  incident.findings.push_back(finding.id);
  incident.severity = std::max(incident.severity, finding.severity);
  if (!finding.start) return true;
  const TimeNs end = std::max(*finding.start, finding.end.value_or(*finding.start));
  const TimeRange range{*finding.start, end < std::numeric_limits<TimeNs>::max() ? end + 1 : end};
  incident.range = incident.range ? TimeRange{std::min(incident.range->t0, range.t0), std::max(incident.range->t1, range.t1)} : range;
  return true;
}

void joinProposal(Incident& incident, const IncidentProposal& proposal, std::span<const Finding> findings) {
  joinParts(incident, proposal.incident, findings);
}

void joinIncident(Incident& incident, const Incident& other, std::span<const Finding> findings) {
  joinParts(incident, other, findings);
  if (incident.attempt != other.attempt) incident.attempt = {};
  incident.severity = std::max(incident.severity, other.severity);
  if (other.range)
    incident.range = incident.range
                         ? TimeRange{std::min(incident.range->t0, other.range->t0), std::max(incident.range->t1, other.range->t1)}
                         : other.range;
  if (incident.cause.empty()) incident.cause = other.cause;
  if (other.notes.empty()) return;
  incident.notes += (incident.notes.empty() ? "" : "\n\n") + ("### From “" + other.title + "”\n\n") + other.notes;
}

Result<IncidentDraft> draftOfFinding(Reader& reader, const Run& run, std::int64_t finding, std::stop_token stop) {
  RG_ASSIGN(const auto findings, reader.findings(run.id));
  const auto found = std::ranges::find(findings, finding, &Finding::id);
  if (found == findings.end()) return Status(Code::kNotFound, "incident: the run has no finding " + std::to_string(finding));
  RG_ASSIGN(const auto incidents, reader.incidents(run.id));
  for (const Incident& one : incidents)
    if (one.state != IncidentState::kDismissed && std::ranges::find(one.findings, finding) != one.findings.end())
      return IncidentDraft{.incident = one, .stored = true};
  RG_ASSIGN(const Proposals proposals, readProposals(reader, run, findings, incidents, stop));
  for (const IncidentProposal& proposal : proposals.all) {
    if (std::ranges::find(proposal.incident.findings, finding) == proposal.incident.findings.end()) continue;
    if (proposal.joins.empty()) return IncidentDraft{.incident = proposal.incident, .changed = true};
    RG_ASSIGN(Incident joined, reader.incident(proposal.joins));
    joinProposal(joined, proposal, findings);
    return IncidentDraft{.incident = std::move(joined), .stored = true, .changed = true};
  }
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  return IncidentDraft{.incident = ofOneFinding(run, *found, places), .changed = true};
}

Result<IncidentDraft> draftOfEvent(Reader& reader, const Run& run, const Event& event, std::stop_token stop) {
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  if (event.time) {
    RG_ASSIGN(const auto findings, reader.findings(run.id));
    const Finding* nearest = nullptr;
    for (const Finding& one : findings) {
      const FindingPlace place = placeOf(one, places);
      const bool here = event.node ? std::ranges::find(place.nodes, event.node) != place.nodes.end()
                                   : event.rank && std::ranges::find(place.ranks, *event.rank) != place.ranks.end();
      if (one.kind != "hardware_fault" || !here || !place.start || *event.time < *place.start - kMoment) continue;
      if (*event.time > std::max(place.until.value_or(*place.start), *place.start) + kMoment) continue;
      if (nearest == nullptr || one.severity > nearest->severity) nearest = &one;
    }
    if (nearest != nullptr) return draftOfFinding(reader, run, nearest->id, std::move(stop));
  }
  Incident incident = fresh(run);
  incident.attempt = event.attempt;
  incident.severity = std::max(event.severity, Severity::kInfo);
  incident.title = oneLineOf(eventWords(event, places), kMaxDraftTitle);
  incident.summary = oneLineOf(event.message, kMaxSummary);
  if (event.time) {
    // Half-open: a single moment has a length.
    const TimeNs begin = std::min(*event.time, std::numeric_limits<TimeNs>::max() - 1);
    incident.range = {begin, begin + 1};
  }
  incident.evidence = suggestEvidence(incident, event.rank, places.nodeName(event.node));
  return IncidentDraft{.incident = std::move(incident), .changed = true};
}

Result<IncidentDraft> draftOfRank(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop) {
  RG_ASSIGN(const auto findings, reader.findings(run.id));
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  const Finding* worst = nullptr;
  bool worst_is_rank = false;
  for (const Finding& one : findings) {
    if (!place.rank || one.attempt != place.attempt || one.severity <= Severity::kInfo) continue;
    const FindingPlace where = placeOf(one, places);
    const auto of = places.rank_nodes.find(place.attempt);
    const auto node = of != places.rank_nodes.end() ? of->second.find(*place.rank) : std::map<std::int32_t, NodeId>::const_iterator();
    const bool rank = std::ranges::find(where.ranks, *place.rank) != where.ranks.end();
    const bool its_node = of != places.rank_nodes.end() && node != of->second.end() && where.ranks.empty() &&
                          std::ranges::find(where.nodes, node->second) != where.nodes.end();
    if (!rank && !its_node) continue;
    // A finding that names the rank precedes one that names its node, then the more severe one.
    if (worst == nullptr || std::pair(rank, one.severity) > std::pair(worst_is_rank, worst->severity)) worst = &one, worst_is_rank = rank;
  }
  if (worst != nullptr) return draftOfFinding(reader, run, worst->id, std::move(stop));
  return draftOfPlace(reader, run, place, std::move(stop));
}

Result<IncidentDraft> draftOfPlace(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop) {
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, std::move(stop)));
  Incident incident = fresh(run);
  incident.attempt = place.attempt;
  DraftPlace known = place;
  if (const auto of = places.rank_nodes.find(place.attempt); !known.node && place.rank && of != places.rank_nodes.end())
    if (const auto found = of->second.find(*place.rank); found != of->second.end()) known.node = found->second;
  incident.title = oneLineOf(placeTitle(known, places), kMaxDraftTitle);
  incident.range = place.range;
  const std::string node = places.nodeName(known.node);
  incident.evidence = suggestEvidence(incident, place.rank, node);
  return IncidentDraft{.incident = std::move(incident), .changed = true};
}

}  // namespace runglass
