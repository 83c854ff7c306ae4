// SPDX-License-Identifier: Apache-2.0
// Folding: the recorded operations of ranks, by step, become operations of workers.
//
// Threading:  pure.
// Units:      as StepGraph.
// Errors:     odd operations are left out and counted.
// Cost:       O(n log n) of the step.
//
// Of the ranks of a worker, the n-th operation of a kind in a step is the same one: a computation is as long as the slowest of them took
// and ends with the last; communication begins with the last and ends with the last.
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

// `rows` of one step; `worker_of` by rank index, kNoWorker: left out; else below `workers`. The answer is by worker, then start.
std::vector<WorkerOp> foldRanks(const StepOpColumns& ops, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> worker_of,
                                std::size_t workers);

}  // namespace runglass
