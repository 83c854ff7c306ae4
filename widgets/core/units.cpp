// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/units.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

namespace runglass {
namespace {

struct Prefix {
  double base;  // smallest magnitude that uses it
  const char* name;
};

constexpr std::array<Prefix, 4> kDuration = {{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Prefix, 6> kIec = {{{1, "B"},
                                         {1024, "KiB"},
                                         {1024.0 * 1024, "MiB"},
                                         {1024.0 * 1024 * 1024, "GiB"},
                                         {1024.0 * 1024 * 1024 * 1024, "TiB"},
                                         {1024.0 * 1024 * 1024 * 1024 * 1024, "PiB"}}};
constexpr std::array<Prefix, 6> kDecimal = {{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};

const Prefix& pick(std::span<const Prefix> prefixes, double magnitude) {
  const Prefix* best = &prefixes.front();
  for (const Prefix& p : prefixes)
    if (magnitude >= p.base) best = &p;
  return *best;
}

// Digits after the point so that `magnitude` shows three significant ones.
int threeDigits(double magnitude) {
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 6);
}

int decimalsFor(double step) {
  if (!(step > 0) || !std::isfinite(step)) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
}

QString grouped(QString digits) {
  const qsizetype point = digits.indexOf(u'.');
  const qsizetype first = digits.startsWith(u'−') ? 1 : 0;
  for (qsizetype i = (point < 0 ? digits.size() : point) - 3; i > first; i -= 3) digits.insert(i, QChar(kThinSpace));
  return digits;
}

QString notFinite(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  return value > 0 ? QStringLiteral("+Inf") : QStringLiteral("−Inf");
}

QString fixedText(double value, int decimals) {
  if (!std::isfinite(value)) return notFinite(value);
  QString text = QString::number(std::abs(value), 'f', decimals);
  const bool zero = std::all_of(text.begin(), text.end(), [](QChar c) { return c == u'0' || c == u'.'; });
  if (value < 0 && !zero) text.prepend(u'−');
  return grouped(text);
}

QString withUnit(const QString& number, const QString& unit) { return unit.isEmpty() ? number : number + QChar(kThinSpace) + unit; }

// Words after the SI prefix for units that take one.
const char* decimalUnitWord(std::string_view unit) {
  if (unit == "bytes_per_s") return "B/s";
  if (unit == "flops_per_s") return "FLOP/s";
  if (unit == "hertz") return "Hz";
  if (unit == "joules") return "J";
  if (unit == "per_s") return "/s";
  return nullptr;
}

QDateTime dateTime(TimeNs time, TimeStyle style) {
  // Floor, so that times before 1970 keep their order.
  const TimeNs ms = time >= 0 ? time / kNsPerMs : -((-(time + 1)) / kNsPerMs) - 1;
  return style == TimeStyle::kLocal ? QDateTime::fromMSecsSinceEpoch(ms) : QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC);
}

// The zone's name at that time, so that summer and winter differ.
QString abbreviation(const QDateTime& when, TimeStyle style) {
  return style == TimeStyle::kLocal ? when.timeZoneAbbreviation() : QStringLiteral("UTC");
}

std::int64_t nsInSecond(TimeNs time) {
  const std::int64_t rest = time % kNsPerSecond;
  return rest < 0 ? rest + kNsPerSecond : rest;
}

QString relativeText(TimeNs time, int decimals) {
  const QString number = fixedText(std::abs(static_cast<double>(time)) / 1e9, decimals);
  return (time < 0 ? QStringLiteral("−") : QStringLiteral("+")) + withUnit(number, QStringLiteral("s"));
}

}  // namespace

UnitScale unitScale(std::string_view unit, double min, double max, double step) {
  double magnitude = 0;
  for (double v : {min, max})
    if (std::isfinite(v)) magnitude = std::max(magnitude, std::abs(v));
  UnitScale scale;
  if (unit == "ns") {
    const Prefix& p = pick(kDuration, magnitude);
    scale = {1 / p.base, 0, QString::fromUtf8(p.name)};
  } else if (unit == "bytes") {
    const Prefix& p = pick(kIec, magnitude);
    scale = {1 / p.base, 0, QString::fromUtf8(p.name)};
  } else if (const char* word = decimalUnitWord(unit)) {
    const Prefix& p = pick(kDecimal, magnitude);
    scale = {1 / p.base, 0, QString::fromUtf8(p.name) + QString::fromUtf8(word)};
  } else if (unit == "ratio") {
    scale = {100, 0, QStringLiteral("%")};
  } else if (unit == "watts") {
    scale = {1, 0, QStringLiteral("W")};
  } else if (unit == "celsius") {
    scale = {1, 0, QStringLiteral("°C")};
  } else if (unit == "count" || unit == "total") {
    const Prefix& p = pick(kDecimal, magnitude < 1e5 ? 0 : magnitude);
    scale = {1 / p.base, 0, QString::fromUtf8(p.name)};
  }
  if (step > 0) {
    scale.decimals = decimalsFor(step * scale.factor);
  } else if (unit == "count" || unit == "total" || unit == "bytes" || unit == "ns") {
    scale.decimals = scale.factor == 1 ? 0 : threeDigits(magnitude * scale.factor);  // whole things have no decimals
  } else if (unit == "watts" || unit == "celsius") {
    scale.decimals = magnitude >= 10 ? 0 : 1;
  } else if (unit == "ratio") {
    scale.decimals = 1;
  } else {
    scale.decimals = threeDigits(magnitude * scale.factor);
  }
  return scale;
}

QString formatScaled(double value, const UnitScale& scale) { return fixedText(value * scale.factor, scale.decimals); }

QString formatValue(double value, std::string_view unit) {
  if (!std::isfinite(value)) return notFinite(value);
  if (unit.empty()) return formatNumber(value);
  const UnitScale scale = unitScale(unit, value, value);
  return withUnit(formatScaled(value, scale), scale.suffix);
}

QString formatDuration(DurNs duration) { return formatValue(static_cast<double>(duration), "ns"); }

QString formatAge(DurNs age) {
  const std::int64_t s = std::max<std::int64_t>(age, 0) / kNsPerSecond;
  const auto unit = [](std::int64_t n, const char* name) { return QString::number(n) + QChar(kThinSpace) + QLatin1String(name); };
  if (s < 1) return QStringLiteral("now");
  if (s < 120) return unit(s, "s");
  if (s < 120 * 60) return unit(s / 60, "min");
  if (s < 48 * 3600) return unit(s / 3600, "h") + QStringLiteral(" %1").arg(s / 60 % 60, 2, 10, QLatin1Char('0'));
  return unit(s / 86400, "d") + u' ' + unit(s / 3600 % 24, "h");
}

QString formatLength(DurNs length) {
  constexpr DurNs kMinute = 60 * kNsPerSecond, kHour = 60 * kMinute;
  if (length < 2 * kMinute) return formatDuration(length);
  const auto rounded = [&](DurNs to) { return (length / to + (length % to >= to / 2 ? 1 : 0)) * to; };
  if (rounded(kMinute / 10) < 10 * kMinute)
    return withUnit(fixedText(static_cast<double>(length) / static_cast<double>(kMinute), 1), QStringLiteral("min"));
  return formatAge(rounded(rounded(kMinute) < 48 * kHour ? kMinute : kHour));
}

QString formatBytes(double bytes) { return formatValue(bytes, "bytes"); }
QString formatByteRate(double bytes_per_s) { return formatValue(bytes_per_s, "bytes_per_s"); }

QString formatCount(std::int64_t count) {
  QString digits = QString::number(count);
  if (count < 0) digits[0] = u'−';
  return grouped(digits);
}

QString formatShortCount(double count) { return formatValue(count, "count"); }

QString formatPercent(double ratio, int decimals) { return withUnit(fixedText(ratio * 100, decimals), QStringLiteral("%")); }

QString formatSignedPercent(double ratio, int decimals) {
  const QString text = formatPercent(ratio, decimals);
  return ratio > 0 && text != formatPercent(0, decimals) ? u'+' + text : text;  // what rounds to nothing has no sign
}

QString formatNumber(double value, int significant_digits) {
  if (!std::isfinite(value)) return notFinite(value);
  if (value == 0) return QStringLiteral("0");
  const double magnitude = std::abs(value);
  if (magnitude >= 1e7 || magnitude < 1e-3) {
    QString text = QString::number(value, 'e', std::max(significant_digits - 1, 0));
    return text.replace(u'-', u'−');
  }
  const int whole = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fixedText(value, std::max(significant_digits - whole, 0));
}

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
      return QStringLiteral("relative");
  }
  return {};
}

QString screenText(std::string_view text, int max_chars) {
  // Four bytes a character at most: what lies beyond cannot be shown anyway.
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
