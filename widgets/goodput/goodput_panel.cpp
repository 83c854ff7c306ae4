// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/goodput/goodput_panel.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/goodput/goodput_data.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kHead = 28, kLine = 24, kBar = 14, kNumberWidth = 26, kEndWidth = 250, kSideWidth = 420, kLegendLine = 16;
constexpr int kMaxLines = 12, kSwatch = 10, kAdviceLines = 7;

DurNs of(const SpendTimes& spent, Spend spend) { return spent[static_cast<std::size_t>(spend)].value_or(0); }

}  // namespace

GoodputPanel::GoodputPanel(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Attempts and where their time went"));
  setMinimumHeight(kHead);
}

void GoodputPanel::setData(std::shared_ptr<const GoodputData> data) {
  m_data = std::move(data);
  m_missing.clear();
  setAccessibleDescription(m_data ? ledgerSentence(*m_data) : QString());
  update();
}

void GoodputPanel::setMissing(const QString& why) {
  m_data.reset();
  m_missing = why;
  update();
}

int GoodputPanel::wantedHeight() const {
  if (!m_data) return kHead;
  const Ledger& ledger = m_data->goodput.ledger;
  const int lines = std::min<int>(kMaxLines, static_cast<int>(ledger.rows.size()));
  const auto parts = static_cast<int>(std::ranges::count_if(ledger.spent, [](const auto& one) { return one.value_or(0) > 0; }));
  return kHead + std::max(lines * kLine + 2 * kPad, (parts + kAdviceLines) * kLegendLine);
}

std::size_t GoodputPanel::firstShown() const {
  const std::size_t rows = m_data->goodput.ledger.rows.size();
  const auto fit = static_cast<std::size_t>(std::max(1, (height() - kHead - kPad) / kLine));
  return rows > fit ? rows - fit : 0;
}

QRect GoodputPanel::barArea(std::size_t line) const {
  return {kPad + kNumberWidth, kHead + kPad + static_cast<int>(line) * kLine,
          std::max(40, width() - kSideWidth - kNumberWidth - kEndWidth - 3 * kPad), kBar};
}

int GoodputPanel::x(TimeNs at, const QRect& bar) const {
  TimeNs t0 = 0, t1 = 0;
  bool any = false;
  const auto& rows = m_data->goodput.ledger.rows;
  for (std::size_t i = firstShown(); i < rows.size(); ++i) {
    if (rows[i].segments.empty()) continue;
    if (!any) t0 = rows[i].segments.front().t0;
    t1 = rows[i].segments.back().t1, any = true;
  }
  if (t1 <= t0) return bar.left();
  return bar.left() + static_cast<int>(static_cast<double>(at - t0) / static_cast<double>(t1 - t0) * bar.width());
}

void GoodputPanel::paintRow(QPainter& painter, std::size_t index) const {
  const Theme& theme = currentTheme();
  const LedgerRow& row = m_data->goodput.ledger.rows[index];
  const QRect bar = barArea(index - firstShown());
  painter.setPen(theme.muted);
  painter.drawText(QRect(kPad, bar.top(), kNumberWidth, kBar), Qt::AlignLeft | Qt::AlignVCenter, QString::number(row.number));
  painter.fillRect(QRect(bar.left(), bar.center().y(), bar.width(), kHairline), theme.line);
  for (const Segment& one : row.segments) {
    const int left = x(one.t0, bar);
    const QRect piece(left, bar.top(), std::max(1, x(one.t1, bar) - left), kBar);
    painter.fillRect(piece, one.spend == Spend::kUnexplained ? theme.ground : spendColor(theme, one.spend));
    if (one.spend == Spend::kUnexplained) painter.fillRect(piece, QBrush(theme.muted, Qt::BDiagPattern));
  }
  const bool bad = row.ending.planned && !*row.ending.planned;
  const int indent = bad ? kBar : 0;
  if (bad) {
    painter.setPen(severityColor(theme, Severity::kError));
    painter.drawText(QRect(bar.right() + kPad, bar.top(), kBar, kBar), Qt::AlignLeft | Qt::AlignVCenter, severityGlyph(Severity::kError));
  }
  painter.setPen(bad ? theme.text : theme.muted);
  QString words = termText(endKindWords(row.ending.kind));
  if (index + 1 < m_data->goodput.ledger.rows.size()) {
    const LedgerRow& next = m_data->goodput.ledger.rows[index + 1];
    if (next.lost_steps > 0) words = GoodputText::tr("%1 · %2 steps lost").arg(words, formatCount(next.lost_steps));
  }
  painter.drawText(QRect(bar.right() + kPad + indent, bar.top(), kEndWidth - indent, kBar), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, kEndWidth - indent));
}

