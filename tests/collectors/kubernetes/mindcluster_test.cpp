// SPDX-License-Identifier: Apache-2.0
#include "collectors/kubernetes/mindcluster.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

std::vector<NodeFault> faultsOf(std::string_view json, std::int64_t bad = 0) {
  const auto change = parseKubeChange(json, "");
  EXPECT_TRUE(change.ok());
  EXPECT_TRUE(MindClusterFaults::isOfMindCluster(change->object));
  MindClusterFaults faults;
  auto out = faults.faultsOf(change->object);
  EXPECT_EQ(faults.bad(), bad);
  return out;
}

TEST(MindCluster, FaultsOfTheDevicePluginAreJsonInJson) {
  const auto faults =
      faultsOf(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"mindx-dl-deviceinfo-node-7","namespace":"kube-system"},
    "data":{"DeviceInfoCfg":"{\"DeviceInfo\":{\"DeviceList\":{\"huawei.com/Ascend910\":\"Ascend910-0,Ascend910-1\",\"huawei.com/Ascend910-NetworkUnhealthy\":\"\",\"huawei.com/Ascend910-Unhealthy\":\"Ascend910-3\",\"huawei.com/Ascend910-Fault\":\"[{\\\"fault_type\\\":\\\"CardUnhealthy\\\",\\\"npu_name\\\":\\\"Ascend910-3\\\",\\\"large_model_fault_level\\\":\\\"SeparateNPU\\\",\\\"fault_level\\\":\\\"SeparateNPU\\\",\\\"fault_handling\\\":\\\"SeparateNPU\\\",\\\"fault_code\\\":\\\"80E01801,80C98008\\\",\\\"fault_time_and_level_map\\\":{\\\"80E01801\\\":{\\\"fault_time\\\":1767225600123,\\\"fault_level\\\":\\\"SeparateNPU\\\"},\\\"80C98008\\\":{\\\"fault_time\\\":1767225601000,\\\"fault_level\\\":\\\"NotHandleFault\\\"}}}]\"},\"UpdateTime\":1767225602},\"SuperPodID\":-2,\"ServerIndex\":-2,\"CheckCode\":\"aa\"}",
            "SwitchInfoCfg":"{\"FaultCode\":[\"{\\\"EventType\\\":0,\\\"AssembledFaultCode\\\":\\\"[0x00f103b0,155904,na,na]\\\",\\\"PeerPortDevice\\\":255,\\\"SwitchChipId\\\":0,\\\"SwitchPortId\\\":5,\\\"Severity\\\":2,\\\"Assertion\\\":1,\\\"AlarmRaisedTime\\\":1767225603000}\"],\"FaultTimeAndLevelMap\":{},\"FaultLevel\":\"Separate\",\"UpdateTime\":1767225602,\"NodeStatus\":\"UnHealthy\"}"}})");
  ASSERT_EQ(faults.size(), 3);
  EXPECT_EQ(faults[0].node, "node-7");
  EXPECT_EQ(faults[0].device, "Ascend910-3");
  EXPECT_EQ(faults[0].event.kind, "npu_fault");
  EXPECT_EQ(faults[0].event.code, "80E01801");
  EXPECT_EQ(faults[0].event.severity, Severity::kCritical) << "SeparateNPU";
  EXPECT_EQ(faults[0].event.time, 1767225600123 * kNsPerMs);
  EXPECT_EQ(faults[1].event.code, "80C98008");
  EXPECT_EQ(faults[1].event.severity, Severity::kInfo) << "NotHandleFault";
  EXPECT_EQ(faults[2].event.kind, "switch_fault");
  EXPECT_EQ(faults[2].event.code, "[0x00f103b0,155904,na,na]");
  EXPECT_EQ(faults[2].device, "switch chip 0 port 5");
}

TEST(MindCluster, NodeInfoIsAcceptedWithBothNamesOfItsList) {
  for (const char* list : {"FaultDevList", "FaultDeviList"}) {
    const auto faults = faultsOf(
        std::string(
            R"({"kind":"ConfigMap","metadata":{"name":"mindx-dl-nodeinfo-w1","namespace":"mindx-dl"},"data":{"NodeInfo":"{\"NodeInfo\":{\")") +
        list +
        R"(\":[{\"DeviceType\":\"CPU\",\"DeviceId\":1,\"FaultCode\":[\"0100001D\"],\"FaultLevel\":\"SeparateFault\"}],\"NodeStatus\":\"UnHealthy\"},\"CheckCode\":\"x\"}"}})");
    ASSERT_EQ(faults.size(), 1) << list;
    EXPECT_EQ(faults[0].event.kind, "node_fault");
    EXPECT_EQ(faults[0].event.code, "0100001D");
    EXPECT_EQ(faults[0].event.severity, Severity::kCritical) << "SeparateFault";
    EXPECT_FALSE(faults[0].event.time) << "it has none";
  }
}

TEST(MindCluster, APublicFaultIsOneEventPerNodeAndEndsByAnExplicitRecovery) {
  const auto faults =
      faultsOf(R"({"kind":"ConfigMap","metadata":{"name":"pingmesh","labels":{"mc-consumer-publicfault":"true"}},"data":{"PublicFault":
    "{\"id\":\"11937763019444715778\",\"timestamp\":1741832983000,\"version\":\"1.0\",\"resource\":\"pingmesh\",\"faults\":[{\"faultId\":\"1\",\"faultType\":\"Network\",\"faultCode\":\"220001001\",\"faultTime\":1741832983000,\"assertion\":\"occur\",\"influence\":[{\"nodeName\":\"n1\",\"deviceIds\":[0,1]},{\"nodeName\":\"n2\"}],\"description\":\"link down\"},{\"faultId\":\"1\",\"faultType\":\"Network\",\"faultCode\":\"220001001\",\"faultTime\":1741833000000,\"assertion\":\"recover\",\"influence\":[{\"nodeName\":\"n1\",\"deviceIds\":[0]}]}]}"}})");
  ASSERT_EQ(faults.size(), 3);
  EXPECT_EQ(faults[0].node, "n1");
  EXPECT_EQ(faults[0].device, "NPU 0, 1");
  EXPECT_EQ(faults[0].event.code, "220001001");
  EXPECT_EQ(faults[1].node, "n2");
  EXPECT_EQ(faults[2].event.kind, "public_fault_recovered");
  EXPECT_EQ(faults[2].event.severity, Severity::kInfo);
}

TEST(MindCluster, SwitchFaultsOfClusterDAreObjectsByNode) {
  const auto faults =
      faultsOf(R"({"kind":"ConfigMap","metadata":{"name":"cluster-info-switch-0","namespace":"cluster-system"},"data":{"SwitchInfo":
    "{\"mindx-dl-switchinfo-n9\":{\"FaultInfo\":[{\"AssembledFaultCode\":\"[0x08520003,na,132332,na]\",\"SwitchChipId\":1,\"SwitchPortId\":2,\"Assertion\":0,\"AlarmRaisedTime\":1767225603000}],\"FaultLevel\":\"NotHandle\"}}"}})");
  ASSERT_EQ(faults.size(), 1);
  EXPECT_EQ(faults[0].node, "n9");
  EXPECT_EQ(faults[0].event.kind, "switch_fault_recovered");
}

TEST(MindCluster, AValueThatIsNoJsonIsCounted) {
  EXPECT_TRUE(faultsOf(R"({"kind":"ConfigMap","metadata":{"name":"mindx-dl-deviceinfo-a"},"data":{"DeviceInfoCfg":"{\"DeviceInfo\":"}})", 1)
                  .empty());
}

}  // namespace
}  // namespace runglass
