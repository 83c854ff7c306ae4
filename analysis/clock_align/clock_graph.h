// SPDX-License-Identifier: Apache-2.0
// Which clocks were seen together how often and how far apart, and where each stands from one of them.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      ns; an offset is how far a clock is ahead.
// Errors:     none; a clock that no edge of enough differences leads to has no place.
// Cost:       O(differences + edges x log clocks).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/time.h"

namespace runglass {

// Sums and differences of any times: what does not fit stops at the ends of the number.
TimeNs plusTime(TimeNs a, DurNs b);
DurNs minusTime(TimeNs a, TimeNs b);

class ClockGraph {
 public:
  explicit ClockGraph(std::size_t clocks) : m_clocks(clocks) {}
  // Something ended at the same time on two clocks: how much later the second one says so.
  void together(std::uint32_t a, std::uint32_t b, DurNs b_later);
  // A message left one clock and arrived on another: how much later the receiver's clock says so. Latency makes it longer, so that only
  // both directions of a pair together tell its offset: the middle, as NTP takes it (Mills, RFC 5905, section 8).
  void message(std::uint32_t from, std::uint32_t to, DurNs arrived_later);

  struct Place {
    DurNs offset = 0, error = 0;
  };
  // By the paths of the least error; edges of fewer than `least` differences (of each direction) do not count.
  std::vector<std::optional<Place>> placesFrom(std::uint32_t root, std::size_t least);

 private:
  struct Edge {  // from the lower clock to the higher one
    std::vector<DurNs> together, there, back;
  };
  static std::optional<Place> summary(Edge& edge, std::size_t least);
  Edge& edge(std::uint32_t a, std::uint32_t b);

  std::size_t m_clocks;
  std::unordered_map<std::uint64_t, Edge> m_edges;
};

}  // namespace runglass
