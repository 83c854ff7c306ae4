// SPDX-License-Identifier: Apache-2.0
// Corrected time of a node: raw + offset, piecewise linear between the readings of its clock, never running backwards; and of a rank:
// its node's, then what an alignment adds, by the same rule.
//
// Threading:  one thread, the Reader's.
// Ownership:  owns its readings; ClockMaps borrows the connection of load().
// Units:      TimeNs. Before the first and after the last reading the offset is theirs. An offset within its own error bound is none:
//             it cannot be told from zero, and times of the same machine stay as they were stamped. A shift of an alignment is taken
//             as it is: whoever made it has weighed its error.
// Errors:     those of SQLite; where a question had to load and could not, it corrects nothing and the next load() reports it.
// Cost:       O(log readings) a time. The readings of a node and the ranks of an attempt are loaded when they are first asked for; after a
//             commit the readings that it changed are added, shifts and ranks are read again only after one that changed them.
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
  // What corrects a time before this does; null: nothing. It must outlive this.
  void setUnder(const ClockMap* under) { m_under = under; }
  TimeNs corrected(TimeNs raw) const;
  // The least raw time whose corrected time is at or after `time`; the ends of int64 stand for no bound.
  TimeNs rawFrom(TimeNs time) const;
  // No time is moved farther than this by the map itself.
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
  std::size_t m_offsets = 0;  // knots that move a time
  DurNs m_farthest = 0;
};

class ClockMaps {
 public:
  // Without `aligned`, ranks have their nodes' time. The connection must outlive this.
  Status load(sqlite::Connection& db, bool aligned);
  // Null: times of this node are right as they are.
  const ClockMap* of(NodeId node) const;
  // The same for what a rank of an attempt recorded.
  const ClockMap* of(AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  // The same for a row that may name either.
  const ClockMap* of(NodeId node, AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  bool none() const { return m_none; }
  // No time of any node or rank is moved farther than this.
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
  // Loaded by questions, which change no answer by it.
  mutable std::unordered_map<std::uint64_t, RankNodes> m_ranks;  // by attempt
  mutable std::unordered_map<std::uint64_t, ClockMap> m_nodes;   // pointers to them stay valid until the next load()
  mutable Status m_failure;
  std::int64_t m_change = 0;  // the newest of the readings that m_nodes holds
  std::int64_t m_rank_changes = -1;
  std::map<RankKey, ClockMap> m_aligned;                          // over their nodes' maps
  std::vector<std::pair<std::uint64_t, TimeNs>> m_shifts_loaded;  // attempt, when its alignment was made
  DurNs m_nodes_farthest = 0;
  bool m_none = true;
  DurNs m_farthest = 0;
};

}  // namespace runglass
