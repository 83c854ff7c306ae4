// SPDX-License-Identifier: Apache-2.0
// What messages say of numbers, and where a series ends that somebody wrote to the ends of the type.
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
