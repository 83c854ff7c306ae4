// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/timeline_crop.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

constexpr int kSteps = 17, kRuler = 18, kHeader = kSteps + kRuler + 2, kStrip = 20, kLane = 15, kGap = 3, kLegend = 20;
constexpr int kLegendBox = 14, kLegendHeight = 10, kArrowHead = 4;
constexpr double kArrowLine = 1.3;
constexpr int kNameFont = 10, kMinDetail = 24;

int runsOf(const BusyStrip& strip) {
  int runs = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    int before = 0;
    for (const auto& column : strip.columns) {
      const int now = vectorShade(part < 2 ? column[part] : std::max(column[2], column[3]));
      runs += now != before && now != 0 ? 1 : 0;
      before = now;
    }
  }
  return runs;
}

int barsOf(const CropRow& row) {
  std::size_t bars = 0;
  for (const CropLane& lane : row.lanes) bars += lane.bars.size();
  return static_cast<int>(std::min<std::size_t>(bars, std::numeric_limits<int>::max() / 64));
}

// Merges pairs of columns; the busier one determines the value.
void coarsen(BusyStrip& strip) {
  std::vector<std::array<std::uint8_t, kSpanClassCount>> half;
  for (std::size_t i = 0; i < strip.columns.size(); i += 2) {
    half.push_back(strip.columns[i]);
    if (i + 1 < strip.columns.size())
      for (std::size_t k = 0; k < kSpanClassCount; ++k) half.back()[k] = std::max(half.back()[k], strip.columns[i + 1][k]);
  }
  strip.columns = std::move(half);
  strip.pixel *= 2;
}

int heightOfRow(const CropRow& row) { return (row.lanes.empty() ? kStrip : static_cast<int>(row.lanes.size()) * kLane) + kGap; }

}  // namespace

int shapesOf(const TimelineCrop& crop) {
  int shapes = static_cast<int>(std::min<std::size_t>(crop.steps.size(), 10'000)) * 2;
  for (const CropRow& row : crop.rows) {
    if (row.lanes.empty()) {
      shapes += runsOf(row.strip);
      const auto waits = crop.waits ? crop.waits->of_rank.find(row.rank) : decltype(crop.waits->of_rank.end()){};
      if (crop.waits && waits != crop.waits->of_rank.end())
        shapes += 2 * static_cast<int>(std::min<std::size_t>(waits->second.size(), row.strip.columns.size() / 3));
      continue;
    }
    shapes += barsOf(row);
    if (crop.waits)
      for (const CropLane& lane : row.lanes)
        for (const SpanBar& bar : lane.bars) shapes += bar.id != 0 && crop.waits->of_span.contains(bar.id) ? 2 : 0;
  }
  return shapes;
}

void simplify(TimelineCrop& crop, int most) {
  while (shapesOf(crop) > most) {
    // The fullest row other than the card's subject, then the subject.
    CropRow* fullest = nullptr;
    for (CropRow& row : crop.rows)
      if (!row.lanes.empty() && !row.strip.columns.empty() &&
          (fullest == nullptr || std::pair(!row.about, barsOf(row)) > std::pair(!fullest->about, barsOf(*fullest))))
        fullest = &row;
    if (fullest != nullptr) {
      fullest->lanes.clear();
      continue;
    }
    CropRow* finest = nullptr;
    for (CropRow& row : crop.rows)
      if (row.lanes.empty() && row.strip.columns.size() > 8 && (finest == nullptr || runsOf(row.strip) > runsOf(finest->strip)))
        finest = &row;
    if (finest != nullptr) {
      coarsen(finest->strip);
      continue;
    }
    if (crop.steps.empty()) return;
    crop.steps.clear();
  }
}

double CropPicture::heightAt(double) const {
  int height = kHeader + kLegend;
  for (const CropRow& row : m_crop.rows) height += heightOfRow(row);
  return height;
}

int CropPicture::topOf(std::int32_t rank, bool bottom) const {
  int top = kHeader;
  for (const CropRow& row : m_crop.rows) {
    if (row.rank == rank) return bottom ? top + heightOfRow(row) - kGap : top;
    top += heightOfRow(row);
  }
  return -1;
}

void CropPicture::paintRow(QPainter& painter, TimelineRaster& raster, const CropRow& row, int top, std::vector<BarLabel>& labels,
                           const Theme& theme) const {
  const QFontMetrics metrics = painter.fontMetrics();
  const int room = kGutter - 2 * kGrid, line = row.lanes.empty() ? kStrip : kLane;
  const auto put = [&](int y, const QString& text, const QColor& ink, Qt::Alignment side, int width) {
    painter.setPen(ink);
    painter.drawText(QRect(kGrid, y, room, line), side | Qt::AlignVCenter | Qt::TextSingleLine,
                     metrics.elidedText(text, Qt::ElideRight, width));
  };
  const QString title = (row.about ? QStringLiteral("▸ ") : QString()) + row.title;
  put(top, title, theme.text, Qt::AlignLeft, room);
  const int left = room - metrics.horizontalAdvance(title) - kGrid;
  if (left > kMinDetail) put(top, row.detail, theme.muted, Qt::AlignRight, left);
  if (row.lanes.empty()) {
    if (row.strip.columns.empty()) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(kGutter, top, 400, kStrip), Qt::AlignVCenter, QObject::tr("no spans here"));
      return;
    }
    raster.strip(row.strip, top + 1, kStrip - 2);
    if (!m_crop.waits) return;
    const auto waits = m_crop.waits->of_rank.find(row.rank);
    if (waits != m_crop.waits->of_rank.end()) raster.stripWaits(waits->second, top + 1, kStrip - 2);
    return;
  }
  for (std::size_t lane = 0; lane < row.lanes.size(); ++lane) {
    const int y = top + static_cast<int>(lane) * kLane;
    // The first lane's label is the rank: its track is named on the second lane, if that is the same track.
    const QString& name = lane == 1 && row.lanes[1].name.isEmpty() ? row.lanes[0].name : row.lanes[lane].name;
    if (lane > 0 && !name.isEmpty()) put(y, name, theme.muted, Qt::AlignRight, room);
    raster.bars(row.lanes[lane].bars, m_crop.shades, m_crop.waits.get(), y, kLane, m_crop.range.t1, &labels);
  }
}

