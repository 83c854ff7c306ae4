// SPDX-License-Identifier: Apache-2.0
// The pace of ranks and nodes, for plots and headlines: medians of the newest steps compared with those of the peers. A plot shows every
// rank's position, so that one peer is enough; isSlower() decides which ranks are called slow.
//
// Threading:  slowestRank() and nodesByWork() are pure; readSlowestRank() on the thread of the Reader.
// Units:      ns; ratios.
// Cost:       readSlowestRank(): one scalar read of at most kPaceSteps points per rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "analysis/peers/slower_than_peers.h"
#include "model/ids.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::int64_t kPaceSteps = 200;

struct SlowestRank {
  std::int32_t rank = 0;
  double slower = 0;  // than the median of all others: 0.05 is 5 %
};
// Of whole steps, which all stages of a job share. `ns`: a rank's median step. Absent: fewer than two ranks.
std::optional<SlowestRank> slowestRank(std::span<const std::pair<std::int32_t, double>> ns);
Result<std::optional<SlowestRank>> readSlowestRank(Reader& reader, AttemptId attempt, const std::stop_token& stop);

// A rank's median step, and its waiting for others.
struct RankPace {
  NodeId node;
  std::int32_t role = kNoRole;
  double step_ns = 0, wait_ns = 0;
};
struct NodePace {
  NodeId node;
  double wait_ratio = 0;  // of its rank that waited least: in a synchronous job the slow node waits least
  double slower = 0;      // own work of its slowest rank, compared with that rank's peers
};
// Slowest first; nodes with ranks that have peers. Empty: fewer than two.
std::vector<NodePace> nodesByWork(std::span<const RankPace> ranks);

}  // namespace runglass
