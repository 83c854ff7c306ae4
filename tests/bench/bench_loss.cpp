// SPDX-License-Identifier: Apache-2.0
// The cost of analysing a loss per point: the spike detector alone, all of an attempt's watches, and the published rules together.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numeric>
#include <random>

#include "analysis/loss_health/attempt_loss.h"
#include "analysis/loss_spikes/published_rules.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

std::vector<double> losses(std::size_t count) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = (1.9 + 9.1 * std::pow(1 + static_cast<double>(i) / 40, -0.6)) * (1 + 0.01 * normal(random));
  return values;
}

void BM_SpikePoint(benchmark::State& state) {
  const std::vector<double> values = losses(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    LossSpikeDetector detector;
    for (std::size_t i = 0; i < values.size(); ++i) detector.push(static_cast<std::int64_t>(i), values[i]);
    benchmark::DoNotOptimize(detector.spikes().size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SpikePoint)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// A loss and a gradient norm per item.
void BM_HealthPoint(benchmark::State& state) {
  const std::vector<double> values = losses(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    AttemptLoss health;
    health.setClip(ClipValue{2, "bench"});
    for (std::size_t i = 0; i < values.size(); ++i) {
      health.settings().learningRate(static_cast<std::int64_t>(i), 1e-4);
      health.gradNorm(static_cast<std::int64_t>(i), values[i] / 2);
      health.loss(static_cast<std::int64_t>(i), values[i]);
    }
    benchmark::DoNotOptimize(health.points());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_HealthPoint)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_PublishedRules(benchmark::State& state) {
  const std::vector<double> values = losses(static_cast<std::size_t>(state.range(0)));
  std::vector<std::int64_t> steps(values.size());
  std::iota(steps.begin(), steps.end(), 0);
  for (auto _ : state)
    for (const PublishedRuleInfo& info : publishedRules()) benchmark::DoNotOptimize(applyRule(info.rule, steps, values).judged);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_PublishedRules)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