// From the row that began last, at the moment when it began, to the row that had waited for it.
void CropPicture::paintArrows(QPainter& painter, const XMap& map, const Theme& theme) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const CropArrow& arrow : m_crop.arrows) {
    const int late = topOf(arrow.late, false), waiting = topOf(arrow.waiting, false);
    if (late < 0 || waiting < 0) continue;
    const bool down = waiting > late;
    const double x = map.toPixel(arrow.begun), from = topOf(arrow.late, down), to = topOf(arrow.waiting, !down), tip = down ? -1 : 1;
    painter.setPen(QPen(theme.text, kArrowLine));
    painter.drawLine(QPointF(x, from), QPointF(x, to));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    painter.drawEllipse(QPointF(x, from), 2, 2);
    painter.drawPolygon(QPolygonF({{x, to}, {x - kArrowHead, to + tip * 2 * kArrowHead}, {x + kArrowHead, to + tip * 2 * kArrowHead}}));
  }
  painter.restore();
}

void CropPicture::paintLegend(QPainter& painter, int top, int width, const Theme& theme) const {
  struct Entry {
    QString words;
    SpanCategory category;
    bool waiting = false;
  };
  int x = kGutter;
  for (const Entry& entry : {Entry{QObject::tr("compute"), SpanCategory::kCompute},
                             {QObject::tr("communication"), SpanCategory::kComm},
                             {QObject::tr("waiting"), SpanCategory::kComm, true},
                             {QObject::tr("copy"), SpanCategory::kMemcpy},
                             {QObject::tr("host"), SpanCategory::kOther}}) {
    const int wide = painter.fontMetrics().horizontalAdvance(entry.words) + 1;
    if (x + kLegendBox + kGrid + wide > width) break;
    TimelineRaster raster(painter, QRect(x, top, kLegendBox, kLegend), {0, kLegendBox, static_cast<double>(x), kLegendBox}, theme);
    WaitParts waits;
    if (entry.waiting) waits.of_span[1] = {.kind = WaitPart::Kind::kWaited, .until = kLegendBox};
    raster.bars({{.t0 = 0, .t1 = kLegendBox, .id = 1, .count = 1, .category = entry.category}}, {}, &waits,
                top + (kLegend - kLegendHeight) / 2, kLegendHeight, 0, nullptr);
    x += kLegendBox + kGrid;
    painter.setPen(theme.muted);
    painter.drawText(QRect(x, top, wide, kLegend), Qt::AlignVCenter, entry.words);
    x += wide + 3 * kGrid;
  }
  const QString arrow = QObject::tr("● last  ▼ had waited");
  const int wide = painter.fontMetrics().horizontalAdvance(arrow) + 1;
  if (m_crop.arrows.empty() || x + wide > width) return;
  painter.setPen(theme.text);
  painter.drawText(QRect(x, top, wide, kLegend), Qt::AlignVCenter, arrow);
}

void CropPicture::paint(QPainter& painter, const QRectF& area, const Theme& theme) const {
  const int width = static_cast<int>(area.width());
  const int plot = std::max(16, width - kGutter - kRight);
  const XMap map{m_crop.range.t0, m_crop.range.t1, kGutter, static_cast<double>(plot)};
  painter.fillRect(area, theme.surface);
  painter.setPen(theme.muted);
  painter.drawText(QRect(kGrid, 0, kGutter - 2 * kGrid, kSteps), Qt::AlignVCenter, QObject::tr("step"));
  painter.drawText(QRect(kGrid, kSteps, kGutter - 2 * kGrid, kRuler), Qt::AlignVCenter, zoneName(m_crop.style));
  paintStepBands(painter, m_crop.steps, map, QRect(kGutter, 1, plot, kSteps - 2), theme);
  paintTimeRuler(painter, map, m_crop.style, QRect(kGutter, kSteps, plot, kRuler), theme);
  int top = kHeader;
  int bottom = kHeader;
  for (const CropRow& row : m_crop.rows) bottom += heightOfRow(row);
  const QRect rows(kGutter, kHeader, plot, bottom - kHeader);
  painter.fillRect(rows, theme.ground);
  painter.save();
  painter.setClipRect(QRect(0, 0, kGutter + plot, bottom), Qt::IntersectClip);
  TimelineRaster raster(painter, rows, map, theme);
  std::vector<BarLabel> labels;
  for (const CropRow& row : m_crop.rows) {
    paintRow(painter, raster, row, top, labels, theme);
    top += heightOfRow(row);
    painter.fillRect(QRect(0, top - 2, kGutter + plot, 1), theme.line);
  }
  QFont font = tableFont();
  font.setPixelSize(kNameFont);
  painter.setFont(font);
  paintBarLabels(painter, labels, m_crop.names, kHeader);
  painter.setFont(tableFont());
  painter.setClipRect(rows, Qt::IntersectClip);
  paintArrows(painter, map, theme);
  painter.restore();
  paintLegend(painter, bottom, width, theme);
}

}  // namespace runglass
