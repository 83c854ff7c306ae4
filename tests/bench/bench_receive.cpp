// SPDX-License-Identifier: Apache-2.0
// remote_write and OTLP into a `runglassctl serve --receive` process over loopback HTTP: four connections with series of their own, as
// Prometheus' shards have, and requests that are packed beforehand. The argument is the samples (data points, spans) of a request, of
// metrics one of each series. samples_per_s counts until everything is acknowledged as durable; sender and hub share the machine.
// samples_per_hub_cpu_s is measured after the hub's graceful end.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collectors/wire/wire_writer.h"
#include "net/http_client.h"
#include "tests/collectors/hub/receivers/write_body.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

constexpr int kConnections = 4;
constexpr std::int64_t kSamples = 6'000'000, kSpans = 1'000'000;

enum class Kind { kRemoteWrite, kOtlpMetrics, kOtlpSpans };

std::string message(std::uint32_t field, const std::string& bytes) {
  std::string out;
  wire::appendBytes(out, field, bytes);
  return out;
}
std::string attribute(const std::string& key, const std::string& value) { return message(1, key) + message(2, message(1, value)); }
// Around metrics or spans, each a field 2.
std::string otlpRequest(int connection, const std::string& items) {
  std::string resource;
  for (const auto& [key, value] : {std::pair{"host.name", "gpu-" + std::to_string(connection)},
                                   {"service.name", std::string("trainer")},
                                   {"runglass.run", std::string("bench")},
                                   {"rank", std::to_string(connection)}})
    resource += message(1, attribute(key, value));
  return message(1, message(1, resource) + message(2, message(1, message(1, "bench")) + items));
}

std::vector<std::string> otlpRequests(Kind kind, int connection, int items, std::int64_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(connection) + 1);
  std::vector<std::string> out;
  const TimeNs begin = wallNow() - count * kNsPerSecond - 60 * kNsPerSecond;
  for (std::int64_t n = 0; n < count; ++n) {
    const TimeNs now = begin + n * kNsPerSecond;
    std::string all;
    for (int i = 0; i < items; ++i) {
      std::string one;
      if (kind == Kind::kOtlpMetrics) {
        wire::appendFixed64(one, 3, now);
        wire::appendFixed64(one, 4, std::bit_cast<std::int64_t>(200.0 + static_cast<double>(random() % 100'000) / 1'000));
        one += message(7, attribute("device", "nvidia" + std::to_string(i % 8))) + message(7, attribute("id", std::to_string(i / 100)));
        one = message(1, "bench." + std::to_string(i % 100)) + message(3, "W") + message(5, message(1, one));
      } else {
        const TimeNs start = now + i * (kNsPerSecond / items);
        const std::uint64_t id = random();
        one = message(1, std::string(16, 't')) + message(2, std::string(reinterpret_cast<const char*>(&id), sizeof id)) +
              message(5, i % 2 == 0 ? "rollout" : "train");
        wire::appendFixed64(one, 7, start);
        wire::appendFixed64(one, 8, start + kNsPerSecond / items);
        one += message(9, attribute("step", std::to_string(n)));
      }
      all += message(2, one);
    }
    out.push_back(otlpRequest(connection, all));
  }
  return out;
}

