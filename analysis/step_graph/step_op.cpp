// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_graph/step_op.h"

#include <algorithm>
#include <string>

namespace runglass {
namespace {

constexpr std::size_t kLongestName = 64;

struct Named {
  std::string_view name;
  StepOps ops;
};

constexpr Named one(std::string_view name, StepOp op) { return {name, {{op, op}, 1}}; }
constexpr Named two(std::string_view name, StepOp a, StepOp b) { return {name, {{a, b}, 2}}; }

// By name.
constexpr auto kNames = std::to_array<Named>({
    one("all-gather-params", StepOp::kParamsAllGather),
    one("all-grads-sync", StepOp::kGradsAllReduce),  // Megatron-LM
    one("all-reduce-dp", StepOp::kGradsAllReduce),   // Runglass' simulator
    one("backward", StepOp::kBackward),              // Runglass' client
    one("backward-compute", StepOp::kBackward),      // all others
    one("backward-recv", StepOp::kBackwardRecv),     //
    one("backward-send", StepOp::kBackwardSend),     //
    two("backward-send-backward-recv", StepOp::kBackwardSend, StepOp::kBackwardRecv),
    two("backward-send-forward-recv", StepOp::kBackwardSend, StepOp::kForwardRecv),
    one("backward-wgrad-compute", StepOp::kBackwardWeight),
    one("data", StepOp::kDataLoad),  // Runglass' client
    one("data-load", StepOp::kDataLoad),
    one("dp-all-reduce", StepOp::kGradsAllReduce),  // Runglass' example trainer
    one("embedding-grads-all-reduce", StepOp::kEmbeddingGradsAllReduce),
    one("forward", StepOp::kForward),
    one("forward-compute", StepOp::kForward),
    one("forward-recv", StepOp::kForwardRecv),
    one("forward-send", StepOp::kForwardSend),
    two("forward-send-backward-recv", StepOp::kForwardSend, StepOp::kBackwardRecv),
    two("forward-send-forward-recv", StepOp::kForwardSend, StepOp::kForwardRecv),
    one("gc", StepOp::kGc),
    one("grad-all-reduce", StepOp::kGradsAllReduce),          // ndtimeline
    one("grad-reduce-scatter", StepOp::kGradsReduceScatter),  // ndtimeline
    one("grads-all-reduce", StepOp::kGradsAllReduce),
    one("grads-reduce-scatter", StepOp::kGradsReduceScatter),
    one("grads-reduce-scatter-nonoverlapping", StepOp::kGradsReduceScatter),
    one("layernorm-grads-all-reduce", StepOp::kLayernormGradsAllReduce),
    one("optimizer", StepOp::kOptimizer),
    one("optimizer-clip-main-grad", StepOp::kClipGrads),
    one("params-all-gather", StepOp::kParamsAllGather),
    one("params-all-gather-nonoverlapping", StepOp::kParamsAllGather),
    one("recv-backward", StepOp::kBackwardRecv),  // Runglass' example trainer, Megatron-LM's function names
    one("recv-forward", StepOp::kForwardRecv),
    one("send-backward", StepOp::kBackwardSend),
    two("send-backward-recv-forward", StepOp::kBackwardSend, StepOp::kForwardRecv),
    one("send-forward", StepOp::kForwardSend),
    two("send-forward-recv-backward", StepOp::kForwardSend, StepOp::kBackwardRecv),
    one("separate-grads-all-reduce", StepOp::kSeparateGradsAllReduce),
    one("unshard-all-gather", StepOp::kParamsAllGather),  // ndtimeline
});
static_assert(std::ranges::is_sorted(kNames, {}, &Named::name));

}  // namespace

const char* stepOpName(StepOp op) {
  static constexpr std::array<const char*, kStepOpCount> kOpNames = {"forward-compute",
                                                                     "backward-compute",
                                                                     "backward-wgrad-compute",
                                                                     "gc",
                                                                     "data-load",
                                                                     "optimizer",
                                                                     "forward-send",
                                                                     "forward-recv",
                                                                     "backward-send",
                                                                     "backward-recv",
                                                                     "params-all-gather",
                                                                     "grads-reduce-scatter",
                                                                     "grads-all-reduce",
                                                                     "layernorm-grads-all-reduce",
                                                                     "embedding-grads-all-reduce",
                                                                     "separate-grads-all-reduce",
                                                                     "optimizer-clip-main-grad"};
  return kOpNames[static_cast<std::size_t>(op)];
}

const char* stepOpShareName(StepOp op) {
  if (op == StepOp::kForwardSend || op == StepOp::kForwardRecv) return "forward-pp-comm";
  if (op == StepOp::kBackwardSend || op == StepOp::kBackwardRecv) return "backward-pp-comm";
  return stepOpName(op);
}

StepOps stepOpsOf(std::string_view name) {
  if (name.size() > kLongestName) return {};
  std::string plain(name);
  for (char& c : plain) {
    if (c == '_' || c == ' ') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto at = std::ranges::lower_bound(kNames, std::string_view(plain), {}, &Named::name);
  return at != kNames.end() && at->name == plain ? at->ops : StepOps{};
}

}  // namespace runglass
