// SPDX-License-Identifier: Apache-2.0
// How often pairs of clocks recorded the same operation and how far apart they are, and the offset of each clock from a chosen root.
//
// Threading:  one thread.
// Units:      ns; an offset is how far a clock is ahead.
// Errors:     a clock that no edge with enough differences reaches has no place.
// Cost:       O(differences + edges x log clocks).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/time.h"

namespace runglass {

// Saturating sums and differences of arbitrary times.
DurNs minusTime(TimeNs a, TimeNs b);

class ClockGraph {
 public:
  explicit ClockGraph(std::size_t clocks) : m_clocks(clocks) {}
  // Something ended at the same time on both clocks: `b_later` is how much later the second clock recorded it.
  void together(std::uint32_t a, std::uint32_t b, DurNs b_later);
  // A message from one clock to another: how much later the receiver's clock recorded it. Latency is included, so that a pair's offset
  // needs both directions: the midpoint, as in NTP (Mills, RFC 5905, section 8).
  void message(std::uint32_t from, std::uint32_t to, DurNs arrived_later);

  struct Place {
    DurNs offset = 0, error = 0;
  };
  // Along the paths of the smallest error; edges with fewer than `least` differences (in each direction, for messages) do not count.
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
