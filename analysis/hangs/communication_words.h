// SPDX-License-Identifier: Apache-2.0
// Whether the name of an operation or a function means waiting for other ranks.
//
// Threading:  pure.
// Cost:       O(name).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace runglass {

inline bool namesCommunication(std::string_view name) {
  constexpr std::array<std::string_view, 13> kWords = {"all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter",
                                                       "all_to_all", "alltoall",  "broadcast",  "barrier",   "recv",
                                                       "receive",    "send",      "synchronize"};
  return std::ranges::any_of(kWords, [name](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace runglass
