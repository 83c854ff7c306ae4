// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/page_text.h"

#include <QFontMetricsF>
#include <QTextLayout>
#include <algorithm>

#include "analysis/text/markdown_text.h"
#include "widgets/core/theme.h"

namespace runglass {

QFont pageFont(PageFont font) {
  struct Look {
    int px;
    bool strong, mono;
  };
  const Look look = [font]() -> Look {
    switch (font) {
      case PageFont::kTitle:
        return {22, true, false};
      case PageFont::kHeading:
        return {15, true, false};
      case PageFont::kText:
        return {12, false, false};
      case PageFont::kStrong:
        return {12, true, false};
      case PageFont::kTable:
        return {10, false, false};
      case PageFont::kTableHead:
        return {10, true, false};
      case PageFont::kFigure:
        return {16, false, false};
      case PageFont::kMono:
        return {9, false, true};
    }
    return {12, false, false};
  }();
  QFont out = look.mono ? codeFont() : textFont();
  out.setPixelSize(look.px);
  out.setBold(look.strong);
  // Widths independent of screen pixels: paper and preview break lines alike.
  out.setHintingPreference(QFont::PreferNoHinting);
  return out;
}

QString paperText(std::string_view text) { return QString::fromStdString(visibleText(text)); }

namespace {

QList<QTextLayout::FormatRange> linkFormat(const QString& text, const QString& link) {
  if (link.isEmpty()) return {};
  QTextLayout::FormatRange range;
  range.start = 0, range.length = static_cast<int>(text.size());
  range.format.setAnchor(true);
  range.format.setAnchorHref(link);
  return {range};
}

}  // namespace

TextLines::TextLines(const QString& text, const QFont& font, double width, const QColor& color, Qt::Alignment align, const QString& link)
    : m_layout(std::make_shared<QTextLayout>(text, font)), m_color(color) {
  layOut(width, align, linkFormat(text, link));
}

TextLines::TextLines(const QString& text, const QFont& font, double width, const QColor& color,
                     const QList<QTextLayout::FormatRange>& formats)
    : m_layout(std::make_shared<QTextLayout>(text, font)), m_color(color) {
  layOut(width, Qt::AlignLeft, formats);
}

void TextLines::layOut(double width, Qt::Alignment align, const QList<QTextLayout::FormatRange>& formats) {
  QTextOption option(align);
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  option.setUseDesignMetrics(true);
  m_layout->setTextOption(option);
  m_layout->setFormats(formats);
  m_layout->beginLayout();
  double y = 0;
  for (QTextLine line = m_layout->createLine(); line.isValid(); line = m_layout->createLine()) {
    line.setLineWidth(std::max(width, 1.0));
    line.setPosition({0, y});
    y += line.height();
  }
  m_layout->endLayout();
}

int TextLines::count() const { return m_layout ? m_layout->lineCount() : 0; }

double TextLines::lineHeight(int line) const { return m_layout->lineAt(line).height(); }

double TextLines::height(int first, int end) const {
  double sum = 0;
  for (int i = first; i < end; ++i) sum += lineHeight(i);
  return sum;
}

void TextLines::paint(QPainter& painter, QPointF at, int first, int end) const {
  if (first >= end) return;
  painter.setPen(m_color);
  const double top = m_layout->lineAt(first).y();
  for (int i = first; i < end; ++i) m_layout->lineAt(i).draw(&painter, at - QPointF(0, top));
}

double TextLines::widest() const {
  double most = 0;
  for (int i = 0; i < count(); ++i) most = std::max(most, m_layout->lineAt(i).naturalTextWidth());
  return most;
}

double textWidth(const QString& text, const QFont& font) { return QFontMetricsF(font).horizontalAdvance(text); }

double wordWidth(const QString& text, const QFont& font) {
  const QFontMetricsF metrics(font);
  double most = 0;
  for (const QStringView word : QStringView(text).split(u' ', Qt::SkipEmptyParts))
    most = std::max(most, metrics.horizontalAdvance(word.toString()));
  return most;
}

}  // namespace runglass
