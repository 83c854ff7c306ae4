// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/failures.h"

#include <algorithm>
#include <cmath>

#include "model/number_text.h"

namespace runglass {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr double kTail = 0.025;
constexpr int kHalvings = 60;

bool usable(double value) { return std::isfinite(value) && value > 0; }

// P(X <= count) for a Poisson mean.
double cumulative(std::int64_t count, double mean) {
  if (mean <= 0) return 1;
  double sum = 0;
  for (std::int64_t k = 0; k <= count; ++k) {
    const auto n = static_cast<double>(k);
    sum += std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
  }
  return std::min(1.0, sum);
}

// The mean at which P(X <= count) falls to `share`.
double meanWhere(std::int64_t count, double share) {
  double low = 0, high = static_cast<double>(count) + 10 * std::sqrt(static_cast<double>(count) + 1) + 10;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (cumulative(count, middle) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

std::optional<Estimated> failureOfDay(double per_gpu_day, double gpus) {
  if (!usable(gpus) || !std::isfinite(per_gpu_day) || per_gpu_day < 0 || per_gpu_day > 1) return std::nullopt;
  const double value = per_gpu_day >= 1 ? 1 : -std::expm1(gpus * std::log1p(-per_gpu_day));
  return Estimated{value,
                   "1 − (1 − p)^N = 1 − (1 − " + formulaNumber(per_gpu_day) + ")^" + formulaNumber(gpus) + " = " + formulaNumber(value)};
}

std::optional<Estimated> expectedMtbf(double per_gpu_day, double gpus) {
  if (!usable(gpus) || !usable(per_gpu_day) || per_gpu_day > 1) return std::nullopt;
  const double value = kSecondsPerDay / (per_gpu_day * gpus);
  return Estimated{value, "86,400 ÷ (p × N) = 86,400 ÷ (" + formulaNumber(per_gpu_day) + " × " + formulaNumber(gpus) +
                              ") = " + formulaNumber(value) + " s"};
}

RateInterval poissonInterval(std::int64_t count) {
  count = std::max<std::int64_t>(0, count);
  return {count == 0 ? 0 : meanWhere(count - 1, 1 - kTail), meanWhere(count, kTail)};
}

Mtbf mtbfOf(std::int64_t failures, double up_s) {
  Mtbf out{.failures = failures, .up_s = up_s};
  if (!usable(up_s)) return out;
  const RateInterval interval = poissonInterval(failures);
  out.low_s = up_s / interval.high;
  if (failures > 0) {
    out.mean_s = up_s / static_cast<double>(failures);
    out.high_s = up_s / interval.low;
  }
  return out;
}

std::optional<Estimated> youngInterval(double save_s, double mtbf_s) {
  if (!usable(save_s) || !usable(mtbf_s)) return std::nullopt;
  const double value = std::sqrt(2 * save_s * mtbf_s);
  return Estimated{value,
                   "√(2 δ M) = √(2 × " + formulaNumber(save_s) + " × " + formulaNumber(mtbf_s) + ") = " + formulaNumber(value) + " s"};
}

std::optional<Estimated> dalyInterval(double save_s, double mtbf_s) {
  if (!usable(save_s) || !usable(mtbf_s)) return std::nullopt;
  if (save_s >= 2 * mtbf_s) return Estimated{mtbf_s, "δ ≥ 2 M: M = " + formulaNumber(mtbf_s) + " s"};
  const double ratio = save_s / (2 * mtbf_s);
  const double value = std::sqrt(2 * save_s * mtbf_s) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - save_s;
  return Estimated{value, "√(2 δ M) [1 + ⅓ √(δ/2M) + ⅑ δ/2M] − δ with δ = " + formulaNumber(save_s) + " s, M = " + formulaNumber(mtbf_s) +
                              " s: " + formulaNumber(value) + " s"};
}

}  // namespace runglass
