// SPDX-License-Identifier: Apache-2.0
// NodeRouter: a Recorder that passes the records of a node, its devices and its ranks to the node's own Recorder, as agents on these nodes
// would send them. Records that belong to no node (the run, its attempts and their end, groups, checkpoints, values of the whole job,
// labels of the run) go to the first one.
//
// Threading:  as Recorder; the members' Recorders are used on the same thread.
// Ownership:  borrows the Recorders.
// Units:      ids are the router's own; each member's Recorder has different ones.
// Errors:     flush() flushes all and returns the first failure.
// Cost:       a look-up in a vector per call. Runs and attempts are declared to every Recorder at once, so that the records of one Recorder
//             never depend on those of another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/recorder.h"
#include "model/result.h"

namespace runglass::sim {

class NodeRouter : public Recorder {
 public:
  struct Member {
    std::string node_uuid;
    Recorder* out;
  };
  // At least one.
  explicit NodeRouter(std::vector<Member> members);

  NodeId node(const Node& node) override;
  DeviceId device(const Device& device) override;
  RunId run(const Run& run) override;
  AttemptId attempt(const Attempt& attempt) override;
  void rank(const Rank& rank) override;
  void fact(const Fact& fact) override;
  void checkpoint(const Checkpoint& checkpoint) override;
  void group(const CommGroup& group) override;
  SeriesId series(const SeriesKey& key) override;
  TrackId track(const TrackKey& key) override;
  void samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) override;
  void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override;
  void spans(TrackId track, const SpanColumns& spans) override;
  void event(const Event& event) override;
  void log(const LogLine& line) override;
  void progress(const Progress& progress) override;
  void issue(const Issue& issue) override;
  void label(const Label& label) override;
  void clock(const ClockReading& reading) override;
  void capture(const Capture& capture) override;
  Status flush() override;

 private:
  using Home = std::size_t;  // index into m_members; 0 is the first one
  struct Nothing {};
  // Ids given by this Recorder: the home of each, its id there, and the identity needed to declare it to another member.
  template <class Id, class Identity = Nothing>
  class Places {
   public:
    struct Place {
      Home home;
      Id id;
      Identity identity;
    };
    Id add(Place place) {
      const auto [it, is_new] = m_ids.try_emplace({place.home, place.id}, Id{m_places.size() + 1});
      if (is_new) m_places.push_back(std::move(place));
      return it->second;
    }
    const Place& operator[](Id id) const {
      RG_CHECK(id && id.value <= m_places.size());
      return m_places[id.value - 1];
    }

   private:
    std::vector<Place> m_places;
    std::map<std::pair<Home, Id>, Id> m_ids;
  };

  Recorder& at(Home home) { return *m_members[home].out; }
  Home homeOf(AttemptId attempt, std::optional<std::int32_t> rank) const;
  // The home of a record of this node, or else of this rank.
  Home homeOf(NodeId node, AttemptId attempt, std::optional<std::int32_t> rank) const;
  // The id at `home`; a node or device of another home is declared there by its identity.
  NodeId in(Home home, NodeId id);
  DeviceId in(Home home, DeviceId id);
  RunId in(Home home, RunId id) const { return id ? m_runs[id].identity[home] : id; }
  AttemptId in(Home home, AttemptId id) const { return id ? m_attempts[id].identity[home] : id; }

  // The record with the ids of `home`.
  template <class Record>
  Record reported(Home home, Record record);

  std::vector<Member> m_members;
  std::map<std::string, Home> m_homes;  // by the node's uuid
  Places<NodeId, Node> m_nodes;
  Places<DeviceId, Device> m_devices;        // with `node` ids of this Recorder
  Places<RunId, std::vector<RunId>> m_runs;  // declared to all, by home
  Places<AttemptId, std::vector<AttemptId>> m_attempts;
  Places<SeriesId> m_series;
  Places<TrackId> m_tracks;
  std::map<std::pair<AttemptId, std::int32_t>, Home> m_ranks;
};

}  // namespace runglass::sim
