// SPDX-License-Identifier: Apache-2.0
// What an analysis costs the hub: look() at a hung run of 1,024 and 4,096 simulated ranks, by a new object (all that is stored) and by one
// that looked before (what is new).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "analysis/engine/analysis.h"
#include "collectors/sim/simulator.h"
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
  auto writer = Writer::open(path);
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
  auto reader = Reader::open(storeOf(state.range(0)));
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
