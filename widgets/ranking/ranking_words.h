// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the ranking: the headline, its basis, a row's evidence, and whether to replace a machine.
//
// Threading:  any thread.
// Units:      as RankingData.
// Errors:     none: unknown values are left out.
// Cost:       O(ranks).
#pragma once

#include <QString>

#include "widgets/core/units.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {

// The outliers, their cost and since when; or that there are none.
QString rankingSentence(const RankingData& data, TimeStyle style);
// The basis of the ranking and its limits.
QString rankingGrounds(const RankingData& data);
// The pattern's name, printed above the heat maps; "" if no rank is blamed.
QString patternSentence(const RankingData& data);
// A row's numbers compared with its peers, as text.
QString rankEvidence(const RankingData& data, const RankRow& row);
// "backward +21 %": the part with the largest excess over its peers; "" without parts.
QString slowestPartText(const SlowRanks& ranking, const RankScore& score);
QString partNameText(const SlowRanks& ranking, std::size_t part);

// The break-even of replacing the machine that slows a row down; `now` for a live run.
EvictionAdvice adviceFor(const RankingData& data, const RankRow& row, TimeNs now);
QString adviceText(const RankingData& data, const EvictionAdvice& advice, TimeStyle style);

QString confidenceText(double confidence);  // "high", "medium", "low"

}  // namespace runglass
