// SPDX-License-Identifier: Apache-2.0
// TrafficWatch: detects changes in the RDMA traffic of a node. Training is periodic, so its traffic per half minute is steady. A port that
// falls behind the node's other ports is faulty; a node whose traffic stops while its trainers are alive hangs or waits (MegaScale,
// NSDI'24, section 3: traffic that declines or ceases).
//
// Threading:  one thread.
// Units:      bytes per second, mean over a bin of kBin.
// Cost:       O(ports x kKeep) per bin.
//
// Avoiding false alarms: a checkpoint, an evaluation or the end of a job stops all ports at once, so a port is judged by its share of the
// node's traffic, and only while there is traffic. A stop of all ports is reported only while trainers are known to be alive, after 10
// minutes or three times the longest pause so far. Other trainers, or a pause without known trainers, reset the baseline.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "model/time.h"

namespace runglass {

class TrafficWatch {
 public:
  static constexpr DurNs kBin = 30 * kNsPerSecond;
  static constexpr double kBusyBytesPerS = 1e6;  // of the node; less is management traffic
  enum class Change : std::uint8_t { kStopped, kFaded, kResumed };
  struct Verdict {
    Change change = Change::kStopped;
    std::optional<std::size_t> port;  // absent: the whole node
    double now = 0, usual = 0;        // bytes per second
    DurNs since = 0;
  };

  // Adds a bin. `trainers`: changes with the set of training processes; absent: none known.
  std::vector<Verdict> add(std::span<const double> bytes_per_s, std::optional<std::uint64_t> trainers);

 private:
  static constexpr std::size_t kKeep = 60, kLearn = 10, kRecent = 10;
  struct Port {
    std::deque<double> shares;
    int stopped = 0, low = 0, back = 0, reported_bins = 0;
    std::optional<Change> reported;
  };
  void forget(std::size_t ports);
  void idle(bool trainers, std::vector<Verdict>& out);
  void judgePort(std::size_t index, double share, double total, std::vector<Verdict>& out);
  void judgeNode(double total, std::vector<Verdict>& out);

  std::vector<Port> m_ports;
  std::deque<double> m_totals;
  std::optional<std::uint64_t> m_trainers;
  int m_idle = 0, m_longest_idle = 0;
  bool m_stopped = false;
};

}  // namespace runglass
