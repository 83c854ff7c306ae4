// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/lease_table.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

constexpr DurNs kSecond = kNsPerSecond, kStart = 1'000 * kSecond;
const std::string kFile = "/lustre/train.log#4711";

TEST(LeaseTable, OneOfManyHoldsAFileUntilItSaysGoodbye) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  EXPECT_TRUE(table.claim("a", kFile, 0, kStart).held);
  EXPECT_FALSE(table.claim("b", kFile, 0, kStart).held);
  EXPECT_TRUE(table.claim("b", "/lustre/other.log#4712", 0, kStart).held);
  EXPECT_TRUE(table.claim("a", kFile, 500, kStart + kSecond).held);
  table.release("a");
  const auto next = table.claim("b", kFile, 20, kStart + kSecond);
  EXPECT_TRUE(next.held);
  EXPECT_EQ(next.offset, 500U) << "what the first recorded is not read again";
}

TEST(LeaseTable, ASilentHolderLosesItsLeaseAndReturnsAsOneOfMany) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  table.claim("a", kFile, 100, kStart);
  EXPECT_FALSE(table.claim("b", kFile, 0, kStart + LeaseTable::kExpiry - 1).held);
  EXPECT_TRUE(table.claim("b", kFile, 0, kStart + LeaseTable::kExpiry).held);
  EXPECT_FALSE(table.claim("a", kFile, 100, kStart + LeaseTable::kExpiry + kSecond).held);
}

TEST(LeaseTable, AHolderMayGoBackWhenItsFileWasCut) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  table.claim("a", kFile, 100, kStart);
  EXPECT_EQ(table.claim("a", kFile, 5, kStart + kSecond).offset, 5U);
}

TEST(LeaseTable, AHubThatStartsAgainHearsThoseFirstWhoWereFollowing) {
  LeaseTable table(kStart);
  EXPECT_FALSE(table.claim("b", kFile, 0, kStart + kSecond).held);
  EXPECT_TRUE(table.claim("a", kFile, 900, kStart + 2 * kSecond).held);
  EXPECT_FALSE(table.claim("b", kFile, 0, kStart + LeaseTable::kExpiry).held);
  EXPECT_TRUE(table.claim("b", "/lustre/new.log#1", 0, kStart + LeaseTable::kExpiry).held);
}

TEST(LeaseTable, OneAgentHoldsSoManyAndOthersTheRest) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  std::size_t held = 0;
  for (std::size_t i = 0; i < LeaseTable::kMaxOfAgent + 100; ++i) held += table.claim("a", "f" + std::to_string(i), 0, kStart).held ? 1 : 0;
  EXPECT_EQ(held, LeaseTable::kMaxOfAgent);
  EXPECT_TRUE(table.claim("b", kFile, 0, kStart).held);
  EXPECT_TRUE(table.claim("a", "f0", 9, kStart + kSecond).held) << "what it holds it keeps";
  table.release("a");
  EXPECT_FALSE(table.holdsAny("a"));
  EXPECT_TRUE(table.claim("b", "f1", 0, kStart + kSecond).held);
}

// Previously, each claim on a full table scanned all of it: one heartbeat with 100,000 leases took a minute.
TEST(LeaseTable, AFullTableAnswersAtOnceAndIsSweptWhenItsLeasesExpire) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  const auto fill = [&](int agents, DurNs now) {
    for (int a = 0; a < agents; ++a)
      for (std::size_t i = 0; i < LeaseTable::kMaxOfAgent; ++i)
        table.claim("a" + std::to_string(a), std::to_string(a) + "/" + std::to_string(i), 0, now);
  };
  fill(static_cast<int>(LeaseTable::kMaxFiles / LeaseTable::kMaxOfAgent), kStart);
  const DurNs began = monotonicNow();
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(table.claim("z", "new" + std::to_string(i), 0, kStart + kSecond).held);
  EXPECT_LT(monotonicNow() - began, 5 * kSecond) << "walks of the table: minutes";
  EXPECT_FALSE(table.holdsAny("z")) << "granted, but not remembered";
  EXPECT_TRUE(table.claim("z", kFile, 0, kStart + LeaseTable::kExpiry + kSecond).held);
  EXPECT_TRUE(table.holdsAny("z"));
  EXPECT_FALSE(table.holdsAny("a0"));
}

TEST(LeaseTable, NamesAreAsLongAsPathsAndNoLonger) {
  LeaseTable table(kStart - LeaseTable::kExpiry);
  EXPECT_FALSE(table.claim("a", std::string(LeaseTable::kMaxName + 1, 'x'), 0, kStart).held);
  EXPECT_FALSE(table.claim("a", "", 0, kStart).held);
  EXPECT_TRUE(table.claim("a", std::string(LeaseTable::kMaxName, 'x'), 0, kStart).held);
}

}  // namespace
}  // namespace runglass
