// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "collectors/importers/kernel_log/kernel_log_session.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {
using test::importText;

const std::filesystem::path kRoot(RG_SHARED_DATA);

// "Xid (PCI:0000:9b:00): 119, ..." -> "0000:9b:00"
std::string addressIn(const std::string& message) {
  const std::size_t at = message.find("PCI:");
  return at == std::string::npos ? "" : message.substr(at + 4, 10);
}

TEST(KernelLogFacts, EveryRealFileHasTheXidsThatItsFactsName) {
  if (!std::filesystem::exists(kRoot / "facts.json")) GTEST_SKIP() << "no shared data at " << kRoot;
  const auto facts = nlohmann::json::parse(std::ifstream(kRoot / "facts.json"));
  std::size_t files = 0;
  for (const auto& [name, fact] : facts["kinds"]["kernel_log"].items()) {
    SCOPED_TRACE(name);
    const auto result = test::importFile(kRoot / "kernel_log" / name);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "kernel_log");
    EXPECT_EQ(result.report.skipped_reason, "");
    EXPECT_EQ(result.report.committed_offset, fact["bytes"].get<std::uint64_t>());
    std::map<std::string, std::int64_t> codes, addresses, switches;
    std::int64_t ooms = 0;
    for (const Event& event : result.recorder.events) {
      if (event.kind == "xid") ++codes[event.code], ++addresses[addressIn(event.message)];
      if (event.kind == "sxid") ++switches[event.code];
      ooms += event.kind == "oom" ? 1 : 0;
    }
    EXPECT_EQ(nlohmann::json(codes), fact["by_code"]);
    EXPECT_EQ(nlohmann::json(addresses), fact["by_pci"]);
    EXPECT_EQ(nlohmann::json(switches), fact["sxid_codes"]);
    EXPECT_EQ(ooms, fact["oom_lines"].get<std::int64_t>());
    ++files;
  }
  EXPECT_EQ(files, 6U);
}

TEST(KernelLogImporter, GivesAnXidItsTimeNodeAndTheGpuThatTheLogNames) {
  const auto result = importText(
      "2025-01-21T04:41:44+00:00 gpu-7 kernel: NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d\n"
      "2025-01-21T04:41:45+00:00 gpu-7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
      "2025-01-21T04:41:46+00:00 gpu-8 kernel: NVRM: Xid (PCI:0000:9b:00): 48, DBE\n"
      "2025-01-21T04:41:47+00:00 gpu-8 exporter[7]: NVRM: Xid (PCI:0000:9b:00): 48, DBE\n");
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.kind, "kernel_log");
  const auto& out = result.recorder;
  ASSERT_EQ(out.events.size(), 2U) << "what another program repeats is no second fault";
  EXPECT_EQ(out.events[0].time, 1'737'434'505 * kNsPerSecond);
  EXPECT_EQ(out.events[0].severity, Severity::kCritical);
  EXPECT_EQ(out.events[0].message, "Xid (PCI:0000:9b:00): 79, pid=1, name=a, GPU has fallen off the bus.");
  EXPECT_EQ(out.nodes.at(out.events[0].node.value - 1).name, "gpu-7");
  EXPECT_EQ(out.devices.at(out.events[0].device.value - 1).uuid, "GPU-509665ad-b600-ac93-3616-d754b23d636d");
  EXPECT_EQ(out.devices.at(out.events[1].device.value - 1).uuid, "name:gpu-8/gpu-0000:9b:00") << "the same slot of another node";
  EXPECT_EQ(out.runs.at(0).time_domain, TimeDomain::kUtc);
  EXPECT_EQ(out.logs.size(), 2U);
}

