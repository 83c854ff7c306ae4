// SPDX-License-Identifier: Apache-2.0
// The effect of age on a store: a job of 10,000 ranks after a year with 400 attempts, compared with the same job in its first attempt, as a
// table of targets and measurements. Builds the stores first.
//   aged [--json FILE] [--dir FOLDER] [--rows ID,ID] [--quick]
// Exits 1 when a row fails; --quick: small stores, targets with margins for a busy machine. See docs/contribute/soak.md.
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

#include "storage/clock_map.h"
#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "tests/aged/year.h"
#include "tests/bench/clock_day.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/support/temp_folder.h"

namespace runglass::aged {
namespace {

using soak::Findings;
using soak::HubProcess;
using soak::Row;
using soak::text;

constexpr double kMib = 1 << 20;
constexpr int kRestarts = 50;
// The quick form runs in parallel with other tests and on small stores: limits of time allow for a busy machine, those of memory for
// SQLite's cache (16 MiB) and the heap of a small process.
constexpr double kBusy = 2, kCacheMib = 24;

struct Options {
  bool quick = false;
  std::string json, directory, rows;

  double time(double most) const { return quick ? kBusy * most : most; }
  double rss(double most) const { return quick ? most + kCacheMib : most; }
};

double milliseconds(const std::function<void()>& work) {
  const DurNs began = monotonicNow();
  work();
  return static_cast<double>(monotonicNow() - began) / 1e6;
}

double rssMib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

std::unique_ptr<Writer> open(const std::string& path, DurNs idle) {
  WriterOptions options;
  options.idle = idle;
  auto opened = openStore(path).writer(std::move(options));
  if (opened.ok()) return std::move(opened).value();
  std::fprintf(stderr, "aged: %s\n", opened.status().message().c_str());
  std::exit(2);
}

// Both stores, built once.
class Stores {
 public:
  Stores(const Options& options, std::string directory) : m_directory(std::move(directory)) {
    if (options.quick) m_old.nodes = 20, m_old.recording_ranks = 8, m_old.slices = m_old.attempts = 12, m_old.slice = 30 * Retention::kDay;
    // At the age of the longest tier (Retention::thinned), as much data is deleted as arrives.
    m_young = m_old;
    m_young.attempts = 1;
    for (const auto& [plan, path] : {std::pair(&m_young, young()), std::pair(&m_old, old())}) {
      const double took = milliseconds([&] { buildYear(path, *plan); });
      std::printf("%s: %.0f days, %d attempts of %d ranks on %d nodes, %.1f MiB, built in %.0f s\n", path.c_str(),
                  static_cast<double>(plan->slices * plan->slice) / static_cast<double>(Retention::kDay), plan->attempts, plan->ranks(),
                  plan->nodes, static_cast<double>(std::filesystem::file_size(path)) / kMib, took / 1e3);
      std::fflush(stdout);
    }
  }
  std::string young() const { return m_directory + "/young.rgl"; }
  std::string old() const { return m_directory + "/old.rgl"; }
  const YearPlan& plan() const { return m_old; }

