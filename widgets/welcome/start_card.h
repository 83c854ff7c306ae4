// SPDX-License-Identifier: GPL-3.0-or-later
// StartCard: one of the ways to start, with a picture, as a button of the start page.
//
// Threading:  GUI thread.
#pragma once

#include <QPushButton>

class QPainter;

namespace runglass {

enum class StartPicture : std::uint8_t { kExample, kImport, kConnect };

class StartCard : public QPushButton {
  Q_OBJECT

 public:
  StartCard(StartPicture picture, const QString& title, const QString& words, QWidget* parent);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintPicture(QPainter& painter, const QRectF& room) const;

  const StartPicture m_picture;
  const QString m_title, m_words;
};

}  // namespace runglass
