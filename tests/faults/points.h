// SPDX-License-Identifier: Apache-2.0
// The number of crash points that a test checks, the seeds that replay one, and the results.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace runglass::test {

inline constexpr std::size_t kPointsOfASeed = 50;

// A test's share of all points with RG_FAULT_POINTS (./dev bench faults --points N), `otherwise` without.
inline std::size_t pointsOf(std::size_t share_percent, std::size_t otherwise) {
  const char* all = std::getenv("RG_FAULT_POINTS");
  return all == nullptr ? otherwise : std::strtoull(all, nullptr, 10) * share_percent / 100;
}

// The seeds of workloads are 1, 2, …, or RG_FAULT_FIRST and those after it; RG_FAULT_SEED replays one.
inline bool replaysOneSeed() { return std::getenv("RG_FAULT_SEED") != nullptr; }
inline std::uint64_t firstSeed() {
  const char* first = std::getenv(replaysOneSeed() ? "RG_FAULT_SEED" : "RG_FAULT_FIRST");
  return first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
}

inline const std::string& emptied(const std::string& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

// Counts points, fails the test at the first few points with an error, and prints totals with the failed seeds.
class FaultTally {
 public:
  std::size_t points() const { return m_points; }
  void add(std::uint64_t seed, const std::string& where, const std::string& wrong) {
    ++m_points;
    if (wrong.empty()) return;
    if (++m_failed <= 5) ADD_FAILURE() << "RG_FAULT_SEED=" << seed << ", " << where << ":\n" << wrong;
    if (m_seeds.empty() || m_seeds.back() != seed) m_seeds.push_back(seed);
  }
  ~FaultTally() {
    std::cout << m_points << " points, " << m_failed << " failed";
    if (!m_seeds.empty()) std::cout << ", of seeds";
    for (const std::uint64_t seed : m_seeds) std::cout << ' ' << seed;
    std::cout << std::endl;
    if (m_failed > 5) ADD_FAILURE() << m_failed << " points failed";
  }

 private:
  std::size_t m_points = 0, m_failed = 0;
  std::vector<std::uint64_t> m_seeds;
};

}  // namespace runglass::test
