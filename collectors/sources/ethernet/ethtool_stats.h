// SPDX-License-Identifier: Apache-2.0
// The driver's own counters of a network interface (`ethtool -S`): pauses by priority, discards of the port.
//
// Threading:  one thread.
// Ownership:  EthtoolStats owns a socket.
// Units:      packets and pause frames since the driver was loaded; pause durations as the driver counts them.
// Errors:     an interface without such counters, or with more than kMaxCounters, gives none; it is not queried again for its names.
// Cost:       one ioctl per read, two more the first time; 16 bytes per counter of the driver while it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

// Meaning of one of those counters: metric of metric_catalog and its priority.
struct PauseCounter {
  std::string_view metric;
  std::optional<int> priority;  // absent: of the whole port
  friend bool operator==(const PauseCounter&, const PauseCounter&) = default;
};
// "rx_prio3_pause" -> net_receive_pause_total, 3; "rx_discards_phy" -> net_receive_discard_total. Absent for all others.
std::optional<PauseCounter> pauseCounterOf(std::string_view ethtool_name);

class EthtoolStats {
 public:
  static constexpr std::uint32_t kMaxCounters = 65'536;  // some drivers have dozens per queue, and a queue per core
  // An ethtool request to an interface; false: it was rejected.
  using Ask = std::function<bool(const std::string& interface_name, void* request)>;

  EthtoolStats();
  explicit EthtoolStats(Ask ask) : m_ask(std::move(ask)) {}
  ~EthtoolStats();
  EthtoolStats(const EthtoolStats&) = delete;
  EthtoolStats& operator=(const EthtoolStats&) = delete;

  using Values = std::vector<std::pair<PauseCounter, std::uint64_t>>;
  Values read(const std::string& interface_name);
  // The number of its counters, if too large to read.
  std::optional<std::uint32_t> tooMany(const std::string& interface_name) const;

 private:
  struct Names {
    std::uint32_t count = 0;                                     // of all counters of the driver
    std::vector<std::pair<std::uint32_t, PauseCounter>> wanted;  // by place
    std::optional<std::uint32_t> too_many;
  };
  const Names& names(const std::string& interface_name);

  int m_socket = -1;
  Ask m_ask;
  std::map<std::string, Names> m_names;
};

}  // namespace runglass
