// SPDX-License-Identifier: Apache-2.0
// Corrected time of a node: raw + offset, piecewise linear between the readings of its clock, never running backwards.
//
// Threading:  one thread, the Reader's.
// Ownership:  owns its readings.
// Units:      TimeNs. Before the first and after the last reading the offset is theirs. An offset within its own error bound is none:
//             it cannot be told from zero, and times of the same machine stay as they were stamped.
// Errors:     those of SQLite.
// Cost:       O(log readings) a time; the table is read again only after a commit.
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
  void add(TimeNs raw, DurNs offset, DurNs error);
  TimeNs corrected(TimeNs raw) const;
  // The least raw time whose corrected time is at or after `time`; the ends of int64 stand for no bound.
  TimeNs rawFrom(TimeNs time) const;
  bool isIdentity() const { return m_identity; }

 private:
  struct Knot {
    TimeNs raw;
    DurNs offset;
  };
  std::vector<Knot> m_knots;
  bool m_identity = true;
};

class ClockMaps {
 public:
  Status load(sqlite::Connection& db);
  // Null: times of this node are right as they are.
  const ClockMap* of(NodeId node) const {
    const auto it = m_maps.find(node.value);
    return it == m_maps.end() || it->second.isIdentity() ? nullptr : &it->second;
  }
  // The same for what a rank of an attempt recorded.
  const ClockMap* of(AttemptId attempt, const std::optional<std::int32_t>& rank) const;
  bool none() const { return m_none; }

 private:
  std::map<std::pair<std::uint64_t, std::int32_t>, NodeId> m_ranks;
  std::unordered_map<std::uint64_t, ClockMap> m_maps;
  bool m_none = true;
};

}  // namespace runglass
