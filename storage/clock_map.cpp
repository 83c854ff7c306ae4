// SPDX-License-Identifier: Apache-2.0
#include "storage/clock_map.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
__extension__ using Wide = __int128;

TimeNs plus(TimeNs time, Wide offset) { return static_cast<TimeNs>(std::clamp<Wide>(Wide{time} + offset, kLowest, kHighest)); }

Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

}  // namespace

void ClockMap::addReading(TimeNs raw, DurNs offset, DurNs error) { add(raw, offset >= -error && offset <= error ? 0 : offset); }

void ClockMap::add(TimeNs raw, DurNs offset) {
  if (!m_knots.empty()) {
    // A later raw time is never an earlier corrected one.
    const Wide before = Wide{m_knots.back().raw} + m_knots.back().offset;
    if (Wide{raw} + offset < before) offset = static_cast<DurNs>(std::clamp<Wide>(before - raw, kLowest, kHighest));
    if (raw == m_knots.back().raw) m_knots.pop_back();
  }
  m_knots.push_back({raw, offset});
  m_farthest = std::max(m_farthest, offset == kLowest ? kHighest : std::abs(offset));
  m_identity = m_identity && offset == 0;
}

TimeNs ClockMap::corrected(TimeNs raw) const { return own(m_under != nullptr ? m_under->corrected(raw) : raw); }

TimeNs ClockMap::own(TimeNs raw) const {
  if (m_identity) return raw;
  const auto next = std::upper_bound(m_knots.begin(), m_knots.end(), raw, [](TimeNs t, const Knot& knot) { return t < knot.raw; });
  if (next == m_knots.begin()) return plus(raw, next->offset);
  const Knot& from = *(next - 1);
  if (next == m_knots.end()) return plus(raw, from.offset);
  const Wide share = floorDivide((Wide{next->offset} - from.offset) * (Wide{raw} - from.raw), Wide{next->raw} - from.raw);
  return plus(raw, from.offset + share);
}

TimeNs ClockMap::rawFrom(TimeNs time) const {
  if (time == kLowest || time == kHighest) return time;
  // Neither map runs backwards, so the least time can be looked for in one after the other.
  if (m_identity) return m_under != nullptr ? m_under->rawFrom(time) : time;
  TimeNs low = kLowest, high = kHighest;
  while (low < high) {
    const auto middle = static_cast<TimeNs>(floorDivide(Wide{low} + high, 2));
    if (own(middle) >= time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return m_under != nullptr ? m_under->rawFrom(low) : low;
}

Status ClockMaps::load(sqlite::Connection& db, bool aligned) {
  RG_TRY(loadReadings(db));
  if (aligned) RG_TRY(loadShifts(db));
  m_none = true;
  for (const auto& [node, map] : m_nodes) m_none = m_none && map.isIdentity();
  m_ranks.clear();
  if (!m_none) {
    RG_ASSIGN(auto ranks, db.prepare("SELECT attempt_id, rank, node_id FROM rg_rank WHERE node_id IS NOT NULL"));
    while (true) {
      RG_ASSIGN(const bool row, ranks.step());
      if (!row) break;
      const auto attempt = static_cast<std::uint64_t>(ranks.int64(0));
      m_ranks[{attempt, static_cast<std::int32_t>(ranks.int64(1))}] = {static_cast<std::uint64_t>(ranks.int64(2))};
    }
  }
  for (auto& [key, map] : m_aligned) {
    const auto node = m_ranks.find(key);
    map.setUnder(node == m_ranks.end() ? nullptr : of(node->second));
    m_none = m_none && map.isIdentity();
  }
  DurNs nodes = 0, ranks = 0;
  for (const auto& [node, map] : m_nodes) nodes = std::max(nodes, map.farthest());
  for (const auto& [key, map] : m_aligned) ranks = std::max(ranks, map.farthest());
  m_farthest = nodes > kHighest - ranks ? kHighest : nodes + ranks;
  return {};
}

Status ClockMaps::loadReadings(sqlite::Connection& db) {
  m_nodes.clear();
  RG_ASSIGN(auto statement, db.prepare("SELECT node_id, raw_ns, offset_ns, error_ns FROM rg_clock_map ORDER BY node_id, raw_ns"));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return {};
    m_nodes[static_cast<std::uint64_t>(statement.int64(0))].addReading(statement.int64(1), statement.int64(2), statement.int64(3));
  }
}

Status ClockMaps::loadShifts(sqlite::Connection& db) {
  std::vector<std::pair<std::uint64_t, TimeNs>> there;
  RG_ASSIGN(auto made, db.prepare("SELECT attempt_id, made_ns FROM rg_clock_align ORDER BY attempt_id"));
  while (true) {
    RG_ASSIGN(const bool row, made.step());
    if (!row) break;
    there.emplace_back(static_cast<std::uint64_t>(made.int64(0)), made.int64(1));
  }
  if (there == m_shifts_loaded) return {};
  m_aligned.clear();
  m_shifts_loaded.clear();  // until all of them are
  RG_ASSIGN(auto statement, db.prepare("SELECT attempt_id, rank, at_ns, shift_ns FROM rg_clock_shift ORDER BY attempt_id, rank, at_ns"));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) break;
    const RankKey key{static_cast<std::uint64_t>(statement.int64(0)), static_cast<std::int32_t>(statement.int64(1))};
    m_aligned[key].add(statement.int64(2), statement.int64(3));
  }
  m_shifts_loaded = std::move(there);
  return {};
}

const ClockMap* ClockMaps::of(AttemptId attempt, const std::optional<std::int32_t>& rank) const {
  if (m_none || !rank) return nullptr;
  if (const auto aligned = m_aligned.find({attempt.value, *rank}); aligned != m_aligned.end())
    return aligned->second.isIdentity() ? nullptr : &aligned->second;
  const auto it = m_ranks.find({attempt.value, *rank});
  return it == m_ranks.end() ? nullptr : of(it->second);
}

const ClockMap* ClockMaps::of(NodeId node, AttemptId attempt, const std::optional<std::int32_t>& rank) const {
  // A rank's word about itself moves with its spans, also where it names its node.
  if (rank && m_aligned.contains({attempt.value, *rank})) return of(attempt, rank);
  return node ? of(node) : of(attempt, rank);
}

}  // namespace runglass
