// SPDX-License-Identifier: Apache-2.0
// Pipeline: when each stage of one replica computes which micro-batch, and when it waits to receive one.
//
// Threading:  pure.
// Ownership:  values.
// Units:      ns from the step's begin.
// Errors:     none.
// Cost:       O(stages x micro-batches).
//
// Non-interleaved 1F1B (PipeDream-Flush; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", SC21, section 2.2.1). A stage receives when it has nothing left to do before: sender and receiver both have to be there,
// then the transfer takes its time (Megatron's blocking send_forward_recv_backward).
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
  DurNs asked = -1;    // when the stage was free and asked for what it computes from; -1: it receives nothing
  DurNs sent_by = -1;  // when the neighbour had it
};

struct StageTimes {
  DurNs begin = 0;                  // when the stage may begin
  DurNs forward = 0, backward = 0;  // of one micro-batch
  DurNs pause = 0;                  // in the first forward pass
};

// `transfer`: between stage s and s + 1, one entry less than there are stages.
struct PipelineRun {
  std::vector<std::vector<PipelineOp>> ops;  // [stage], in order of execution
  std::vector<DurNs> end;                    // [stage]
  std::vector<DurNs> transferred;            // [stage] receiving, without waiting for the sender
};
PipelineRun runPipeline(std::span<const StageTimes> stages, std::span<const DurNs> transfer, std::int32_t micro_batches);

}  // namespace runglass::sim
