// SPDX-License-Identifier: Apache-2.0
// The watch of a hub that stores 1,024 simulated ranks live: its cost, and the delay from an event to a webhook.
//
// watch/event_to_webhook: from the hub's receipt of an event until the webhook has its message; p50_ms, p99_ms, most_ms. cpu_share: of one
// core, by the watch's thread alone, with an analysis that reads the catalogue, progress and newest step times of all ranks in every round.
// RUNGLASS_BENCH_EVENTS sets the number of events (100).
//
// watch/notifications_per_fault: the notifications of such hubs about labelled faults, one fault per run, played by agents at 20 times
// real-time speed; the titles are printed.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "collectors/hub/watch/watch.h"
#include "model/mutex.h"
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
  Cluster(const std::string& folder, const std::string& hub, const std::string& toml = kScenario, const std::string& speed = "1") {
    const std::string scenario = folder + "/scenario.toml";
    std::ofstream(scenario) << toml;
    std::vector<std::string> arguments = {std::string(RG_BIN_DIR) + "/runglass-agent",
                                          "--hub",
                                          hub,
                                          "--state-dir",
                                          folder + "/agent",
                                          "--simulate",
                                          scenario,
                                          "--speed",
                                          speed};
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
  // The play has ended and is delivered.
  bool ended() {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == m_pid;
  }

 private:
  pid_t m_pid = -1;
};

// Reads the data of a typical live analysis.
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
      std::this_thread::sleep_for(std::chrono::milliseconds(37 * (i % 10)));  // not synchronous with the watch
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

struct LabelledFault {
  const char* name;  // kind, target, strength; steps 100 to 220 of 300, each of 4 s: ten minutes before it, eight of it, five after it
  const char* lines;
};
constexpr auto kFaults = std::to_array<LabelledFault>({
    {"slow rank", "kind = \"slow_rank\"\ntarget = \"rank:5\"\nstrength = 1.2"},
    {"slow node", "kind = \"slow_node\"\ntarget = \"node:1\"\nstrength = 1.2"},
    {"hot GPU", "kind = \"thermal_throttle\"\ntarget = \"gpu:1/2\"\nstrength = 1.3"},
    {"data of a rank", "kind = \"data_bound\"\ntarget = \"rank:9\"\nstrength = 1.2"},
    {"host of a rank", "kind = \"host_bound\"\ntarget = \"rank:6\"\nstrength = 1.2"},
    {"slow stage", "kind = \"stage_imbalance\"\ntarget = \"stage:1\"\nstrength = 1.3"},
    {"hang", "kind = \"hang\"\ntarget = \"rank:7\"\nstrength = 700"},
    {"stall", "kind = \"stall\"\ntarget = \"run\"\nstrength = 120"},
    {"Xid 79", "kind = \"hardware_fault\"\ntarget = \"gpu:1/5\"\nxid = 79\nstrength = 300"},
    {"NaN", "kind = \"nan\"\ntarget = \"run\"\nstrength = 1"},
});

std::string labelledScenario(const LabelledFault& fault, bool moment) {
  return std::string(
             "name = \"labelled\"\nseed = 5\nsteps = 300\n[cluster]\nnodes = 2\ngpus_per_node = 8\nmetrics_hertz = 1\n"
             "[job]\ntp = 2\npp = 2\ndp = 4\nstep_seconds = 4.0\nspans = \"none\"\n[[fault]]\nfirst_step = 100\nlast_step = ") +
         (moment ? "100" : "220") + "\n" + fault.lines + "\n";
}

void notificationsPerFault(benchmark::State& state) {
  struct Play {
    TempStore store;
    Mutex mutex;
    std::vector<std::string> titles RG_GUARDED_BY(mutex);
    std::unique_ptr<Hub> hub;
    std::unique_ptr<Watch> watch;
    std::unique_ptr<Cluster> cluster;
  };
  for (auto _ : state) {
    std::vector<std::unique_ptr<Play>> plays;
    for (const LabelledFault& fault : kFaults) {
      Play& play = *plays.emplace_back(std::make_unique<Play>());
      play.hub = Hub::start(play.store.path(), {}).value();
      WatchOptions options;
      options.alerts = defaultAlerts(true);
      options.desktop = [&play](const AlertMessage& message) {
        const MutexLock lock(play.mutex);
        play.titles.push_back(message.title);
      };
      play.watch = std::make_unique<Watch>(play.store.path(), *play.hub, options);
      const std::string kind = fault.name;
      const bool moment = kind == "hang" || kind == "stall" || kind == "Xid 79";
      play.cluster = std::make_unique<Cluster>(play.store.folder(), play.hub->address(), labelledScenario(fault, moment), "20");
    }
    std::size_t notifications = 0, notified = 0;
    for (std::size_t i = 0; i < plays.size(); ++i) {
      Play& play = *plays[i];
      const TimeNs begin = monotonicNow();
      while (!play.cluster->ended() && monotonicNow() - begin < 600 * kNsPerSecond) std::this_thread::sleep_for(std::chrono::seconds(1));
      const std::int64_t rounds = play.watch->stats().rounds;
      while (play.watch->stats().rounds < rounds + 3) std::this_thread::sleep_for(std::chrono::seconds(1));
      play.watch->stop();
      const MutexLock lock(play.mutex);
      notifications += play.titles.size(), notified += play.titles.empty() ? 0 : 1;
      for (const std::string& title : play.titles) std::printf("%-16s %s\n", kFaults[i].name, title.c_str());
    }
    state.counters["faults"] = static_cast<double>(plays.size());
    state.counters["notified_faults"] = static_cast<double>(notified);
    state.counters["notifications"] = static_cast<double>(notifications);
    state.counters["notifications_per_fault"] = static_cast<double>(notifications) / static_cast<double>(plays.size());
  }
}
BENCHMARK(notificationsPerFault)->Name("watch/notifications_per_fault")->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
