// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/wait_words.h"

#include <limits>

#include "widgets/core/units.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;

QString why(Match match) {
  switch (match) {
    case Match::kAlone:
      return QStringLiteral("no other member's call is in the store: waiting is unknown");
    case Match::kTwice:
      return QStringLiteral("a rank has several calls of this number: waiting is unknown");
    case Match::kDiffers:
      return QStringLiteral("its members ran different operations under this number: waiting is unknown");
    case Match::kCounts:
      return QStringLiteral("it has no number, and its members' calls cannot be paired: waiting is unknown");
    case Match::kDisjoint:
      return QStringLiteral("one member ended before another began: the clocks disagree, waiting is unknown");
    case Match::kEnds:
      return QStringLiteral("it names no communicator, and the ranks' calls do not end together: waiting is unknown");
    case Match::kMatched:
      break;
  }
  return {};
}

}  // namespace

QString waitSentence(const WaitPart& part) {
  if (part.kind == WaitPart::Kind::kUnmatched) return why(part.match);
  const QString rank = QString::number(part.other), between = formatDuration(part.apart), error = formatDuration(part.gap.error);
  if (part.kind == WaitPart::Kind::kNotClocked)
    return QStringLiteral("rank %1 began %2 away by clocks that were never compared: the order is not certain").arg(rank, between);
  if (part.kind == WaitPart::Kind::kBelowError)
    return QStringLiteral("rank %1 began %2 away; the clocks agree to ± %3 only: the order is not certain").arg(rank, between, error);
  if (part.kind == WaitPart::Kind::kBuffered) return QStringLiteral("did not wait: it ended before rank %1 began to receive").arg(rank);
  const bool open = part.t1 == std::numeric_limits<TimeNs>::max();
  QString text;
  if (part.kind == WaitPart::Kind::kWaited)
    text = open ? QStringLiteral("waited %1 for rank %2").arg(between, rank)
                : QStringLiteral("waited %1 of %2 for rank %3").arg(between, formatDuration(part.t1 - part.t0), rank);
  else
    text = part.apart == 0 ? QStringLiteral("did not wait: it began with the last")
                           : QStringLiteral("the last to begin: rank %1 waited longest for it, %2").arg(rank, between);
  if (!part.whole)
    text += part.members > 0 ? QStringLiteral("; at least: %1 of its %2 members are in the store").arg(part.calls).arg(part.members)
                             : QStringLiteral("; among the %1 members in the store").arg(part.calls);
  if (part.gap.kind == ClockGap::Kind::kCompared) text += QStringLiteral(" (clocks agree to ± %1)").arg(error);
  if (part.gap.kind == ClockGap::Kind::kNodeUnknown) text += QStringLiteral(" (if their clocks are one: their nodes are not known)");
  return text;
}

}  // namespace runglass
