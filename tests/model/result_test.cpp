// SPDX-License-Identifier: Apache-2.0
#include "model/result.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace runglass {
namespace {

// A reference into the temporary would be dangling before the loop over it starts.
TEST(Result, WhatATemporaryHoldsIsAValue) {
  static_assert(std::is_same_v<decltype(*std::declval<Result<std::string>>()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<Result<std::string>>().value()), std::string>);
  const auto call = [] { return Result<std::vector<std::string>>({std::string(100, 'a'), std::string(100, 'b')}); };
  std::string all;
  for (const std::string& text : *call()) all += text;
  EXPECT_EQ(all, std::string(100, 'a') + std::string(100, 'b'));
}

}  // namespace
}  // namespace runglass
