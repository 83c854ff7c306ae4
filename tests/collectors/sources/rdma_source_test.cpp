// SPDX-License-Identifier: Apache-2.0
// The source rdma on a tree like /sys/class/infiniband.
#include "collectors/sources/rdma/rdma_source.h"

#include <gmock/gmock.h>

#include "collectors/sources/rdma/rdma_port.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

class RdmaSourceTest : public testing::Test {
 protected:
  void addDevice(const std::string& device, const std::string& interface_name = "") {
    const std::string port = folder(device);
    std::filesystem::create_directories(m_root.file(port + "/counters"));
    std::filesystem::create_directories(m_root.file(port + "/hw_counters"));
    if (!interface_name.empty())
      std::filesystem::create_directories(m_root.file("sys/class/infiniband/" + device + "/device/net/" + interface_name));
    set(device, "state", "4: ACTIVE");
    set(device, "phys_state", "5: LinkUp");
    set(device, "rate", "400 Gb/sec (4X NDR)");
    set(device, "link_layer", "InfiniBand");
    for (const char* file : {"counters/port_xmit_data", "counters/port_rcv_data", "counters/port_xmit_packets", "counters/port_rcv_packets",
                             "counters/link_downed", "counters/symbol_error", "hw_counters/local_ack_timeout_err"})
      set(device, file, "0");
  }
  static std::string folder(const std::string& device) { return "sys/class/infiniband/" + device + "/ports/1"; }
  void set(const std::string& device, const std::string& file, const std::string& value) {
    m_root.write(folder(device) + "/" + file, value + "\n");
  }
  Status start() {
    m_source = makeRdmaSource();
    m_context = {.node = {.uuid = "u1", .name = "n1"},
                 .now = [] { return TimeNs{0}; },
                 .config = &m_config,
                 .root = m_root.path() + "/",
                 .ranks = &m_ranks,
                 .faults = &m_faults};
    return m_source->start(out, m_context);
  }
  void poll(int seconds = 1) {
    for (int i = 0; i < seconds; ++i) m_source->poll(out, m_now += kNsPerSecond);
  }
  std::vector<std::string> reported() const {
    std::vector<std::string> all;
    for (const Event& event : out.events) all.push_back(event.kind + (event.code.empty() ? "" : "/" + event.code));
    return all;
  }

  ScratchFolder m_root;
  toml::table m_config;
  RankTable m_ranks;
  RecentFaults m_faults;
  SourceContext m_context;
  std::unique_ptr<Source> m_source;
  TimeNs m_now = 1000 * kNsPerSecond;
  MemoryRecorder out;
};

TEST_F(RdmaSourceTest, DataCountersAreWordsOfFourBytes) {
  addDevice("mlx5_0", "eth2");
  ASSERT_TRUE(start().ok());
  poll();
  EXPECT_EQ(out.samplesOf("rdma_transmit_bytes_per_s").size(), 0U) << "one reading is no rate";
  set("mlx5_0", "counters/port_xmit_data", "250");
  set("mlx5_0", "counters/port_xmit_packets", "7");
  poll();
  EXPECT_THAT(out.samplesOf("rdma_transmit_bytes_per_s").value, ElementsAre(1000.0));
  EXPECT_THAT(out.samplesOf("rdma_transmit_packets_per_s").value, ElementsAre(7.0));
  EXPECT_THAT(out.samplesOf("rdma_link_bytes_per_s").value, ElementsAre(50e9));
  set("mlx5_0", "counters/port_xmit_data", "10");
  poll();
  EXPECT_EQ(out.samplesOf("rdma_transmit_bytes_per_s").size(), 1U) << "a counter that fell was reset: no rate";
  EXPECT_EQ(out.series_keys.begin()->second.labels, R"({"device":"mlx5_0","port":"1"})");
  EXPECT_EQ(out.devices.at(0).uuid, "u1/nic-eth2") << "the device that the kernel's log names by its interface";
  EXPECT_TRUE(out.events.empty());
}

TEST_F(RdmaSourceTest, ALostLinkIsAnEventAndSoIsItsReturnWithHowLong) {
  addDevice("mlx5_0");
  addDevice("mlx5_1");
  set("mlx5_1", "state", "1: DOWN");
  ASSERT_TRUE(start().ok());
  poll(6);
  EXPECT_TRUE(out.events.empty()) << "a port that nobody uses is down from the beginning";
  set("mlx5_0", "state", "1: DOWN");
  set("mlx5_0", "counters/link_downed", "1");
  poll(10);
  set("mlx5_0", "state", "4: ACTIVE");
  poll(10);
  ASSERT_THAT(reported(), ElementsAre("link_down", "link_up")) << "the counter says nothing new";
  EXPECT_EQ(out.events[0].message, "mlx5_0 port 1 was ACTIVE, is DOWN");
  EXPECT_EQ(out.events[1].message, "mlx5_0 port 1 is up after 10.0 s");
  EXPECT_EQ(out.devices.at(out.events[0].device.value - 1).uuid, "u1/nic-mlx5_0");
}

TEST_F(RdmaSourceTest, AFlapBetweenTwoLooksIsSeenByItsCounter) {
  addDevice("mlx5_0");
  ASSERT_TRUE(start().ok());
  poll(6);
  set("mlx5_0", "counters/link_downed", "2");
  poll(6);
  ASSERT_THAT(reported(), ElementsAre("link_flap"));
  EXPECT_THAT(out.events[0].message, HasSubstr("lost its link 2 times"));
  set("mlx5_0", "counters/link_downed", "0");
  poll(6);
  EXPECT_EQ(out.events.size(), 1U) << "a counter that was reset is no flap";
}

