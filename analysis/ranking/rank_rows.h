// SPDX-License-Identifier: Apache-2.0
// The rows of the ranking: all sources joined by rank, worst first. The kernel: values in, rows out.
//
// The score of a rank depends on the recorded data (each is shown with its kind):
//   what_if    S_w: how many times longer the run takes with this worker as recorded and all others at their usual time
//              (analysis/what_if); for whole steps of spans where trainers recorded no step parts
//   relative   its own work over the median of its peers' (analysis/slow_ranks); where the parts of its steps are known
//   wait_vote  the share of its collectives in which it waited less than its peers (analysis/collectives/wait_vote.h); where only
//              collectives distinguish ranks. Whole step times do not: in a synchronous job they are equal. They are the last resort
//
// Threading:  pure.
// Units:      what_if and relative: ratios, 1 = as the peers; wait_vote: share 0..1. Steps; TimeNs; GPU-hours per day.
// Errors:     values that are not recorded are absent.
// Cost:       O(ranks log ranks + suspects x their ranks).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/collectives/wait_vote.h"
#include "analysis/ranking/slow_verdict.h"
#include "analysis/slow_ranks/nvrx_scores.h"
#include "analysis/slow_ranks/slow_ranks.h"
#include "model/topology.h"

namespace runglass {

enum class ScoreKind : std::uint8_t { kRelative, kWhatIf, kWaitVote };
const char* scoreKindName(ScoreKind kind);  // contract section 5

// S_w of the workers, for all ranks of each worker.
struct WhatIfScores {
  std::map<std::int32_t, double> s;  // by rank
  double coverage = 0, confidence = 0;
  std::optional<std::int64_t> first_step, last_step;
};

// The previous attempt.
struct EarlierAttempt {
  std::int32_t number = 0;
  ScoreKind kind = ScoreKind::kRelative;
  std::map<std::int32_t, double> score;  // by rank, of that kind; 1 = as the peers
  std::set<NodeId> nodes;
};

struct RankSources {
  std::vector<Rank> places;
  const SlowRanks* relative = nullptr;
  const std::vector<NvrxScore>* nvrx = nullptr;
  const std::vector<WaitVote>* votes = nullptr;
  const WhatIfScores* what_if = nullptr;  // null: not read, or no answer
  const Suspects* suspects = nullptr;
  const SlowVerdict* verdict = nullptr;
  const EarlierAttempt* earlier = nullptr;
};

inline constexpr std::size_t kNoSuspect = SIZE_MAX;

struct RankedRow {
  Rank place;  // its rank is always set
  ScoreKind kind = ScoreKind::kRelative;
  std::optional<double> score, slower;  // slower: score - 1, for kinds that are ratios
  bool stands_out = false;              // by the verdict; for wait votes also those that are abnormal
  std::optional<std::int64_t> since_step;
  bool since_before = false;
  std::optional<TimeNs> since;
  std::optional<double> persistence, coverage, confidence;
  std::optional<double> change;  // of `slower` since the previous attempt, if both have the same kind
  std::optional<bool> new_node;  // its node was not in the previous attempt
  std::optional<double> gpu_hours_per_day;
  std::string cause;  // "": unknown
  std::optional<double> nvrx_relative, nvrx_individual;
  std::optional<WaitVote> vote;
  std::size_t suspect = kNoSuspect;         // index into Suspects::all of the first that names it
  std::optional<std::size_t> relative_row;  // index into SlowRanks::ranks
};

// The kind of score that the sources allow; absent: no data to rank by.
std::optional<ScoreKind> scoreKindOf(const RankSources& sources);
// Grouped by node, nodes by their worst rank: ranks blamed now, outliers, ranks blamed earlier, then by score.
std::vector<RankedRow> rankRows(const RankSources& sources);
// The weight of a row among others of the same kind; for sorting.
double rowWeight(const RankedRow& row, const Suspects* suspects);

}  // namespace runglass
