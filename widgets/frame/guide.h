// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide's section about a view, shown next to that view. The documentation page and the program share one text.
//
// Threading:  GUI thread.
// Ownership:  the guide's text is built into the program.
// Errors:     guideSection() is empty for a heading that is not in the guide.
// Cost:       a few KiB of Markdown when opened.
#pragma once

#include <QDialog>
#include <span>

class QTextBrowser;

namespace runglass {

struct GuideText {
  const char* name;
  const char* text;
};
std::span<const GuideText> guideTexts();  // exactly one

// The Markdown below "## HEADING" up to the next one, without pictures.
QString guideSection(const QString& heading);

// Headings of the sections, in order.
QStringList guideHeadings();

class GuideDialog : public QDialog {
  Q_OBJECT

 public:
  GuideDialog(const QString& heading, QWidget* parent);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();

  const QString m_heading;
  QTextBrowser* m_page;
};

}  // namespace runglass
