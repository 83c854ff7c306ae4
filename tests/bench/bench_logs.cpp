// SPDX-License-Identifier: Apache-2.0
// Training logs: bytes per second through the rule engine, without and with lines that match.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/importers/train_log/pairs.h"

namespace {
using namespace runglass;
using namespace runglass::train_log;

// Takes everything and keeps nothing: the engine alone is measured.
class NullRecorder : public Recorder {
 public:
  NodeId node(const Node&) override { return NodeId{1}; }
  DeviceId device(const Device&) override { return DeviceId{1}; }
  RunId run(const Run&) override { return RunId{1}; }
  AttemptId attempt(const Attempt&) override { return AttemptId{1}; }
  void rank(const Rank&) override {}
  void fact(const Fact&) override {}
  void group(const CommGroup&) override {}
  void checkpoint(const Checkpoint&) override {}
  SeriesId series(const SeriesKey&) override { return SeriesId{1}; }
  TrackId track(const TrackKey&) override { return TrackId{1}; }
  void samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override {}
  void scalars(SeriesId, std::span<const std::int64_t>, std::span<const TimeNs>, std::span<const double>) override {}
  void spans(TrackId, const SpanColumns&) override {}
  void event(const Event&) override {}
  void log(const LogLine&) override {}
  void progress(const Progress&) override {}
  void issue(const Issue&) override {}
  void capture(const Capture&) override {}
  void label(const Label&) override {}
  void clock(const ClockReading&) override {}
  Status flush() override { return {}; }
};

std::string plainLines(std::size_t bytes) {
  std::mt19937 random(7);
  const char* words[] = {"node17:4711:4800 [3] NCCL INFO",
                         "Channel 05/0 :",
                         "via P2P/CUMEM",
                         "loading",
                         "shard",
                         "2026-05-24 20:14:43,257 - root - INFO -",
                         "compiled",
                         "graph",
                         "bucket",
                         "0x1537a01c56f9",
                         "step size",
                         "tensor"};
  std::string text;
  while (text.size() < bytes) {
    for (int i = 0; i < 10; ++i) (text += words[random() % std::size(words)]) += ' ';
    text += '\n';
  }
  return text;
}

std::string iterationLines(std::size_t bytes) {
  std::string text;
  for (int i = 1; text.size() < bytes; ++i)
    text +=
        " [2025-03-01 10:00:10.250000] iteration " + std::to_string(i) +
        "/ 100000000 | consumed samples: 160 | elapsed time per iteration (ms): 812.5 | throughput per GPU (TFLOP/s/GPU): 410.5 | "
        "learning rate: 1.5E-04 | global batch size: 128 | lm loss: 9.125000E+00 | loss scale: 1.0 | grad norm: 2.5 | number of skipped "
        "iterations:   0 | number of nan iterations:   0 |\n";
  return text;
}

void pushAll(benchmark::State& state, const std::string& text) {
  const auto rules = RuleSet::compile(builtinRules());
  NullRecorder out;
  std::int64_t points = 0;
  for (auto _ : state) {
    LogSession session(*rules, {.run_name = "r", .path = "f"});
    for (std::size_t at = 0; at < text.size(); at += 1 << 20) session.push(std::string_view(text).substr(at, 1 << 20), out);
    session.finish(out);
    points += session.points();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(points), benchmark::Counter::kIsRate);
}

void BM_LogWithoutMatches(benchmark::State& state) { pushAll(state, plainLines(32 << 20)); }
BENCHMARK(BM_LogWithoutMatches)->Unit(benchmark::kMillisecond);
void BM_LogOfIterations(benchmark::State& state) { pushAll(state, iterationLines(8 << 20)); }
BENCHMARK(BM_LogOfIterations)->Unit(benchmark::kMillisecond);
}  // namespace

BENCHMARK_MAIN();
