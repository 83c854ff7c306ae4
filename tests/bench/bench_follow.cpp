// SPDX-License-Identifier: Apache-2.0
// Replicas of a hub's store: the network traffic for a job of 4,096 ranks, the lag over a slow connection, and the cost of replication for
// agents. The job: each rank reports its progress every second, and every 4 s a step with its time, six parts and two waits, with 1 %
// noise; in some rows its GPU also has twelve metrics with a sample per second each, which are sent as summaries of 64. The hub is in this
// process; the connection is a proxy on 127.0.0.1. Lags are sampled some times a second over all ranks: for how long the hub has had newer
// data of a rank than the replica shows.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <deque>
#include <future>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include "collectors/agent/hub_link.h"
#include "collectors/agent/outbox.h"
#include "collectors/agent/wire_recorder.h"
#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "runglass/v1/follow.grpc.pb.h"
#include "storage/open_store.h"
#include "tests/bench/calibration.h"
#include "tests/collectors/hub/replica/slow_proxy.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr int kRanks = 4'096, kSlices = 20;
constexpr int kStepSeconds = 4;

// The job, on its own thread, recorded on the hub's writer thread in slices.
class Job {
 public:
  Job(Hub& hub, std::size_t metrics) : m_hub(hub), m_metrics(metrics), m_thread([this](const std::stop_token& stop) { run(stop); }) {}
  void stop() {
    m_thread.request_stop();
    m_thread.join();
  }

