// SPDX-License-Identifier: GPL-3.0-or-later
// The origin of imported telemetry: nodes and GPUs of files that name them or are in their folders; first steps and units of real logs.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

class PlacesTest : public CtlFixture {
 protected:
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // Three files as written by a script on a node of eight GPUs.
  void writeNode(const std::string& before, const std::string& between) {
    std::string gpus = "timestamp,phase,gpu,gpu_model,power_w,temp_c,sm_active\n", bmc = "timestamp,sys_power_w";
    std::string ib = "timestamp,ib0_tx_bytes_s,ib0_rx_bytes_s,total_tx_bytes_s\n";
    for (int gpu = 0; gpu < 8; ++gpu) bmc += ",gpu" + std::to_string(gpu) + "_bmc_temp_c";
    bmc += "\n";
    for (int second = 0; second < 3; ++second) {
      const std::string time = "177501626" + std::to_string(second);
      for (int gpu = 0; gpu < 8; ++gpu) gpus += time + ",steady," + std::to_string(gpu) + ",NVIDIA H100,700,60,0.9\n";
      bmc += time + ",8000,50,50,50,50,50,50,50,50\n";
      ib += time + ",1,2,3\n";
    }
    write(before + between + "gpu_telemetry.csv", gpus);
    write(before + between + "bmc.csv", bmc);
    write(before + between + "ib.csv", ib);
  }
  std::string count(const std::string& sql) { return query(sql).out; }
};

TEST_F(PlacesTest, TwoNodesOfThreeFilesEachAreTwoNodesOfSixteenGpus) {
  for (const char* between : {"_", "/"}) {
    fs::remove_all(m_folder.file("t"));
    fs::remove(m_store);
    writeNode(m_folder.file("t/node0"), between);
    writeNode(m_folder.file("t/node1"), between);
    ASSERT_EQ(ctl({"import", "--store", m_store, m_folder.file("t")}).exit, 0);
    EXPECT_EQ(count("SELECT DISTINCT node FROM series WHERE node IS NOT NULL ORDER BY node"), "node\nnode0\nnode1\n") << between;
    EXPECT_EQ(count("SELECT count(*) AS n FROM device WHERE kind = 'gpu'"), "n\n16\n") << between;
  }
}

TEST_F(PlacesTest, RealFilesOfOneNodeAreOfOneNode) {
  const std::string folder = RG_SHARED_DATA "/gpu_telemetry_csv/h100_t10_node";
  if (!fs::exists(folder + "0_bmc.csv.zst")) GTEST_SKIP() << "no shared data";
  ASSERT_EQ(ctl({"import", "--store", m_store, folder + "0_bmc.csv.zst", folder + "0_ib.csv.zst", folder + "1_ib.csv.zst"}).exit, 0);
  EXPECT_EQ(count("SELECT DISTINCT node FROM series WHERE node IS NOT NULL ORDER BY node"), "node\nh100_t10_node0\nh100_t10_node1\n");
}

TEST_F(PlacesTest, WhatTheTrainerCallsNotAvailableIsNotEstimated) {
  const std::string log = RG_SHARED_DATA "/train_logs/torchtitan_qwen3_14b_run394.log.zst";
  if (!fs::exists(log)) GTEST_SKIP() << "no shared data";
  ASSERT_EQ(ctl({"import", "--store", m_store, log}).exit, 0);
  const Json status = Json::parse(ctl({"status", "--store", m_store, "--json"}).out, nullptr, false);
  EXPECT_THAT(status.dump(), HasSubstr(R"("mfu_ratio":null)"));
  EXPECT_THAT(ctl({"status", "--store", m_store}).out, HasSubstr("MFU N/A (as logged)"));
}

TEST_F(PlacesTest, TheFirstStepIsThatOfTheFirstLossLine) {
  for (const auto& [name, first] :
       {std::pair{"gptneox_70M_3_59807588.out", "1"}, std::pair{"megatron_deepspeed_random_ltd_baseline.log", "10"},
        std::pair{"bigscience_meg_ds_zero_gpt2_perf_n16-1999616.out", "1"}}) {
    fs::remove(m_store);
    const std::string log = std::string(RG_SHARED_DATA "/train_logs/") + name + ".zst";
    if (!fs::exists(log)) GTEST_SKIP() << "no shared data";
    ASSERT_EQ(ctl({"import", "--store", m_store, log}).exit, 0);
    EXPECT_EQ(count("SELECT first_step FROM attempt"), std::string("first_step\n") + first + "\n") << name;
  }
}

TEST_F(PlacesTest, MigInstancesAreListedUnderTheirGpu) {
  const std::string page = RG_SHARED_DATA "/prometheus_text/runai_dcgm_mig_active_2x1g5gb_2g10gb.prom";
  if (!fs::exists(page)) GTEST_SKIP() << "no shared data";
  ASSERT_EQ(ctl({"import", "--store", m_store, page}).exit, 0);
  EXPECT_EQ(count("SELECT device_index, kind, model FROM device WHERE kind IN ('gpu', 'mig') ORDER BY device_index, device_uuid LIMIT 4"),
            "device_index,kind,model\n"
            "0,gpu,NVIDIA A100-SXM4-40GB\n"
            "0,mig,2g.10gb\n"
            "0,mig,1g.5gb\n"
            "0,mig,1g.5gb\n");
}

TEST_F(PlacesTest, DevicesOfARealNsightReportAreListed) {
  const std::string report = RG_SHARED_DATA "/nsys_sqlite/";
  if (!fs::exists(report + "fuser_report1_57da9a1f.sqlite")) GTEST_SKIP() << "no shared data";
  ASSERT_EQ(ctl({"import", "--store", m_store, report + "fuser_report1_57da9a1f.sqlite", report + "nsysai_mfu_2gpu_before.sqlite"}).exit,
            0);
  EXPECT_EQ(count("SELECT model, count(*) AS n FROM device GROUP BY model ORDER BY model"), "model,n\n,2\nNVIDIA H200,1\n");
}

}  // namespace
}  // namespace runglass
