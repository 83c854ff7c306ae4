// SPDX-License-Identifier: Apache-2.0
#include "storage/clock_map.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "model/far_time.h"
#include "storage/schema/past_attempts.h"
#include "storage/sqlite/connection.h"

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
__extension__ using Wide = __int128;

TimeNs plus(TimeNs time, Wide offset) { return static_cast<TimeNs>(std::clamp<Wide>(Wide{time} + offset, -kFarTime, kFarTime)); }

Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

}  // namespace

void ClockMap::addReading(TimeNs raw, DurNs offset, DurNs error) { add(raw, offset >= -error && offset <= error ? 0 : offset); }

void ClockMap::add(TimeNs raw, DurNs offset) {
  if (!m_knots.empty()) {
    // Corrected time never runs backwards: a later raw time is corrected to the same time or a later one.
    const Wide before = Wide{m_knots.back().raw} + m_knots.back().offset;
    if (Wide{raw} + offset < before) offset = static_cast<DurNs>(std::clamp<Wide>(before - raw, kLowest, kHighest));
    if (raw == m_knots.back().raw) removeNewest();
  }
  m_knots.push_back({raw, offset});
  m_farthest = std::max(m_farthest, offset == kLowest ? kHighest : std::abs(offset));
  m_offsets += offset != 0 ? 1 : 0;
}

void ClockMap::removeNewest() {
  m_offsets -= m_knots.back().offset != 0 ? 1 : 0;
  m_knots.pop_back();
}

TimeNs ClockMap::corrected(TimeNs raw) const { return own(m_under != nullptr ? m_under->corrected(raw) : raw); }

TimeNs ClockMap::own(TimeNs raw) const {
  if (m_offsets == 0) return raw;
  const auto next = std::upper_bound(m_knots.begin(), m_knots.end(), raw, [](TimeNs t, const Knot& knot) { return t < knot.raw; });
  if (next == m_knots.begin()) return plus(raw, next->offset);
  const Knot& from = *(next - 1);
  if (next == m_knots.end()) return plus(raw, from.offset);
  const Wide share = floorDivide((Wide{next->offset} - from.offset) * (Wide{raw} - from.raw), Wide{next->raw} - from.raw);
  return plus(raw, from.offset + share);
}

TimeNs ClockMap::rawFrom(TimeNs time) const {
  if (time == kLowest || time == kHighest) return time;
  // Neither map runs backwards, so the lowest raw time is found by searching one map after the other.
  if (m_offsets == 0) return m_under != nullptr ? m_under->rawFrom(time) : time;
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
  m_db = &db;
  RG_TRY(std::exchange(m_failure, Status()));
  RG_TRY(loadChanges());
  RG_TRY(loadRankChanges());
  if (aligned) RG_TRY(loadShifts());
  m_none = m_nodes_farthest == 0;
  DurNs ranks = 0;
  for (auto& [key, map] : m_aligned) {
    const NodeId node = m_nodes_farthest == 0 ? NodeId() : nodeOf({key.first}, key.second);
    map.setUnder(node ? of(node) : nullptr);
    m_none = m_none && map.isIdentity();
    ranks = std::max(ranks, map.farthest());
  }
  m_farthest = m_nodes_farthest > kHighest - ranks ? kHighest : m_nodes_farthest + ranks;
  return std::exchange(m_failure, Status());
}

// A node is loaded completely on its first use; afterwards only the readings that commits changed are loaded.
Status ClockMaps::loadChanges() {
  RG_ASSIGN(const auto farthest, m_db->queryInt64("SELECT value FROM rg_meta WHERE key = 'clock_farthest_ns'"));
  m_nodes_farthest = std::clamp<DurNs>(farthest.value_or(0), 0, kFarTime);
  RG_ASSIGN(const auto oldest, m_db->queryInt64("SELECT min(change_id) FROM rg_clock_change"));
  if (m_nodes.empty() || oldest.value_or(0) > m_change + 1) {
    m_nodes.clear();
    RG_ASSIGN(const auto newest, m_db->queryInt64("SELECT max(change_id) FROM rg_clock_change"));
    m_change = newest.value_or(0);
    return {};
  }
  RG_ASSIGN(auto rows, m_db->prepare("SELECT change_id, node_id, raw_ns, offset_ns, error_ns, replaced_ns FROM rg_clock_change WHERE "
                                     "change_id > ?1 ORDER BY change_id"));
  rows.bind(1, m_change);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return {};
    m_change = rows.int64(0);
    const auto known = m_nodes.find(static_cast<std::uint64_t>(rows.int64(1)));
    if (known == m_nodes.end()) continue;
    ClockMap& map = known->second;
    const auto replaced = rows.optionalInt64(5);
    if (replaced && map.newest() == replaced) map.removeNewest();
    // A change of an older reading is rare: the node is dropped and loaded again on its next use.
    if ((replaced && map.newest() >= replaced) || map.newest() >= rows.int64(2)) {
      m_nodes.erase(known);
      continue;
    }
    map.addReading(rows.int64(2), nearTime(rows.int64(3)), std::clamp<DurNs>(rows.int64(4), 0, kFarTime));
  }
}

