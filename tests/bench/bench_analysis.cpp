// SPDX-License-Identifier: Apache-2.0
// The cost of an analysis in the hub: look() at a hung run of 1,024 and 4,096 simulated ranks, by a new object (reads all stored data) and
// by one with an earlier look (reads only new data).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "analysis/engine/analysis.h"
#include "analysis/gpu_idle/device_idle.h"
#include "analysis/gpu_idle/idle_answer.h"
#include "collectors/sim/simulator.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000'000'000'000;

// A hang of two minutes after 60 steps of four seconds; metrics every five seconds.
std::map<std::int64_t, std::string>& stores() {
  static std::map<std::int64_t, std::string> made;
  return made;
}
const std::string& storeOf(std::int64_t ranks) {
  std::string& path = stores()[ranks];
  if (!path.empty()) return path;
  path =
      (std::filesystem::temp_directory_path() / ("rg-bench-analysis-" + std::to_string(::getpid()) + "-" + std::to_string(ranks) + ".rgl"))
          .string();
  sim::Scenario s;
  s.name = "bench";
  s.steps = 62;
  s.nodes = static_cast<std::int32_t>(ranks / 8);
  s.tp = s.pp = 8, s.dp = static_cast<std::int32_t>(ranks / 64);
  s.step_seconds = 4, s.metrics_hertz = 0.2;
  s.spans = sim::SpanDetail::kNone;
  s.faults = {{"hang", {.kind = sim::Target::Kind::kRank, .index = 77}, 60, 60, 120, std::nullopt}};
  auto writer = openStore(path).writer();
  RG_CHECK(writer.ok());
  RG_CHECK(sim::play(s, **writer, {.start = kStart, .speed = 0}).ok());
  RG_CHECK((*writer)->close().ok());
  return path;
}

const AnalysisEntry& entryOf(std::string_view name) {
  for (const AnalysisEntry& entry : analyses())
    if (entry.name == name) return entry;
  RG_CHECK(false);
  return analyses().front();
}

void look(benchmark::State& state, std::string_view name, bool again) {
  auto reader = openStore(storeOf(state.range(0))).reader();
  RG_CHECK(reader.ok());
  const RunId run = (*reader)->runs()->front().id;
  auto analysis = entryOf(name).make();
  const Question question{.reader = **reader, .run = run, .now = {}, .stop = {}};
  if (again) RG_CHECK(analysis->look(question).ok());
  std::size_t findings = 0;
  for (auto _ : state) {
    if (!again) analysis = entryOf(name).make();
    auto found = analysis->look(question);
    RG_CHECK(found.ok());
    findings = found->size();
  }
  state.counters["findings"] = static_cast<double>(findings);
}

void BM_Look(benchmark::State& state, const char* name) { look(state, name, false); }
void BM_LookAgain(benchmark::State& state, const char* name) { look(state, name, true); }
// A device with launches, a loader and synchronisations: half of the spans are the device's, half the host's.
constexpr DurNs kEvery = 20 * kNsPerUs;

void BM_DeviceIdle(benchmark::State& state) {
  std::vector<DeviceSpan> device;
  std::vector<HostSpan> host;
  for (std::int64_t i = 0; i < state.range(0) / 2; ++i) {
    const TimeNs t0 = kStart + i * kEvery;
    device.push_back({.t0 = t0, .t1 = t0 + (5 + i % 20) * kNsPerUs, .launched = t0 - (i % 7) * 2 * kNsPerUs});
    host.push_back({.t0 = t0 - kEvery, .t1 = t0, .activity = static_cast<HostActivity>(1 + i % (kHostActivityCount - 1))});
  }
  std::vector<TimeRange> steps;
  for (int s = 0; s < 200; ++s)
    steps.push_back({kStart + s * state.range(0) / 400 * kEvery, kStart + (s + 1) * state.range(0) / 400 * kEvery});
  for (auto _ : state) benchmark::DoNotOptimize(deviceIdle(device, host, steps).starved);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_DeviceIdle)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// The same from a store: 8 ranks, 20 steps.
std::string spansOf(std::int64_t spans) {
  const std::string path = (std::filesystem::temp_directory_path() / ("rg-bench-idle-" + std::to_string(::getpid()) + ".rgl")).string();
  auto writer = openStore(path).writer();
  RG_CHECK(writer.ok());
  Writer& out = **writer;
  const AttemptId attempt = out.attempt({.run = out.run({.name = "r", .start = kStart}), .layout = {.world = 8}});
  for (std::int32_t r = 0; r < 8; ++r) {
    out.rank({.attempt = attempt, .rank = r});
    const TrackId stream = out.track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
    const TrackId thread = out.track({.attempt = attempt, .rank = r, .kind = "thread", .name = "main"});
    const SeriesId dur = out.series({.attempt = attempt, .rank = r, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    SpanColumns device, host;
    device.names = {"gemm"}, host.names = {"cudaLaunchKernel"};
    const std::int64_t each = spans / 16;
    for (std::int64_t i = 0; i < each; ++i) {
      const TimeNs t0 = kStart + i * kEvery;
      device.start.push_back(t0), device.dur.push_back(15 * kNsPerUs), host.start.push_back(t0 - 8 * kNsPerUs),
          host.dur.push_back(5 * kNsPerUs);
      device.category.push_back(SpanCategory::kCompute), host.category.push_back(SpanCategory::kRuntime);
      for (SpanColumns* one : {&device, &host}) one->name.push_back(0), one->correlation.push_back(i);
    }
    const DurNs step = (each / 20) * kEvery;
    for (std::int64_t s = 0; s < 20; ++s) out.scalar(dur, s, kStart + s * step, static_cast<double>(step));
    out.spans(stream, device);
    out.spans(thread, host);
  }
  RG_CHECK((*writer)->close().ok());
  return path;
}

void BM_ReadIdle(benchmark::State& state) {
  const std::string path = spansOf(state.range(0));
  auto reader = openStore(path).reader();
  RG_CHECK(reader.ok());
  const Attempt attempt = (*reader)->attempts((*reader)->runs()->front().id)->back();
  for (auto _ : state) {
    auto answer = readIdleAnswer(**reader, attempt, {}, {});
    RG_CHECK(answer.ok() && answer->ok);
    state.counters["idle"] = answer->idle_share;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}
BENCHMARK(BM_ReadIdle)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(BM_Look, hangs, "hangs")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_LookAgain, hangs, "hangs")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Look, hardware_faults, "hardware_faults")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_LookAgain, hardware_faults, "hardware_faults")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Look, loss_health, "loss_health")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_LookAgain, loss_health, "loss_health")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Look, settings_check, "settings_check")->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::error_code ignored;
  for (const auto& [ranks, path] : runglass::stores()) std::filesystem::remove(path, ignored);
  return 0;
}
