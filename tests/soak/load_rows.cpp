// SPDX-License-Identifier: Apache-2.0
// Rows under load: many agents, bursts, one very fast agent, a store at its cap.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <random>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

struct LoadTargets {
  double rss_mib, p99_ms, cores;  // cores: 0 = reported, not judged
};

// Agents at a steady rate; then everything is acknowledged, and the store is compared with their records.
Row load(const char* id, const Scale& scale, const FleetPlan& plan, double full_seconds, const LoadTargets& targets) {
  const double seconds = scale.seconds(full_seconds, 12);
  const std::string directory = scale.directory + "/" + id;
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet(plan, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.2 : 3);  // series are declared in the first seconds
  Machine machine(&hub);
  Latency latency = fleet.listen(seconds);
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  const int files = hub.openFiles();
  const HubProcess::End end = hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(hub.peakMib() <= targets.rss_mib, text("RSS %.0f MiB", hub.peakMib()));
  findings.need(latency.ms(0.99) <= targets.p99_ms,
                text("ack p50 %.0f p99 %.0f max %.0f ms", latency.ms(0.5), latency.ms(0.99), latency.ms(1)));
  if (targets.cores > 0) findings.need(use.hub <= targets.cores, text("hub %.2f cores", use.hub));
  findings.need(end.status == 0, text("hub ended in %.1f s", end.seconds));
  findings.say(text("%d files open after, generator at most %.0f ms late", files, fleet.worstLateness() * 1e3));
  return {.id = id,
          .what = text("%d agents x %d GPUs x %d metrics at %g Hz%s, %.0f s of %.0f", plan.agents, plan.gpus, plan.metrics, plan.hertz,
                       plan.training ? ", progress 1 Hz a rank, step times and parts every 4 s" : "", seconds, full_seconds),
          .target = text("0 acked loss, RSS <= %.0f MiB, ack p99 <= %.0f ms%s", targets.rss_mib, targets.p99_ms,
                         targets.cores > 0 ? text(", hub <= %.0f core", targets.cores).c_str() : ""),
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

FleetPlan steadyPlan(const Scale& scale) { return {.name = "soak", .agents = scale.agents(64), .metrics = 20, .hertz = 10}; }

}  // namespace

Row loadFast(const Scale& scale) {
  return load("load-10hz", scale, {.name = "soak", .agents = scale.agents(128), .metrics = 12, .hertz = 10}, 300,
              {.rss_mib = 600, .p99_ms = 1'000, .cores = 0});
}

Row loadWide(const Scale& scale) {
  return load("load-1hz", scale, {.name = "soak", .agents = scale.agents(512), .metrics = 12, .hertz = 1, .training = true}, 300,
              {.rss_mib = 600, .p99_ms = 1'000, .cores = 0});
}

Row steady(const Scale& scale) { return load("R1", scale, steadyPlan(scale), 300, {.rss_mib = 400, .p99_ms = 500, .cores = 1}); }

Row burst(const Scale& scale) {
  constexpr double kFull = 60, kTimes = 5, kRss = 440;  // the hard limit of R1 plus a tenth
  const double seconds = scale.seconds(kFull, 8);
  const std::string directory = scale.directory + "/R2";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet(steadyPlan(scale), hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.2 : 4);
  Machine machine(&hub);
  fleet.play(kTimes);
  Latency during = fleet.listen(seconds);
  const Machine::Use use = machine.take();
  fleet.play();
  // Recovered: two seconds with a p99 within the target.
  double recovered = -1;
  for (double after = 2; after <= 60 && recovered < 0; after += 2)
    if (fleet.listen(scale.quick ? 0.2 : 2).ms(0.99) <= 500) recovered = after;
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(hub.peakMib() <= kRss, text("RSS %.0f MiB", hub.peakMib()));
  findings.say(text("ack in the burst p50 %.0f p99 %.0f ms", during.ms(0.5), during.ms(0.99)));
  findings.need(recovered >= 0, recovered >= 0 ? text("p99 <= 500 ms %.0f s after it", recovered) : "p99 <= 500 ms within 60 s after it");
  return {.id = "R2",
          .what = text("the load of R1, %g times as much for %.0f s of %.0f", kTimes, seconds, kFull),
          .target = text("RSS <= %.0f MiB, 0 acked loss, p99 <= 500 ms within 60 s after", kRss),
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

int runLoneAgent(const std::string& hub, const std::string& state_dir, double seconds) {
  Fleet fleet({.name = "lone", .agents = 1, .gpus = 8, .metrics = 8, .hertz = 1'000, .block = 10}, hub, state_dir);
  if (!fleet.waitFor([&] { return fleet.isComplete(); }, 20)) return 1;
  (void)fleet.listen(0.5);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const DurNs began = monotonicNow();
  fleet.play();
  Latency latency = fleet.listen(seconds);
  getrusage(RUSAGE_SELF, &after);
  const double length = static_cast<double>(monotonicNow() - began) / 1e9;
  const auto cpu = [](const rusage& use) {
    return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
  };
  const bool all = fleet.leave(20);
  std::printf("%d %lld %.5f %ld %.3f\n", all && fleet.droppedBatches() == 0 ? 1 : 0, static_cast<long long>(fleet.recorded()),
              (cpu(after) - cpu(before)) / length, after.ru_maxrss, latency.ms(0.99));
  return 0;
}

Row loneAgent(const Scale& scale) {
  const double seconds = scale.seconds(60, 8);
  const std::string directory = scale.directory + "/R4";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  Machine machine(&hub);
  const std::string command = text("/proc/%d/exe --lone-agent %s %s %.3f", getpid(), hub.address().c_str(), directory.c_str(), seconds);
  FILE* child = popen(command.c_str(), "r");
  int all = 0;
  long long recorded = 0;
  double cpu = 0, p99 = 0;
  long rss_kib = 0;
  const bool said = child != nullptr && std::fscanf(child, "%d %lld %lf %ld %lf", &all, &recorded, &cpu, &rss_kib, &p99) == 5;
  const bool ended = child != nullptr && pclose(child) == 0;
  const Machine::Use use = machine.take();
  (void)hub.terminate();
  Findings findings;
  findings.need(said && ended && all == 1, "no drops");
  std::int64_t stored = -1;
  if (const auto reader = openStore(hub.store()).reader(); reader.ok())
    if (const auto info = (*reader)->info(); info.ok()) stored = info->sample_count;
  findings.need(stored == recorded, text("%lld samples recorded, %lld stored", recorded, static_cast<long long>(stored)));
  findings.need(static_cast<double>(recorded) >= 0.95 * 64'000 * seconds, text("%.0f a second", static_cast<double>(recorded) / seconds));
  findings.need(cpu <= 0.03 || scale.quick, text("agent %.1f %% of a core", 100 * cpu));
  findings.need(rss_kib <= 64 << 10, text("agent RSS %.0f MiB", static_cast<double>(rss_kib) / 1024));
  findings.say(text("ack p99 %.0f ms", p99));
  return {.id = "R4",
          .what = text("one agent in a process of its own, 64 series at 1 kHz from buffers read every 10 ms, %.0f s", seconds),
          .target = "no drops, agent <= 3 % of a core, RSS <= 64 MiB",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

namespace {

// The fraction of the journal's data, at 8 bytes per sample, that is added to the file.
constexpr double kPacked = 0.7;

std::uintmax_t sizeWithJournal(const std::string& store) {
  const auto reader = openStore(store).reader();
  const auto info = reader.ok() ? (*reader)->info() : reader.status();
  return info.ok() ? static_cast<std::uintmax_t>(static_cast<double>(info->file_bytes) + kPacked * static_cast<double>(info->journal_bytes))
                   : 0;
}

// Records samples of the last hours, as fast as they are accepted, until the file will have this size.
void fill(const std::string& hub, const std::string& directory, const std::string& store, std::uintmax_t bytes) {
  constexpr std::size_t kSeries = 256, kBlock = 4'096;
  AgentOptions options;
  options.link.hub = hub;
  options.link.agent_uuid = "filler";
  options.node = {.uuid = "filler", .name = "filler"};
  options.state_dir = directory + "/filler";
  auto agent = Agent::start(std::move(options));
  RG_CHECK(agent.ok());
  Recorder& out = (*agent)->recorder();
  const NodeId node = out.node((*agent)->node());
  std::vector<SeriesId> series;
  for (std::size_t s = 0; s < kSeries; ++s)
    series.push_back(out.series({.node = node, .metric = "filler_" + std::to_string(s) + "_watts"}));
  std::mt19937_64 random(7);
  std::array<TimeNs, kBlock> times{};
  std::array<double, kBlock> values{};
  TimeNs at = wallNow() - 24 * 3600 * kNsPerSecond;
  while (sizeWithJournal(store) < bytes) {
    for (TimeNs& time : times) time = at += 10 * kNsPerMs;
    for (double& value : values) value = static_cast<double>(random() % 1'000'000) / 1000;
    for (const SeriesId id : series) {
      out.samples(id, times, values);
      while (!(*agent)->waitForRoom(6U << 20, kNsPerSecond)) {
      }
    }
  }
  (void)(*agent)->stop(30 * kNsPerSecond);
}

}  // namespace

Row retention(const Scale& scale) {
  constexpr double kFull = 150, kMinSeconds = 75;  // the hub checks once a minute
  const double cap_mib = 128, seconds = std::max(kMinSeconds, kFull * scale.share);
  Row row{.id = "R5",
          .what = text("a store at its cap of %.0f MiB, 64 agents x 8 GPUs x 20 metrics at 10 Hz, %.0f s", cap_mib, seconds),
          .target = "file <= cap + 10 %, no acknowledgement later than 250 ms because of a commit"};
  if (scale.quick || scale.share * kFull < kMinSeconds / 6) {
    row.measured = "needs more than a minute: --minutes 3 or more";
    return row;
  }
  const std::string directory = scale.directory + "/R5";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl", .more = {"--max-store-gib", text("%.4f", cap_mib / 1024)}});
  const auto cap = static_cast<std::uintmax_t>(cap_mib * (1 << 20));
  fill(hub.address(), directory, hub.store(), cap * 9 / 10);
  Fleet fleet(steadyPlan(scale), hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(4);
  Machine machine(&hub);
  std::uintmax_t largest = 0;
  Latency latency = fleet.listen(seconds, [&] {
    largest = std::max(largest, std::filesystem::file_size(hub.store()));
    return false;
  });
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  std::int64_t kept = 0;
  if (const auto reader = openStore(hub.store()).reader(); reader.ok())
    if (const auto info = (*reader)->info(); info.ok()) kept = info->sample_count;
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), "of what is new: " + compared.text());
  findings.need(largest <= cap * 11 / 10, text("file %.0f MiB at most", static_cast<double>(largest) / (1 << 20)));
  findings.need(latency.ms(1) <= 250, text("ack p99 %.0f max %.0f ms", latency.ms(0.99), latency.ms(1)));
  findings.say(text("%.1f M samples kept", static_cast<double>(kept) / 1e6));
  row.measured = findings.text(), row.verdict = findings.verdict(), row.machine = Machine::text(use);
  return row;
}

}  // namespace runglass::soak
