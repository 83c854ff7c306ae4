// SPDX-License-Identifier: Apache-2.0
// The cost of reading data that stays at the source hub, for a replica's Readers: over a connection of 2 Mbit/s and 25 ms each way that
// breaks every 20 s, and over an unlimited one. The hub has ten minutes of 64 GPUs, 12 metrics each at 10 Hz, and keeps receiving.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <future>
#include <random>
#include <string>
#include <thread>

#include "collectors/hub/replica/followed_reader.h"
#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "tests/bench/calibration.h"
#include "tests/collectors/hub/replica/slow_proxy.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr int kNodes = 8, kGpus = 8, kMetrics = 12, kHertz = 10;
constexpr int kHistory = 600;  // s
constexpr const char* kNames[kMetrics] = {"power_watts",     "temperature_celsius", "sm_clock_hertz",    "memory_clock_hertz",
                                          "sm_active_ratio", "tensor_active_ratio", "memory_used_bytes", "memory_temp_celsius",
                                          "nvlink_tx_bytes", "nvlink_rx_bytes",     "pcie_tx_bytes",     "energy_joules"};

// Realistic device values: whole watts in tenths, degrees, clocks in steps, counters.
class Fleet {
 public:
  explicit Fleet(Hub& hub) : m_hub(hub), m_begin(wallNow() - kHistory * kNsPerSecond) {
    for (int second = 0; second < kHistory; second += 60) tell(second, 60);
    m_thread = std::jthread([this](const std::stop_token& stop) {
      for (int second = kHistory; !stop.stop_requested(); ++second) {
        tell(second, 1);
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
    });
  }
  ~Fleet() {
    m_thread.request_stop();
    m_thread.join();
  }
  TimeNs begin() const { return m_begin; }

 private:
  void tell(int from, int seconds) {
    std::promise<void> done;
    m_hub.post([&](Writer& writer) {
      std::vector<TimeNs> times;
      for (int i = 0; i < seconds * kHertz; ++i)
        times.push_back(m_begin + from * kNsPerSecond + i * kNsPerSecond / kHertz + static_cast<TimeNs>(m_random() % 400'000));
      std::vector<double> values(times.size());
      for (int node = 0; node < kNodes; ++node) {
        const NodeId n = writer.node({.uuid = "node" + std::to_string(node), .name = "node" + std::to_string(node)});
        for (int gpu = 0; gpu < kGpus; ++gpu) {
          const DeviceId d =
              writer.device({.uuid = "GPU-" + std::to_string(node) + "-" + std::to_string(gpu), .node = n, .index = gpu, .kind = "gpu"});
          for (int metric = 0; metric < kMetrics; ++metric) {
            const SeriesId s = writer.series({.node = n, .device = d, .metric = kNames[metric], .source = "nvml"});
            for (std::size_t i = 0; i < values.size(); ++i)
              values[i] = value(metric, static_cast<double>(from) + static_cast<double>(i) / kHertz);
            writer.samples(s, times, values);
          }
        }
      }
      done.set_value();
    });
    done.get_future().wait();
  }
  double value(int metric, double t) {
    const double noise = std::normal_distribution<double>(0, 1)(m_random);
    switch (metric) {
      case 0:
        return std::round((520 + 140 * std::sin(t / 3) + 12 * noise) * 1000) / 1000;  // mW, as reported by NVML
      case 1:
      case 7:
        return std::round(62 + 3 * std::sin(t / 40) + 0.4 * noise);
      case 2:
        return std::round(118 + noise) * 15e6;
      case 3:
        return 2'619e6;
      case 4:
      case 5:
        return std::round((0.7 + 0.1 * noise) * 100) / 100;
      case 6:
        return std::floor(6.1e10 / 1048576) * 1048576;
      default:
        return std::floor(t * 4.1e10 + 1e6 * noise);
    }
  }

  Hub& m_hub;
  const TimeNs m_begin;
  std::minstd_rand m_random{1};
  std::jthread m_thread;
};

struct Spread {
  std::vector<double> seconds;
  void add(DurNs begin) { seconds.push_back(static_cast<double>(monotonicNow() - begin) / 1e9); }
  double at(double share) {
    if (seconds.empty()) return std::nan("");
    std::ranges::sort(seconds);
    return seconds[std::min(seconds.size() - 1, static_cast<std::size_t>(share * static_cast<double>(seconds.size())))];
  }
};

// 0: a minute of eight GPUs, one Reader; 1: the same, four Readers; 2: eight series in 1,000 bins; 3: newest of all series; 4: list of
// series.
enum Asking { kMinute, kMinuteByFour, kEightCurves, kNewest, kList };

void ask(benchmark::State& state) {
  const auto what = static_cast<Asking>(state.range(0));
  const std::int64_t rate = state.range(1);
  const TempStore folder;
  for (auto _ : state) {
    auto hub = Hub::start(folder.file("there.rgl"), {});
    RG_CHECK(hub.ok());
    Fleet fleet(**hub);
    test::SlowProxy proxy((*hub)->port(), rate, rate > 0 ? 25 * kNsPerMs : 0);
    auto mirror = Mirror::start({.store = folder.file("here.rgl"), .hub = {.hub = proxy.address()}});
    RG_CHECK(mirror.ok() && (*mirror)->waitComplete(120 * kNsPerSecond));
    std::vector<std::unique_ptr<Reader>> readers;
    for (int i = 0; i < 4; ++i)
      readers.push_back(
          followedReader(openStore(folder.file("here.rgl")).reader((*mirror)->readerOptions()).value(), (*mirror)->questions()));
    std::vector<Series> all;
    for (const DurNs begin = monotonicNow(); all.size() < kNodes * kGpus * kMetrics && monotonicNow() - begin < 60 * kNsPerSecond;) {
      all = readers[0]->series({}).value();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::jthread cutter([&](const std::stop_token& stop) {
      for (DurNs next = monotonicNow() + 20 * kNsPerSecond; !stop.stop_requested() && rate > 0;) {
        if (monotonicNow() > next) proxy.cut(), next += 20 * kNsPerSecond;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    std::minstd_rand random(7);
    Spread took, age;
    std::int64_t failed = 0, samples = 0;
    const std::int64_t bytes = proxy.down();
    const DurNs begin = monotonicNow();
    while (monotonicNow() - begin < 60 * kNsPerSecond) {
      // At times in the past, each time at another position.
      const TimeNs t0 = fleet.begin() + static_cast<TimeNs>(random() % (kHistory - 120)) * kNsPerSecond;
      const TimeRange minute{t0, t0 + 60 * kNsPerSecond};
      const std::size_t node = random() % kNodes * kGpus * kMetrics;
      const DurNs asked = monotonicNow();
      const auto part = [&](Reader& reader, std::size_t from, std::size_t step, std::size_t end) {
        std::int64_t got = 0;
        for (std::size_t i = from; i < end; i += step) {
          const auto one = reader.samples(all[node + i].id, minute, {});
          got += one.ok() ? static_cast<std::int64_t>(one->size()) : -1'000'000;
        }
        return got;
      };
      std::int64_t got = 0;
      switch (what) {
        case kMinute:
          got = part(*readers[0], 0, 1, kGpus * kMetrics);
          break;
        case kMinuteByFour: {
          std::vector<std::future<std::int64_t>> parts;
          for (std::size_t i = 0; i < readers.size(); ++i)
            parts.push_back(std::async(std::launch::async, part, std::ref(*readers[i]), i, readers.size(), kGpus * kMetrics));
          for (auto& one : parts) got += one.get();
          break;
        }
        case kEightCurves:
          for (std::size_t i = 0; i < kGpus; ++i)
            got += readers[0]->bins(all[node + i * kMetrics].id, Axis::kTime, minute.t0, minute.t1, 1'000, {}).ok() ? 1'000 : -1'000'000;
          break;
        case kNewest: {
          std::vector<SeriesId> ids;
          for (const Series& one : all) ids.push_back(one.id);
          const auto newest = readers[0]->latest(ids);
          got = newest.ok() ? static_cast<std::int64_t>(newest->size()) : -1;
          break;
        }
        case kList:
          got = static_cast<std::int64_t>(readers[0]->series({}).value().size());
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
      if (got < 0) {
        ++failed;
      } else {
        samples += got;
      }
      took.add(asked);
      age.seconds.push_back(static_cast<double>((*mirror)->status().age(wallNow()).value_or(0)) / 1e9);
    }
    const double seconds = static_cast<double>(monotonicNow() - begin) / 1e9;
    state.counters["p50_s"] = took.at(0.5);
    state.counters["p99_s"] = took.at(0.99);
    state.counters["times"] = static_cast<double>(took.seconds.size());
    state.counters["failed"] = static_cast<double>(failed);
    state.counters["bytes_per_s"] = static_cast<double>(proxy.down() - bytes) / seconds;
    state.counters["bytes_per_value"] = static_cast<double>(proxy.down() - bytes) / static_cast<double>(std::max<std::int64_t>(1, samples));
    state.counters["copy_age_p50_s"] = age.at(0.5);
    state.counters["copy_age_p99_s"] = age.at(0.99);
    cutter.request_stop();
    (void)(*mirror)->stop();
  }
}
BENCHMARK(ask)
    ->ArgsProduct({{kMinute, kMinuteByFour, kEightCurves, kNewest, kList}, {250'000, 0}})
    ->ArgNames({"what", "bytes_per_s"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
