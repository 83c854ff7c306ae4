// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/proc/proc_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runglass::proc {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;

TEST(ProcParse, SplitsCpuTimeIntoBusyWaitAndSteal) {
  const auto cpus = parseStat("cpu  100 10 50 800 30 5 5 20 7 0\ncpu0 50 5 25 400 15 2 3 10 0 0\nintr 12345\ncpuX broken\n");
  ASSERT_THAT(cpus, ElementsAre(Key(""), Key("0")));
  EXPECT_EQ(cpus.at("").total, 1020U);
  EXPECT_EQ(cpus.at("").busy, 190U);
  EXPECT_EQ(cpus.at("").iowait, 30U);
  EXPECT_EQ(cpus.at("").steal, 20U);
}

TEST(ProcParse, TurnsKilobytesIntoBytesAndKeepsPlainNumbers) {
  const auto values = parseNamedNumbers(
      "MemTotal:       24000000 kB\nHugePages_Total:       3\ncompact_stall 17\nBroken: x kB\nHuge: 99999999999999999 kB\n");
  EXPECT_EQ(values.at("MemTotal"), 24000000LL * 1024);
  EXPECT_EQ(values.at("HugePages_Total"), 3);
  EXPECT_EQ(values.at("compact_stall"), 17);
  EXPECT_EQ(values.count("Broken"), 0U);
  EXPECT_EQ(values.count("Huge"), 0U) << "a value that overflows is left out, not wrapped";
}

TEST(ProcParse, ReadsPressureTotalsAndLeavesAbsentOnesAbsent) {
  const auto pressure = parsePressure("some avg10=0.12 avg60=0.05 avg300=0.00 total=123456\n");
  EXPECT_EQ(pressure.some_total_us, 123456U);
  EXPECT_EQ(pressure.full_total_us, std::nullopt);
}

TEST(ProcParse, CountsWholeDisksOnly) {
  const auto disks = parseDiskstats(
      " 259 0 nvme0n1 10 0 80 5 20 0 160 6 0 77 11 0 0 0 0 0 0\n 259 1 nvme0n1p1 1 0 8 5 2 0 16 6 0 7 11 0 0 0 0 0 0\n"
      "   7 0 loop0 1 0 8 5 2 0 16 6 0 7 11\n   8 0 sda 1 0 2 3 4 5 6 7 8 9 10\n   8 1 sda1 1 0 2 3 4 5 6 7 8 9 10\n");
  ASSERT_THAT(disks, ElementsAre(Key("nvme0n1"), Key("sda")));
  EXPECT_EQ(disks.at("nvme0n1").read_bytes, 80U * 512);
  EXPECT_EQ(disks.at("nvme0n1").written_bytes, 160U * 512);
  EXPECT_EQ(disks.at("nvme0n1").busy_ms, 77U);
}

TEST(ProcParse, ReadsInterfacesWhoseCounterTouchesTheColon) {
  const auto net = parseNetDev("Inter-|   Receive\n face |bytes\n  eth0:1000 1 2 3 0 0 0 0 2000 5 6 7 0 0 0 0\n");
  ASSERT_THAT(net, ElementsAre(Key("eth0")));
  EXPECT_EQ(net.at("eth0").rx_bytes, 1000U);
  EXPECT_EQ(net.at("eth0").rx_errors, 2U);
  EXPECT_EQ(net.at("eth0").tx_bytes, 2000U);
  EXPECT_EQ(net.at("eth0").tx_dropped, 7U);
}

TEST(ProcParse, KeepsMountsThatAJobWritesTo) {
  const auto mounts = parseMounts(
      "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\ntmpfs /run tmpfs rw 0 0\n"
      "fs:/x /data nfs4 rw 0 0\n/dev/sda1 /etc/hosts ext4 rw 0 0\nz /ckpt lustre rw 0 0\n");
  ASSERT_EQ(mounts.size(), 4U);
  EXPECT_EQ(mounts[1].path, "/dev/shm");
  EXPECT_EQ(mounts[3].filesystem, "lustre");
}

TEST(ProcParse, SumsFreeBlocksFromAnOrderUp) {
  const std::string text = "Node 0, zone   Normal   4   3   2   1\nNode 1, zone   Normal   0   0   0   2\n";
  EXPECT_EQ(parseBuddyinfo(text, 2, 4096), (2 * 4 + 1 * 8 + 2 * 8) * 4096);
  EXPECT_EQ(parseBuddyinfo("garbage\n", 2, 4096), std::nullopt);
}

TEST(ProcParse, FindsFieldsBehindACommandWithSpacesAndParentheses) {
  const auto stat =
      parseProcessStat("42 (py (x) y) S 1 42 42 0 -1 4194304 500 0 7 0 300 200 0 0 30 10 9 0 1234 1000000 2560 18446744073709551615 1\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->major_faults, 7U);
  EXPECT_EQ(stat->cpu_jiffies, 500U);
  EXPECT_EQ(stat->threads, 9);
  EXPECT_EQ(stat->start_jiffies, 1234U);
  EXPECT_EQ(stat->rss_pages, 2560);
  EXPECT_FALSE(parseProcessStat("42 (x) S 1 2").has_value());
}

TEST(ProcParse, ReadsAnEnvironmentByWholeNames) {
  const std::string environ_text = std::string("LOCAL_RANK=3") + '\0' + "RANK=11" + '\0' + "EMPTY=" + '\0';
  EXPECT_EQ(environValue(environ_text, "RANK"), "11");
  EXPECT_EQ(environValue(environ_text, "EMPTY"), "");
  EXPECT_EQ(environValue(environ_text, "WORLD_SIZE"), std::nullopt);
}

}  // namespace
}  // namespace runglass::proc
