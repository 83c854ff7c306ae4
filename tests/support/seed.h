// SPDX-License-Identifier: Apache-2.0
// A printed seed for the random choices of a test: a new one each run, or RG_SEED to replay a run that failed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace runglass::test {

inline std::uint64_t seed() {
  const char* const replayed = std::getenv("RG_SEED");
  const std::uint64_t value = replayed != nullptr ? std::strtoull(replayed, nullptr, 10) : std::random_device{}();
  std::cout << "seed " << value << " (replay: RG_SEED=" << value << ")" << std::endl;
  return value;
}

}  // namespace runglass::test
