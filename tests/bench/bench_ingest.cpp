// SPDX-License-Identifier: Apache-2.0
// From an agent's Recorder to the store: this process is the agent, a `runglassctl serve` process the hub, loopback gRPC between them.
// 1,000 series, 10 samples of each per message, data set G (a noisy gauge with three decimals, 1 ms with 1 % slips of another 1 ms); `own`:
// every series has its own time stamps, `shared`: a message has one column of them, as from a source that stamps a poll once. samples_per_s
// counts until everything is acknowledged; the hub's CPU and the file are measured after its graceful end.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "collectors/agent/hub_link.h"
#include "collectors/agent/outbox.h"
#include "collectors/agent/wire_recorder.h"
#include "tests/bench/calibration.h"
#include "tests/support/process.h"

namespace runglass {
namespace {

constexpr std::size_t kSeries = 1'000, kPerMessage = 10, kPoints = 10'000;
constexpr std::size_t kMessageSamples = kSeries * kPerMessage;
constexpr std::size_t kTracks = 64, kMessageSpans = 4'096;
constexpr std::size_t kBacklog = 6U << 20;  // the agent records more when less than this is unacknowledged

struct HubUse {
  double cpu_seconds = 0, rss_mib = 0;
};

class HubProcess {
 public:
  explicit HubProcess(const std::string& store) {
    std::vector<std::string> arguments = {"runglassctl", "serve", "--store", store, "--listen", "127.0.0.1:0"};
    const test::Spawned spawned = test::spawn(std::move(arguments));
    m_pid = spawned.pid;
    const std::string line = test::firstLine(spawned.out);
    close(spawned.out);
    m_address = line.substr(line.rfind(' ') + 1);
  }
  std::string address() const { return m_address; }
  double peakMib() const {
    std::ifstream status("/proc/" + std::to_string(m_pid) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    return 0;
  }
  HubUse end() {
    HubUse use{.rss_mib = peakMib()};
    kill(m_pid, SIGTERM);
    int status = 0;
    rusage usage{};
    wait4(m_pid, &status, 0, &usage);
    RG_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
    use.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return use;
  }

 private:
  pid_t m_pid = -1;
  std::string m_address;
};

// Column-wise: series s's points are at [s * kPoints, (s + 1) * kPoints).
struct Data {
  std::vector<TimeNs> time;
  std::vector<double> value;
  DurNs length = 0;
};

const Data& data(bool shared) {
  static Data sets[2];
  Data& set = sets[shared ? 1 : 0];
  if (!set.time.empty()) return set;
  for (std::size_t s = 0; s < kSeries; ++s) {
    std::mt19937_64 random(s * 7919 + 1);
    std::mt19937_64 slips(shared ? 1 : s);
    std::normal_distribution<double> noise;
    TimeNs now = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      set.time.push_back(now);
      now += kNsPerMs * (slips() % 100 == 0 ? 2 : 1);
      const double v = 250 + static_cast<double>(s % 100) + 40 * std::sin(0.0005 * static_cast<double>(i)) + 5 * noise(random);
      set.value.push_back(std::round(v * 1000) / 1000);
    }
    set.length = std::max(set.length, now);
  }
  return set;
}

class Bench {
 public:
  Bench() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rg-bench-XXXXXX").string();
    RG_CHECK(mkdtemp(pattern.data()) != nullptr);
    m_dir = pattern;
    m_hub = std::make_unique<HubProcess>(m_dir + "/s.rgl");
    std::vector<Issue> issues;
    auto outbox = Outbox::open(m_dir + "/spool", {}, "bench", m_dictionary, issues);
    RG_CHECK(outbox.ok());
    m_outbox = std::move(*outbox);
    m_link = std::make_unique<HubLink>(
        HubLinkOptions{.hub = m_hub->address(), .agent_uuid = "bench", .node_uuid = "bench", .node_name = "bench"}, *m_outbox, m_leases,
        m_orders, [this] { return now(); }, [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
    RG_CHECK(m_link->start().ok());
    const NodeId node = m_recorder.node({.uuid = "bench", .name = "bench"});
    for (std::size_t s = 0; s < kSeries; ++s)
      m_series.push_back(m_recorder.series({.node = node, .metric = "bench_" + std::to_string(s) + "_watts", .unit = "watts"}));
  }
  ~Bench() { std::filesystem::remove_all(m_dir); }

  TimeNs now() const { return m_start + monotonicNow(); }
  void message(const Data& set, std::size_t number) {
    const std::size_t at = number % (kPoints / kPerMessage) * kPerMessage;
    const TimeNs shift = m_first + static_cast<TimeNs>(number / (kPoints / kPerMessage)) * set.length;
    std::array<TimeNs, kPerMessage> times;
    for (std::size_t s = 0; s < kSeries; ++s) {
      const std::size_t from = s * kPoints + at;
      for (std::size_t i = 0; i < kPerMessage; ++i) times[i] = shift + set.time[from + i];
      m_recorder.samples(m_series[s], times, {set.value.data() + from, kPerMessage});
    }
    std::string payload = m_recorder.take(StreamClass::kMetrics);
    m_bytes += payload.size();
    m_outbox->add(StreamClass::kMetrics, std::move(payload), now(), monotonicNow());
  }
  // Kernels on 64 streams, consecutive, without arguments.
  void kernels(std::size_t number) {
    SpanColumns& c = m_kernels;
    if (c.names.empty())
      for (int i = 0; i < 40; ++i) c.names.push_back("void kernel_" + std::to_string(i) + "<float>(float*, int)");
    if (m_tracks.empty()) {
      const AttemptId attempt = m_recorder.attempt({.run = m_recorder.run({.name = "bench"})});
      for (std::int32_t t = 0; t < static_cast<std::int32_t>(kTracks); ++t)
        m_tracks.push_back(m_recorder.track({.attempt = attempt, .rank = t, .kind = "gpu_stream", .name = "stream 7"}));
    }
    c.start.clear(), c.dur.clear(), c.name.clear(), c.category.clear(), c.correlation.clear();
    TimeNs at = m_first + static_cast<TimeNs>(number / kTracks) * 200 * kNsPerMs;
    for (std::size_t i = 0; i < kMessageSpans; ++i) {
      const auto kind = static_cast<std::uint32_t>(m_random() % 40);
      c.start.push_back(at), c.dur.push_back(2'000 + kind * 700 + static_cast<DurNs>(m_random() % (300 + kind * 30))),
          c.name.push_back(kind);
      c.category.push_back(kind < 6 ? SpanCategory::kComm : SpanCategory::kCompute);
      c.correlation.push_back(static_cast<std::int64_t>(number * kMessageSpans + i));
      at += c.dur.back() + 500 + static_cast<TimeNs>(m_random() % 4'000);
    }
    m_recorder.spans(m_tracks[number % kTracks], c);
    std::string payload = m_recorder.take(StreamClass::kKernels);
    m_bytes += payload.size();
    m_outbox->add(StreamClass::kKernels, std::move(payload), now(), monotonicNow());
  }
  Outbox& outbox() { return *m_outbox; }
  std::size_t bytes() const { return m_bytes; }
  void waitUntilAcknowledged() {
    while (!m_outbox->waitForRoom(1, kNsPerSecond)) {
    }
  }
  HubUse end() {
    RG_CHECK(m_link->stop(10 * kNsPerSecond));
    return m_hub->end();
  }
  double storeBytes() const { return static_cast<double>(std::filesystem::file_size(m_dir + "/s.rgl")); }

 private:
  std::string m_dir;
  TimeNs m_start = wallNow() - monotonicNow();
  TimeNs m_first = wallNow() - 3600 * kNsPerSecond;
  SessionDictionary m_dictionary;
  WireRecorder m_recorder{m_dictionary, [this] { return now(); }, [] {}};
  std::unique_ptr<HubProcess> m_hub;
  std::unique_ptr<Outbox> m_outbox;
  LeaseClaims m_leases;
  OrderQueue m_orders;
  std::unique_ptr<HubLink> m_link;
  std::vector<SeriesId> m_series;
  std::vector<TrackId> m_tracks;
  SpanColumns m_kernels;
  std::mt19937_64 m_random{3};
  std::size_t m_bytes = 0;
};

double g_top_rate = 10e6;  // samples/s of the last fastest() run

void fastest(benchmark::State& state, bool shared) {
  constexpr std::size_t kMessages = 6'000;  // 60 M samples
  const Data& set = data(shared);
  for (auto unused : state) {
    static_cast<void>(unused);
    Bench bench;
    bench.message(set, 0);
    bench.waitUntilAcknowledged();  // connected, series declared
    const DurNs began = monotonicNow();
    for (std::size_t i = 1; i <= kMessages; ++i) {
      bench.message(set, i);
      while (!bench.outbox().waitForRoom(kBacklog, kNsPerSecond)) {
      }
    }
    bench.waitUntilAcknowledged();
    const double seconds = static_cast<double>(monotonicNow() - began) / 1e9;
    const double samples = static_cast<double>(kMessages * kMessageSamples);
    const HubUse use = bench.end();
    state.SetIterationTime(seconds);
    g_top_rate = samples / seconds;
    state.counters["samples_per_s"] = g_top_rate;
    state.counters["samples_per_hub_cpu_s"] = samples / use.cpu_seconds;
    state.counters["hub_rss_mib"] = use.rss_mib;
    state.counters["file_bytes_per_sample"] = bench.storeBytes() / samples;
    state.counters["wire_bytes_per_sample"] = static_cast<double>(bench.bytes()) / samples;
  }
}

void fastestSpans(benchmark::State& state) {
  constexpr std::size_t kMessages = 4'000;  // 16 M spans
  for (auto unused : state) {
    static_cast<void>(unused);
    Bench bench;
    bench.kernels(0);
    bench.waitUntilAcknowledged();
    const DurNs began = monotonicNow();
    for (std::size_t i = 1; i <= kMessages; ++i) {
      bench.kernels(i);
      while (!bench.outbox().waitForRoom(kBacklog, kNsPerSecond)) {
      }
    }
    bench.waitUntilAcknowledged();
    const double seconds = static_cast<double>(monotonicNow() - began) / 1e9;
    const double spans = static_cast<double>(kMessages * kMessageSpans);
    const HubUse use = bench.end();
    state.SetIterationTime(seconds);
    state.counters["spans_per_s"] = spans / seconds;
    state.counters["spans_per_hub_cpu_s"] = spans / use.cpu_seconds;
    state.counters["hub_rss_mib"] = use.rss_mib;
    state.counters["file_bytes_per_span"] = bench.storeBytes() / spans;
    state.counters["wire_bytes_per_span"] = static_cast<double>(bench.bytes()) / spans;
  }
}

// At half the rate that fastest() reached: the time until a batch is acknowledged.
void halfRate(benchmark::State& state) {
  constexpr double kSeconds = 6;
  const Data& set = data(false);
  const double rate = g_top_rate / 2;
  const auto messages = static_cast<std::size_t>(rate * kSeconds / static_cast<double>(kMessageSamples));
  const DurNs period = static_cast<DurNs>(1e9 * static_cast<double>(kMessageSamples) / rate);
  for (auto unused : state) {
    static_cast<void>(unused);
    Bench bench;
    bench.message(set, 0);
    bench.waitUntilAcknowledged();
    (void)bench.outbox().takeAckDelays();
    std::vector<DurNs> delays;
    const DurNs began = monotonicNow();
    for (std::size_t i = 1; i <= messages; ++i) {
      const DurNs due = began + static_cast<DurNs>(i) * period;
      if (const DurNs early = due - monotonicNow(); early > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(early));
      bench.message(set, i);
      if (i % 100 != 0) continue;
      const auto some = bench.outbox().takeAckDelays();
      delays.insert(delays.end(), some.begin(), some.end());
    }
    bench.waitUntilAcknowledged();
    const double seconds = static_cast<double>(monotonicNow() - began) / 1e9;
    const auto some = bench.outbox().takeAckDelays();
    delays.insert(delays.end(), some.begin(), some.end());
    const HubUse use = bench.end();
    std::sort(delays.begin(), delays.end());
    const auto percentile = [&](double p) {
      return static_cast<double>(delays[static_cast<std::size_t>(p * static_cast<double>(delays.size() - 1))]) / 1e6;
    };
    state.SetIterationTime(seconds);
    state.counters["samples_per_s"] = static_cast<double>(messages * kMessageSamples) / seconds;
    state.counters["ack_p50_ms"] = percentile(0.5);
    state.counters["ack_p99_ms"] = percentile(0.99);
    state.counters["ack_max_ms"] = percentile(1);
    state.counters["hub_cores"] = use.cpu_seconds / seconds;
    state.counters["hub_rss_mib"] = use.rss_mib;
  }
}

BENCHMARK_CAPTURE(fastest, shared, true)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fastest, own, false)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(fastestSpans)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(halfRate)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
