// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/headline.h"

#include <QEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QTextLayout>
#include <algorithm>
#include <utility>

#include "widgets/core/language.h"
#include "widgets/core/painted_text.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kMaxLines = 2;
constexpr int kMinWidth = 40 * kGrid;

int linesOf(const QString& text, const QFont& font, int width) {
  QTextLayout layout(text, font);
  layout.beginLayout();
  int lines = 0;
  for (QTextLine line = layout.createLine(); line.isValid() && lines <= kMaxLines; line = layout.createLine()) {
    line.setLineWidth(width);
    ++lines;
  }
  layout.endLayout();
  return std::max(1, lines);
}

}  // namespace

Headline::Headline(QWidget* parent) : InkLabel(parent) {
  setInk(themeInk<&Theme::text>());
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setAlignment(Qt::AlignLeft | Qt::AlignTop);
  setFont(headlineFont());
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Headline::setSentence(const QString& words, Severity severity) {
  if (words == m_words && severity == m_severity) return;
  m_words = words;
  m_severity = severity;
  setAccessibleName(severity > Severity::kInfo ? tr("%1: %2").arg(severityLabel(severity), words) : words);
  const int room = severity > Severity::kInfo ? chipWidth() + 2 * kGrid : 0;
  setContentsMargins(contentsMargins() + QMargins(room - std::exchange(m_chip_room, room), 0, 0, 0));
  fit();
  updateGeometry();
  update();
}

void Headline::setHint(const QString& hint) {
  m_hint = hint;
  fit();
}

int Headline::chipWidth() const { return severityChipWidth(m_severity); }

Headline::Fitted Headline::fitted(int width) const {
  const QMargins margins = contentsMargins();
  const int room = std::max(1, width - margins.left() - margins.right());
  Fitted out{.font = {}, .text = m_words};
  for (const QFont& font : {headlineFont(), titleFont(), textFont()}) {
    out.font = font;
    out.lines = linesOf(m_words, font, room);
    if (out.lines <= kMaxLines) return out;
  }
  // The longest prefix that fits with its ellipsis.
  qsizetype fits = 0, beyond = m_words.size();
  while (beyond - fits > 1) {
    const qsizetype middle = fits + (beyond - fits) / 2;
    (linesOf(m_words.left(middle) + u'…', out.font, room) <= kMaxLines ? fits : beyond) = middle;
  }
  out.text = m_words.left(fits).trimmed() + u'…';
  out.lines = kMaxLines;
  return out;
}

void Headline::fit() {
  Fitted now = fitted(width());
  now.font.setUnderline(font().underline());
  if (now.font != font()) setFont(now.font);
  if (now.text != text()) setText(now.text);
  QStringList tip;
  if (now.text != m_words) tip << m_words.toHtmlEscaped();
  if (!m_hint.isEmpty()) tip << m_hint.toHtmlEscaped();
  setToolTip(tip.isEmpty() ? QString() : QStringLiteral("<span>%1</span>").arg(tip.join(QStringLiteral("<br>"))));
}

int Headline::heightForWidth(int width) const {
  const Fitted at = fitted(width);
  const QMargins margins = contentsMargins();
  return std::max(at.lines * QFontMetrics(at.font).lineSpacing(), m_severity > Severity::kInfo ? severityChipHeight() : 0) + margins.top() +
         margins.bottom();
}

QSize Headline::sizeHint() const { return {kMinWidth, heightForWidth(std::max(width(), kMinWidth))}; }

QSize Headline::minimumSizeHint() const { return {kMinWidth, QFontMetrics(textFont()).lineSpacing()}; }

void Headline::resizeEvent(QResizeEvent* event) {
  InkLabel::resizeEvent(event);
  fit();
  // Layouts cache the size hint, whose number of lines is that of a width.
  if (event->oldSize().width() != event->size().width()) updateGeometry();
}

// A theme change resets fonts.
void Headline::changeEvent(QEvent* event) {
  InkLabel::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

void Headline::paintEvent(QPaintEvent* event) {
  InkLabel::paintEvent(event);
  if (m_severity <= Severity::kInfo) return;
  QPainter painter(this);
  const QRect room = contentsRect();
  const int first = QFontMetrics(font()).lineSpacing();
  const QRect chip(room.left() - m_chip_room, room.top() + std::max(0, (first - severityChipHeight()) / 2), chipWidth(),
                   severityChipHeight());
  paintSeverityChip(painter, chip, m_severity);
}

}  // namespace runglass
