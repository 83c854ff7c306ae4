// SPDX-License-Identifier: Apache-2.0
// Invariant: meanings are those of the source, advice is from Runglass.
#include "model/clock_reasons.h"

#include <array>
#include <cstdio>

namespace runglass {
namespace {

constexpr std::array kReasons = {
    ClockReason{0x1, "idle", "Nothing runs on the GPU and its clocks fall.", "Normal outside a job.", false},
    ClockReason{0x2, "application clocks", "Clocks are limited by a setting of applications' clocks.",
                "Compare the setting over all nodes of the job.", false},
    ClockReason{0x4, "software power cap", "The power limit holds the clocks down.",
                "Normal under load. A lower limit than the peers' is a setting to look at.", false},
    ClockReason{0x8, "hardware slowdown", "The hardware lowers the core clocks by half or more: too hot, or power brake.",
                "Look at the thermal and power-brake bits beside it, at cooling and power supply.", true},
    ClockReason{0x10, "sync boost", "The GPU is in a group that boosts together.", "Another GPU of the group is the slow one.", false},
    ClockReason{0x20, "software thermal slowdown", "The driver lowers clocks to keep GPU or memory below their limit.",
                "Check cooling and inlet temperature; compare with the node's other GPUs.", true},
    ClockReason{0x40, "hardware thermal slowdown", "The GPU is too hot: clocks are lowered by half or more.",
                "Check fans, heat sinks and inlet temperature; drain the node if it lasts.", true},
    ClockReason{0x80, "hardware power brake", "The system asks the GPU to brake: power supply or its cabling.",
                "Check power supplies, their redundancy and the rack's power budget.", true},
    ClockReason{0x100, "display clock", "A display limits the clocks.", "Not expected on a server.", false},
};

// Names of the documents; these have no date to cite.
constexpr std::string_view kNvml = "NVML, field 230 (GPU recovery action)", kMemory = "NVIDIA, GPU memory error management",
                           kLinux = "Linux ABI, sysfs-class-infiniband", kMellanox = "NVIDIA, mlx5 hw_counters";
constexpr std::array kStates = {
    StateAdvice{"recovery_action", "0", "The driver asks for nothing.", "", kNvml},
    StateAdvice{"recovery_action", "1", "The GPU needs a reset.", "Drain the node, end its processes, reset the GPU.", kNvml},
    StateAdvice{"recovery_action", "2", "The node needs a reboot.", "Drain and reboot the node.", kNvml},
    StateAdvice{"recovery_action", "3", "Drain peer-to-peer traffic.", "End the jobs that use NVLink with this GPU.", kNvml},
    StateAdvice{"recovery_action", "4", "Drain and reset.", "Place no new work there; reset when its work has ended.", kNvml},
    StateAdvice{"ecc_corrected_total", "", "Single-bit memory errors were corrected.",
                "Compare the rate with the peers'; nothing to do by itself.", kMemory},
    StateAdvice{"ecc_uncorrected_total", "", "Memory errors could not be corrected.",
                "Look for Xid 48, 63, 64, 94 and 95 beside it; reset the GPU, and replace it if rows cannot be remapped.", kMemory},
    StateAdvice{"remapped_rows_corrected_total", "", "Rows were remapped after corrected errors.", "Watch the count.", kMemory},
    StateAdvice{"remapped_rows_uncorrected_total", "", "Rows were remapped after uncorrectable errors.",
                "Watch the count; look for row_remap_failed_count beside it.", kMemory},
    StateAdvice{"row_remap_pending_count", "1", "A remap waits for a reset.", "Reset the GPU when its work has ended.", kMemory},
    StateAdvice{"row_remap_failed_count", "1", "A remap failed.", "Take the GPU out: it is a candidate for replacement.", kMemory},
    StateAdvice{"link_downed", "", "The link failed to recover and went down.", "Check cable, transceiver and switch port.", kLinux},
    StateAdvice{"link_error_recovery", "", "The link recovered from errors by itself.", "Watch it: flaps of seconds stall collectives.",
                kLinux},
    StateAdvice{"symbol_error", "", "Symbols were received with errors.", "Clean or reseat the cable if it grows faster than the peers'.",
                kLinux},
    StateAdvice{"port_rcv_errors", "", "Packets arrived with errors.", "Check the cable and the other end of the link.", kLinux},
    StateAdvice{"port_xmit_wait", "", "The port had data and no credits: congestion.",
                "Compare with the peers: one port alone has a slow receiver behind it.", kLinux},
    StateAdvice{"port_xmit_discards", "", "Outgoing packets were dropped.", "Congestion or a port that is down: look at the switch.",
                kLinux},
    StateAdvice{"out_of_sequence", "", "Packets came out of order.", "Loss or several paths: look at ECN, PFC and the switch's drops.",
                kMellanox},
    StateAdvice{"packet_seq_err", "", "A NAK for a lost packet was received.", "Packets are lost on the way: look at the switch's drops.",
                kMellanox},
    StateAdvice{"local_ack_timeout_err", "", "The peer did not acknowledge in time.",
                "A peer or path is gone or stalled; with NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT low the job ends by it.", kMellanox},
    StateAdvice{"rnr_nak_retry_err", "", "The receiver had no buffer posted.", "The receiving process is late or stuck.", kMellanox},
    StateAdvice{"np_cnp_sent", "", "Congestion notifications were sent.", "Normal in bursts; a steady rate on one port is a hot spot.",
                kMellanox},
    StateAdvice{"rx_icrc_encapsulated", "", "Packets with a wrong checksum arrived.", "A bad cable or port on the way.", kMellanox},
};

}  // namespace

std::span<const ClockReason> clockReasons() { return kReasons; }

std::vector<std::string> clockReasonNames(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const ClockReason& reason : kReasons)
    if ((bits & reason.bit) != 0) names.emplace_back(reason.words), bits &= ~std::uint64_t{reason.bit};
  if (bits != 0) {
    char hex[24];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(bits));
    names.emplace_back(hex);
  }
  return names;
}

std::string clockReasonWords(std::uint64_t bits) {
  std::string text;
  for (const std::string& name : clockReasonNames(bits)) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "none" : text;
}

std::span<const StateAdvice> stateAdvice() { return kStates; }

const StateAdvice* findStateAdvice(std::string_view metric, std::string_view value) {
  const StateAdvice* general = nullptr;
  for (const StateAdvice& row : kStates) {
    if (row.metric != metric) continue;
    if (row.value == value) return &row;
    if (row.value.empty()) general = &row;
  }
  return general;
}

}  // namespace runglass
