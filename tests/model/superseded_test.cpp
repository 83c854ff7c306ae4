// SPDX-License-Identifier: Apache-2.0
#include "model/superseded.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

Series scalar(std::uint64_t id, std::uint64_t attempt, const char* metric, std::int64_t first, std::int64_t last,
              std::optional<std::int32_t> rank = {}) {
  return {.id = {id},
          .key = {.attempt = {attempt}, .rank = rank, .metric = metric, .kind = SeriesKind::kScalar},
          .run = {1},
          .sample_count = 5,
          .first_x = first,
          .last_x = last};
}
using From = std::unordered_map<SeriesId, std::int64_t>;

// Megatron logs the loss against iterations and also against samples: the restart of the one at 500 does not affect the other's 128,000.
TEST(SupersededFrom, ComparesEachSeriesWithItsLikeOnly) {
  const Series all[] = {scalar(1, 10, "lm loss", 0, 600), scalar(2, 10, "lm loss vs samples", 0, 153'600), scalar(3, 10, "old", 0, 600),
                        scalar(4, 11, "lm loss", 500, 900), scalar(5, 11, "lm loss vs samples", 128'000, 230'400)};
  EXPECT_EQ(supersededFrom(all), (From{{{1}, 500}, {{2}, 128'000}}));
}

TEST(SupersededFrom, TakesTheEarliestOfAllLaterAttempts) {
  const Series all[] = {scalar(1, 10, "loss", 0, 100), scalar(2, 11, "loss", 80, 200), scalar(3, 12, "loss", 50, 300),
                        scalar(4, 13, "loss", 301, 400)};
  EXPECT_EQ(supersededFrom(all), (From{{{1}, 50}, {{2}, 50}}));
}

TEST(SupersededFrom, AnElasticRestartWithFewerRanksSupersedesAllRanks) {
  const Series all[] = {scalar(1, 10, "loss", 0, 100, 0), scalar(2, 10, "loss", 0, 100, 7), scalar(3, 11, "loss", 90, 200, 0)};
  EXPECT_EQ(supersededFrom(all), (From{{{1}, 90}, {{2}, 90}}));
}

TEST(SupersededFrom, OtherRunsEmptySeriesAndRestartsThatGoOnChangeNothing) {
  Series other = scalar(2, 11, "loss", 0, 100), empty = scalar(3, 12, "loss", 0, 0);
  other.run = {2};
  empty.sample_count = 0;
  const Series all[] = {scalar(1, 10, "loss", 0, 100), other, empty, scalar(4, 13, "loss", 101, 200)};
  EXPECT_EQ(supersededFrom(all), From{});
}

}  // namespace
}  // namespace runglass