void GoodputPanel::paintBars(QPainter& painter) const {
  const auto& rows = m_data->goodput.ledger.rows;
  painter.setFont(tableFont());
  const std::size_t first = firstShown();
  for (std::size_t i = first; i < rows.size(); ++i) paintRow(painter, i);
  if (first > 0) {
    painter.setPen(currentTheme().muted);
    painter.drawText(QRect(kPad, height() - kLine, width() - kSideWidth, kLine), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%1 older attempts are not shown").arg(formatCount(static_cast<std::int64_t>(first))));
  }
}

void GoodputPanel::paintSide(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const Goodput& g = m_data->goodput;
  const int left = width() - kSideWidth + kPad, right = width() - kPad;
  int top = kHead + kPad / 2;
  painter.setFont(tableFont());
  for (std::size_t i = 0; i < kSpendCount; ++i) {
    const auto spend = static_cast<Spend>(i);
    if (of(g.ledger.spent, spend) <= 0 || !g.ledger.wall) continue;
    const QRect swatch(left, top + (kLegendLine - kSwatch) / 2, kSwatch, kSwatch);
    painter.fillRect(swatch, spend == Spend::kUnexplained ? theme.ground : spendColor(theme, spend));
    if (spend == Spend::kUnexplained) painter.fillRect(swatch, QBrush(theme.muted, Qt::BDiagPattern));
    painter.setPen(theme.text);
    painter.drawText(QRect(left + kSwatch + 6, top, 160, kLegendLine), Qt::AlignLeft | Qt::AlignVCenter, termText(spendWords(spend)));
    painter.drawText(QRect(left + 150, top, 90, kLegendLine), Qt::AlignRight | Qt::AlignVCenter, formatLength(of(g.ledger.spent, spend)));
    painter.setPen(theme.muted);
    painter.drawText(QRect(left + 250, top, 70, kLegendLine), Qt::AlignRight | Qt::AlignVCenter,
                     formatPercent(static_cast<double>(of(g.ledger.spent, spend)) / static_cast<double>(*g.ledger.wall)));
    top += kLegendLine;
  }
  painter.setPen(theme.text);
  const QString words = (g.ledger.wall ? failureWords(g.ledger) + QLatin1Char(' ') : QString()) + saveWords(g);
  painter.drawText(QRect(left, top + kGrid, right - left, height() - top - kGrid), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, words);
}

void GoodputPanel::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  painter.setFont(textFont());
  painter.setPen(m_data ? theme.text : theme.muted);
  const QRect head(kPad, 0, width() - 2 * kPad, kHead);
  const QString words = m_data ? tr("Restarts. %1").arg(ledgerSentence(*m_data)) : m_missing;
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(words, Qt::ElideRight, head.width()));
  painter.setPen(theme.line);
  painter.drawLine(head.bottomLeft(), head.bottomRight());
  if (!m_data) return;
  paintBars(painter);
  paintSide(painter);
}

QString GoodputPanel::wordsAt(const QPoint& place) const {
  if (!m_data) return m_missing;
  if (place.y() < kHead) return ledgerSentence(*m_data);
  const auto& rows = m_data->goodput.ledger.rows;
  for (std::size_t i = firstShown(); i < rows.size(); ++i) {
    const QRect bar = barArea(i - firstShown());
    if (place.y() < bar.top() || place.y() >= bar.top() + kLine || place.x() > width() - kSideWidth) continue;
    for (const Segment& one : rows[i].segments)
      if (place.x() >= x(one.t0, bar) && place.x() <= x(one.t1, bar) && place.x() <= bar.right())
        return QStringLiteral("%1: %2\n").arg(termText(spendWords(one.spend)), formatLength(one.t1 - one.t0)) + rowWords(rows[i]);
    return rowWords(rows[i]);
  }
  return {};
}

AccessibleTable GoodputPanel::accessibleTable() const {
  AccessibleTable table{.summary = m_data ? ledgerSentence(*m_data) : m_missing, .columns = {tr("attempt"), tr("how it went")}};
  if (!m_data) return table;
  const auto& rows = m_data->goodput.ledger.rows;
  for (std::size_t i = firstShown(); i < rows.size(); ++i)
    table.rows.push_back({{QString::number(rows[i].number), rowWords(rows[i])}, barArea(i - firstShown())});
  return table;
}

QString GoodputPanel::copyText() const {
  if (!m_data) return {};
  QStringList lines{ledgerSentence(*m_data)};
  for (const LedgerRow& row : m_data->goodput.ledger.rows) lines += rowWords(row);
  return lines.join(u'\n');
}

bool GoodputPanel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), wordsAt(help->pos()).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")), this);
  return true;
}

}  // namespace runglass
