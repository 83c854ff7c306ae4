// SPDX-License-Identifier: Apache-2.0
// The cost of a jump of the playhead: the newest sample of every series at a moment, and the catalogue as of then, for 1,024 GPUs with 12
// metrics each. RG_SCRUB_STORE names a store to use instead of the generated ones.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "storage/open_store.h"
#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr int kGpus = 1'024, kGpusPerNode = 8, kMetrics = 12;
constexpr const char* kNames[kMetrics] = {"power_watts",     "temperature_celsius", "sm_clock_hertz",   "mem_clock_hertz",
                                          "gpu_busy_ratio",  "mem_busy_ratio",      "mem_used_bytes",   "pcie_tx_bytes_per_s",
                                          "fan_speed_ratio", "energy_joules",       "ecc_errors_total", "throttle_ratio"};

// Values of a GPU: most of them wander, some rarely change.
double valueOf(int metric, int gpu, std::int64_t sample) {
  auto mixed = static_cast<std::uint64_t>((sample << 16) + gpu * 16 + metric) * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  const auto noise = static_cast<double>((mixed >> 31) % 1'000);
  if (metric == 2 || metric == 3) return 1.98e9 - (noise > 990 ? 1.5e7 : 0);
  if (metric == 10) return 0;
  if (metric == 9) return static_cast<double>(sample) * 0.7 + static_cast<double>(gpu);
  if (metric == 6) return 6.4e10 + static_cast<double>(sample / 64 % 97) * 2'097'152;
  if (metric == 4 || metric == 5 || metric == 8 || metric == 11) return noise / 1'000;
  return 300 + noise / 10;
}

class Cluster {
 public:
  Cluster(DurNs period, std::int64_t samples) : m_writer(m_store.writer().value()), m_period(period) {
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      const NodeId node =
          m_writer->node({.uuid = "n" + std::to_string(gpu / kGpusPerNode), .name = "n" + std::to_string(gpu / kGpusPerNode)});
      const DeviceId device =
          m_writer->device({.uuid = "GPU-" + std::to_string(gpu), .node = node, .index = gpu % kGpusPerNode, .kind = "gpu"});
      for (const char* name : kNames) m_series.push_back(m_writer->series({.node = node, .device = device, .metric = name}));
    }
    while (m_done < samples) grow(std::min<std::int64_t>(600, samples - m_done));
  }
  void grow(std::int64_t samples) {
    std::vector<TimeNs> time(static_cast<std::size_t>(samples));
    std::vector<double> value(time.size());
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      const auto gpu = static_cast<int>(i / kMetrics), metric = static_cast<int>(i % kMetrics);
      for (std::size_t k = 0; k < time.size(); ++k) {
        const std::int64_t sample = m_done + static_cast<std::int64_t>(k);
        time[k] = kStart + sample * m_period + gpu * 1'000'000;  // polled one after the other
        value[k] = valueOf(metric, gpu, sample);
      }
      m_writer->samples(m_series[i], time, value);
    }
    m_done += samples;
    if (!m_writer->flush().ok()) std::abort();
  }
  void close() {
    if (!m_writer->close().ok()) std::abort();
    m_writer.reset();
  }
  std::unique_ptr<Reader> read() const { return m_store.reader({m_writer ? m_writer->liveTail() : nullptr}).value(); }
  TimeRange range() const { return {kStart + kNsPerSecond, kStart + m_done * m_period}; }

 private:
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::vector<SeriesId> m_series;
  DurNs m_period;
  std::int64_t m_done = 0;
};

