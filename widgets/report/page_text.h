// SPDX-License-Identifier: GPL-3.0-or-later
// Text on paper: fonts of the report, text that is broken into lines once and then painted, links that are clickable in a PDF.
//
// Threading:  any thread that paints; no widgets.
// Ownership:  a TextLines shares its layout; copies are cheap.
// Units:      px of 1/96 inch.
// Cost:       one layout of the text.
#pragma once

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QString>
#include <QTextLayout>
#include <memory>
#include <string_view>

namespace runglass {

enum class PageFont { kTitle, kHeading, kText, kStrong, kTable, kTableHead, kFigure, kMono };
QFont pageFont(PageFont font);

// For outside text: replaces invisible characters.
QString paperText(std::string_view text);

class TextLines {
 public:
  TextLines() = default;
  TextLines(const QString& text, const QFont& font, double width, const QColor& color, Qt::Alignment align = Qt::AlignLeft,
            const QString& link = {});
  // The given parts of the text have formats of their own.
  TextLines(const QString& text, const QFont& font, double width, const QColor& color, const QList<QTextLayout::FormatRange>& formats);
  int count() const;
  double lineHeight(int line) const;
  double height() const { return height(0, count()); }
  double height(int first, int end) const;
  void paint(QPainter& painter, QPointF at) const { paint(painter, at, 0, count()); }
  void paint(QPainter& painter, QPointF at, int first, int end) const;
  double widest() const;  // width of the widest line

 private:
  void layOut(double width, Qt::Alignment align, const QList<QTextLayout::FormatRange>& formats);
  std::shared_ptr<QTextLayout> m_layout;
  QColor m_color;
};

// Width of the text on one line, and of its longest word.
double textWidth(const QString& text, const QFont& font);
double wordWidth(const QString& text, const QFont& font);

}  // namespace runglass
