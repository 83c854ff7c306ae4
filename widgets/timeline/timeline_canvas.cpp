// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the timeline.
//
// Invariant: m_image shows m_picture, m_rows, the window and the scroll position unless m_dirty.
#include "widgets/timeline/timeline_canvas.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "widgets/charts/raster.h"

namespace runglass {
namespace {

constexpr int kScrollWidth = 10;
constexpr int kIndent = 14, kReadable = 9;
constexpr int kMostLabels = 600;

}  // namespace

TimelineCanvas::TimelineCanvas(RowList* rows, QWidget* parent)
    : QWidget(parent), m_rows(rows), m_scroll(new QScrollBar(Qt::Vertical, this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(kGutter + 120, kHeader + 60);
  connect(m_scroll, &QScrollBar::valueChanged, this, [this] {
    touch();
    emit rowsScrolled();
  });
}

void TimelineCanvas::touch() {
  m_dirty = true;
  update();
}

int TimelineCanvas::timeWidth() const { return std::max(16, width() - kGutter - kScrollWidth); }
QRect TimelineCanvas::timeArea() const { return {kGutter, kHeader, timeWidth(), std::max(0, height() - kHeader)}; }
XMap TimelineCanvas::map() const { return {m_t0, m_t1, static_cast<double>(kGutter), static_cast<double>(timeWidth())}; }

int TimelineCanvas::screenY(const TimelineRow& row) const { return kHeader + row.y - (row.pinned ? 0 : m_scroll->value()); }

const TimelineRow* TimelineCanvas::rowAt(int y) const {
  if (y < kHeader) return nullptr;
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row);
    if (!row.pinned && y < kHeader + m_rows->pinnedHeight()) continue;
    if (y >= top && y < top + row.height) return &row;
  }
  return nullptr;
}

std::vector<RowQuestion> TimelineCanvas::visibleRows() const {
  std::vector<RowQuestion> questions;
  for (const TimelineRow& row : m_rows->rows()) {
    if (row.kind == RowKind::kGroup || (row.question.tracks.empty() && !row.question.series)) continue;
    const int top = screenY(row);
    if (row.pinned || (top + row.height > kHeader && top < height())) questions.push_back(row.question);
  }
  return questions;
}

void TimelineCanvas::rowsChanged() {
  setPicture(m_picture);
  placeScroll();
  emit rowsScrolled();
}

void TimelineCanvas::placeScroll() {
  const int room = std::max(0, height() - kHeader);
  m_scroll->setGeometry(width() - kScrollWidth, kHeader, kScrollWidth, room);
  m_scroll->setRange(0, std::max(0, m_rows->height() - room));
  m_scroll->setPageStep(std::max(1, room));
  m_scroll->setSingleStep(RowList::kStripHeight);
  m_scroll->setVisible(m_scroll->maximum() > 0);
}

void TimelineCanvas::setPicture(std::shared_ptr<const TimelinePicture> picture) {
  m_picture = std::move(picture);
  m_picture_rows.assign(m_rows->rows().size(), 0);
  if (m_picture) {
    std::map<std::tuple<SeriesId, bool, TrackId>, std::size_t> made;
    const auto keyOf = [](const RowQuestion& question) {
      return std::tuple(question.series, question.strip, question.tracks.empty() ? TrackId() : question.tracks.front());
    };
    for (std::size_t i = 0; i < m_picture->rows.size(); ++i) {
      // Folded or not: either will do until the other comes.
      made[keyOf(m_picture->rows[i].question)] = i + 1;
    }
    for (std::size_t i = 0; i < m_picture_rows.size(); ++i) {
      const RowQuestion& question = m_rows->rows()[i].question;
      const auto found = made.find(keyOf(question));
      if (found != made.end()) m_picture_rows[i] = found->second;
    }
  }
  touch();
}

const RowPicture* TimelineCanvas::pictureOf(const TimelineRow& row) const {
  const auto at = static_cast<std::size_t>(&row - m_rows->rows().data());
  if (!m_picture || at >= m_picture_rows.size() || m_picture_rows[at] == 0) return nullptr;
  return &m_picture->rows[m_picture_rows[at] - 1];
}

