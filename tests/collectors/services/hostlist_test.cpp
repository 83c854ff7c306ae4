// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/hostlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> hosts(std::string_view text) {
  const auto all = expandHostlist(text);
  EXPECT_TRUE(all.ok()) << all.status().message();
  return all.ok() ? *all : std::vector<std::string>();
}

TEST(Hostlist, RangesKeepTheirZerosAndListsTheirOrder) {
  EXPECT_THAT(hosts("gpu-[009-011,7],login"), ElementsAre("gpu-009", "gpu-010", "gpu-011", "gpu-7", "login"));
  EXPECT_THAT(hosts("rack[1-2]n[08-09]x"), ElementsAre("rack1n08x", "rack1n09x", "rack2n08x", "rack2n09x"));
  EXPECT_THAT(hosts("a,b.example,c"), ElementsAre("a", "b.example", "c"));
  EXPECT_THAT(hosts(""), IsEmpty());
  EXPECT_EQ(hosts("n[0-65535]").size(), 65'536U);
}

TEST(Hostlist, OtherTextIsRefusedAndALargeListToo) {
  for (const char* text :
       {"gpu-[1-", "gpu-[a-b]", "gpu-[3-1]", "gpu-[]", ",a", "a,,b", "a b", "n[0-65536]", "n[0-999]m[0-999]", "n[99999999999]", "a]"})
    EXPECT_FALSE(expandHostlist(text).ok()) << text;
}

TEST(Hostlist, NumbersOfGpus) {
  const auto all = expandNumbers("0-2,5");
  ASSERT_TRUE(all.ok());
  EXPECT_THAT(*all, ElementsAre(0, 1, 2, 5));
  EXPECT_FALSE(expandNumbers("0-x").ok());
}

}  // namespace
}  // namespace runglass
