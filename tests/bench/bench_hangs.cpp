// SPDX-License-Identifier: Apache-2.0
// The cost of captures of 16,384 hung ranks: stacks read from a store and clustered, with one rank in 4,096 at another place.
#include <benchmark/benchmark.h>

#include "analysis/hangs/capture_evidence.h"
#include "model/result.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;

// As written by faulthandler: two threads that wait for data, then the thread that handled the signal, 24 frames deep.
std::string stackOf(std::int32_t rank) {
  std::string text;
  for (int thread = 0; thread < 2; ++thread) {
    text += "Thread 0x00007f" + std::to_string(100000 + rank * 3 + thread) + " (most recent call first):\n";
    for (int frame = 0; frame < 8; ++frame)
      text +=
          "  File \"/usr/lib/python3.11/threading.py\", line " + std::to_string(300 + frame) + " in wait_" + std::to_string(frame) + "\n";
    text += "\n";
  }
  text += "Current thread 0x00007f" + std::to_string(900000 + rank) + " (most recent call first):\n";
  text += rank % 4096 == 17 ? "  File \"/opt/train/data.py\", line 88 in read_shard\n"
                            : "  File \"/opt/torch/distributed/distributed_c10d.py\", line 2501 in all_reduce\n";
  for (int frame = 0; frame < 23; ++frame)
    text += "  File \"/opt/train/pipeline_schedule_" + std::to_string(frame) + ".py\", line " + std::to_string(40 + frame) + " in step_" +
            std::to_string(frame) + "\n";
  return text;
}

void captures(benchmark::State& state) {
  const auto ranks = static_cast<std::int32_t>(state.range(0));
  TempStore store;
  RunId run;
  AttemptId attempt;
  {
    auto writer = store.writer();
    RG_CHECK(writer.ok());
    run = (*writer)->run({.name = "r", .state = RunState::kRunning, .start = kT});
    attempt = (*writer)->attempt({.run = run, .key = "0", .start = kT});
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      (*writer)->capture({.time = kT, .attempt = attempt, .rank = rank, .kind = "process", .text = "State:\tS (sleeping)\n"});
      (*writer)->capture({.time = kT, .attempt = attempt, .rank = rank, .kind = "stack", .text = stackOf(rank)});
      if (rank % 1024 == 1023) RG_CHECK((*writer)->flush().ok());
    }
    RG_CHECK((*writer)->flush().ok());
  }
  const auto reader = store.reader();
  RG_CHECK(reader.ok());
  std::size_t suspects = 0;
  for (auto _ : state) {
    CaptureReading reading;
    const auto found = reading.look(**reader, run, attempt, kT);
    RG_CHECK(found.ok());
    suspects = (*found)->stacks.suspects.size();
  }
  state.counters["suspects"] = static_cast<double>(suspects);
  state.counters["stacks_per_s"] = benchmark::Counter(static_cast<double>(ranks), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(captures)->Arg(1'024)->Arg(16'384)->Unit(benchmark::kMillisecond)->Name("hangs/captures");

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
