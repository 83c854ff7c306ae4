// SPDX-License-Identifier: Apache-2.0
#include "storage/clock_map.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
__extension__ using Wide = __int128;

TimeNs plus(TimeNs time, Wide offset) { return static_cast<TimeNs>(std::clamp<Wide>(Wide{time} + offset, kLowest, kHighest)); }

Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

}  // namespace

void ClockMap::add(TimeNs raw, DurNs offset, DurNs error) {
  if (offset >= -error && offset <= error) offset = 0;
  if (!m_knots.empty()) {
    // A later raw time is never an earlier corrected one.
    const Wide before = Wide{m_knots.back().raw} + m_knots.back().offset;
    if (Wide{raw} + offset < before) offset = static_cast<DurNs>(std::clamp<Wide>(before - raw, kLowest, kHighest));
    if (raw == m_knots.back().raw) m_knots.pop_back();
  }
  m_knots.push_back({raw, offset});
  m_identity = m_identity && offset == 0;
}

TimeNs ClockMap::corrected(TimeNs raw) const {
  if (m_identity) return raw;
  const auto next = std::upper_bound(m_knots.begin(), m_knots.end(), raw, [](TimeNs t, const Knot& knot) { return t < knot.raw; });
  if (next == m_knots.begin()) return plus(raw, next->offset);
  const Knot& from = *(next - 1);
  if (next == m_knots.end()) return plus(raw, from.offset);
  const Wide share = floorDivide((Wide{next->offset} - from.offset) * (Wide{raw} - from.raw), Wide{next->raw} - from.raw);
  return plus(raw, from.offset + share);
}

TimeNs ClockMap::rawFrom(TimeNs time) const {
  if (m_identity || time == kLowest || time == kHighest) return time;
  TimeNs low = kLowest, high = kHighest;
  while (low < high) {
    const auto middle = static_cast<TimeNs>(floorDivide(Wide{low} + high, 2));
    if (corrected(middle) >= time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Status ClockMaps::load(sqlite::Connection& db) {
  m_maps.clear();
  m_none = true;
  RG_ASSIGN(auto statement, db.prepare("SELECT node_id, raw_ns, offset_ns, error_ns FROM rg_clock_map ORDER BY node_id, raw_ns"));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) break;
    m_maps[static_cast<std::uint64_t>(statement.int64(0))].add(statement.int64(1), statement.int64(2), statement.int64(3));
  }
  for (const auto& [node, map] : m_maps) m_none = m_none && map.isIdentity();
  m_ranks.clear();
  if (m_none) return {};
  RG_ASSIGN(auto ranks, db.prepare("SELECT attempt_id, rank, node_id FROM rg_rank WHERE node_id IS NOT NULL"));
  while (true) {
    RG_ASSIGN(const bool row, ranks.step());
    if (!row) return {};
    const auto attempt = static_cast<std::uint64_t>(ranks.int64(0));
    m_ranks[{attempt, static_cast<std::int32_t>(ranks.int64(1))}] = {static_cast<std::uint64_t>(ranks.int64(2))};
  }
}

const ClockMap* ClockMaps::of(AttemptId attempt, const std::optional<std::int32_t>& rank) const {
  if (m_none || !rank) return nullptr;
  const auto it = m_ranks.find({attempt.value, *rank});
  return it == m_ranks.end() ? nullptr : of(it->second);
}

}  // namespace runglass
