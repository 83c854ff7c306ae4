// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/sealer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;

constexpr DurNs kLong = 3600 * kNsPerSecond;

TEST(Sealer, GivesEverySeatItsTurnsAtItsOwnPace) {
  std::atomic<int> often = 0, once = 0;
  Sealer::Seat quick([&] { return ++often, kNsPerMs; }), slow([&] { return ++once, kLong; });
  Sealer sealer;
  sealer.join(quick);
  sealer.join(slow);
  EXPECT_TRUE(waitUntil([&] { return often >= 20; }));
  EXPECT_EQ(once, 1);
  sealer.leave(quick);
  sealer.leave(slow);
}

TEST(Sealer, WakesASeatThatAsksForIt) {
  std::atomic<int> turns = 0, others = 0;
  Sealer::Seat seat([&] { return ++turns, kLong; }), other([&] { return ++others, kLong; });
  Sealer sealer;
  sealer.join(seat);
  sealer.join(other);
  ASSERT_TRUE(waitUntil([&] { return turns == 1 && others == 1; }));
  for (int n = 2; n < 50; ++n) {
    sealer.wake(seat);
    ASSERT_TRUE(waitUntil([&] { return turns >= n; })) << n;
  }
  EXPECT_EQ(others, 1);
  sealer.leave(seat);
  sealer.leave(other);
}

TEST(Sealer, DoesNotForgetASeatThatIsWokenDuringItsTurn) {
  std::atomic<int> turns = 0;
  std::atomic<bool> go = false;
  Sealer::Seat seat([&] {
    if (++turns == 1)
      while (!go) std::this_thread::yield();
    return kLong;
  });
  Sealer sealer;
  sealer.join(seat);
  ASSERT_TRUE(waitUntil([&] { return turns == 1; }));
  sealer.wake(seat);
  go = true;
  EXPECT_TRUE(waitUntil([&] { return turns == 2; }));
  sealer.leave(seat);
}

TEST(Sealer, HasNoTurnForASeatThatHasLeft) {
  std::atomic<bool> in_turn = false;
  auto value = std::make_unique<std::atomic<int>>(0);
  Sealer sealer;
  for (int round = 0; round < 200; ++round) {
    Sealer::Seat seat([&] {
      in_turn = true;
      ++*value;
      in_turn = false;
      return DurNs{0};
    });
    std::atomic<int> others = 0;
    Sealer::Seat other([&] { return ++others, DurNs{0}; });
    sealer.join(seat);
    sealer.join(other);
    sealer.leave(seat);
    EXPECT_FALSE(in_turn);
    const int before = *value;
    const int of_other = others;
    ASSERT_TRUE(waitUntil([&] { return others > of_other; })) << "the others go on";
    EXPECT_EQ(*value, before);
    sealer.leave(other);
  }
}

}  // namespace
}  // namespace runglass
