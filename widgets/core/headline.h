// SPDX-License-Identifier: GPL-3.0-or-later
// Headline: the one sentence at the top of a view, in at most two lines: at the largest of three sizes in which it fits, else elided with
// the full text in its tooltip. Neutral colour; a deviation is shown as a chip with shape and word in front of the sentence.
//
// Threading:  GUI thread.
#pragma once

#include "model/events.h"
#include "widgets/core/ink_label.h"

namespace runglass {

class Headline : public InkLabel {
  Q_OBJECT

 public:
  explicit Headline(QWidget* parent = nullptr);

  void setSentence(const QString& words, Severity severity = Severity::kInfo);
  // The effect of a click, as a tooltip; the whole sentence is above it if it is elided.
  void setHint(const QString& hint);
  const QString& words() const { return m_words; }
  Severity severity() const { return m_severity; }

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Fitted {
    QFont font;
    QString text;
    int lines = 1;
  };
  Fitted fitted(int width) const;
  void fit();
  int chipWidth() const;

  QString m_words;
  Severity m_severity = Severity::kInfo;
  int m_chip_room = 0;  // in the left margin
  QString m_hint;
};

}  // namespace runglass
