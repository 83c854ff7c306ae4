// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/moment_text.h"

#include <QDateTime>
#include <QRegularExpression>

namespace runglass {
namespace {

constexpr std::int64_t kFirstEpoch = 1'000'000'000'000'000;  // numbers from this value are times: no run has so many steps

// Digits after the decimal point, to nanoseconds.
TimeNs fraction(const QString& digits) { return digits.leftJustified(9, u'0', true).toLongLong(); }

std::optional<TimeNs> clockTime(const QString& text, TimeNs near, TimeStyle style) {
  static const QRegularExpression kClock(
      QStringLiteral(R"(^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(?:UTC|Z))?$)"));
  static const QRegularExpression kDate(QStringLiteral(R"(^(\d{4}-\d{2}-\d{2})$)"));
  const bool date_only = kDate.match(text).hasMatch();
  const auto match = kClock.match(date_only ? text + QStringLiteral(" 00:00") : text);
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

std::optional<TimeNs> sinceBegin(const QString& text, std::optional<TimeNs> begin) {
  static const QRegularExpression kSeconds(QStringLiteral(R"(^\+? ?(\d{1,9})(?:\.(\d{1,9}))? ?s$)"));
  const auto match = kSeconds.match(text);
  TimeNs time = 0;
  if (!match.hasMatch() || !begin) return std::nullopt;
  if (__builtin_add_overflow(*begin, match.captured(1).toLongLong() * kNsPerSecond + fraction(match.captured(2)), &time))
    return std::nullopt;
  return time;
}

}  // namespace

MomentText readMomentText(const QString& text, TimeNs near, std::optional<TimeNs> begin, TimeStyle style) {
  const QString clean = text.trimmed();
  if (const auto time = clockTime(clean, near, style)) return {.time = time, .step = std::nullopt};
  if (const auto time = sinceBegin(clean, begin)) return {.time = time, .step = std::nullopt};
  static const QRegularExpression kStep(QStringLiteral(R"(^(?:step )?(-?\d+)$)"), QRegularExpression::CaseInsensitiveOption);
  bool good = false;
  const qint64 number = kStep.match(clean).captured(1).toLongLong(&good);
  if (!good) return {};
  if (number >= kFirstEpoch) return {.time = number, .step = std::nullopt};
  return {.time = std::nullopt, .step = number};
}

}  // namespace runglass
