// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/start_card.h"

#include <QPainter>
#include <QPolygonF>
#include <array>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kWidth = 60 * kGrid, kPictureHeight = 22 * kGrid, kPad = 3 * kGrid;
constexpr double kStroke = 1.5;

QPointF inside(const QRectF& room, double x, double y) { return {room.left() + x * room.width(), room.top() + y * room.height()}; }

// A loss curve with a marked spike.
void paintExample(QPainter& painter, const QRectF& room, const Theme& theme) {
  constexpr std::array<std::pair<double, double>, 12> kLoss = {{{0.02, 0.1},
                                                                {0.1, 0.38},
                                                                {0.2, 0.55},
                                                                {0.3, 0.64},
                                                                {0.4, 0.7},
                                                                {0.5, 0.73},
                                                                {0.56, 0.74},
                                                                {0.6, 0.3},
                                                                {0.65, 0.75},
                                                                {0.76, 0.8},
                                                                {0.88, 0.83},
                                                                {0.98, 0.85}}};
  QColor shade = theme.warning;
  shade.setAlphaF(0.25F);
  painter.fillRect(QRectF(inside(room, 0.55, 0), inside(room, 0.67, 1)), shade);
  QPolygonF line;
  for (const auto& [x, y] : kLoss) line << inside(room, x, y);
  painter.setPen(QPen(theme.accent, 2 * kStroke));
  painter.drawPolyline(line);
}

// Sheets of paper moving into a store.
void paintImport(QPainter& painter, const QRectF& room, const Theme& theme) {
  const double width = 0.16 * room.width(), height = 0.62 * room.height();
  for (int i = 0; i < 3; ++i) {
    const QRectF sheet(inside(room, 0.08 + 0.14 * i, 0.1 + 0.09 * i), QSizeF(width, height));
    painter.setPen(QPen(theme.muted, kStroke));
    painter.setBrush(theme.raised);
    painter.drawRect(sheet);
    for (int row = 1; row < 5; ++row)
      painter.drawLine(QPointF(sheet.left() + 5, sheet.top() + row * sheet.height() / 5),
                       QPointF(sheet.right() - 5, sheet.top() + row * sheet.height() / 5));
  }
  painter.setPen(QPen(theme.accent, 2 * kStroke));
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(inside(room, 0.6, 0.5), inside(room, 0.72, 0.5));
  painter.drawPolyline(QPolygonF({inside(room, 0.68, 0.4), inside(room, 0.73, 0.5), inside(room, 0.68, 0.6)}));
  const QRectF store(inside(room, 0.79, 0.2), inside(room, 0.96, 0.8));
  const double cap = 0.12 * room.height();
  painter.drawEllipse(QRectF(store.left(), store.top() - cap / 2, store.width(), cap));
  painter.drawLine(store.topLeft(), store.bottomLeft());
  painter.drawLine(store.topRight(), store.bottomRight());
  painter.drawArc(QRectF(store.left(), store.bottom() - cap / 2, store.width(), cap), 180 * 16, 180 * 16);
}

// Nodes sending to a hub.
void paintConnect(QPainter& painter, const QRectF& room, const Theme& theme) {
  const QPointF hub = inside(room, 0.82, 0.5);
  for (int i = 0; i < 4; ++i) {
    const QPointF node = inside(room, 0.16, 0.14 + 0.24 * i);
    painter.setPen(QPen(theme.muted, kStroke));
    painter.drawLine(node, hub);
    painter.setBrush(theme.raised);
    painter.drawRect(QRectF(node.x() - 26, node.y() - 7, 52, 14));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.heat_better);
    painter.drawEllipse(QPointF(node.x() + 17, node.y()), 2.5, 2.5);
  }
  painter.setPen(QPen(theme.accent, 2 * kStroke));
  painter.setBrush(theme.surface);
  painter.drawEllipse(hub, 17, 17);
}

}  // namespace

StartCard::StartCard(StartPicture picture, const QString& title, const QString& words, QWidget* parent)
    : QPushButton(title, parent), m_picture(picture), m_title(title), m_words(words) {
  setAccessibleDescription(words);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);  // as high as the highest card of a row
}

QSize StartCard::sizeHint() const {
  const QRect words = QFontMetrics(textFont()).boundingRect(QRect(0, 0, kWidth - 2 * kPad, 1'000), Qt::TextWordWrap, m_words);
  return {kWidth, kPictureHeight + QFontMetrics(titleFont()).height() + words.height() + 4 * kPad};
}

void StartCard::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRect card = rect().adjusted(0, 0, -1, -1);
  painter.setPen(hasFocus() || underMouse() ? theme.accent : theme.line);
  painter.setBrush(isDown() ? theme.raised : theme.surface);
  painter.drawRoundedRect(card, kRadius, kRadius);
  paintPicture(painter, QRectF(kPad, kPad, width() - 2 * kPad, kPictureHeight));
  int top = 2 * kPad + kPictureHeight;
  painter.setPen(theme.text);
  painter.setFont(titleFont());
  painter.drawText(QRect(kPad, top, width() - 2 * kPad, QFontMetrics(titleFont()).height()), Qt::AlignLeft, m_title);
  top += QFontMetrics(titleFont()).height() + kGrid;
  painter.setPen(theme.muted);
  painter.setFont(textFont());
  painter.drawText(QRect(kPad, top, width() - 2 * kPad, height() - top - kGrid), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_words);
}

void StartCard::paintPicture(QPainter& painter, const QRectF& room) const {
  const Theme& theme = currentTheme();
  painter.fillRect(room, theme.ground);
  switch (m_picture) {
    case StartPicture::kExample:
      return paintExample(painter, room, theme);
    case StartPicture::kImport:
      return paintImport(painter, room, theme);
    case StartPicture::kConnect:
      return paintConnect(painter, room, theme);
  }
}

}  // namespace runglass