TEST(KernelLogImporter, APortThatNeverWasUpSinceTheBootDidNotGoDown) {
  const std::string boot = "2026-01-02T03:00:00+00:00 n1 kernel: Linux version 6.2.0-37-generic (gcc) #38 SMP\n";
  const std::string down = "2026-01-02T03:00:05+00:00 n1 kernel: mlx5_core 0000:5e:00.0 eth0: Link down\n";
  const std::string up = "2026-01-02T03:00:06+00:00 n1 kernel: mlx5_core 0000:5e:00.0 ens3f0np0: Link up\n";
  const std::string lost = "2026-01-02T04:00:00+00:00 n1 kernel: mlx5_core 0000:5e:00.0 ens3f0np0: Link down\n";
  const auto severities = [](const std::string& log) {
    std::vector<Severity> out;
    for (const Event& event : importText(log).recorder.events)
      if (event.kind == "link_down") out.push_back(event.severity);
    return out;
  };
  EXPECT_EQ(severities(boot + down), std::vector{Severity::kInfo});
  EXPECT_EQ(severities(boot + down + up + lost), (std::vector{Severity::kInfo, Severity::kError}));
  EXPECT_EQ(severities(up + lost + boot + down), (std::vector{Severity::kError, Severity::kInfo})) << "a reboot";
  EXPECT_EQ(severities(lost), std::vector{Severity::kError}) << "of a log without its boot nobody knows";
  const std::string days = "2026-01-05T04:00:00+00:00 n1 kernel: mlx5_core 0000:5e:00.0 ens3f0np0: Link down\n";
  EXPECT_EQ(severities(boot + days), std::vector{Severity::kError}) << "it came up without a line";
}

TEST(KernelLogImporter, ABootHidesNoLinkThatStaysDownAndNoUncorrectedError) {
  const auto severities = [](const std::string& log) {
    std::vector<Severity> out;
    for (const Event& event : importText(log).recorder.events)
      if (event.kind != "link_up") out.push_back(event.severity);
    return out;
  };
  const std::string boot = "2026-03-04T10:00:00+00:00 gpu07 kernel: [    0.000000] Linux version 6.2.0 #18 SMP\n";
  const std::string up = "2026-03-04T10:00:20+00:00 gpu07 kernel: [   20.0] mlx5_core 0000:5e:00.0 ib0: Link up\n";
  const std::string down = "2026-03-04T10:04:50+00:00 gpu07 kernel: [  290.0] mlx5_core 0000:5e:00.0 ib0: Link down\n";
  const std::string again = "2026-03-04T10:04:52+00:00 gpu07 kernel: [  292.0] mlx5_core 0000:5e:00.0 ib0: Link up\n";
  const std::string later = "2026-03-04T10:05:01+00:00 gpu07 kernel: [  301.0] a line\n";
  using enum Severity;
  EXPECT_EQ(severities(boot + up + down), std::vector{kError}) << "the log ends";
  EXPECT_EQ(severities(boot + up + down + later), std::vector{kError});
  EXPECT_EQ(severities(boot + up + down + later + again), std::vector{kError}) << "up too late";
  EXPECT_EQ(severities(boot + up + down + again), std::vector{kInfo});
  EXPECT_EQ(severities("[   20.0] mlx5_core 0000:5e:00.0 ib0: Link up\n[   30.0] mlx5_core 0000:5e:00.0 ib0: Link down\n"
                       "[   31.0] mlx5_core 0000:5e:00.0 ib0: Link up\n"),
            std::vector{kError})
      << "without the boot's first line";
  const std::string corrected = "mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 13: 88000040000800c0\n";
  EXPECT_EQ(severities("[    0.0] Linux version 6.2.0\n[    0.4] " + corrected), std::vector{kInfo});
  EXPECT_EQ(severities("[    0.4] " + corrected), std::vector{kError}) << "without the boot's first line";
  EXPECT_EQ(severities("[    0.0] Linux version 6.2.0\n[  290.0] " + corrected), std::vector{kError});
  for (const char* broken : {"mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 7: be00004000010090\n",
                             "mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 7: be00004000010090\n"})
    EXPECT_EQ(severities("[    0.0] Linux version 6.2.0\n[    0.4] " + std::string(broken)), std::vector{kError}) << broken;
}

