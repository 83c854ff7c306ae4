// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/lease_table.h"

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

}  // namespace
}  // namespace runglass
