// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the timeline.
//
// Invariant: m_image shows m_picture, m_rows, the window and the scroll position unless m_dirty.
#include "widgets/timeline/timeline_canvas.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "widgets/charts/raster.h"

namespace runglass {
namespace {

constexpr int kScrollWidth = 10;
constexpr int kIndent = 14, kReadable = 9, kLine = 14, kSparse = 56;
constexpr int kMaxLabels = 600, kBriefest = 24;
constexpr std::uint8_t kAllBusy = 250;

// Whether it communicates without a pause, for long enough to be split.
bool communicates(const BusyStrip& strip) {
  int run = 0;
  for (const auto& column : strip.columns) {
    run = column[static_cast<std::size_t>(SpanClass::kComm)] >= kAllBusy ? run + 1 : 0;
    if (run >= kSplitWidth) return true;
  }
  return false;
}

}  // namespace

TimelineCanvas::TimelineCanvas(RowList* rows, QWidget* parent)
    : QWidget(parent), m_rows(rows), m_scroll(new QScrollBar(Qt::Vertical, this)) {
  setAccessibleName(tr("Timeline"));
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
    if (row.kind == RowKind::kGroup || (row.question.tracks.empty() && !row.question.series && row.question.group == 0)) continue;
    const int top = screenY(row);
    if (row.pinned || (top + row.height > kHeader && top < height())) questions.push_back(row.question);
  }
  return questions;
}

AccessibleTable TimelineCanvas::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("row"), tr("detail"), tr("spans in the window")}};
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row);
    if (!row.pinned && (top + row.height <= kHeader || top >= height())) continue;
    std::int64_t spans = 0;
    const RowPicture* const made = pictureOf(row);
    if (made != nullptr)
      for (const auto& lane : made->lanes)
        for (const SpanBar& bar : lane.bars) spans += bar.t1 > m_t0 && bar.t0 < m_t1 ? bar.count : 0;
    const bool reported = made != nullptr && !made->lanes.empty();
    table.rows.push_back({{row.title, row.detail, reported ? formatCount(spans) : QString()}, QRect(0, top, width(), row.height)});
  }
  return table;
}

