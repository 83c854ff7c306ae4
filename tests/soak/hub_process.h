// SPDX-License-Identifier: Apache-2.0
// HubProcess: the shipped `runglassctl serve` as a separate process, and its values in /proc.
//
// Threading:  one thread.
// Ownership:  owns the process; the destructor kills it.
// Units:      seconds, MiB.
// Errors:     a hub that does not start aborts the soak with its output on standard error.
// Cost:       a spawn; a read of /proc per value.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/time.h"

namespace runglass::soak {

class HubProcess {
 public:
  struct Options {
    std::string store;
    std::string listen = "127.0.0.1:0";
    std::vector<std::string> more = {};
    int descriptors = 0;  // limit of open files; 0: unchanged
  };
  explicit HubProcess(Options options) : m_options(std::move(options)) { start(); }
  HubProcess(const HubProcess&) = delete;
  HubProcess& operator=(const HubProcess&) = delete;
  ~HubProcess() { kill9(); }

  const std::string& address() const { return m_address; }
  const std::string& store() const { return m_options.store; }
  pid_t pid() const { return m_pid; }
  // Starts it again at the same address, after an end.
  void start();
  void kill9();
  // Sends SIGTERM `times` times. Duration and exit status; -1: it had to be killed after 20 s.
  struct End {
    double seconds = 0;
    int status = -1;
  };
  End terminate(int times = 1);

  double cpuSeconds() const;  // of all starts together
  double rssMib() const;
  double peakMib() const { return std::max(m_peak_before, peakNow()); }
  int openFiles() const;

 private:
  double peakNow() const;
  double cpuNow() const;

  Options m_options;
  std::string m_address;
  pid_t m_pid = -1;
  double m_cpu_before = 0, m_peak_before = 0;
};

// Processor use since the last call.
class Machine {
 public:
  explicit Machine(const HubProcess* hub) : m_hub(hub) { (void)take(); }
  struct Use {
    double hub = 0, load = 0, others = 0;  // cores
  };
  Use take();
  static std::string text(const Use& use);

 private:
  const HubProcess* m_hub;
  DurNs m_at = 0;
  double m_hub_seconds = 0, m_own_seconds = 0, m_busy_seconds = 0;
};

}  // namespace runglass::soak
