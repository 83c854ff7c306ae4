// SPDX-License-Identifier: Apache-2.0
// Log lines: how many one core stores with their words, directly and through the wire and the journal; the size of a million of them; the
// duration of a page, a search and the densities of a screen.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "collectors/agent/wire_recorder.h"
#include "collectors/wire/payload_replay.h"
#include "collectors/wire/session_dictionary.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

constexpr std::int64_t kLines = 1'000'000;
constexpr TimeNs kStart = 1'790'000'000'000'000'000;

// Like lines of trainers, NCCL and the kernel: 60 to 180 bytes, with numbers that never repeat.
std::string lineOf(std::int64_t i, std::mt19937_64& random) {
  const std::string n = std::to_string(i), r = std::to_string(random() % 1'000'000);
  switch (random() % 20) {
    case 0:
      return "[rank" + std::to_string(i % 512) + "]:[W socket.cpp:" + r + "] Connection reset by peer (remote=10.0." +
             std::to_string(i % 256) + ".7:29500)";
    case 1:
      return "NCCL INFO Channel " + std::to_string(i % 16) + "/0 : 12[4] -> 13[5] via P2P/CUMEM/read comm 0x55" + r + " nranks 512";
    case 2:
      return "NVRM: Xid (PCI:0000:3b:00): 13, pid=" + r + ", name=python, Graphics SM Warp Exception on (GPC 0, TPC 1)";
    default:
      return "iteration " + n + "/ 500000 | elapsed time per iteration (ms): 4" + r + ".1 | lm loss: 2." + r + "E+00 | grad norm: 0." + r;
  }
}

std::string path() { return (std::filesystem::temp_directory_path() / ("rg-bench-" + std::to_string(::getpid()) + "-logs.rgl")).string(); }

LogLine logOf(NodeId node, std::int64_t i, std::mt19937_64& random) {
  const bool severe = random() % 50 == 0;
  return {.time = kStart + i * 20'000,
          .node = node,
          .rank = static_cast<std::int32_t>(i % 8),
          .stream = "stdout",
          .severity = severe ? Severity::kWarning : Severity::kInfo,
          .text = lineOf(i, random) + (i == kLines / 3 ? " needle" : "")};
}

void storeLines(benchmark::State& state) {
  const auto limit = state.range(0);
  for (auto _ : state) {
    std::filesystem::remove(path());
    auto writer = openStore(path()).writer().value();
    const NodeId node = writer->node({.uuid = "n", .name = "n"});
    std::mt19937_64 random(1);
    std::vector<LogLine> lines;
    std::int64_t bytes = 0;
    double seconds = 0;
    for (std::int64_t at = 0; at < limit; at += 50'000) {
      lines.clear();
      for (std::int64_t i = at; i < at + 50'000; ++i)
        lines.push_back(logOf(node, i, random)), bytes += static_cast<std::int64_t>(lines.back().text.size());
      const auto begin = std::chrono::steady_clock::now();
      for (const LogLine& line : lines) {
        writer->log(line);
        if (!writer->flushIfDue().ok()) return state.SkipWithError("flush");
      }
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    const auto begin = std::chrono::steady_clock::now();
    if (!writer->close().ok()) return state.SkipWithError("close");
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    state.SetIterationTime(seconds);
    state.counters["lines_per_s"] = static_cast<double>(limit) / seconds;
    state.counters["store_bytes_per_line"] = static_cast<double>(std::filesystem::file_size(path())) / static_cast<double>(limit);
    state.counters["text_bytes_per_line"] = static_cast<double>(bytes) / static_cast<double>(limit);
  }
}

// Encode, journal, decode, store: all processing of a line in agent and hub, without gRPC, on one core.
void wireLines(benchmark::State& state) {
  constexpr std::int64_t kSome = 300'000;
  for (auto _ : state) {
    std::filesystem::remove(path());
    auto writer = openStore(path()).writer().value();
    std::mt19937_64 random(1);
    SessionDictionary dictionary;
    TimeNs now = kStart;
    WireRecorder out(
        dictionary, [&] { return now; }, [] {});
    PayloadReplay replay("n");
    const NodeId node = out.node({.uuid = "n", .name = "n"});
    std::vector<LogLine> lines;
    for (std::int64_t i = 0; i < kSome; ++i) lines.push_back(logOf(node, i, random));
    std::uint64_t seq = 0;
    std::size_t reported = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (const LogLine& line : lines) {
      now += 200'000;  // within the budget
      out.log(line);
      if (out.pendingBytes() < WireRecorder::kPiece) continue;
      std::string payload = dictionary.recordsFrom(reported);
      reported = dictionary.size();
      for (std::size_t c = 0; c < kStreamClassCount; ++c)
        for (std::string piece = out.take(static_cast<StreamClass>(c)); !piece.empty(); piece = out.take(static_cast<StreamClass>(c)))
          payload += piece;
      if (!writer->journal({"a", "s", 3}, seq++, payload).ok()) return state.SkipWithError("journal");
      replay.play(payload, *writer);
      if (!writer->flushIfDue().ok()) return state.SkipWithError("flush");
    }
    if (!writer->flush().ok()) return state.SkipWithError("flush");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    state.SetIterationTime(seconds);
    state.counters["lines_per_s"] = static_cast<double>(kSome) / seconds;
    (void)writer->close();
  }
}

Reader& millionLines() {
  static const std::unique_ptr<Reader> kReader = openStore(path()).reader().value();
  return *kReader;
}

// The p99 of consecutive pages.
void pages(benchmark::State& state, RowQuery query) {
  Reader& reader = millionLines();
  std::vector<double> ms;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto page = reader.searchLogs(query);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    if (!page.ok()) return state.SkipWithError("search");
    query.after = page->more ? std::optional(page->hits.back().key) : std::nullopt;
    benchmark::DoNotOptimize(page->hits.data());
  }
  std::ranges::sort(ms);
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
}

void density(benchmark::State& state, RowQuery query) {
  query.range = {kStart, kStart + kLines * 20'000};
  for (auto _ : state) {
    const auto counted = millionLines().rowDensity(query, 400);
    if (!counted.ok()) return state.SkipWithError("density");
    benchmark::DoNotOptimize(counted->logs.data());
  }
}

BENCHMARK(wireLines)->Name("logs/wire_journal_store")->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(storeLines)->Name("logs/store")->Arg(kLines)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pages, all, RowQuery{.limit = 2'000})->Name("logs/page_2000")->Iterations(300)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pages, severe, RowQuery{.at_least = Severity::kWarning, .limit = 2'000})
    ->Name("logs/page_2000_warnings")
    ->Iterations(9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pages, rare, RowQuery{.words = "needle", .limit = 2'000})
    ->Name("logs/search_one_line")
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pages, some, RowQuery{.words = "\"xid pci\" 13", .limit = 2'000})
    ->Name("logs/search_50k_lines")
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pages, many, RowQuery{.words = "iteration loss", .limit = 2'000})
    ->Name("logs/search_850k_lines")
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(density, all, RowQuery{})->Name("logs/density_all")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(density, severe, RowQuery{.at_least = Severity::kWarning})->Name("logs/density_warnings")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(runglass::path());
  return 0;
}
