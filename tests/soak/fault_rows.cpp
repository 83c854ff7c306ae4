// SPDX-License-Identifier: Apache-2.0
// Rows where a process dies: all agents return at once, the hub is killed repeatedly, it is away for long, it is asked to stop.
#include <filesystem>
#include <random>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

double secondsSince(DurNs began) { return static_cast<double>(monotonicNow() - began) / 1e9; }

std::string folder(const Scale& scale, const char* id) {
  const std::string directory = scale.directory + "/" + id;
  std::filesystem::create_directories(directory);
  return directory;
}

// Number of damaged objects in a closed store.
std::size_t damage(const std::string& store) {
  const auto reader = openStore(store).reader();
  if (!reader.ok()) return 1;
  const auto found = (*reader)->verify();
  return found.ok() ? found->size() : 1;
}

}  // namespace

Row storm(const Scale& scale) {
  const double away = scale.seconds(20, 3);
  const std::string directory = folder(scale, "R3");
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet({.name = "soak", .agents = scale.agents(512), .metrics = 4, .hertz = 1}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.3 : 12);  // long enough for the first pause to be short again
  hub.kill9();
  (void)fleet.listen(away);
  Machine machine(&hub);
  const DurNs back = monotonicNow();
  hub.start();
  const bool connected = fleet.waitFor([&] { return fleet.isComplete(); }, 120);
  const double connected_after = secondsSince(back);
  const bool drained = fleet.waitFor([&] { return fleet.drained(); }, 120);
  const double drained_after = secondsSince(back);
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(connected, text("all back after %.1f s", connected_after));
  findings.need(drained && drained_after < 30, text("drained after %.1f s", drained_after));
  findings.need(compared.exact(), compared.text());
  findings.say(text("RSS %.0f MiB", hub.peakMib()));
  return {.id = "R3",
          .what = text("%d agents lose the hub (kill -9) for %.0f s and return at once", fleet.plan().agents, away),
          .target = "drained < 30 s, 0 acked loss",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

Row kills(const Scale& scale) {
  constexpr int kFull = 200;
  const int rounds = scale.quick ? 2 : std::max(5, static_cast<int>(kFull * scale.share));
  const std::string directory = folder(scale, "R6"), store = directory + "/s.rgl";
  std::error_code error;
  if (!scale.store.empty() && !std::filesystem::copy_file(scale.store, store, std::filesystem::copy_options::overwrite_existing, error)) {
    std::fprintf(stderr, "soak: cannot copy %s: %s\n", scale.store.c_str(), error.message().c_str());
    std::exit(2);
  }
  HubProcess hub({.store = store});
  // Short pauses: the measurement is the time to the hub's first acknowledgement, not the agents' reconnection pause.
  Fleet fleet({.name = "soak", .agents = scale.agents(32), .hertz = 10, .longest_pause = 250 * kNsPerMs}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  Machine machine(&hub);
  std::mt19937_64 random(11);
  double slowest = 0;
  for (int round = 0; round < rounds; ++round) {
    (void)fleet.listen(0.1 + static_cast<double>(random() % 700) / 1000);
    hub.kill9();
    (void)fleet.listen(0.05);
    const DurNs back = monotonicNow();
    hub.start();
    bool acked = false;
    for (int tries = 0; !acked && tries < 400; ++tries) acked = fleet.listen(0.025).count() > 0;
    slowest = std::max(slowest, acked ? secondsSince(back) : 1e3);
  }
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(damage(hub.store()) == 0, "verify finds no damage");
  findings.need(slowest <= 3, text("restart to first ack %.2f s at most", slowest));
  findings.say(text("store of %.0f MiB", static_cast<double>(std::filesystem::file_size(hub.store())) / (1 << 20)));
  return {.id = "R6",
          .what = text("%d of %d random kill -9 of serve under load", rounds, kFull),
          .target = std::string("0 lost, 0 doubled, verify clean, first ack <= 3 s after restart") +
                    (scale.store.empty() ? " (of a small store; give one of 5 GiB with --store)" : ""),
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

Row outage(const Scale& scale) {
  constexpr double kFull = 600;
  const double away = scale.quick ? 2.5 : scale.seconds(kFull, 30);  // longer than the maximum wait of new data for a lane
  const std::string directory = folder(scale, "R7");
  HubProcess hub({.store = directory + "/s.rgl"});
  // Short pauses: all return at once, and the measurement is the time to drain.
  Fleet fleet({.name = "soak", .agents = scale.agents(128), .hertz = 10, .longest_pause = kNsPerSecond}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.3 : 12);
  std::optional<Fleet::Watcher> reader(hub.store());
  double reader_before = 0, reader_after = 0;
  (void)fleet.listen(scale.quick ? 0.2 : 11, [&] { return reader_before = std::max(reader_before, reader->age().value_or(0)), false; });
  hub.kill9();
  (void)fleet.listen(away);
  Machine machine(&hub);
  hub.start();
  findings.need(fleet.waitFor([&] { return fleet.connected() > 0; }, 60), "back");
  const DurNs back = monotonicNow();
  double live_after = -1, oldest = 0;
  (void)fleet.listen(away + 60, [&] {
    const double silence = fleet.silence();
    if (live_after < 0 && silence <= 5) live_after = secondsSince(back);
    if (live_after < 0) return false;
    oldest = std::max(oldest, silence);
    reader_after = std::max(reader_after, secondsSince(back) < 11 ? 0 : reader->age().value_or(1e3));
    return fleet.isComplete() && fleet.drained();
  });
  const double drained_after = secondsSince(back);
  const Machine::Use use = machine.take();
  reader.reset();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(drained_after <= away / 5 || scale.quick, text("drained in %.1f s, %.1f x real time", drained_after, away / drained_after));
  findings.need(live_after >= 0 && live_after <= 5, text("live %.1f s after the reconnect", live_after));
  findings.need(oldest <= 5, text("then never older than %.1f s in the hub", oldest));
  findings.say(text("for another process, which sees commits, %.1f s old at most before the outage%s", reader_before,
                    reader_after > 0 ? text(" and %.1f s while it drained", reader_after).c_str() : ""));
  findings.need(hub.peakMib() <= 600, text("RSS %.0f MiB", hub.peakMib()));
  return {.id = "R7",
          .what = text("hub away for %.0f s of %.0f; %d agents x 8 GPUs x 12 metrics at 10 Hz go on", away, kFull, fleet.plan().agents),
          .target = "0 lost, drained at >= 5 x real time, live <= 5 s after the reconnect and <= 5 s old while it drains, RSS <= 600 MiB",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

Row stop(const Scale& scale) {
  const std::string directory = folder(scale, "R13");
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet({.name = "soak", .agents = scale.agents(100), .hertz = 10, .longest_pause = kNsPerSecond}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.3 : 5);
  Machine machine(&hub);
  const HubProcess::End once = hub.terminate();
  std::error_code error;
  const auto wal = std::filesystem::file_size(hub.store() + "-wal", error);
  findings.need(once.status == 0 && once.seconds <= 3, text("exit %d after %.2f s", once.status, once.seconds));
  findings.need(error || wal == 0, "WAL gone");
  hub.start();
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 30), "all back");
  (void)fleet.listen(scale.quick ? 0.2 : 2);
  const HubProcess::End twice = hub.terminate(2);
  findings.need(twice.status == 0 && twice.seconds <= 1, text("SIGTERM twice: exit %d after %.2f s", twice.status, twice.seconds));
  hub.start();
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 30), "all back again");
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  return {.id = "R13",
          .what = text("SIGTERM with %d open streams under load, then twice in a row", fleet.plan().agents),
          .target = "exit 0 within 3 s, WAL gone; twice: at once, nothing lost",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

}  // namespace runglass::soak
