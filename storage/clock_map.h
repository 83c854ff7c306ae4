// SPDX-License-Identifier: Apache-2.0
// Corrected time of a node: raw + offset, piecewise linear between the readings of its clock, never running backwards; and of a rank:
// its node's, then what an alignment adds, by the same rule.
//
// Threading:  one thread, the Reader's.
// Ownership:  owns its readings.
// Units:      TimeNs. Before the first and after the last reading the offset is theirs. An offset within its own error bound is none:
//             it cannot be told from zero, and times of the same machine stay as they were stamped. A shift of an alignment is taken
//             as it is: whoever made it has weighed its error.
// Errors:     those of SQLite.
// Cost:       O(log readings) a time. Readings are read again only after a commit, shifts only after one that changed them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "storage/sqlite/connection.h"

namespace runglass {

class ClockMap {
 public:
  // In order of raw time.
  void addReading(TimeNs raw, DurNs offset, DurNs error);
  void add(TimeNs raw, DurNs offset);
  // What corrects a time before this does; null: nothing. It must outlive this.
  void setUnder(const ClockMap* under) { m_under = under; }
  TimeNs corrected(TimeNs raw) const;
  // The least raw time whose corrected time is at or after `time`; the ends of int64 stand for no bound.
  TimeNs rawFrom(TimeNs time) const;
  // No time is moved farther than this by the map itself.
  DurNs farthest() const { return m_farthest; }
  bool isIdentity() const { return m_identity && (m_under == nullptr || m_under->isIdentity()); }

 private:
  struct Knot {
    TimeNs raw;
    DurNs offset;
  };
  TimeNs own(TimeNs raw) const;
  const ClockMap* m_under = nullptr;
  std::vector<Knot> m_knots;
  bool m_identity = true;
  DurNs m_farthest = 0;
};

class ClockMaps {
 public:
  // Without `aligned`, ranks have their nodes' time.
  Status load(sqlite::Connection& db, bool aligned);
  // Null: times of this node are right as they are.
  const ClockMap* of(NodeId node) const {
    const auto it = m_nodes.find(node.value);
    return it == m_nodes.end() || it->second.isIdentity() ? nullptr : &it->second;
  }
  // The same for what a rank of an attempt recorded.
  const ClockMap* of(AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  // The same for a row that may name either.
  const ClockMap* of(NodeId node, AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  bool none() const { return m_none; }
  // No time of anybody is moved farther than this.
  DurNs farthest() const { return m_farthest; }

 private:
  using RankKey = std::pair<std::uint64_t, std::int32_t>;  // attempt, rank
  Status loadReadings(sqlite::Connection& db);
  Status loadShifts(sqlite::Connection& db);

  std::map<RankKey, NodeId> m_ranks;
  std::unordered_map<std::uint64_t, ClockMap> m_nodes;
  std::map<RankKey, ClockMap> m_aligned;                          // over their nodes' maps
  std::vector<std::pair<std::uint64_t, TimeNs>> m_shifts_loaded;  // attempt, when its alignment was made
  bool m_none = true;
  DurNs m_farthest = 0;
};

}  // namespace runglass
