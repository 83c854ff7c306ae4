// SPDX-License-Identifier: Apache-2.0
// Invariant: Xid actions are the vendor's (kXidSource); severities and advice are from Runglass. The vendor's table differs by
//            architecture, this one does not.
#include "model/fault_catalog.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace runglass {
namespace {
using enum Severity;
using enum FaultScope;

constexpr FaultInfo xid(std::string_view code, Severity severity, FaultScope scope, std::string_view action, std::string_view meaning,
                        std::string_view advice) {
  return {"xid", code, severity, scope, false, action, meaning, advice};
}
constexpr FaultInfo secondaryXid(std::string_view code, std::string_view action, std::string_view meaning, std::string_view advice) {
  return {"xid", code, kWarning, kProcess, true, action, meaning, advice};
}
constexpr FaultInfo fault(std::string_view kind, std::string_view code, Severity severity, FaultScope scope, std::string_view meaning,
                          std::string_view advice, bool secondary = false) {
  return {kind, code, severity, scope, secondary, "", meaning, advice};
}
constexpr std::string_view kNvlink5Advice =
    "The unit and its status identify the faulty end; fatal: reset the GPU. Look at the same link of the peer, cables and switch.";

constexpr auto kFaults = [] {
  std::array all = {
      xid("", kError, kGpu, "", "GPU error reported by the driver", "See the vendor's Xid catalogue for this code."),
      xid("13", kError, kProcess, "RESTART_APP", "graphics or SM engine exception (out-of-bounds access, illegal instruction)",
          "Suspect the application first; the hardware if the same GPC and TPC repeat in different jobs."),
      xid("31", kError, kProcess, "RESTART_APP", "GPU memory page fault",
          "Suspect a bad pointer in the application first; the hardware if one GPU alone repeats it."),
      xid("32", kError, kProcess, "RESTART_APP", "invalid or corrupted push buffer", "Restart the job; suspect PCIe if it repeats."),
      xid("39", kError, kProcess, "RESTART_APP", "copy engine exception", "Restart the job."),
      xid("43", kWarning, kProcess, "IGNORE", "GPU stopped processing for this application",
          "The application failed; the GPU is still healthy."),
      secondaryXid("45", "WORKFLOW_XID_45", "preemptive channel removal",
                   "Cleanup after another error or a kill: follow that one. Alone: restart the fabric manager."),
      xid("46", kError, kGpu, "RESET_GPU", "GPU stopped processing (timeout)", "Drain the node and reset the GPU."),
      xid("48", kCritical, kGpu, "WORKFLOW_XID_48", "uncorrectable (double-bit) ECC error",
          "Drain, reset the GPU; look for 63, 64, 94 and 95 beside it (171 DRAM, 172 SRAM)."),
      xid("54", kError, kNode, "CHECK_MECHANICALS", "auxiliary power is not connected", "Check power cabling."),
      xid("61", kError, kGpu, "RESET_GPU", "internal micro-controller breakpoint or warning",
          "Drain the node and reset the GPU; replace it if the code repeats after a reset and with other drivers."),
      xid("62", kError, kGpu, "RESET_GPU", "internal micro-controller halt", "Drain the node and reset the GPU."),
      xid("63", kInfo, kGpu, "IGNORE", "row remap or page retirement recorded", "Reset at the next maintenance; watch the count."),
      xid("64", kCritical, kGpu, "RESET_GPU", "row remap or page retirement failed",
          "Remapping resources are exhausted or the InfoROM could not be written: candidate for replacement."),
      xid("69", kError, kProcess, "RESTART_APP", "graphics engine class error",
          "Suspect the application or the driver first; the hardware if one GPU alone repeats it."),
      xid("74", kError, kLink, "WORKFLOW_NVLINK_ERR", "NVLink error",
          "Check both ends of the link, its replay and CRC counters, and the fabric manager."),
      xid("79", kCritical, kNode, "RESTART_BM", "GPU has fallen off the bus",
          "Drain, power-cycle the node; check PCIe, power and temperatures."),
      xid("92", kWarning, kGpu, "IGNORE", "high single-bit ECC error rate", "Watch its trend."),
      xid("94", kError, kProcess, "RESTART_APP", "contained memory error", "Only that application is affected; reset the GPU when idle."),
      xid("95", kCritical, kGpu, "RESET_GPU", "uncontained memory error", "Every application on the GPU is affected: drain, reset."),
      xid("109", kError, kGpu, "RESET_GPU", "context switch timeout", "Drain the node and reset the GPU."),
      xid("110", kError, kGpu, "RESET_GPU", "security fault", "Drain the node and reset the GPU."),
      xid("119", kError, kGpu, "RESET_GPU", "GSP RPC timeout",
          "Drain, reset the GPU, reboot if the reset fails; update driver and firmware."),
      xid("120", kError, kGpu, "RESET_GPU", "GSP error", "Drain, reset the GPU, reboot if the reset fails; update driver and firmware."),
      xid("121", kWarning, kLink, "IGNORE", "corrected error on the C2C link", "Reset when idle."),
      xid("136", kError, kLink, "RESET_GPU", "NVLink training failed", "Check link and cable."),
      xid("140", kCritical, kGpu, "RESET_GPU", "unrecovered ECC error", "Drain, reset the GPU."),
      xid("143", kCritical, kGpu, "RESET_GPU", "GPU initialisation error", "Drain, reset the GPU."),
      xid("144", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink SAW error", kNvlink5Advice),
      xid("145", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink RLW error", kNvlink5Advice),
      xid("146", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink TLW error", kNvlink5Advice),
      xid("147", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink TREX error", kNvlink5Advice),
      xid("148", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink NVLPW_CTRL error", kNvlink5Advice),
      xid("149", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink NETIR error (link event or bit error rate)", kNvlink5Advice),
      xid("150", kError, kLink, "WORKFLOW_NVLINK5_ERR", "NVLink MSE error", kNvlink5Advice),
      xid("151", kError, kGpu, "RESTART_VM", "key rotation error", "Confidential computing: restart the virtual machine."),
      secondaryXid("154", "", "the GPU's recovery action changed", "Its text names the action; the reason is the Xid before it."),
      xid("155", kWarning, kLink, "RESET_GPU", "NVLink software-defined error", "Reset the GPU when idle."),
      xid("156", kWarning, kGpu, "RESET_GPU", "resource retirement event", "Reset the GPU when idle."),
      xid("157", kWarning, kGpu, "IGNORE", "resource retirement failed", "Watch the count."),
      xid("158", kCritical, kGpu, "RESET_GPU", "GPU fatal timeout", "Drain, reset the GPU."),
      xid("160", kInfo, kGpu, "IGNORE", "channel retirement event", "Watch the count."),
      xid("161", kWarning, kGpu, "IGNORE", "channel retirement failed", "Watch the count."),
      xid("171", kInfo, kGpu, "", "uncorrectable ECC error was in DRAM", "Detail of Xid 48."),
      xid("172", kInfo, kGpu, "", "uncorrectable ECC error was in SRAM", "Detail of Xid 48."),
      fault("sxid", "", kError, kLink, "NVSwitch error", "Fatal ones end every job on the switch: look at the port's peer GPU."),
      fault("nvswitch", "", kError, kLink, "NVSwitch error reported by the fabric manager", "Look at the port's peer GPU."),
      fault("gpu_lost", "", kCritical, kNode, "GPU has fallen off the bus",
            "Drain, power-cycle the node; check PCIe, power and temperatures."),
      fault("nvlink_error", "", kError, kLink, "NVLink error", "Check both ends of the link and its counters."),
      fault("pcie_error", "corrected", kWarning, kLink, "corrected PCIe error", "Watch the rate; reseat card or cable if it grows."),
      fault("pcie_error", "", kError, kLink, "uncorrected PCIe error", "Drain the node; check card, riser and slot."),
      fault("machine_check", "", kError, kNode, "CPU or memory error reported by the processor", "Look at the DIMM or CPU it names."),
      fault("memory_error", "corrected", kWarning, kNode, "corrected error in main memory", "Watch the rate of that DIMM."),
      fault("memory_error", "", kCritical, kNode, "uncorrected error in main memory", "Drain the node; replace the DIMM."),
      fault("oom", "", kError, kProcess, "the kernel ran out of memory and killed a process",
            "The killed process may be a rank or its data loader: look at host memory before it."),
      fault("hung_task", "", kWarning, kProcess, "a task was blocked for minutes",
            "Usually a file system or driver that does not answer: what it waits for is in the stack after it.", true),
      fault("lockup", "", kError, kNode, "a CPU did not schedule for seconds", "Driver or hardware: look at what precedes it."),
      fault("kernel_panic", "", kCritical, kNode, "the kernel panicked", "Look at what precedes it."),
      fault("segfault", "", kWarning, kProcess, "a process crashed", "Look at that process's own log."),
      fault("link_down", "", kError, kLink, "a network link went down", "Check cable, transceiver and switch port."),
      fault("link_up", "", kInfo, kLink, "a network link came up", "Belongs to a link that went down before it."),
      fault("nic_error", "", kError, kLink, "a network adapter reported an error", "Check firmware and PCIe of the adapter."),
      fault("filesystem_error", "", kError, kStorage, "a file system reported an error", "Check the device below it."),
      fault("storage_stall", "", kWarning, kStorage, "a file server does not answer",
            "Everything that reads or writes there waits: data loaders and checkpoints first."),
      fault("storage_stall", "ok", kInfo, kStorage, "a file server answers again", ""),
      fault("mount_stall", "", kError, kStorage, "a mounted file system does not answer",
            "Everything that reads or writes there waits: look at its server and at the node's network."),
      fault("disk_error", "", kError, kStorage, "a disk reported an error", "Check and replace the disk."),
      fault("cpu_throttle", "", kWarning, kNode, "the CPU runs slower because of heat", "Check cooling."),
      fault("link_flap", "", kWarning, kLink, "a link was lost for less than a second",
            "Once is nothing; often: cable, transceiver, switch port. NCCL_IB_TIMEOUT must outlast it."),
      fault(
          "test_failed", "", kError, kGpu, "a hardware test failed",
          "Drain the node and run the test again: repeated, replace what it names; wrong values without an error of their own mean a GPU, "
          "link or adapter that corrupts data."),
      fault("npu_fault", "", kError, kGpu, "an Ascend NPU reported a fault",
            "Look the code up in Huawei's fault code list; Separate and ManuallySeparate levels mean: drain the node."),
      fault("network_fault", "", kError, kGpu, "an Ascend NPU's network port reported a fault",
            "Check its optical module, cable and switch port; look the code up in Huawei's fault code list."),
      fault("switch_fault", "", kError, kNode, "a switch inside the node reported a fault",
            "Look the code up in Huawei's fault code list; drain the node where the level is Separate."),
      fault("node_fault", "", kError, kNode, "the node's management controller reported a fault",
            "Look the code up in Huawei's fault code list; drain the node where the level is SeparateFault."),
      fault("public_fault", "", kError, kNode, "another system reported a fault of this node (MindCluster public fault)",
            "Its message names the system and the devices."),
      // --- RDMA ports ---
      fault("rdma_errors", "", kWarning, kLink, "an error counter of a port rises faster than those of the node's other ports",
            "Compare with the other end of the link; check cable and transceiver."),
      fault("rdma_errors", "symbol_error", kWarning, kLink, "bit errors on the link",
            "Clean or replace cable or transceiver; look at both ends."),
      fault("rdma_errors", "link_error_recovery", kInfo, kLink, "the link recovered by itself",
            "A link that does so often is about to flap."),
      fault("rdma_errors", "local_ack_timeout_err", kWarning, kLink, "peers did not acknowledge in time",
            "A peer is gone, or packets are lost on the way: look at its node, then at switches between.", true),
      fault("rdma_errors", "out_of_sequence", kWarning, kLink, "packets came out of order or were lost",
            "Losses in the fabric, or adaptive routing: look at discards of switches and at PFC.", true),
      fault("rdma_errors", "packet_seq_err", kWarning, kLink, "the other end reported losses",
            "Losses in the fabric: look at switches and at PFC.", true),
      fault("rdma_errors", "rnr_nak_retry_err", kWarning, kProcess, "the receiver was not ready", "The peer's process is slow or hangs.",
            true),
      fault("rdma_errors", "out_of_buffer", kWarning, kProcess, "no receive buffer was posted", "This node's processes receive too slowly.",
            true),
      fault("rdma_errors", "rx_icrc_encapsulated", kWarning, kLink, "packets were damaged on the way",
            "A switch or adapter changes packets: look at its memory and firmware."),
      fault("rdma_traffic_stopped", "", kWarning, kLink, "RDMA traffic that steps used to have has stopped",
            "Of one port: its link, its switch, or the process on its GPU. Of all: the job hangs or waits; look at its progress.", true),
      fault("rdma_traffic_faded", "", kWarning, kLink, "RDMA traffic fell to less than half",
            "Of one port: its link fell back or is congested. Of all: the job is slower or has changed.", true),
      fault("rdma_traffic_resumed", "", kInfo, kLink, "RDMA traffic is as before", ""),
      // --- NCCL (kNcclSource) ---
      fault("nccl_error", "", kError, kProcess, "a NCCL call failed",
            "Look at the NCCL WARN lines before it; NCCL_DEBUG=WARN prints them."),
      fault("nccl_error", "ncclUnhandledCudaError", kError, kProcess, "a CUDA call inside NCCL failed",
            "Look for a CUDA error or an Xid of that rank's GPU just before: NCCL only met it.", true),
      fault("nccl_error", "ncclSystemError", kError, kProcess, "a system call or an external library failed inside NCCL",
            "The NCCL WARN line before it names it: sockets and verbs mean a network fault or a peer that is gone; shared memory means a "
            "small "
            "/dev/shm.",
            true),
      fault("nccl_error", "ncclInternalError", kError, kProcess, "NCCL found itself in a state that it does not expect",
            "Memory corruption or a defect of NCCL, its plugin or the driver: note the versions; try another one."),
      fault("nccl_error", "ncclInvalidArgument", kError, kProcess, "NCCL was given an invalid argument",
            "A defect of the program: ranks, counts or data types."),
      fault("nccl_error", "ncclInvalidUsage", kError, kProcess, "NCCL was used in an invalid way",
            "A defect of the program: often two ranks on one GPU, or operations of one communicator in different orders."),
      fault("nccl_error", "ncclRemoteError", kError, kProcess, "another rank left, or the network to it failed",
            "Not this rank: look for the first rank that failed, its GPU, node and link.", true),
      fault("nccl_error", "ncclInProgress", kInfo, kProcess, "a call of a non-blocking communicator has not finished",
            "No error by itself: the program must poll ncclCommGetAsyncError().", true),
      fault("nccl_warning", "", kWarning, kProcess, "a warning of NCCL", "Read its text; an error of the same rank usually follows."),
      fault("nccl_warning", "peer_closed", kInfo, kProcess, "a peer closed its connection",
            "That peer's process ended, as at the end of every job; else look for the first rank that failed.", true),
      fault("nccl_warning", "timeout", kWarning, kLink, "NCCL waited in vain for a peer or an adapter",
            "Look at the link and at the peer; NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT bridge short interruptions.", true),
      fault("nccl_warning", "unreachable", kWarning, kLink, "a peer's address cannot be reached",
            "Check NCCL_SOCKET_IFNAME, firewalls and routes between the nodes."),
      fault("nccl_warning", "cuda_failure", kWarning, kGpu, "a CUDA call inside NCCL failed", "Look for an Xid of that GPU.", true),
      fault("nccl_warning", "mismatch", kWarning, kProcess, "ranks do not agree on what they do or which version they have",
            "Compare NCCL versions and settings of the nodes."),
      fault("nccl_warning", "shared_memory", kError, kNode, "NCCL found no room in shared memory",
            "Enlarge /dev/shm (in containers: --shm-size or --ipc=host)."),
      // The completion statuses of verbs (kVerbsSource).
      fault("nccl_net_error", "", kError, kLink, "an RDMA operation of NCCL failed", "Look at the counters of the adapter that it names."),
      fault("nccl_net_error", "1", kError, kProcess, "RDMA local length error",
            "A message was longer than its buffer: versions or counts differ."),
      fault("nccl_net_error", "2", kError, kProcess, "RDMA local queue pair operation error", "Firmware or driver of the adapter."),
      fault("nccl_net_error", "4", kError, kProcess, "RDMA local protection error",
            "Memory was not registered or is gone: GPUDirect, ACS and IOMMU settings, or the GPU itself."),
      fault("nccl_net_error", "5", kWarning, kProcess, "RDMA request was flushed", "Follows from an earlier error of the same queue pair.",
            true),
      fault("nccl_net_error", "8", kError, kProcess, "RDMA local access error", "Memory registration of this node."),
      fault("nccl_net_error", "9", kError, kProcess, "RDMA remote invalid request", "Look at the peer: versions or sizes differ."),
      fault("nccl_net_error", "10", kError, kProcess, "RDMA remote access error", "Memory of the peer is gone or was never registered.",
            true),
      fault("nccl_net_error", "11", kError, kProcess, "RDMA remote operation error",
            "The peer's adapter could not finish: look at the peer.", true),
      fault("nccl_net_error", "12", kError, kLink, "RDMA retries exceeded: the peer's adapter did not answer",
            "The peer is gone, or a link or switch between the two lost packets: look at both ends' port state, link_downed and "
            "local_ack_timeout; on RoCE at PFC and ECN. Raise NCCL_IB_TIMEOUT to ride out flaps of seconds.",
            true),
      fault("nccl_net_error", "13", kError, kLink, "RDMA receiver-not-ready retries exceeded",
            "The peer did not post receives in time: it hangs or is overloaded.", true),
      fault("nccl_net_event", "", kWarning, kLink, "the adapter reported an event", "Look at the port's state and counters."),
      fault("nccl_net_event", "port active", kInfo, kLink, "a port became active", "Belongs to a link that went down before it."),
      fault("nccl_net_event", "port error", kError, kLink, "a port went down", "Check cable, transceiver and switch port."),
      // --- nodes, as seen by a hub ---
      fault("node_stale", "", kWarning, kNode, "a node's agent has missed some of its beats", "It may be back at once; else it is lost.",
            true),
      fault("node_lost", "", kError, kNode, "a node's agent is silent",
            "The node, its network or its agent: check other nodes' events about it and its console.", true),
      fault("node_failed", "", kError, kNode, "the scheduler reports that the node failed",
            "Look at its console, its BMC's event log and the scheduler's log of that time."),
      fault("node_failed", "connection", kError, kNode, "the launcher's connection to the node was lost",
            "The node, its network or its ssh daemon: look at its console, its BMC's event log and its kernel log."),
      // --- processes of a job ---
      fault("process_exit", "gone", kError, kProcess, "a rank's process ended without a word",
            "Killed or crashed: look at the kernel log, host memory and the rank's own log.", true),
      fault("collective_timeout", "", kError, kProcess, "a rank waited for a collective until its time-out",
            "It is the others that wait: the cause is the rank that never came, or the fault on its GPU, node or link. Compare sequence "
            "numbers and last completed work of all ranks.",
            true),
      fault("collective_state", "", kInfo, kProcess, "how far a rank had come when a collective timed out",
            "The rank with the smallest last completed work is the one the others wait for.", true),
      fault("collective_mismatch", "", kError, kProcess, "ranks of one group called different collectives",
            "A defect of the program: a branch that not all ranks take."),
      fault("rendezvous_timeout", "", kError, kProcess, "ranks did not all meet in time",
            "Look for the rank that did not start or ended before; then at the address of rank 0.", true),
      fault("watchdog_stuck", "", kError, kProcess, "PyTorch's watchdog itself does not move",
            "A CUDA call hangs in the driver: look for an Xid of that GPU.", true),
      fault("cuda_error", "", kError, kProcess, "a CUDA call failed", "Asynchronous: the call named is often not the one at fault."),
      fault("cuda_error", "illegal_address", kError, kProcess, "a kernel read or wrote outside its memory",
            "Suspect the program first (Xid 13 or 31 beside it); the GPU if one alone repeats it."),
      fault("cuda_error", "device_assert", kError, kProcess, "an assertion inside a kernel failed",
            "Usually an index or a label out of range."),
      fault("cuda_error", "uncorrectable", kCritical, kGpu, "memory or a link of the GPU failed",
            "Look for Xid 48, 63, 64, 74, 94 or 95; drain the node.", true),
      fault("cuda_error", "launch_failure", kError, kProcess, "a kernel failed while it ran",
            "Look for an Xid of that GPU; else the program."),
      fault("cuda_error", "device_unavailable", kError, kGpu, "the GPU cannot be used", "Look for Xid 79; check driver and fabric manager.",
            true),
      fault("cuda_error", "library", kError, kProcess, "cuBLAS or cuDNN failed", "Often memory that ran out, or an error before it.", true),
      fault("out_of_memory", "", kError, kProcess, "the GPU's memory ran out",
            "Compare with the ranks beside it; look at the step's lengths."),
      fault("out_of_memory", "host", kError, kNode, "the host's memory ran out", "Look at host memory, pinned buffers and data loaders."),
      fault("no_space", "", kError, kStorage, "a file system is full", "Look at mount_free_bytes: checkpoints, logs, caches."),
      fault("no_space", "quota", kError, kStorage, "a quota is used up", "Delete or ask for more: checkpoints fail first."),
      fault("killed", "", kError, kProcess, "a process ended by a signal", "Check the signal."),
      fault("killed", "9", kError, kProcess, "a process was killed (SIGKILL)",
            "The kernel's OOM killer, a time limit, or a user: look at the kernel log and host memory."),
      fault("killed", "15", kInfo, kProcess, "a process was asked to end (SIGTERM)",
            "The launcher ends all ranks after the first failure: look for that one.", true),
      fault("killed", "6", kError, kProcess, "a process aborted itself (SIGABRT)",
            "An assertion, or the collectives' watchdog: look at what it printed before.", true),
      fault("killed", "11", kError, kProcess, "a process crashed (SIGSEGV)", "A defect of native code: look for a core file and a stack."),
      fault("killed", "7", kError, kProcess, "a process crashed (SIGBUS)", "Often /dev/shm or a mapped file's disk is full."),
      fault("killed", "Killed", kError, kProcess, "a process was killed (SIGKILL)",
            "The kernel's OOM killer, a time limit, or a user: look at the kernel log and host memory."),
      fault("killed", "Terminated", kInfo, kProcess, "a process was asked to end (SIGTERM)",
            "The launcher ends all ranks after the first failure: look for that one.", true),
      fault("killed", "Aborted", kError, kProcess, "a process aborted itself (SIGABRT)", "Look at what it printed before.", true),
      fault("killed", "Bus error", kError, kProcess, "a process crashed (SIGBUS)", "Often /dev/shm or a mapped file's disk is full."),
      fault("killed", "Segmentation fault", kError, kProcess, "a process crashed (SIGSEGV)",
            "A defect of native code: look for a core file and a stack."),
      fault("data_loader", "pin_memory", kError, kProcess, "the data loader's pin-memory thread failed",
            "It copies batches to pinned host memory: look for a CUDA error or an Xid of that rank's GPU (it may be lost), a killed loader "
            "process, and host memory.",
            true),
      fault("process_failed", "", kError, kProcess, "a rank's process ended with an error", "Look at its traceback.", true),
      fault("first_failure", "", kWarning, kProcess, "the launcher names the rank that failed first", "Look at that rank.", true),
      fault("traceback", "", kError, kProcess, "a Python program failed", "Its stack is in the log lines before it."),
      fault("traceback", "ChildFailedError", kWarning, kProcess, "the launcher reports a failed rank", "Look at that rank.", true),
      fault("traceback", "DistBackendError", kError, kProcess, "a collective failed", "Look at the NCCL error that it names.", true),
      fault("traceback", "DistStoreError", kError, kProcess, "the job's key-value store did not answer",
            "The process that holds it (rank 0) ended or was never reached.", true),
      fault("traceback", "KeyboardInterrupt", kInfo, kProcess, "a user or the launcher interrupted the program", "", true),
  };
  std::sort(all.begin(), all.end(),
            [](const FaultInfo& a, const FaultInfo& b) { return std::tie(a.kind, a.code) < std::tie(b.kind, b.code); });
  return all;
}();
}  // namespace

std::span<const FaultInfo> faultCatalog() { return kFaults; }

std::string_view faultSource(std::string_view kind) {
  if (kind == "xid") return kXidSource;
  if (kind == "nccl_error" || kind == "nccl_warning") return kNcclSource;
  if (kind == "nccl_net_error" || kind == "nccl_net_event") return kVerbsSource;
  return {};
}

const FaultInfo* findFault(std::string_view kind, std::string_view code) {
  const auto find = [&](std::string_view wanted) -> const FaultInfo* {
    const auto at = std::lower_bound(kFaults.begin(), kFaults.end(), std::tie(kind, wanted),
                                     [](const FaultInfo& info, const auto& key) { return std::tie(info.kind, info.code) < key; });
    return at != kFaults.end() && at->kind == kind && at->code == wanted ? &*at : nullptr;
  };
  const FaultInfo* exact = find(code);
  return exact != nullptr ? exact : find("");
}

}  // namespace runglass
