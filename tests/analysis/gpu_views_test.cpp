// SPDX-License-Identifier: Apache-2.0
// The computations of the GPU view: deviation from peers, shades on a fixed scale; and the GPUs of open findings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/layout/layout_reading.h"
#include "analysis/peers/slower_than_peers.h"
#include "analysis/views/fleet.h"
#include "analysis/views/gpu_findings.h"
#include "analysis/views/gpu_shade.h"
#include "collectors/sim/simulator.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kT = 1'790'000'000LL * kNsPerSecond;

TEST(GpuShadeTest, IsNeutralUpToTheMetricsThresholdAndFullFromItsOther) {
  const ShadeScale scale{.calm = 0.05, .full = 0.25, .more_is_worse = true};
  for (const double calm : {0.0, 0.05, -0.05, 0.01}) EXPECT_EQ(shadeOf(calm, scale), 0) << calm;
  EXPECT_GT(shadeOf(0.051, scale), 0.2) << "past the threshold it is visible";
  EXPECT_EQ(shadeOf(0.25, scale), 1);
  EXPECT_EQ(shadeOf(3, scale), 1);
  EXPECT_EQ(shadeOf(-0.5, scale), -1) << "less work than the peers";
  EXPECT_EQ(shadeOf(-0.5, {.calm = 0.1, .full = 0.5, .more_is_worse = false}), 1) << "less power than the peers";
  EXPECT_EQ(shadeOf(std::numeric_limits<double>::quiet_NaN(), scale), 0);
}

TEST(GpuPeersTest, ComparesWithinAStage) {
  std::vector<PeerValue> values;
  for (int i = 0; i < 5; ++i) values.push_back({100, 0}), values.push_back({300, 1});
  values[0].value = 150;
  values[2].value.reset();
  const auto found = againstPeers(values);
  EXPECT_EQ(found[0], 0.5);
  EXPECT_FALSE(found[2]) << "no data";
  EXPECT_EQ(found[1], 0) << "another stage has other work";
}

TEST(GpuPeersTest, GpusWithoutARankAreNoPeersAndTooFewPeersAreNone) {
  std::vector<PeerValue> values(6, {600, 0});
  values.push_back({80, kNoJob});
  const auto idle = againstPeers(values);
  EXPECT_FALSE(idle[6]);
  EXPECT_EQ(idle[0], 0);
  EXPECT_FALSE(againstPeers(std::vector<PeerValue>(3, {600, 0}))[0]);
  // Four stages of two GPUs: all GPUs of the job are peers.
  std::vector<PeerValue> stages;
  for (std::int32_t i = 0; i < 8; ++i) stages.push_back({i == 3 ? 300. : 600., i / 2});
  EXPECT_EQ(againstPeers(stages, {.join_small_stages = true})[3], -0.5);
}

TEST(FleetTest, NamesTheTenantsThatShareAGpuNow) {
  TempStore file;
  auto writer = file.writer();
  ASSERT_TRUE(writer.ok());
  const NodeId node = (*writer)->node({.uuid = "n0", .name = "n0"});
  std::vector<DeviceId> gpus;
  for (int i = 0; i < 3; ++i)
    gpus.push_back((*writer)->device({.uuid = "GPU-" + std::to_string(i), .node = node, .index = i, .kind = "gpu"}));
  const auto put = [&](DeviceId gpu, const char* metric, const char* labels, TimeNs time) {
    const SeriesId series = (*writer)->series({.node = node, .device = gpu, .metric = metric, .labels = labels});
    (*writer)->sample(series, time, 1);
  };
  constexpr TimeNs kNow = kT + 100 * kNsPerSecond;
  for (const DeviceId gpu : gpus) put(gpu, "power_watts", "", kNow);
  put(gpus[0], "gpu_process_memory_bytes", R"({"name":"python train.py","pid":"10"})", kNow - 10 * kNsPerSecond);
  put(gpus[0], "gpu_process_memory_bytes", R"({"GPU_I_ID":"7","name":"eval","pid":"11"})", kNow);
  put(gpus[0], "gpu_process_busy_ratio", R"({"GPU_I_ID":"7","name":"eval","pid":"11"})", kNow);
  put(gpus[0], "gpu_process_memory_bytes", R"({"pid":"9"})", kT);
  put(gpus[1], "gpu_busy_ratio", R"({"pod":"train-0"})", kNow);
  put(gpus[1], "temperature_celsius", R"({"pod":"train-0"})", kNow);
  put(gpus[1], "gpu_process_memory_bytes", R"({"pid":"12"})", kNow);
  ASSERT_TRUE((*writer)->flush().ok());
  auto reader = file.reader();
  ASSERT_TRUE(reader.ok());
  const auto fleet = readFleet(**reader, {}, kNow);
  ASSERT_TRUE(fleet.ok());
  EXPECT_THAT(fleet->tenantsOf(node, gpus[0]), testing::ElementsAre("eval (pid 11), MIG 7", "python train.py (pid 10)"))
      << "a process that has ended is no tenant";
  EXPECT_THAT(fleet->tenantsOf(node, gpus[1]), testing::ElementsAre("train-0")) << "the pod, not its processes";
  EXPECT_TRUE(fleet->tenantsOf(node, gpus[2]).empty());
}

