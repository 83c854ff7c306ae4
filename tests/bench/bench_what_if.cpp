// SPDX-License-Identifier: Apache-2.0
// The what-if kernel over synthetic spans: linking them, the whole analysis, and one choice of the fixed operations. Arguments: thousand
// spans. 10 M is about the limit: 128 bytes per span while it is linked.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>

#include "analysis/what_if/what_if.h"
#include "tests/analysis/recorded_job.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

// 8 replicas x 4 stages, 16 micro-batches, one slow replica; the step is repeated.
const RecordedJob& jobOf(std::int64_t thousand_spans) {
  static std::map<std::int64_t, RecordedJob> made;
  RecordedJob& job = made[thousand_spans];
  if (job.ops.size() > 0) return job;
  made = {};  // only one at a time: they are large
  RecordedJob& into = made[thousand_spans];
  const RecordedJob once =
      record({.dp = 8, .pp = 4, .micro_batches = 16, .pass = [](std::int64_t, int dp, int stage, int batch, bool forward) {
                return (forward ? 100 : 200) * kNsPerMs * (dp == 5 ? 3 : 2) / 2 + (stage * 7 + batch * 3) % 5 * kNsPerMs;
              }});
  into.ranks = once.ranks;
  const auto wanted = static_cast<std::size_t>(thousand_spans) * 1'000;
  for (std::int64_t step = 0; into.ops.size() < wanted; ++step)
    for (std::size_t i = 0; i < once.ops.size(); ++i)
      into.ops.add(once.ops.rank[i], step, once.ops.op[i], once.ops.chunk[i], once.ops.microbatch[i],
                   once.ops.start[i] + step * (once.step_times[0] + kNsPerSecond), once.ops.dur[i] + step % 7 * (i % 3 == 0 ? 1'000 : 0),
                   once.ops.span_id[i]);
  return into;
}

void count(benchmark::State& state, const RecordedJob& job) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(job.ops.size()));
  state.counters["spans"] = static_cast<double>(job.ops.size());
}

void BM_Link(benchmark::State& state) {
  const RecordedJob& job = jobOf(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(buildStepGraph(job.ranks, job.ops).size());
  count(state, job);
}

// From the linked graph: T, T_ideal, every S_t, S_w, M_W, M_S.
void BM_WhatIf(benchmark::State& state) {
  const RecordedJob& job = jobOf(state.range(0));
  const auto graph = std::make_shared<const StepGraph>(buildStepGraph(job.ranks, job.ops));
  double s = 0;
  for (auto _ : state) s = askWhatIf(Replay(graph)).s;
  count(state, job);
  state.counters["S"] = s;
}

void BM_OneChoice(benchmark::State& state) {
  const RecordedJob& job = jobOf(state.range(0));
  const auto graph = std::make_shared<const StepGraph>(buildStepGraph(job.ranks, job.ops));
  const Replay replay(graph);
  for (auto _ : state) {
    FixSet fixed(*graph, false);
    fixed.setStage(1, true);
    fixed.setOp(StepOp::kBackward, true);
    benchmark::DoNotOptimize(replay.stepTimes(fixed));
  }
  count(state, job);
}

BENCHMARK(BM_Link)->Arg(117)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_WhatIf)->Arg(117)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_OneChoice)->Arg(117)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
