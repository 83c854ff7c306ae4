// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "collectors/sources/nvml/nvml_library.h"
#include "collectors/sources/nvml/nvml_source.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

class NvmlSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(m_dir.file("proc/4000"));
    std::ofstream(m_dir.file("proc/4000/environ")) << "RANK=11" << '\0' << "LOCAL_RANK=3" << '\0';
    setenv("FAKE_NVML", m_dir.file("state").c_str(), 1);
    state("");
    m_config.insert("library", RG_FAKE_NVML);
    m_context = {
        .node = {.uuid = "node-1", .name = "n1"}, .now = [this] { return m_now; }, .config = &m_config, .root = m_dir.path() + "/"};
  }
  void state(const std::string& lines) { std::ofstream(m_dir.file("state")) << lines; }
  void start() {
    m_source = makeNvmlSource();
    const Status status = m_source->start(m_out, m_context);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void poll(DurNs later) {
    m_now += later;
    m_source->poll(m_out, m_now);
  }

  test::TempFolder m_dir;
  toml::table m_config;
  SourceContext m_context;
  TimeNs m_now = 1'000'000'000'000;
  test::MemoryRecorder m_out;
  std::unique_ptr<Source> m_source;
};

TEST_F(NvmlSourceTest, DeclaresGpusWithTheirFactsAndReadsThemInCatalogueUnits) {
  start();
  poll(0);
  ASSERT_EQ(m_out.devices.size(), 2U);
  EXPECT_EQ(m_out.devices[1].uuid, "GPU-fake-1");
  EXPECT_EQ(m_out.devices[1].model, "Fake H100");
  EXPECT_EQ(m_out.devices[1].memory_bytes, 80LL << 30);
  EXPECT_EQ(m_out.samplesOf("power_watts").value, std::vector<double>{654.321});
  EXPECT_EQ(m_out.samplesOf("sm_clock_hertz").value, std::vector<double>{1.98e9});
  EXPECT_EQ(m_out.samplesOf("memory_temperature_celsius").value, std::vector<double>{70});
  EXPECT_EQ(m_out.samplesOf("clock_event_reasons").value, std::vector<double>{4}) << "an older driver has the reasons under their old name";
  ASSERT_TRUE(m_out.hasEvent("device_facts"));
  EXPECT_NE(m_out.events[0].message.find("\"driver\":\"550.54.03\""), std::string::npos) << m_out.events[0].message;
  EXPECT_NE(m_out.events[0].message.find("\"slowdown_celsius\":87"), std::string::npos);
}

TEST_F(NvmlSourceTest, LeavesUnsupportedReadingsAbsent) {
  start();
  poll(0);
  EXPECT_EQ(m_out.samplesOf("ecc_corrected_total", "*", DeviceId{1}).value, std::vector<double>{17});
  EXPECT_EQ(m_out.samplesOf("ecc_corrected_total", "*", DeviceId{2}).size(), 0U);
  EXPECT_EQ(m_out.samplesOf("remapped_rows_corrected_total").size(), 0U) << "the library has no such function";
  EXPECT_EQ(m_out.samplesOf("nvlink_receive_bytes_per_s").size(), 0U);
}

TEST_F(NvmlSourceTest, ReadsEveryFieldThatNvidiaSmiShows) {
  start();
  poll(0);
  const DeviceId first{1}, second{2};
  EXPECT_EQ(m_out.samplesOf("fan_speed_ratio", "*", first).value, std::vector<double>{0.35});
  EXPECT_EQ(m_out.samplesOf("fan_speed_ratio", "*", second).size(), 0U);
  EXPECT_EQ(m_out.samplesOf("performance_state", "*", first).value, std::vector<double>{2});
  EXPECT_EQ(m_out.samplesOf("performance_state", "*", second).size(), 0U) << "32 is unknown";
  EXPECT_EQ(m_out.samplesOf("utilization_encoder_ratio", "*", first).value, std::vector<double>{0.12});
  EXPECT_EQ(m_out.samplesOf("utilization_decoder_ratio", "*", first).value, std::vector<double>{0.07});
  EXPECT_EQ(m_out.samplesOf("utilization_jpeg_ratio").size(), 0U) << "the library has no such function";
  EXPECT_EQ(m_out.samplesOf("pcie_link_generation_max", "*", first).value, std::vector<double>{5});
  EXPECT_EQ(m_out.samplesOf("pcie_link_width_max", "*", first).value, std::vector<double>{16});
  EXPECT_NE(m_out.events[0].message.find("\"persistence\":true"), std::string::npos) << m_out.events[0].message;
}