void TimelineCanvas::setWindow(TimeNs t0, TimeNs t1) {
  if (t0 == m_t0 && t1 == m_t1) return;
  m_t0 = t0, m_t1 = t1;
  touch();
}
void TimelineCanvas::setExtent(std::optional<TimeRange> extent) { m_extent = extent, touch(); }
void TimelineCanvas::setNow(TimeNs now, bool live) {
  m_now = now, m_live = live;
  if (live) touch();
}
void TimelineCanvas::setStyle(TimeStyle style) { m_style = style, touch(); }
void TimelineCanvas::setSelected(std::optional<PointedBar> bar, std::vector<FlowArrow> arrows) {
  m_selected = std::move(bar);
  m_arrows = std::move(arrows);
  update();
}
void TimelineCanvas::setHits(std::set<std::int64_t> ids) { m_hits = std::move(ids), touch(); }
void TimelineCanvas::setArea(std::optional<TimeRange> area) { m_area = area, update(); }

void TimelineCanvas::scrollTo(TrackId track) {
  for (const TimelineRow& row : m_rows->rows()) {
    if (row.question.strip || row.question.tracks.empty() || row.question.tracks.front() != track || row.pinned) continue;
    const int top = screenY(row);
    if (top < kHeader + m_rows->pinnedHeight() || top + row.height > height())
      m_scroll->setValue(row.y - std::max(0, (height() - kHeader) / 3));
    return;
  }
}

void TimelineCanvas::render() {
  const double ratio = devicePixelRatioF();
  if (m_image.size() != size() * ratio) m_image = QImage(size() * ratio, QImage::Format_RGB32);
  m_image.setDevicePixelRatio(1);
  m_image.fill(currentTheme().ground);
  QPainter painter(&m_image);
  painter.scale(ratio, ratio);
  if (m_t1 > m_t0) renderRows(m_image, painter);
  renderGutter(painter);
  renderHeader(painter);
  painter.end();
  m_image.setDevicePixelRatio(ratio);
  m_dirty = false;
}

void TimelineCanvas::renderRows(QImage& image, QPainter& painter) {
  const Theme& theme = currentTheme();
  const double ratio = devicePixelRatioF();
  const auto scaled = [ratio](int v) { return static_cast<int>(std::lround(v * ratio)); };
  const XMap time = map();
  const XMap pixels{time.x0, time.x1, time.left * ratio, time.width * ratio};
  const int pinned_end = kHeader + m_rows->pinnedHeight();
  TimelineRaster raster(image, pixels, theme);
  std::vector<BarLabel> labels;
  struct Hit {
    double left, right;
    int y;
  };
  std::vector<Hit> hits;
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row), from = row.pinned ? kHeader : pinned_end;
    if (top + row.height <= from || top >= height()) continue;
    raster.setClip(QRect(scaled(kGutter), scaled(from), scaled(timeWidth()), scaled(height() - from)));
    const RowPicture* made = pictureOf(row);
    if (made == nullptr) continue;
    if (row.kind == RowKind::kMetric) {
      renderMetric(image, *made, scaled(top), scaled(row.height));
      continue;
    }
    if (row.question.strip) {
      const int air = row.height > kReadable ? 1 : 0;
      raster.strip(made->strip, scaled(top + air), std::max(1, scaled(row.height - 2 * air)));
      continue;
    }
    for (std::size_t lane = 0; lane < made->lanes.size(); ++lane) {
      const auto& bars = made->lanes[lane].bars;
      const int y = top + static_cast<int>(lane) * RowList::kLaneHeight;
      raster.bars(bars, m_picture->shades, scaled(y), scaled(RowList::kLaneHeight), m_now, labels.size() < kMostLabels ? &labels : nullptr);
      if (m_hits.empty()) continue;
      for (const SpanBar& bar : bars)
        if (bar.t1 > m_t0 && bar.t0 < m_t1 && m_hits.contains(bar.id)) hits.push_back({time.toPixel(bar.t0), time.toPixel(bar.t1), y});
    }
  }
  painter.save();
  painter.resetTransform();
  QFont font = tableFont();
  font.setPixelSize(static_cast<int>(10 * ratio));
  painter.setFont(font);
  const QFontMetrics metrics(font);
  const double letter = std::max(1.0, metrics.averageCharWidth() * 1.08);
  for (const BarLabel& label : labels) {
    if (label.name >= m_picture->names.size()) continue;
    const QString& name = m_picture->names[label.name];
    const int fits = static_cast<int>(label.rect.width() / letter);
    if (fits < 2 || label.rect.top() < scaled(kHeader)) continue;
    painter.setPen(label.ink);
    painter.drawText(label.rect, Qt::AlignVCenter | Qt::TextSingleLine, name.size() > fits ? name.left(fits - 1) + QChar(0x2026) : name);
  }
  painter.restore();
  painter.setClipRect(timeArea());
  for (const Hit& hit : hits)
    painter.fillRect(QRectF(hit.left, hit.y + RowList::kLaneHeight - 3, std::max(2.0, hit.right - hit.left), 3), theme.warning);
  painter.setClipping(false);
}

