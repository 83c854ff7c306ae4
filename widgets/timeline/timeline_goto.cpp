// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_goto.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QRegularExpression>
#include <limits>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kFieldWidth = 300;
constexpr std::int64_t kFirstEpoch = 1'000'000'000'000'000;  // a number from here on is a time: no run has so many steps

Moment at(TimeNs time, TimeStyle style) { return {.range = TimeRange{time, time}, .words = formatTimeFull(time, style)}; }

// Digits behind the point, to nanoseconds.
TimeNs fraction(const QString& digits) { return digits.leftJustified(9, u'0', true).toLongLong(); }

std::optional<TimeNs> clockTime(const QString& text, TimeNs near, TimeStyle style) {
  static const QRegularExpression kClock(
      QStringLiteral(R"(^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(?:UTC|Z))?$)"));
  const auto match = kClock.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const Qt::TimeSpec spec = style == TimeStyle::kLocal ? Qt::LocalTime : Qt::UTC;
  const TimeNs seconds = near / kNsPerSecond - (near % kNsPerSecond < 0 ? 1 : 0);
  QDate date = QDateTime::fromSecsSinceEpoch(seconds, spec).date();
  if (!match.captured(1).isEmpty()) date = QDate::fromString(match.captured(1), Qt::ISODate);
  const QTime time(match.captured(2).toInt(), match.captured(3).toInt(), match.captured(4).toInt());
  if (!date.isValid() || !time.isValid()) return std::nullopt;
  TimeNs out = 0;
  if (__builtin_mul_overflow(QDateTime(date, time, spec).toSecsSinceEpoch(), kNsPerSecond, &out)) return std::nullopt;
  return out + fraction(match.captured(5));
}

std::optional<TimeNs> sinceBegin(const QString& text, const TimelineCatalog& catalog) {
  static const QRegularExpression kSeconds(QStringLiteral(R"(^\+? ?(\d{1,9})(?:\.(\d{1,9}))? ?s$)"));
  const auto match = kSeconds.match(text);
  const std::optional<TimeNs> begin = catalog.extent ? std::optional(catalog.extent->t0) : catalog.run.start;
  TimeNs time = 0;
  if (!match.hasMatch() || !begin) return std::nullopt;
  if (__builtin_add_overflow(*begin, match.captured(1).toLongLong() * kNsPerSecond + fraction(match.captured(2)), &time))
    return std::nullopt;
  return time;
}

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
    moment.words = QStringLiteral("step %1").arg(step);
    return moment;
  }
  found.clear();
  RG_TRY(reader.query("SELECT min(step), max(step)" + of + " AND start_ns IS NOT NULL", sink, stop));
  moment.words = number(0) != nullptr && number(1) != nullptr
                     ? QStringLiteral("no step %1: there are %2 to %3").arg(step).arg(*number(0)).arg(*number(1))
                     : QStringLiteral("no step %1: no steps with times are stored").arg(step);
  return moment;
}

}  // namespace

Result<Moment> readMoment(Reader& reader, const TimelineCatalog& catalog, const QString& text, TimeNs near, TimeStyle style,
                          std::stop_token stop) {
  const QString clean = text.trimmed();
  if (const auto time = clockTime(clean, near, style)) return at(*time, style);
  if (const auto time = sinceBegin(clean, catalog)) return at(*time, style);
  static const QRegularExpression kStep(QStringLiteral(R"(^(?:step )?(-?\d+)$)"), QRegularExpression::CaseInsensitiveOption);
  bool good = false;
  const qint64 number = kStep.match(clean).captured(1).toLongLong(&good);
  if (good && number >= kFirstEpoch) return at(number, style);
  if (good) return stepMoment(reader, catalog, number, stop);
  return Moment{.range = std::nullopt, .words = QStringLiteral("neither a step nor a time: \"%1\"").arg(clean.left(40))};
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
