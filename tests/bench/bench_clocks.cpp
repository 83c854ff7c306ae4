// SPDX-License-Identifier: Apache-2.0
// What a day of clock readings of 1,250 nodes costs: bytes in the file, time of a Reader for each commit that changes readings, time to
// open a Writer. One reading a minute and node; most clocks follow NTP, a tenth runs free, some are stepped.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "storage/clock_map.h"
#include "storage/writer.h"
#include "tests/storage/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kMinute = 60 * kNsPerSecond;
constexpr std::uint64_t kNodes = 1'250;
constexpr int kMinutes = 24 * 60;

DurNs offsetOf(std::uint64_t node, TimeNs raw) {
  const double t = static_cast<double>(raw - kStart) / 1e9, day = 2 * std::numbers::pi / 86'400, phase = static_cast<double>(node);
  const double drift = node % 10 == 0 ? 1e-5 * static_cast<double>(node % 7) : 0;
  const double wander = 1e5 * std::fabs(std::sin(phase)) * std::sin(24 * day * t + phase) + 2e7 * std::sin(day * t + phase);
  const DurNs step = node % 50 == 0 && t > 30'000 ? 300 * kNsPerMs : 0;
  return 30 * kNsPerMs + static_cast<DurNs>(drift * t * 1e9 + wander) + step;
}

class Day {
 public:
  Day() {
    auto writer = Writer::open(m_store.path()).value();
    for (std::uint64_t i = 0; i < kNodes; ++i) m_nodes.push_back(writer->node({.uuid = "n" + std::to_string(i)}));
    (void)writer->close();
    m_empty = std::filesystem::file_size(m_store.path());
    m_writer = Writer::open(m_store.path()).value();
    for (int minute = 0; minute < kMinutes; ++minute) this->minute(minute, 0, kNodes);
    (void)m_writer->close();
    m_bytes = static_cast<std::int64_t>(std::filesystem::file_size(m_store.path())) - static_cast<std::int64_t>(m_empty);
    m_writer = Writer::open(m_store.path()).value();
  }
  void minute(int minute, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const TimeNs raw = kStart + minute * kMinute + static_cast<TimeNs>(m_random() % 1'000'000'000);
      const auto noise = static_cast<DurNs>(m_random() % 80'000) - 40'000;
      m_writer->clock({.node = m_nodes[i],
                       .session = "0123456789abcdef0123456789abcdef",
                       .raw = raw,
                       .offset = offsetOf(i, raw) + noise,
                       .error = 150'000 + static_cast<DurNs>(m_random() % 150'000),
                       .source = "session"});
    }
    (void)m_writer->flush();
  }
  Writer& writer() { return *m_writer; }
  void closeWriter() { (void)m_writer->close(), m_writer.reset(); }
  void openWriter() { m_writer = Writer::open(m_store.path()).value(); }
  const std::vector<NodeId>& nodes() const { return m_nodes; }
  std::int64_t bytes() const { return m_bytes; }
  std::string path() const { return m_store.path(); }

 private:
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::vector<NodeId> m_nodes;
  std::mt19937_64 m_random{5};
  std::uintmax_t m_empty = 0;
  std::int64_t m_bytes = 0;
};

Day& day() {
  static Day one;
  return one;
}

// A commit with the readings of a second's share of the nodes; timed: the Reader alone.
void ClocksPerReaderAndCommit(benchmark::State& state) {
  Day& stored = day();
  auto db = sqlite::Connection::open(stored.path(), sqlite::OpenMode::kReadOnly).value();
  ClockMaps maps;
  (void)maps.load(db, true);
  for (const NodeId node : stored.nodes()) benchmark::DoNotOptimize(maps.of(node));
  int minute = kMinutes;
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

// All of it at once, as a Reader that is asked about every node after it opened.
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
