// SPDX-License-Identifier: Apache-2.0
// ErrorWatch: finds error counters of a node's RDMA ports that rise far faster than those of its other ports. A counter that rises
// occasionally, or on all ports alike, is only a series and causes no alert.
//
// Threading:  one thread.
// Units:      events per window (the caller's: a minute).
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
    bool all = false;                     // on every port: the network or a peer is at fault, not this port
  };
  // Adds a window: rises[port][counter], absent if the port has no such counter. `floors`: lower rises are ignored; 0: never reported.
  std::vector<Finding> add(const std::vector<std::vector<std::optional<std::uint64_t>>>& rises, std::span<const std::uint64_t> floors);

 private:
  static constexpr int kSilentWindows = 60;  // repeated after this many windows, or when kWorse times as high
  static constexpr std::uint64_t kWorse = 10, kAboveOthers = 4;
  struct Reported {
    int windows_ago = 0;
    std::uint64_t count = 0;
  };
  bool mayTell(std::size_t port, std::size_t counter, std::uint64_t count);
  std::map<std::pair<std::size_t, std::size_t>, Reported> m_reported;
};

}  // namespace runglass