std::vector<std::pair<std::int32_t, TrackId>> TimelineCanvas::splittable() const {
  std::vector<std::pair<std::int32_t, TrackId>> found;
  if (m_t1 <= m_t0) return found;
  const auto least = static_cast<DurNs>(static_cast<double>(m_t1 - m_t0) / timeWidth() * kSplitWidth);
  const auto wide = [&](const SpanBar& bar) {
    return bar.category == SpanCategory::kComm && bar.id != 0 && bar.t1 > m_t0 && bar.t0 < m_t1 &&
           (bar.t1 == std::numeric_limits<TimeNs>::max() || bar.t1 - bar.t0 >= least);
  };
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row);
    if (row.rank < 0 || row.height < kReadable || (!row.pinned && (top + row.height <= kHeader || top >= height()))) continue;
    const RowPicture* made = pictureOf(row);
    if (made == nullptr) continue;
    if (row.question.strip ? communicates(made->strip)
                           : std::ranges::any_of(made->lanes, [&](const auto& lane) { return std::ranges::any_of(lane.bars, wide); }))
      for (const TrackId track : row.question.tracks) found.emplace_back(row.rank, track);
  }
  std::ranges::sort(found);
  const auto doubles = std::ranges::unique(found);
  found.erase(doubles.begin(), doubles.end());
  return found;
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
    std::map<std::tuple<SeriesId, std::int64_t, bool, TrackId>, std::size_t> made;
    const auto keyOf = [](const RowQuestion& question) {
      return std::tuple(question.series, question.group, question.strip, question.tracks.empty() ? TrackId() : question.tracks.front());
    };
    for (std::size_t i = 0; i < m_picture->rows.size(); ++i) {
      // Folded or not: either serves until the other arrives.
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
void TimelineCanvas::setPlayhead(std::optional<TimeNs> moment) { m_playhead = moment, update(); }
void TimelineCanvas::setStyle(TimeStyle style) { m_style = style, touch(); }
void TimelineCanvas::setSelected(std::optional<PointedBar> bar, std::vector<FlowArrow> arrows) {
  m_selected = std::move(bar);
  m_arrows = std::move(arrows);
  update();
}
void TimelineCanvas::setHits(std::set<std::int64_t> ids) { m_hits = std::move(ids), touch(); }
void TimelineCanvas::setWaits(std::shared_ptr<const WaitParts> waits) { m_waits = std::move(waits), touch(); }
void TimelineCanvas::setMarks(TimelineMarks marks) { m_marks = std::move(marks), touch(); }
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
  placeNotes();
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
      if (!m_waits) continue;
      const auto waits = m_waits->of_rank.find(row.rank);
      if (waits != m_waits->of_rank.end()) raster.stripWaits(waits->second, scaled(top + air), scaled(row.height - 2 * air));
      continue;
    }
    for (std::size_t lane = 0; lane < made->lanes.size(); ++lane) {
      const auto& bars = made->lanes[lane].bars;
      const int y = top + static_cast<int>(lane) * RowList::kLaneHeight;
      raster.bars(bars, m_picture->shades, m_waits.get(), scaled(y), scaled(RowList::kLaneHeight), m_now,
                  labels.size() < kMaxLabels ? &labels : nullptr);
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
  if (m_picture) paintBarLabels(painter, labels, m_picture->names, scaled(kHeader));
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

// "412 – 698 W": the range of the visible values.
QString TimelineCanvas::rangeOf(const TimelineRow& row) const {
  const RowPicture* made = pictureOf(row);
  if (made != nullptr && !made->note.isEmpty()) return made->note;
  const auto range = made != nullptr ? valueRange(made->bins, m_t0, m_t1, false, false, nullptr) : std::nullopt;
  if (!range) return tr("nothing here");
  const UnitScale scale = unitScale(row.unit, range->lo, range->hi);
  return QStringLiteral("%1 – %2 %3").arg(formatScaled(range->lo, scale), formatScaled(range->hi, scale), suffixOf(scale));
}

void TimelineCanvas::renderGutter(QPainter& painter) {
  const Theme& theme = currentTheme();
  painter.fillRect(QRect(0, kHeader, kGutter, height() - kHeader), theme.surface);
  painter.setFont(tableFont());
  const QFontMetrics metrics(tableFont());
  const int pinned_end = kHeader + m_rows->pinnedHeight();
  int named = kHeader;
  for (const TimelineRow& row : m_rows->rows()) {
    const int top = screenY(row), from = row.pinned ? kHeader : pinned_end;
    if (top + row.height <= from || top >= height()) continue;
    painter.setClipRect(QRect(0, from, width(), height() - from));
    // If rows are lower than a line, as many are labelled as fit.
    const int line = std::clamp(row.height, kLine, RowList::kStripHeight);
    if (row.height < kLine && top < named) continue;
    if (row.height < kLine) named = top + (row.height < kReadable ? kSparse : kLine);
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
    const QString title = row.pinned && rank ? tr("pinned %1").arg(row.title) : row.title;
    const int room = kGutter - left - kGrid, needs = metrics.horizontalAdvance(title);
    painter.setPen(rank ? theme.text : theme.muted);
    painter.drawText(QRect(left, top, room, line), Qt::AlignVCenter, metrics.elidedText(title, Qt::ElideRight, room));
    // The rank takes precedence over its node; of a node's name the end is kept, which distinguishes it from others.
    const int rest = room - needs - kGrid;
    const bool brief = metrics.horizontalAdvance(row.detail) > rest && !row.brief.isEmpty();
    if (rank && rest >= kBriefest) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(left + needs + kGrid, top, rest, line), Qt::AlignVCenter | Qt::AlignRight,
                       metrics.elidedText(brief ? row.brief : row.detail, Qt::ElideLeft, rest));
    }
    // A line between rows without a gap would be drawn over the rows.
    const int line_end = row.height < kReadable ? kGutter : width() - kScrollWidth;
    painter.fillRect(QRect(0, top + row.height, line_end, 1), rank ? theme.line : theme.surface);
  }
  painter.setClipping(false);
  if (m_rows->pinnedHeight() > 0) painter.fillRect(QRect(0, pinned_end - 1, width(), 1), theme.accent);
  painter.fillRect(QRect(kGutter - 1, kHeader, 1, height()), theme.line);
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  if (m_dirty) render();
  QPainter painter(this);
  painter.drawImage(0, 0, m_image);
  paintMarks(painter);
  paintArea(painter);
  paintCursor(painter);
  paintFocusRing(painter, *this, rect());
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
