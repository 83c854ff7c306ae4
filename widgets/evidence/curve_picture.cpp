// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/curve_picture.h"

#include <algorithm>
#include <cmath>

#include "widgets/charts/plot_picture.h"

namespace runglass {
namespace {

constexpr int kEventLine = 16;
constexpr double kMarkShare = 0.14, kEdgeShare = 0.7;  // of the warning colour in the background

Ink inkOf(const CurveInk& ink) {
  switch (ink.role) {
    case CurveRole::kSeries:
      return seriesInk(ink.number);
    case CurveRole::kSubject:
      return seriesInk(0);
    case CurveRole::kCompared:
      return themeInk<&Theme::text>();
    case CurveRole::kReach:
    case CurveRole::kOld:
      break;
  }
  return {};
}

}  // namespace

void CurveStory::add(PlotPanel panel, std::vector<CurveInk> panel_inks) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    PlotCurve& curve = panel.curves[i];
    curve.band = panel_inks[i].role == CurveRole::kReach;
    curve.dashed = panel_inks[i].role == CurveRole::kCompared;
    curve.faint = panel_inks[i].role == CurveRole::kOld;
    curve.ink = inkOf(panel_inks[i]);
  }
  plot.panels.push_back(std::move(panel));
  inks.push_back(std::move(panel_inks));
}

int CurvePicture::plotHeight() const {
  double shares = 0;
  for (const PlotPanel& panel : m_story.plot.panels) shares += panel.share;
  const auto panels = static_cast<int>(m_story.plot.panels.size());
  const int lane = m_story.events.empty() ? 0 : PlotPicture::kLane;
  return static_cast<int>(std::lround(shares * kPanelHeight)) + panels * (PlotPicture::kTitle + PlotPicture::kBetween) + lane +
         PlotPicture::kAxis;
}

double CurvePicture::heightAt(double) const {
  const std::size_t lines = m_story.events.size() + (m_story.more_events > 0 ? 1 : 0);
  return plotHeight() + static_cast<double>(lines) * kEventLine;
}

PlotData CurvePicture::withEvents() const {
  PlotData plot = m_story.plot;
  if (m_story.mark)
    plot.bands.push_back({.x0 = m_story.mark->first,
                          .x1 = m_story.mark->second,
                          .ink = {[](const Theme& theme, std::size_t) { return mix(theme.ground, theme.warning, kMarkShare); }},
                          .name = {},
                          .edge = Ink{[](const Theme& theme, std::size_t) { return mix(theme.ground, theme.warning, kEdgeShare); }}});
  plot.lane = !m_story.events.empty();
  for (const CurveEvent& event : m_story.events)
    plot.marks.push_back({event.x, severityText(event.severity), severityGlyph(event.severity), event.words, event.severity});
  return plot;
}

void CurvePicture::paint(QPainter& painter, const QRectF& area, const Theme& theme) const {
  painter.fillRect(area, theme.surface);
  const std::size_t lines = m_story.events.size() + (m_story.more_events > 0 ? 1 : 0);
  const QRect room(0, 0, static_cast<int>(area.width()), static_cast<int>(area.height()) - static_cast<int>(lines) * kEventLine);
  const PlotPicture picture(std::make_shared<const PlotData>(withEvents()), m_story.x0, m_story.x1, room.size(), 0, theme);
  picture.paintVector(painter, room);
  const QFontMetricsF metrics(painter.fontMetrics());
  double y = room.bottom() + 1;
  const auto line = [&](const QString& glyph, const QColor& color, const QString& words) {
    painter.setPen(color);
    painter.drawText(QRectF(0, y, PlotPicture::kGutter - 6, kEventLine), Qt::AlignRight | Qt::AlignVCenter, glyph);
    painter.setPen(theme.text);
    const QRectF place(PlotPicture::kGutter, y, area.width() - PlotPicture::kGutter - kGrid, kEventLine);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(words, Qt::ElideRight, place.width()));
    y += kEventLine;
  };
  for (const CurveEvent& event : m_story.events) line(severityGlyph(event.severity), severityInk(theme, event.severity), event.words);
  if (m_story.more_events > 0)
    line({}, theme.muted, QObject::tr("and %1 more").arg(formatCount(static_cast<std::int64_t>(m_story.more_events))));
}

}  // namespace runglass
