// SPDX-License-Identifier: Apache-2.0
// The source kernel_log on a file with records like those of /dev/kmsg.
#include "collectors/sources/kernel_log/kernel_log_source.h"

#include <gtest/gtest.h>

#include <set>
#include "model/fault_catalog.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {
namespace {

constexpr TimeNs kBooted = 1'700'000'000 * kNsPerSecond;  // wall time at the kernel's zero
const std::string kXid = "4,7,2500000,-;NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n SUBSYSTEM=pci\n";

class KernelLogSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(m_root.file("proc/sys/kernel/random"));
    std::filesystem::create_directories(m_root.file("proc/driver/nvidia/gpus/0000:9b:00.0"));
    m_root.write("proc/sys/kernel/random/boot_id", "boot-1\n");
    m_root.write("proc/driver/nvidia/gpus/0000:9b:00.0/information",
                 "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-509665ad-b600-ac93-3616-d754b23d636d\n");
    m_root.write("kmsg", "");
  }
  // Runs the source from start to stop, with `polls` a second apart.
  Status live(const std::string& config, int polls = 1) {
    auto source = makeKernelLogSource();
    const toml::table table = toml::parse(config);
    const SourceContext context{.node = {.uuid = "n1", .name = "node1"},
                                .now = [] { return monotonicNow() + kBooted; },
                                .config = &table,
                                .state_dir = m_root.path(),
                                .root = m_root.path() + "/",
                                .faults = &m_faults};
    const Status status = source->start(out, context);
    if (!status.ok()) return status;
    TimeNs now = 1000 * kNsPerSecond;
    for (int i = 0; i < polls; ++i, now += kNsPerSecond) source->poll(out, now);
    source->stop(out);
    return status;
  }
  std::string kmsg() const { return "kmsg = \"" + m_root.file("kmsg") + "\"\n"; }

  ScratchFolder m_root;
  RecentFaults m_faults;
  MemoryRecorder out;
};

TEST_F(KernelLogSourceTest, PutsAnXidOnItsGpuAtTheKernelsTime) {
  m_root.append("kmsg", "6,6,1500000,-;eth0: hello\n" + kXid);
  ASSERT_TRUE(live(kmsg()).ok());
  ASSERT_EQ(out.events.size(), 1U);
  EXPECT_EQ(out.events[0].kind, "xid");
  EXPECT_EQ(out.events[0].code, "79");
  EXPECT_NEAR(static_cast<double>(*out.events[0].time - kBooted), 2.5e9, 50e6);
  EXPECT_EQ(out.nodes.at(out.events[0].node.value - 1).uuid, "n1");
  EXPECT_EQ(out.devices.at(out.events[0].device.value - 1).uuid, "GPU-509665ad-b600-ac93-3616-d754b23d636d")
      << "the device is the one that NVML reports";
  ASSERT_EQ(out.logs.size(), 1U);
  EXPECT_EQ(out.logs[0].text, "eth0: hello");
  EXPECT_TRUE(out.runs.empty()) << "a node's kernel belongs to no run";
}

// Codes of data-centre GPUs with an immediate action in the vendor's catalogue (kXidSource), and 61 and 69, which operators report.
const std::set<std::string_view> kVendorXids = {"13",  "31",  "32",  "39",  "43",  "45",  "46",  "48",  "54",  "61",  "62",
                                                "63",  "64",  "69",  "74",  "79",  "92",  "94",  "95",  "109", "110", "119",
                                                "120", "121", "136", "140", "143", "144", "145", "146", "147", "148", "149",
                                                "150", "151", "154", "155", "156", "157", "158", "160", "161", "171", "172"};

TEST_F(KernelLogSourceTest, ReadsEveryXidOfTheCatalogueWithItsSeverityAndMeaning) {
  std::vector<const FaultInfo*> rows;
  std::set<std::string_view> codes;
  std::string log;
  for (const FaultInfo& row : faultCatalog()) {
    if (row.kind != "xid" || row.code.empty()) continue;
    rows.push_back(&row);
    codes.insert(row.code);
    log += "4," + std::to_string(rows.size()) + ",2500000,-;NVRM: Xid (PCI:0000:9b:00): " + std::string(row.code) +
           ", pid=" + std::to_string(1000 + rows.size()) + ", name=python, Ch 00000008, intr 10000000. " + std::string(row.meaning) +
           "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:9b:00.0\n";
  }
  EXPECT_EQ(codes, kVendorXids);
  m_root.append("kmsg", log);
  ASSERT_TRUE(live(kmsg()).ok());
  ASSERT_EQ(out.events.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Event& event = out.events[i];
    EXPECT_EQ(event.kind, "xid");
    EXPECT_EQ(event.code, rows[i]->code);
    EXPECT_EQ(event.severity, rows[i]->severity) << "Xid " << rows[i]->code;
    const FaultInfo* meaning = findFault(event.kind, event.code);
    ASSERT_NE(meaning, nullptr) << "Xid " << rows[i]->code;
    EXPECT_EQ(meaning->meaning, rows[i]->meaning) << "the kind's own row has been taken for Xid " << rows[i]->code;
    EXPECT_FALSE(meaning->meaning.empty() || meaning->advice.empty()) << "Xid " << rows[i]->code;
    EXPECT_NE(event.message.find(rows[i]->meaning), std::string::npos) << event.message;
    EXPECT_EQ(out.devices.at(event.device.value - 1).uuid, "GPU-509665ad-b600-ac93-3616-d754b23d636d");
  }
}

