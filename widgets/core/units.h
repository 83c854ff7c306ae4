// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of model/number_text.h as shown on screen, and times.
//
// Threading:  any thread; no state.
// Units:      input in base units as stored (ns, bytes, hertz, ratio 0..1; TimeNs). Memory is IEC (KiB, GiB), rates are decimal (GB/s).
// Errors:     none: NaN and infinity print as "NaN", "+Inf", "−Inf". An absent value is kAbsentText, never 0.
// Cost:       a few allocations a call.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/number_text.h"
#include "model/time.h"

namespace runglass {

inline constexpr char16_t kThinSpace = u'\u202F';  // narrow and non-breaking
inline const QString kAbsentText = QStringLiteral("–");

// Only the number, in that scale; put suffixOf(scale) into the column header or on the axis.
QString formatScaled(double value, const UnitScale& scale);
inline QString suffixOf(const UnitScale& scale) { return QString::fromStdString(scale.suffix); }
// Number and unit with a scale of its own: "12.3 ms", "1.50 GiB", "693 W", "97.1 %".
QString formatValue(double value, std::string_view unit);

QString formatDuration(DurNs duration);                          // "417 ns", "12.3 ms", "2.40 s"
QString formatAge(DurNs age);                                    // coarse: "now", "12 s", "5 min", "2 h 05", "3 d 4 h"
QString formatLength(DurNs length);                              // rounded: "24.1 s", "5.6 min", "28 min", "2 h 05", "3 d 4 h"
QString formatBytes(double bytes);                               // IEC
QString formatByteRate(double bytes_per_s);                      // decimal
QString formatCount(std::int64_t count);                         // thin separators: "48 210"
QString formatShortCount(double count);                          // "1.05 M"
QString formatPercent(double ratio, int decimals = 1);           // 0.971 -> "97.1 %"
QString formatSignedPercent(double ratio, int decimals = 1);     // "+3.2 %", "−5.1 %"
QString formatRatio(double ratio, int decimals = 3);             // "1.083"
QString formatGpuHours(double hours);                            // only the number: "5.61"
QString formatMoney(double amount);                              // "2.50"
QString formatNumber(double value, int significant_digits = 4);  // pure numbers: losses, norms
QString fullNumber(double value);                                // shortest text that reads back equal: for copying

// How times are written. A run without wall time is kRelative: "+12.345 s" since its own zero.
enum class TimeStyle : std::uint8_t { kUtc, kLocal, kRelative };
QString formatTime(TimeNs time, TimeStyle style);       // "2026-11-20 21:43:05 UTC"
QString formatTimeOfDay(TimeNs time, TimeStyle style);  // "21:43:05"
QString formatTimeFull(TimeNs time, TimeStyle style);   // to the ns, with date and zone: for tooltips and copying
QString zoneName(TimeStyle style);                      // "UTC", the local abbreviation, "relative"

// Outside text for the screen: valid UTF-8 or replacement characters, control and bidi characters made visible, at most `max_chars` (then
// "…"). All text from a file, a log or the wire must pass through here.
QString screenText(std::string_view text, int max_chars = 400);

}  // namespace runglass
