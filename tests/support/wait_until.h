// SPDX-License-Identifier: Apache-2.0
// waitUntil: polls a condition up to a deadline. EXPECT_TRUE(waitUntil(…)) prints the condition's text and the deadline that passed.
//
// The deadline ends a broken test; it is not a measurement. A sanitizer or a busy machine must not reach it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace runglass::test {

inline constexpr std::chrono::seconds kDeadline{60};

template <class Condition>
[[nodiscard]] testing::AssertionResult waitUntil(Condition&& condition, std::chrono::nanoseconds deadline = kDeadline,
                                                 std::chrono::milliseconds pause = std::chrono::milliseconds(2)) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end)
      return testing::AssertionFailure() << "not met within " << std::chrono::duration<double>(deadline).count() << " s";
    std::this_thread::sleep_for(pause);
  }
  return testing::AssertionSuccess();
}

}  // namespace runglass::test
