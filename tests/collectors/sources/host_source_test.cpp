// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/host/host_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "collectors/sources/heartbeat/heartbeat_source.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

class HostSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(m_root / "proc/77");
    write("stat", "cpu 100 0 0 100 0 0 0 0\ncpu0 100 0 0 100 0 0 0 0\n");
    write("loadavg", "1.50 1.00 0.50 2/300 77\n");
    write("meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n");
    write("77/environ", std::string("RANK=3") + '\0' + "WORLD_SIZE=8" + '\0');
    process(200);
    m_config.insert("mounts", toml::array{m_root.string()});
    m_context = {.node = {.uuid = "u", .name = "n"}, .now = [] { return TimeNs{0}; }, .config = &m_config, .root = m_root.string() + "/"};
  }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((m_root / "proc" / file).parent_path());
    std::ofstream(m_root / "proc" / file) << text;
  }
  void process(int jiffies) {
    write("77/stat", "77 (python3) R 1 1 1 0 -1 0 0 0 5 0 " + std::to_string(jiffies) + " 0 0 0 20 0 4 0 999 1000 256 0\n");
  }

  const test::TempFolder m_folder;
  const std::filesystem::path m_root = m_folder.path();
  toml::table m_config;
  SourceContext m_context;
  test::MemoryRecorder m_out;
};

TEST_F(HostSourceTest, RecordsRatesOnlyBetweenTwoReadings) {
  auto source = makeHostSource();
  ASSERT_TRUE(source->start(m_out, m_context).ok());
  EXPECT_EQ(source->poll(m_out, 0), kNsPerSecond);
  EXPECT_EQ(m_out.samplesOf("cpu_busy_ratio").size(), 0U);
  EXPECT_EQ(m_out.samplesOf("memory_available_bytes").value, std::vector<double>{400 * 1024});
  write("stat", "cpu 175 0 0 125 0 0 0 0\n");
  process(300);
  source->poll(m_out, 2 * kNsPerSecond);
  EXPECT_EQ(m_out.samplesOf("cpu_busy_ratio").value, std::vector<double>{0.75});
  EXPECT_EQ(m_out.samplesOf("net_receive_bytes_per_s").size(), 0U) << "the source ethernet reads the network";
  EXPECT_EQ(m_out.samplesOf("process_cpu_ratio", R"({"pid":"77","rank":"3"})").value, std::vector<double>{0.5});
  EXPECT_EQ(m_out.samplesOf("pressure_cpu_some_ratio").size(), 0U) << "a kernel without PSI leaves it absent";
}

TEST_F(HostSourceTest, AsksMountsForTheirSpace) {
  auto source = makeHostSource();
  ASSERT_TRUE(source->start(m_out, m_context).ok());
  ASSERT_TRUE(test::waitUntil([&, now = TimeNs{0}]() mutable {
    source->poll(m_out, ++now);
    return m_out.samplesOf("mount_free_bytes").size() > 0;
  }));
  EXPECT_GT(m_out.samplesOf("mount_total_bytes").value[0], m_out.samplesOf("mount_free_bytes").value[0]);
}

TEST_F(HostSourceTest, AsksTheMachinesMountsAndNotThoseOfItsOwnService) {
  m_config = {};
  const std::string machine = m_root.string() + " ext4 rw 0 0\n";
  write("1/mounts", "/dev/sda " + machine);
  write("mounts", "/dev/sda " + machine + "/dev/sda " + m_root.string() + "/proc ext4 ro 0 0\n");
  const auto answersOf = [&](const std::filesystem::path& mount) {
    return m_out.samplesOf("mount_total_bytes", "{\"mount\":\"" + mount.string() + "\"}").size();
  };
  // All mounts are queried in each round: five answers of one give the others time to answer.
  const auto poll = [&](const std::filesystem::path& awaited) {
    m_out = test::MemoryRecorder();
    auto source = makeHostSource();
    EXPECT_TRUE(source->start(m_out, m_context).ok());
    EXPECT_TRUE(test::waitUntil([&, now = TimeNs{0}]() mutable {
      source->poll(m_out, now += 10 * kNsPerSecond);
      return answersOf(awaited) >= 5;
    }));
  };
  poll(m_root);
  EXPECT_EQ(answersOf(m_root / "proc"), 0U);
  std::filesystem::remove(m_root / "proc/1/mounts");
  poll(m_root / "proc");
  EXPECT_GE(answersOf(m_root), 1U) << "what cannot be read leaves one's own";
}

TEST_F(HostSourceTest, RefusesAMachineWithoutProc) {
  m_context.root = (m_root / "nowhere/").string();
  const Status status = makeHostSource()->start(m_out, m_context);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("proc/stat"), std::string::npos);
}

TEST_F(HostSourceTest, BeatsWithTheNumberOfTrainers) {
  auto source = makeHeartbeatSource();
  ASSERT_TRUE(source->start(m_out, m_context).ok());
  EXPECT_EQ(source->poll(m_out, 100), 100 + 2 * kNsPerSecond);
  EXPECT_EQ(m_out.nodes[0].last_heard, 100);
  EXPECT_EQ(m_out.samplesOf("trainer_process_count").value, std::vector<double>{1});
  source->stop(m_out);
  EXPECT_EQ(m_out.nodes[0].state, NodeState::kLeft);
}

}  // namespace
}  // namespace runglass
