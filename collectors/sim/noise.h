// SPDX-License-Identifier: Apache-2.0
// Noise as a pure function of its arguments: the same scenario, step and subject give the same number, in any order of calls.
//
// Threading:  pure.
// Units:      uniform: 0..1; normal: mean 0, standard deviation 1; heavy: the same standard deviation, one in 300 beyond 4.
// Cost:       O(1).
#pragma once

#include <cstdint>

namespace runglass::sim {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : m_seed(seed) {}
  double uniform(std::int64_t step, std::int64_t subject, std::uint64_t what) const;
  double normal(std::int64_t step, std::int64_t subject, std::uint64_t what) const;
  double heavy(std::int64_t step, std::int64_t subject, std::uint64_t what) const;  // Student's t with 4 degrees of freedom

 private:
  std::uint64_t key(std::int64_t step, std::int64_t subject, std::uint64_t what) const;
  std::uint64_t m_seed;
};

}  // namespace runglass::sim
