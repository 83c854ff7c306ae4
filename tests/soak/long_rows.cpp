// SPDX-License-Identifier: Apache-2.0
// Rows about time: wrong clocks, and a long run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collectors/agent/agent.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

// A clock with an offset and a wrong rate. It is never stepped: agents use CLOCK_MONOTONIC.
struct WrongClock {
  DurNs offset = 0;
  double drift = 0;  // seconds per second
  TimeNs began = wallNow();
  TimeNs now() const {
    const TimeNs wall = wallNow();
    return wall + offset + static_cast<DurNs>(drift * static_cast<double>(wall - began));
  }
};

// The error of a node's stored readings: half of the round trip of the measurement.
double storedError(const std::string& store, const std::string& node) {
  auto db = sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly);
  if (!db.ok()) return 0;
  const auto error = db->queryInt64("SELECT max(error_ns) FROM rg_clock_map JOIN rg_node USING(node_id) WHERE uuid = '" + node + "'");
  return error.ok() ? static_cast<double>(error->value_or(0)) / 1e9 : 0;
}

struct Timed {
  TimeNs truth, stored;
};

}  // namespace

Row clocks(const Scale& scale) {
  constexpr double kFull = 300, kEvery = 0.1, kAllowed = 5e-3;
  const double seconds = scale.quick ? 2 : scale.seconds(kFull, 30);
  const int agents = std::max(2, scale.agents(64) / 4);
  const std::string directory = scale.directory + "/R14";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  std::vector<std::unique_ptr<WrongClock>> wrong;
  std::vector<std::unique_ptr<Agent>> fleet;
  Findings findings;
  for (int i = 0; i < agents; ++i) {
    WrongClock& clock = *wrong.emplace_back(std::make_unique<WrongClock>());
    clock.offset = (i % 2 == 0 ? 1 : -1) * (1 + i) * 700 * kNsPerMs;
    clock.drift = (i % 5 - 2) * 5e-5;
    const std::string name = "clock-" + std::to_string(i);
    AgentOptions options;
    options.link.hub = hub.address();
    options.link.agent_uuid = name;
    options.node = {.uuid = name, .name = name};
    options.state_dir = directory + "/" + name;
    options.now = [&clock] { return clock.now(); };
    auto agent = Agent::start(std::move(options));
    if (!agent.ok()) return {.id = "R14", .what = "clocks", .target = "", .measured = agent.status().message()};
    fleet.push_back(std::move(agent).value());
  }
  std::vector<Recorder*> out;
  std::vector<NodeId> nodes;
  for (const auto& agent : fleet) {
    out.push_back(&agent->recorder());
    nodes.push_back(out.back()->node(agent->node()));
  }
  Machine machine(&hub);
  const DurNs begin = monotonicNow();
  const auto elapsed = [&] { return static_cast<double>(monotonicNow() - begin) / 1e9; };
  while (elapsed() < seconds) {
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const TimeNs truth = wallNow(), raw = wrong[i]->now();
      out[i]->event({.time = raw, .node = nodes[i], .kind = "truth", .code = std::to_string(i), .message = std::to_string(truth)});
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(kEvery));
  }
  bool all = true;
  for (const auto& agent : fleet) all = agent->stop(30 * kNsPerSecond) && all;
  const Machine::Use use = machine.take();
  (void)hub.terminate();
  findings.need(all, "all acknowledged");
  std::vector<Timed> found;
  std::vector<double> allowed;
  for (int i = 0; i < agents; ++i) allowed.push_back(std::max(kAllowed, storedError(hub.store(), "clock-" + std::to_string(i))));
  double worst = 0;
  long beyond = 0;
  if (const auto reader = openStore(hub.store()).reader(); reader.ok())
    if (const auto events = (*reader)->events({.limit = 1'000'000}); events.ok())
      for (const Event& event : *events) {
        if (event.kind != "truth" || !event.time) continue;
        found.push_back({std::stoll(event.message), *event.time});
        const double error = std::fabs(static_cast<double>(*event.time - found.back().truth)) / 1e9;
        worst = std::max(worst, error);
        beyond += error > allowed[std::stoul(event.code)] ? 1 : 0;
      }
  std::ranges::sort(found, {}, &Timed::truth);
  long disordered = 0;
  TimeNs latest = 0;  // the latest stored time of an event that was actually more than 2 x the worst error earlier
  std::size_t before = 0;
  for (const Timed& one : found) {
    for (; before < found.size() && found[before].truth < one.truth - static_cast<DurNs>(2 * worst * 1e9); ++before)
      latest = std::max(latest, found[before].stored);
    if (latest > one.stored) ++disordered;
  }
  findings.need(!found.empty() && beyond == 0, text("%zu events, %ld beyond that", found.size(), beyond));
  findings.need(disordered == 0, text("%ld of other nodes' events out of order", disordered));
  findings.say(text("the worst %.2f ms from its true time, %.2f ms allowed at most", 1e3 * worst, 1e3 * std::ranges::max(allowed)));
  return {.id = "R14",
          .what = text("%d agents with clocks off by up to %.0f s that drift by up to 100 ppm, an event each 100 ms, for %.0f s of %.0f",
                       agents, 0.7 * agents, seconds, kFull),
          .target =
              "stored times within 5 ms of the truth, or half a round trip where that is more; events in order where they are farther "
              "apart than twice the error",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

Row longRun(const Scale& scale) {
  constexpr double kFull = 600, kJudged = 300;  // a chunk fills in 41 s
  constexpr double kMaxWal = 64.0 * (1 << 20), kBytesASample = 10;
  const double seconds = scale.quick ? 2 : scale.seconds(kFull, 60);
  const std::string directory = scale.directory + "/R15";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet({.name = "soak", .agents = std::max(1, scale.agents(64) / 8), .metrics = 20, .hertz = 100}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  Machine machine(&hub);
  const DurNs began = monotonicNow();
  const auto share = [&] { return static_cast<double>(monotonicNow() - began) / 1e9 / seconds; };
  double wal = 0, warm = 0, late = 0;
  int files_warm = 0, files_late = 0, guests = 0;
  bool all_left = true;
  const auto look = [&] {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(hub.store() + "-wal", none);
    if (!none) wal = std::max(wal, static_cast<double>(bytes));
    if (share() > 0.5 && share() < 0.75) warm = std::max(warm, hub.rssMib()), files_warm = std::max(files_warm, hub.openFiles());
    if (share() >= 0.75) late = std::max(late, hub.rssMib()), files_late = std::max(files_late, hub.openFiles());
    return share() >= 1;
  };
  while (share() < 1) {
    // Agents that connect and leave.
    Fleet guest({.name = "guest-" + std::to_string(guests++), .agents = 2}, hub.address(), directory);
    (void)guest.waitFor([&] { return guest.isComplete(); }, 30);
    guest.play();
    (void)fleet.listen(scale.quick ? 0.3 : 3, look);
    all_left = guest.leave(30) && all_left;
  }
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60) && all_left, "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  const bool judged = seconds >= kJudged;
  findings.need(late <= 1.05 * warm || !judged, text("RSS %.0f MiB, %.0f MiB in the third quarter", late, warm));
  findings.need(files_late <= files_warm || !judged, text("%d descriptors at most, %d before", files_late, files_warm));
  findings.need(wal <= kMaxWal, text("WAL %.0f MiB at most", wal / (1 << 20)));
  const auto bytes = static_cast<double>(std::filesystem::file_size(hub.store()));
  findings.need(bytes <= kBytesASample * static_cast<double>(fleet.recorded()) || !judged,
                text("file %.0f MiB, %.2f bytes a sample", bytes / (1 << 20), bytes / static_cast<double>(fleet.recorded())));
  return {
      .id = "R15",
      .what = text("%d agents x 8 GPUs x 20 metrics at 100 Hz for %.0f s of %.0f, so that chunks seal as they do in hours; %d pairs of "
                   "agents came and went",
                   fleet.plan().agents, seconds, kFull, guests),
      .target =
          "RSS of the last quarter <= 1.05 x the one before, no more descriptors, WAL <= 64 MiB, <= 10 bytes a sample; of 300 s or more",
      .measured = findings.text(),
      .verdict = findings.verdict(),
      .machine = Machine::text(use)};
}

}  // namespace runglass::soak
