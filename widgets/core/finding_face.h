// SPDX-License-Identifier: GPL-3.0-or-later
// The face of a finding, the same wherever one is shown: the chip of its severity, since when and for how long, its cost, one sentence, and
// one curve of its evidence.
//
// Threading:  GUI thread.
// Units:      as FindingFacts.
// Errors:     absent values are named as such.
#pragma once

#include <QCoreApplication>
#include <QString>

#include "analysis/views/finding_facts.h"
#include "widgets/core/units.h"

class QPainter;
class QRect;

namespace runglass {

struct FindingFaceText {
  Q_DECLARE_TR_FUNCTIONS(FindingFace)
};

// "since 21:43:05, for 5.6 min"; `now`: until when an open one has lasted.
QString findingTimeText(const Finding& finding, const FindingFacts& facts, TimeNs now, TimeStyle style);
QString findingCostText(const FindingFacts& facts);
// Culprits, blocked ranks and the time until the watchdog aborts; empty: not a hang.
QString hangText(const FindingFacts& facts, TimeNs now);
// Title of the curve, and its values before and in the finding; empty: no curve.
QString trendTitle(const FindingTrend& trend);
QString trendText(const FindingTrend& trend);

struct FindingFace {
  const Finding& finding;
  const FindingFacts& facts;
  TimeNs now = 0;
  TimeStyle style = TimeStyle::kUtc;
};
// With the sentence in `lines`.
int findingFaceHeight(const FindingFacts& facts, int lines);
void paintFindingFace(QPainter& painter, const QRect& place, const FindingFace& face);

}  // namespace runglass
