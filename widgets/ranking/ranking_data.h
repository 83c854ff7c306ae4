// SPDX-License-Identifier: GPL-3.0-or-later
// What the view `ranking` shows: the ranking of an attempt's ranks with their places, its sentence and its table.
//
// Threading:  readRanking() on a query worker; its answer is immutable. The texts on any thread.
// Ownership:  values.
// Units:      as SlowRanks.
// Errors:     the Reader's; NOT_FOUND in an empty store. Too little data is a status, not an error.
// Cost:       as readStepTable() and rankBySlowness().
#pragma once

#include <QString>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/slow_ranks/step_table.h"
#include "storage/reader.h"
#include "widgets/core/table_model.h"
#include "widgets/ranking/rank_heat_map.h"

namespace runglass {

struct RankRow {
  RankScore score;  // its ratios are in the heat map
  Rank place;
  QString node, coordinates;  // "" where not known
  QString slowest_part;       // "backward +21 %"; "" without parts
};

struct RankingData {
  Run run;
  Attempt attempt;
  SlowRanks ranking;          // its ranks are the rows
  std::vector<RankRow> rows;  // worst first
  HeatCells heat;             // by rank
  std::vector<std::optional<TimeRange>> when;
  bool has_parts = false;
  std::optional<double> span_waits_known;  // as StepTableAnswer

  const RankRow* find(std::int32_t rank) const;
  std::optional<TimeRange> timeOf(std::int64_t step) const;
};

// Attempt 0 is the newest.
Result<RankingData> readRanking(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

// What the eye meets first: who stands out and by how much, or that nobody does.
QString rankingSentence(const RankingData& data);
// What it rests on and what it cannot tell.
QString rankingGrounds(const RankingData& data);
// A row's parts against its peers, in words.
QString rankEvidence(const RankingData& data, const RankRow& row);

std::vector<Column<RankRow>> rankColumns();

}  // namespace runglass
