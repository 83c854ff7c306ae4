// SPDX-License-Identifier: Apache-2.0
// ErrorWatch: which error counters of a node's RDMA ports rise far faster than those of the other ports. A counter that rises now and then,
// or on all ports alike, is a series and no alarm.
//
// Threading:  one thread.
// Ownership:  none.
// Units:      events per window (the caller's: a minute).
// Errors:     none.
// Cost:       O(ports x counters) per window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace runglass {

class ErrorWatch {
 public:
  struct Finding {
    std::size_t port = 0, counter = 0;
    std::uint64_t count = 0, others = 0;  // in this window: of this port; median of the other ports
    bool all = false;                     // every port has it: the network or a peer, not this port
  };
  // One more window: rises[port][counter], absent where the port has no such counter. `floors`: below it is nothing; 0: never told.
  std::vector<Finding> add(const std::vector<std::vector<std::optional<std::uint64_t>>>& rises, std::span<const std::uint64_t> floors);

 private:
  static constexpr int kSilentWindows = 60;  // what was told is told again after that many, or when it is kWorse times as bad
  static constexpr std::uint64_t kWorse = 10, kAboveOthers = 4;
  struct Reported {
    int windows_ago = 0;
    std::uint64_t count = 0;
  };
  bool mayTell(std::size_t port, std::size_t counter, std::uint64_t count);
  std::map<std::pair<std::size_t, std::size_t>, Reported> m_reported;
};

}  // namespace runglass
