// SPDX-License-Identifier: Apache-2.0
// StepOp: what a span does in a training step, from the names that trainers and tools give it.
//
// Threading:  pure; any thread.
// Ownership:  names are literals.
// Errors:     a name that says nothing about the step's order has no StepOp; that is no error.
// Cost:       stepOpOf() is O(log names).
//
// Names are those of the artifact ByteDance-Seed/StragglerAnalysis (Lin et al., OSDI '25) and of veScale's ndtimeline, Megatron-LM's
// timers, and Runglass' own client and simulator. Case, '_' and ' ' for '-' make no difference.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace runglass {

enum class StepOp : std::uint8_t {
  kForward = 0,
  kBackward,
  kBackwardWeight,  // the part of a backward pass that zero-bubble schedules move
  kGc,
  kDataLoad,
  kOptimizer,
  kForwardSend,
  kForwardRecv,
  kBackwardSend,
  kBackwardRecv,
  kParamsAllGather,
  kGradsReduceScatter,
  kGradsAllReduce,
  kLayernormGradsAllReduce,
  kEmbeddingGradsAllReduce,
  kSeparateGradsAllReduce,
  kClipGrads,
};
inline constexpr int kStepOpCount = 17;

// Which operations are named together when a slowdown is shared out: a send and its receive are one transfer.
const char* stepOpName(StepOp op);       // "forward-compute", "forward-send", ...
const char* stepOpShareName(StepOp op);  // the same, but "forward-pp-comm" and "backward-pp-comm"

constexpr bool isPass(StepOp op) { return op <= StepOp::kBackwardWeight; }
constexpr bool isPipelineOp(StepOp op) { return op >= StepOp::kForwardSend && op <= StepOp::kBackwardRecv; }
// Between replicas of a stage.
constexpr bool isDataParallelOp(StepOp op) {
  return op == StepOp::kParamsAllGather || op == StepOp::kGradsReduceScatter || op == StepOp::kGradsAllReduce ||
         op == StepOp::kSeparateGradsAllReduce;
}
constexpr bool isGradsSync(StepOp op) { return op == StepOp::kGradsReduceScatter || op == StepOp::kGradsAllReduce; }
// Its ideal duration is a median instead of a mean (paper section 3.2).
constexpr bool isCommunication(StepOp op) { return op >= StepOp::kForwardSend; }

// One span may be two operations: ndtimeline's and Megatron's fused sends and receives.
struct StepOps {
  std::array<StepOp, 2> ops{};
  int count = 0;
};
StepOps stepOpsOf(std::string_view name);

}  // namespace runglass
