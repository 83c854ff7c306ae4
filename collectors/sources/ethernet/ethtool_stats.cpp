// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/ethernet/ethtool_stats.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace runglass {
namespace {
constexpr std::size_t kMaxInterfaces = 1024;

// Spare room: a driver can gain counters between two calls, and reports it only afterwards.
std::size_t roomFor(std::uint32_t counters) { return 2 * std::size_t{counters} + 4096; }

bool askKernel(int socket, const std::string& interface_name, void* request) {
  ifreq asked{};
  if (socket < 0 || interface_name.size() >= sizeof asked.ifr_name) return false;
  std::memcpy(asked.ifr_name, interface_name.data(), interface_name.size());
  asked.ifr_data = static_cast<char*>(request);
  return ::ioctl(socket, SIOCETHTOOL, &asked) == 0;
}
}  // namespace

std::optional<PauseCounter> pauseCounterOf(std::string_view name) {
  if (name == "rx_discards_phy") return PauseCounter{"net_receive_discard_total", {}};
  if (name == "tx_discards_phy") return PauseCounter{"net_transmit_discard_total", {}};
  const bool received = name.starts_with("rx_");
  if (!received && !name.starts_with("tx_")) return std::nullopt;
  const std::string_view metric = received ? "net_receive_pause_total" : "net_transmit_pause_total";
  name.remove_prefix(3);
  if (name == "pause_ctrl_phy") return PauseCounter{metric, {}};
  if (!name.starts_with("prio") || !name.ends_with("_pause")) return std::nullopt;
  name = name.substr(4, name.size() - 10);
  int priority = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), priority);
  if (error != std::errc() || end != name.data() + name.size() || priority < 0 || priority > 15) return std::nullopt;
  return PauseCounter{metric, priority};
}

EthtoolStats::EthtoolStats()
    : m_socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      m_ask([socket = m_socket](const std::string& interface_name, void* request) { return askKernel(socket, interface_name, request); }) {}
EthtoolStats::~EthtoolStats() {
  if (m_socket >= 0) ::close(m_socket);
}

const EthtoolStats::Names& EthtoolStats::names(const std::string& interface_name) {
  if (const auto known = m_names.find(interface_name); known != m_names.end()) return known->second;
  if (m_names.size() >= kMaxInterfaces) m_names.clear();  // names of containers come and go
  Names& found = m_names[interface_name];
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (!m_ask(interface_name, &driver) || driver.n_stats == 0) return found;
  if (driver.n_stats > kMaxCounters) {
    found.too_many = driver.n_stats;
    return found;
  }
  std::vector<std::uint64_t> room((sizeof(ethtool_gstrings) + roomFor(driver.n_stats) * ETH_GSTRING_LEN) / sizeof(std::uint64_t) + 1);
  auto* strings = reinterpret_cast<ethtool_gstrings*>(room.data());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = driver.n_stats;
  if (!m_ask(interface_name, strings) || strings->len > roomFor(driver.n_stats)) return found;
  found.count = strings->len;
  for (std::uint32_t i = 0; i < strings->len; ++i) {
    const char* name = reinterpret_cast<const char*>(strings->data) + std::size_t{i} * ETH_GSTRING_LEN;
    if (const auto counter = pauseCounterOf({name, strnlen(name, ETH_GSTRING_LEN)})) found.wanted.emplace_back(i, *counter);
  }
  return found;
}

EthtoolStats::Values EthtoolStats::read(const std::string& interface_name) {
  Values values;
  const Names& known = names(interface_name);
  if (known.wanted.empty()) return values;
  std::vector<std::uint64_t> room(sizeof(ethtool_stats) / sizeof(std::uint64_t) + roomFor(known.count));
  auto* stats = reinterpret_cast<ethtool_stats*>(room.data());
  stats->cmd = ETHTOOL_GSTATS;
  stats->n_stats = known.count;
  if (!m_ask(interface_name, stats) || stats->n_stats != known.count) {
    m_names.erase(interface_name);  // another driver: its names are queried again
    return values;
  }
  for (const auto& [place, counter] : known.wanted)
    values.emplace_back(counter, room[sizeof(ethtool_stats) / sizeof(std::uint64_t) + place]);
  return values;
}

std::optional<std::uint32_t> EthtoolStats::tooMany(const std::string& interface_name) const {
  const auto known = m_names.find(interface_name);
  return known == m_names.end() ? std::nullopt : known->second.too_many;
}

}  // namespace runglass
