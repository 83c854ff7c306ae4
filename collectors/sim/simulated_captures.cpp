// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/simulated_captures.h"

#include <algorithm>

#include "collectors/sim/cluster_metrics.h"
#include "collectors/sim/step_model.h"

namespace runglass::sim {
namespace {

// In faulthandler's format, newest call first.
std::string stackOf(const Scenario& scenario, std::int32_t rank, std::int64_t step, bool hangs, bool missing) {
  std::string text = "simulated: rank " + std::to_string(rank) + " of " + scenario.name + " in step " + std::to_string(step) +
                     "\nThread 0x0000000000000001 (most recent call first):\n";
  if (missing)
    text +=
        "  File \"train.py\", line 88 in backward_step\n"
        "  File \"train.py\", line 131 in train_step\n";
  else if (hangs)
    text +=
        "  File \"torch/distributed/distributed_c10d.py\", line 1998 in all_reduce\n"
        "  File \"train.py\", line 97 in reduce_gradients\n"
        "  File \"train.py\", line 133 in train_step\n";
  else
    text +=
        "  File \"train.py\", line 74 in forward_step\n"
        "  File \"train.py\", line 129 in train_step\n";
  return text + "  File \"train.py\", line 160 in main\n";
}

}  // namespace

std::string nodeUuid(const Scenario& scenario, std::int32_t index) { return "sim:" + scenario.name + "/" + nodeName(index); }

std::vector<std::string> nodeUuids(const Scenario& scenario) {
  std::vector<std::string> uuids;
  for (std::int32_t node = 0; node < scenario.nodes; ++node) uuids.push_back(nodeUuid(scenario, node));
  return uuids;
}

std::vector<std::int32_t> capture(const Scenario& scenario, const PlayState& state, const std::vector<std::int32_t>& ranks,
                                  CaptureReason reason, TimeNs now, Recorder& out) {
  const StepModel model(scenario);
  const RunId run = out.run({.name = scenario.name, .simulated = true});
  const AttemptId attempt = out.attempt({.run = run, .key = std::to_string(state.attempt.load())});
  const std::int64_t step = state.step;
  const Fault* const hang = state.hang;
  std::vector<std::int32_t> done;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    if (!ranks.empty() && std::ranges::find(ranks, rank) == ranks.end()) continue;
    const bool missing = hang != nullptr && hang->target.kind != Target::Kind::kRun && model.hits(*hang, rank);
    const std::int32_t index = model.nodeOf(rank);
    const NodeId node = out.node({.uuid = nodeUuid(scenario, index), .name = nodeName(index)});
    const auto put = [&](const char* kind, std::string text) {
      out.capture({.time = now,
                   .attempt = attempt,
                   .node = node,
                   .rank = rank,
                   .kind = kind,
                   .source = "simulator",
                   .reason = std::string(captureReasonName(reason)),
                   .text = std::move(text)});
    };
    put("stack", stackOf(scenario, rank, step, hang != nullptr, missing));
    put("process", std::string("simulated\nState:\t") + (missing ? "R (running)" : "S (sleeping)") + "\nwchan: 0\n");
    done.push_back(rank);
    // The captures of 512 nodes exceed the buffer of a Recorder.
    if (done.size() % 1024 == 0) (void)out.flush();
  }
  (void)out.flush();
  return done;
}

}  // namespace runglass::sim