std::vector<std::string> requests(Kind kind, int connection, int series, std::int64_t count) {
  if (kind != Kind::kRemoteWrite) return otlpRequests(kind, connection, series, count);
  std::mt19937_64 random(static_cast<std::uint64_t>(connection) + 1);
  std::vector<std::string> out;
  const std::int64_t begin = wallNow() / kNsPerMs - count * 1'000 - 60'000;
  for (std::int64_t n = 0; n < count; ++n) {
    test::WriteBody body;
    for (int s = 0; s < series; ++s) {
      const std::string node = "gpu-" + std::to_string(connection) + "-" + std::to_string(s / 100);
      body.series({{"__name__", "bench_" + std::to_string(s % 100) + "_watts"},
                   {"cluster", "training"},
                   {"device", "nvidia" + std::to_string(s % 8)},
                   {"instance", node + ":9400"},
                   {"job", "dcgm"}},
                  {{begin + n * 1'000, 200.0 + static_cast<double>(random() % 100'000) / 1'000}});
    }
    out.push_back(body.packed());
  }
  return out;
}

void receive(benchmark::State& state, Kind kind) {
  const bool otlp = kind != Kind::kRemoteWrite;
  const auto per_request = static_cast<int>(state.range(0));
  const std::int64_t each = (kind == Kind::kOtlpSpans ? kSpans : kSamples) / kConnections / per_request;
  std::vector<std::vector<std::string>> all;
  std::size_t bytes = 0;
  for (int c = 0; c < kConnections; ++c) {
    all.push_back(requests(kind, c, per_request, each + 1));
    for (const std::string& one : all.back()) bytes += one.size();
  }
  for (auto unused : state) {
    static_cast<void>(unused);
    const test::TempFolder folder;
    const test::Spawned hub =
        test::spawn({"runglassctl", "serve", "--store", folder.file("s.rgl"), "--listen", "127.0.0.1:0", "--receive", "127.0.0.1:0"});
    (void)test::firstLine(hub.out);
    const std::string line = test::firstLine(hub.out);
    const std::string url = "http://" + line.substr(line.rfind(' ') + 1) +
                            (!otlp                        ? "/api/v1/write"
                             : kind == Kind::kOtlpMetrics ? "/v1/metrics"
                                                          : "/v1/traces");
    const auto send = [&](int connection, std::size_t first, std::size_t end) {
      HttpClient client;
      for (std::size_t i = first; i < end;) {
        const auto answer = client.request({.url = url,
                                            .method = "POST",
                                            .headers = {"Content-Type: application/x-protobuf",
                                                        otlp ? "Content-Encoding: identity" : "Content-Encoding: snappy", "Expect:"},
                                            .body = all[static_cast<std::size_t>(connection)][i]});
        const int complete = otlp ? 200 : 204;
        RG_CHECK(answer.ok() && (answer->status == complete || answer->status == 503));
        if (answer->status == complete)
          ++i;
        else
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    };
    for (int c = 0; c < kConnections; ++c) send(c, 0, 1);  // the series are declared
    const DurNs began = monotonicNow();
    std::vector<std::thread> senders;
    for (int c = 0; c < kConnections; ++c) senders.emplace_back([&, c] { send(c, 1, static_cast<std::size_t>(each) + 1); });
    for (std::thread& sender : senders) sender.join();
    const double seconds = static_cast<double>(monotonicNow() - began) / 1e9;
    kill(hub.pid, SIGTERM);
    int status = 0;
    rusage usage{};
    wait4(hub.pid, &status, 0, &usage);
    close(hub.out);
    RG_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const auto secondsOf = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
    const auto samples = static_cast<double>(each * kConnections * per_request);
    state.SetIterationTime(seconds);
    state.counters["samples_per_s"] = samples / seconds;
    state.counters["samples_per_hub_cpu_s"] = samples / (secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime));
    state.counters["request_bytes_per_sample"] = static_cast<double>(bytes) / samples;
    state.counters["hub_rss_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
    state.counters["file_bytes_per_sample"] = static_cast<double>(std::filesystem::file_size(folder.file("s.rgl"))) / samples;
  }
}

void remoteWrite(benchmark::State& state) { receive(state, Kind::kRemoteWrite); }
void otlpMetrics(benchmark::State& state) { receive(state, Kind::kOtlpMetrics); }
void otlpSpans(benchmark::State& state) { receive(state, Kind::kOtlpSpans); }

BENCHMARK(remoteWrite)
    ->Name("receive/remote_write")
    ->Arg(2'000)
    ->Arg(10'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(otlpMetrics)
    ->Name("receive/otlp_metrics")
    ->Arg(2'000)
    ->Arg(10'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(otlpSpans)->Name("receive/otlp_spans")->Arg(512)->Arg(8'192)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