Status ClockMaps::loadRankChanges() {
  RG_ASSIGN(const auto changes, m_db->queryInt64("SELECT value FROM rg_meta WHERE key = 'rank_changes'"));
  if (changes.value_or(0) == m_rank_changes) return {};
  m_ranks.clear();
  m_rank_changes = changes.value_or(0);
  return {};
}

Status ClockMaps::loadShifts() {
  std::vector<std::pair<std::uint64_t, TimeNs>> there;
  RG_ASSIGN(auto made, m_db->prepare("SELECT attempt_id, made_ns FROM rg_clock_align ORDER BY attempt_id"));
  while (true) {
    RG_ASSIGN(const bool row, made.step());
    if (!row) break;
    there.emplace_back(static_cast<std::uint64_t>(made.int64(0)), made.int64(1));
  }
  if (there == m_shifts_loaded) return {};
  m_aligned.clear();
  m_shifts_loaded.clear();  // until all of them are loaded
  RG_ASSIGN(auto statement, m_db->prepare("SELECT attempt_id, rank, at_ns, shift_ns FROM rg_clock_shift ORDER BY attempt_id, rank, at_ns"));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) break;
    const RankKey key{static_cast<std::uint64_t>(statement.int64(0)), static_cast<std::int32_t>(statement.int64(1))};
    m_aligned[key].add(statement.int64(2), nearTime(statement.int64(3)));
  }
  m_shifts_loaded = std::move(there);
  return {};
}

Result<ClockMap> ClockMaps::readNode(NodeId node) const {
  ClockMap map;
  RG_ASSIGN(auto rows, m_db->prepare("SELECT raw_ns, offset_ns, error_ns FROM rg_clock_map WHERE node_id = ?1 ORDER BY raw_ns"));
  rows.bind(1, node.value);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return map;
    map.addReading(rows.int64(0), nearTime(rows.int64(1)), std::clamp<DurNs>(rows.int64(2), 0, kFarTime));
  }
}

Result<ClockMaps::RankNodes> ClockMaps::readRanks(AttemptId attempt) const {
  RankNodes nodes;
  RG_ASSIGN(auto rows, m_db->prepare("SELECT rank, node_id FROM " + rankNodes() + " WHERE attempt_id = ?1 AND node_id IS NOT NULL"));
  rows.bind(1, attempt.value);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return nodes;
    nodes[static_cast<std::int32_t>(rows.int64(0))] = {static_cast<std::uint64_t>(rows.int64(1))};
  }
}

const ClockMap* ClockMaps::of(NodeId node) const {
  if (m_nodes_farthest == 0 || !node) return nullptr;
  auto known = m_nodes.find(node.value);
  if (known == m_nodes.end()) {
    auto read = readNode(node);
    if (!read.ok()) {
      m_failure = read.status();
      return nullptr;
    }
    known = m_nodes.emplace(node.value, *std::move(read)).first;
  }
  return known->second.isIdentity() ? nullptr : &known->second;
}

NodeId ClockMaps::nodeOf(AttemptId attempt, std::int32_t rank) const {
  auto known = m_ranks.find(attempt.value);
  if (known == m_ranks.end()) {
    auto read = readRanks(attempt);
    if (!read.ok()) {
      m_failure = read.status();
      return {};
    }
    known = m_ranks.emplace(attempt.value, *std::move(read)).first;
  }
  const auto node = known->second.find(rank);
  return node == known->second.end() ? NodeId() : node->second;
}

const ClockMap* ClockMaps::of(AttemptId attempt, const std::optional<std::int32_t>& rank) const {
  if (m_none || !rank) return nullptr;
  if (const auto aligned = m_aligned.find({attempt.value, *rank}); aligned != m_aligned.end())
    return aligned->second.isIdentity() ? nullptr : &aligned->second;
  return m_nodes_farthest == 0 ? nullptr : of(nodeOf(attempt, *rank));
}

const ClockMap* ClockMaps::of(NodeId node, AttemptId attempt, const std::optional<std::int32_t>& rank) const {
  // Data that a rank reports about itself is corrected like its spans, also where the row names its node.
  if (rank && m_aligned.contains({attempt.value, *rank})) return of(attempt, rank);
  return node ? of(node) : of(attempt, rank);
}

}  // namespace runglass
