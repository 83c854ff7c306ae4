// SPDX-License-Identifier: GPL-3.0-or-later
// Go to a step or a moment given in text, for example from a log or a message.
//
// Threading:  readMoment() on a query worker; the field on the GUI thread.
// Ownership:  the canvas owns the field.
// Units:      TimeNs.
// Errors:     as Reader; unreadable text or a missing step is an answer without a time, with the reason.
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
  QString words;                   // description, or why it is missing
};

// As readMomentText(), times of day on the day of `near`. A step spans all ranks, from the first start to the last end.
Result<Moment> readMoment(Reader& reader, const TimelineCatalog& catalog, const QString& text, TimeNs near, TimeStyle style,
                          std::stop_token stop);

// The input field: Enter goes to the moment, Escape closes it.
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
