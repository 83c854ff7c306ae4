// SPDX-License-Identifier: Apache-2.0
#include "model/record_identity.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

// Computed by Python: sha256 over each part preceded by its length (4 bytes, little-endian), the first 16 bytes.
TEST(IdentityTest, IsWhatSchemaMdSaysInEveryProgram) {
  const SeriesKey loss{.attempt = {7}, .rank = 3, .metric = "loss", .source = "train", .kind = SeriesKind::kScalar};
  EXPECT_EQ(identityOf(loss, {.run = "run-uuid", .attempt = "a1"}).hex(), "f8201d0140581f3f93d5bb3fa1432a55");
  const SeriesKey power{.node = {1}, .device = {2}, .metric = "power_watts", .unit = "watts"};
  EXPECT_EQ(identityOf(power, {.node = "node-uuid", .device = "GPU-1"}).hex(), "24f12691b8262c2841e85c7cb0886bbb");
  const TrackKey track{.attempt = {7}, .rank = 3, .kind = "gpu_stream", .name = "stream 7"};
  EXPECT_EQ(identityOf(track, {.run = "run-uuid", .attempt = "a1"}).hex(), "3c92775c1cf08d942f7f49d484f29f6e");
  EXPECT_EQ(identityOf("my run").hex(), "d8d2582177b613984c3fe7debedde840");
}

TEST(IdentityTest, TellsApartWhatDiffersInOnePart) {
  const SeriesKey key{.attempt = {1}, .rank = 0, .metric = "loss"};
  const OwnerNames owner{.run = "r", .attempt = "a"};
  const Identity base = identityOf(key, owner);
  SeriesKey other = key;
  other.rank.reset();
  EXPECT_NE(identityOf(other, owner), base) << "rank 0 is not the whole attempt";
  other = key, other.labels = "loss", other.metric = "";
  EXPECT_NE(identityOf(other, owner), base) << "which part a text stands in counts";
  EXPECT_NE(identityOf(key, {.run = "ra", .attempt = ""}), base);
  other = key, other.attempt = {99};
  EXPECT_EQ(identityOf(other, owner), base) << "a local id does not";
}

}  // namespace
}  // namespace runglass
