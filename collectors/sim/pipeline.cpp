// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/pipeline.h"

#include <algorithm>

namespace runglass::sim {
namespace {

// Stage s runs min(M, pp - s - 1) forwards, then one forward and one backward in turn, then the remaining backwards.
std::vector<PipelineOp> orderOf(std::size_t stage, std::size_t stages, std::int32_t batches, const StageTimes& times) {
  std::vector<PipelineOp> ops;
  ops.reserve(static_cast<std::size_t>(batches) * 2);
  const auto ahead = std::min<std::int32_t>(batches, static_cast<std::int32_t>(stages - stage) - 1);
  for (std::int32_t f = 0, b = 0; b < batches;) {
    const bool run_forward = f < batches && f - b < ahead + 1;
    const std::int32_t batch = run_forward ? f++ : b++;
    const DurNs pause = run_forward && batch == 0 ? times.pause : 0;
    ops.push_back({batch, !run_forward, 0, run_forward ? times.forward + pause : times.backward});
  }
  return ops;
}

}  // namespace

PipelineRun runPipeline(std::span<const StageTimes> stages, std::span<const DurNs> transfer, std::int32_t batches) {
  const std::size_t count = stages.size();
  PipelineRun run;
  for (std::size_t stage = 0; stage < count; ++stage) {
    run.ops.push_back(orderOf(stage, count, batches, stages[stage]));
    run.end.push_back(stages[stage].begin);
  }
  run.transferred.assign(count, 0);
  std::vector<std::size_t> next(count, 0);
  std::vector<std::vector<DurNs>> done_forward(count, std::vector<DurNs>(static_cast<std::size_t>(batches), -1)),
      done_backward = done_forward;
  // Sets the start of op: after the stage's previous op and after the neighbour that it receives from. False: that one is not placed yet.
  const auto place = [&](std::size_t stage, PipelineOp& op) {
    const auto batch = static_cast<std::size_t>(op.microbatch);
    const bool receives = op.backward ? stage + 1 < count : stage > 0;
    op.start = run.end[stage];
    if (receives) {
      const DurNs sent = op.backward ? done_backward[stage + 1][batch] : done_forward[stage - 1][batch];
      if (sent < 0) return false;
      const DurNs takes = transfer[op.backward ? stage : stage - 1];
      op.asked = run.end[stage];
      op.sent_by = sent;
      op.start = std::max(op.asked, sent) + takes;
      run.transferred[stage] += takes;
    }
    run.end[stage] = op.start + op.dur;
    (op.backward ? done_backward : done_forward)[stage][batch] = run.end[stage];
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < count; ++stage)
      for (auto& ops = run.ops[stage]; next[stage] < ops.size() && place(stage, ops[next[stage]]); ++next[stage]) moved = true;
  }
  return run;
}

}  // namespace runglass::sim
