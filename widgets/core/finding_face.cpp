// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_face.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "model/time_text.h"
#include "widgets/core/language.h"
#include "widgets/core/painted_text.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kTrendWidth = 40 * kGrid, kMinTextWidth = 60 * kGrid;
constexpr qsizetype kCulpritsShown = 4;
constexpr double kTrendFill = 0.25;  // share of the severity's colour behind the values in the finding

int lineHeight() { return QFontMetrics(tableFont()).lineSpacing(); }

void paintTrend(QPainter& painter, const QRect& place, const FindingTrend& trend, Severity severity) {
  const Theme& theme = currentTheme();
  const auto [low, high] = [&] {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double value : trend.values)
      if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
    return std::pair(least, most);
  }();
  const auto x = [&](std::size_t i) {
    return place.left() + place.width() * static_cast<double>(i) / static_cast<double>(trend.values.size());
  };
  painter.fillRect(QRectF(QPointF(x(trend.begin), place.top()), QPointF(x(trend.end), place.bottom() + 1)),
                   mix(theme.surface, severityColor(theme, severity), kTrendFill));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.text, kHairline));
  QPolygonF line;
  const auto draw = [&] {
    if (line.size() > 1) painter.drawPolyline(line);
    if (line.size() == 1) painter.drawPoint(line.front());
    line.clear();
  };
  const double half = place.width() / (2.0 * static_cast<double>(trend.values.size()));
  for (std::size_t i = 0; i < trend.values.size(); ++i) {
    const double value = trend.values[i];
    if (!std::isfinite(value)) {
      draw();  // no line across a gap
      continue;
    }
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    line << QPointF(x(i) + half, place.bottom() - share * (place.height() - 2) - 1);
  }
  draw();
  painter.restore();
}

}  // namespace

QString findingTimeText(const Finding& finding, const FindingFacts& facts, TimeNs now, TimeStyle style) {
  if (!finding.start)
    return finding.first_step ? FindingFaceText::tr("since step %1").arg(formatCount(*finding.first_step))
                              : FindingFaceText::tr("no clock");
  const QString since = formatTimeOfDay(*finding.start, style);
  DurNs length = 0;  // times of a store may be any number
  const TimeNs until = facts.end.value_or(std::max(now, *finding.start));
  if ((!facts.end && !facts.open) || __builtin_sub_overflow(until, *finding.start, &length) || length < 0)
    return FindingFaceText::tr("since %1").arg(since);
  return facts.end ? FindingFaceText::tr("since %1, for %2").arg(since, formatLength(length))
                   : FindingFaceText::tr("since %1, open for %2").arg(since, formatLength(length));
}

QString findingCostText(const FindingFacts& facts) {
  const FindingCost& cost = facts.cost;
  if (cost.gpu_hours)
    return facts.open ? FindingFaceText::tr("cost: %1 GPU-hours so far").arg(formatGpuHours(*cost.gpu_hours))
                      : FindingFaceText::tr("cost: %1 GPU-hours").arg(formatGpuHours(*cost.gpu_hours));
  if (cost.step_ratio && cost.gpu_hours_per_day)
    return FindingFaceText::tr("cost: %1 of each step, %2 GPU-hours a day")
        .arg(formatPercent(*cost.step_ratio), formatGpuHours(*cost.gpu_hours_per_day));
  if (cost.step_ratio) return FindingFaceText::tr("cost: %1 of each step").arg(formatPercent(*cost.step_ratio));
  if (cost.gpu_hours_per_day) return FindingFaceText::tr("cost: %1 GPU-hours a day").arg(formatGpuHours(*cost.gpu_hours_per_day));
  return FindingFaceText::tr("cost: not estimated");
}

QString trendTitle(const FindingTrend& trend) {
  switch (trend.kind) {
    case TrendKind::kNone:
      return {};
    case TrendKind::kMetric:
      return screenText(trend.metric, 60);
    case TrendKind::kOwnWork:
      return FindingFaceText::tr("own work per step, rank %1").arg(*trend.rank);
    case TrendKind::kStepTime:
      return trend.rank ? FindingFaceText::tr("step time, rank %1").arg(*trend.rank) : FindingFaceText::tr("step time");
  }
  return {};
}

