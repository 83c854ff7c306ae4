// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Xid actions are the vendor's (kXidSource); severities and advice are ours. The vendor's table differs by architecture, this one does
// not.
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
    "The unit and its status say which end is at fault; fatal: reset the GPU. Look at the same link of the peer, cables and switch.";

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
      xid("62", kError, kGpu, "RESET_GPU", "internal micro-controller halt", "Drain the node and reset the GPU."),
      xid("63", kInfo, kGpu, "IGNORE", "row remap or page retirement recorded", "Reset at the next maintenance; watch the count."),
      xid("64", kCritical, kGpu, "RESET_GPU", "row remap or page retirement failed",
          "Remapping resources are exhausted or the InfoROM could not be written: candidate for replacement."),
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
      fault("nvswitch", "", kError, kLink, "NVSwitch error told by the fabric manager", "Look at the port's peer GPU."),
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
      fault("disk_error", "", kError, kStorage, "a disk reported an error", "Check and replace the disk."),
      fault("cpu_throttle", "", kWarning, kNode, "the CPU runs slower because of heat", "Check cooling."),
  };
  std::sort(all.begin(), all.end(),
            [](const FaultInfo& a, const FaultInfo& b) { return std::tie(a.kind, a.code) < std::tie(b.kind, b.code); });
  return all;
}();
}  // namespace

std::span<const FaultInfo> faultCatalog() { return kFaults; }

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
