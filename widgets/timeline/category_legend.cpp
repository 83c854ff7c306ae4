// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/category_legend.h"

#include <QFontMetrics>
#include <QImage>
#include <QPainter>

#include "widgets/timeline/timeline_data.h"
#include "widgets/timeline/timeline_raster.h"

namespace runglass {
namespace {

constexpr int kBox = 14, kHigh = 9, kAir = 12;

struct Entry {
  QString words;
  SpanCategory category;
  bool waiting = false;
};

std::vector<Entry> entries() {
  return {{TimelineText::tr("compute"), SpanCategory::kCompute},
          {TimelineText::tr("communication"), SpanCategory::kComm},
          {TimelineText::tr("waiting"), SpanCategory::kComm, true},
          {TimelineText::tr("copy"), SpanCategory::kMemcpy},
          {TimelineText::tr("host"), SpanCategory::kOther}};
}

}  // namespace

CategoryLegend::CategoryLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend of the spans"));
  setToolTip(
      tr("Waiting: a collective moves data from when its last member began; before that its members wait for it.\n"
         "Hatched where all this is certain: see the drawer of a span for whom it waited."));
}

AccessibleTable CategoryLegend::accessibleTable() const {
  QStringList words;
  for (const Entry& entry : entries()) words << entry.words;
  return {.summary = words.join(QStringLiteral(", ")), .columns = {}};
}

QSize CategoryLegend::sizeHint() const {
  const QFontMetrics metrics(tableFont());
  int wide = 0;
  for (const Entry& entry : entries()) wide += kBox + kGrid + metrics.horizontalAdvance(entry.words) + kAir;
  return {wide, kRowHeight};
}

void CategoryLegend::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setFont(tableFont());
  painter.setPen(theme.muted);
  const QFontMetrics metrics(tableFont());
  int x = 0;
  for (const Entry& entry : entries()) {
    // Painted with the same raster as the rows.
    QImage box(kBox, kHigh + 1, QImage::Format_RGB32);
    box.fill(theme.ground);
    TimelineRaster raster(box, {0, kBox, 0, kBox}, theme);
    WaitParts waits;
    if (entry.waiting) waits.of_span[1] = {.kind = WaitPart::Kind::kWaited, .until = kBox};
    raster.bars({{.t0 = 0, .t1 = kBox, .id = 1, .count = 1, .category = entry.category}}, {}, &waits, 0, kHigh + 1, 0, nullptr);
    painter.drawImage(QRect(x, (height() - kHigh) / 2, kBox, kHigh), box, QRect(0, 0, kBox, kHigh));
    x += kBox + kGrid;
    const int wide = metrics.horizontalAdvance(entry.words);
    painter.drawText(QRect(x, 0, wide + 1, height()), Qt::AlignVCenter, entry.words);
    x += wide + kAir;
  }
}

}  // namespace runglass
