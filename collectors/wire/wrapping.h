// SPDX-License-Identifier: Apache-2.0
// Sums and differences that wrap, so that any two times have a difference.
//
// Threading:  pure.
#pragma once

#include <cstdint>

namespace runglass::wire {

constexpr std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace runglass::wire
