// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/waited_rank.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/collectives/wait_vote.h"

namespace runglass {
namespace {

struct Wait {
  std::int64_t step = kAbsent;
  TimeNs from = 0, to = 0;
};

bool isOfAll(const CollectiveSet& set, std::size_t ranks) {
  return set.match == CollectiveSet::Match::kMatched && !set.pair && set.calls.size() == ranks &&
         std::ranges::all_of(set.calls, [](const CollectiveCall& call) {
           DurNs length = 0;
           return call.t1 != std::numeric_limits<TimeNs>::max() && !__builtin_sub_overflow(call.t1, call.t0, &length);
         });
}

// Absent where no rank waits, or where the rank that it waits for is uncertain.
std::optional<Wait> waitFor(const CollectiveSet& set, const ClockGapOf& gap) {
  const CollectiveCall &last = set.calls.back(), &before = set.calls[set.calls.size() - 2];
  const auto [first_end, last_end] = std::ranges::minmax(set.calls, {}, &CollectiveCall::t1);
  const ClockGap apart = gap(last.rank, before.rank);
  if (apart.kind == ClockGap::Kind::kUnknown) return std::nullopt;
  const DurNs noise = std::max(last_end.t1 - first_end.t1, apart.kind == ClockGap::Kind::kCompared ? apart.error : 0);
  if (last.t0 - before.t0 <= noise) return std::nullopt;
  return Wait{.step = last.step, .from = before.t0, .to = last.t0};
}

// The length of the union of the waits, which are sorted by start.
DurNs united(const std::vector<Wait>& waits) {
  DurNs sum = 0;
  TimeNs reached = std::numeric_limits<TimeNs>::min();
  for (const Wait& wait : waits) {
    if (wait.to > reached) sum += wait.to - std::max(wait.from, reached);
    reached = std::max(reached, wait.to);
  }
  return sum;
}

class Judge {
 public:
  std::optional<WaitedRank> judge(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap) {
    for (const CollectiveSet& set : sets)
      if (set.match == CollectiveSet::Match::kMatched && !set.pair) m_found.ranks = std::max(m_found.ranks, set.calls.size());
    for (const CollectiveSet& set : sets)
      if (m_found.ranks >= 2 && isOfAll(set, m_found.ranks)) add(set, gap);
    if (m_found.compared < kMinVotes || m_waits.empty()) return std::nullopt;
    if (__builtin_sub_overflow(m_found.to, m_found.from, &m_found.time)) return std::nullopt;
    DurNs all = 0;
    for (auto& [rank, waits] : m_waits) {
      std::ranges::sort(waits, {}, &Wait::from);
      const DurNs own = united(waits);
      all += own;
      if (own > m_found.waited) m_found.rank = rank, m_found.waited = own, m_found.last = waits.size();
    }
    const std::vector<Wait>& own = m_waits[m_found.rank];
    DurNs longest = 0;
    for (const Wait& wait : own) longest = std::max(longest, wait.to - wait.from);
    const auto enough = static_cast<DurNs>(kWaitCost * static_cast<double>(m_found.time));
    if (m_found.waited - longest < enough) return std::nullopt;
    if (static_cast<double>(m_found.waited) < kMinWaitingShare * static_cast<double>(all)) return std::nullopt;
    countSteps(own);
    const bool in_calls = static_cast<double>(m_found.last) > kWaitsLeastShare * static_cast<double>(m_found.compared);
    const bool in_steps =
        m_found.steps >= kMinWaitedSteps && static_cast<double>(m_found.late_steps) >= kWaitedSteps * static_cast<double>(m_found.steps);
    return in_calls || in_steps ? std::optional(m_found) : std::nullopt;
  }

 private:
  void add(const CollectiveSet& set, const ClockGapOf& gap) {
    const TimeNs begin = set.calls.front().t0, end = std::ranges::max_element(set.calls, {}, &CollectiveCall::t1)->t1;
    const auto widen = [&](TimeRange& range) { range = {std::min(range.t0, begin), std::max(range.t1, end)}; };
    TimeRange all{m_found.compared == 0 ? begin : m_found.from, m_found.compared == 0 ? end : m_found.to};
    widen(all);
    m_found.from = all.t0, m_found.to = all.t1;
    ++m_found.compared;
    if (const std::int64_t step = set.calls.back().step; step != kAbsent)
      widen(m_steps.try_emplace(step, TimeRange{begin, end}).first->second);
    if (const auto wait = waitFor(set, gap)) m_waits[set.calls.back().rank].push_back(*wait);
  }

  void countSteps(const std::vector<Wait>& own) {
    std::map<std::int64_t, std::vector<Wait>> of_step;
    for (const Wait& wait : own) of_step[wait.step].push_back(wait);
    m_found.steps = m_steps.size();
    for (const auto& [step, range] : m_steps)
      m_found.late_steps += static_cast<double>(united(of_step[step])) >= kWaitCost * static_cast<double>(range.t1 - range.t0) ? 1 : 0;
  }

  WaitedRank m_found;
  std::map<std::int64_t, TimeRange> m_steps;
  std::map<std::int32_t, std::vector<Wait>> m_waits;  // by the rank that is waited for
};

}  // namespace

std::optional<WaitedRank> waitedRank(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap) { return Judge().judge(sets, gap); }

}  // namespace runglass
