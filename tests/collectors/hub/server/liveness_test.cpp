// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Liveness, TurnsSilenceIntoStaleThenLostOnce) {
  Liveness nodes({});
  EXPECT_THAT(nodes.heard("u", "n", 0), SizeIs(1));
  EXPECT_THAT(nodes.heard("u", "n", 2 * kNsPerSecond), IsEmpty());
  EXPECT_THAT(nodes.tick(8 * kNsPerSecond - 1), IsEmpty());
  const auto stale = nodes.tick(8 * kNsPerSecond);
  ASSERT_THAT(stale, SizeIs(1));
  EXPECT_EQ(stale[0].to, NodeState::kStale);
  EXPECT_EQ(stale[0].silent, 6 * kNsPerSecond);
  EXPECT_THAT(nodes.tick(9 * kNsPerSecond), IsEmpty());
  const auto lost = nodes.tick(17 * kNsPerSecond);
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].to, NodeState::kLost);
  EXPECT_THAT(nodes.tick(1000 * kNsPerSecond), IsEmpty());
  const auto back = nodes.heard("u", "n", 1000 * kNsPerSecond);
  ASSERT_THAT(back, SizeIs(1));
  EXPECT_EQ(back[0].from, NodeState::kLost);
}

TEST(Liveness, DoesNotMissANodeThatSaidGoodbye) {
  Liveness nodes({});
  (void)nodes.heard("u", "n", 0);
  EXPECT_THAT(nodes.left("u", 1), SizeIs(1));
  EXPECT_THAT(nodes.left("u", 2), IsEmpty());
  EXPECT_THAT(nodes.tick(100 * kNsPerSecond), IsEmpty());
}

TEST(Liveness, ExpectsWhatAnEarlierLifeKnewAlive) {
  Liveness nodes({});
  nodes.expect({.uuid = "u", .name = "n", .state = NodeState::kAlive}, 0);
  nodes.expect({.uuid = "left", .name = "l", .state = NodeState::kLeft}, 0);
  EXPECT_THAT(nodes.tick(kNsPerSecond), IsEmpty());
  EXPECT_THAT(nodes.tick(15 * kNsPerSecond), SizeIs(1));
}

}  // namespace
}  // namespace runglass
