// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/training_time.h"

#include <cmath>

#include "model/number_text.h"

namespace runglass {
namespace {

constexpr double kSecondsPerDay = 86'400;

bool usable(double value) { return std::isfinite(value) && value > 0; }

std::optional<Estimated> days(const TrainingWork& work, double flops_per_s, const std::string& rate) {
  if (!usable(work.tokens) || !usable(work.parameters) || !usable(work.gpus) || !usable(flops_per_s)) return std::nullopt;
  const double per_token = flopsPerParameterAndToken(work.recompute) * work.parameters;
  const double value = work.tokens * per_token / (work.gpus * flops_per_s) / kSecondsPerDay;
  if (!usable(value)) return std::nullopt;
  return Estimated{value, "days = tokens × " + formulaNumber(flopsPerParameterAndToken(work.recompute)) +
                              " × parameters ÷ (GPUs × FLOP/s) ÷ 86,400 = " + formulaNumber(work.tokens) + " × " +
                              formulaNumber(flopsPerParameterAndToken(work.recompute)) + " × " + formulaNumber(work.parameters) + " ÷ (" +
                              formulaNumber(work.gpus) + " × " + rate + ") ÷ 86,400 = " + formulaNumber(value)};
}

}  // namespace

const char* recomputeName(Recompute recompute) {
  return recompute == Recompute::kFull ? "full" : recompute == Recompute::kSelective ? "selective" : "none";
}

double flopsPerParameterAndToken(Recompute recompute) { return recompute == Recompute::kFull ? 8 : 6; }

std::optional<Estimated> trainingDays(const TrainingWork& work, double flops_per_s) {
  return days(work, flops_per_s, formulaNumber(flops_per_s));
}

std::optional<Estimated> trainingDays(const TrainingWork& work, double peak_flops_per_s, double utilisation) {
  if (!usable(utilisation)) return std::nullopt;
  return days(work, peak_flops_per_s * utilisation, formulaNumber(peak_flops_per_s) + " × " + formulaNumber(utilisation));
}

std::optional<Estimated> measuredMfu(double parameters, double tokens_per_s_per_gpu, double peak_flops_per_s) {
  if (!usable(parameters) || !usable(tokens_per_s_per_gpu) || !usable(peak_flops_per_s)) return std::nullopt;
  const double value = 6 * parameters * tokens_per_s_per_gpu / peak_flops_per_s;
  return Estimated{value, "MFU = 6 × parameters × tokens/s per GPU ÷ dense peak = 6 × " + formulaNumber(parameters) + " × " +
                              formulaNumber(tokens_per_s_per_gpu) + " ÷ " + formulaNumber(peak_flops_per_s) + " = " + formulaNumber(value)};
}

}  // namespace runglass
