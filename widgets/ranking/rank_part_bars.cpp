// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/rank_part_bars.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr std::size_t kRowsShown = 5;
constexpr int kRow = 26, kBar = 8, kHead = 18;
constexpr int kName = 104, kNumbers = 216;

QColor colorOf(const Theme& theme, std::string_view name) {
  if (name.starts_with("comm")) return theme.communication;
  if (name.starts_with("data")) return theme.data_load;
  if (name == "host") return theme.host;
  if (name == "gc") return theme.gc;
  if (name == "copy") return theme.memcpy;
  if (name.starts_with("checkpoint")) return theme.checkpoint;
  if (name == "other") return theme.muted;
  return theme.compute;
}

QString timeText(double ns) { return formatDuration(static_cast<DurNs>(ns)); }

}  // namespace

RankPartBars::RankPartBars(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Parts of a step of this rank and its peers"));
  setAttribute(Qt::WA_OpaquePaintEvent);
}

QSize RankPartBars::sizeHint() const {
  return {460, kHead + static_cast<int>(std::max<std::size_t>(m_bars.size(), kRowsShown)) * kRow + kGrid};
}

void RankPartBars::setBars(std::vector<PartBar> bars, const QString& why) {
  m_bars = std::move(bars);
  m_why = why;
  updateGeometry();
  update();
}

AccessibleTable RankPartBars::accessibleTable() const {
  AccessibleTable table{.summary = m_bars.empty() ? m_why : QString(),
                        .columns = {tr("part"), tr("work"), tr("work of its peers"), tr("waiting"), tr("waiting of its peers")}};
  const auto optional = [](const std::optional<double>& ns) { return ns ? timeText(*ns) : kAbsentText; };
  for (const PartBar& bar : m_bars)
    table.rows.push_back({{bar.name, timeText(bar.own), timeText(bar.peers), optional(bar.own_wait), optional(bar.peers_wait)}});
  return table;
}

void RankPartBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = currentTheme();
  painter.fillRect(rect(), theme.ground);
  painter.setFont(tableFont());
  painter.setPen(theme.muted);
  if (m_bars.empty()) {
    painter.drawText(rect().adjusted(2 * kGrid, kGrid, -kGrid, -kGrid), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_why);
    return;
  }
  const QFontMetrics metrics(painter.font());
  const int left = kName, right = std::max(left + 40, width() - kNumbers);
  painter.drawText(QRect(2 * kGrid, 0, width() - 4 * kGrid, kHead), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(tr("a step's parts: the rank above, its peers' median below; hatched: waiting"), Qt::ElideRight,
                                      right - 2 * kGrid));
  painter.drawText(QRect(right, 0, kNumbers - 2 * kGrid, kHead), Qt::AlignRight | Qt::AlignVCenter, tr("work · peers · wait · peers"));
  double longest = 0;
  for (const PartBar& bar : m_bars)
    longest = std::max({longest, bar.own + bar.own_wait.value_or(0), bar.peers + bar.peers_wait.value_or(0)});
  const auto wide = [&](double ns) { return longest > 0 ? static_cast<int>(ns / longest * (right - left - 2 * kGrid)) : 0; };
  int y = kHead;
  for (const PartBar& bar : m_bars) {
    if (y + kRow > height()) break;
    painter.setPen(theme.text);
    painter.drawText(QRect(2 * kGrid, y, kName - 3 * kGrid, kRow - 4), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(bar.name, Qt::ElideRight, kName - 3 * kGrid));
    const QColor color = colorOf(theme, bar.part);
    const auto draw = [&](int top, double work, std::optional<double> wait, const QColor& fill) {
      const int work_wide = wide(work);
      painter.fillRect(QRect(left, top, std::max(work_wide, work > 0 ? 1 : 0), kBar), fill);
      if (!wait || *wait <= 0) return;
      const QRect waiting(left + work_wide, top, std::max(1, wide(*wait)), kBar);
      painter.fillRect(waiting, QBrush(theme.communication, Qt::BDiagPattern));
      painter.setPen(QPen(theme.line, kHairline));
      painter.drawRect(waiting.adjusted(0, 0, -1, -1));
    };
    draw(y + 2, bar.own, bar.own_wait, color);
    draw(y + 2 + kBar + 2, bar.peers, bar.peers_wait, mix(theme.ground, color, 0.5));
    QString text = QStringLiteral("%1 · %2").arg(timeText(bar.own), timeText(bar.peers));
    if (bar.own_wait)
      text += QStringLiteral(" · %1 · %2").arg(timeText(*bar.own_wait), bar.peers_wait ? timeText(*bar.peers_wait) : kAbsentText);
    painter.setPen(theme.text);
    painter.drawText(QRect(right, y, kNumbers - 2 * kGrid, kRow - 4), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, kNumbers - 2 * kGrid));
    y += kRow;
  }
}

void RankPartBars::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) update();
}

}  // namespace runglass
