// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/units.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

// Replaces thin spaces by "_".
std::string plain(QString text) { return text.replace(QChar(kThinSpace), u'_').toStdString(); }

TEST(Units, DurationsTakeTheUnitThatFits) {
  EXPECT_EQ(plain(formatDuration(0)), "0_ns");
  EXPECT_EQ(plain(formatDuration(417)), "417_ns");
  EXPECT_EQ(plain(formatDuration(12'300)), "12.3_µs");
  EXPECT_EQ(plain(formatDuration(4'010'000)), "4.01_ms");
  EXPECT_EQ(plain(formatDuration(2'400'000'000)), "2.40_s");
  EXPECT_EQ(plain(formatDuration(-4'010'000)), "−4.01_ms");
}

TEST(Units, AColumnSharesUnitAndDecimals) {
  const UnitScale scale = unitScale("ns", 900'000, 12'000'000);
  EXPECT_EQ(scale.suffix, "ms");
  EXPECT_EQ(formatScaled(900'000, scale), "0.9");
  EXPECT_EQ(formatScaled(12'000'000, scale), "12.0");
}

TEST(Units, AnAxisShowsEveryTickApart) {
  const UnitScale scale = unitScale("ns", 4'000'000'000, 4'000'400'000, 100'000);
  EXPECT_EQ(formatScaled(4'000'100'000, scale), "4.0001");
  EXPECT_EQ(formatScaled(4'000'200'000, scale), "4.0002");
}

TEST(Units, MemoryIsBinaryAndRatesAreDecimal) {
  EXPECT_EQ(plain(formatBytes(80.0 * 1024 * 1024 * 1024)), "80.0_GiB");
  EXPECT_EQ(plain(formatBytes(512)), "512_B");
  EXPECT_EQ(plain(formatByteRate(25e9)), "25.0_GB/s");
  EXPECT_EQ(plain(formatValue(989e12, "flops_per_s")), "989_TFLOP/s");
  EXPECT_EQ(plain(formatValue(1.98e9, "hertz")), "1.98_GHz");
}

TEST(Units, DeviceValuesCarryTheirUnit) {
  EXPECT_EQ(plain(formatValue(693.2, "watts")), "693_W");
  EXPECT_EQ(plain(formatValue(64, "celsius")), "64_°C");
  EXPECT_EQ(plain(formatValue(0.971, "ratio")), "97.1_%");
  EXPECT_EQ(plain(formatValue(3.125, "")), "3.125");
}

TEST(Units, CountsHaveThinSeparators) {
  EXPECT_EQ(plain(formatCount(48'210)), "48_210");
  EXPECT_EQ(plain(formatCount(999)), "999");
  EXPECT_EQ(plain(formatCount(-1'234'567)), "−1_234_567");
  EXPECT_EQ(plain(formatCount(std::numeric_limits<std::int64_t>::min())), "−9_223_372_036_854_775_808");
  EXPECT_EQ(plain(formatShortCount(1'048'576)), "1.05_M");
}

TEST(Units, PercentDifferencesAlwaysSayTheirSign) {
  EXPECT_EQ(plain(formatSignedPercent(0.032)), "+3.2_%");
  EXPECT_EQ(plain(formatSignedPercent(-0.051)), "−5.1_%");
  EXPECT_EQ(plain(formatSignedPercent(0)), "0.0_%");
  EXPECT_EQ(plain(formatSignedPercent(-0.00001)), "0.0_%");
  EXPECT_EQ(formatSignedPercent(0.0004), formatSignedPercent(0)) << "what rounds to nothing has none";
}

TEST(Units, NotANumberAndInfinityArePrintedNotHidden) {
  EXPECT_EQ(formatValue(std::numeric_limits<double>::quiet_NaN(), "watts"), "NaN");
  EXPECT_EQ(formatNumber(-std::numeric_limits<double>::infinity()), "−Inf");
  EXPECT_EQ(formatNumber(std::numeric_limits<double>::infinity()), "+Inf");
}

TEST(Units, LossesKeepFourSignificantDigits) {
  EXPECT_EQ(formatNumber(10.9274), "10.93");
  EXPECT_EQ(formatNumber(2.00049), "2.000");
  EXPECT_EQ(formatNumber(0.000012), "1.200e−05");
  EXPECT_EQ(formatNumber(0), "0");
}

TEST(Units, CopiedNumbersReadBackEqual) {
  for (const double v : {0.1, 1.0 / 3, 1e-310, 123456789.123456789}) EXPECT_EQ(fullNumber(v).toDouble(), v);
}

TEST(Units, AgesAreCoarse) {
  EXPECT_EQ(plain(formatAge(200 * kNsPerMs)), "now");
  EXPECT_EQ(plain(formatAge(12 * kNsPerSecond)), "12_s");
  EXPECT_EQ(plain(formatAge(300 * kNsPerSecond)), "5_min");
  EXPECT_EQ(plain(formatAge((2 * 3600 + 300) * kNsPerSecond)), "2_h 05");
  EXPECT_EQ(plain(formatAge((3 * 24 + 4) * 3600LL * kNsPerSecond)), "3_d 4_h");
  EXPECT_EQ(plain(formatLength(24'100 * kNsPerMs)), "24.1_s");
  EXPECT_EQ(plain(formatLength(336 * kNsPerSecond)), "5.6_min") << "an age may be rounded down; a length is what money is counted from";
  EXPECT_EQ(plain(formatLength(239 * kNsPerSecond)), "4.0_min");
  EXPECT_EQ(plain(formatLength(597'100 * kNsPerMs)), "10_min");
  EXPECT_EQ(plain(formatLength(1'679 * kNsPerSecond)), "28_min");
  EXPECT_EQ(plain(formatLength((2 * 3600 + 290) * kNsPerSecond)), "2_h 05");
  EXPECT_EQ(plain(formatLength((3 * 24 + 3) * 3600LL * kNsPerSecond + 3'500 * kNsPerSecond)), "3_d 4_h");
}

TEST(Units, TimesNameTheirZoneAndKeepNanoseconds) {
  const TimeNs t = 1'795'211'434LL * kNsPerSecond + 123'456'789;
  EXPECT_EQ(formatTimeFull(t, TimeStyle::kUtc), "2026-11-20 21:50:34.123456789 UTC");
  EXPECT_EQ(formatTime(t, TimeStyle::kUtc), "2026-11-20 21:50:34 UTC");
  EXPECT_EQ(formatTimeOfDay(-1, TimeStyle::kUtc), "23:59:59");
  EXPECT_EQ(formatTimeFull(-1, TimeStyle::kUtc), "1969-12-31 23:59:59.999999999 UTC");
  EXPECT_EQ(plain(formatTime(12'345 * kNsPerMs, TimeStyle::kRelative)), "+12.345_s");
}

TEST(Units, HostileTextCannotHideOrReverseItself) {
  EXPECT_EQ(screenText("rank\x1b[2J"), QStringLiteral("rank␛[2J"));
  EXPECT_EQ(screenText("a\u202Egpj.exe"), QStringLiteral("a\uFFFDgpj.exe"));
  EXPECT_EQ(screenText("two\nlines"), QStringLiteral("two␊lines"));
  EXPECT_EQ(screenText(std::string("nul\0byte", 8)), QStringLiteral("nul␀byte"));
  EXPECT_TRUE(screenText("bad \xff\xfe utf8").contains(QChar(QChar::ReplacementCharacter)));
  const QString cut = screenText(std::string(1'000'000, 'x'), 50);
  EXPECT_EQ(cut.size(), 51);
  EXPECT_TRUE(cut.endsWith(u'…'));
}

}  // namespace
}  // namespace runglass
