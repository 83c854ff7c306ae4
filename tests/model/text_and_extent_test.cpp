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
