// SPDX-License-Identifier: Apache-2.0
#include "model/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace runglass {
namespace {

// RFC 3720, section B.4.
TEST(Crc32c, MatchesThePublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, OfPartsEqualsThatOfTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (std::size_t cut : {0U, 1U, 7U, 8U, 500U, 1000U}) EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text));
}

}  // namespace
}  // namespace runglass
