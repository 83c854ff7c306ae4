// SPDX-License-Identifier: GPL-3.0-or-later
// The ranking in words: what the eye meets first, what it rests on, a row's evidence, and whether to replace a machine.
//
// Threading:  any thread.
// Ownership:  values.
// Units:      as RankingData.
// Errors:     none: what is not known is not said.
// Cost:       O(ranks).
#pragma once

#include <QString>

#include "widgets/core/units.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {

// Who stands out, what that costs and since when; or that nobody does.
QString rankingSentence(const RankingData& data, TimeStyle style);
// What it rests on and what it cannot tell.
QString rankingGrounds(const RankingData& data);
// The pattern's name, printed above the heat maps; "" where nobody is blamed.
QString patternSentence(const RankingData& data);
// A row's numbers against its peers, in words.
QString rankEvidence(const RankingData& data, const RankRow& row);
// "backward +21 %", of what it does that takes most more than its peers; "" without parts.
QString slowestPartText(const SlowRanks& ranking, const RankScore& score);
QString partNameText(const SlowRanks& ranking, std::size_t part);

// The break-even of replacing what slows a row down; `now` of a run that goes on.
EvictionAdvice adviceFor(const RankingData& data, const RankRow& row, TimeNs now);
QString adviceText(const RankingData& data, const EvictionAdvice& advice, TimeStyle style);

QString confidenceText(double confidence);  // "high", "medium", "low"

}  // namespace runglass
