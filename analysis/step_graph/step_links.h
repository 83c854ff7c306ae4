// SPDX-License-Identifier: Apache-2.0
// The dependencies and groups of one step, for step_graph.cpp.
//
// Threading:  pure.
// Ownership:  borrows its arguments during the call.
// Units:      indices into the step's operations.
// Errors:     a StepFit other than kFits is the reason why a step cannot be used.
// Cost:       O(n log n) in the step's operations.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/step_graph/step_graph.h"

namespace runglass {

// The streams of a worker agree to this (the artifact's EPS).
inline constexpr DurNs kSameTime = 50 * kNsPerUs;

// An operation of a worker, with its ranks folded.
struct WorkerOp {
  std::uint32_t worker = 0;
  StepOp op = StepOp::kForward;
  std::int32_t chunk = -1;
  std::int64_t microbatch = -1;
  TimeNs start = 0;
  DurNs dur = 0;
  std::int64_t span_id = 0;
  TimeNs end() const { return start + dur; }
};

// Workers of a step in a grid; replica r, stage s is worker r * stages + s.
struct WorkerGrid {
  std::uint32_t replicas = 0, stages = 0;
  std::int32_t chunks = 1;
};

enum class StepFit : std::uint8_t { kFits, kPartial, kUnmatched };

inline constexpr std::uint32_t kDropped = UINT32_MAX;  // within another operation, or in no list

struct StepLinks {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;  // (waiting operation, operation that it waits for)
  std::vector<std::uint32_t> group;                            // by operation; members of one group have the same number; kDropped
  std::uint32_t groups = 0;
  bool has_transfers = false;
};

// `ops` by worker, then start.
StepFit linkStep(std::span<const WorkerOp> ops, const WorkerGrid& grid, StepLinks& out);

}  // namespace runglass
