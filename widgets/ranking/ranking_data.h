// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the view `ranking`: the ranking of an attempt's ranks with their names, rolled up to GPUs, nodes and larger units, and its heat
// maps.
//
// Threading:  readRanking() on a query worker, one call of a RankingMemory at a time; its result is immutable.
// Ownership:  a RankingMemory is shared by the calls of one view.
// Units:      as Ranking.
// Errors:     the Reader's; NOT_FOUND in an empty store. Too little data is a status, not an error.
// Cost:       as RankingFeed::read(), and O(ranks x steps) for the heat maps.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <array>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/ranking/ranking.h"
#include "model/mutex.h"
#include "storage/reader.h"
#include "widgets/ranking/place_heat_map.h"
#include "widgets/ranking/rank_heat_map.h"

namespace runglass {

struct RankingText {
  Q_DECLARE_TR_FUNCTIONS(Ranking)
};

enum class RankLevel : std::uint8_t { kRank = 0, kGpu, kNode, kRack, kSwitch };
inline constexpr std::size_t kRankLevels = 5;

inline constexpr std::size_t kSparkSteps = 60;

struct RankRow {
  RankedRow ranked;           // for a rolled-up unit: its worst rank
  RankScore score;            // its rank is always known; its ratios are in the heat map
  QString name;               // "37", or the name of the row's unit
  QString node, coordinates;  // "" if unknown
  QString slowest_part;       // "backward +21 %"; "" without parts
  int members = 1, standing_out = 0;
  std::vector<float> spark;  // ratios of the newest kSparkSteps; NaN: not compared
};

struct RankingData {
  Ranking ranking;
  std::vector<RankRow> rows;                                 // ranks, grouped by node, worst first
  std::array<std::vector<RankRow>, kRankLevels - 1> rolled;  // from kGpu; empty if a level is unknown
  HeatCells heat;                                            // by rank
  PlaceCells workers, hosts;                                 // DP x PP, host x GPU; empty if unknown

  const std::vector<RankRow>& rowsOf(RankLevel level) const {
    return level == RankLevel::kRank ? rows : rolled[static_cast<std::size_t>(level) - 1];
  }
  const RankRow* find(std::int32_t rank) const;
  std::optional<TimeRange> timeOf(std::int64_t step) const;
  QString nodeName(NodeId node) const;  // "" if unknown
  // Its ranks are rows, but there is no data to rank them.
  bool empty() const { return !ranking.kind && ranking.relative.steps.empty(); }
};

// State shared by the calls of one view, so that a refresh reads only new data.
struct RankingMemory {
  RankingMemory(RunId run, AttemptId attempt) : feed(run, attempt) {}
  Mutex one_at_a_time;
  RankingFeed feed RG_GUARDED_BY(one_at_a_time);
};
Result<RankingData> readRanking(Reader& reader, RankingMemory& memory, const std::stop_token& stop);
// A single reading. Attempt 0: the newest with data to rank.
Result<RankingData> readRanking(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

}  // namespace runglass
