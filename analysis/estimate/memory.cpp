// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/memory.h"

#include <cmath>

#include "model/number_text.h"

namespace runglass {
namespace {

Estimated states(const MemoryQuestion& q, double bytes, bool sharded) {
  const double own = q.parameters / (static_cast<double>(q.pp) * q.tp);
  const double value = own * bytes / (sharded ? q.dp : 1);
  return {value, "parameters ÷ (PP × TP) × " + formulaNumber(bytes) + (sharded ? " ÷ DP" : "") + " = " + formulaNumber(q.parameters) +
                     " ÷ (" + std::to_string(q.pp) + " × " + std::to_string(q.tp) + ") × " + formulaNumber(bytes) +
                     (sharded ? " ÷ " + std::to_string(q.dp) : "") + " = " + formulaNumber(value)};
}

Estimated activations(const MemoryQuestion& q) {
  const ModelShape& m = q.shape;
  const double t = q.tp, sbh = m.sequence * m.micro_batch * m.hidden;
  const double attention = 5 * m.heads * m.sequence / m.hidden;
  const double shard = q.sequence_parallel ? t : 1;
  double per_layer = 0;
  std::string rule;
  if (q.recompute == Recompute::kFull) {
    per_layer = 2 * sbh / shard;
    rule = q.sequence_parallel ? "2 s b h ÷ t" : "2 s b h";
  } else {
    const double scores = q.recompute == Recompute::kSelective ? 0 : attention;
    per_layer = q.sequence_parallel ? sbh / t * (34 + scores) : sbh * (10 + 24 / t + scores / t);
    rule = q.sequence_parallel ? "s b h ÷ t × (34" : "s b h (10 + 24 ÷ t";
    rule += q.recompute == Recompute::kSelective ? ")" : q.sequence_parallel ? " + 5 a s ÷ h)" : " + 5 a s ÷ (h t))";
  }
  // The first stage holds as many micro-batches as there are stages: the activations of all layers, plus a little more when interleaved.
  const double layers = m.layers * (q.pp > 1 && q.vpp > 1 ? 1 + (q.pp - 1.0) / (static_cast<double>(q.pp) * q.vpp) : 1);
  const double value = per_layer * layers;
  return {value, "layers in flight × " + rule + " = " + formulaNumber(layers) + " × " + formulaNumber(per_layer) + " = " +
                     formulaNumber(value) + " (s " + formulaNumber(m.sequence) + ", b " + formulaNumber(m.micro_batch) + ", h " +
                     formulaNumber(m.hidden) + ", a " + formulaNumber(m.heads) + ", t " + std::to_string(q.tp) + ")"};
}

}  // namespace

std::optional<MemoryEstimate> memoryPerGpu(const MemoryQuestion& q) {
  const bool sane = std::isfinite(q.parameters) && q.parameters > 0 && q.dp >= 1 && q.pp >= 1 && q.tp >= 1 && q.vpp >= 1 && q.zero >= 0 &&
                    q.zero <= 3 && q.weight_bytes >= 0 && q.gradient_bytes >= 0 && q.master_bytes >= 0 && q.moments_bytes >= 0;
  if (!sane) return std::nullopt;
  MemoryEstimate out;
  out.parts = {{"weights", states(q, q.weight_bytes, q.zero >= 3)},
               {"gradients", states(q, q.gradient_bytes, q.zero >= 2)},
               {"master weights", states(q, q.master_bytes, q.zero >= 1)},
               {"Adam moments", states(q, q.moments_bytes, q.zero >= 1)}};
  for (const MemoryPart& part : out.parts) out.states_bytes += part.bytes.value;
  if (q.shape.known()) {
    out.parts.push_back({"activations", activations(q)});
    out.activations_bytes = out.parts.back().bytes.value;
  }
  return out;
}

}  // namespace runglass
