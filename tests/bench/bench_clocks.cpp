// SPDX-License-Identifier: Apache-2.0
// The cost of a day of clock readings of 1,250 nodes: bytes in the file, time of a Reader for each commit that changes readings, time to
// open a Writer. One reading per minute and node; most clocks follow NTP, a tenth runs free, some are stepped.
#include <benchmark/benchmark.h>

#include "storage/clock_map.h"
#include "storage/sqlite/connection.h"
#include "tests/bench/clock_day.h"

namespace runglass {
namespace {

constexpr std::uint64_t kNodes = ClockDay::kNodes;

ClockDay& day() {
  static ClockDay one;
  return one;
}

// A commit with one second's share of the readings; only the Reader is timed.
void ClocksPerReaderAndCommit(benchmark::State& state) {
  ClockDay& stored = day();
  auto db = sqlite::Connection::open(stored.path(), sqlite::OpenMode::kReadOnly).value();
  ClockMaps maps;
  (void)maps.load(db, true);
  for (const NodeId node : stored.nodes()) benchmark::DoNotOptimize(maps.of(node));
  int minute = ClockDay::kMinutes;
  std::uint64_t at = 0;
  for (auto _ : state) {
    state.PauseTiming();
    stored.minute(minute, at, std::min(kNodes, at + 25));
    at = at + 25 < kNodes ? at + 25 : 0;
    minute += at == 0 ? 1 : 0;
    state.ResumeTiming();
    (void)maps.load(db, true);
    for (const NodeId node : stored.nodes()) benchmark::DoNotOptimize(maps.of(node));
  }
  state.counters["file_bytes_of_a_day"] = static_cast<double>(stored.bytes());
}
BENCHMARK(ClocksPerReaderAndCommit)->Unit(benchmark::kMillisecond);

// Loads all of it at once, like a Reader that looks up every node after opening.
void ClocksOfANewReader(benchmark::State& state) {
  auto db = sqlite::Connection::open(day().path(), sqlite::OpenMode::kReadOnly).value();
  for (auto _ : state) {
    ClockMaps maps;
    (void)maps.load(db, true);
    for (const NodeId node : day().nodes()) benchmark::DoNotOptimize(maps.of(node));
  }
}
BENCHMARK(ClocksOfANewReader)->Unit(benchmark::kMillisecond);

void ClocksAtTheStartOfAWriter(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    day().closeWriter();
    state.ResumeTiming();
    day().openWriter();
  }
}
BENCHMARK(ClocksAtTheStartOfAWriter)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
