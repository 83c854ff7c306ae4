// SPDX-License-Identifier: GPL-3.0-or-later
// AccessiblePicture: makes a painted widget accessible: to screen readers by a name, one sentence and a table of its content; to keyboard
// users by a focus ring.
//
// Threading:  GUI thread.
// Ownership:  the interface that Qt creates lives as long as a screen reader references the widget.
// Units:      areas in the widget's own pixels.
// Errors:     none; a widget without data has no rows.
// Cost:       picture() is called only while a screen reader is connected, at most twice a second per widget.
#pragma once

#include <QRect>
#include <QString>
#include <QStringList>
#include <vector>

class QPainter;
class QWidget;

namespace runglass {

struct AccessibleRow {
  QStringList cells;  // one per column
  QRect area = {};    // null: no area of its own
};

struct AccessibleTable {
  QString summary;      // the content at a glance; may be empty
  QStringList columns;  // empty: no table, only the summary
  std::vector<AccessibleRow> rows = {};
};

// A second base class next to QWidget; the widget's accessibleName() is the name.
class AccessiblePicture {
 public:
  virtual ~AccessiblePicture() = default;
  virtual AccessibleTable accessibleTable() const = 0;
};

// The last thing a painted widget paints: its edge while it has the keyboard focus. `area`: in the widget, or in its viewport.
void paintFocusRing(QPainter& painter, const QWidget& widget, const QRect& area);

// Call once, before the first window.
void installAccessiblePictures();

}  // namespace runglass
