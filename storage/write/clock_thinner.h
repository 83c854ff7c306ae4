// SPDX-License-Identifier: Apache-2.0
// Reduces the readings of the nodes' clocks to those that a store needs: the corners of a line through them, and the newest reading.
// Internal to storage.
//
// A session's readings are approximated by a line from its last corner. While one straight line passes through all readings since then,
// within each one's error, only the newest is stored, replacing the one before, and only if the stored line deviates by more than that
// reading's error. Session and source are stored only with the first reading of a session.
//
// Threading:  the writer's thread.
// Ownership:  owns its state: one corner and two readings per node and session. Sessions without a reading for an hour are dropped once the
//             node has another one.
// Units:      TimeNs of the node's own clock.
// Cost:       a hash lookup and a few multiplications per reading.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/events.h"

namespace runglass {

class ClockThinner {
 public:
  struct Change {
    ClockReading reading;
    std::optional<TimeNs> replaced;  // the reading of the same node that this one makes redundant
    bool late = false;               // older than the stored readings: changes none of them
  };

  // Newest reading in the file: readings at or before it were already processed.
  void stored(NodeId node, TimeNs newest) { m_nodes[node.value].newest = newest; }
  void add(const ClockReading& reading);
  // Since the last commit, in order.
  const std::vector<Change>& changes() const { return m_changes; }
  void committed();

 private:
  struct Session {
    std::string name;
    TimeNs corner_raw = 0;
    DurNs corner_offset = 0;
    long double least_slope = 0, most_slope = 0;
    bool open = true;                         // no reading since the corner: any slope fits
    ClockReading newest;                      // on the line
    std::optional<ClockReading> provisional;  // the stored one of those since the corner
    std::optional<std::size_t> pending;       // its index in m_changes
  };
  struct NodeState {
    std::vector<Session> sessions;
    std::optional<TimeNs> newest;
  };

  void store(Session& session, const ClockReading& reading);

  std::unordered_map<std::uint64_t, NodeState> m_nodes;
  std::vector<Change> m_changes;
};

}  // namespace runglass
