// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/guide.h"

#include <QEvent>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "widgets/core/theme.h"

namespace runglass {
namespace {
constexpr int kWidth = 160 * kGrid, kHeight = 110 * kGrid;
}

QString guideSection(const QString& heading) {
  const QString text = QString::fromUtf8(guideTexts().front().text);
  const QString head = QStringLiteral("\n## %1\n").arg(heading);
  const qsizetype begin = text.indexOf(head);
  if (begin < 0) return {};
  const qsizetype first = begin + head.size(), end = text.indexOf(QStringLiteral("\n## "), first);
  QStringList lines;
  for (const QString& line : text.mid(first, end < 0 ? -1 : end - first).split(u'\n'))
    if (!line.startsWith(QStringLiteral("!["))) lines << line;
  return lines.join(u'\n').trimmed();
}

QStringList guideHeadings() {
  QStringList headings;
  for (const QString& line : QString::fromUtf8(guideTexts().front().text).split(u'\n'))
    if (line.startsWith(QStringLiteral("## "))) headings << line.mid(3);
  return headings;
}

GuideDialog::GuideDialog(const QString& heading, QWidget* parent) : QDialog(parent), m_heading(heading), m_page(new QTextBrowser(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("What am I seeing: %1").arg(heading));
  m_page->setFrameShape(QFrame::NoFrame);
  m_page->setOpenLinks(false);  // they refer to other pages of the documentation, which may not be installed
  m_page->document()->setDefaultFont(textFont());
  fill();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 3 * kGrid);
  column->addWidget(m_page);
  resize(kWidth, kHeight);
}

void GuideDialog::fill() {
  m_page->setMarkdown(QStringLiteral("## %1\n\n%2\n\n%3")
                          .arg(m_heading, guideSection(m_heading), guideSection(QStringLiteral("What is the same everywhere"))));
}

// Links take their colour from the palette when their text is set.
void GuideDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) fill();
}

}  // namespace runglass
