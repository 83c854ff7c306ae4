// SPDX-License-Identifier: GPL-3.0-or-later
// Going to a step or a moment that somebody has read elsewhere: in a log, in a message.
//
// Threading:  readMoment() on a query worker; the field on the GUI thread.
// Ownership:  values; the canvas owns the field.
// Units:      TimeNs.
// Errors:     as Reader; what cannot be read or is not there is an answer without a time, with words.
// Cost:       one query by step.
#pragma once

#include <QLineEdit>
#include <optional>
#include <stop_token>

#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {

struct Moment {
  std::optional<TimeRange> range;  // of a step; a moment has t0 == t1
  QString words;                   // what it is, or why it is not there
};

// As readMomentText(), times of day on the day of `near`. A step is that of all ranks, from the first begin to the last end.
Result<Moment> readMoment(Reader& reader, const TimelineCatalog& catalog, const QString& text, TimeNs near, TimeStyle style,
                          std::stop_token stop);

// Where it is typed: Enter goes there, Escape leaves.
class GoToField : public QLineEdit {
  Q_OBJECT

 public:
  explicit GoToField(QWidget* parent);
  void open();

 signals:
  void wanted(const QString& text);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
};

}  // namespace runglass
