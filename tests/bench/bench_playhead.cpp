// SPDX-License-Identifier: GPL-3.0-or-later
// The latency of a jump of the playhead: from the click to the picture of that moment with all panels final, per view, for 1,024 GPUs with
// 12 metrics and a step time each, ten minutes at 1 Hz. RG_PLAYHEAD_STORE names a store to use instead.
#include <benchmark/benchmark.h>
#include <QCoreApplication>

#include <QLabel>
#include <cstdlib>
#include <memory>
#include <random>

#include "analysis/run_summary/run_steps.h"
#include "storage/open_store.h"
#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "tests/support/temp_store.h"
#include "widgets/devices/gpu_data.h"
#include "widgets/frame/main_window.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr int kGpus = 1'024, kGpusPerNode = 8, kSeconds = 600;
constexpr const char* kMetrics[] = {"power_watts",
                                    "power_limit_watts",
                                    "temperature_celsius",
                                    "sm_clock_hertz",
                                    "sm_active_ratio",
                                    "gpu_memory_used_bytes",
                                    "clock_event_reasons",
                                    "row_remap_pending_count",
                                    "nvlink_replay_error_total",
                                    "nvlink_crc_error_total",
                                    "ecc_uncorrected_total",
                                    "pcie_replay_total"};

std::string made(const TempStore& store) {
  auto writer = store.writer().value();
  const RunId run = writer->run({.name = "big",
                                 .time_domain = TimeDomain::kUtc,
                                 .state = RunState::kFinished,
                                 .start = kStart,
                                 .end = kStart + kSeconds * kNsPerSecond});
  const AttemptId attempt = writer->attempt({.run = run, .start = kStart, .layout = {.world = kGpus}});
  std::vector<TimeNs> time(kSeconds);
  std::vector<std::int64_t> step(kSeconds);
  std::vector<double> value(kSeconds);
  for (int i = 0; i < kSeconds; ++i) time[static_cast<std::size_t>(i)] = kStart + i * kNsPerSecond, step[static_cast<std::size_t>(i)] = i;
  NodeId node;
  for (int gpu = 0; gpu < kGpus; ++gpu) {
    if (gpu % kGpusPerNode == 0) node = writer->node({.uuid = "n" + std::to_string(gpu), .name = "n" + std::to_string(gpu / kGpusPerNode)});
    const DeviceId device =
        writer->device({.uuid = "GPU-" + std::to_string(gpu), .node = node, .index = gpu % kGpusPerNode, .kind = "gpu"});
    writer->rank({.attempt = attempt, .rank = gpu, .node = node, .device = device, .tp = gpu % 8, .pp = gpu / 8 % 8, .dp = gpu / 64});
    for (const char* metric : kMetrics) {
      const bool rare = std::string_view(metric).ends_with("_total") || std::string_view(metric).ends_with("_count");
      for (int i = 0; i < kSeconds; ++i)
        value[static_cast<std::size_t>(i)] = rare                                              ? 0
                                             : std::string_view(metric) == "power_limit_watts" ? 700
                                                                                               : 300 + (i * 7919 + gpu * 104'729) % 300;
      writer->samples(writer->series({.node = node, .device = device, .metric = metric}), time, value);
    }
    for (int i = 0; i < kSeconds; ++i) value[static_cast<std::size_t>(i)] = 1e9 + (i * 31 + gpu * 17) % 1'000 * 1e4;
    writer->scalars(writer->series({.attempt = attempt, .rank = gpu, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar}),
                    step, time, value);
  }
  for (int i = 0; i < kSeconds; ++i) value[static_cast<std::size_t>(i)] = 10 - i / 100.0;
  writer->scalars(writer->series({.attempt = attempt, .metric = "train/loss", .kind = SeriesKind::kScalar}), step, time, value);
  if (!writer->close().ok()) std::abort();
  return store.path();
}

const std::string& storePath() {
  static const TempStore store;
  static const std::string path = std::getenv("RG_PLAYHEAD_STORE") != nullptr ? std::getenv("RG_PLAYHEAD_STORE") : made(store);
  return path;
}

struct Console {
  explicit Console(const char* view, bool to_the_end = true) : queries([] { return openStore(storePath()).reader(); }) {
    WindowOptions options;
    options.queries = &queries;
    window = std::make_unique<MainWindow>(options);
    window->resize(1'920, 1'080);
    window->show();
    window->showPlace(view);
    if (to_the_end) finish();
  }
  void finish() {
    while (!window->isFinal()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
    window->repaint();
  }
  QueryService queries;
  std::unique_ptr<MainWindow> window;
};

// Until the window, its strip and its bar are final.
void jump(benchmark::State& state, const char* view, bool random) {
  Console console(view);
  const TimeRange extent = console.window->state().extent().value_or(TimeRange{kStart, kStart + kSeconds * kNsPerSecond});
  std::mt19937_64 dice(7);
  std::vector<double> took;
  TimeNs moment = extent.t0 + (extent.t1 - extent.t0) / 2;
  for (auto unused : state) {
    static_cast<void>(unused);
    moment =
        random ? extent.t0 + static_cast<TimeNs>(dice() % static_cast<std::uint64_t>(extent.t1 - extent.t0)) : moment + kNsPerSecond / 3;
    const TimeNs begun = monotonicNow();
    console.window->state().setMoment(moment);
    console.finish();
    took.push_back(static_cast<double>(monotonicNow() - begun) / 1e6);
  }
  state.counters["p50_ms"] = quantile(took, 0.5);
  state.counters["p99_ms"] = quantile(took, 0.99);
  state.counters["query_ms"] = static_cast<double>(console.queries.lastQueryTime()) / 1e6;
}

// From start to the run's activity, its tiles and its loss; panels that need every rank's steps follow.
void firstWords(benchmark::State& state) {
  storePath();
  for (auto unused : state) {
    static_cast<void>(unused);
    const Console console("overview", false);
    const auto* sentence = console.window->findChild<QLabel*>(QStringLiteral("sentence"));
    while (sentence->text().isEmpty()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
    console.window->repaint();
  }
}

// From start to the final picture.
void first(benchmark::State& state, const char* view) {
  storePath();
  for (auto unused : state) {
    static_cast<void>(unused);
    const Console console(view);
  }
}

// The worker's part of it, without queueing.
void readAlone(benchmark::State& state, const std::function<void(const MomentReaders&, TimeNs)>& read) {
  const std::unique_ptr<Reader> reader = openStore(storePath()).reader().value();
  std::mt19937_64 dice(7);
  for (auto unused : state) {
    static_cast<void>(unused);
    const TimeNs moment = kStart + static_cast<TimeNs>(dice() % static_cast<std::uint64_t>(kSeconds * kNsPerSecond));
    const std::unique_ptr<Reader> then = readerAt(*reader, moment);
    read({*then, *reader}, moment);
  }
}
void readGrid(const MomentReaders& readers, TimeNs moment) {
  const GpuQuestion question{.window = {.range = {kStart, kStart + kSeconds * kNsPerSecond}}, .now = moment};
  benchmark::DoNotOptimize(readGpus(readers, question, {}));
}
void readStrip(const MomentReaders& readers, TimeNs) {
  benchmark::DoNotOptimize(readRunSummary(readers.then, chooseRun(readers.then, {}).value(), {}));
}
void readStep(const MomentReaders& readers, TimeNs moment) {
  benchmark::DoNotOptimize(stepAt(readers.whole, chooseRun(readers.whole, {}).value().id, moment, {}));
}

BENCHMARK_CAPTURE(readAlone, gpus, readGrid)->Name("playhead/gpus/read")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(readAlone, strip, readStrip)->Name("playhead/strip/read")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(readAlone, step, readStep)->Name("playhead/step/read")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jump, gpus, "gpus", true)->Name("playhead/gpus/jump")->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2);
BENCHMARK_CAPTURE(jump, gpus_next, "gpus", false)
    ->Name("playhead/gpus/neighbour")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2);
BENCHMARK_CAPTURE(jump, topology, "topology", true)
    ->Name("playhead/topology/jump")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2);
BENCHMARK_CAPTURE(jump, overview, "overview", true)
    ->Name("playhead/overview/jump")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2);
BENCHMARK_CAPTURE(jump, ranking, "ranking", true)->Name("playhead/ranking/jump")->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2);
BENCHMARK(firstWords)->Name("playhead/overview/first_picture")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);
BENCHMARK_CAPTURE(first, gpus, "gpus")->Name("playhead/gpus/final_picture")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);
BENCHMARK_CAPTURE(first, overview, "overview")
    ->Name("playhead/overview/final_picture")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) { return runglass::runGuiBenchmarks(argc, argv); }
