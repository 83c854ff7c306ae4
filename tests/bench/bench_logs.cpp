// SPDX-License-Identifier: Apache-2.0
// Training logs: bytes per second through the rule engine, without and with lines that match.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/importers/train_log/pairs.h"
#include "model/null_recorder.h"

namespace {
using namespace runglass;
using namespace runglass::train_log;
using runglass::NullRecorder;

std::string plainLines(std::size_t bytes) {
  std::mt19937 random(7);
  const char* words[] = {"node17:4711:4800 [3] OFI DEBUG",
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
// Like the output of NCCL_DEBUG=INFO while communicators are created; every 200th line is a warning.
std::string ncclLines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    const std::string head = "node17:" + std::to_string(4711 + i % 8) + ":4800 [" + std::to_string(i % 8) + "] ";
    if (i % 200 == 0) {
      text += head + "misc/socket.cc:881 NCCL WARN ncclSocketSend: socket state (" + std::to_string(i) + ") is odd\n";
    } else if (i % 4 == 0) {
      text += head + "NCCL INFO Channel 0" + std::to_string(i % 10) + "/32 :    0   1   2   3   4   5   6   7\n";
    } else if (i % 4 == 1) {
      text += head + "NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1 [2] 1/-1/-1->0->-1 [3] 1/-1/-1->0->-1\n";
    } else {
      text += head + "NCCL INFO Channel 0" + std::to_string(i % 10) + "/0 : 5[1] -> 1[1] [receive] via NET/IB/3/GDRDMA\n";
    }
  }
  return text;
}

void BM_LogOfNccl(benchmark::State& state) {
  const std::string text = ncclLines(8 << 20);
  pushAll(state, text);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * std::count(text.begin(), text.end(), '\n'));
}
BENCHMARK(BM_LogOfNccl)->Unit(benchmark::kMillisecond);
void BM_LogOfIterations(benchmark::State& state) { pushAll(state, iterationLines(8 << 20)); }
BENCHMARK(BM_LogOfIterations)->Unit(benchmark::kMillisecond);
}  // namespace

BENCHMARK_MAIN();