 private:
  const std::string m_directory;
  YearPlan m_old, m_young;
};

// The largest tables and indexes.
std::string largest(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_stmt* rows = nullptr;
  std::string out;
  if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 6", -1, &rows, nullptr) == SQLITE_OK)
    while (sqlite3_step(rows) == SQLITE_ROW)
      out += text("%s%s %.1f", out.empty() ? "" : ", ", reinterpret_cast<const char*>(sqlite3_column_text(rows, 0)),
                  sqlite3_column_double(rows, 1) / kMib);
  sqlite3_finalize(rows);
  sqlite3_close(db);
  return out;
}

Row file(const Stores& stores) {
  constexpr double kPerAttempt = 64 << 10;
  const auto young = static_cast<double>(std::filesystem::file_size(stores.young()));
  const auto old = static_cast<double>(std::filesystem::file_size(stores.old()));
  const int ended = stores.plan().attempts - 1;
  Findings findings;
  findings.need(old <= 1.5 * young + kPerAttempt * ended, text("%.1f MiB, young %.1f MiB: %.1f KiB per old attempt above the young one",
                                                               old / kMib, young / kMib, (old - young) / 1024 / ended));
  findings.say("largest, in MiB: " + largest(stores.old()) + "; of the young one: " + largest(stores.young()));
  return {.id = "file",
          .what = text("size of the closed store after %d attempts", stores.plan().attempts),
          .target = "<= 1.5 x young + 64 KiB per old attempt",
          .measured = findings.text(),
          .verdict = findings.verdict()};
}

Row start(const Options& options, const Stores& stores) {
  constexpr int kTimes = 3;
  struct Start {
    double seconds = 1e9, rss = 1e9;
  };
  const auto measure = [](const std::string& store) {
    Start best;
    for (int i = 0; i < kTimes; ++i) {
      std::optional<HubProcess> hub;
      best.seconds = std::min(best.seconds, milliseconds([&] { hub.emplace(HubProcess::Options{.store = store}); }) / 1e3);
      best.rss = std::min(best.rss, hub->rssMib());
      (void)hub->terminate();
    }
    return best;
  };
  const Start young = measure(stores.young()), old = measure(stores.old());
  Findings findings;
  findings.need(old.seconds <= options.time(3), text("start %.2f s", old.seconds));
  findings.need(old.seconds <= options.time(1.5 * young.seconds), text("young %.2f s", young.seconds));
  findings.need(old.rss <= options.rss(1.5 * young.rss), text("RSS %.0f MiB, young %.0f MiB", old.rss, young.rss));
  return {.id = "start",
          .what = text("runglassctl serve of that store until it listens, best of %d", kTimes),
          .target = "<= 3 s and <= 1.5 x young, RSS <= 1.5 x young",
          .measured = findings.text(),
          .verdict = findings.verdict()};
}

Row commit(const Options& options, const Stores& stores) {
  constexpr int kCommits = 21;
  const auto measure = [&](const std::string& store) {
    const auto writer = open(store, 300 * kNsPerSecond);
    Job job(*writer, stores.plan(), wallNow(), 10'000);
    job.restart();
    job.moment();
    (void)writer->flush();
    std::vector<double> took;
    for (int i = 0; i < kCommits; ++i) {
      job.moment();
      took.push_back(milliseconds([&] { (void)writer->flush(); }));
    }
    (void)writer->close();
    std::ranges::sort(took);
    return options.quick ? took.front() : took[kCommits / 2];
  };
  const double young = measure(stores.young()), old = measure(stores.old());
  Findings findings;
  findings.need(old <= options.time(1.5 * young), text("%.1f ms, young %.1f ms", old, young));
  return {.id = "commit",
          .what = text("commit of a sample of each node, a step of %d ranks and progress of %d, %s of %d", stores.plan().recording_ranks,
                       stores.plan().ranks(), options.quick ? "best" : "median", kCommits),
          .target = "<= 1.5 x young",
          .measured = findings.text(),
          .verdict = findings.verdict()};
}

// Runs in a separate process: prints its RSS after one restart, after half and after all of them.
int restartsHere(const std::string& store, std::int32_t nodes) {
  const auto writer = open(store, 0);
  YearPlan plan{.nodes = nodes};
  plan.recording_ranks = plan.ranks();
  Job job(*writer, plan, wallNow());
  for (int restart = 0; restart <= kRestarts; ++restart) {
    job.restart();
    for (int i = 0; i < 3; ++i) {
      job.moment();
      if (!writer->flush().ok()) return 2;
    }
    if (restart == 1 || restart == kRestarts / 2 || restart == kRestarts) std::printf("%.1f\n", rssMib());
  }
  return 0;
}

Row restarts(const Options& options, const Stores& stores, const std::string& directory, const std::string& self) {
  double first = 0, half = 0, last = 0;
  FILE* child = popen((self + " --restarts " + directory + "/restarts.rgl " + std::to_string(stores.plan().nodes)).c_str(), "r");
  const bool read = child != nullptr && std::fscanf(child, "%lf %lf %lf", &first, &half, &last) == 3;
  const bool ended = child != nullptr && pclose(child) == 0;
  Findings findings;
  findings.need(read && ended && last <= options.rss(1.1 * first),
                text("%.1f MiB, after one restart %.1f MiB, after %d %.1f MiB", last, first, kRestarts / 2, half));
  return {.id = "restarts",
          .what = text("RSS of a writer after %d restarts of a job of %d ranks, steps of all of them", kRestarts, stores.plan().ranks()),
          .target = "within 10 % of that after one restart",
          .measured = findings.text(),
          .verdict = findings.verdict()};
}

Row clocks(const Options& options) {
  constexpr int kCommits = 50;
  constexpr std::uint64_t kShare = 25;  // of the nodes, per second
  const int minutes = options.quick ? 30 : ClockDay::kMinutes;
  ClockDay day(minutes);
  double start = 1e9;
  for (int i = 0; i < 3; ++i) {
    day.closeWriter();
    start = std::min(start, milliseconds([&] { day.openWriter(); }));
  }
  auto db = sqlite::Connection::open(day.path(), sqlite::OpenMode::kReadOnly).value();
  ClockMaps maps;
  const auto look = [&] {
    (void)maps.load(db, true);
    for (const NodeId node : day.nodes()) (void)maps.of(node);
  };
  look();
  std::vector<double> took;
  for (int i = 0; i < kCommits; ++i) {
    const std::uint64_t from = kShare * static_cast<std::uint64_t>(i);
    day.minute(minutes, from, from + kShare);
    took.push_back(milliseconds(look));
  }
  std::ranges::sort(took);
  Findings findings;
  findings.need(static_cast<double>(day.bytes()) <= 2e6, text("%.2f MB", static_cast<double>(day.bytes()) / 1e6));
  findings.need(took[kCommits / 2] <= options.time(5), text("a Reader after a commit %.2f ms (median)", took[kCommits / 2]));
  findings.need(start <= options.time(500), text("start of a writer %.0f ms", start));
  return {.id = "clocks",
          .what = text("clock readings of %d nodes, one a minute for %.1f h", static_cast<int>(ClockDay::kNodes), minutes / 60.0),
          .target = "<= 2 MB, <= 5 ms per Reader and commit, <= 0.5 s at the start",
          .measured = findings.text(),
          .verdict = findings.verdict()};
}

int run(const Options& options, const std::string& self) {
  const test::TempFolder own;
  const std::string directory = options.directory.empty() ? own.path() : options.directory;
  const Stores stores(options, directory);
  const std::pair<const char*, std::function<Row()>> all[] = {{"file", [&] { return file(stores); }},
                                                              {"start", [&] { return start(options, stores); }},
                                                              {"commit", [&] { return commit(options, stores); }},
                                                              {"restarts", [&] { return restarts(options, stores, directory, self); }},
                                                              {"clocks", [&] { return clocks(options); }}};
  soak::RowTable table(options.rows);
  for (const auto& [id, make] : all)
    if (table.includes(id)) table.add(make());
  return table.finish(options.json);
}

}  // namespace
}  // namespace runglass::aged

int main(int argc, char** argv) {
  using namespace runglass::aged;
  if (argc == 4 && std::strcmp(argv[1], "--restarts") == 0) return restartsHere(argv[2], std::atoi(argv[3]));
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool more = i + 1 < argc;
    if (name == "--quick")
      options.quick = true;
    else if (name == "--json" && more)
      options.json = argv[++i];
    else if (name == "--dir" && more)
      options.directory = argv[++i];
    else if (name == "--rows" && more)
      options.rows = argv[++i];
    else {
      std::fprintf(stderr, "usage: aged [--json FILE] [--dir FOLDER] [--rows ID,ID] [--quick]\n");
      return 2;
    }
  }
  return run(options, argv[0]);
}