 private:
  void run(const std::stop_token& stop) {
    const TimeNs begin = wallNow();
    for (std::int64_t tick = 0; !stop.stop_requested(); ++tick) {
      m_hub.post([this, tick, begin](Writer& writer) { say(writer, tick, begin); });
      const DurNs wait = begin + (tick + 1) * kNsPerSecond / kSlices - wallNow();
      if (wait > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    }
  }
  void say(Writer& writer, std::int64_t tick, TimeNs begin) {
    if (m_series.empty()) declare(writer, begin);
    const int slice = static_cast<int>(tick % kSlices);
    const std::int64_t step = tick / (kSlices * kStepSeconds);
    const TimeNs now = wallNow();
    for (int rank = slice * kRanks / kSlices; rank < (slice + 1) * kRanks / kSlices; ++rank) {
      const TimeNs at = now - static_cast<TimeNs>(m_random() % 1'000'000);
      writer.progress({.attempt = m_attempt,
                       .rank = rank,
                       .time = at,
                       .step = step,
                       .microbatch = static_cast<std::int64_t>(m_random() % 8),
                       .group = rank / 8,
                       .seq = tick * 7 + static_cast<std::int64_t>(m_random() % 3),
                       .phase = "steady",
                       .op = m_random() % 2 == 0 ? "all_reduce" : "forward",
                       .since = at - static_cast<TimeNs>(m_random() % 50'000'000)});
      if (tick / kSlices % kStepSeconds == 0) parts(writer, rank, step, at);
      for (std::size_t i = 0; i < m_metrics; ++i) {
        const double value = std::round(3'000 + 100 * m_noise(m_random)) / 10;
        writer.samples(m_gauges[static_cast<std::size_t>(rank) * m_metrics + i], {&now, 1}, {&value, 1});
      }
    }
  }
  void parts(Writer& writer, int rank, std::int64_t step, TimeNs at) {
    constexpr double kMs[] = {4'000, 5, 800, 1'600, 1'200, 200, 50, 300, 2};
    for (std::size_t i = 0; i < std::size(kMs); ++i)
      writer.scalar(m_series[static_cast<std::size_t>(rank) * std::size(kMs) + i], step, at,
                    std::round(kMs[i] * 1e6 * (1 + 0.01 * m_noise(m_random))));
  }
  void declare(Writer& writer, TimeNs begin) {
    const RunId run =
        writer.run({.uuid = "u", .name = "job", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = begin});
    m_attempt = writer.attempt({.run = run, .key = "0", .start = begin, .layout = {.world = kRanks, .tp = 8, .pp = 8, .dp = 64}});
    constexpr const char* kParts[] = {"data", "forward", "backward", "communication", "optimizer", "host"};
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::string name = "n" + std::to_string(rank / 8);
      const NodeId node = writer.node({.uuid = name, .name = name});
      writer.rank({.attempt = m_attempt, .rank = rank, .node = node, .tp = rank % 8, .pp = rank / 8 % 8, .dp = rank / 64});
      const auto add = [&](const char* metric, const std::string& labels) {
        m_series.push_back(writer.series(
            {.attempt = m_attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar}));
      };
      add("step_time_ns", "");
      for (const char* part : kParts) add("step_part_ns", std::string(R"({"part":")") + part + "\"}");
      for (const char* part : {"communication", "data"}) add("step_part_wait_ns", std::string(R"({"part":")") + part + "\"}");
      const DeviceId gpu = writer.device({.uuid = name + "-" + std::to_string(rank % 8), .node = node, .index = rank % 8, .kind = "gpu"});
      for (std::size_t i = 0; i < m_metrics; ++i)
        m_gauges.push_back(writer.series({.node = node, .device = gpu, .metric = "metric_" + std::to_string(i), .unit = "watts"}));
    }
  }

  Hub& m_hub;
  const std::size_t m_metrics;
  std::mt19937_64 m_random{7};
  std::normal_distribution<double> m_noise;
  AttemptId m_attempt;
  std::vector<SeriesId> m_series, m_gauges;
  std::jthread m_thread;
};

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// The number of series that differ: in their points, or for metrics, in the number of samples that their summaries cover.
std::int64_t differences(const std::string& there, const std::string& here) {
  const auto source = openStore(there).reader(), copy = openStore(here).reader();
  RG_CHECK(source.ok() && copy.ok());
  const auto a = (*source)->series({}), b = (*copy)->series({});
  using Name = std::tuple<std::string, std::int32_t, std::uint64_t>;
  const auto nameOf = [](const Series& one) {
    return Name{one.key.metric + one.key.labels, one.key.rank.value_or(-1), one.key.device.value};
  };
  std::map<Name, Series> known;  // devices are in the same order
  for (const Series& one : *b) known[nameOf(one)] = one;
  std::int64_t different = 0;
  for (const Series& one : *a) {
    const Series& other = known[nameOf(one)];
    if (one.key.kind != SeriesKind::kScalar) {
      different += one.sample_count != other.sample_count || one.last_x != other.last_x;
      continue;
    }
    const auto p = (*source)->scalars(one.id, 0, std::numeric_limits<std::int64_t>::max());
    const auto q = (*copy)->scalars(other.id, 0, std::numeric_limits<std::int64_t>::max());
    different += !q.ok() || p->step != q->step || p->time != q->time || p->value != q->value;
  }
  return different;
}

// range(0): bytes per second of the connection, 0: unlimited; range(1): seconds between interruptions, 0: none; range(2): metrics per GPU.
void BM_FollowedJob(benchmark::State& state) {
  constexpr int kWarm = 15, kSeconds = 150;  // two blocks of each metric
  for (auto _ : state) {
    const TempStore folder;
    auto hub = Hub::start(folder.file("there.rgl"), {});
    RG_CHECK(hub.ok());
    test::SlowProxy proxy((*hub)->port(), state.range(0));
    Job job(**hub, static_cast<std::size_t>(state.range(2)));
    auto mirror = Mirror::start({.store = folder.file("here.rgl"), .hub = {.hub = proxy.address()}});
    RG_CHECK(mirror.ok());
    std::this_thread::sleep_for(std::chrono::seconds(kWarm));
    auto reader = openStore(folder.file("here.rgl")).reader((*mirror)->readerOptions());
    RG_CHECK(reader.ok());
    const std::int64_t bytes = proxy.down();
    auto source = openStore(folder.file("there.rgl")).reader((*hub)->readerOptions());
    RG_CHECK(source.ok());
    std::vector<std::deque<TimeNs>> history(kRanks);  // of the hub: entries that the replica does not have yet
    std::vector<double> behind, ages, summary_ages;
    const DurNs begin = monotonicNow();
    DurNs next_cut = begin + state.range(1) * kNsPerSecond;
    while (monotonicNow() - begin < kSeconds * kNsPerSecond) {
      if (state.range(1) > 0 && monotonicNow() >= next_cut) {
        proxy.cut();
        next_cut += state.range(1) * kNsPerSecond;
      }
      const TimeNs now = wallNow();
      // The replica is read first: data that the hub receives meanwhile does not count as lag.
      const auto shown = (*reader)->progress(RunId{1}), known = (*source)->progress(RunId{1});
      if (shown.ok() && known.ok() && shown->size() == kRanks && known->size() == kRanks) {
        for (std::size_t i = 0; i < kRanks; ++i) {
          std::deque<TimeNs>& said = history[i];
          if (said.empty() || said.back() != (*known)[i].time) said.push_back((*known)[i].time);
          while (!said.empty() && said.front() <= (*shown)[i].time) said.pop_front();
          behind.push_back(said.empty() ? 0.0 : std::max(0.0, static_cast<double>(now - said.front()) / 1e9));
        }
      }
      if (const auto age = (*mirror)->status().age(now)) ages.push_back(static_cast<double>(*age) / 1e9);
      if (const auto summarised = (*mirror)->status().summarised) summary_ages.push_back(static_cast<double>(now - *summarised) / 1e9);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    const double seconds = static_cast<double>(monotonicNow() - begin) / 1e9;
    state.counters["wire_bytes_per_s"] = static_cast<double>(proxy.down() - bytes) / seconds;
    state.counters["behind_p50_s"] = percentile(behind, 0.5);
    state.counters["behind_p99_s"] = percentile(behind, 0.99);
    state.counters["behind_max_s"] = percentile(behind, 1);
    state.counters["age_p50_s"] = percentile(ages, 0.5);
    state.counters["age_p99_s"] = percentile(ages, 0.99);
    state.counters["summaries_age_p99_s"] = percentile(summary_ages, 0.99);
    job.stop();
    std::promise<void> flushed;
    (*hub)->post([&](Writer& writer) { RG_CHECK(writer.flush().ok()), flushed.set_value(); });
    flushed.get_future().wait();
    const TimeNs done = wallNow();
    // Samples that do not fill a block are sent with the second check after the end.
    const TimeNs summarised = state.range(2) > 0 ? done + 15 * kNsPerSecond : 0;
    while ((*mirror)->status().complete.value_or(0) < done || (*mirror)->status().summarised.value_or(0) < summarised)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const MirrorStatus status = (*mirror)->status();
    state.counters["connections"] = static_cast<double>(status.connections);
    state.counters["resumed"] = static_cast<double>(status.resumed);
    reader->reset();
    source->reset();
    (void)(*mirror)->stop();
    (void)(*hub)->stop();
    state.counters["series_that_differ"] = static_cast<double>(differences(folder.file("there.rgl"), folder.file("here.rgl")));
  }
}
BENCHMARK(BM_FollowedJob)
    ->Args({0, 0, 0})
    ->Args({250'000, 20, 0})
    ->Args({0, 0, 12})
    ->Args({250'000, 20, 12})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

class LoadAgent {
 public:
  LoadAgent(const std::string& hub, const std::string& folder, int number) {
    const std::string name = "agent" + std::to_string(number);
    std::vector<Issue> issues;
    auto outbox = Outbox::open(folder, {}, name, m_dictionary, issues);
    RG_CHECK(outbox.ok());
    m_outbox = std::move(*outbox);
    m_link = std::make_unique<HubLink>(
        HubLinkOptions{.hub = hub, .agent_uuid = name, .node_uuid = name, .node_name = name}, *m_outbox, m_leases, m_orders,
        [] { return wallNow(); }, [](const std::string&) {});
    RG_CHECK(m_link->start().ok());
    const NodeId node = m_recorder.node({.uuid = name, .name = name});
    for (int s = 0; s < 160; ++s)
      m_series.push_back(m_recorder.series({.node = node, .metric = "m" + std::to_string(s) + "_watts", .unit = "watts"}));
  }
  void say() {
    const TimeNs now = wallNow();
    for (const SeriesId id : m_series) m_recorder.sample(id, now, static_cast<double>(now % 977));
    for (const StreamClass stream : {StreamClass::kEvents, StreamClass::kMetrics})
      if (std::string payload = m_recorder.take(stream); !payload.empty()) m_outbox->add(stream, std::move(payload), now, monotonicNow());
  }
  std::vector<DurNs> delays() { return m_outbox->takeAckDelays(); }

 private:
  SessionDictionary m_dictionary;
  WireRecorder m_recorder{m_dictionary, [] { return wallNow(); }, [] {}};
  LeaseClaims m_leases;
  OrderQueue m_orders;
  std::unique_ptr<Outbox> m_outbox;
  std::unique_ptr<HubLink> m_link;
  std::vector<SeriesId> m_series;
};

// A replica on another machine: receives everything and stores nothing.
class FarFollower {
 public:
  FarFollower(const std::string& hub, int number)
      : m_stub(v1::Follow::NewStub(grpc::CreateChannel(hub, grpc::InsecureChannelCredentials()))), m_stream(m_stub->Follow(&m_context)) {
    v1::FollowerMessage message;
    message.mutable_join()->set_proto_version(1);
    message.mutable_join()->set_follower_uuid("far" + std::to_string(number));
    message.mutable_join()->set_credit_bytes(512U << 10);
    m_stream->Write(message);
    m_thread = std::thread([this] { run(); });
  }
  ~FarFollower() {
    m_context.TryCancel();
    m_thread.join();
    (void)m_stream->Finish();
  }
  std::int64_t bytes() const { return m_bytes; }

 private:
  void run() {
    v1::FeedMessage message;
    while (m_stream->Read(&message)) {
      if (!message.has_frame()) continue;
      m_bytes += static_cast<std::int64_t>(message.frame().packed().size());
      v1::FollowerMessage answer;
      if (message.frame().definitions()) {
        answer.mutable_had()->set_through(std::numeric_limits<std::int32_t>::max());
        m_stream->Write(answer);
      }
      answer.mutable_ack()->set_next_seq(message.frame().seq() + 1);
      m_stream->Write(answer);
    }
  }

  grpc::ClientContext m_context;
  std::unique_ptr<v1::Follow::Stub> m_stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::FollowerMessage, v1::FeedMessage>> m_stream;
  std::atomic<std::int64_t> m_bytes = 0;
  std::thread m_thread;
};

// range(0): local replicas; range(1): remote replicas. In addition, 64 agents with 160 series at 10 Hz.
void BM_AckDelay(benchmark::State& state) {
  constexpr int kAgents = 64, kSeconds = 30;
  for (auto _ : state) {
    const TempStore folder;
    auto hub = Hub::start(folder.file("there.rgl"), {});
    RG_CHECK(hub.ok());
    Job job(**hub, 0);
    std::vector<std::unique_ptr<LoadAgent>> agents;
    for (int i = 0; i < kAgents; ++i)
      agents.push_back(std::make_unique<LoadAgent>((*hub)->address(), folder.file("spool" + std::to_string(i)), i));
    std::vector<std::unique_ptr<Mirror>> mirrors;
    for (int i = 0; i < state.range(0); ++i) {
      auto mirror = Mirror::start({.store = folder.file("here" + std::to_string(i) + ".rgl"), .hub = {.hub = (*hub)->address()}});
      RG_CHECK(mirror.ok());
      mirrors.push_back(std::move(*mirror));
    }
    std::vector<std::unique_ptr<FarFollower>> far;
    for (int i = 0; i < state.range(1); ++i) far.push_back(std::make_unique<FarFollower>((*hub)->address(), i));
    std::vector<double> delays;
    const DurNs begin = monotonicNow();
    constexpr DurNs kWarm = 15 * kNsPerSecond;
    for (int tick = 0; monotonicNow() - begin < kWarm + kSeconds * kNsPerSecond; ++tick) {
      for (const auto& agent : agents) agent->say();
      for (const auto& agent : agents)
        for (const DurNs delay : agent->delays())
          if (monotonicNow() - begin > kWarm) delays.push_back(static_cast<double>(delay) / 1e6);
      const DurNs wait = begin + (tick + 1) * 100 * kNsPerMs - monotonicNow();
      if (wait > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    }
    state.counters["ack_p50_ms"] = percentile(delays, 0.5);
    state.counters["ack_p99_ms"] = percentile(delays, 0.99);
    state.counters["acks"] = static_cast<double>(delays.size());
    double oldest = 0;
    for (const auto& mirror : mirrors) oldest = std::max(oldest, static_cast<double>(mirror->status().age(wallNow()).value_or(0)) / 1e9);
    state.counters["oldest_copy_s"] = oldest;
    std::int64_t taken = 0;
    for (const auto& one : far) taken += one->bytes();
    if (!far.empty()) state.counters["far_bytes_per_s"] = static_cast<double>(taken) / static_cast<double>(far.size()) / (kSeconds + 15);
    mirrors.clear();
    far.clear();
    agents.clear();
    job.stop();
    (void)(*hub)->stop();
  }
}
BENCHMARK(BM_AckDelay)->Args({0, 0})->Args({10, 0})->Args({0, 10})->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
