// SPDX-License-Identifier: Apache-2.0
// The result of each rule for the lines it was written for, and lines without a match.
#include "collectors/importers/kernel_log/fault_line.h"

#include <gtest/gtest.h>

#include "model/fault_catalog.h"

namespace runglass::kernel_log {
namespace {

struct Case {
  const char* text;
  const char* kind;  // "" = no fault
  const char* code;
  Severity severity;
  const char* pci;
};

class Faults : public testing::TestWithParam<Case> {};

TEST_P(Faults, AreReportedByTheirLine) {
  train_log::RuleSet::Scratch scratch;
  const Case& want = GetParam();
  const auto fault = faultOf(want.text, scratch);
  if (*want.kind == '\0') {
    EXPECT_FALSE(fault) << want.text << " is taken for " << fault->kind;
    return;
  }
  ASSERT_TRUE(fault) << want.text;
  EXPECT_EQ(fault->kind, want.kind) << want.text;
  EXPECT_EQ(fault->code, want.code) << want.text;
  EXPECT_EQ(fault->severity, want.severity) << want.text;
  EXPECT_EQ(fault->pci, want.pci) << want.text;
  EXPECT_FALSE(fault->message.empty()) << want.text;
}

using enum Severity;
INSTANTIATE_TEST_SUITE_P(
    Nvidia, Faults,
    testing::Values(
        Case{"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.", "xid", "79", kCritical, "0000:3b:00"},
        Case{"NVRM: Xid (0000:03:00): 14, Channel 00000001", "xid", "14", kError, "0000:03:00"},
        Case{"NVRM: Xid (PCI:0000:9B:00): 45, pid='<unknown>', name=<unknown>, Ch 0", "xid", "45", kWarning, "0000:9b:00"},
        Case{"NVRM: Xid (PCI:0000:9b:00 GPU-I:05): 43, pid=1, name=a, Ch 0", "xid", "43", kWarning, "0000:9b:00"},
        Case{"NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 (0x004525c6 0x0)", "xid", "149", kCritical,
             "0018:01:00"},
        Case{"NVRM: Xid (PCI:0018:01:00): 145, RLW_CTRL Nonfatal XC0 i0 Link 00 (0x3", "xid", "145", kWarning, "0018:01:00"},
        Case{"NVRM: Xid (PCI:0000:9b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", "xid", "154",
             kWarning, "0000:9b:00"},
        Case{"NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.", "gpu_lost", "", kCritical, "0000:18:00"},
        Case{"NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d", "gpu_uuid", "", kInfo, "0000:9b:00"},
        Case{"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up", "sxid", "20034", kCritical, "0000:c1:00"},
        Case{"nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 61 egress", "sxid", "12028", kWarning, "0000:c1:00"},
        Case{"nvidia-nvlink: Nvlink Core is being initialized, major device number 238", "", "", kInfo, ""},
        Case{"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03", "", "", kInfo, ""},
        Case{"NVRM: Xid (PCI:0000:9b:00): , pid=1", "", "", kInfo, ""}));
INSTANTIATE_TEST_SUITE_P(
    Machine, Faults,
    testing::Values(
        Case{"pcieport 0000:15:01.0: AER: Corrected error received: 0000:17:00.0", "pcie_error", "corrected", kWarning, "0000:15:01"},
        Case{"pcieport 0000:15:01.0: AER: Uncorrected (Fatal) error received: 0000:17:00.0", "pcie_error", "uncorrected", kError,
             "0000:15:01"},
        Case{"nvidia 0000:17:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer", "pcie_error", "uncorrected",
             kError, "0000:17:00"},
        Case{"pcieport 0000:00:01.0: AER: enabled with IRQ 24", "", "", kInfo, ""},
        Case{"mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 7: 8c00004000010090", "machine_check", "", kError, ""},
        Case{"EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0", "memory_error", "corrected", kWarning, ""},
        Case{"EDAC MC1: 1 UE memory read error on unknown memory", "memory_error", "uncorrected", kCritical, ""},
        Case{"EDAC MC: Ver: 3.0.0", "", "", kInfo, ""},
        Case{"Memory cgroup out of memory: Killed process 12 (python) total-vm:1kB", "oom", "killed", kError, ""},
        Case{"python invoked oom-killer: gfp_mask=0xcc0", "oom", "invoked", kError, ""},
        Case{"INFO: task python:4711 blocked for more than 120 seconds.", "hung_task", "", kWarning, ""},
        Case{"watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:1]", "lockup", "soft", kError, ""},
        Case{"Kernel panic - not syncing: Fatal exception", "kernel_panic", "", kCritical, ""},
        Case{"traps: python[123] general protection fault ip:7f sp:7f error:0 in libcuda.so.1[7f00+20]", "segfault", "", kWarning, ""},
        Case{"traps: pt_main_thread[123] trap invalid opcode ip:7f sp:7f error:0 in libcublas.so.12", "segfault", "", kWarning, ""},
        Case{"traps: prometheus[99] general protection fault ip:46 sp:c0 error:0", "segfault", "", kInfo, ""},
        Case{"systemd-journal[812]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so", "segfault", "", kInfo, ""},
        Case{"Out of memory: Killed process 12 (node_exporter) total-vm:1kB", "oom", "killed", kInfo, ""},
        Case{"pt_main_thread[31]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so", "segfault", "", kWarning, ""}));
INSTANTIATE_TEST_SUITE_P(
    NetworkAndStorage, Faults,
    testing::Values(
        Case{"mlx5_core 0000:5e:00.0 ens3f0np0: Link down", "link_down", "", kError, "0000:5e:00"},
        Case{"mlx5_core 0000:06:00.0 eno1: Link up", "link_up", "", kInfo, "0000:06:00"},
        Case{"i40e 0000:3b:00.0 eth0: NIC Link is Down", "link_down", "", kError, "0000:3b:00"},
        Case{"i40e 0000:3b:00.0 eth0: NIC Link is Up, 25 Gbps Full Duplex", "link_up", "", kInfo, "0000:3b:00"},
        Case{"bond0: (slave ens1): link status definitely down, disabling slave", "link_down", "", kError, ""},
        Case{"bond0: link status definitely up for interface eth1, 100000 Mbps full duplex", "link_up", "", kInfo, ""},
        Case{"ata5: SATA link down (SStatus 0 SControl 300)", "", "", kInfo, ""},
        Case{"mlx5_core 0000:5e:00.0: poll_health:800:(pid 0): Fatal error 3 detected", "nic_error", "", kError, "0000:5e:00"},
        Case{"mlx5_core 0000:5e:00.0: cmd:1: ACCESS_REG(0x805) failed, status bad parameter(0x3), syndrome (0x15c356)", "", "", kInfo, ""},
        Case{
            "mlx5_core 0000:5e:00.0: mlx5_cmd_check:782:(pid 1): ACCESS_REG(0x805) op_mod(0x0) failed, status bad operation(0x2), syndrome "
            "(0x1)",
            "", "", kInfo, ""},
        Case{"mlx5_core 0000:5e:00.0: mlx5_cmd_check:782:(pid 1): ACCESS_REG(0x805) op_mod(0x0) failed, status internal error(0x1), "
             "syndrome "
             "(0x1)",
             "nic_error", "", kError, "0000:5e:00"},
        Case{"mlx5_core 0000:5e:00.0: mlx5_cmd_check:782:(pid 1): CREATE_MKEY(0x200) op_mod(0x0) failed, status bad parameter(0x3), "
             "syndrome "
             "(0x1)",
             "nic_error", "", kError, "0000:5e:00"},
        Case{"mlx5_core 0000:5e:00.0 ens3f0np0: Error cqe on cqn 0x4d3, ci 0x1a, qn 0x1b2, opcode 0xd, syndrome 0x4, vendor syndrome 0x51",
             "nic_error", "", kError, "0000:5e:00"},
        Case{"mlx5_core 0000:5e:00.0: print_health_info:491:(pid 0): synd 0x1: firmware internal error", "nic_error", "", kError,
             "0000:5e:00"},
        Case{"blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ)", "", "", kInfo, ""},
        Case{"Buffer I/O error on dev sr0, logical block 0, async page read", "", "", kInfo, ""},
        Case{"I/O error, dev nvme0n1, sector 2048 op 0x0:(READ)", "disk_error", "", kError, ""},
        Case{"nvidia-nvswitch0: NVLink 4 uses the default settings", "", "", kInfo, ""},
        Case{"EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory", "filesystem_error", "", kError, ""},
        Case{"EXT4-fs (vda1): mounted filesystem with ordered data mode", "", "", kInfo, ""},
        Case{"XFS (nvme0n1p1): metadata I/O error in \"xfs_da_read_buf\" at daddr 0x1", "filesystem_error", "", kError, ""},
        Case{"nfs: server 10.0.0.9 not responding, still trying", "storage_stall", "", kWarning, ""},
        Case{"nfs: server 10.0.0.9 OK", "storage_stall", "ok", kInfo, ""},
        Case{"Lustre: 1:0:(client.c:2:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply", "storage_stall", "",
             kWarning, ""},
        Case{"blk_update_request: I/O error, dev sda, sector 2048", "disk_error", "", kError, ""}));

TEST(FaultCatalog, KnowsWhatIsOnlyASymptomAndWhatToDo) {
  ASSERT_NE(findFault("xid", "45"), nullptr);
  EXPECT_TRUE(findFault("xid", "45")->secondary);
  EXPECT_FALSE(findFault("xid", "79")->secondary);
  EXPECT_EQ(findFault("xid", "79")->action, "RESTART_BM");
  EXPECT_EQ(findFault("xid", "9999")->code, "") << "an unknown Xid is still an Xid";
  EXPECT_EQ(findFault("no such kind", "1"), nullptr);
}

TEST(FaultCatalog, ListsEveryKindOfEveryRuleOnce) {
  for (std::size_t i = 1; i < faultCatalog().size(); ++i)
    EXPECT_FALSE(faultCatalog()[i - 1].kind == faultCatalog()[i].kind && faultCatalog()[i - 1].code == faultCatalog()[i].code)
        << faultCatalog()[i].kind << ' ' << faultCatalog()[i].code;
  const auto rules = train_log::RuleSet::compile(builtinRules());
  ASSERT_TRUE(rules.ok()) << rules.status().message();
  EXPECT_TRUE((*rules)->slowRules().empty()) << (*rules)->slowRules().front() << " would run on every line";
  for (const train_log::Rule& rule : (*rules)->rules())
    EXPECT_TRUE(rule.event == "gpu_uuid" || findFault(rule.event, "") != nullptr) << rule.where;
}

TEST(PciAddress, HasOneSpelling) {
  EXPECT_EQ(pciAddress("00000000:9B:00"), "0000:9b:00");
  EXPECT_EQ(pciAddress("0008:01:00"), "0008:01:00");
  EXPECT_EQ(pciAddress("00010000:01:00"), "00010000:01:00") << "a domain beyond 16 bits stays";
}

}  // namespace
}  // namespace runglass::kernel_log
