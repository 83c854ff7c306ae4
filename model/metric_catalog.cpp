// SPDX-License-Identifier: Apache-2.0
#include "model/metric_catalog.h"

#include <algorithm>
#include <array>

#include "model/step_metrics.h"

namespace runglass {
namespace {
using enum MetricScope;

constexpr MetricInfo metric(std::string_view name, std::string_view unit, MetricScope scope, bool counter, std::string_view title,
                            std::string_view help) {
  return {name, unit, scope, counter, title, help};
}

// Sorted by name within a section; findMetric() sorts all rows once.
constexpr std::array kMetrics = {
    // --- devices (NVML) ---
    metric("power_watts", "watts", kDevice, false, "Power", "Board power as the driver reports it (NVML)."),
    metric("power_limit_watts", "watts", kDevice, false, "Power limit", "Enforced board power limit (NVML)."),
    metric("power_refresh_ns", "ns", kDevice, false, "Power refresh",
           "Median time between changes of the power reading: nothing finer can be claimed."),
    metric("energy_joules", "joules", kDevice, true, "Energy", "Energy used since the driver was loaded (NVML)."),
    metric("temperature_celsius", "celsius", kDevice, false, "Temperature", "GPU core temperature (NVML)."),
    metric("memory_temperature_celsius", "celsius", kDevice, false, "Memory temperature",
           "Temperature of the device memory (NVML field 82)."),
    metric("temperature_slowdown_celsius", "celsius", kDevice, false, "Slowdown limit",
           "Temperature at which the hardware slows the clocks (NVML)."),
    metric("sm_clock_hertz", "hertz", kDevice, false, "SM clock", "Current clock of the streaming multiprocessors (NVML)."),
    metric("sm_clock_max_hertz", "hertz", kDevice, false, "SM clock limit", "Highest SM clock that the device allows (NVML)."),
    metric("memory_clock_hertz", "hertz", kDevice, false, "Memory clock", "Current clock of the device memory (NVML)."),
    metric("clock_event_reasons", "", kDevice, false, "Clock event reasons",
           "Reasons for lower clocks as bits (NVML): 0x8 hardware slowdown, 0x20 and 0x40 thermal, 0x80 power brake, 0x4 power cap."),
    metric("gpu_busy_ratio", "ratio", kDevice, false, "GPU busy",
           "Share of time in which some kernel ran (NVML); 1 does not mean that the GPU works hard."),
    metric("gpu_memory_busy_ratio", "ratio", kDevice, false, "Memory busy",
           "Share of time in which device memory was read or written (NVML)."),
    metric("graphics_active_ratio", "ratio", kDevice, false, "Engine active",
           "Share of time in which the compute engine was active (GPM)."),
    metric("sm_active_ratio", "ratio", kDevice, false, "SM active", "Share of streaming multiprocessors with work (GPM)."),
    metric("sm_occupancy_ratio", "ratio", kDevice, false, "SM occupancy", "Resident warps per maximum warps (GPM)."),
    metric("tensor_active_ratio", "ratio", kDevice, false, "Tensor active", "Share of cycles in which tensor cores worked (GPM)."),
    metric("dram_active_ratio", "ratio", kDevice, false, "DRAM active", "Share of cycles in which device memory moved data (GPM)."),
    metric("gpu_memory_used_bytes", "bytes", kDevice, false, "GPU memory", "Device memory in use, without the driver's reserve (NVML)."),
    metric("gpu_memory_total_bytes", "bytes", kDevice, false, "GPU memory size", "Device memory installed (NVML)."),
    metric("nvlink_transmit_bytes_per_s", "bytes_per_s", kDevice, false, "NVLink transmit",
           "Data sent over all NVLinks per second (NVML)."),
    metric("nvlink_receive_bytes_per_s", "bytes_per_s", kDevice, false, "NVLink receive",
           "Data received over all NVLinks per second (NVML)."),
    metric("nvlink_up_count", "count", kDevice, false, "NVLinks up", "Active NVLinks (NVML)."),
    metric("nvlink_crc_error_total", "total", kDevice, true, "NVLink CRC errors", "Data CRC errors on all NVLinks (NVML)."),
    metric("nvlink_replay_error_total", "total", kDevice, true, "NVLink replays", "Replays on all NVLinks (NVML)."),
    metric("nvlink_recovery_error_total", "total", kDevice, true, "NVLink recoveries", "Link recoveries on all NVLinks (NVML)."),
    metric("ecc_corrected_total", "total", kDevice, true, "ECC corrected", "Corrected memory errors over the device's life (NVML)."),
    metric("ecc_uncorrected_total", "total", kDevice, true, "ECC uncorrected",
           "Uncorrectable memory errors over the device's life (NVML)."),
    metric("remapped_rows_corrected_total", "total", kDevice, true, "Rows remapped (corrected)",
           "Memory rows remapped after corrected errors (NVML)."),
    metric("remapped_rows_uncorrected_total", "total", kDevice, true, "Rows remapped (uncorrected)",
           "Memory rows remapped after uncorrectable errors (NVML)."),
    metric("row_remap_pending_count", "count", kDevice, false, "Row remap pending", "1 when a remap waits for a reset (NVML)."),
    metric("row_remap_failed_count", "count", kDevice, false, "Row remap failed",
           "1 when a remap failed: the device is a replacement candidate (NVML)."),
    metric("pcie_replay_total", "total", kDevice, true, "PCIe replays", "PCIe packets sent again (NVML)."),
    metric("pcie_link_generation", "", kDevice, false, "PCIe generation", "Current PCIe generation; falls at idle to save power (NVML)."),
    metric("pcie_link_width", "", kDevice, false, "PCIe width", "Current PCIe lanes (NVML)."),
    metric("recovery_action", "", kDevice, false, "Recovery action",
           "What the driver asks for: 0 none, 1 GPU reset, 2 node reboot, 3 drain, 4 drain and reset (NVML)."),
    metric("gpu_process_memory_bytes", "bytes", kDevice, false, "Process GPU memory", "Device memory of one process (NVML)."),
    metric("gpu_process_count", "count", kDevice, false, "GPU process",
           "A process that uses the GPU and whose memory the driver does not report (NVML)."),
    metric("last_xid", "", kDevice, false, "Last Xid",
           "The last Xid since the driver was loaded, 0 for none; it stays after the fault (dcgm-exporter)."),
    metric("gpu_memory_free_bytes", "bytes", kDevice, false, "GPU memory free", "Device memory not in use (nvidia-smi, DCGM)."),
    // --- devices, from files and exporters ---
    metric("bar1_memory_usage_used_bytes", "bytes", kDevice, false, "BAR1 used", "Device memory mapped for direct access (nvidia-smi)."),
    metric("bmc_temperature_celsius", "celsius", kDevice, false, "BMC temperature", "GPU temperature as the board's controller reads it."),
    metric("ecc_errors_corrected_volatile_total", "total", kDevice, true, "ECC corrected since load",
           "Corrected memory errors since the driver was loaded (nvidia-smi)."),
    metric("ecc_errors_uncorrected_volatile_total", "total", kDevice, true, "ECC uncorrected since load",
           "Uncorrectable memory errors since the driver was loaded (nvidia-smi)."),
    metric("fp16_active_ratio", "ratio", kDevice, false, "FP16 active", "Share of cycles in which the FP16 pipe worked (DCGM)."),
    metric("graphics_clock_hertz", "hertz", kDevice, false, "Graphics clock", "Current graphics clock (nvidia-smi)."),
    metric("net_receive_packets_per_s", "per_s", kDevice, false, "Packets received", "Packets received by a port per second."),
    metric("net_transmit_packets_per_s", "per_s", kDevice, false, "Packets sent", "Packets sent by a port per second."),
    metric("pcie_receive_bytes_per_s", "bytes_per_s", kDevice, false, "PCIe receive", "Data received over PCIe per second (nvidia-smi)."),
    metric("pcie_transmit_bytes_per_s", "bytes_per_s", kDevice, false, "PCIe transmit", "Data sent over PCIe per second (nvidia-smi)."),
    metric("power_average_watts", "watts", kDevice, false, "Power, averaged", "Board power averaged over a second (nvidia-smi)."),
    metric("power_instant_watts", "watts", kDevice, false, "Power, instant", "Board power of the last reading (nvidia-smi)."),
    metric("power_limit_requested_watts", "watts", kDevice, false, "Power limit asked for",
           "The limit that was asked for; the enforced one may be lower (nvidia-smi)."),
    metric("power_violation_ratio", "ratio", kDevice, false, "Power violation", "Share of time held down by the power limit (dmon)."),
    metric("protected_memory_used_bytes", "bytes", kDevice, false, "Protected memory", "Confidential-computing memory in use (dmon)."),
    metric("temperature_margin_celsius", "celsius", kDevice, false, "Temperature margin", "How far below its slowdown limit a GPU is."),
    metric("thermal_violation_count", "count", kDevice, false, "Thermal violation", "1 while clocks are held down by heat (dmon)."),
    metric("utilization_decoder_ratio", "ratio", kDevice, false, "Decoder busy", "Share of time in which the video decoder worked."),
    metric("utilization_encoder_ratio", "ratio", kDevice, false, "Encoder busy", "Share of time in which the video encoder worked."),
    metric("utilization_jpeg_ratio", "ratio", kDevice, false, "JPEG busy", "Share of time in which the JPEG engine worked."),
    metric("utilization_ofa_ratio", "ratio", kDevice, false, "Optical flow busy", "Share of time in which the optical flow engine worked."),
    // --- hosts ---
    metric("cpu_busy_ratio", "ratio", kNode, false, "CPU busy", "Share of CPU time not idle, all cores (/proc/stat)."),
    metric("cpu_core_busy_ratio", "ratio", kNode, false, "Core busy", "Share of one core's time not idle (/proc/stat)."),
    metric("cpu_iowait_ratio", "ratio", kNode, false, "I/O wait", "Share of CPU time idle while a disk request was open (/proc/stat)."),
    metric("cpu_steal_ratio", "ratio", kNode, false, "Steal", "Share of CPU time that the hypervisor gave to others (/proc/stat)."),
    metric("load_1m", "", kNode, false, "Load", "Runnable and uninterruptible tasks, one-minute average (/proc/loadavg)."),
    metric("memory_total_bytes", "bytes", kNode, false, "Memory", "Installed memory that the kernel manages (/proc/meminfo)."),
    metric("memory_available_bytes", "bytes", kNode, false, "Memory available", "Memory that can be had without swapping (/proc/meminfo)."),
    metric("memory_dirty_bytes", "bytes", kNode, false, "Dirty pages", "File data waiting to be written to disk (/proc/meminfo)."),
    metric("memory_free_huge_blocks_bytes", "bytes", kNode, false, "Free huge blocks",
           "Free memory in blocks of order 9 and more; little of it means compaction stalls (/proc/buddyinfo)."),
    metric("swap_total_bytes", "bytes", kNode, false, "Swap", "Configured swap (/proc/meminfo)."),
    metric("swap_free_bytes", "bytes", kNode, false, "Swap free", "Unused swap (/proc/meminfo)."),
    metric("pressure_cpu_some_ratio", "ratio", kNode, false, "CPU pressure", "Share of time in which some task waited for a CPU (PSI)."),
    metric("pressure_cpu_full_ratio", "ratio", kNode, false, "CPU pressure, full",
           "Share of time in which all tasks waited for a CPU (PSI)."),
    metric("pressure_memory_some_ratio", "ratio", kNode, false, "Memory pressure",
           "Share of time in which some task waited for memory (PSI)."),
    metric("pressure_memory_full_ratio", "ratio", kNode, false, "Memory pressure, full",
           "Share of time in which all tasks waited for memory (PSI)."),
    metric("pressure_io_some_ratio", "ratio", kNode, false, "I/O pressure", "Share of time in which some task waited for I/O (PSI)."),
    metric("pressure_io_full_ratio", "ratio", kNode, false, "I/O pressure, full", "Share of time in which all tasks waited for I/O (PSI)."),
    metric("disk_read_bytes_per_s", "bytes_per_s", kNode, false, "Disk read", "Bytes read from a disk per second (/proc/diskstats)."),
    metric("disk_written_bytes_per_s", "bytes_per_s", kNode, false, "Disk write", "Bytes written to a disk per second (/proc/diskstats)."),
    metric("disk_busy_ratio", "ratio", kNode, false, "Disk busy", "Share of time in which a disk had a request open (/proc/diskstats)."),
    metric("mount_free_bytes", "bytes", kNode, false, "Free space", "Space on a mount that an ordinary user can still write (statvfs)."),
    metric("mount_total_bytes", "bytes", kNode, false, "Space", "Size of a mounted file system (statvfs)."),
    metric("mount_time_to_full_ns", "ns", kNode, false, "Time to full", "Time when a mount is full at the rate of the last minutes."),
    metric("mount_answer_ns", "ns", kNode, false, "Mount answer time",
           "How long a mount took to say its free space; seconds mean a stalled file server."),
    metric("net_receive_bytes_per_s", "bytes_per_s", kNode, false, "Net receive",
           "Bytes received by a network interface per second (/proc/net/dev)."),
    metric("net_transmit_bytes_per_s", "bytes_per_s", kNode, false, "Net transmit",
           "Bytes sent by a network interface per second (/proc/net/dev)."),
    metric("net_errors_total", "total", kNode, true, "Net errors",
           "Receive and transmit errors of an interface since boot (/proc/net/dev)."),
    metric("net_dropped_total", "total", kNode, true, "Net drops", "Packets dropped by an interface since boot (/proc/net/dev)."),
    metric("net_link_change_total", "total", kNode, true, "Link changes",
           "Times an interface lost or found its link since boot (/sys/class/net)."),
    metric("net_receive_pause_total", "total", kNode, true, "Pauses received",
           "Pause frames received, by priority: the switch held this node back (ethtool)."),
    metric("net_transmit_pause_total", "total", kNode, true, "Pauses sent",
           "Pause frames sent, by priority: this node held the switch back (ethtool)."),
    metric("net_receive_discard_total", "total", kNode, true, "Port receive discards",
           "Packets that the adapter received and discarded (ethtool)."),
    metric("net_transmit_discard_total", "total", kNode, true, "Port transmit discards",
           "Packets that the adapter discarded instead of sending them (ethtool)."),
    // --- RDMA ports (/sys/class/infiniband) ---
    metric("rdma_transmit_bytes_per_s", "bytes_per_s", kDevice, false, "RDMA transmit", "Bytes sent by an RDMA port per second."),
    metric("rdma_receive_bytes_per_s", "bytes_per_s", kDevice, false, "RDMA receive", "Bytes received by an RDMA port per second."),
    metric("rdma_transmit_packets_per_s", "per_s", kDevice, false, "RDMA packets sent", "Packets sent by an RDMA port per second."),
    metric("rdma_receive_packets_per_s", "per_s", kDevice, false, "RDMA packets received", "Packets received by an RDMA port per second."),
    metric("rdma_port_active_count", "count", kDevice, false, "RDMA port active", "1 while the port's state is ACTIVE."),
    metric("rdma_link_bytes_per_s", "bytes_per_s", kDevice, false, "RDMA link rate", "What the link of the port can carry each way."),
    metric("rdma_transmit_wait_total", "total", kDevice, true, "RDMA transmit wait",
           "Ticks in which data waited for credits: congestion, not time."),
    metric("rdma_link_downed_total", "total", kDevice, true, "RDMA links lost", "Times the link went down and did not recover by itself."),
    metric("rdma_link_recovery_total", "total", kDevice, true, "RDMA link recoveries", "Times the link recovered by itself."),
    metric("rdma_symbol_error_total", "total", kDevice, true, "RDMA symbol errors",
           "Minor link errors; judge their rate against other ports."),
    metric("rdma_receive_error_total", "total", kDevice, true, "RDMA receive errors", "Packets received with errors."),
    metric("rdma_remote_physical_error_total", "total", kDevice, true, "RDMA remote errors", "Packets that the other end had marked bad."),
    metric("rdma_transmit_discard_total", "total", kDevice, true, "RDMA discards",
           "Packets discarded because the port was down or congested."),
    metric("rdma_transmit_constraint_error_total", "total", kDevice, true, "RDMA transmit constraints",
           "Packets that were not allowed out."),
    metric("rdma_receive_constraint_error_total", "total", kDevice, true, "RDMA receive constraints", "Packets that were not allowed in."),
    metric("rdma_link_integrity_error_total", "total", kDevice, true, "RDMA link integrity", "Local physical errors above the threshold."),
    metric("rdma_buffer_overrun_total", "total", kDevice, true, "RDMA buffer overruns", "Times flow control failed."),
    metric("rdma_ack_timeout_total", "total", kDevice, true, "RDMA acknowledge time-outs",
           "Times a peer did not acknowledge in time: it is gone, or packets were lost."),
    metric("rdma_out_of_sequence_total", "total", kDevice, true, "RDMA out of sequence", "Packets that came out of order or after a loss."),
    metric("rdma_packet_sequence_error_total", "total", kDevice, true, "RDMA sequence errors", "Losses reported by the other end."),
    metric("rdma_implied_nak_total", "total", kDevice, true, "RDMA implied losses", "Losses seen from later acknowledgements."),
    metric("rdma_receiver_not_ready_total", "total", kDevice, true, "RDMA receiver not ready",
           "Retries because the receiver had posted nothing."),
    metric("rdma_out_of_buffer_total", "total", kDevice, true, "RDMA out of buffer", "Packets that met no receive buffer."),
    metric("rdma_duplicate_request_total", "total", kDevice, true, "RDMA duplicates", "Requests that came twice: the sender retried."),
    metric("rdma_request_error_total", "total", kDevice, true, "RDMA failed requests", "Requests that completed with an error."),
    metric("rdma_response_error_total", "total", kDevice, true, "RDMA failed responses", "Responses that completed with an error."),
    metric("rdma_checksum_error_total", "total", kDevice, true, "RDMA checksum errors", "Packets with a wrong invariant checksum."),
    metric("rdma_congestion_sent_total", "total", kDevice, true, "RDMA congestion sent", "Congestion notices sent (RoCE)."),
    metric("rdma_ecn_marked_total", "total", kDevice, true, "RDMA ECN marks", "Packets that a congested switch had marked (RoCE)."),
    metric("rdma_congestion_handled_total", "total", kDevice, true, "RDMA congestion obeyed",
           "Congestion notices that slowed a sender (RoCE)."),
    metric("rdma_congestion_ignored_total", "total", kDevice, true, "RDMA congestion ignored", "Congestion notices ignored (RoCE)."),
    metric("rdma_adaptive_retransmit_total", "total", kDevice, true, "RDMA adaptive retransmissions", "Adaptive retransmissions (RoCE)."),
    metric("rdma_adaptive_retransmit_timeout_total", "total", kDevice, true, "RDMA adaptive time-outs",
           "Time-outs of adaptive retransmission (RoCE)."),
    metric("rdma_slow_restart_total", "total", kDevice, true, "RDMA slow restarts", "Slow restarts after a loss (RoCE)."),
    metric("vm_compact_stall_total", "total", kNode, true, "Compaction stalls",
           "Times a task waited for memory compaction (/proc/vmstat)."),
    metric("vm_compact_fail_total", "total", kNode, true, "Compaction failures", "Compactions that freed no huge block (/proc/vmstat)."),
    metric("vm_thp_fault_alloc_total", "total", kNode, true, "Huge pages",
           "Page faults served with a transparent huge page (/proc/vmstat)."),
    metric("vm_thp_fault_fallback_total", "total", kNode, true, "Huge page fallbacks",
           "Page faults that found no huge page (/proc/vmstat)."),
    metric("vm_major_fault_total", "total", kNode, true, "Major faults", "Page faults that had to read from disk (/proc/vmstat)."),
    metric("vm_oom_kill_total", "total", kNode, true, "OOM kills", "Processes killed for lack of memory (/proc/vmstat)."),
    metric("process_cpu_ratio", "ratio", kNode, false, "Process CPU",
           "CPU time of a trainer process per wall time; 1 is one core (/proc/PID/stat)."),
    metric("process_resident_bytes", "bytes", kNode, false, "Process memory", "Resident memory of a trainer process (/proc/PID/stat)."),
    metric("process_thread_count", "count", kNode, false, "Process threads", "Threads of a trainer process (/proc/PID/stat)."),
    metric("process_major_fault_total", "total", kNode, true, "Process major faults",
           "Page faults of a trainer that read from disk (/proc/PID/stat)."),
    metric("process_voluntary_switch_total", "total", kNode, true, "Voluntary switches",
           "Voluntary context switches of a trainer (/proc/PID/status)."),
    metric("process_involuntary_switch_total", "total", kNode, true, "Involuntary switches",
           "Times a trainer was taken off the CPU (/proc/PID/status)."),
    metric("uptime_ns", "ns", kNode, false, "Uptime", "Time since the machine booted (/proc/uptime)."),
    metric("trainer_process_count", "count", kNode, false, "Trainers", "Processes on the node that have a rank in their environment."),
    metric("node_power_watts", "watts", kNode, false, "Node power", "Power of the whole machine, as its meter or controller reads it."),
    // --- inference servers ---
    metric("cache_hit_ratio", "ratio", kNode, false, "Cache hits", "Share of prompt tokens found in the prefix cache."),
    metric("cpu_kv_cache_used_ratio", "ratio", kNode, false, "KV cache on CPU", "Share of the KV cache in host memory that is in use."),
    metric("cpu_prefix_cache_hits_total", "total", kNode, true, "Prefix hits on CPU", "Tokens found in the prefix cache in host memory."),
    metric("cpu_prefix_cache_queries_total", "total", kNode, true, "Prefix look-ups on CPU",
           "Tokens looked up in the prefix cache in host memory."),
    metric("kv_cache_used_ratio", "ratio", kNode, false, "KV cache", "Share of the KV cache that is in use."),
    metric("preemptions_total", "total", kNode, true, "Preemptions", "Requests put back for lack of KV cache."),
    metric("prefix_cache_hits_total", "total", kNode, true, "Prefix hits", "Tokens found in the prefix cache."),
    metric("prefix_cache_queries_total", "total", kNode, true, "Prefix look-ups", "Tokens looked up in the prefix cache."),
    metric("requests_running_count", "count", kNode, false, "Requests running", "Requests in the running batch."),
    metric("throughput_tokens_per_s", "per_s", kNode, false, "Tokens per second", "Tokens generated per second, all requests together."),
    metric("requests_waiting_count", "count", kNode, false, "Requests waiting", "Requests that wait for a place in the batch."),
    // --- runs ---
    metric(kStepTimeMetric, "ns", kRank, false, "Step time", "Wall time of one training step on one rank."),
    metric(kStepPhaseMetric, "", kRank, false, "Step phase", "What a step was: 0 init, 1 warmup, 2 steady, 3 eval, 4 checkpoint."),
    metric(kStepPartMetric, "ns", kRank, false, "Step part",
           "Time of one part of a step (forward, backward, communication, data, optimizer)."),
    metric(kStepPartWaitMetric, "ns", kRank, false, "Step part, waiting",
           "Share of a step part in which the thread was off the CPU: waiting for peers or data."),
    metric(kStepCpuMetric, "ns", kRank, false, "Step CPU time", "CPU time of the whole process, all threads, during one step."),
    metric(kStepRunDelayMetric, "ns", kRank, false, "Step run delay",
           "Time the training thread was ready but had no CPU during one step (/proc/thread-self/schedstat)."),
    metric("data_range_first", "", kRank, false, "First sample", "Index of the first sample a rank consumed in a step."),
    metric("data_range_last", "", kRank, false, "Last sample", "Index after the last sample a rank consumed in a step."),
    metric("run_cpu_ns", "ns", kRank, true, "CPU time", "CPU time of the trainer's main thread (/proc/PID/schedstat)."),
    metric("run_delay_ns", "ns", kRank, true, "Run delay",
           "Time the trainer's main thread was ready but had no CPU (/proc/PID/schedstat)."),
};
constexpr std::array<std::string_view, 12> kUnits = {"flops_per_s", "bytes_per_s", "per_s",  "ns",    "bytes", "watts",
                                                     "celsius",     "hertz",       "joules", "ratio", "count", "total"};
}  // namespace

std::span<const MetricInfo> metricCatalog() { return kMetrics; }

const MetricInfo* findMetric(std::string_view name) {
  static const auto kSorted = [] {
    auto sorted = kMetrics;
    std::sort(sorted.begin(), sorted.end(), [](const MetricInfo& a, const MetricInfo& b) { return a.name < b.name; });
    return sorted;
  }();
  const auto it =
      std::lower_bound(kSorted.begin(), kSorted.end(), name, [](const MetricInfo& m, std::string_view n) { return m.name < n; });
  return it != kSorted.end() && it->name == name ? &*it : nullptr;
}

bool isPlausible(const MetricInfo& metric, double value) {
  constexpr double kMaxShare = 1.5, kMaxCelsius = 200;
  if (metric.unit == "ratio" && metric.name != "process_cpu_ratio") return !(value > kMaxShare);  // a process may use several cores
  if (metric.unit == "celsius") return !(value > kMaxCelsius);
  return true;
}

std::string_view unitOfMetric(std::string_view name) {
  for (std::string_view unit : kUnits)
    if (name.size() > unit.size() && name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_')
      return name.substr(name.size() - unit.size());
  return {};
}

}  // namespace runglass
