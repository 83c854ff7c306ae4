// SPDX-License-Identifier: Apache-2.0
// NodeRouter: a Recorder that hands on what is said of a node, its devices and its ranks to the node's own Recorder, as agents on these
// nodes would say it. What belongs to no node (the run, its attempts and their end, groups, checkpoints, values of the whole job, labels of
// the run) goes to the first one.
//
// Threading:  as Recorder; the Recorders behind it are used on the same thread.
// Ownership:  borrows the Recorders.
// Units:      ids are its own: those behind it differ from Recorder to Recorder.
// Errors:     flush() flushes all and returns the first failure.
// Cost:       a look-up in a vector per call; runs and attempts are declared to every Recorder at once, so that what one of them says of a
//             rank needs nothing that another one says.
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
  using Home = std::size_t;  // of m_members; 0 is the first one
  struct Nothing {};
  // What this Recorder gave ids to: who has it, by which id, and what else it takes to declare it to another.
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
  // Where a record of this node, or else of this rank, goes.
  Home homeOf(NodeId node, AttemptId attempt, std::optional<std::int32_t> rank) const;
  // Ids as `home` knows them; a node or device of another home is declared there by its identity.
  NodeId in(Home home, NodeId id);
  DeviceId in(Home home, DeviceId id);
  RunId in(Home home, RunId id) const { return id ? m_runs[id].identity[home] : id; }
  AttemptId in(Home home, AttemptId id) const { return id ? m_attempts[id].identity[home] : id; }

  // The record with such ids.
  template <class Record>
  Record reported(Home home, Record record);

  std::vector<Member> m_members;
  std::map<std::string, Home> m_homes;  // by uuid of node
  Places<NodeId, Node> m_nodes;
  Places<DeviceId, Device> m_devices;        // their `node` is this Recorder's
  Places<RunId, std::vector<RunId>> m_runs;  // known to all, by home
  Places<AttemptId, std::vector<AttemptId>> m_attempts;
  Places<SeriesId> m_series;
  Places<TrackId> m_tracks;
  std::map<std::pair<AttemptId, std::int32_t>, Home> m_ranks;
};

}  // namespace runglass::sim
