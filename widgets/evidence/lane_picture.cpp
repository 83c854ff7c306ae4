// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/lane_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/time_text.h"
#include "widgets/core/units.h"
#include "widgets/evidence/evidence_subject.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kLaneHeight = 5 * kGrid, kAxisHeight = 5 * kGrid, kNamesWidth = 26 * kGrid;
constexpr int kMinTickPx = 70, kMarkPx = 16;
constexpr double kMinute = 60e9;

double minutesBetween(TimeNs from, TimeNs to) { return (static_cast<double>(to) - static_cast<double>(from)) / kMinute; }

// 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, ... minutes, so that the labels fit.
double tickMinutes(double minutes, double width) {
  const double least = minutes * kMinTickPx / std::max(1.0, width);
  for (const double step : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0, 720.0})
    if (step >= least) return step;
  return std::ceil(least / 1440) * 1440;
}

class LanesPicture : public EvidencePicture {
 public:
  explicit LanesPicture(LaneStory story) : m_story(std::move(story)) {}
  double heightAt(double) const override { return laneStripHeight(); }
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override { paintLanes(painter, area.size(), m_story, theme); }

 private:
  LaneStory m_story;
};

}  // namespace

LaneStory laneStory(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero) {
  TimeNs begin = range.t0, end = range.t1 == std::numeric_limits<TimeNs>::max() ? range.t0 + 1 : range.t1;
  for (const TimelineEntry& one : entries) begin = std::min(begin, one.time), end = std::max(end, one.until.value_or(one.time) + 1);
  return {.entries = std::move(entries), .range = {begin, std::max(end, begin + 1)}, .zero = zero};
}

int laneStripHeight() { return 2 * kLaneHeight + kAxisHeight + kGrid; }
double laneTop(IncidentLane lane) { return lane == IncidentLane::kHappened ? 0 : kLaneHeight; }
double laneBottom() { return 2 * kLaneHeight; }

double laneX(const LaneStory& story, TimeNs time, double width) {
  const double length = static_cast<double>(story.range.t1) - static_cast<double>(story.range.t0);
  const double share = (static_cast<double>(time) - static_cast<double>(story.range.t0)) / length;
  return kNamesWidth + std::clamp(share, 0.0, 1.0) * std::max(1.0, width - kNamesWidth - 2 * kPad);
}

void paintLanes(QPainter& painter, QSizeF size, const LaneStory& story, const Theme& theme) {
  painter.fillRect(QRectF({0, 0}, size), theme.surface);
  painter.setFont(tableFont());
  painter.setPen(theme.muted);
  for (const auto& [lane, name] :
       {std::pair{IncidentLane::kHappened, QObject::tr("what happened")}, std::pair{IncidentLane::kKnown, QObject::tr("what was known")}})
    painter.drawText(QRectF(kPad, laneTop(lane), kNamesWidth, kLaneHeight), Qt::AlignLeft | Qt::AlignVCenter, name);
  const double right = size.width() - 2 * kPad, bottom = laneBottom();
  painter.setPen(theme.line);
  for (const double y : {kLaneHeight / 2.0, kLaneHeight * 1.5, bottom}) painter.drawLine(QPointF(kNamesWidth, y), QPointF(right, y));
  const double all = minutesBetween(story.range.t0, story.range.t1), before = minutesBetween(story.range.t0, story.zero);
  const double step = tickMinutes(all, right - kNamesWidth);
  for (double minute = -std::floor(before / step) * step; minute <= all - before; minute += step) {
    const double x = std::floor(kNamesWidth + (minute + before) / all * (right - kNamesWidth));
    painter.setPen(theme.line);
    painter.drawLine(QPointF(x, 0), QPointF(x, bottom + kGrid));
    painter.setPen(theme.muted);
    const QString name =
        formatScaled(minute, {1, step < 1 ? 1 : 0, "min"}) + (std::abs(minute) < step / 2 ? QObject::tr(" min") : QString());
    const bool at_edge = x + kMinTickPx / 2.0 > size.width();  // its label is placed before it
    const QRectF place(at_edge ? x - kMinTickPx - kGrid / 2.0 : x + kGrid / 2.0, bottom, kMinTickPx, kAxisHeight);
    painter.drawText(place, (at_edge ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, name);
  }
  // Paints the worst last, so that nothing hides it.
  std::vector<const TimelineEntry*> order;
  for (const TimelineEntry& one : story.entries) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const TimelineEntry* one) { return one->severity; });
  for (const TimelineEntry* one : order) {
    const double x = laneX(story, one->time, size.width()), y = laneTop(one->lane) + kLaneHeight / 2.0;
    const QColor color = severityColor(theme, one->severity);
    if (one->until) painter.fillRect(QRectF(x, y - 1, std::max(1.0, laneX(story, *one->until, size.width()) - x), 3), color);
    if (one->severity <= Severity::kInfo) {
      painter.fillRect(QRectF(x - 1, y - 4, 2, 9), color);
      continue;
    }
    painter.setPen(color);
    painter.drawText(QRectF(x - kMarkPx, y - kMarkPx, 2 * kMarkPx, 2 * kMarkPx), Qt::AlignCenter, severityGlyph(one->severity));
  }
}

Evidence lanesEvidence(LaneStory story) {
  Evidence out{.kind = "lanes", .title = QObject::tr("What happened, and what was known when")};
  std::int64_t happened = 0;
  std::optional<TimeNs> first;
  for (const TimelineEntry& one : story.entries) {
    if (one.lane == IncidentLane::kHappened)
      ++happened;
    else
      first = std::min(first.value_or(one.time), one.time);
  }
  out.shows = QObject::tr("Minutes since the first sign, at %1. %2 happened; ")
                  .arg(QString::fromStdString(utcText(story.zero)),
                       countWords(happened, QT_TRANSLATE_NOOP("Counts", "%1 thing"), QT_TRANSLATE_NOOP("Counts", "%1 things")));
  if (first && *first >= story.zero)
    out.shows += QObject::tr("the first word of it came %1 after the first sign.").arg(formatAge(*first - story.zero));
  else if (first)
    out.shows += QObject::tr("the first word of it was there before the first sign.");
  else
    out.shows += QObject::tr("publication is not recorded.");
  out.caption = out.shows;
  out.picture = std::make_shared<const LanesPicture>(std::move(story));
  return out;
}

}  // namespace runglass
