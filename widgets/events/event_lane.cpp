// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/events/event_lane.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/charts/playhead_line.h"
#include "widgets/charts/time_window.h"
#include "widgets/core/finding_span.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/events/event_data.h"

namespace runglass {
namespace {

constexpr int kGutter = 148, kLaneHeight = 26, kLaneGap = 2, kAxis = 18, kPad = 2 * kGrid, kPartPx = 3;
constexpr std::array<const char*, kLanes> kLaneNames = {QT_TRANSLATE_NOOP("Events", "error, critical"),
                                                        QT_TRANSLATE_NOOP("Events", "warning"), QT_TRANSLATE_NOOP("Events", "info")};
constexpr std::array<Severity, kLanes> kLaneSeverity = {Severity::kError, Severity::kWarning, Severity::kInfo};
constexpr DurNs kMinSpan = 1'000;

}  // namespace

int laneOf(Severity severity) { return severity >= Severity::kError ? 0 : severity == Severity::kWarning ? 1 : 2; }

int barHeight(std::uint32_t count, std::uint32_t most, int height) {
  if (count == 0 || most == 0) return 0;
  const double share = std::log1p(count) / std::log1p(most);
  return std::max(3, static_cast<int>(std::lround(share * height)));
}

EventLane::EventLane(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Events over time"));
  setFixedHeight(kPad + kLanes * (kLaneHeight + kLaneGap) + kAxis);
  setMouseTracking(true);
  setCursor(Qt::CrossCursor);
}

void EventLane::setDensity(std::shared_ptr<const EventDensity> density, TimeStyle style) {
  m_density = std::move(density);
  m_style = style;
  update();
}

void EventLane::setMark(std::optional<TimeNs> time) {
  m_mark = time;
  update();
}

void EventLane::setPlayhead(std::optional<TimeNs> moment) {
  m_playhead = moment;
  update();
}

std::size_t EventLane::parts() const { return static_cast<std::size_t>(std::max(16, (width() - kGutter - kPad) / kPartPx)); }

XMap EventLane::map() const {
  return {m_density->range.t0, std::max(m_density->range.t1, m_density->range.t0 + 1), static_cast<double>(kGutter),
          static_cast<double>(std::max(1, width() - kGutter - kPad))};
}

QRect EventLane::laneRect(int lane) const {
  return {kGutter, kGrid + lane * (kLaneHeight + kLaneGap), std::max(1, width() - kGutter - kPad), kLaneHeight};
}

void EventLane::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.ground);
  painter.setFont(tableFont());
  std::array<std::uint64_t, kLanes> totals{};
  std::array<std::uint32_t, kLanes> most{};
  std::vector<std::array<std::uint32_t, kLanes>> bars;
  if (m_density) {
    for (const SeverityCounts& counts : m_density->counts) {
      std::array<std::uint32_t, kLanes> bar{};
      for (std::size_t s = 0; s < kSeverityCount; ++s) bar[static_cast<std::size_t>(laneOf(static_cast<Severity>(s)))] += counts[s];
      for (std::size_t lane = 0; lane < kLanes; ++lane) totals[lane] += bar[lane], most[lane] = std::max(most[lane], bar[lane]);
      bars.push_back(bar);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    const QRect rect = laneRect(lane);
    painter.fillRect(rect, theme.surface);
    painter.setPen(totals[at] > 0 ? theme.text : theme.muted);
    const QRect head(kPad, rect.top(), kGutter - kPad - kGrid, rect.height());
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, EventText::tr(kLaneNames[at]));
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, formatCount(static_cast<std::int64_t>(totals[at])));
    const QColor color = lane == 2 ? theme.muted : severityColor(theme, kLaneSeverity[at]);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const int height = barHeight(bars[i][at], most[at], kLaneHeight - 2);
      if (height == 0) continue;
      const int left = rect.left() + static_cast<int>(i * static_cast<std::size_t>(rect.width()) / bars.size());
      const int right = rect.left() + static_cast<int>((i + 1) * static_cast<std::size_t>(rect.width()) / bars.size());
      painter.fillRect(QRect(left, rect.bottom() + 1 - height, std::max(1, right - left - 1), height), color);
    }
  }
  if (!m_density) return;
  const XMap x = map();
  const int bottom = laneRect(kLanes - 1).bottom() + 1;
  // Findings: a line above the lanes for as long as they last, the most severe on top. Findings and notes: a flag with its severity's
  // colour over all lanes, notes on top.
  TopColumns lasting(kGutter, width() - kPad), flags(kGutter, width() - kPad);
  constexpr std::size_t kNoteTag = kSeverityCount;
  for (std::size_t severity = 0; severity < kSeverityCount; ++severity)
    for (const EventRow& mark : m_density->marks) {
      if (!mark.timed || mark.key.source != EventSource::kFinding || mark.severity != static_cast<Severity>(severity)) continue;
      if (mark.key.time < x.x1 && mark.severity >= Severity::kWarning)
        lasting.add(x.toPixel(std::max(mark.key.time, x.x0)), x.toPixel(std::min(mark.end.value_or(x.x1), x.x1)), severity);
      flags.add(x.toPixel(mark.key.time), x.toPixel(mark.key.time), severity);
    }
  for (const EventRow& mark : m_density->marks)
    if (mark.timed && mark.key.source == EventSource::kNote) flags.add(x.toPixel(mark.key.time), x.toPixel(mark.key.time), kNoteTag);
  paintFindingLine(painter, lasting, kGrid - kFindingSpanPx);
  for (const ColumnRun& run : flags.runs()) {
    painter.setPen(QPen(run.tag == kNoteTag ? theme.accent : severityColor(theme, static_cast<Severity>(run.tag)), 1, Qt::DotLine));
    for (int pixel = run.left; pixel < run.right; ++pixel) painter.drawLine(pixel, kGrid, pixel, bottom);
  }
  painter.setPen(theme.muted);
  for (const AxisTick& tick : xTicks(x, XAxis::kTime, m_style)) {
    painter.drawLine(QPointF(tick.pixel, bottom), QPointF(tick.pixel, bottom + 3));
    painter.drawText(QRectF(tick.pixel - 60, bottom + 3, 120, kAxis - 4), Qt::AlignHCenter | Qt::AlignVCenter, tick.label);
  }
  if (m_playhead) paintPlayhead(painter, x, *m_playhead, kGrid, bottom);
  if (m_mark && *m_mark >= x.x0 && *m_mark < x.x1) {
    // From below, so that the bar above it stays visible.
    const double pixel = x.toPixel(*m_mark);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawPolygon(QPolygonF({{pixel, bottom - 5.0}, {pixel - 5, bottom + 3.0}, {pixel + 5, bottom + 3.0}}));
  }
  if (m_pressed && std::abs(m_pointer - *m_pressed) >= kDragPixels) {
    QColor brush = theme.accent;
    brush.setAlpha(50);
    painter.fillRect(QRect(QPoint(std::min(*m_pressed, m_pointer), kGrid), QPoint(std::max(*m_pressed, m_pointer), bottom)), brush);
  }
}

