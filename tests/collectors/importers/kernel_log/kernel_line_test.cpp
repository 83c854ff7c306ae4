// SPDX-License-Identifier: Apache-2.0
// Every format of a kernel log line.
#include "collectors/importers/kernel_log/kernel_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace runglass::kernel_log {
namespace {

struct Read {
  Clock clock = Clock::kNone;
  TimeNs time = 0;
  std::optional<Severity> severity;
  std::optional<std::uint64_t> sequence;
  std::string host, text;
  bool kernel = false, other_program = false;
};

std::vector<Read> readAll(const std::vector<std::string>& lines) {
  KernelLineReader reader;
  std::vector<Read> all;
  const auto keep = [&](const KernelLine& line) {
    all.push_back({line.clock, line.time, line.severity, line.sequence, std::string(line.host), std::string(line.text), line.kernel,
                   line.other_program});
  };
  KernelLine line;
  for (const std::string& text : lines)
    if (reader.read(text, line)) keep(line);
  if (reader.finish(line)) keep(line);
  return all;
}

Read readOne(const std::string& text) {
  const auto all = readAll({text});
  EXPECT_EQ(all.size(), 1U) << text;
  return all.empty() ? Read{} : all[0];
}

constexpr TimeNs kJan21 = 1'737'434'504 * kNsPerSecond;  // 2025-01-21T04:41:44Z

TEST(KernelLine, ReadsARecordOfKmsgAndSkipsItsDictionary) {
  const auto all =
      readAll({"4,1234,5678901,-;NVRM: text; more", " SUBSYSTEM=pci", " DEVICE=+pci:0000:9b:00.0", "30,1235,5678999,-;systemd[1]: x"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].clock, Clock::kBoot);
  EXPECT_EQ(all[0].time, 5'678'901'000);
  EXPECT_EQ(all[0].severity, Severity::kWarning);
  EXPECT_EQ(all[0].sequence, 1234U);
  EXPECT_EQ(all[0].text, "NVRM: text; more");
  EXPECT_FALSE(all[0].other_program);
  EXPECT_TRUE(all[1].other_program) << "facility 3 is a daemon that wrote into the kernel's log";
}

TEST(KernelLine, ReadsDmesgInAllItsTimes) {
  Read line = readOne("[    3.141592] NVRM: x");
  EXPECT_EQ(line.clock, Clock::kBoot);
  EXPECT_EQ(line.time, 3'141'592'000);
  EXPECT_EQ(line.text, "NVRM: x");
  line = readOne("<3>[12345.000001][ T4321] x y");
  EXPECT_EQ(line.severity, Severity::kError);
  EXPECT_EQ(line.time, 12'345'000'001'000);
  EXPECT_EQ(line.text, "x y");
  line = readOne("[Tue Jan 21 04:41:44 2025] x");
  EXPECT_EQ(line.clock, Clock::kLocal);
  EXPECT_EQ(line.time, kJan21);
  line = readOne("kern  :warn  : 2025-01-21T05:41:44,283302+01:00 NVRM: Xid");
  EXPECT_EQ(line.clock, Clock::kUtc);
  EXPECT_EQ(line.time, kJan21 + 283'302'000);
  EXPECT_EQ(line.severity, Severity::kWarning);
  EXPECT_EQ(line.text, "NVRM: Xid");
  line = readOne("kern  :err   : [    0.500000] x");
  EXPECT_EQ(line.severity, Severity::kError);
  EXPECT_EQ(line.time, 500'000'000);
}

TEST(KernelLine, ReadsSyslogAndJournalctlWithTheirHost) {
  Read line = readOne("2025-01-21T04:41:44.283302+00:00 gpu-7.example.org kernel: [  123.456789] NVRM: x");
  EXPECT_EQ(line.clock, Clock::kUtc);
  EXPECT_EQ(line.time, kJan21 + 283'302'000) << "wall time wins over time since boot";
  EXPECT_EQ(line.host, "gpu-7.example.org");
  EXPECT_EQ(line.text, "NVRM: x");
  EXPECT_TRUE(line.kernel);
  line = readOne("2025-01-21T04:41:44+0000 gpu-7 sshd[12]: Xid (PCI:");
  EXPECT_TRUE(line.other_program);
  line = readOne("Jan  1 04:41:44 gpu-7 kernel: x");
  EXPECT_EQ(line.clock, Clock::kNoYear);
  EXPECT_EQ(line.host, "gpu-7");
  EXPECT_EQ(line.text, "x");
  line = readOne("<4>1 2025-01-21T04:41:44Z gpu-7 kernel - - - x y");
  EXPECT_EQ(line.severity, Severity::kWarning);
  EXPECT_EQ(line.text, "x y");
  EXPECT_EQ(line.time, kJan21);
}

TEST(KernelLine, ReadsAJournalAsJsonAndAsExport) {
  const Read json = readOne(
      R"({"__REALTIME_TIMESTAMP":"1737434504283302","_HOSTNAME":"gpu-7","PRIORITY":"3","_TRANSPORT":"kernel","MESSAGE":"NVRM: x"})");
  EXPECT_EQ(json.time, kJan21 + 283'302'000);
  EXPECT_EQ(json.severity, Severity::kError);
  EXPECT_EQ(json.host, "gpu-7");
  EXPECT_EQ(json.text, "NVRM: x");
  EXPECT_EQ(readOne(R"({"MESSAGE":[78,86,82,77],"_TRANSPORT":"kernel"})").text, "NVRM") << "bytes that are no UTF-8 come as numbers";
  const auto all = readAll({"__CURSOR=s=1", "__REALTIME_TIMESTAMP=1737434504000000", "_TRANSPORT=kernel", "MESSAGE=first", "",
                            "__CURSOR=s=2", "_TRANSPORT=stdout", "MESSAGE", std::string("\6\0\0\0\0\0\0\0second", 14)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "first");
  EXPECT_EQ(all[0].time, kJan21);
  EXPECT_FALSE(all[0].other_program);
  EXPECT_EQ(all[1].text, "second");
  EXPECT_TRUE(all[1].other_program);
}

TEST(KernelLine, TakesNoTrainersLineForAKernels) {
  for (const char* line : {"2025-01-21 04:41:44,283 - INFO - step 3", "[2025-01-21 04:41:44] loss 3", "iteration 5/ 10 | lm loss: 3 |",
                           "2025-01-21T04:41:44Z INFO step: 3"})
    EXPECT_FALSE(readOne(line).kernel) << line;
}

TEST(KernelLine, LeavesImpossibleTimesInTheText) {
  for (const char* line :
       {"[Sun Feb 33 16:24:18 2025] x", "2025-13-21T04:41:44,283302+00:00 x", "[99999999999999999999.1] x", "[Sun Feb 23 16",
        "kern  :", "<", "<999999999999>x", "4,1,99999999999999999999,-;x", "{\"MESSAGE\"", "{\"MESSAGE\":{}}"})
    EXPECT_EQ(readOne(line).clock, Clock::kNone) << line;
  EXPECT_TRUE(readAll({"", "   ", "\t"}).empty());
}

}  // namespace
}  // namespace runglass::kernel_log