class GpuMarksTest : public ::testing::Test {
 protected:
  FindingMarks mark(const Finding& finding) const { return markOpenFindings({&finding, 1}, AttemptId{1}, m_ranks, m_devices, kT); }
  static Finding about(const std::string& kind, const std::string& subject) {
    return {.id = 5, .attempt = AttemptId{1}, .kind = kind, .subject = subject, .severity = Severity::kWarning, .start = kT - 1};
  }
  // Two nodes of two GPUs.
  std::vector<Rank> m_ranks;
  std::vector<Device> m_devices;
  GpuMarksTest() {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const NodeId node{1 + i / 2};
      const DeviceId device{10 + i};
      m_devices.push_back({.id = device, .uuid = "GPU-" + std::to_string(i), .node = node, .kind = "gpu"});
      m_ranks.push_back({.attempt = AttemptId{1}, .rank = static_cast<std::int32_t>(i), .node = node, .device = device});
    }
    m_devices.push_back({.id = DeviceId{20}, .uuid = "NIC-0", .node = NodeId{2}, .kind = "nic"});
  }
};

TEST_F(GpuMarksTest, AFindingMarksItsDeviceItsRanksOrItsNode) {
  Finding rank = about("slow_rank", "rank:3");
  rank.rank = 3, rank.node = NodeId{2};
  ASSERT_EQ(mark(rank).size(), 1U) << "not the other GPU of its node";
  EXPECT_TRUE(mark(rank).contains({NodeId{2}, DeviceId{13}}));
  EXPECT_TRUE(mark(about("hardware_fault", "device:GPU-1 xid 79")).contains({NodeId{1}, DeviceId{11}}));
  Finding node = about("slow_node", "node:b");
  node.node = NodeId{2};
  EXPECT_TRUE(mark(node).contains({NodeId{2}, DeviceId()}));
  EXPECT_TRUE(mark(about("slow_link", "device:NIC-0 link_down")).contains({NodeId{2}, DeviceId()})) << "the host of a network card";
  Finding hang = about("hang", "attempt:0");
  hang.evidence = R"({"culprits":[{"rank":0},{"rank":1}]})";
  EXPECT_EQ(mark(hang).size(), 2U);
  Finding stage = about("stage_imbalance", "stage:1");
  stage.pp = 1;
  EXPECT_TRUE(mark(stage).empty());
  EXPECT_TRUE(mark(about("throughput_shift", "run")).empty());
  EXPECT_TRUE(mark(about("hardware_fault", "device:unknown xid 1")).empty());
}

