// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A node's home never changes: that of its uuid, or the first one. Its devices and, after Recorder::rank(), its ranks have the same
//    home.
// 2. Every member has the identity of every run and attempt; other records of runs and attempts go to the first member only.
#include "collectors/sim/node_router.h"

#include "model/recorder_fields.h"

namespace runglass::sim {

NodeRouter::NodeRouter(std::vector<Member> members) : m_members(std::move(members)) {
  RG_CHECK(!m_members.empty());
  for (std::size_t i = 0; i < m_members.size(); ++i) m_homes.emplace(m_members[i].node_uuid, i);
}

NodeRouter::Home NodeRouter::homeOf(AttemptId attempt, std::optional<std::int32_t> rank) const {
  if (!rank) return 0;
  const auto known = m_ranks.find({attempt, *rank});
  return known == m_ranks.end() ? 0 : known->second;
}

NodeRouter::Home NodeRouter::homeOf(NodeId node, AttemptId attempt, std::optional<std::int32_t> rank) const {
  return node ? m_nodes[node].home : homeOf(attempt, rank);
}

NodeId NodeRouter::in(Home home, NodeId id) {
  if (!id) return id;
  const auto& place = m_nodes[id];
  return place.home == home ? place.id : at(home).node(place.identity);
}

DeviceId NodeRouter::in(Home home, DeviceId id) {
  if (!id) return id;
  const auto& place = m_devices[id];
  if (place.home == home) return place.id;
  Device device = place.identity;
  device.node = in(home, device.node);
  return at(home).device(device);
}

template <class Record>
Record NodeRouter::reported(Home home, Record record) {
  mapIds(record, [&](auto id, FieldRole) { return this->in(home, id); });
  return record;
}

NodeId NodeRouter::node(const Node& node) {
  const auto known = m_homes.find(node.uuid);
  const Home home = known == m_homes.end() ? 0 : known->second;
  return m_nodes.add({home, at(home).node(node), {.uuid = node.uuid, .name = node.name}});
}

DeviceId NodeRouter::device(const Device& device) {
  const Home home = homeOf(device.node, {}, std::nullopt);
  return m_devices.add({home, at(home).device(reported(home, device)), {.uuid = device.uuid, .node = device.node, .kind = device.kind}});
}

RunId NodeRouter::run(const Run& run) {
  const Run identity{.uuid = run.uuid, .name = run.name, .time_domain = run.time_domain, .simulated = run.simulated};
  std::vector<RunId> ids{at(0).run(run)};
  for (Home home = 1; home < m_members.size(); ++home) ids.push_back(at(home).run(identity));
  return m_runs.add({0, ids[0], std::move(ids)});
}

AttemptId NodeRouter::attempt(const Attempt& attempt) {
  std::vector<AttemptId> ids;
  for (Home home = 0; home < m_members.size(); ++home) {
    Attempt said = home == 0 ? attempt : Attempt{.key = attempt.key};
    said.run = in(home, attempt.run);
    ids.push_back(at(home).attempt(said));
  }
  return m_attempts.add({0, ids[0], std::move(ids)});
}

void NodeRouter::rank(const Rank& rank) {
  const Home home = homeOf(rank.node, rank.attempt, rank.rank);
  m_ranks[{rank.attempt, rank.rank}] = home;
  at(home).rank(reported(home, rank));
}

void NodeRouter::fact(const Fact& fact) {
  const Home home = homeOf(fact.node, fact.attempt, fact.rank);
  at(home).fact(reported(home, fact));
}

void NodeRouter::checkpoint(const Checkpoint& checkpoint) { at(0).checkpoint(reported(0, checkpoint)); }

void NodeRouter::group(const CommGroup& group) { at(0).group(reported(0, group)); }

SeriesId NodeRouter::series(const SeriesKey& key) {
  const Home home = key.device ? m_devices[key.device].home : homeOf(key.node, key.attempt, key.rank);
  return m_series.add({home, at(home).series(reported(home, key)), {}});
}

TrackId NodeRouter::track(const TrackKey& key) {
  const Home home = homeOf(key.attempt, key.rank);
  return m_tracks.add({home, at(home).track(reported(home, key)), {}});
}

void NodeRouter::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  const auto& place = m_series[series];
  at(place.home).samples(place.id, time, value);
}

void NodeRouter::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) {
  const auto& place = m_series[series];
  at(place.home).scalars(place.id, step, time, value);
}

void NodeRouter::spans(TrackId track, const SpanColumns& spans) {
  const auto& place = m_tracks[track];
  at(place.home).spans(place.id, spans);
}

void NodeRouter::event(const Event& event) {
  const Home home = homeOf(event.node, event.attempt, event.rank);
  at(home).event(reported(home, event));
}

void NodeRouter::log(const LogLine& line) {
  const Home home = homeOf(line.node, line.attempt, line.rank);
  at(home).log(reported(home, line));
}

void NodeRouter::progress(const Progress& progress) {
  const Home home = homeOf(progress.attempt, progress.rank);
  at(home).progress(reported(home, progress));
}

void NodeRouter::issue(const Issue& issue) { at(0).issue(issue); }

void NodeRouter::label(const Label& label) {
  const Home home = homeOf(label.node, label.attempt, label.rank);
  at(home).label(reported(home, label));
}

void NodeRouter::clock(const ClockReading& reading) {
  const Home home = homeOf(reading.node, {}, std::nullopt);
  at(home).clock(reported(home, reading));
}

void NodeRouter::capture(const Capture& capture) {
  const Home home = homeOf(capture.node, capture.attempt, capture.rank);
  at(home).capture(reported(home, capture));
}

Status NodeRouter::flush() {
  Status first;
  for (const Member& member : m_members)
    if (Status status = member.out->flush(); first.ok()) first = std::move(status);
  return first;
}

}  // namespace runglass::sim
