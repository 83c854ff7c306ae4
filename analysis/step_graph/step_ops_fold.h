// SPDX-License-Identifier: Apache-2.0
// Folding: recorded operations of ranks become operations of workers, step by step.
//
// Threading:  pure.
// Units:      as StepGraph.
// Errors:     odd operations are left out and counted.
// Cost:       O(n log n) in the step's operations.
//
// The n-th operations of a kind in a step are the same on all ranks of a worker: a computation has the duration of the slowest rank and
// ends with the last; communication begins with the last and ends with the last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/step_graph/step_graph.h"
#include "analysis/step_graph/step_links.h"

namespace runglass {

inline constexpr std::uint32_t kNoWorker = UINT32_MAX;

// Times outside of +-2^61 ns (73 years) would overflow sums.
bool isUsable(TimeNs start, DurNs dur);

// `rows` of one step; `worker_of` by rank index: kNoWorker (left out) or below `workers`. The answer is by worker, then start.
std::vector<WorkerOp> foldRanks(const StepOpColumns& ops, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> worker_of,
                                std::size_t workers);

}  // namespace runglass