TEST_F(GpuMarksTest, OnlyWhatIsOpenAndOfThisAttempt) {
  Finding rank = about("slow_rank", "rank:3");
  rank.rank = 3;
  rank.end = kT - 1;
  EXPECT_TRUE(mark(rank).empty()) << "over";
  rank.end = kT;
  EXPECT_FALSE(mark(rank).empty()) << "it lasted until the end of the run";
  rank.end.reset();
  rank.start = kT + 1;
  EXPECT_TRUE(mark(rank).empty()) << "not begun";
  rank.start = kT - 1;
  rank.attempt = AttemptId{7};
  EXPECT_TRUE(mark(rank).empty()) << "rank 3 of another attempt ran elsewhere";
}

TEST_F(GpuMarksTest, WhatLastedToTheEndOfTheRunIsOpenAlsoWhenEventsCameLater) {
  Finding hang = about("hang", "attempt:0");
  hang.rank = 3, hang.start = kT - 20, hang.end = kT - 5;
  const auto marks = [&](TimeNs run_end) { return markOpenFindings({&hang, 1}, AttemptId{1}, m_ranks, m_devices, kT, run_end).size(); };
  EXPECT_EQ(marks(kT - 5), 1U);
  EXPECT_EQ(marks(kT - 4), 0U);
}

TEST_F(GpuMarksTest, TheWorstOfSeveralIsShown) {
  std::vector<Finding> two = {about("slow_rank", "rank:3"), about("hang", "attempt:0")};
  two[0].rank = two[1].rank = 3;
  two[1].severity = Severity::kCritical, two[1].summary = "hangs";
  for (int turn = 0; turn < 2; ++turn, std::swap(two[0], two[1])) {
    const FindingMark mark = markOpenFindings(two, AttemptId{1}, m_ranks, m_devices, kT).begin()->second;
    EXPECT_EQ(mark.severity, Severity::kCritical);
    EXPECT_EQ(mark.summary, "hangs");
    EXPECT_EQ(mark.count, 2U);
  }
}

// Two imported runs, each with a node of two GPUs.
TEST(FleetTest, AnImportedRunHasTheDevicesOfItsOwnFilesOnly) {
  TempStore store;
  RunId first, second, bare;
  {
    auto opened = store.writer();
    ASSERT_TRUE(opened.ok());
    Writer& writer = **opened;
    const auto add = [&](const char* name) {
      const RunId run = writer.run({.name = name});
      const std::string earlier = std::string(name) + " before the restart";
      const NodeId left = writer.node({.uuid = earlier, .name = earlier});
      writer.fact({.attempt = writer.attempt({.run = run, .key = "0"}), .node = left, .key = "telemetry_file", .value = earlier});
      writer.device({.uuid = earlier + "0", .node = left, .index = 0, .kind = "gpu"});
      const AttemptId attempt = writer.attempt({.run = run, .key = "1"});
      const NodeId node = writer.node({.uuid = name, .name = name});
      writer.fact({.attempt = attempt, .node = node, .key = "telemetry_file", .value = name});
      for (std::int32_t gpu = 0; gpu < 2; ++gpu) {
        const DeviceId device = writer.device({.uuid = name + std::to_string(gpu), .node = node, .index = gpu, .kind = "gpu"});
        const SeriesId power =
            writer.series({.node = node, .device = device, .metric = "power_watts", .unit = "watts", .kind = SeriesKind::kGauge});
        writer.samples(power, std::vector{kT}, std::vector{300.0});
      }
      return run;
    };
    first = add("a"), second = add("b");
    bare = writer.run({.name = "trace"});
    writer.attempt({.run = bare});
    ASSERT_TRUE(writer.close().ok());
  }
  auto reader = store.reader();
  ASSERT_TRUE(reader.ok());
  for (const auto& [run, name] : {std::pair{first, "a"}, std::pair{second, "b"}}) {
    const auto fleet = readFleet(**reader, run, kT);
    ASSERT_TRUE(fleet.ok());
    ASSERT_EQ(fleet->nodes.size(), 1U);
    EXPECT_EQ(fleet->nodes[0].name, name);
    EXPECT_EQ(fleet->devices.size(), 2U);
  }
  const auto none = readFleet(**reader, bare, kT);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->devices.empty()) << "a trace names no GPU of another run's";
}

}  // namespace
}  // namespace runglass
