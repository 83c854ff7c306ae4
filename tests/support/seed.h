// SPDX-License-Identifier: Apache-2.0
// A printed seed for the random choices of a test: the given default, else a new one each run, or RUNGLASS_SEED to replay a failed run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

namespace runglass::test {

inline std::uint64_t seed(std::optional<std::uint64_t> usual = std::nullopt) {
  const char* const replayed = std::getenv("RUNGLASS_SEED");
  const std::uint64_t value = replayed != nullptr ? std::strtoull(replayed, nullptr, 10) : usual ? *usual : std::random_device{}();
  std::cout << "seed " << value << " (replay: RUNGLASS_SEED=" << value << ")" << std::endl;
  return value;
}

}  // namespace runglass::test
