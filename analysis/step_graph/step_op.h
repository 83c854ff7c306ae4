// SPDX-License-Identifier: Apache-2.0
// StepOp: the operation of a span in a training step, from the names used by trainers and tools.
//
// Threading:  pure; any thread.
// Ownership:  names are literals.
// Errors:     a name without a meaning for the step's order has no StepOp; that is not an error.
// Cost:       stepOpOf() is O(log names).
//
// Names are those of the artifact ByteDance-Seed/StragglerAnalysis (Lin et al., OSDI '25) and of veScale's ndtimeline, Megatron-LM's
// timers, and Runglass' own client and simulator. Case, and '_' or ' ' instead of '-', make no difference.
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

// Operations that share a name when a slowdown is divided: a send and its receive are one transfer.
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
// Whether its ideal duration is a median instead of a mean (paper section 3.2).
constexpr bool isCommunication(StepOp op) { return op >= StepOp::kForwardSend; }

// One span may be two operations: the fused sends and receives of ndtimeline and Megatron.
struct StepOps {
  std::array<StepOp, 2> ops{};
  int count = 0;
};
StepOps stepOpsOf(std::string_view name);

}  // namespace runglass