TEST_F(KernelLogSourceTest, RecordsNothingTwiceWithinABoot) {
  m_root.append("kmsg", kXid);
  ASSERT_TRUE(live(kmsg()).ok());
  m_root.append("kmsg", "4,8,2600000,-;NVRM: Xid (PCI:0000:9b:00): 48, x\n");
  ASSERT_TRUE(live(kmsg()).ok());
  ASSERT_EQ(out.events.size(), 2U);
  EXPECT_EQ(out.events[1].code, "48");
  m_root.write("proc/sys/kernel/random/boot_id", "boot-2\n");
  ASSERT_TRUE(live(kmsg()).ok());
  EXPECT_EQ(out.events.size(), 4U) << "after a boot the numbers begin anew";
}

TEST_F(KernelLogSourceTest, CountsWhatAStormHasMoreThanItRecords) {
  std::string storm;
  for (int i = 0; i < 3000; ++i)
    storm += "4," + std::to_string(i) + ",2500000,-;NVRM: Xid (PCI:0000:9b:00): 13, pid=" + std::to_string(i) + ", x\n";
  m_root.append("kmsg", storm);
  ASSERT_TRUE(live(kmsg(), 3).ok());
  EXPECT_EQ(out.events.size(), 2000U);
  EXPECT_EQ(out.issueCount("kernel_log.too_many_events"), 1000);
}

TEST_F(KernelLogSourceTest, RepeatsOfOneProcessAreOneEventAndItsCount) {
  std::string storm;
  for (int i = 0; i < 629; ++i) storm += "4," + std::to_string(i) + ",2500000,-;NVRM: Xid (PCI:0000:9b:00): 13, pid=7, name=a, x\n";
  m_root.append("kmsg", storm + "4,900,2500001,-;NVRM: Xid (PCI:0000:9b:00): 13, pid=8, name=b, x\n");
  ASSERT_TRUE(live(kmsg()).ok());
  ASSERT_EQ(out.events.size(), 3U);
  EXPECT_EQ(out.events[0].message, "Xid (PCI:0000:9b:00): 13, pid=7, name=a, x");
  EXPECT_EQ(out.events[1].message, "Xid (PCI:0000:9b:00): 13, pid=8, name=b, x");
  EXPECT_EQ(out.events[2].message, "Xid (PCI:0000:9b:00): 13, pid=7, name=a, x (628 more)");
}

TEST_F(KernelLogSourceTest, WhatAnotherSourceHasJustReportedIsALogLine) {
  m_root.append("kmsg", kXid);
  ASSERT_TRUE(m_faults.mayTell("nvml", "xid", "79", "GPU-509665ad-b600-ac93-3616-d754b23d636d", kBooted + 2'500'000'000));
  ASSERT_TRUE(live(kmsg()).ok());
  EXPECT_TRUE(out.events.empty());
  ASSERT_EQ(out.logs.size(), 1U);
  EXPECT_NE(out.logs[0].text.find("Xid (PCI:0000:9b:00): 79"), std::string::npos) << "its words are not lost";
  EXPECT_TRUE(m_faults.kernelIsRead());
}

TEST_F(KernelLogSourceTest, FollowsFilesWhereTheKernelsOwnIsOff) {
  m_root.write("kern.log", "2025-01-21T04:41:44+00:00 node1 kernel: NVRM: Xid (PCI:0000:9b:00): 79, x\n");
  ASSERT_TRUE(live("kmsg = \"\"\npaths = \"" + m_root.file("kern.log") + "\"", 3).ok());
  ASSERT_EQ(out.events.size(), 1U);
  EXPECT_EQ(out.events[0].time, 1'737'434'504 * kNsPerSecond);
  EXPECT_TRUE(out.runs.empty());
}

TEST_F(KernelLogSourceTest, SaysWhyItCannotRead) {
  const Status missing = live("kmsg = \"" + m_root.file("none") + "\"");
  EXPECT_EQ(missing.code(), Code::kUnavailable);
  EXPECT_NE(missing.message().find("none: No such file"), std::string::npos) << missing.message();
  EXPECT_EQ(live("kmsg = \"\"").code(), Code::kUnavailable);
}

}  // namespace
}  // namespace runglass::test
