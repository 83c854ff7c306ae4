// SPDX-License-Identifier: Apache-2.0
// The duration of a training and its hardware utilization. Pure arithmetic; each number comes with its formula.
//
// FLOPs per token: forward 2W and backward 4W for W parameters (Kaplan et al., "Scaling Laws for Neural Language Models", arXiv:2001.08361,
// section 2.1); full recomputation of activations repeats the forward pass, 8W (Narayanan et al., "Efficient Large-Scale Language Model
// Training on GPU Clusters Using Megatron-LM", SC '21, section 3.5 and appendix). Attention over the sequence is left out, as in those
// papers. MFU, model FLOP/s over the hardware's dense peak, counts 6W with or without recomputation (Chowdhery et al., "PaLM",
// arXiv:2204.02311, appendix B).
//
// Threading:  pure; any thread.
// Units:      tokens, parameters, FLOP/s of one GPU (dense); ratios; days.
// Errors:     no answer unless every input of a formula is a positive number.
#pragma once

#include <optional>

#include "analysis/statistics/estimated.h"

namespace runglass {

enum class Recompute { kNone, kSelective, kFull };  // of activations; selective recomputation costs almost nothing
const char* recomputeName(Recompute recompute);

// 6 or 8.
double flopsPerParameterAndToken(Recompute recompute);

struct TrainingWork {
  double tokens = 0, parameters = 0, gpus = 0;
  Recompute recompute = Recompute::kNone;
};
// At `flops_per_s` achieved by each GPU, including recomputation.
std::optional<Estimated> trainingDays(const TrainingWork& work, double flops_per_s);
// At a share of the dense peak.
std::optional<Estimated> trainingDays(const TrainingWork& work, double peak_flops_per_s, double utilisation);
// Model FLOP/s of a GPU over its peak.
std::optional<Estimated> measuredMfu(double parameters, double tokens_per_s_per_gpu, double peak_flops_per_s);

}  // namespace runglass
