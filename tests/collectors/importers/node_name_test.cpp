// SPDX-License-Identifier: Apache-2.0
// The node of a telemetry file: by the host name in it, by its file name, by its folder.
#include "collectors/importers/input/node_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::importText;
using testing::ElementsAre;

TEST(NodeName, IsTheStemWithoutWhatWasMeasured) {
  for (const char* path : {"t/node0_gpu.csv", "t/node0_ib.csv", "t/node0-bmc.csv.gz", "t/gpu_metrics_node0.csv", "t/gpu_node0.csv",
                           "t/node0_telemetry_20251107.csv"})
    EXPECT_EQ(nodeOfPath(path).name, "node0") << path;
  EXPECT_EQ(nodeOfPath("t/h100_t10_node1_ib.csv.zst").name, "h100_t10_node1");
  EXPECT_EQ(nodeOfPath("t/gpu-node-03_power.csv").name, "gpu-node-03") << "the word is part of the name";
  EXPECT_EQ(nodeOfPath("t/node0_gpu.csv").folder, "t");
}

TEST(NodeName, IsTheFolderWhereTheStemOnlySaysWhatWasMeasured) {
  EXPECT_EQ(nodeOfPath("run/node0/gpu_telemetry.csv").name, "node0");
  EXPECT_EQ(nodeOfPath("run/node0/nvidia-smi.csv").folder, "run");
}

TEST(NodeName, AFolderIsOfANodeOnlyWhereItsNameIsAMachines) {
  for (const char* path : {"dgx-03/gpu.csv", "n0412/nvidia-smi.csv", "worker-a/telemetry.csv"})
    EXPECT_NE(nodeOfPath(path).name, "") << path;
  for (const char* path : {"/tmp/gpu.csv", "/home/ada/Downloads/nvidia-smi.csv", "logs/telemetry.csv", "./gpu.csv", "../gpu.csv", "gpu.csv",
                           "archive.tar/telemetry.csv", "run42/gpu.csv", "2026/gpu.csv"})
    EXPECT_EQ(nodeOfPath(path).name, "") << path;
}

TEST(NodeName, OtherFilesNameNone) {
  for (const char* path : {"test", "t/input.csv", "t/node_1.txt", "t/run7.csv", "t/telemetry_2.csv"})
    EXPECT_EQ(nodeOfPath(path).name, "") << path;
}

std::set<std::string> nodesOf(const test::Imported& imported) {
  std::set<std::string> names;
  for (const Node& node : imported.recorder.nodes) names.insert(node.name);
  return names;
}

constexpr const char* kHead = "timestamp,hostname,phase,gpu,gpu_model,power_w,temp_c,sm_active\n";

TEST(NodeName, RowsOfSeveralHostsInOneFileAreOfSeveralNodes) {
  std::string csv = kHead;
  for (int second = 0; second < 2; ++second)
    for (const char* host : {"a01", "a02"})
      for (int gpu = 0; gpu < 8; ++gpu)
        csv += "177501626" + std::to_string(second) + "," + host + ",steady," + std::to_string(gpu) + ",NVIDIA H100,700,60,0.9\n";
  const auto imported = importText(csv);
  ASSERT_TRUE(imported.status.ok()) << imported.status.message();
  EXPECT_THAT(nodesOf(imported), ElementsAre("a01", "a02"));
  std::set<std::string> devices;
  for (const Device& device : imported.recorder.devices) devices.insert(device.uuid);
  EXPECT_EQ(devices.size(), 16U);
  std::size_t phases = 0;
  for (const Event& event : imported.recorder.events) phases += event.kind == "phase";
  EXPECT_EQ(phases, 2U) << "one per host, not one per row";
}

TEST(NodeName, APageOfSeveralExportersIsOfSeveralNodes) {
  const auto imported = importText(
      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"a01\"} 300 1775016266000\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-2\",Hostname=\"a02\"} 310 1775016266000\n");
  ASSERT_TRUE(imported.status.ok()) << imported.status.message();
  EXPECT_THAT(nodesOf(imported), ElementsAre("a01", "a02"));
}

}  // namespace
}  // namespace runglass
