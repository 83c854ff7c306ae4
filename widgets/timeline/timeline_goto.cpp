// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_goto.h"

#include <QKeyEvent>

#include "widgets/core/moment_text.h"
#include "widgets/core/theme.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

constexpr int kFieldWidth = 300;
Moment at(TimeNs time, TimeStyle style) { return {.range = TimeRange{time, time}, .words = formatTimeFull(time, style)}; }

Result<Moment> stepMoment(Reader& reader, const TimelineCatalog& catalog, std::int64_t step, const std::stop_token& stop) {
  const std::string of =
      " FROM step WHERE run_id = " + std::to_string(catalog.run.id.value) + " AND attempt = " + std::to_string(catalog.attempt.number);
  Moment moment;
  std::vector<SqlValue> found;
  Reader::SqlSink sink;
  sink.columns = [](const std::vector<std::string>&) {};
  sink.row = [&](const std::vector<SqlValue>& row) {
    found = row;
    return true;
  };
  const auto number = [&](std::size_t i) { return i < found.size() ? std::get_if<std::int64_t>(&found[i]) : nullptr; };
  RG_TRY(reader.query("SELECT min(start_ns), max(start_ns + dur_ns)" + of + " AND start_ns IS NOT NULL AND step = " + std::to_string(step),
                      sink, stop));
  if (number(0) != nullptr && number(1) != nullptr) {
    moment.range = TimeRange{*number(0), *number(1)};
    moment.words = TimelineText::tr("step %1").arg(step);
    return moment;
  }
  found.clear();
  RG_TRY(reader.query("SELECT min(step), max(step)" + of + " AND start_ns IS NOT NULL", sink, stop));
  moment.words = number(0) != nullptr && number(1) != nullptr
                     ? TimelineText::tr("no step %1: there are %2 to %3").arg(step).arg(*number(0)).arg(*number(1))
                     : TimelineText::tr("no step %1: no steps with times are stored").arg(step);
  return moment;
}

}  // namespace

Result<Moment> readMoment(Reader& reader, const TimelineCatalog& catalog, const QString& text, TimeNs near, TimeStyle style,
                          std::stop_token stop) {
  const std::optional<TimeNs> begin = catalog.extent ? std::optional(catalog.extent->t0) : catalog.run.start;
  const MomentText typed = readMomentText(text, near, begin, style);
  if (typed.time) return at(*typed.time, style);
  if (typed.step) return stepMoment(reader, catalog, *typed.step, stop);
  return Moment{.range = std::nullopt, .words = TimelineText::tr("neither a step nor a time: \"%1\"").arg(text.trimmed().left(40))};
}

GoToField::GoToField(QWidget* parent) : QLineEdit(parent) {
  setFont(tableFont());
  setPlaceholderText(tr("step 1234, 11:58:45.2 or +12.5 s"));
  hide();
}

void GoToField::open() {
  const QSize room = parentWidget()->size();
  const int width = std::min(kFieldWidth, room.width());
  setGeometry((room.width() - width) / 2, room.height() / 3, width, sizeHint().height());
  show();
  raise();
  setFocus();
  selectAll();
}

void GoToField::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (!enter && event->key() != Qt::Key_Escape) return QLineEdit::keyPressEvent(event);
  hide();
  parentWidget()->setFocus();
  if (enter && !text().trimmed().isEmpty()) emit wanted(text());
}

void GoToField::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  hide();
}

}  // namespace runglass
