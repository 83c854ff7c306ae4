// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/rdma/rdma_port.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace runglass {
namespace {
namespace fs = std::filesystem;
constexpr std::size_t kMaxPorts = 256;
constexpr std::uint64_t kFourBits = 15, kByte = 255, kTwoBytes = 65535;

constexpr std::array kCounters = {
    RdmaCounter{"counters/link_downed", "rdma_link_downed_total", "links lost", 0, kByte},
    RdmaCounter{"counters/link_error_recovery", "rdma_link_recovery_total", "link recoveries", 1, kByte},
    RdmaCounter{"counters/symbol_error", "rdma_symbol_error_total", "symbol errors", 100, kTwoBytes},
    RdmaCounter{"counters/port_rcv_errors", "rdma_receive_error_total", "packets received with errors", 10, kTwoBytes},
    RdmaCounter{"counters/port_rcv_remote_physical_errors", "rdma_remote_physical_error_total", "packets marked bad by the other end", 10,
                kTwoBytes},
    RdmaCounter{"counters/port_xmit_discards", "rdma_transmit_discard_total", "packets discarded instead of sent", 1000, kTwoBytes},
    RdmaCounter{"counters/port_xmit_wait", "rdma_transmit_wait_total", "ticks waiting for credits"},
    RdmaCounter{"counters/port_xmit_constraint_errors", "rdma_transmit_constraint_error_total", "packets not allowed out", 10, kByte},
    RdmaCounter{"counters/port_rcv_constraint_errors", "rdma_receive_constraint_error_total", "packets not allowed in", 10, kByte},
    RdmaCounter{"counters/local_link_integrity_errors", "rdma_link_integrity_error_total", "link integrity errors", 1, kFourBits},
    RdmaCounter{"counters/excessive_buffer_overrun_errors", "rdma_buffer_overrun_total", "buffer overruns", 1, kFourBits},
    RdmaCounter{"hw_counters/local_ack_timeout_err", "rdma_ack_timeout_total", "acknowledgements that did not come", 10},
    RdmaCounter{"hw_counters/out_of_sequence", "rdma_out_of_sequence_total", "packets out of sequence", 1000},
    RdmaCounter{"hw_counters/packet_seq_err", "rdma_packet_sequence_error_total", "sequence errors reported by the other end", 1000},
    RdmaCounter{"hw_counters/implied_nak_seq_err", "rdma_implied_nak_total", "implied sequence errors", 1000},
    RdmaCounter{"hw_counters/rnr_nak_retry_err", "rdma_receiver_not_ready_total", "retries because the receiver was not ready", 100},
    RdmaCounter{"hw_counters/out_of_buffer", "rdma_out_of_buffer_total", "packets without a receive buffer", 1000},
    RdmaCounter{"hw_counters/duplicate_request", "rdma_duplicate_request_total", "requests that came twice", 1000},
    RdmaCounter{"hw_counters/req_cqe_error", "rdma_request_error_total", "requests that failed"},
    RdmaCounter{"hw_counters/resp_cqe_error", "rdma_response_error_total", "responses that failed"},
    RdmaCounter{"hw_counters/rx_icrc_encapsulated", "rdma_checksum_error_total", "packets with a wrong checksum", 1},
    RdmaCounter{"hw_counters/np_cnp_sent", "rdma_congestion_sent_total", "congestion notices sent"},
    RdmaCounter{"hw_counters/np_ecn_marked_roce_packets", "rdma_ecn_marked_total", "packets marked by a congested switch"},
    RdmaCounter{"hw_counters/rp_cnp_handled", "rdma_congestion_handled_total", "congestion notices obeyed"},
    RdmaCounter{"hw_counters/rp_cnp_ignored", "rdma_congestion_ignored_total", "congestion notices ignored"},
    RdmaCounter{"hw_counters/roce_adp_retrans", "rdma_adaptive_retransmit_total", "adaptive retransmissions"},
    RdmaCounter{"hw_counters/roce_adp_retrans_to", "rdma_adaptive_retransmit_timeout_total", "adaptive retransmission time-outs", 100},
    RdmaCounter{"hw_counters/roce_slow_restart", "rdma_slow_restart_total", "slow restarts"},
};

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < kMaxPorts; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  return names;
}

std::optional<std::uint64_t> timesFour(std::optional<std::uint64_t> words) {
  // A 32-bit counter at its maximum has stopped.
  if (!words || *words == UINT32_MAX || *words > UINT64_MAX / 4) return std::nullopt;
  return *words * 4;
}
}  // namespace

std::span<const RdmaCounter> rdmaCounters() { return kCounters; }

std::string rdmaStateWord(std::string_view printed) {
  const std::size_t colon = printed.find(": ");
  return std::string(colon == std::string_view::npos ? printed : printed.substr(colon + 2)).substr(0, 32);
}

std::optional<double> rdmaRate(std::string_view printed) {
  double gigabits = 0;
  const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), gigabits);
  const std::string_view rest = printed.substr(static_cast<std::size_t>(end - printed.data()));
  if (error != std::errc() || !std::isfinite(gigabits) || !rest.starts_with(" Gb/sec")) return std::nullopt;
  return gigabits * 1e9 / 8;
}

RdmaPort::RdmaPort(const std::string& folder, std::string device, std::string port, std::string interface_name)
    : m_device(std::move(device)),
      m_port(std::move(port)),
      m_interface(std::move(interface_name)),
      m_state(folder + "/state"),
      m_rate(folder + "/rate"),
      m_sent(folder + "/counters/port_xmit_data"),
      m_received(folder + "/counters/port_rcv_data"),
      m_sent_packets(folder + "/counters/port_xmit_packets"),
      m_received_packets(folder + "/counters/port_rcv_packets") {
  for (const RdmaCounter& counter : kCounters) {
    std::string path = folder + "/" + std::string(counter.file);
    std::error_code error;
    // Some drivers have hw_counters in the device's folder, not the port's.
    if (counter.file.starts_with("hw_") && !fs::exists(path, error)) path = folder + "/../../" + std::string(counter.file);
    m_errors.emplace_back(fs::exists(path, error) ? path : std::string());
  }
}

RdmaPort::Traffic RdmaPort::readTraffic() {
  return {timesFour(m_sent.number()), timesFour(m_received.number()), m_sent_packets.number(), m_received_packets.number()};
}

std::vector<std::optional<std::uint64_t>> RdmaPort::readErrors() {
  std::vector<std::optional<std::uint64_t>> values;
  values.reserve(m_errors.size());
  for (SysfsFile& file : m_errors) {
    values.push_back(file.number());
    file.close();  // a node can have hundreds of them
  }
  return values;
}

std::string RdmaPort::state() {
  const auto printed = m_state.text();
  return printed ? rdmaStateWord(*printed) : std::string();
}

std::optional<double> RdmaPort::bytesPerSecond() {
  const auto printed = m_rate.text();
  return printed ? rdmaRate(*printed) : std::nullopt;
}

std::vector<RdmaPort> findRdmaPorts(const std::string& root) {
  std::vector<RdmaPort> ports;
  const fs::path all = fs::path(root) / "sys/class/infiniband";
  for (const std::string& device : namesIn(all)) {
    const std::vector<std::string> interfaces = namesIn(all / device / "device/net");
    for (const std::string& port : namesIn(all / device / "ports"))
      if (ports.size() < kMaxPorts)
        ports.emplace_back((all / device / "ports" / port).string(), device, port, interfaces.size() == 1 ? interfaces[0] : std::string());
  }
  return ports;
}

}  // namespace runglass
