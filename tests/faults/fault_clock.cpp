// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_clock.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace runglass::test {
namespace {

std::atomic<TimeNs> g_now = 0;  // 0: no clock exists

bool allOthersWait() {
  const std::string own = std::to_string(::syscall(SYS_gettid));
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == own) continue;
    std::ifstream file(task.path() / "stat");
    std::string line;
    std::getline(file, line);
    // "TID (NAME) STATE …"; a thread that ended meanwhile has no line.
    const std::size_t end = line.rfind(") ");
    if (end != std::string::npos && line.compare(end + 2, 1, "S") != 0) return false;
  }
  return true;
}

}  // namespace

FaultClock::FaultClock() { g_now = monotonicNow(); }
FaultClock::~FaultClock() { g_now = 0; }

void FaultClock::advance(DurNs by) {
  while (!allOthersWait()) ::sched_yield();
  g_now += by;
}

std::optional<TimeNs> FaultClock::now() {
  const TimeNs now = g_now;
  return now == 0 ? std::nullopt : std::optional(now);
}

}  // namespace runglass::test
