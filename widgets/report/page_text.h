// SPDX-License-Identifier: GPL-3.0-or-later
// Text on paper: fonts of the report, lines that were broken once and are painted where they belong, links that a PDF can be clicked at.
//
// Threading:  any thread that paints; no widgets.
// Ownership:  a TextLines shares its layout; copies are cheap.
// Units:      px of 1/96 inch.
// Errors:     none.
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

// Of others: what is invisible is replaced.
QString paperText(std::string_view text);

class TextLines {
 public:
  TextLines() = default;
  TextLines(const QString& text, const QFont& font, double width, const QColor& color, Qt::Alignment align = Qt::AlignLeft,
            const QString& link = {});
  // Parts of the text in formats of their own.
  TextLines(const QString& text, const QFont& font, double width, const QColor& color, const QList<QTextLayout::FormatRange>& formats);
  int count() const;
  double lineHeight(int line) const;
  double height() const { return height(0, count()); }
  double height(int first, int end) const;
  void paint(QPainter& painter, QPointF at) const { paint(painter, at, 0, count()); }
  void paint(QPainter& painter, QPointF at, int first, int end) const;
  double widest() const;  // of its lines

 private:
  void layOut(double width, Qt::Alignment align, const QList<QTextLayout::FormatRange>& formats);
  std::shared_ptr<QTextLayout> m_layout;
  QColor m_color;
};

// On one line, and of the longest word in it.
double textWidth(const QString& text, const QFont& font);
double wordWidth(const QString& text, const QFont& font);

}  // namespace runglass
