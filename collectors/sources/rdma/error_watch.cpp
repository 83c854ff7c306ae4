// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/rdma/error_watch.h"

#include <algorithm>

namespace runglass {
namespace {
constexpr std::size_t kAllPorts = static_cast<std::size_t>(-1);
}

bool ErrorWatch::mayTell(std::size_t port, std::size_t counter, std::uint64_t count) {
  const auto [reported, fresh] = m_reported.try_emplace({port, counter});
  if (!fresh && count / kWorse < reported->second.count) return false;
  reported->second = {0, count};
  return true;
}

std::vector<ErrorWatch::Finding> ErrorWatch::add(const std::vector<std::vector<std::optional<std::uint64_t>>>& rises,
                                                 std::span<const std::uint64_t> floors) {
  for (auto& [what, reported] : m_reported) ++reported.windows_ago;
  std::erase_if(m_reported, [](const auto& entry) { return entry.second.windows_ago > kSilentWindows; });
  std::vector<Finding> found;
  for (std::size_t counter = 0; counter < floors.size(); ++counter) {
    const std::uint64_t floor = floors[counter];
    std::size_t have = 0, high = 0;
    for (const auto& port : rises) {
      if (!port[counter]) continue;
      ++have;
      high += *port[counter] >= floor ? 1 : 0;
    }
    if (floor == 0 || high == 0) continue;
    if (have > 1 && high == have) {
      std::uint64_t sum = 0;
      for (const auto& port : rises) sum += port[counter].value_or(0);
      if (mayTell(kAllPorts, counter, sum)) found.push_back({.counter = counter, .count = sum, .all = true});
      continue;
    }
    for (std::size_t i = 0; i < rises.size(); ++i) {
      const std::uint64_t own = rises[i][counter].value_or(0);
      if (own < floor) continue;
      std::vector<std::uint64_t> others;
      for (std::size_t k = 0; k < rises.size(); ++k)
        if (k != i && rises[k][counter]) others.push_back(*rises[k][counter]);
      std::sort(others.begin(), others.end());
      const std::uint64_t median = others.empty() ? 0 : others[others.size() / 2];
      if (own / kAboveOthers >= median && mayTell(i, counter, own))
        found.push_back({.port = i, .counter = counter, .count = own, .others = median});
    }
  }
  return found;
}

}  // namespace runglass