void EventLane::mousePressEvent(QMouseEvent* event) {
  if (m_density && event->button() == Qt::LeftButton) m_pressed = m_pointer = std::clamp(event->pos().x(), kGutter, width() - kPad);
}

void EventLane::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressed) return;
  m_pointer = std::clamp(event->pos().x(), kGutter, width() - kPad);
  update();
}

void EventLane::mouseReleaseEvent(QMouseEvent*) {
  if (!m_pressed || !m_density) return;
  const int from = std::min(*m_pressed, m_pointer), to = std::max(*m_pressed, m_pointer);
  m_pressed.reset();
  update();
  const XMap x = map();
  if (to - from < kDragPixels) return emit timeClicked(x.fromPixel(from));
  const TimeRange range{x.fromPixel(from), x.fromPixel(to)};
  if (range.t1 - range.t0 >= kMinSpan) emit rangeChosen(range, false);
}

void EventLane::mouseDoubleClickEvent(QMouseEvent*) {
  m_pressed.reset();
  emit allWanted();
}

void EventLane::wheelEvent(QWheelEvent* event) {
  if (!m_density) return;
  const XMap x = map();
  const TimeNs at = x.fromPixel(std::clamp(event->position().x(), static_cast<double>(kGutter), static_cast<double>(width() - kPad)));
  const auto next = TimeWindow{x.x0, x.x1}.zoomed(zoomOf(wheelNotches(*event)), at, kMinSpan);
  if (!next) return;
  emit rangeChosen({next->x0, next->x1}, true);
  emit gestureEnded();
  event->accept();
}

AccessibleTable EventLane::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("severity"), tr("events and log lines")}};
  if (!m_density) return table;
  for (std::size_t i = kSeverityCount; i-- > 0;) {
    std::int64_t count = 0;
    for (const SeverityCounts& part : m_density->counts) count += part[i];
    if (count > 0) table.rows.push_back({{severityLabel(static_cast<Severity>(i)), formatCount(count)}});
  }
  return table;
}

bool EventLane::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !m_density || m_density->counts.empty()) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const XMap x = map();
  const double share = (help->pos().x() - x.left) / x.width;
  if (share < 0 || share >= 1) {
    QToolTip::hideText();
    return true;
  }
  const auto part = static_cast<std::size_t>(share * static_cast<double>(m_density->counts.size()));
  const SeverityCounts& counts = m_density->counts[part];
  QStringList lines{formatTime(x.fromPixel(help->pos().x()), m_style)};
  for (std::size_t s = kSeverityCount; s-- > 0;)
    if (counts[s] > 0) lines << QStringLiteral("%1 %2").arg(formatCount(counts[s]), severityLabel(static_cast<Severity>(s)));
  for (const EventRow& mark : m_density->marks)
    if (mark.timed && std::abs(x.toPixel(mark.key.time) - help->pos().x()) < 4) lines << screenText(mark.text, 120);
  QToolTip::showText(help->globalPos(), tooltipText(lines).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")), this);
  return true;
}

}  // namespace runglass
