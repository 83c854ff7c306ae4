// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace runglass::sim {
namespace {

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

double toUnit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 1) * 0x1.0p-53; }

// Box and Muller, "A Note on the Generation of Random Normal Deviates", Ann. Math. Statist. 29 (1958).
double normalOf(std::uint64_t key) {
  const double u1 = toUnit(mix(key)), u2 = static_cast<double>(mix(key + 1) >> 11) * 0x1.0p-53;
  return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

}  // namespace

std::uint64_t Noise::key(std::int64_t step, std::int64_t subject, std::uint64_t what) const {
  return mix(mix(mix(m_seed) ^ static_cast<std::uint64_t>(step)) ^ static_cast<std::uint64_t>(subject)) ^ mix(what);
}

double Noise::uniform(std::int64_t step, std::int64_t subject, std::uint64_t what) const { return toUnit(mix(key(step, subject, what))); }

double Noise::normal(std::int64_t step, std::int64_t subject, std::uint64_t what) const { return normalOf(key(step, subject, what)); }

// A chi-squared variable with 4 degrees of freedom is -2 log(u1 u2); the standard deviation of this t is the root of 2. Clamped, so that no
// single step is arbitrarily long.
double Noise::heavy(std::int64_t step, std::int64_t subject, std::uint64_t what) const {
  const std::uint64_t k = key(step, subject, what);
  const double chi = -2 * std::log(toUnit(mix(k + 2)) * toUnit(mix(k + 3)));
  return std::clamp(normalOf(k) / std::sqrt(std::max(1e-3, chi / 4)) / std::numbers::sqrt2, -12.0, 12.0);
}

}  // namespace runglass::sim