QString trendText(const FindingTrend& trend) {
  const QString title = trendTitle(trend);
  if (trend.before && trend.during)
    return FindingFaceText::tr("%1: %2, before %3")
        .arg(title, formatValue(*trend.during, trend.unit), formatValue(*trend.before, trend.unit));
  const std::optional<double> known = trend.during ? trend.during : trend.before;
  return known ? FindingFaceText::tr("%1: %2").arg(title, formatValue(*known, trend.unit)) : title;
}

QString hangText(const FindingFacts& facts, TimeNs now) {
  if (!facts.hang) return {};
  const HangEvidence& hang = *facts.hang;
  QStringList parts, ranks;
  for (const HangMember& member : hang.culprits)
    if (ranks.size() < kCulpritsShown) ranks << QString::number(member.rank);
  const bool more = hang.culprit_count > ranks.size();
  if (hang.culprits.empty())
    parts << FindingFaceText::tr("culprit unknown");
  else if (hang.culprit_count == 1 && !hang.culprits.front().node.empty())
    parts << FindingFaceText::tr("culprit: rank %1 on %2").arg(ranks.front(), screenText(hang.culprits.front().node, 60));
  else
    parts
        << FindingFaceText::tr("culprits: ranks %1").arg(ranks.join(FindingFaceText::tr(", ")) + (more ? QStringLiteral(" …") : QString()));
  if (hang.world > 0) parts << FindingFaceText::tr("%1 of %2 ranks blocked").arg(formatCount(hang.blocked), formatCount(hang.world));
  // At an earlier moment it has not aborted yet.
  if (hang.timeouts > 0 && !(hang.watchdog_at && *hang.watchdog_at > now))
    parts << FindingFaceText::tr("the watchdog has aborted");
  else if (hang.watchdog_at && facts.open)
    parts << (*hang.watchdog_at > now
                  ? FindingFaceText::tr("watchdog aborts in %1").arg(QString::fromStdString(countdownText(*hang.watchdog_at - now)))
                  : FindingFaceText::tr("the watchdog is overdue"));
  return parts.join(QStringLiteral("  ·  "));
}

int findingFaceHeight(const FindingFacts& facts, int lines) {
  return severityChipHeight() + (1 + lines + (facts.hang ? 1 : 0)) * lineHeight() + 4 * kGrid;
}

void paintFindingFace(QPainter& painter, const QRect& place, const FindingFace& face) {
  const Theme& theme = currentTheme();
  const int chip = severityChipHeight(), line = lineHeight();
  painter.setFont(tableFont());
  const QFontMetrics metrics = painter.fontMetrics();
  QRect text = place.adjusted(0, kGrid, 0, -kGrid);
  const bool with_trend = !face.facts.trend.empty() && text.width() >= kTrendWidth + kMinTextWidth;
  const int right = text.right() - (with_trend ? kTrendWidth + 2 * kGrid : 0);
  if (with_trend) {
    const QRect curve(text.right() - kTrendWidth + 1, text.top(), kTrendWidth, chip + kGrid + line);
    painter.setPen(theme.muted);
    painter.drawText(QRect(curve.left(), curve.top(), curve.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(trendTitle(face.facts.trend), Qt::ElideRight, curve.width()));
    paintTrend(painter, curve.adjusted(0, line, 0, 0), face.facts.trend, face.finding.severity);
  }
  const QRect mark(text.left(), text.top(), severityChipWidth(face.finding.severity), chip);
  paintSeverityChip(painter, mark, face.finding.severity);
  painter.setPen(theme.muted);
  const QRect when(mark.right() + 2 * kGrid, text.top(), right - mark.right() - 2 * kGrid, chip);
  painter.drawText(when, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(findingTimeText(face.finding, face.facts, face.now, face.style), Qt::ElideRight, when.width()));
  const QRect cost(text.left(), mark.bottom() + 1 + kGrid / 2, right - text.left(), line);
  painter.drawText(cost, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(findingCostText(face.facts), Qt::ElideRight, cost.width()));
  QRect sentence(text.left(), cost.bottom() + 1 + kGrid / 2, text.width(), text.bottom() - cost.bottom() - kGrid / 2);
  painter.setPen(theme.text);
  if (face.facts.hang) {
    painter.drawText(QRect(sentence.left(), sentence.top(), sentence.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(hangText(face.facts, face.now), Qt::ElideRight, sentence.width()));
    sentence.setTop(sentence.top() + line);
  }
  painter.drawText(sentence, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, inLines(metrics, findingText(face.finding), sentence));
}

}  // namespace runglass
