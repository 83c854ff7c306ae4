// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/units.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace runglass {
namespace {

QString shown(const std::string& text) { return QString::fromStdString(text); }

QDateTime dateTime(TimeNs time, TimeStyle style) {
  // Rounds down, so that times before 1970 keep their order.
  const TimeNs ms = time >= 0 ? time / kNsPerMs : -((-(time + 1)) / kNsPerMs) - 1;
  return style == TimeStyle::kLocal ? QDateTime::fromMSecsSinceEpoch(ms) : QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC);
}

// The zone's name at that time, so that summer and winter time differ.
QString abbreviation(const QDateTime& when, TimeStyle style) {
  return style == TimeStyle::kLocal ? when.timeZoneAbbreviation() : QStringLiteral("UTC");
}

std::int64_t nsInSecond(TimeNs time) {
  const std::int64_t rest = time % kNsPerSecond;
  return rest < 0 ? rest + kNsPerSecond : rest;
}

QString relativeText(TimeNs time, int decimals) {
  const std::string number = fixedText(std::abs(static_cast<double>(time)) / 1e9, decimals, kTypeset);
  return (time < 0 ? QStringLiteral("−") : QStringLiteral("+")) + shown(number) + QChar(kThinSpace) + QStringLiteral("s");
}

}  // namespace

QString formatScaled(double value, const UnitScale& scale) { return shown(scaledText(value, scale, kTypeset)); }
QString formatValue(double value, std::string_view unit) { return shown(valueText(value, unit, kTypeset)); }
QString formatDuration(DurNs duration) { return formatValue(static_cast<double>(duration), "ns"); }
QString formatAge(DurNs age) { return shown(ageText(age, kTypeset)); }
QString formatLength(DurNs length) { return shown(lengthText(length, kTypeset)); }
QString formatBytes(double bytes) { return formatValue(bytes, "bytes"); }
QString formatByteRate(double bytes_per_s) { return formatValue(bytes_per_s, "bytes_per_s"); }
QString formatCount(std::int64_t count) { return shown(countText(count, kTypeset)); }
QString formatShortCount(double count) { return formatValue(count, "count"); }
QString formatPercent(double ratio, int decimals) { return shown(percentText(ratio, decimals, kTypeset)); }

QString formatSignedPercent(double ratio, int decimals) { return shown(signedPercentText(ratio, decimals, kTypeset)); }

QString formatRatio(double ratio, int decimals) { return shown(ratioText(ratio, decimals, kTypeset)); }
QString formatGpuHours(double hours) { return shown(gpuHoursText(hours, kTypeset)); }
QString formatMoney(double amount) { return shown(moneyText(amount, kTypeset)); }

QString formatNumber(double value, int significant_digits) { return shown(significantText(value, significant_digits, kTypeset)); }

QString fullNumber(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? QStringLiteral("NaN") : value > 0 ? QStringLiteral("Inf") : QStringLiteral("-Inf");
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return QString::fromLatin1(buffer.data(), static_cast<qsizetype>(end - buffer.data()));
}

QString formatTime(TimeNs time, TimeStyle style) {
  if (style == TimeStyle::kRelative) return relativeText(time, 3);
  const QDateTime when = dateTime(time, style);
  return when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss ")) + abbreviation(when, style);
}

QString formatTimeOfDay(TimeNs time, TimeStyle style) {
  if (style == TimeStyle::kRelative) return relativeText(time, 1);
  return dateTime(time, style).toString(QStringLiteral("HH:mm:ss"));
}

QString formatTimeFull(TimeNs time, TimeStyle style) {
  if (style == TimeStyle::kRelative) return relativeText(time, 9);
  const QDateTime when = dateTime(time, style);
  return when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) + QStringLiteral(".%1 ").arg(nsInSecond(time), 9, 10, QLatin1Char('0')) +
         abbreviation(when, style);
}

QString zoneName(TimeStyle style) {
  switch (style) {
    case TimeStyle::kUtc:
      return QStringLiteral("UTC");
    case TimeStyle::kLocal:
      return QDateTime::currentDateTime().timeZoneAbbreviation();
    case TimeStyle::kRelative:
      return QCoreApplication::translate("Units", "relative");
  }
  return {};
}

QString screenText(std::string_view text, int max_chars) {
  // Four bytes a character at most: the rest would not be shown anyway.
  const std::size_t bytes = std::min<std::size_t>(text.size(), static_cast<std::size_t>(max_chars) * 4 + 4);
  const QString decoded = QString::fromUtf8(text.data(), static_cast<qsizetype>(bytes));
  QString shown;
  shown.reserve(std::min<qsizetype>(decoded.size(), max_chars));
  for (const QChar c : decoded) {
    if (shown.size() >= max_chars) return shown + u'…';
    const ushort u = c.unicode();
    const bool bidi = (u >= 0x202A && u <= 0x202E) || (u >= 0x2066 && u <= 0x2069) || u == 0x200E || u == 0x200F;
    if (u == u'\t')
      shown += u' ';
    else if (u < 0x20)
      shown += QChar(0x2400 + u);  // the control picture of this character
    else if (u == 0x7F || (u >= 0x80 && u < 0xA0) || bidi || u == 0x2028 || u == 0x2029)
      shown += QChar(QChar::ReplacementCharacter);
    else
      shown += c;
  }
  if (bytes < text.size()) shown += u'…';
  return shown;
}

}  // namespace runglass