TEST_F(NvmlSourceTest, PcieTrafficComesFromCountersWhereTheyExist) {
  start();
  poll(0);
  state("pcie_bytes 5000\n");
  poll(kNsPerSecond);
  poll(kNsPerSecond);
  EXPECT_EQ(m_out.samplesOf("pcie_transmit_bytes_per_s", "*", DeviceId{2}).value, (std::vector<double>{4000, 0}));
  const auto without = m_out.samplesOf("pcie_transmit_bytes_per_s", "*", DeviceId{1}).value;
  EXPECT_EQ(without, (std::vector<double>{2e6, 2e6})) << "every second poll, the GPUs in turn";
}

TEST_F(NvmlSourceTest, TurnsNvlinkCountersIntoRates) {
  start();
  poll(0);
  state("nvlink_kib 3000\n");
  poll(kNsPerSecond);
  EXPECT_EQ(m_out.samplesOf("nvlink_transmit_bytes_per_s").value, std::vector<double>{2000.0 * 1024});
}

TEST_F(NvmlSourceTest, TellsALostGpuOnceAndKeepsReadingTheOther) {
  start();
  poll(0);
  state("lost 0\n");
  poll(kNsPerSecond);
  poll(kNsPerSecond);
  int lost = 0;
  for (const Event& event : m_out.events)
    lost += event.kind == "gpu_lost" && event.device == DeviceId{1} && event.severity == Severity::kCritical;
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(m_out.samplesOf("power_watts", "*", DeviceId{1}).size(), 1U);
  EXPECT_EQ(m_out.samplesOf("power_watts", "*", DeviceId{2}).size(), 3U);
}

TEST_F(NvmlSourceTest, RecordsAnXidWithItsGpu) {
  start();
  state("xid 63\n");
  poll(0);
  poll(kNsPerSecond);
  std::vector<Event> xids;
  for (const Event& event : m_out.events)
    if (event.kind == "xid") xids.push_back(event);
  ASSERT_EQ(xids.size(), 1U);
  EXPECT_EQ(xids[0].code, "63");
  EXPECT_EQ(xids[0].device, DeviceId{2});
}

TEST_F(NvmlSourceTest, LeavesAnXidToTheKernelsLogWhereThatIsRead) {
  const auto xids = [&] {
    return std::count_if(m_out.events.begin(), m_out.events.end(), [](const Event& event) { return event.kind == "xid"; });
  };
  RecentFaults faults;
  faults.readKernel();
  m_context.faults = &faults;
  start();
  state("xid 79\n");
  poll(0);
  poll(kNsPerSecond);
  EXPECT_EQ(xids(), 0) << "it waits for the kernel's words";
  poll(2 * kNsPerSecond);
  EXPECT_EQ(xids(), 1) << "and tells what the kernel does not";
  start();
  poll(0);
  EXPECT_TRUE(faults.mayTell("kernel_log", "xid", "79", "GPU-fake-1", m_now + kNsPerSecond));
  poll(5 * kNsPerSecond);
  EXPECT_EQ(xids(), 1);
}

TEST_F(NvmlSourceTest, KnowsWhichRankUsesAGpuAndThatHiddenMemoryIsNotZero) {
  start();
  poll(0);
  EXPECT_EQ(m_out.samplesOf("gpu_process_memory_bytes", R"({"local_rank":"3","pid":"4000","rank":"11"})").value,
            std::vector<double>{50.0 * (1LL << 30)});
  EXPECT_EQ(m_out.samplesOf("gpu_process_memory_bytes", R"({"pid":"4001"})").size(), 0U);
  EXPECT_EQ(m_out.samplesOf("gpu_process_count", R"({"pid":"4001"})").size(), 1U);
}

TEST_F(NvmlSourceTest, GivesARankOfTheClientItsGpu) {
  RankTable ranks;
  m_context.ranks = &ranks;
  start();
  poll(0);
  EXPECT_TRUE(m_out.ranks.empty()) << "a rank in an environment names no attempt";
  EXPECT_FALSE(ranks.put({.pid = 4001, .rank = {.attempt = {7}, .rank = 5}}));
  poll(10 * kNsPerSecond);
  poll(10 * kNsPerSecond);
  ASSERT_EQ(m_out.ranks.size(), 1U) << "once";
  EXPECT_EQ(m_out.ranks[0].attempt, AttemptId{7});
  EXPECT_EQ(m_out.ranks[0].rank, 5);
  EXPECT_NE(m_out.ranks[0].device, DeviceId{});
  EXPECT_EQ(ranks.put({.pid = 4002, .rank = {.attempt = {7}, .rank = 5}}), 4001) << "two processes, one rank";
  ranks.drop(4001);
  EXPECT_FALSE(ranks.put({.pid = 4002, .rank = {.attempt = {7}, .rank = 5}}));
}

// A driver: its version, the functions its library exports, and the record size of its newest process list.
struct Driver {
  int major, minor;
  const char* library;
  const char* settings;
  std::int64_t used_gib;
  friend void PrintTo(const Driver& driver, std::ostream* out) { *out << driver.major << '.' << driver.minor; }
};

class NvmlDrivers : public NvmlSourceTest, public testing::WithParamInterface<Driver> {};

