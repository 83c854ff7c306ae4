// SPDX-License-Identifier: Apache-2.0
// The communicator of a pair: the sends of one rank to another one. Sends and receives of librunglass name it as their group, so that both
// ends of a transfer have the same group and sequence number (rg_pair in collectors/client/runglass.h computes the same numbers).
//
// Threading:  pure.
// Units:      global ranks.
// Errors:     no other group has such a number: commGroupId() has 48 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace runglass {

struct RankPair {
  std::int32_t from = 0, to = 0;
};

constexpr std::int64_t pairGroup(RankPair pair) { return std::int64_t{1} << 62 | static_cast<std::int64_t>(pair.from) << 31 | pair.to; }

constexpr std::optional<RankPair> pairOf(std::int64_t group) {
  if (group < std::int64_t{1} << 62) return std::nullopt;
  return RankPair{static_cast<std::int32_t>(group >> 31 & INT32_MAX), static_cast<std::int32_t>(group & INT32_MAX)};
}

// "0 → 4"
inline std::string pairName(RankPair pair) { return std::to_string(pair.from) + " → " + std::to_string(pair.to); }

}  // namespace runglass
