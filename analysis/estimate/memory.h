// SPDX-License-Identifier: Apache-2.0
// GPU memory of training: model states under DP, PP, TP and ZeRO, and activations where the model's shape is known.
//
// Model states: weights and gradients in half precision, FP32 master weights and Adam's two moments; ZeRO-1 shards the optimizer's states
// over the data-parallel ranks, ZeRO-2 the gradients too, ZeRO-3 the weights too (Rajbhandari et al., "ZeRO: Memory Optimizations Toward
// Training Trillion Parameter Models", SC '20, section 3.1 and figure 1). Activations of the first pipeline stage under 1F1B (Korthikanti
// et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv:2205.05198, equations 1 to 6 and section 4.2.3):
// bytes per layer = s b h (10 + 24/t + 5 a s / (h t)); with sequence parallelism s b h / t (34 + 5 a s / h); without the attention term
// under selective recomputation; 2 s b h under full recomputation.
//
// Threading:  pure; any thread.
// Units:      bytes of one GPU; bytes per parameter. Fragmentation, communication buffers and the framework itself are not included.
// Errors:     invalid input (no parameters, sizes below 1) has no answer; activations are absent where the shape is unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/estimate/training_time.h"

namespace runglass {

struct ModelShape {
  double layers = 0, hidden = 0, heads = 0, sequence = 0, micro_batch = 0;
  bool known() const { return layers > 0 && hidden > 0 && heads > 0 && sequence > 0 && micro_batch > 0; }
};

struct MemoryQuestion {
  double parameters = 0;
  int dp = 1, pp = 1, tp = 1, vpp = 1;
  int zero = 0;                                                                      // stage 0..3
  double weight_bytes = 2, gradient_bytes = 2, master_bytes = 4, moments_bytes = 8;  // per parameter
  ModelShape shape;
  Recompute recompute = Recompute::kNone;
  bool sequence_parallel = false;
};

struct MemoryPart {
  std::string name;  // "weights", "gradients", "master weights", "Adam moments", "activations"
  Estimated bytes;
};

struct MemoryEstimate {
  std::vector<MemoryPart> parts;
  double states_bytes = 0;                  // without activations
  std::optional<double> activations_bytes;  // absent: the shape is unknown
  double total() const { return states_bytes + activations_bytes.value_or(0); }
};

std::optional<MemoryEstimate> memoryPerGpu(const MemoryQuestion& question);

}  // namespace runglass
