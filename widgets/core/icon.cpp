// SPDX-License-Identifier: GPL-3.0-or-later
// A custom engine, because Qt's SVG engine follows neither the palette nor a theme change.
#include "widgets/core/icon.h"

#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <algorithm>

namespace runglass {
namespace {

QByteArray textOf(const QString& name) {
  const QByteArray file = name.toUtf8() + ".svg";
  const auto texts = iconTexts();
  const auto found = std::ranges::find_if(texts, [&](const IconText& icon) { return file == icon.name; });
  return found == texts.end() ? QByteArray() : QByteArray(found->text);
}

class TintedIcon : public QIconEngine {
 public:
  TintedIcon(QString name, Ink ink) : m_name(std::move(name)), m_ink(ink) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    painter->drawPixmap(rect, scaledPixmap(rect.size(), mode, state, painter->device()->devicePixelRatio()));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override { return scaledPixmap(size, mode, state, 1); }
  // `size` is in device-independent pixels, as in paint(); the pixmap has `scale` times as many.
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
    const Theme& theme = currentTheme();
    const QColor color = mode == QIcon::Disabled ? theme.muted : m_ink.in(theme);
    const QSize pixels = size * scale;
    const QString key =
        QStringLiteral("icon/%1/%2/%3x%4").arg(m_name, color.name(), QString::number(pixels.width()), QString::number(pixels.height()));
    QPixmap picture;
    if (!QPixmapCache::find(key, &picture)) {
      QByteArray text = textOf(m_name);
      text.replace("currentColor", color.name().toLatin1());
      picture = QPixmap(pixels);
      picture.fill(Qt::transparent);
      if (QSvgRenderer renderer(text); renderer.isValid()) {
        QPainter painter(&picture);
        renderer.render(&painter);
      }
      QPixmapCache::insert(key, picture);
    }
    picture.setDevicePixelRatio(scale);
    return picture;
  }
  QIconEngine* clone() const override { return new TintedIcon(*this); }
  bool isNull() override { return textOf(m_name).isEmpty(); }

 private:
  const QString m_name;
  const Ink m_ink;
};

}  // namespace

QIcon icon(const QString& name, Ink ink) { return QIcon(new TintedIcon(name, ink)); }

QStringList iconNames() {
  QStringList names;
  for (const IconText& icon : iconTexts()) names << QString::fromUtf8(icon.name).chopped(4);
  return names;
}

}  // namespace runglass