// Created for the first bench that uses it, dropped when another one is needed.
enum class Kind { kOneHertz, kTenHertz, kLive };
Cluster& cluster(Kind kind) {
  static std::unique_ptr<Cluster> made;
  static Kind made_kind{};
  if (!made || made_kind != kind) {
    made.reset();
    const bool fast = kind == Kind::kTenHertz;
    made = std::make_unique<Cluster>(fast ? kNsPerSecond / 10 : kNsPerSecond, fast ? 9'000 : 600);
    if (kind != Kind::kLive) made->close();
    made_kind = kind;
  }
  return *made;
}

std::vector<SeriesId> idsOf(Reader& reader) {
  std::vector<SeriesId> ids;
  const auto all = reader.series({}).value();
  for (const Series& one : all) ids.push_back(one.id);
  return ids;
}

// Jumps and times each one; `next` moves the playhead.
template <class Next, class Jump>
void jumps(benchmark::State& state, Next next, const Jump& jump) {
  std::vector<double> ms;
  for (auto _ : state) {
    const TimeNs moment = next();
    const TimeNs begun = monotonicNow();
    if (jump(moment) == 0) return state.SkipWithError("nothing there at the moment");
    const double took = static_cast<double>(monotonicNow() - begun) / 1e6;
    ms.push_back(took);
    state.SetIterationTime(took / 1e3);
  }
  std::ranges::sort(ms);
  state.counters["median_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
}

auto anywhere(TimeRange range) {
  return [range, random = std::mt19937_64(1)]() mutable {
    return range.t0 + static_cast<TimeNs>(random() % static_cast<std::uint64_t>(range.t1 - range.t0));
  };
}
auto dragged(TimeRange range) {
  return [range, at = range.t0 + (range.t1 - range.t0) / 3]() mutable {
    at += kNsPerSecond;
    return at < range.t1 ? at : at = range.t0;
  };
}

void latestOf(benchmark::State& state, Kind kind, bool drag) {
  const Cluster& store = cluster(kind);
  const auto reader = store.read();
  const auto ids = idsOf(*reader);
  const auto jump = [&](TimeNs moment) { return reader->latestAt(ids, moment)->size(); };
  jump(store.range().t0 + (store.range().t1 - store.range().t0) / 3);
  if (drag) return jumps(state, dragged(store.range()), jump);
  jumps(state, anywhere(store.range()), jump);
}

// The first jump of a Reader.
void firstJump(benchmark::State& state, Kind kind) {
  const Cluster& store = cluster(kind);
  jumps(state, anywhere(store.range()), [&](TimeNs at) {
    const auto reader = store.read();
    return reader->latestAt(idsOf(*reader), at)->size();
  });
}

// The queries of a view of devices: the catalogue and the values as of the moment.
void viewOf(benchmark::State& state, Kind kind) {
  const Cluster& store = cluster(kind);
  const auto reader = store.read();
  const auto ids = idsOf(*reader);
  jumps(state, dragged(store.range()), [&](TimeNs moment) {
    const auto then = readerAt(*reader, moment);
    return then->series({})->size() + then->latest(ids)->size();
  });
}

// Steps of 1,024 ranks: step time, phase and eight parts, 5,000 of each.
void stepsOf(benchmark::State& state) {
  static const TempStore store;
  static const bool written = [] {
    auto writer = store.writer().value();
    const AttemptId attempt = writer->attempt({.run = writer->run({.name = "r", .start = kStart}), .start = kStart});
    std::vector<std::int64_t> step(5'000);
    std::vector<TimeNs> time(step.size());
    std::vector<double> value(step.size());
    for (std::int32_t rank = 0; rank < kGpus; ++rank) {
      for (int part = 0; part < 10; ++part) {
        for (std::size_t i = 0; i < step.size(); ++i) {
          step[i] = static_cast<std::int64_t>(i);
          time[i] = kStart + static_cast<TimeNs>(i) * kNsPerSecond + rank * 1'000 + static_cast<TimeNs>(i * 7919 % 1'000) * 1'000;
          value[i] = 1e8 + static_cast<double>(i * 104'729 % 1'000) * 1e3;
        }
        const std::string label = R"({"part":")" + std::to_string(part) + "\"}";
        writer->scalars(
            writer->series({.attempt = attempt, .rank = rank, .metric = "step_part_ns", .labels = label, .kind = SeriesKind::kScalar}),
            step, time, value);
      }
      if (rank % 64 == 63 && !writer->flush().ok()) std::abort();
    }
    return writer->close().ok();
  }();
  if (!written) return state.SkipWithError("no store");
  const auto reader = store.reader().value();
  const auto ids = idsOf(*reader);
  jumps(state, dragged({kStart + 60 * kNsPerSecond, kStart + 5'000 * kNsPerSecond}),
        [&](TimeNs moment) { return reader->latestAt(ids, moment)->size(); });
}

void ofStore(benchmark::State& state, const std::string& path, bool drag) {
  const auto reader = openStore(path).reader().value();
  const auto ids = idsOf(*reader);
  const auto info = reader->info().value();
  state.counters["series"] = static_cast<double>(ids.size());
  const TimeRange range{*info.first, *info.last};
  const auto jump = [&](TimeNs moment) { return reader->latestAt(ids, moment)->size() + 1; };
  if (drag) return jumps(state, dragged(range), jump);
  jumps(state, anywhere(range), jump);
}

void firstPictureOf(benchmark::State& state, const std::string& path) {
  for (auto _ : state) {
    const TimeNs begun = monotonicNow();
    const auto reader = openStore(path).reader().value();
    const auto info = reader->info().value();
    const auto then = readerAt(*reader, *info.first + (*info.last - *info.first) / 2);
    const auto all = then->series({}).value();
    std::vector<SeriesId> ids;
    for (const Series& one : all) ids.push_back(one.id);
    benchmark::DoNotOptimize(then->latest(ids));
    state.SetIterationTime(static_cast<double>(monotonicNow() - begun) / 1e9);
  }
}

const bool kRegistered = [] {
  const auto add = [](const std::string& name, int iterations, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(iterations);
  };
  if (const char* path = std::getenv("RG_SCRUB_STORE")) {
    add("scrub/store/anywhere", 30, [path](benchmark::State& state) { ofStore(state, path, false); });
    add("scrub/store/dragged", 200, [path](benchmark::State& state) { ofStore(state, path, true); });
    add("scrub/store/first_picture", 3, [path](benchmark::State& state) { firstPictureOf(state, path); });
    return true;
  }
  const auto all = [&](const std::string& name, Kind kind) {
    add(name + "/first", 3, [kind](benchmark::State& state) { firstJump(state, kind); });
    add(name + "/anywhere", 100, [kind](benchmark::State& state) { latestOf(state, kind, false); });
    add(name + "/dragged", 200, [kind](benchmark::State& state) { latestOf(state, kind, true); });
    add(name + "/view_dragged", 100, [kind](benchmark::State& state) { viewOf(state, kind); });
  };
  all("scrub/1024x12/10min_1Hz", Kind::kOneHertz);
  all("scrub/1024x12/live_10min_1Hz", Kind::kLive);
  all("scrub/1024x12/15min_10Hz", Kind::kTenHertz);
  add("scrub/1024_ranks/10x5000_steps/dragged", 100, stepsOf);
  return true;
}();

}  // namespace
}  // namespace runglass
BENCHMARK_MAIN();
