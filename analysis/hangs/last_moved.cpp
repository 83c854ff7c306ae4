// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/last_moved.h"

#include <algorithm>
#include <limits>

namespace runglass {

TimeNs LastMoved::at(const Attempt& attempt, const std::vector<Progress>& progress, std::optional<TimeNs> last_step_end,
                     std::optional<TimeNs> stands_since) {
  if (attempt.id != m_attempt) *this = LastMoved(), m_attempt = attempt.id;
  std::optional<TimeNs> moved = last_step_end;
  TimeNs newest = progress.front().time;
  for (const Progress& p : progress) {
    newest = std::max(newest, p.time);
    // std::optional order: absent is before any time.
    if (p.since && *p.since <= p.time) moved = std::max(moved, p.since);
    const Place place{p.step, p.microbatch, p.group, p.seq, p.op};
    const auto [known, added] = m_places.try_emplace(p.rank, place);
    if (added || known->second == place) continue;
    known->second = place;
    m_changed = std::max(m_changed, std::optional(p.time));
  }
  if (!m_first_seen) m_first_seen = stands_since.value_or(newest);
  moved = std::max(moved, m_changed);
  return std::max(moved.value_or(*m_first_seen), attempt.start.value_or(std::numeric_limits<TimeNs>::min()));
}

}  // namespace runglass
