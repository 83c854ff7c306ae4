// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/hub_process.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "model/result.h"
#include "tests/soak/row.h"
#include "tests/support/process.h"

namespace runglass::soak {
namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

double statusMib(pid_t pid, const std::string& key) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(key.size())) / 1024;
  return 0;
}

// Of all processors and processes together.
double busySeconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
  stat >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq;
  return (user + nice + system + irq + softirq) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

void HubProcess::start() {
  RG_CHECK(m_pid < 0);
  std::vector<std::string> arguments;
  if (m_options.descriptors > 0)
    arguments = {"/bin/sh", "-c", "ulimit -n " + std::to_string(m_options.descriptors) + " && exec \"$@\"", "sh"};
  for (const std::string& part : {std::string(RG_BIN_DIR) + "/runglassctl", std::string("serve"), std::string("--store"), m_options.store,
                                  std::string("--listen"), m_address.empty() ? m_options.listen : m_address})
    arguments.push_back(part);
  arguments.insert(arguments.end(), m_options.more.begin(), m_options.more.end());
  const test::Spawned spawned = test::spawn(std::move(arguments));
  m_pid = spawned.pid;
  const std::string line = test::firstLine(spawned.out);
  close(spawned.out);
  if (!line.starts_with("listening on ")) {
    std::fprintf(stderr, "soak: the hub did not start: %s\n", line.c_str());
    std::exit(2);
  }
  m_address = line.substr(line.rfind(' ') + 1);
}

void HubProcess::kill9() {
  if (m_pid < 0) return;
  m_peak_before = peakMib();
  m_cpu_before += cpuNow();
  kill(m_pid, SIGKILL);
  waitpid(m_pid, nullptr, 0);
  m_pid = -1;
}

HubProcess::End HubProcess::terminate(int times) {
  m_peak_before = peakMib();
  const double cpu = cpuNow();
  const DurNs began = monotonicNow();
  const auto took = [&] { return static_cast<double>(monotonicNow() - began) / 1e9; };
  int status = 0;
  kill(m_pid, SIGTERM);
  for (int sent = 1; waitpid(m_pid, &status, WNOHANG) == 0; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    if (sent < times && took() > 0.05 * sent) {
      kill(m_pid, SIGTERM);
      ++sent;
    }
    if (took() < 20) continue;
    kill9();
    return {took(), -1};
  }
  m_cpu_before += cpu;
  m_pid = -1;
  return {took(), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

double HubProcess::cpuNow() const {
  std::ifstream stat("/proc/" + std::to_string(m_pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 2)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double HubProcess::cpuSeconds() const { return m_cpu_before + (m_pid < 0 ? 0 : cpuNow()); }
double HubProcess::rssMib() const { return m_pid < 0 ? 0 : statusMib(m_pid, "VmRSS:"); }
double HubProcess::peakNow() const { return m_pid < 0 ? 0 : statusMib(m_pid, "VmHWM:"); }

int HubProcess::openFiles() const {
  DIR* directory = opendir(("/proc/" + std::to_string(m_pid) + "/fd").c_str());
  if (directory == nullptr) return 0;
  int count = -2;  // "." and ".."
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

Machine::Use Machine::take() {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  const DurNs now = monotonicNow();
  const double hub = m_hub != nullptr ? m_hub->cpuSeconds() : 0, self = seconds(own.ru_utime) + seconds(own.ru_stime), busy = busySeconds();
  const double length = std::max(1e-9, static_cast<double>(now - m_at) / 1e9);
  Use use{.hub = (hub - m_hub_seconds) / length, .load = (self - m_own_seconds) / length};
  use.others = std::max(0.0, (busy - m_busy_seconds) / length - use.hub - use.load);
  m_at = now, m_hub_seconds = hub, m_own_seconds = self, m_busy_seconds = busy;
  return use;
}

std::string Machine::text(const Use& use) { return soak::text("cores: hub %.2f, agents %.2f, others %.2f", use.hub, use.load, use.others); }

}  // namespace runglass::soak
