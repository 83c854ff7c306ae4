// SPDX-License-Identifier: Apache-2.0
// Pipeline: the schedule of a replica's stages: the times of their micro-batches and of their waits in receives.
//
// Threading:  pure.
// Units:      ns from the step's begin.
// Cost:       O(stages x micro-batches).
//
// Non-interleaved 1F1B (PipeDream-Flush; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", SC21, section 2.2.1). A stage receives once its earlier work is done: the transfer begins when both sender and receiver are
// ready (Megatron's blocking send_forward_recv_backward).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/time.h"

namespace runglass::sim {

struct PipelineOp {
  std::int32_t microbatch;
  bool backward;
  DurNs start, dur;
  DurNs asked = -1;    // when the idle stage began to wait for its input; -1: it receives nothing
  DurNs sent_by = -1;  // when the neighbour had the data
};

struct StageTimes {
  DurNs begin = 0;                  // earliest start of the stage
  DurNs forward = 0, backward = 0;  // of one micro-batch
  DurNs pause = 0;                  // within the first forward pass
};

// `transfer`: between stage s and s + 1, one entry fewer than stages.
struct PipelineRun {
  std::vector<std::vector<PipelineOp>> ops;  // [stage], in order of execution
  std::vector<DurNs> end;                    // [stage]
  std::vector<DurNs> transferred;            // [stage] receiving, without the wait for the sender
};
PipelineRun runPipeline(std::span<const StageTimes> stages, std::span<const DurNs> transfer, std::int32_t micro_batches);

}  // namespace runglass::sim
