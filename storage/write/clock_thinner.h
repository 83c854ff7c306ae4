// SPDX-License-Identifier: Apache-2.0
// Which readings of the nodes' clocks a store needs: the corners of a line through them, and the newest reading. Internal to storage.
//
// A session's readings are followed by a line from its last corner: while one straight line passes through all readings since then,
// within each one's error, only the newest is stored, in place of the one before, and only where the stored line is off by more than that
// reading's error. Session and source are stored with the first reading of a session alone.
//
// Threading:  the writer's thread.
// Ownership:  owns its state: one corner and two readings per node and session; sessions without a reading for an hour are dropped once
//             the node has another one.
// Units:      TimeNs of the node's own clock.
// Cost:       a hash lookup and a few multiplications a reading.
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
    std::optional<TimeNs> replaced;  // the reading of the same node that this one makes unnecessary
    bool late = false;               // older than what is stored: it changes nothing that is there
  };

  // What the file has: readings at or before it were weighed when they came.
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
    bool open = true;                         // no reading since the corner: any slope will do
    ClockReading newest;                      // that the line passes through
    std::optional<ClockReading> provisional;  // of those since the corner the one that is stored
    std::optional<std::size_t> pending;       // its place in m_changes
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
