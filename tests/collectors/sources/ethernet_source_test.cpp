// SPDX-License-Identifier: Apache-2.0
// The source ethernet on a tree like /proc/net and /sys/class/net.
#include "collectors/sources/ethernet/ethernet_source.h"

#include <gmock/gmock.h>
#include <linux/ethtool.h>

#include <algorithm>
#include <cstring>

#include "collectors/sources/ethernet/ethtool_stats.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

class EthernetSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(m_root.file("proc/net"));
    std::filesystem::create_directories(m_root.file("sys/class/net/eth0/device"));
    std::filesystem::create_directories(m_root.file("sys/class/net/veth7"));
    traffic(1000, 500);
    link("eth0", "1", 1);
    link("veth7", "1", 1);
    m_source = makeEthernetSource();
    m_context = {.node = {.uuid = "u1", .name = "n1"},
                 .now = [] { return TimeNs{0}; },
                 .config = &m_config,
                 .root = m_root.path() + "/",
                 .faults = &m_faults};
  }
  void traffic(int received, int sent) {
    m_root.write("proc/net/dev", "eth0: " + std::to_string(received) + " 0 1 2 0 0 0 0 " + std::to_string(sent) + " 0 3 4 0 0 0 0\n");
  }
  void link(const std::string& interface_name, const std::string& carrier, int changes) {
    m_root.write("sys/class/net/" + interface_name + "/carrier", carrier + "\n");
    m_root.write("sys/class/net/" + interface_name + "/carrier_changes", std::to_string(changes) + "\n");
  }
  void poll(int times = 1) {
    for (int i = 0; i < times; ++i) m_source->poll(out, m_now += kNsPerSecond);
  }
  std::vector<std::string> reported() const {
    std::vector<std::string> all;
    for (const Event& event : out.events) all.push_back(event.kind + ": " + event.message);
    return all;
  }

  ScratchFolder m_root;
  toml::table m_config;
  RecentFaults m_faults;
  SourceContext m_context;
  std::unique_ptr<Source> m_source;
  TimeNs m_now = 0;
  MemoryRecorder out;
};

TEST_F(EthernetSourceTest, RecordsRatesOnlyBetweenTwoReadings) {
  ASSERT_TRUE(m_source->start(out, m_context).ok());
  poll();
  EXPECT_EQ(out.samplesOf("net_receive_bytes_per_s").size(), 0U);
  EXPECT_THAT(out.samplesOf("net_errors_total").value, ElementsAre(4.0));
  EXPECT_THAT(out.samplesOf("net_dropped_total").value, ElementsAre(6.0));
  traffic(3000, 400);
  poll();
  EXPECT_THAT(out.samplesOf("net_receive_bytes_per_s").value, ElementsAre(2000.0));
  EXPECT_EQ(out.samplesOf("net_transmit_bytes_per_s").size(), 0U) << "a counter that fell was reset: no rate";
}

TEST_F(EthernetSourceTest, ALostLinkAndItsReturnAreEventsOfTheAdapter) {
  ASSERT_TRUE(m_source->start(out, m_context).ok());
  poll(3);
  link("eth0", "0", 2);
  link("veth7", "0", 2);
  poll(5);
  link("eth0", "1", 3);
  poll(3);
  EXPECT_THAT(reported(), ElementsAre("link_down: eth0 lost its link", "link_up: eth0 is up after 5.00 s"))
      << "interfaces of containers come and go";
  EXPECT_EQ(out.devices.at(0).uuid, "u1/nic-eth0");
  link("eth0", "1", 7);
  poll(3);
  ASSERT_EQ(out.events.size(), 3U);
  EXPECT_THAT(reported().back(), HasSubstr("link_flap: eth0 lost its link 2 times"));
}

TEST_F(EthernetSourceTest, ALinkThatIsDownFromTheBeginningOrSwitchedOffIsQuiet) {
  link("eth0", "", 0);
  ASSERT_TRUE(m_source->start(out, m_context).ok());
  poll(3);
  link("eth0", "0", 2);
  poll(3);
  std::filesystem::remove_all(m_root.file("sys/class/net/eth0"));
  poll(30);
  EXPECT_TRUE(out.events.empty());
}

TEST_F(EthernetSourceTest, WhatTheKernelsLogReportedIsNotReportedAgain) {
  ASSERT_TRUE(m_source->start(out, m_context).ok());
  poll(2);
  EXPECT_TRUE(m_faults.mayTell("kernel_log", "link_down", "", "u1/nic-eth0", m_now));
  link("eth0", "0", 2);
  poll();
  EXPECT_TRUE(out.events.empty());
}

TEST(EthtoolStats, KnowsPausesByPriorityAndDiscardsOfThePort) {
  EXPECT_EQ(pauseCounterOf("rx_prio3_pause"), (PauseCounter{"net_receive_pause_total", 3}));
  EXPECT_EQ(pauseCounterOf("tx_prio0_pause"), (PauseCounter{"net_transmit_pause_total", 0}));
  EXPECT_EQ(pauseCounterOf("rx_pause_ctrl_phy"), (PauseCounter{"net_receive_pause_total", {}}));
  EXPECT_EQ(pauseCounterOf("rx_discards_phy"), (PauseCounter{"net_receive_discard_total", {}}));
  for (const char* other : {"rx_prio3_pause_duration", "rx_prio_pause", "rx_prio99_pause", "rx_prio-1_pause", "rx_", "prio3_pause", ""})
    EXPECT_EQ(pauseCounterOf(other), std::nullopt) << other;
}

TEST(EthtoolStats, ReadsADriverOfTenThousandCountersAndSaysWhereThereAreTooMany) {
  std::uint32_t said = 10'000, has = 10'500;  // it has grown since
  EthtoolStats stats([&](const std::string&, void* request) {
    std::uint32_t command = 0;
    std::memcpy(&command, request, sizeof command);
    if (command == ETHTOOL_GDRVINFO) static_cast<ethtool_drvinfo*>(request)->n_stats = said;
    if (command == ETHTOOL_GSTRINGS) {
      auto* strings = static_cast<ethtool_gstrings*>(request);
      strings->len = has;
      std::strcpy(reinterpret_cast<char*>(strings->data) + std::size_t{has - 1} * ETH_GSTRING_LEN, "rx_prio3_pause");
    }
    if (command == ETHTOOL_GSTATS) {
      auto* values = static_cast<ethtool_stats*>(request);
      values->n_stats = has;
      std::fill_n(values->data, has, 7);
    }
    return true;
  });
  EXPECT_THAT(stats.read("eth0"), ElementsAre(std::pair(PauseCounter{"net_receive_pause_total", 3}, std::uint64_t{7})));
  EXPECT_EQ(stats.tooMany("eth0"), std::nullopt);
  said = has = EthtoolStats::kMaxCounters + 1;
  EXPECT_TRUE(stats.read("eth1").empty());
  EXPECT_EQ(stats.tooMany("eth1"), said);
}

TEST(EthtoolStats, AsksRealInterfacesWithoutHarm) {
  EthtoolStats stats;
  EXPECT_TRUE(stats.read("no_such_interface_name_at_all").empty());
  EXPECT_TRUE(stats.read("lo").empty());
}

}  // namespace
}  // namespace runglass::test
