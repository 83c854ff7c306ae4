// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stall_clock.h"

#include <algorithm>

namespace runglass {
namespace {

constexpr DurNs kMinLogStall = 300 * kNsPerSecond, kMinHang = 60 * kNsPerSecond;
constexpr DurNs kLongest = 24 * 3600 * kNsPerSecond;  // longer limits are meaningless, and ten times one must not overflow

}  // namespace

DurNs phaseLimit(DurNs longest) { return std::max(kPhaseLimit, 3 * std::clamp<DurNs>(longest, 0, kLongest)); }

std::vector<StallGap> StepClock::take(const std::vector<ClockedStep>& steps) {
  const std::size_t first_new = m_recent.size();
  m_recent.insert(m_recent.end(), steps.begin(), steps.end());
  m_taken += steps.size();
  std::vector<DurNs> periods;
  const std::size_t from = m_recent.size() > kStepsKept ? m_recent.size() - kStepsKept : 0;
  for (std::size_t i = std::max<std::size_t>(from, 1); i < m_recent.size(); ++i)
    if (m_recent[i - 1].steady && m_recent[i].start > m_recent[i - 1].start) periods.push_back(m_recent[i].start - m_recent[i - 1].start);
  m_p99 = usualLength(std::move(periods)).p99;
  std::vector<StallGap> gaps;
  if (first_new == 0 && m_taken == steps.size() && steps.size() > 1) m_longest_odd = steps[1].start - steps[0].start;
  if (judges()) {
    const DurNs limit = stallLimit();
    // The first step compiles: the gap after it is not judged.
    for (std::size_t i = std::max<std::size_t>(first_new, m_taken == m_recent.size() ? 2 : 1); i < m_recent.size(); ++i) {
      const ClockedStep &before = m_recent[i - 1], &after = m_recent[i];
      const bool odd = !before.steady || !after.steady;
      const DurNs allowed = odd ? std::max(limit, phaseLimit(m_longest_odd)) : limit, took = after.start - before.start;
      if (odd) m_longest_odd = std::max(m_longest_odd, took);
      if (took <= allowed) continue;
      // The standstill is the time after a step, or includes the step itself if that was the long part.
      const TimeNs end = before.start + std::clamp<DurNs>(before.dur, 0, after.start - before.start);
      const TimeNs begin = m_from_log || after.start - end <= allowed ? before.start : end;
      gaps.push_back({before.step, {begin, after.start}, allowed});
    }
  }
  if (from > 0) m_recent.erase(m_recent.begin(), m_recent.begin() + static_cast<std::ptrdiff_t>(from));
  return gaps;
}

DurNs StepClock::stallLimit() const {
  if (!judges()) return kPhaseLimit;
  return m_from_log ? std::max(10 * m_p99, kMinLogStall) : stallLimitOf(m_p99);
}

DurNs StepClock::hangLimit(std::optional<DurNs> op_p99) const {
  if (!judges()) return kPhaseLimit;
  return std::max(10 * (op_p99 && *op_p99 > 0 ? std::min(*op_p99, m_p99) : m_p99), kMinHang);
}

std::optional<TimeNs> StepClock::lastEnd() const {
  if (m_recent.empty()) return std::nullopt;
  return m_from_log ? m_recent.back().start : m_recent.back().start + std::clamp<DurNs>(m_recent.back().dur, 0, kLongest);
}

}  // namespace runglass
