// SPDX-License-Identifier: Apache-2.0
// Aligning clocks: 10 M spans of 64 ranks on 8 nodes, a fifth of them collectives of a node's ranks or of all. One thread. Peak memory is
// that of the process.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "analysis/clock_align/clock_matches.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr std::int32_t kRanks = 64, kPerNode = 8;
constexpr std::int64_t kSpansEach = 156'250;

// Node n's clock is n ms ahead and drifts by n ppm.
TimeNs stamp(std::int32_t node, TimeNs time) { return time + node * kNsPerMs + (time - kStart) / 1'000'000 * node; }

// Empty until the store exists.
std::string& storePath() {
  static std::string path;
  return path;
}

std::string makeStore() {
  const std::string path = (std::filesystem::temp_directory_path() / ("rg-bench-align-" + std::to_string(::getpid()) + ".rgl")).string();
  auto writer = openStore(path).writer();
  RG_CHECK(writer.ok());
  const AttemptId attempt = (*writer)->attempt({.run = (*writer)->run({.name = "bench"})});
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    const std::int32_t node = rank / kPerNode;
    const std::string name = "node-" + std::to_string(node);
    (*writer)->rank({.attempt = attempt, .rank = rank, .node = (*writer)->node({.uuid = name, .name = name})});
    const TrackId track = (*writer)->track({.attempt = attempt, .rank = rank, .kind = "gpu_stream", .name = "7"});
    std::mt19937_64 random(static_cast<std::uint64_t>(rank));
    SpanColumns batch;
    batch.names = {"gemm", "ncclDevKernel_AllReduce_Sum_bf16", "ncclDevKernel_AllGather"};
    for (std::int64_t i = 0; i < kSpansEach; ++i) {
      const std::int64_t kind = i % 10 == 9 ? 2 : i % 5 == 4 ? 1 : 0;  // of all ranks, of the node, a kernel
      const TimeNs end = kStart + (i + 1) * 4 * kNsPerMs + static_cast<DurNs>(random() % 20'000);
      batch.start.push_back(stamp(node, end) - kNsPerMs), batch.dur.push_back(kNsPerMs);
      batch.name.push_back(static_cast<std::uint32_t>(kind));
      batch.category.push_back(kind == 0 ? SpanCategory::kCompute : SpanCategory::kComm);
      batch.group.push_back(kind == 0 ? kAbsent : kind == 1 ? 1 + node : 100), batch.seq.push_back(kind == 0 ? kAbsent : i);
      if (batch.size() < 4'000 && i + 1 < kSpansEach) continue;
      (*writer)->spans(track, batch);
      for (auto* column : {&batch.start, &batch.dur, &batch.group, &batch.seq}) column->clear();
      batch.name.clear(), batch.category.clear();
      RG_CHECK((*writer)->flushIfDue().ok());
    }
  }
  RG_CHECK((*writer)->close().ok());
  return path;
}

void BM_ProposeAlignment(benchmark::State& state) {
  if (storePath().empty()) storePath() = makeStore();
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  for (auto unused : state) {
    static_cast<void>(unused);
    auto reader = openStore(storePath()).reader();
    RG_CHECK(reader.ok());
    const auto proposal = proposeAlignment(**reader, RunId{1}, AttemptId{1}, {});
    RG_CHECK(proposal.ok() && proposal->result.verdict == ClockAlignVerdict::kShift);
    state.counters["spans"] = static_cast<double>(proposal->spans);
    state.counters["matches"] = static_cast<double>(proposal->result.matches);
    state.counters["shifts"] = static_cast<double>(proposal->edit.shifts.size());
    state.counters["residual_us"] = static_cast<double>(proposal->result.after) / 1e3;
  }
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  state.counters["peak_mib"] = static_cast<double>(after.ru_maxrss) / 1024;
  state.counters["peak_before_mib"] = static_cast<double>(before.ru_maxrss) / 1024;
}
BENCHMARK(BM_ProposeAlignment)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  if (!runglass::storePath().empty()) std::filesystem::remove(runglass::storePath());
  return 0;
}
