// SPDX-License-Identifier: Apache-2.0
// SlowVerdict: the slow ranks of an attempt, and by how much each is slower: the one answer of ranking, report, status and all views.
//
// A rank is slow if a finding that holds blames it or its node, or if it is an outlier in the newest steps (rankBySlowness()). It is slower
// by the ratio of the finding about it, whose two times are printed with it and which has all steps of the slowness; else by its score in
// the newest steps. Whole step times hardly differ between ranks that wait for each other: they count only where no spans are recorded.
//
// Threading:  judgeSlowness() and nodesByWork() are pure; a SlowVerdictFeed is used by one thread at a time.
// Units:      ns; ratios (0.05 = 5 % more than the peers); steps.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without steps or peers there is no comparison.
// Cost:       as StepTableFeed, and a read of the run's findings: 4,096 ranks with four parts 0.5 s and 100 MiB at first, then only new
// steps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/ranking/suspects.h"
#include "analysis/slow_ranks/step_table.h"
#include "model/mutex.h"

namespace runglass {

struct RankPace {
  std::optional<double> own_ns;   // median over the steps
  std::optional<double> wait_ns;  // sum over its parts of their median waiting
  std::optional<double> slower;   // than its peers
  bool slow = false;
  std::optional<std::int64_t> since_step;  // of a slow rank
};

struct SlowVerdict {
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::vector<std::int64_t> steps;         // those compared, ascending
  std::map<std::int32_t, RankPace> ranks;  // with steps, or slow
  std::vector<std::int32_t> slow;          // the slow ranks, slowest first
  std::map<NodeId, double> slow_nodes;     // slower by, of nodes that a finding blames as a whole
  std::vector<StageWork> stages;           // by role; `longer` is that of the finding about the stage where one holds
  bool compared = false;                   // any rank has peers
  const RankPace* worst() const { return slow.empty() ? nullptr : &ranks.at(slow.front()); }
};

// `relative`: of the newest steps.
SlowVerdict judgeSlowness(const SlowRanks& relative, const Suspects& suspects, std::span<const Rank> places);

// A node's slowness: that of its slowest rank, or of the finding about it.
struct NodePace {
  NodeId node;
  double wait_ratio = 0;  // of its rank that waited least: in a synchronous job the slow node waits least
  double slower = 0;
  bool slow = false;
};
// Slowest first; nodes with ranks that have peers and whose waiting is known. Empty: fewer than two.
std::vector<NodePace> nodesByWork(const SlowVerdict& verdict, std::span<const Rank> places);

class SlowVerdictFeed {
 public:
  // `spans`: read where no step parts are recorded, which takes seconds.
  explicit SlowVerdictFeed(bool spans = false) : m_spans(spans) {}
  // `ranks` are the attempt's, placed (see placedRanks()). Another attempt than in the previous call starts over.
  Result<SlowVerdict> read(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks, const std::stop_token& stop);

 private:
  bool m_spans;
  AttemptId m_attempt;
  std::unique_ptr<StepTableFeed> m_table;
  std::optional<std::uint64_t> m_revision;  // the revision of m_table that m_relative was computed from
  SlowRanks m_relative;
};

// A feed that the questions of one view about now share; those about a moment in the past have none.
struct SharedSlowVerdict {
  Mutex one_at_a_time;
  SlowVerdictFeed feed RG_GUARDED_BY(one_at_a_time);
};
Result<SlowVerdict> readSlowVerdict(SharedSlowVerdict* memory, Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                    const std::stop_token& stop);

}  // namespace runglass
