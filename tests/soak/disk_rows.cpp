// SPDX-License-Identifier: Apache-2.0
// Rows about disks: one that fills up, for the hub and for the agents, and one that loses power.
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

// A tmpfs visible only to this process and its children.
class SmallDisk {
 public:
  SmallDisk(std::string path, int mib) : m_path(std::move(path)) {
    std::filesystem::create_directories(m_path);
    if (geteuid() != 0)
      m_problem = "needs root: a file system is mounted in a mount namespace of its own";
    else if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
             mount("tmpfs", m_path.c_str(), "tmpfs", 0, text("size=%dm", mib).c_str()) != 0)
      m_problem = text("no file system can be mounted here: %s", std::strerror(errno));
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (m_problem.empty()) umount2(m_path.c_str(), MNT_DETACH);
  }
  const std::string& path() const { return m_path; }
  const std::string& problem() const { return m_problem; }
  // Uses all of its space until relieve().
  void fill() {
    std::ofstream out(m_path + "/ballast", std::ios::binary);
    const std::string block(1 << 16, 'b');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  void relieve() const { std::filesystem::remove(m_path + "/ballast"); }
  double freeMib() const {
    struct statvfs info {};
    return statvfs(m_path.c_str(), &info) == 0 ? static_cast<double>(info.f_bavail * info.f_frsize) / (1 << 20) : 0;
  }

 private:
  const std::string m_path;
  std::string m_problem;
};

}  // namespace

Row diskFull(const Scale& scale) {
  constexpr double kFull = 120;
  const double length = scale.quick ? 2 : scale.seconds(kFull, 15);
  Row row{.id = "R9",
          .what = text("the disk of the hub is full for %.0f s of %.0f, then that of the agents while the hub is away", length, kFull),
          .target = "no crash, nothing acknowledged lost, acknowledging again <= 30 s after there is room, verify clean"};
  const std::string directory = scale.directory + "/R9";
  SmallDisk hub_disk(directory + "/hub", 96), agent_disk(directory + "/agents", 64);
  for (const SmallDisk* disk : {&hub_disk, &agent_disk}) {
    if (disk->problem().empty()) continue;
    row.measured = disk->problem();
    return row;
  }
  HubProcess hub({.store = hub_disk.path() + "/s.rgl"});
  Fleet fleet({.name = "soak", .agents = scale.agents(16), .hertz = 10, .longest_pause = kNsPerSecond}, hub.address(), agent_disk.path());
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  Machine machine(&hub);
  (void)fleet.listen(scale.quick ? 0.5 : 5);
  const auto relieved = [&](const SmallDisk& disk, const char* whose) {
    disk.relieve();
    const DurNs began = monotonicNow();
    const bool live = fleet.waitFor([&] { return fleet.isComplete() && fleet.silence() < 2 && fleet.drained(); }, 60);
    const double seconds = static_cast<double>(monotonicNow() - began) / 1e9;
    findings.need(live && seconds <= 30, text("%s disk had room: all acknowledged again after %.1f s", whose, seconds));
  };
  hub_disk.fill();
  const double left = hub_disk.freeMib();
  (void)fleet.listen(length);
  findings.need(left < 0.5 && hub.rssMib() > 0, text("the hub lives with %.1f MiB free", left));
  findings.say(text("silent for %.1f s then", fleet.silence()));
  relieved(hub_disk, "the hub's");
  agent_disk.fill();
  hub.kill9();
  (void)fleet.listen(scale.quick ? 1 : 8);  // agents hold data in memory meanwhile
  hub.start();
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "agents with a full disk return");
  relieved(agent_disk, "the agents'");
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  const auto reader = openStore(hub.store()).reader();
  const auto damaged = reader.ok() ? (*reader)->verify() : reader.status();
  findings.need(damaged.ok() && damaged->empty(), "verify finds no damage");
  row.measured = findings.text(), row.verdict = findings.verdict(), row.machine = Machine::text(use);
  return row;
}

Row powerLoss(const Scale& scale) {
  constexpr double kFull = 10'000;
  const std::string faults = std::string(RG_BIN_DIR) + "/faults";
  const int points = scale.quick ? 100 : std::max(500, static_cast<int>(kFull * scale.share));
  Row row{
      .id = "R11",
      .what = text("power cut at any operation on a simulated disk, of store and spool: the share of RG_FAULT_POINTS=%d of %.0f", points,
                   kFull),
      .target = "power-safe: 0 acked lost; kill-safe: a suffix of each stream, reported; spool: nothing that was synced; never unreadable"};
  if (access(faults.c_str(), X_OK) != 0) {
    row.measured = faults + " is not built";
    return row;
  }
  const std::string command = "RG_FAULT_POINTS=" + std::to_string(points) + " " + faults +
                              " --gtest_brief=1 --gtest_filter='StorePower.*:SpoolPower.*' 2>/dev/null";
  FILE* run = popen(command.c_str(), "r");
  long all = 0, failed = 0;
  std::string seeds;
  char line[512];
  while (run != nullptr && std::fgets(line, sizeof line, run) != nullptr) {
    long some = 0, bad = 0;
    if (std::sscanf(line, "%ld points, %ld failed", &some, &bad) != 2) continue;
    all += some, failed += bad;
    if (bad > 0) seeds += std::string(" ") + line;
  }
  const bool passed = run != nullptr && pclose(run) == 0;
  Findings findings;
  findings.need(passed && all > 0 && failed == 0, text("%ld power cuts and failing syncs, %ld failed%s", all, failed, seeds.c_str()));
  row.measured = findings.text(), row.verdict = findings.verdict();
  return row;
}

}  // namespace runglass::soak
