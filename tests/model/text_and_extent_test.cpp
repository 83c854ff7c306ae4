// SPDX-License-Identifier: Apache-2.0
// Numbers in messages, and the end of a series that contains the highest or lowest value of the type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/number_text.h"
#include "model/series_extent.h"
#include "model/time_text.h"

namespace runglass {
namespace {

TEST(NumberText, SharesAreAsFineAsAnEstimateIs) {
  EXPECT_EQ(percentText(0.042), "4.2 %");
  EXPECT_EQ(percentText(0.18), "18 %");
  EXPECT_EQ(percentText(-0.0512), "-5.1 %");
  EXPECT_EQ(percentText(0.991, 1), "99.1 %");
  EXPECT_EQ(percentText(1e300), "1e+302 %");
}

TEST(NumberText, AShareThatIsNotAllNeverPrintsAs100) {
  EXPECT_EQ(percentText(0.99995, 2), "99.995 %");
  EXPECT_EQ(percentText(0.9999), "99.99 %");
  EXPECT_EQ(percentText(0.996), "99.6 %");
  EXPECT_EQ(percentText(0.9949), "99 %");
  EXPECT_EQ(percentText(1.0004), "100.04 %");
  EXPECT_EQ(percentText(-0.9996, 1), "-99.96 %");
  EXPECT_EQ(valueText(0.99995, "ratio"), "99.995 %");
  EXPECT_EQ(scaledText(0.9999999, unitScale("ratio", 0, 1)), "99.99999");
  for (const int decimals : {0, 1, 2}) EXPECT_EQ(percentText(1, decimals).substr(0, 3), "100");
  EXPECT_EQ(percentText(0.1 + 0.2 + 0.7), "100 %") << "the rounding of a sum";
}

TEST(NumberText, WhatIsNoNumberHasAName) {
  EXPECT_EQ(numberText(0.57771), "0.5777");
  EXPECT_EQ(numberText(std::nan("")), "NaN");
  EXPECT_EQ(numberText(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(NumberText, WhatRoundsToZeroHasNoSign) {
  EXPECT_EQ(percentText(-0.0001), "0.0 %");
  EXPECT_EQ(percentText(-0.0001, 1, kTypeset), "0.0\u202F%");
  EXPECT_EQ(signedPercentText(0.0001), "0.0 %");
  EXPECT_EQ(signedPercentText(0.032), "+3.2 %");
  EXPECT_EQ(signedPercentText(-0.051), "-5.1 %");
}

TEST(NumberText, ComparedValuesHaveFourDigits) {
  EXPECT_EQ(preciseText(312.44e6, "ns"), "312.4 ms");
  EXPECT_EQ(preciseText(1.5e9, "ns"), "1.500 s");
  EXPECT_EQ(preciseText(-1.5e6, "ns"), "-1.500 ms");
  EXPECT_EQ(preciseText(0, "ns"), "0 ns");
}

TEST(NumberText, RatiosHoursAndMoneyHaveOneRuleEach) {
  EXPECT_EQ(ratioText(1.08333), "1.083");
  EXPECT_EQ(ratioText(1.08333, 2), "1.08");
  EXPECT_EQ(gpuHoursText(5.6123), "5.61");
  EXPECT_EQ(gpuHoursText(27'260.4), "27,260");
  EXPECT_EQ(moneyText(2.5), "2.50");
  EXPECT_EQ(moneyText(1'204.4), "1,204");
}

TEST(TimeText, ATimeBefore1970KeepsItsPlace) {
  EXPECT_EQ(utcText(1), "1970-01-01 00:00:00Z");
  EXPECT_EQ(utcText(-1), "1969-12-31 23:59:59Z");
  EXPECT_EQ(clockText(36'000 * kNsPerSecond), "10:00:00");
  EXPECT_EQ(clockText(-1), "23:59:59");
}

TEST(TimeText, ACountdownHasHoursWhereThereAreAny) {
  EXPECT_EQ(countdownText(303 * kNsPerSecond), "5:03");
  EXPECT_EQ(countdownText(4'807 * kNsPerSecond), "1:20:07");
  EXPECT_EQ(countdownText(-1), "0:00");
}

TEST(TimeText, ShortTimesHaveThreeDigits) {
  EXPECT_EQ(shortDurationText(850), "850 ns");
  EXPECT_EQ(shortDurationText(12'500), "12.5 µs");
  EXPECT_EQ(shortDurationText(4'070'000'000), "4.07 s");
}

TEST(SeriesExtent, TheEndsOfTheTypeAreNotPassed) {
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min(), kHigh = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(endOf({.last_x = 41}), 42);
  EXPECT_EQ(newestOf({.last_x = 41}, 2), 40);
  EXPECT_EQ(endOf({.last_x = kHigh}), kHigh);
  EXPECT_EQ(newestOf({.last_x = kLow}, 100), kLow);
}

}  // namespace
}  // namespace runglass