TEST_F(RdmaSourceTest, WhatTheKernelsLogReportedIsNotReportedAgain) {
  addDevice("mlx5_0", "eth2");
  ASSERT_TRUE(start().ok());
  poll(3);
  EXPECT_TRUE(m_faults.mayTell("kernel_log", "link_down", "", "u1/nic-eth2", m_now));
  set("mlx5_0", "state", "1: DOWN");
  poll();
  EXPECT_TRUE(out.events.empty());
}

TEST_F(RdmaSourceTest, OneSymbolErrorIsASeriesAndManyOnOnePortAreAnEvent) {
  for (const char* device : {"mlx5_0", "mlx5_1", "mlx5_2"}) addDevice(device);
  ASSERT_TRUE(start().ok());
  poll(10);
  set("mlx5_0", "counters/symbol_error", "1");
  poll(70);
  EXPECT_TRUE(out.events.empty());
  EXPECT_EQ(out.samplesOf("rdma_symbol_error_total").value.back(), 1);
  set("mlx5_2", "counters/symbol_error", "4000");
  poll(70);
  ASSERT_THAT(reported(), ElementsAre("rdma_errors/symbol_error"));
  EXPECT_THAT(out.events[0].message, HasSubstr("mlx5_2 port 1: 4000 symbol errors in 1 min"));
  EXPECT_EQ(out.events[0].severity, Severity::kWarning);
}

TEST_F(RdmaSourceTest, ALinkThatRecoveredByItselfOnceIsNoWarning) {
  addDevice("mlx5_0");
  addDevice("mlx5_1");
  for (const char* device : {"mlx5_0", "mlx5_1"}) set(device, "counters/link_error_recovery", "0");
  ASSERT_TRUE(start().ok());
  poll(6);
  set("mlx5_1", "counters/link_error_recovery", "1");
  poll(70);
  ASSERT_THAT(reported(), ElementsAre("rdma_errors/link_error_recovery"));
  EXPECT_EQ(out.events[0].severity, Severity::kInfo);
}

TEST_F(RdmaSourceTest, AnIntervalThatIsTooLongForItsWatchIsRefused) {
  addDevice("mlx5_0");
  m_config.insert("interval_ms", 60'000);
  EXPECT_EQ(start().code(), Code::kInvalidArgument);
}

TEST_F(RdmaSourceTest, ACounterThatStandsAtItsTopIsReportedOnce) {
  addDevice("mlx4_0");
  set("mlx4_0", "counters/link_downed", "255");
  ASSERT_TRUE(start().ok());
  poll(30);
  EXPECT_EQ(out.issueCount("rdma.saturated"), 1);
}

TEST_F(RdmaSourceTest, AStoppedPortIsAnEventWhileTheOthersGoOn) {
  addDevice("mlx5_0");
  addDevice("mlx5_1");
  m_ranks.put({.pid = 1, .rank = {.rank = 0}});
  ASSERT_TRUE(start().ok());
  std::uint64_t first = 0, second = 0;
  const auto train = [&](int seconds, bool both) {
    for (int i = 0; i < seconds; ++i) {
      first += i % 4 == 0 ? 1'000'000'000 : 0;  // bursts of a step of four seconds
      second += both && i % 4 == 0 ? 1'000'000'000 : 0;
      set("mlx5_0", "counters/port_xmit_data", std::to_string(first));
      set("mlx5_1", "counters/port_xmit_data", std::to_string(second));
      poll();
    }
  };
  train(600, true);
  EXPECT_TRUE(out.events.empty());
  train(200, false);
  ASSERT_THAT(reported(), ElementsAre("rdma_traffic_stopped"));
  EXPECT_THAT(out.events[0].message, HasSubstr("mlx5_1 port 1: no traffic"));
}

TEST_F(RdmaSourceTest, DamagedFilesAreAbsentValues) {
  addDevice("mlx5_0");
  set("mlx5_0", "counters/port_xmit_data", "18446744073709551616");
  set("mlx5_0", "counters/symbol_error", "many");
  set("mlx5_0", "rate", "nan Gb/sec");
  ASSERT_TRUE(start().ok());
  poll(12);
  EXPECT_EQ(out.samplesOf("rdma_transmit_bytes_per_s").size(), 0U);
  EXPECT_EQ(out.samplesOf("rdma_symbol_error_total").size(), 0U);
  EXPECT_EQ(out.samplesOf("rdma_link_bytes_per_s").size(), 0U);
  EXPECT_GT(out.samplesOf("rdma_receive_bytes_per_s").size(), 0U) << "the others go on";
  std::filesystem::remove_all(m_root.file("sys"));
  poll(12);
}

TEST_F(RdmaSourceTest, AMachineWithoutRdmaIsNotAnError) {
  const Status status = start();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("no RDMA device"));
}

TEST(RdmaPort, ReadsStatesAndRates) {
  EXPECT_EQ(rdmaStateWord("4: ACTIVE"), "ACTIVE");
  EXPECT_EQ(rdmaStateWord("odd"), "odd");
  EXPECT_EQ(rdmaRate("2.5 Gb/sec (1X SDR)"), 2.5e9 / 8);
  EXPECT_EQ(rdmaRate("fast"), std::nullopt);
}

}  // namespace
}  // namespace runglass::test