TEST_P(NvmlDrivers, GiveMemoryAndProcesses) {
  const Driver& driver = GetParam();
  m_config.insert_or_assign("library", driver.library);
  state("driver_major " + std::to_string(driver.major) + "\ndriver_minor " + std::to_string(driver.minor) + "\n" + driver.settings);
  start();
  poll(0);
  EXPECT_EQ(m_out.devices.at(0).memory_bytes, 80LL << 30);
  EXPECT_EQ(m_out.samplesOf("gpu_memory_total_bytes", "*", DeviceId{1}).value, std::vector<double>{80.0 * (1LL << 30)});
  EXPECT_EQ(m_out.samplesOf("gpu_memory_used_bytes", "*", DeviceId{1}).value,
            std::vector<double>{static_cast<double>(driver.used_gib) * (1LL << 30)});
  EXPECT_EQ(m_out.samplesOf("gpu_process_memory_bytes", R"({"local_rank":"3","pid":"4000","rank":"11"})").value,
            std::vector<double>{50.0 * (1LL << 30)});
  EXPECT_EQ(m_out.samplesOf("gpu_process_count", R"({"pid":"4001"})").size(), 1U);
  for (const auto& [id, key] : m_out.series_keys)
    if (key.metric.starts_with("gpu_process_"))
      EXPECT_NE(key.labels.find("\"pid\":\"400"), std::string::npos) << "no such process: " << key.labels;
}

INSTANTIATE_TEST_SUITE_P(
    Versions, NvmlDrivers,
    testing::Values(Driver{440, 33, RG_FAKE_NVML_440, "", 61}, Driver{470, 57, RG_FAKE_NVML_470, "", 61},
                    Driver{510, 39, RG_FAKE_NVML, "", 60}, Driver{535, 43, RG_FAKE_NVML, "stride 32\n", 60},
                    Driver{535, 86, RG_FAKE_NVML, "stride 32\n", 60}, Driver{535, 104, RG_FAKE_NVML, "", 60},
                    Driver{550, 54, RG_FAKE_NVML, "", 60},
                    // A library that is newer than the kernel's module, and one that requires another version of a structure.
                    Driver{550, 54, RG_FAKE_NVML, "memory_v2 13\nprocesses_v3 13\n", 61},
                    Driver{550, 54, RG_FAKE_NVML, "memory_v2 25\nprocesses_v3 25\n", 61}),
    [](const auto& info) {
      return "Of" + std::to_string(info.param.major) + "_" + std::to_string(info.param.minor) + "_" + std::to_string(info.index);
    });

TEST_F(NvmlSourceTest, OfALibraryThatOnlyListsGpusTheDevicesAreRecorded) {
  m_config.insert_or_assign("library", RG_FAKE_NVML_1);
  start();
  for (int i = 0; i < 12; ++i) poll(kNsPerSecond);
  m_source->stop(m_out);
  ASSERT_EQ(m_out.devices.size(), 2U);
  EXPECT_EQ(m_out.devices[1].uuid, "node-1/gpu1");
  EXPECT_FALSE(m_out.devices[1].memory_bytes);
  EXPECT_FALSE(m_out.hasEvent("gpu_lost"));
  EXPECT_EQ(m_out.samplesOf("power_watts").size(), 0U);
  EXPECT_EQ(m_out.samplesOf("gpu_memory_used_bytes").size(), 0U);
}

TEST_F(NvmlSourceTest, SaysOnceAndClearlyThatThereIsNoDriver) {
  m_config.insert_or_assign("library", "/nonexistent/libnvidia-ml.so.1");
  Status status = makeNvmlSource()->start(m_out, m_context);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("no NVIDIA driver"), std::string::npos);
  m_config.insert_or_assign("library", RG_FAKE_NVML);
  state("init 9\n");
  status = makeNvmlSource()->start(m_out, m_context);
  EXPECT_EQ(status.message(), "source.nvml: nvmlInit_v2: the NVIDIA driver is not loaded");
}

TEST_F(NvmlSourceTest, FindsTheDriversLibraryInTheFoldersOfLdLibraryPathThatTheLoaderDoesNotKnow) {
  if (nvml::Library::load("").ok()) GTEST_SKIP() << "this machine has a driver of its own";
  std::filesystem::create_directories(m_dir.file("module"));
  std::filesystem::copy_file(RG_FAKE_NVML, m_dir.file("module/libnvidia-ml.so.1"));
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = before != nullptr ? before : "";
  setenv("LD_LIBRARY_PATH", ("relative::/nowhere:" + m_dir.file("module")).c_str(), 1);
  const auto library = nvml::Library::load("");
  before != nullptr ? setenv("LD_LIBRARY_PATH", kept.c_str(), 1) : unsetenv("LD_LIBRARY_PATH");
  ASSERT_TRUE(library.ok()) << library.status().message();
}

}  // namespace
}  // namespace runglass