void TimelineCanvas::renderMetric(QImage& image, const RowPicture& made, int top, int height) const {
  const double ratio = devicePixelRatioF();
  const auto range = valueRange(made.bins, m_t0, m_t1, false, false, nullptr);
  if (!range) return;
  const XMap time{m_t0, m_t1, kGutter * ratio, timeWidth() * ratio};
  const ValueRange air = padded(*range, false);
  const QRect clip(static_cast<int>(kGutter * ratio), top, static_cast<int>(timeWidth() * ratio), height);
  RasterCurve curve{.bins = made.bins, .color = currentTheme().accent, .gaps = true};
  fillColumns({&curve, 1}, time);
  drawCurves(image, clip, {&curve, 1}, YMap{air.lo, air.hi, top + 2.0, height - 4.0, false});
}

// "412 – 698 W" of what is on screen.
QString TimelineCanvas::rangeOf(const TimelineRow& row) const {
  const RowPicture* made = pictureOf(row);
  const auto range = made != nullptr ? valueRange(made->bins, m_t0, m_t1, false, false, nullptr) : std::nullopt;
  if (!range) return tr("nothing here");
  const UnitScale scale = unitScale(row.unit, range->lo, range->hi);
  return QStringLiteral("%1 – %2 %3").arg(formatScaled(range->lo, scale), formatScaled(range->hi, scale), scale.suffix);
}

void TimelineCanvas::renderGutter(QPainter& painter) {
  const Theme& theme = currentTheme();
  painter.fillRect(QRect(0, kHeader, kGutter, height() - kHeader), theme.surface);
  painter.setFont(tableFont());
  const QFontMetrics metrics(tableFont());
  const int pinned_end = kHeader + m_rows->pinnedHeight();
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row), from = row.pinned ? kHeader : pinned_end;
    if (top + row.height <= from || top >= height()) continue;
    painter.setClipRect(QRect(0, from, width(), height() - from));
    const int line = std::min(row.height, RowList::kStripHeight);
    if (row.height < kReadable) continue;
    if (row.kind == RowKind::kGroup) {
      painter.fillRect(QRect(0, top, width() - kScrollWidth, row.height), theme.raised);
      painter.setPen(theme.text);
      painter.drawText(QRect(kGrid, top, width(), line), Qt::AlignVCenter, row.title + QStringLiteral("   ") + row.detail);
      continue;
    }
    if (row.kind == RowKind::kMetric) {
      painter.setPen(theme.text);
      painter.drawText(QRect(kGrid, top, kGutter - 2 * kGrid, row.height / 2), Qt::AlignBottom,
                       metrics.elidedText(row.title, Qt::ElideRight, kGutter - 2 * kGrid));
      painter.setPen(theme.muted);
      painter.drawText(QRect(kGrid, top + row.height / 2, kGutter - 2 * kGrid, row.height / 2), Qt::AlignTop, rangeOf(row));
      painter.fillRect(QRect(0, top + row.height, width() - kScrollWidth, 1), theme.line);
      continue;
    }
    const bool rank = row.kind == RowKind::kRank;
    const int left = rank ? kGrid + 12 : kGrid + 12 + kIndent;
    painter.setPen(theme.muted);
    painter.drawText(QRect(left - 12, top, 12, line), Qt::AlignCenter, row.open ? QStringLiteral("▾") : QStringLiteral("▸"));
    if (m_selected && rank && m_selected->rank == row.rank) painter.fillRect(QRect(0, top, 2, row.height), theme.accent);
    const int detail = rank && !row.detail.isEmpty() ? std::min(metrics.horizontalAdvance(row.detail) + kGrid, kGutter / 2) : 0;
    painter.setPen(rank ? theme.text : theme.muted);
    painter.drawText(QRect(left, top, kGutter - left - detail - kGrid, line), Qt::AlignVCenter,
                     metrics.elidedText((row.pinned && rank ? QStringLiteral("pinned ") : QString()) + row.title, Qt::ElideRight,
                                        kGutter - left - detail - kGrid));
    if (detail > 0) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(kGutter - detail - kGrid, top, detail, line), Qt::AlignVCenter | Qt::AlignRight,
                       metrics.elidedText(row.detail, Qt::ElideRight, detail));
    }
    painter.fillRect(QRect(0, top + row.height, width() - kScrollWidth, 1), rank ? theme.line : theme.surface);
  }
  painter.setClipping(false);
  if (m_rows->pinnedHeight() > 0) painter.fillRect(QRect(0, pinned_end - 1, width(), 1), theme.accent);
  painter.fillRect(QRect(kGutter - 1, kHeader, 1, height()), theme.line);
}

