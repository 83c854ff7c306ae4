// SPDX-License-Identifier: GPL-3.0-or-later
// The console as users run it: window and hub in this process, an agent process that plays 512 simulated GPUs in real time.
//
// live/*: cpu_cores: CPU time of window and hub together per wall time; frame_*: one paint of the window; shown_*: from the moment the
// agent read a value until the frame that first shows it or a newer one of its series is painted (the begin of a bin counts as the time of
// its newest value, which never underestimates). open/*: from start to the final first picture of a store whose pages are not in the page
// cache.
// RUNGLASS_BENCH_MIB and RUNGLASS_BENCH_SECONDS reduce the size.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <QCoreApplication>

#include <QEventLoop>
#include <QFile>
#include <QTemporaryDir>
#include <QTimer>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>

#include "collectors/hub/server/hub.h"
#include "collectors/sim/scenario.h"
#include "collectors/sim/simulator.h"
#include "storage/open_store.h"
#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/frame/main_window.h"

namespace runglass {
namespace {

constexpr double kWarmUpSeconds = 8;
constexpr DurNs kFollow = 20 * kNsPerSecond;
constexpr std::int64_t kOpenMib = 1'024;

double setting(const char* name, double standard) {
  const char* wanted = std::getenv(name);
  return wanted != nullptr ? std::strtod(wanted, nullptr) : standard;
}

// 9 of a GPU's 12 metrics are sampled at `hertz` and 3 at a tenth of it: 13 Hz corresponds to 12 metrics at 10 Hz.
std::string scenarioText(int nodes, int steps, double hertz) {
  return "name = \"bench\"\nseed = 7\nsteps = " + std::to_string(steps) + "\n[cluster]\nnodes = " + std::to_string(nodes) +
         "\ngpus_per_node = 8\ngpu = \"H100-SXM\"\nnodes_per_rack = 4\nmetrics_hertz = " + std::to_string(hertz) +
         "\n[job]\ntp = 8\npp = 4\ndp = " + std::to_string(nodes / 4) +
         "\nmicro_batches = 8\nstep_seconds = 4.0\nnoise_ratio = 0.01\ntokens_per_step = 4194304\nspans = \"coarse\"\n";
}

double cpuSeconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

double rssMib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

void wait(double seconds) {
  QEventLoop loop;
  QTimer::singleShot(static_cast<int>(seconds * 1e3), &loop, &QEventLoop::quit);
  loop.exec();
}

TimedApplication& application() { return *static_cast<TimedApplication*>(qApp); }

class SimulatedCluster {
 public:
  SimulatedCluster(const std::string& folder, const std::string& hub) {
    const std::string scenario = folder + "/scenario.toml";
    std::ofstream(scenario) << scenarioText(64, 100'000, 13);
    std::vector<std::string> arguments = {
        std::string(RG_BIN_DIR) + "/runglass-agent", "--hub", hub, "--state-dir", folder, "--simulate", scenario};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    RG_CHECK(posix_spawn(&m_pid, argv[0], &actions, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~SimulatedCluster() {
    kill(m_pid, SIGTERM);
    waitpid(m_pid, nullptr, 0);
  }

 private:
  pid_t m_pid = -1;
};

class LiveConsole {
 public:
  LiveConsole() {
    auto hub = Hub::start(store(), {});
    RG_CHECK(hub.ok());
    m_hub = std::move(*hub);
    m_cluster = std::make_unique<SimulatedCluster>(m_folder.path().toStdString(), m_hub->address());
    m_queries = std::make_unique<QueryService>([this] { return openStore(store()).reader(m_hub->readerOptions()); });
    WindowOptions options;
    options.queries = m_queries.get();
    window = std::make_unique<MainWindow>(options);
    window->resize(1920, 1080);
    window->show();
  }
  ~LiveConsole() {
    window.reset();
    m_queries.reset();
    m_cluster.reset();
    RG_CHECK(m_hub->stop().ok());
  }
  HubStats stats() const { return m_hub->stats(); }
  std::string store() const { return m_folder.filePath("live.rgl").toStdString(); }

 private:
  QTemporaryDir m_folder;
  std::unique_ptr<Hub> m_hub;
  std::unique_ptr<SimulatedCluster> m_cluster;
  std::unique_ptr<QueryService> m_queries;

 public:
  std::unique_ptr<MainWindow> window;
};

// The newest value that any visible time plot shows: the begin of its last bin.
std::optional<TimeNs> newestShown(const QWidget& window) {
  std::optional<TimeNs> newest;
  for (const PlotWidget* plot : window.findChildren<PlotWidget*>()) {
    if (!plot->isVisible() || !plot->data() || plot->data()->axis != XAxis::kTime) continue;
    for (const PlotPanel& panel : plot->data()->panels)
      for (const PlotCurve& curve : panel.curves)
        if (curve.bins)
          for (auto bin = curve.bins->rbegin(); bin != curve.bins->rend(); ++bin)
            if (bin->count > 0) {
              newest = std::max(newest.value_or(bin->x0), bin->x0);
              break;
            }
  }
  return newest;
}

void live(benchmark::State& state, const char* place, bool follow) {
  LiveConsole console;
  RG_CHECK(console.window->showPlace(place));
  if (follow) console.window->state().followEnd(kFollow);
  wait(kWarmUpSeconds);
  std::vector<double> shown;
  std::optional<TimeNs> before;
  application().painted = [&] {
    const std::optional<TimeNs> newest = newestShown(*console.window);
    if (newest && (!before || *newest > *before)) {
      shown.push_back(static_cast<double>(wallNow() - *newest) / 1e6);
      before = newest;
    }
  };
  for (auto unused : state) {
    static_cast<void>(unused);
    application().frames.clear();
    shown.clear();
    const double cpu = cpuSeconds();
    const std::int64_t samples = console.stats().samples;
    const TimeNs begun = monotonicNow();
    wait(setting("RUNGLASS_BENCH_SECONDS", 20));
    const double seconds = static_cast<double>(monotonicNow() - begun) / 1e9;
    state.counters["cpu_cores"] = (cpuSeconds() - cpu) / seconds;
    state.counters["samples_per_s"] = static_cast<double>(console.stats().samples - samples) / seconds;
    state.counters["frames_per_s"] = static_cast<double>(application().frames.size()) / seconds;
  }
  application().painted = nullptr;
  state.counters["frame_p50_ms"] = quantile(application().frames, 0.5);
  state.counters["frame_p99_ms"] = quantile(application().frames, 0.99);
  if (follow) {
    state.counters["shown_p50_ms"] = quantile(shown, 0.5);
    state.counters["shown_p95_ms"] = quantile(shown, 0.95);
  }
  state.counters["rss_mib"] = rssMib();
}

// A stored run of 512 GPUs and 40 steps whose devices continued until the file has the required size.
const std::string& largeStore() {
  static QTemporaryDir folder;
  static const std::string path = folder.filePath("large.rgl").toStdString();
  if (QFile::exists(QString::fromStdString(path))) return path;
  auto opened = openStore(path).writer();
  const auto scenario = sim::parseScenario(scenarioText(64, 40, 13), "bench");
  RG_CHECK(opened.ok() && scenario.ok());
  Writer& writer = **opened;
  sim::PlayOptions options;
  options.speed = 0;
  options.start = wallNow() - 8 * 3600 * kNsPerSecond;
  RG_CHECK(sim::play(*scenario, writer, options).ok());
  auto all = (*openStore(path).reader())->series({.kind = SeriesKind::kGauge});
  RG_CHECK(all.ok());
  std::erase_if(*all, [](const Series& series) { return !series.key.device; });
  constexpr std::size_t kBlock = 10'000;
  std::vector<TimeNs> times(kBlock);
  std::vector<double> values(kBlock);
  std::mt19937_64 random(5);
  TimeNs at = options.start + sim::scenarioLength(*scenario) + kNsPerSecond;
  const auto wanted = static_cast<std::uintmax_t>(setting("RUNGLASS_BENCH_MIB", kOpenMib) * (1 << 20));
  while (std::filesystem::file_size(path) < wanted) {
    for (TimeNs& time : times) time = at += 100 * kNsPerMs;
    for (const Series& series : *all) {
      for (double& value : values) value = 250 + std::round(static_cast<double>(random() % 1'000)) / 100;
      writer.samples(series.id, times, values);
    }
    RG_CHECK(writer.flush().ok());
  }
  RG_CHECK(writer.close().ok());
  return path;
}

void forgetPages(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  RG_CHECK(file >= 0 && fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0);
  close(file);
}

void openConsole(benchmark::State& state, const char* place) {
  const std::string& path = largeStore();
  for (auto unused : state) {
    static_cast<void>(unused);
    state.PauseTiming();
    forgetPages(path);
    state.ResumeTiming();
    QueryService queries([&path] { return openStore(path).reader(); });
    WindowOptions options;
    options.queries = &queries;
    MainWindow window(options);
    window.resize(1920, 1080);
    window.showPlace(place);
    window.show();
    do {
      QCoreApplication::processEvents(QEventLoop::AllEvents);
    } while (!window.isFinal());
    QCoreApplication::processEvents(QEventLoop::AllEvents);
    window.grab();
  }
  state.counters["store_mib"] = static_cast<double>(std::filesystem::file_size(path)) / (1 << 20);
}

BENCHMARK_CAPTURE(live, watch_512_gpus, "watch", false)->Name("live/watch_512_gpus")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(live, gpus_follow_20s, "gpus", true)->Name("live/gpus_follow_20s")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(live, watch_follow_20s, "watch", true)->Name("live/watch_follow_20s")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(openConsole, watch, "watch")->Name("open/watch")->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(openConsole, curves, "curves")->Name("open/curves")->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) { return runglass::runGuiBenchmarks(argc, argv); }
