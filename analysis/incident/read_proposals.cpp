// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/read_proposals.h"

#include <algorithm>
#include <map>

#include "analysis/incident/evidence_cards.h"
#include "analysis/incident/incident_words.h"

namespace runglass {

Result<RunPlaces> readRunPlaces(Reader& reader, const Run& run, std::stop_token stop) {
  RunPlaces places{.run_uuid = run.uuid, .nodes = {}, .attempts = {}, .rank_nodes = {}, .last_data = run.end};
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Node& node : nodes) places.nodes[node.id] = node;
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  for (const Attempt& attempt : attempts) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "incidents: superseded");
    places.attempts[attempt.id] = attempt;
    RG_ASSIGN(const auto ranks, reader.ranks(attempt.id));
    for (const Rank& rank : ranks) places.rank_nodes[attempt.id][rank.rank] = rank.node;
  }
  RG_ASSIGN(const auto series, reader.series({.run = run.id}));
  for (const Series& one : series)
    if (one.last_time) places.last_data = std::max(places.last_data.value_or(*one.last_time), *one.last_time);
  RG_ASSIGN(const auto devices, reader.devices());
  std::map<DeviceId, NodeId> node_of;
  for (const Device& one : devices) node_of[one.id] = one.node;
  RG_ASSIGN(const auto gauges, reader.series({.kind = SeriesKind::kGauge}));
  places.measured.emplace();
  for (const Series& one : gauges) {
    if (one.sample_count == 0 || one.key.attempt) continue;
    if (one.key.node) places.measured->insert(one.key.node);
    if (const auto node = node_of.find(one.key.device); node != node_of.end()) places.measured->insert(node->second);
  }
  RG_ASSIGN(places.traced, reader.spanExtent(run.id));
  return places;
}

Result<Proposals> readProposals(Reader& reader, const Run& run, std::span<const Finding> findings, std::span<const Incident> incidents,
                                std::stop_token stop) {
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  Proposals out = proposeIncidents(findings, places, incidents, stop);
  if (stop.stop_requested()) return Status(Code::kCancelled, "incidents: superseded");
  for (const Incident& incident : incidents) {
    const auto root = std::ranges::find_if(
        findings, [&](const Finding& one) { return !incident.findings.empty() && one.id == incident.findings.front(); });
    if (root == findings.end()) continue;
    words::Sentence title = incidentTitle(*root, places);
    if (title.english == incident.title) out.titles.emplace(incident.uuid, std::move(title));
  }
  for (IncidentProposal& one : out.all) {
    one.incident.run = run.id;
    std::vector<const Finding*> members;
    for (const std::size_t i : one.members) members.push_back(&findings[i]);
    one.incident.evidence = suggestEvidence(one.incident, members, places);
  }
  return out;
}

}  // namespace runglass
