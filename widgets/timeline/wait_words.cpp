// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/wait_words.h"

#include <limits>

#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;

QString why(Match match) {
  switch (match) {
    case Match::kAlone:
      return TimelineText::tr("no other member's call is in the store: waiting is unknown");
    case Match::kTwice:
      return TimelineText::tr("a rank has several calls of this number: waiting is unknown");
    case Match::kDiffers:
      return TimelineText::tr("its members ran different operations under this number: waiting is unknown");
    case Match::kCounts:
      return TimelineText::tr("it has no number, and its members' calls cannot be paired: waiting is unknown");
    case Match::kDisjoint:
      return TimelineText::tr("one member ended before another began: the clocks disagree, waiting is unknown");
    case Match::kEnds:
      return TimelineText::tr("it names no communicator, and the ranks' calls do not end together: waiting is unknown");
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
    return TimelineText::tr("rank %1 began %2 away by clocks that were never compared: the order is not certain").arg(rank, between);
  if (part.kind == WaitPart::Kind::kBelowError)
    return TimelineText::tr("rank %1 began %2 away; the clocks agree to ± %3 only: the order is not certain").arg(rank, between, error);
  if (part.kind == WaitPart::Kind::kBuffered) return TimelineText::tr("did not wait: it ended before rank %1 began to receive").arg(rank);
  const bool open = part.t1 == std::numeric_limits<TimeNs>::max();
  QString text;
  if (part.kind == WaitPart::Kind::kWaited)
    text = open ? TimelineText::tr("waited %1 for rank %2").arg(between, rank)
                : TimelineText::tr("waited %1 of %2 for rank %3").arg(between, formatDuration(part.t1 - part.t0), rank);
  else
    text = part.apart == 0 ? TimelineText::tr("did not wait: it began with the last")
                           : TimelineText::tr("the last to begin: rank %1 waited longest for it, %2").arg(rank, between);
  if (!part.whole)
    text = part.members > 0 ? TimelineText::tr("%1; at least: %2 of its %3 members are in the store")
                                  .arg(text, QString::number(part.calls), QString::number(part.members))
                            : TimelineText::tr("%1; among the %2 members in the store").arg(text, QString::number(part.calls));
  if (part.gap.kind == ClockGap::Kind::kCompared) text = TimelineText::tr("%1 (clocks agree to ± %2)").arg(text, error);
  if (part.gap.kind == ClockGap::Kind::kNodeUnknown)
    text = TimelineText::tr("%1 (if their clocks are one: their nodes are not known)").arg(text);
  return text;
}

}  // namespace runglass