void TimelineCanvas::renderHeader(QPainter& painter) {
  const Theme& theme = currentTheme();
  painter.fillRect(QRect(0, 0, width(), kHeader), theme.surface);
  if (m_t1 <= m_t0) return;
  const XMap time = map();
  if (m_extent && m_extent->t1 > m_extent->t0) {
    const XMap whole{m_extent->t0, m_extent->t1, static_cast<double>(kGutter), static_cast<double>(timeWidth())};
    painter.fillRect(QRect(kGutter, 2, timeWidth(), kMinimap - 3), theme.raised);
    const int a =
        static_cast<int>(std::clamp(whole.toPixel(std::clamp(m_t0, m_extent->t0, m_extent->t1)), whole.left, whole.left + whole.width));
    const int b =
        static_cast<int>(std::clamp(whole.toPixel(std::clamp(m_t1, m_extent->t0, m_extent->t1)), whole.left, whole.left + whole.width));
    painter.fillRect(QRect(a, 2, std::max(3, b - a), kMinimap - 3), theme.accent);
  }
  painter.setFont(tableFont());
  for (const AxisTick& tick : xTicks(time, XAxis::kTime, m_style)) {
    const int x = static_cast<int>(std::lround(tick.pixel));
    painter.fillRect(QRect(x, kMinimap + kRuler - 4, 1, 4), theme.muted);
    painter.setPen(theme.muted);
    painter.drawText(QRect(x + 3, kMinimap, 160, kRuler - 2), Qt::AlignVCenter, tick.label);
  }
  painter.setPen(theme.muted);
  painter.drawText(QRect(kGrid, kMinimap, kGutter - 2 * kGrid, kRuler), Qt::AlignVCenter, formatDuration(m_t1 - m_t0) + tr(" on screen"));
  renderBands(painter);
  painter.fillRect(QRect(0, kHeader - 1, width(), 1), theme.line);
}

