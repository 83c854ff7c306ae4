// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of ranking 1,024 ranks: read at once, and refreshed with each step of a live run.
#include <benchmark/benchmark.h>

#include <memory>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/support/temp_store.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kStep = kNsPerSecond;
constexpr std::int32_t kRanks = 1'024;
constexpr const char* kParts[] = {"forward", "backward", "optimizer", "communication", "data"};

// A run of kRanks ranks that can be extended by a step.
class Job {
 public:
  Job() : m_writer(m_store.writer().value()) {
    m_run = m_writer->run({.name = "r", .start = kStart});
    const AttemptId attempt = m_writer->attempt({.run = m_run, .layout = {.world = kRanks}});
    for (std::int32_t r = 0; r < kRanks; ++r) {
      const NodeId node = m_writer->node({.uuid = "n" + std::to_string(r / 8), .name = "n" + std::to_string(r / 8)});
      m_writer->rank({.attempt = attempt, .rank = r, .node = node, .pp = r / 128, .dp = r % 128});
      const auto series = [&](const char* metric, const std::string& labels) {
        return m_writer->series(
            {.attempt = attempt, .rank = r, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      m_series.push_back(series("step_time_ns", ""));
      for (const char* part : kParts) m_series.push_back(series("step_part_ns", std::string(R"({"part":")") + part + "\"}"));
      m_series.push_back(series("step_part_wait_ns", R"({"part":"communication"})"));
    }
    for (int i = 0; i < 250; ++i) step();
  }
  void step() {
    const std::size_t each = m_series.size() / kRanks;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      const double slow = i / each == 700 && (i % each == 1 || i % each == 2) ? 1.2 : 1;
      m_writer->scalar(m_series[i], m_next, kStart + m_next * kStep,
                       (i % each == 0 ? 1e9 : 1e8 + static_cast<double>(i % 97) * 1e4) * slow);
    }
    ++m_next;
    if (!m_writer->flush().ok()) std::abort();
  }
  const std::string path() const { return m_store.path(); }

 private:
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  std::vector<SeriesId> m_series;
  std::int64_t m_next = 0;
};

Job& job() {
  static Job one;
  return one;
}

void rankingAtOnce(benchmark::State& state) {
  auto reader = openStore(job().path()).reader().value();
  for (auto _ : state) {
    auto data = readRanking(*reader, {}, {}, {});
    if (!data.ok() || data->rows.front().score.rank != 700) state.SkipWithError("no ranking");
  }
}
BENCHMARK(rankingAtOnce)->Name("ranking/1024/at_once")->Unit(benchmark::kMillisecond);

void rankingRefreshed(benchmark::State& state) {
  auto reader = openStore(job().path()).reader().value();
  RankingMemory memory({}, {});
  if (!readRanking(*reader, memory, {}).ok()) return state.SkipWithError("no ranking");
  for (auto _ : state) {
    state.PauseTiming();
    job().step();
    state.ResumeTiming();
    auto data = readRanking(*reader, memory, {});
    if (!data.ok() || data->rows.front().score.rank != 700) state.SkipWithError("no ranking");
  }
}
BENCHMARK(rankingRefreshed)->Name("ranking/1024/refreshed_a_step_later")->Unit(benchmark::kMillisecond)->Iterations(30);

// The usual tick of a live view: five per second, without a new step.
void rankingUnchanged(benchmark::State& state) {
  auto reader = openStore(job().path()).reader().value();
  RankingMemory memory({}, {});
  if (!readRanking(*reader, memory, {}).ok()) return state.SkipWithError("no ranking");
  for (auto _ : state) {
    auto data = readRanking(*reader, memory, {});
    if (!data.ok() || data->rows.front().score.rank != 700) state.SkipWithError("no ranking");
  }
}
BENCHMARK(rankingUnchanged)->Name("ranking/1024/refreshed_without_a_step")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
