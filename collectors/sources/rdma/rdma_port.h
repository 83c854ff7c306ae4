// SPDX-License-Identifier: Apache-2.0
// RdmaPort: the files of one port of one RDMA device under /sys/class/infiniband.
//
// Threading:  one thread.
// Ownership:  owns the open files.
// Units:      bytes; the kernel counts octets / 4.
// Errors:     counters that a driver lacks are absent. Counters of old adapters stop at their maximum instead of wrapping: see saturated.
// Cost:       readTraffic() four small reads, readErrors() one per counter; drivers answer from a cache of some 10 ms.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/sources/sysfs_file.h"

namespace runglass {

struct RdmaCounter {
  std::string_view file;    // relative to the port
  std::string_view metric;  // of metric_catalog
  std::string_view words;   // "symbol errors"
  std::uint64_t floor = 0;  // per minute; lower rises are ignored, 0: never an event
  std::uint64_t top = 0;    // of narrow counters, which stop there
};
std::span<const RdmaCounter> rdmaCounters();

class RdmaPort {
 public:
  // `folder`: .../infiniband/mlx5_0/ports/1
  RdmaPort(const std::string& folder, std::string device, std::string port, std::string interface_name);

  struct Traffic {
    std::optional<std::uint64_t> sent_bytes, received_bytes, sent_packets, received_packets;
  };
  Traffic readTraffic();
  std::vector<std::optional<std::uint64_t>> readErrors();  // in the order of rdmaCounters()
  std::string state();                                     // "ACTIVE", "DOWN", "INIT", "ARMED"; "" unreadable
  std::optional<double> bytesPerSecond();                  // of the link

  const std::string& device() const { return m_device; }
  const std::string& port() const { return m_port; }
  const std::string& interfaceName() const { return m_interface; }  // the network interface on it; "" none or several
  std::string name() const { return m_device + " port " + m_port; }

 private:
  std::string m_device, m_port, m_interface;
  SysfsFile m_state, m_rate, m_sent, m_received, m_sent_packets, m_received_packets;
  std::vector<SysfsFile> m_errors;
};

// "4: ACTIVE" -> "ACTIVE".
std::string rdmaStateWord(std::string_view printed);
// "400 Gb/sec (4X NDR)" -> 50e9.
std::optional<double> rdmaRate(std::string_view printed);
// Every port of every device under `root`, by name.
std::vector<RdmaPort> findRdmaPorts(const std::string& root);

}  // namespace runglass
