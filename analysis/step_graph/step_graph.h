// SPDX-License-Identifier: Apache-2.0
// StepGraph: what each operation of a training step had to wait for: the dependencies of recorded steps. The kernel: values in, values out.
//
// Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.2, and the details of its
// artifact (ByteDance-Seed/StragglerAnalysis). A worker is a (dp, pp) pair; its tensor- and context-parallel ranks are folded into it: they
// move in lockstep, and which of them is slow cannot be told from these operations. Each worker has six streams: computation, data-parallel
// communication, and a send and a receive stream for either direction of the pipeline. An operation waits for
//   - the one before it in its stream, in recorded order (so any schedule is taken as it was run: 1F1B, interleaved, zero-bubble);
//   - receive -> computation -> send of a micro-batch and model chunk, and a receive for the pass before its own, when it was posted; the
//     first backward send and receive are posted after the pass before the last forward pass of the warm-up;
//   - a chunk's first forward pass for its params-all-gather; the synchronisation of a chunk's gradients for its last backward pass where
//   it
//     overlaps with computation (without a chunk number: for the pass before it), else for all computation;
//   - after the last pass: garbage collection and the rest of the communication and the optimizer, a chain in recorded order;
//   - all members of its group: a send and its receive, the replicas of a stage, first and last stage of a replica (embedding gradients),
//     everybody (gradient clipping). Transfer = end - latest begin of a member; what comes before is waiting.
// With interleaved stages the last stage sends to the next chunk of the first one, and chunk * stages + stage is the place in the model.
// Where no sends and receives are recorded at all, a forward pass waits for the micro-batch's pass of the stage before and a backward pass
// for that of the stage behind; the transfer between them is not known and part of the launch delay.
// A replica of which a stage is missing is left out, and so is a step whose operations do not fit together (see StepGaps).
//
// Threading:  pure; a built graph is immutable.
// Units:      TimeNs, DurNs; -1 = not known in chunk and microbatch.
// Errors:     none: what cannot be used is counted in `gaps`; without usable steps `steps` is empty.
// Cost:       O(n log(n / steps)); 120 bytes an operation while it is built, 80 after.
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
  std::vector<std::int64_t> span_id;  // what the caller knows it by
  std::size_t size() const { return start.size(); }
  void add(std::uint32_t rank_index, std::int64_t in_step, StepOp what, std::int32_t of_chunk, std::int64_t batch, TimeNs begin,
           DurNs length, std::int64_t id);
};

struct StepWorker {
  std::int32_t dp = 0, pp = 0;
  std::int32_t rank = 0;         // the lowest that was folded into it
  std::uint32_t rank_count = 0;  // of those that were recorded
};

// What was not used, and why.
struct StepGaps {
  std::size_t odd_ops = 0;            // negative or absurd times
  std::size_t ranks_left_out = 0;     // of replicas with a missing stage
  std::size_t replicas_left_out = 0;  //
  std::size_t partial_steps = 0;      // an operation is missing: as many forward as backward passes, the same number on every stage, ...
  std::size_t unmatched_steps = 0;    // a send without its receive, micro-batches that are not told
  std::size_t circular_steps = 0;     // operations that wait for each other
  std::size_t left_out_steps() const { return partial_steps + unmatched_steps + circular_steps; }
};

struct StepGraph {
  struct Step {
    std::int64_t step = 0;
    std::uint32_t first_node = 0, end_node = 0;
    std::uint32_t first_group = 0, end_group = 0;
    TimeNs t0 = 0, t1 = 0;  // first begin, last end
  };
  std::vector<StepWorker> workers;             // by dp, then pp
  std::vector<std::int32_t> replicas, stages;  // the dp and pp numbers there are
  std::vector<Step> steps;                     // by step
  bool has_transfers = false;                  // sends and receives were recorded
  StepGaps gaps;

  // Nodes: an operation of a worker in a step. In an order in which everything comes after what it waits for; members of a group are
  // neighbours.
  std::vector<std::uint32_t> worker;
  std::vector<StepOp> op;
  std::vector<std::int32_t> chunk;
  std::vector<std::int64_t> microbatch;
  std::vector<TimeNs> start;
  std::vector<DurNs> dur;
  std::vector<DurNs> work;   // of grouped communication the transfer, of all else dur
  std::vector<DurNs> delay;  // from the end of the last that it waited for (or the step's begin) to its begin; never negative
  std::vector<std::int64_t> span_id;
  std::vector<std::uint32_t> first_dep, deps;  // deps of node i: deps[first_dep[i] .. first_dep[i + 1])
  std::vector<std::uint32_t> first_member;     // nodes of group g: [first_member[g], first_member[g + 1])

  std::size_t size() const { return start.size(); }
  std::span<const std::uint32_t> depsOf(std::uint32_t node) const {
    return {deps.data() + first_dep[node], first_dep[node + 1] - first_dep[node]};
  }
  std::uint32_t groupOf(std::uint32_t node) const;  // O(log groups)
  // Null when the step is not there.
  const Step* find(std::int64_t step) const;
};

StepGraph buildStepGraph(std::span<const StepRank> ranks, const StepOpColumns& ops);

}  // namespace runglass