void TimelineCanvas::renderBands(QPainter& painter) {
  const Theme& theme = currentTheme();
  const XMap time = map();
  const int top = kMinimap + kRuler;
  painter.setPen(theme.muted);
  const bool any = m_picture && !m_picture->steps.empty();
  painter.drawText(QRect(kGrid, top, kGutter - 2 * kGrid, kBands), Qt::AlignVCenter,
                   any                                      ? tr("steps")
                   : m_picture && m_picture->steps_too_many ? tr("steps: zoom in")
                                                            : tr("no steps here"));
  if (!any) return;
  painter.setClipRect(QRect(kGutter, top, timeWidth(), kBands));
  for (std::size_t i = 0; i < m_picture->steps.size(); ++i) {
    const StepBand& band = m_picture->steps[i];
    if (band.t1 <= m_t0 || band.t0 >= m_t1) continue;
    const double a = time.toPixel(std::max(band.t0, m_t0)), b = time.toPixel(std::min(band.t1, m_t1));
    const QRect rect(static_cast<int>(a), top + 1, std::max(1, static_cast<int>(b) - static_cast<int>(a)), kBands - 3);
    painter.fillRect(rect, band.step % 2 == 0 ? theme.raised : mix(theme.raised, theme.line, 0.6));
    if (band.slow) {
      painter.setPen(theme.warning);
      painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    if (rect.width() < 36) continue;
    QString text = formatCount(band.step);
    if (rect.width() > 110) text += QStringLiteral("   ") + formatDuration(band.t1 - band.t0);
    painter.setPen(theme.text);
    painter.drawText(rect.adjusted(4, 0, -2, 0), Qt::AlignVCenter, text);
  }
  painter.setClipping(false);
}

std::optional<QRect> TimelineCanvas::rectOf(TrackId track, TimeNs t0, TimeNs t1, std::int64_t id) const {
  const XMap time = map();
  for (const TimelineRow& row : m_rows->rows()) {
    if (row.kind == RowKind::kGroup || std::ranges::find(row.question.tracks, track) == row.question.tracks.end()) continue;
    // The open row comes after the strip of its rank and is the better place.
    if (row.question.strip && row.open) continue;
    const int top = screenY(row);
    if (top + row.height <= kHeader + (row.pinned ? 0 : m_rows->pinnedHeight()) || top >= height()) return std::nullopt;
    int y = top, h = row.height;
    if (const RowPicture* made = pictureOf(row); made != nullptr && !row.question.strip) {
      h = RowList::kLaneHeight;
      for (std::size_t lane = 0; lane < made->lanes.size(); ++lane) {
        const auto& bars = made->lanes[lane].bars;
        auto bar = std::ranges::lower_bound(bars, t0, {}, &SpanBar::t0);
        for (; bar != bars.end() && bar->t0 == t0; ++bar)
          if (bar->id == id || id == 0) y = top + static_cast<int>(lane) * RowList::kLaneHeight;
      }
    }
    const double a = time.toPixel(std::clamp(t0, m_t0, m_t1)), b = time.toPixel(std::clamp(t1, m_t0, m_t1));
    return QRect(static_cast<int>(a), y, std::max(2, static_cast<int>(b) - static_cast<int>(a)), h - 1);
  }
  return std::nullopt;
}

void TimelineCanvas::paintMarks(QPainter& painter) const {
  const Theme& theme = currentTheme();
  painter.setClipRect(timeArea());
  if (m_live && m_now >= m_t0 && m_now < m_t1)
    painter.fillRect(QRect(static_cast<int>(map().toPixel(m_now)), kHeader, 1, height()), theme.accent);
  if (m_selected) {
    if (const auto rect = rectOf(m_selected->track, m_selected->bar.t0, m_selected->bar.t1, m_selected->bar.id)) {
      painter.setPen(QPen(theme.text, kSelectionLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(rect->adjusted(-1, -1, 1, 1));
    }
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.accent, 1.5));
  for (const FlowArrow& arrow : m_arrows) {
    const auto from = rectOf(arrow.from, arrow.from_time, arrow.from_time + 1, 0),
               to = rectOf(arrow.to, arrow.to_time, arrow.to_time + 1, 0);
    if (!from || !to) continue;
    const QPointF a(from->left(), from->center().y()), b(to->left(), to->center().y());
    const double bend = std::max(20.0, std::abs(b.x() - a.x()) / 2);
    QPainterPath path(a);
    path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
    painter.drawPath(path);
    painter.drawEllipse(b, 2.5, 2.5);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setClipping(false);
}

void TimelineCanvas::paintArea(QPainter& painter) const {
  std::optional<TimeRange> area = m_area;
  if (m_drag == Drag::kArea) {
    const TimeNs a = map().fromPixel(m_press.x()), b = map().fromPixel(m_here.x());
    area = TimeRange{std::min(a, b), std::max(a, b)};
  }
  if (!area || area->t1 <= m_t0 || area->t0 >= m_t1) return;
  const Theme& theme = currentTheme();
  const XMap time = map();
  const int a = static_cast<int>(time.toPixel(std::max(area->t0, m_t0))), b = static_cast<int>(time.toPixel(std::min(area->t1, m_t1)));
  const QRect rect(a, kHeader, std::max(1, b - a), height() - kHeader);
  QColor fill = theme.accent;
  fill.setAlphaF(0.12F);
  painter.fillRect(rect, fill);
  painter.setPen(theme.accent);
  painter.drawLine(rect.topLeft(), rect.bottomLeft());
  painter.drawLine(rect.topRight(), rect.bottomRight());
  painter.setFont(tableFont());
  const QString text = formatDuration(area->t1 - area->t0);
  const QRect box(std::clamp(rect.center().x() - 50, kGutter, std::max(kGutter, width() - 110)), kMinimap + 1, 100, kRuler - 3);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

void TimelineCanvas::paintCursor(QPainter& painter) const {
  if (!m_cursor || m_drag == Drag::kArea || m_t1 <= m_t0 || m_cursor->x() < kGutter || m_cursor->x() >= kGutter + timeWidth()) return;
  const Theme& theme = currentTheme();
  const int x = static_cast<int>(m_cursor->x());
  QColor line = theme.muted;
  line.setAlphaF(0.5F);
  painter.fillRect(QRect(x, kMinimap, 1, height()), line);
  const QString text = formatTimeFull(map().fromPixel(m_cursor->x()), m_style);
  painter.setFont(tableFont());
  const int wide = QFontMetrics(tableFont()).horizontalAdvance(text) + 2 * kGrid;
  const QRect box(std::clamp(x + kGrid, kGutter, std::max(kGutter, width() - wide)), kMinimap + 1, wide, kRuler - 3);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  if (m_dirty) render();
  QPainter painter(this);
  painter.drawImage(0, 0, m_image);
  paintMarks(painter);
  paintArea(painter);
  paintCursor(painter);
  if (hasFocus()) {
    painter.setPen(currentTheme().accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRect(0, 0, width() - 1, height() - 1));
  }
}

void TimelineCanvas::resizeEvent(QResizeEvent*) {
  placeScroll();
  touch();
  emit rowsScrolled();
}

void TimelineCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) touch();
  QWidget::changeEvent(event);
}

}  // namespace runglass
