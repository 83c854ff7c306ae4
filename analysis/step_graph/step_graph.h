// SPDX-License-Identifier: Apache-2.0
// StepGraph: the dependencies of the operations in recorded training steps. The kernel: values in, values out.
//
// Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.2, and the details of its
// artifact (ByteDance-Seed/StragglerAnalysis). A worker is a (dp, pp) pair; its tensor- and context-parallel ranks are folded into it: they
// move in lockstep, and these operations do not show which of them is slow. Each worker has six streams: computation, data-parallel
// communication, and a send and a receive stream for either direction of the pipeline. An operation waits for
//   - the previous one in its stream, in recorded order (so that any schedule is taken as it ran: 1F1B, interleaved, zero-bubble);
//   - receive -> computation -> send of a micro-batch and model chunk; a receive also for the pass before its own, when it was posted; the
//     first backward send and receive are posted after the pass before the last forward pass of the warm-up;
//   - a chunk's first forward pass for its params-all-gather; the gradient synchronization of a chunk for its last backward pass if it
//     overlaps with computation (without a chunk number: for the pass before it), else for all computation;
//   - after the last pass: garbage collection and the remaining communication and the optimizer, a chain in recorded order;
//   - all members of its group: a send and its receive, the replicas of a stage, the first and last stage of a replica (embedding
//     gradients), all workers (gradient clipping). Transfer = end - latest start of a member; the time before is waiting.
// With interleaved stages the last stage sends to the next chunk of the first one, and chunk * stages + stage is the position in the model.
// If no sends and receives are recorded at all, a forward pass waits for the micro-batch's pass of the previous stage and a backward pass
// for that of the next stage; the transfer between them is unknown and part of the launch delay. A replica with a missing stage is left
// out, and so is a step whose operations do not fit together (see StepGaps).
//
// Threading:  pure; a built graph is immutable.
// Units:      TimeNs, DurNs; -1 = unknown in chunk and microbatch.
// Errors:     unusable data is counted in `gaps`; without usable steps `steps` is empty.
// Cost:       O(n log(n / steps)); 120 bytes per operation during construction, 80 after.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/step_graph/step_op.h"
#include "model/time.h"

namespace runglass {

struct StepRank {
  std::int32_t rank = 0;
  std::int32_t dp = 0, pp = 0;
};

// In columns, in any order. `rank` is an index into the ranks.
struct StepOpColumns {
  std::vector<std::uint32_t> rank;
  std::vector<std::int64_t> step;
  std::vector<StepOp> op;
  std::vector<std::int32_t> chunk;
  std::vector<std::int64_t> microbatch;
  std::vector<TimeNs> start;
  std::vector<DurNs> dur;
  std::vector<std::int64_t> span_id;  // the caller's id
  std::size_t size() const { return start.size(); }
  void add(std::uint32_t rank_index, std::int64_t in_step, StepOp what, std::int32_t of_chunk, std::int64_t batch, TimeNs begin,
           DurNs length, std::int64_t id);
};

struct StepWorker {
  std::int32_t dp = 0, pp = 0;
  std::int32_t rank = 0;         // the lowest rank folded into it
  std::uint32_t rank_count = 0;  // number of recorded ranks
};

// Unused data, by cause.
struct StepGaps {
  std::size_t odd_ops = 0;         // negative or absurd times
  std::size_t ranks_left_out = 0;  // of replicas with a missing stage
  std::size_t replicas_left_out = 0;
  std::size_t partial_steps = 0;    // an operation is missing: numbers of forward and backward passes, or of passes per stage, differ, ...
  std::size_t unmatched_steps = 0;  // a send without its receive, or unknown micro-batches
  std::size_t circular_steps = 0;   // operations that wait for each other
  std::size_t left_out_steps() const { return partial_steps + unmatched_steps + circular_steps; }
};

struct StepGraph {
  struct Step {
    std::int64_t step = 0;
    std::uint32_t first_node = 0, end_node = 0;
    std::uint32_t first_group = 0, end_group = 0;
    TimeNs t0 = 0, t1 = 0;  // first start, last end
  };
  std::vector<StepWorker> workers;             // by dp, then pp
  std::vector<std::int32_t> replicas, stages;  // the dp and pp numbers that occur
  std::vector<Step> steps;                     // by step
  bool has_transfers = false;                  // sends and receives were recorded
  StepGaps gaps;

  // Nodes: an operation of a worker in a step. In topological order: every node comes after its dependencies; members of a group are
  // adjacent.
  std::vector<std::uint32_t> worker;
  std::vector<StepOp> op;
  std::vector<std::int32_t> chunk;
  std::vector<std::int64_t> microbatch;
  std::vector<TimeNs> start;
  std::vector<DurNs> dur;
  std::vector<DurNs> work;   // of grouped communication the transfer, else dur
  std::vector<DurNs> delay;  // from the end of its last dependency (or the step's start) to its start; never negative
  std::vector<std::int64_t> span_id;
  std::vector<std::uint32_t> first_dep, deps;  // deps of node i: deps[first_dep[i] .. first_dep[i + 1])
  std::vector<std::uint32_t> first_member;     // nodes of group g: [first_member[g], first_member[g + 1])

  std::size_t size() const { return start.size(); }
  std::span<const std::uint32_t> depsOf(std::uint32_t node) const {
    return {deps.data() + first_dep[node], first_dep[node + 1] - first_dep[node]};
  }
  std::uint32_t groupOf(std::uint32_t node) const;  // O(log groups)
  // Null if there is no such step.
  const Step* find(std::int64_t step) const;
};

StepGraph buildStepGraph(std::span<const StepRank> ranks, const StepOpColumns& ops);

}  // namespace runglass
