// SPDX-License-Identifier: GPL-3.0-or-later
// AccessiblePicture: a painted widget for screen readers: its name, one sentence, and a table of its content; and for the keyboard: its
// focus ring.
//
// Threading:  GUI thread.
// Ownership:  values; the interface that Qt makes of them lives as long as the widget is known to a screen reader.
// Units:      areas in the widget's own pixels.
// Errors:     none; a widget without data has no rows.
// Cost:       picture() is asked only while a screen reader is connected, at most twice a second and widget.
#pragma once

#include <QRect>
#include <QString>
#include <QStringList>
#include <vector>

class QPainter;
class QWidget;

namespace runglass {

struct AccessibleRow {
  QStringList cells;  // as many as there are columns
  QRect area = {};    // null: nowhere of its own
};

struct AccessibleTable {
  QString summary;      // what one sees at a glance; may be empty
  QStringList columns;  // empty: no table, the summary is all
  std::vector<AccessibleRow> rows = {};
};

// A widget derives from it beside QWidget; its accessibleName() is the name.
class AccessiblePicture {
 public:
  virtual ~AccessiblePicture() = default;
  virtual AccessibleTable accessibleTable() const = 0;
};

// What a painted widget paints last: its edge while it has the keyboard focus. `area`: of the widget, or of its viewport.
void paintFocusRing(QPainter& painter, const QWidget& widget, const QRect& area);

// Once, before the first window.
void installAccessiblePictures();

}  // namespace runglass
