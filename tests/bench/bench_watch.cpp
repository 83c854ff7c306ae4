// SPDX-License-Identifier: Apache-2.0
// The watch beside a hub that stores 1,024 simulated ranks live: what it costs, and how long an event takes to reach a webhook.
//
// watch/event_to_webhook: an event handed to the hub until the webhook has its message; p50_ms, p99_ms, most_ms. cpu_share: of one core,
// by the watch's thread alone, with an analysis that reads the catalogue, progress and newest step times of all ranks in every round.
// RUNGLASS_BENCH_EVENTS sets how many (100).
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "collectors/hub/watch/watch.h"
#include "tests/bench/calibration.h"
#include "tests/collectors/hub/alerts/fake_webhook.h"
#include "tests/support/temp_store.h"

extern char** environ;

namespace runglass {
namespace {

constexpr const char* kScenario = R"(
name = "watched"
seed = 7
steps = 100000
[cluster]
nodes = 128
gpus_per_node = 8
gpu = "H100-SXM"
metrics_hertz = 1
[job]
tp = 8
pp = 8
dp = 16
step_seconds = 4.0
spans = "none"
)";

class Cluster {
 public:
  Cluster(const std::string& folder, const std::string& hub) {
    const std::string scenario = folder + "/scenario.toml";
    std::ofstream(scenario) << kScenario;
    std::vector<std::string> arguments = {
        std::string(RG_BIN_DIR) + "/runglass-agent", "--hub", hub, "--state-dir", folder + "/agent", "--simulate", scenario};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    RG_CHECK(posix_spawn(&m_pid, argv[0], &actions, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() {
    kill(m_pid, SIGTERM);
    waitpid(m_pid, nullptr, 0);
  }

 private:
  pid_t m_pid = -1;
};

// Reads what a typical live analysis reads.
class ReadingAnalysis : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    RG_ASSIGN(const std::vector<Attempt> attempts, question.reader.attempts(question.run));
    RG_ASSIGN(const std::vector<Progress> progress, question.reader.progress(question.run));
    RG_ASSIGN(const std::vector<Series> series, question.reader.series({.run = question.run, .metric = "step_time_ns"}));
    std::vector<SeriesId> ids;
    for (const Series& one : series) ids.push_back(one.id);
    RG_ASSIGN(const std::vector<LatestSample> newest, question.reader.latest(ids));
    return std::vector<Finding>{{.kind = "throughput_shift",
                                 .subject = "run",
                                 .severity = Severity::kInfo,
                                 .start = 1,
                                 .first_step = 1,
                                 .score = static_cast<double>(newest.size() + progress.size())}};
  }
};

void eventToWebhook(benchmark::State& state) {
  const char* wanted = std::getenv("RUNGLASS_BENCH_EVENTS");
  const int events = wanted != nullptr ? std::atoi(wanted) : 100;
  TempStore temp;
  FakeWebhook webhook;
  auto hub = Hub::start(temp.path(), {}).value();
  const Cluster cluster(temp.folder(), hub->address());
  static const std::vector<AnalysisEntry> entries = {
      {"reading", []() -> std::unique_ptr<Analysis> { return std::make_unique<ReadingAnalysis>(); }}};
  WatchOptions options{.analyses = entries};
  options.alerts = {.most_per_hour = 1'000};
  options.alerts.targets = {{.name = "hook", .command = {}, .webhook = webhook.url()}};
  options.alerts.rules = {{.name = "events", .events = {"bench"}, .at_least = Severity::kError, .to = {"hook"}}};
  std::this_thread::sleep_for(std::chrono::seconds(10));
  Watch watch(temp.path(), *hub, options);
  std::vector<double> ms;
  const TimeNs begin = monotonicNow();
  for (auto _ : state) {
    for (int i = 0; i < events; ++i) {
      const TimeNs said = wallNow();
      hub->post([i, said](Writer& writer) {
        writer.event({.time = said, .rank = i, .kind = "bench", .severity = Severity::kError, .message = "event " + std::to_string(i)});
      });
      while (webhook.times().size() <= static_cast<std::size_t>(i) && wallNow() - said < 20 * kNsPerSecond)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (webhook.times().size() <= static_cast<std::size_t>(i)) return state.SkipWithError("an event did not arrive");
      ms.push_back(static_cast<double>(webhook.times().back() - said) / 1e6);
      std::this_thread::sleep_for(std::chrono::milliseconds(37 * (i % 10)));  // not in step with the watch
    }
  }
  const double elapsed = static_cast<double>(monotonicNow() - begin);
  const WatchStats stats = watch.stats();
  watch.stop();
  std::ranges::sort(ms);
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
  state.counters["most_ms"] = ms.back();
  state.counters["cpu_share"] = static_cast<double>(stats.cpu) / elapsed;
  state.counters["round_ms"] = static_cast<double>(stats.last_round) / 1e6;
  state.counters["rounds"] = static_cast<double>(stats.rounds);
}
BENCHMARK(eventToWebhook)->Name("watch/event_to_webhook")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
