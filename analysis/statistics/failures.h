// SPDX-License-Identifier: Apache-2.0
// Failures and their consequences: the probability of one, the mean time between them, and the save interval.
//
// Intervals of a rate: Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28 (1936). Checkpoint intervals: Young, "A first
// order approximation to the optimum checkpoint interval", CACM 17 (1974): √(2 δ M); Daly, "A higher order estimate of the optimum
// checkpoint interval for restart dumps", FGCS 22 (2006), equation 37: √(2 δ M) [1 + ⅓ √(δ/2M) + ⅑ (δ/2M)] − δ for δ < 2M, else M.
// The published rate: 419 unexpected interruptions of 16,384 GPUs in 54 days (Grattafiori et al., "The Llama 3 Herd of Models",
// arXiv:2407.21783, section 3.3.4): 0.047 % per GPU and day.
//
// Threading:  pure; any thread.
// Units:      seconds; probabilities 0..1; GPUs.
// Errors:     invalid input has no answer.
// Cost:       an interval sums O(count) terms 60 times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/statistics/estimated.h"

namespace runglass {

inline constexpr double kFieldFailuresPerGpuDay = 419.0 / (54.0 * 16384.0);
inline constexpr const char* kFieldFailuresSource = "Llama 3, 16,384 H100 for 54 days: 419 unexpected interruptions (arXiv:2407.21783)";
inline constexpr std::int64_t kMinFailures = 2;  // fewer give no estimate of the time between them

// The probability that at least one of `gpus` fails in a day, each with `per_gpu_day`.
std::optional<Estimated> failureOfDay(double per_gpu_day, double gpus);
// Seconds.
std::optional<Estimated> expectedMtbf(double per_gpu_day, double gpus);

struct RateInterval {
  double low = 0, high = 0;  // of the expected count
};
// The exact central 95 % interval of a Poisson mean after `count` events.
RateInterval poissonInterval(std::int64_t count);

struct Mtbf {
  std::int64_t failures = 0;
  double up_s = 0;               // time in which the job was up
  std::optional<double> mean_s;  // absent without a failure
  double low_s = 0;              // of the 95 % interval; never above the mean
  std::optional<double> high_s;  // absent without a failure: unbounded
  bool enough() const { return failures >= kMinFailures; }
};
Mtbf mtbfOf(std::int64_t failures, double up_s);

std::optional<Estimated> youngInterval(double save_s, double mtbf_s);
std::optional<Estimated> dalyInterval(double save_s, double mtbf_s);

}  // namespace runglass
