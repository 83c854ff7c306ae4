// SPDX-License-Identifier: Apache-2.0
// The ranking's rows: what every source says of a rank, joined, worst first. The kernel: values in, rows out.
//
// Which number a rank is scored with, by what was recorded (each is shown with its kind):
//   what_if    S_w, how many times longer the run takes with this worker as recorded and everything else as usual (analysis/what_if): where
//              whole steps of spans exist and trainers told no step parts
//   relative   its own work over the median of its peers' (analysis/slow_ranks): where it is known what its steps are made of
//   wait_vote  the share of its collectives in which it waited less than its peers (analysis/collectives/wait_vote.h): where only
//              collectives tell ranks apart. Whole step times do not: in a synchronous job they are equal. They count where nothing else is
//
// Threading:  pure.
// Units:      what_if and relative: ratios, 1 = as the peers; wait_vote: share 0..1. Steps; TimeNs; GPU-hours a day.
// Errors:     none: what nobody told is absent.
// Cost:       O(ranks log ranks + suspects x their ranks).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/collectives/wait_vote.h"
#include "analysis/ranking/suspects.h"
#include "analysis/slow_ranks/nvrx_scores.h"
#include "analysis/slow_ranks/slow_ranks.h"
#include "model/topology.h"

namespace runglass {

enum class ScoreKind : std::uint8_t { kRelative, kWhatIf, kWaitVote };
const char* scoreKindName(ScoreKind kind);  // contract section 5

// S_w of the workers, for all ranks that are folded into each.
struct WhatIfScores {
  std::map<std::int32_t, double> s;  // by rank
  double coverage = 0, confidence = 0;
  std::optional<std::int64_t> first_step, last_step;
};

// The attempt before.
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
  const WhatIfScores* what_if = nullptr;  // null: not asked, or no answer
  const Suspects* suspects = nullptr;
  const EarlierAttempt* earlier = nullptr;
};

inline constexpr std::size_t kNoSuspect = SIZE_MAX;

struct RankedRow {
  Rank place;  // its rank is always known
  ScoreKind kind = ScoreKind::kRelative;
  std::optional<double> score, slower;  // slower: score - 1, of kinds that are ratios
  bool stands_out = false;
  std::optional<std::int64_t> since_step;
  bool since_before = false;
  std::optional<TimeNs> since;
  std::optional<double> persistence, coverage, confidence;
  std::optional<double> change;  // of `slower` since the attempt before, where both are of one kind
  std::optional<bool> new_node;  // it runs on a node that the attempt before did not have
  std::optional<double> gpu_hours_per_day;
  std::string cause;  // "" not known
  std::optional<double> nvrx_relative, nvrx_individual;
  std::optional<WaitVote> vote;
  std::size_t suspect = kNoSuspect;         // index into Suspects::all, of the first that names it
  std::optional<std::size_t> relative_row;  // index into SlowRanks::ranks
};

// Which of them the sources allow; absent: nothing ranks anybody.
std::optional<ScoreKind> scoreKindOf(const RankSources& sources);
// Grouped by node, nodes by their worst rank: who is blamed now, who stands out, who was blamed, then by score.
std::vector<RankedRow> rankRows(const RankSources& sources);
// How bad a row is among others of the same kind; for sorting.
double rowWeight(const RankedRow& row, const Suspects* suspects);

}  // namespace runglass
