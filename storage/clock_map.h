// SPDX-License-Identifier: Apache-2.0
// Corrected time of a node: raw + offset, piecewise linear between its clock readings, never running backwards. Corrected time of a rank:
// that of its node plus the shift of an alignment, by the same rule.
//
// Threading:  one thread, the Reader's.
// Ownership:  owns its readings; ClockMaps borrows the connection of load().
// Units:      TimeNs. Before the first and after the last reading, the offset of that reading applies. An offset within its own error bound
//             counts as zero: it is not distinguishable from zero, and times of the same machine stay as stamped. The shift of an alignment
//             is applied unchanged: the alignment has already weighed its error.
// Errors:     those of SQLite. A lookup that cannot load corrects nothing, and the next load() reports the failure.
// Cost:       O(log readings) per time. The readings of a node and the ranks of an attempt are loaded on first use. After a commit, changed
//             readings are added; shifts and ranks are loaded again only after a commit that changed them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {
namespace sqlite {
class Connection;
}

class ClockMap {
 public:
  // In order of raw time.
  void addReading(TimeNs raw, DurNs offset, DurNs error);
  void add(TimeNs raw, DurNs offset);
  void removeNewest();
  std::optional<TimeNs> newest() const { return m_knots.empty() ? std::nullopt : std::optional(m_knots.back().raw); }
  // The map that is applied before this one; null: none. It must outlive this one.
  void setUnder(const ClockMap* under) { m_under = under; }
  TimeNs corrected(TimeNs raw) const;
  // The lowest raw time whose corrected time is at or after `time`; an end of the int64 range means no bound.
  TimeNs rawFrom(TimeNs time) const;
  // The maximum by which this map alone moves a time.
  DurNs farthest() const { return m_farthest; }
  bool isIdentity() const { return m_offsets == 0 && (m_under == nullptr || m_under->isIdentity()); }

 private:
  struct Knot {
    TimeNs raw;
    DurNs offset;
  };
  TimeNs own(TimeNs raw) const;
  const ClockMap* m_under = nullptr;
  std::vector<Knot> m_knots;
  std::size_t m_offsets = 0;  // knots with an offset other than 0
  DurNs m_farthest = 0;
};

class ClockMaps {
 public:
  // Without `aligned`, ranks use their nodes' time. The connection must outlive this object.
  Status load(sqlite::Connection& db, bool aligned);
  // Null: times of this node need no correction.
  const ClockMap* of(NodeId node) const;
  // For data that a rank of an attempt recorded.
  const ClockMap* of(AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  // For a row that may name a node, a rank or both.
  const ClockMap* of(NodeId node, AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  bool none() const { return m_none; }
  // The maximum by which a time of any node or rank is moved.
  DurNs farthest() const { return m_farthest; }

 private:
  using RankKey = std::pair<std::uint64_t, std::int32_t>;  // attempt, rank
  using RankNodes = std::unordered_map<std::int32_t, NodeId>;
  Status loadChanges();
  Status loadShifts();
  Status loadRankChanges();
  Result<ClockMap> readNode(NodeId node) const;
  Result<RankNodes> readRanks(AttemptId attempt) const;
  NodeId nodeOf(AttemptId attempt, std::int32_t rank) const;

  sqlite::Connection* m_db = nullptr;
  // Caches that lookups fill; they do not change any result.
  mutable std::unordered_map<std::uint64_t, RankNodes> m_ranks;  // by attempt
  mutable std::unordered_map<std::uint64_t, ClockMap> m_nodes;   // pointers to them stay valid until the next load()
  mutable Status m_failure;
  std::int64_t m_change = 0;  // the newest reading in m_nodes
  std::int64_t m_rank_changes = -1;
  std::map<RankKey, ClockMap> m_aligned;                          // on top of their nodes' maps
  std::vector<std::pair<std::uint64_t, TimeNs>> m_shifts_loaded;  // attempt, when its alignment was made
  DurNs m_nodes_farthest = 0;
  bool m_none = true;
  DurNs m_farthest = 0;
};

}  // namespace runglass