TEST(KernelLogImporter, InventsNoWallTime) {
  const auto boot = importText("[    1.500000] NVRM: Xid (PCI:0000:9b:00): 79, x\n[    2.000000] x\n");
  EXPECT_EQ(boot.recorder.runs.at(0).time_domain, TimeDomain::kRelative);
  EXPECT_EQ(boot.recorder.events.at(0).time, 1'500'000'000);
  const auto syslog = importText("Jan 21 04:41:44 gpu-7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, x\n");
  EXPECT_EQ(syslog.recorder.events.at(0).time, std::nullopt);
  EXPECT_EQ(syslog.recorder.issueCount("kernel_log.no_year"), 1) << "the time of the file is unknown";
  const auto mixed = importText("[    1.500000] a\n[    1.600000] b\n[Sun Feb 23 16:24:18 2025] NVRM: Xid (PCI:0000:9b:00): 79, x\n");
  EXPECT_EQ(mixed.recorder.events.at(0).time, std::nullopt);
  EXPECT_EQ(mixed.recorder.issueCount("kernel_log.mixed_clocks"), 1);
}

TEST(KernelLogImporter, AssumesTheYearInWhichTheFileWasWritten) {
  const auto at = [](const char* stamp, TimeNs modified) {
    return importText(std::string(stamp) + " gpu-7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, x\n", {.modified = modified * kNsPerSecond});
  };
  const auto spring = at("Jan 21 04:41:44", 1'737'500'000);  // 2025-01-21 22:53:20
  EXPECT_EQ(spring.recorder.events.at(0).time, 1'737'434'504 * kNsPerSecond);
  EXPECT_EQ(spring.recorder.runs.at(0).time_domain, TimeDomain::kUtc);
  EXPECT_EQ(spring.recorder.issueCount("kernel_log.no_year"), 1) << "marked as assumed";
  EXPECT_EQ(at("Jan 21 04:41:44", 1'737'400'000).recorder.events.at(0).time, 1'737'434'504 * kNsPerSecond)
      << "a zone may put the file half a day before its lines";
  EXPECT_EQ(at("Dec 31 23:00:00", 1'737'500'000).recorder.events.at(0).time, 1'735'686'000 * kNsPerSecond) << "of the year before";
  EXPECT_EQ(at("Feb 29 12:00:00", 1'737'500'000).recorder.events.at(0).time, 1'709'208'000 * kNsPerSecond) << "the last leap year's";
}

TEST(KernelLogImporter, RecordsOnlyWhatAGrownFileHasMore) {
  const std::string first = "[    1.500000] NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d\n";
  const auto before = importText(first);
  const auto after =
      importText(first + "[    2.500000] NVRM: Xid (PCI:0000:9b:00): 79, x\n", {.resume_at = before.report.committed_offset});
  EXPECT_EQ(before.report.committed_offset, first.size());
  EXPECT_TRUE(after.recorder.logs.empty());
  ASSERT_EQ(after.recorder.events.size(), 1U);
  EXPECT_EQ(after.recorder.devices.at(0).uuid, "GPU-509665ad-b600-ac93-3616-d754b23d636d") << "the part that is known still names the GPU";
}

TEST(KernelLogImporter, KeepsTheSlotsOfLogsWithoutAHostApart) {
  const std::string log = "[    1.500000] NVRM: Xid (PCI:0000:9b:00): 79, x\n";
  const auto one = importText(log, {.path = "node1/dmesg"}), two = importText(log, {.path = "node2/dmesg"});
  EXPECT_NE(one.recorder.devices.at(0).uuid, two.recorder.devices.at(0).uuid);
  EXPECT_TRUE(one.recorder.nodes.empty()) << "nobody said which node it is";
}

TEST(KernelLogImporter, SaysNothingAboutWhatAnEarlierImportReported) {
  const std::string log = "[Sun Feb 23 16:24:18 2025] a\n[Sun Feb 23 16:24:19 2025] b\n";
  EXPECT_EQ(importText(log).recorder.issueCount("kernel_log.no_time_zone"), 2);
  const auto again = importText(log, {.resume_at = log.size()});
  EXPECT_TRUE(again.recorder.issues.empty()) << again.recorder.issues.front().code;
  EXPECT_TRUE(again.recorder.runs.empty());
  const auto grown = importText(log + "[   12.500000] c\n[Sun Feb 23 16:24:20 2025] d\n", {.resume_at = log.size()});
  EXPECT_EQ(grown.recorder.issueCount("kernel_log.mixed_clocks"), 1) << "the clock is that of the file's first line, not of the new part's";
  EXPECT_EQ(grown.recorder.issueCount("kernel_log.no_time_zone"), 1);
}

TEST(KernelLogImporter, LeavesTrainersLogsAlone) {
  EXPECT_NE(importText("2025-01-21 04:41:44,283 - INFO - step: 3 loss: 2.5\n2025-01-21 04:41:45,283 - INFO - step: 4 loss: 2.5\n").kind,
            "kernel_log");
  EXPECT_NE(importText(" iteration 5/ 10 | lm loss: 2.5E+00 |\n iteration 6/ 10 | lm loss: 2.5E+00 |\n").kind, "kernel_log");
}

TEST(KernelLogImporter, SurvivesHostileInput) {
  const std::string head = "[    1.500000] x\n[    1.600000] y\n";
  const std::string xid = "[    2.500000] NVRM: Xid (PCI:0000:9b:00): 79, x\n";
  const auto long_line = importText(head + "[    2.000000] " + std::string(std::size_t{100} << 20, 'a') + "\n" + xid);
  EXPECT_EQ(long_line.recorder.events.size(), 1U);
  EXPECT_EQ(long_line.recorder.issueCount("kernel_log.long_line"), 1);
  for (const LogLine& line : long_line.recorder.logs) EXPECT_LE(line.text.size(), 4096U + 4);

  const auto odd =
      importText(head + std::string(4096, '\0') + xid + "\x1b[31m[    3.500000]\x1b[0m NVRM: \x1b[1mXid (PCI:0000:9b:00): 48, \xff\xfe\n");
  ASSERT_EQ(odd.recorder.events.size(), 2U);
  EXPECT_EQ(odd.recorder.events[1].message, "Xid (PCI:0000:9b:00): 48, \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(KernelLogImporter, CountsWhatAFloodHasMoreThanIsKept) {
  std::string flood;
  for (int i = 0; i < 100'100; ++i) flood += "[    1.500000] NVRM: Xid (PCI:0000:9b:00): 13, x\n";
  for (int i = 0; i < 50'010; ++i) flood += "[    1.500000] x\n";
  const auto result = importText(flood);
  EXPECT_EQ(result.recorder.events.size(), 100'000U);
  EXPECT_EQ(result.recorder.issueCount("kernel_log.too_many_events"), 100);
  EXPECT_EQ(result.recorder.logs.size(), 50'000U);
  EXPECT_EQ(result.recorder.issueCount("kernel_log.too_many_lines"), 10);
}

TEST(KernelLogSession, TakesTheLastYearThatFitsWhereTheLogIsBeingWritten) {
  test::MemoryRecorder out;
  kernel_log::KernelLogSession session({.live = true, .node = NodeId{1}, .node_uuid = "n1"});
  session.setArrival(1'735'700'000 * kNsPerSecond);  // 2025-01-01T02:53:20Z
  session.push("Dec 30 12:00:00 n1 kernel: a\nJan  1 02:00:00 n1 kernel: b\n", out);
  ASSERT_EQ(out.logs.size(), 2U);
  constexpr DurNs kDay = 24 * 3600 * kNsPerSecond;  // more than any time zone
  EXPECT_NEAR(static_cast<double>(*out.logs[0].time), 1'735'560'000e9, static_cast<double>(kDay)) << "30 December 2024";
  EXPECT_NEAR(static_cast<double>(*out.logs[1].time), 1'735'696'800e9, static_cast<double>(kDay));
}

TEST(KernelLogSession, BoundsTheDevicesThatALogCanName) {
  test::MemoryRecorder out;
  kernel_log::KernelLogSession session({.run_name = "r"});
  for (int i = 0; i < 5000; ++i) {
    const std::string digits = std::to_string(10000 + i).substr(1);
    session.push("[    1.500000] NVRM: Xid (PCI:" + digits + ":9b:00): 13, x\n", out);
  }
  EXPECT_EQ(out.devices.size(), 4096U);
  EXPECT_EQ(out.events.size(), 5000U);
  EXPECT_EQ(session.takeIssues().at("kernel_log.too_many_devices").count, 5000 - 4096);
}

}  // namespace
}  // namespace runglass
