// SPDX-License-Identifier: Apache-2.0
// Tools of other vendors: amd-smi, rocm-smi, npu-smi.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sqlite3.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeNs kWritten = 1'783'116'646'000'000'000;

Imported importTool(std::string_view text) { return test::importText(text, {.run_name = "run", .path = "test", .modified = kWritten}); }

// Of `now`, whose beginning `before` was imported.
Imported importAgain(std::string_view before, std::string_view now) {
  const std::uint64_t read = importTool(before).report.committed_offset;
  return test::importText(now, {.run_name = "run", .path = "test", .resume_at = read, .modified = kWritten + 1});
}

std::vector<Event> eventsOf(const Imported& result, std::string_view kind) {
  std::vector<Event> found;
  for (const Event& event : result.recorder.events)
    if (event.kind == kind) found.push_back(event);
  return found;
}

TEST(AmdSmi, MetricsAreThoseOfOtherGpus) {
  const Imported result = importTool(R"j(WARNING: User is missing the following required groups: render
[{"gpu": 0,
  "usage": {"gfx_activity": {"value": 73, "unit": "%"}, "umc_activity": {"value": 12, "unit": "%"}, "mm_activity": "N/A"},
  "power": {"socket_power": {"value": 142, "unit": "W"}, "gfx_voltage": "N/A", "throttle_status": "UNTHROTTLED"},
  "clock": {"gfx_0": {"clk": {"value": 2100, "unit": "MHz"}, "max_clk": {"value": 2100, "unit": "MHz"}, "deep_sleep": "DISABLED"},
            "mem_0": {"clk": {"value": 1300, "unit": "MHz"}}},
  "temperature": {"edge": "N/A", "hotspot": {"value": 61, "unit": "C"}, "mem": {"value": 58, "unit": "C"}},
  "pcie": {"width": 16, "speed": {"value": 32, "unit": "GT/s"}, "replay_count": 2},
  "ecc": {"total_correctable_count": 7, "total_uncorrectable_count": 0},
  "fan": {"speed": "N/A", "usage": "N/A"},
  "energy": {"total_energy_consumption": {"value": 12345.5, "unit": "J"}},
  "mem_usage": {"total_vram": {"value": 196592, "unit": "MB"}, "used_vram": {"value": 49148, "unit": "MB"}}}]
)j");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "amd_smi");
  const auto value = [&](const char* metric) {
    const auto values = result.recorder.samplesOf(metric).value;
    return values.size() == 1 ? values[0] : -1;
  };
  EXPECT_EQ(value("gpu_busy_ratio"), 0.73);
  EXPECT_EQ(value("gpu_memory_busy_ratio"), 0.12);
  EXPECT_EQ(value("power_watts"), 142);
  EXPECT_EQ(value("sm_clock_hertz"), 2.1e9);
  EXPECT_EQ(value("memory_clock_hertz"), 1.3e9);
  EXPECT_EQ(value("temperature_hotspot_celsius"), 61);
  EXPECT_EQ(value("temperature_celsius"), 61) << "a GPU without an edge sensor has the hotspot only";
  EXPECT_EQ(value("pcie_link_generation"), 5);
  EXPECT_EQ(value("pcie_link_width"), 16);
  EXPECT_EQ(value("ecc_errors_corrected_volatile_total"), 7);
  EXPECT_EQ(value("energy_joules"), 12'345.5);
  EXPECT_EQ(value("gpu_memory_total_bytes"), 196'592.0 * 1'048'576);
  EXPECT_THAT(result.recorder.samplesOf("fan_speed_ratio").value, IsEmpty()) << "a metric that a vendor lacks is absent";
  EXPECT_THAT(result.recorder.samplesOf("power_watts").time, ElementsAre(kWritten));
  EXPECT_EQ(nlohmann::json::parse(eventsOf(result, "device_facts").at(0).message)["vendor"], "AMD");
}

TEST(AmdSmi, EveryMbOfTheToolIsAMiB) {
  const Imported result = importTool(R"({"gpu_data": [{"gpu": 0, "usage": {"gfx_activity": {"value": 73, "unit": "%"}},
  "power": {"socket_power": {"value": 142, "unit": "W"}},
  "mem_usage": {"used_vram": {"value": 2, "unit": "MB"}, "total_visible_vram": {"value": 3, "unit": "MB"}}}]})");
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes").value, testing::ElementsAre(2'097'152.0));
  EXPECT_THAT(result.recorder.samplesOf("amd_mem_usage_total_visible_vram_bytes").value, testing::ElementsAre(3'145'728.0));
}

TEST(AmdSmi, StaticNamesTheDeviceAndTheNewerListIsRead) {
  const Imported result = importTool(R"({"gpu_data": [{"gpu": 1,
  "asic": {"market_name": "AMD Instinct MI300X", "vendor_id": "0x1002", "asic_serial": "0x7D4B"},
  "bus": {"bdf": "0000:1b:00.0", "max_pcie_width": 16}, "driver": {"name": "amdgpu", "version": "6.10.5"},
  "numa": {"node": 0, "affinity": 0}, "partition": {"compute_partition": "SPX", "memory_partition": "NPS1"}}]})");
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].model, "AMD Instinct MI300X");
  EXPECT_EQ(result.recorder.devices[0].index, 1);
  EXPECT_EQ(nlohmann::json::parse(eventsOf(result, "device_facts").at(0).message), (nlohmann::json{{"vendor", "AMD"},
                                                                                                   {"driver", "6.10.5"},
                                                                                                   {"pci", "0000:1b:00.0"},
                                                                                                   {"compute_partition", "SPX"},
                                                                                                   {"memory_partition", "NPS1"},
                                                                                                   {"numa_node", 0}}));
}

TEST(RocmSmi, JsonAndCsvGiveTheSame) {
  const Imported json = importTool(R"j({"card0": {"Unique ID": "0xac1b58f8c066790f", "Temperature (Sensor edge) (C)": "41.0",
    "Temperature (Sensor junction) (C)": "52.0", "Average Graphics Package Power (W)": "35.0", "GPU use (%)": "99", "Fan speed (%)": "N/A",
    "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "1048576", "sclk clock speed:": "(1700Mhz)",
    "Card Series": "AMD Instinct MI250X", "PCI Bus": "0000:C1:00.0"}, "system": {"Driver version": "6.7.0"}})j");
  const Imported csv = importTool(
      "device,Unique ID,Temperature (Sensor edge) (C),Temperature (Sensor junction) (C),Average Graphics Package Power (W),GPU use (%),Fan "
      "speed (%),VRAM Total Memory (B),VRAM Total Used Memory (B),sclk clock speed:,Card Series,PCI Bus\n"
      "card0,0xac1b58f8c066790f,41.0,52.0,35.0,99,N/A,68702699520,1048576,(1700Mhz),AMD Instinct MI250X,0000:C1:00.0\n");
  EXPECT_EQ(json.kind, "amd_smi");
  EXPECT_EQ(csv.kind, "rocm_smi_csv");
  for (const Imported* result : {&json, &csv}) {
    ASSERT_TRUE(result->status.ok()) << result->status.message();
    ASSERT_EQ(result->recorder.devices.size(), 1U);
    EXPECT_EQ(result->recorder.devices[0].uuid, "0xac1b58f8c066790f");
    EXPECT_EQ(result->recorder.devices[0].model, "AMD Instinct MI250X");
    EXPECT_THAT(result->recorder.samplesOf("temperature_celsius").value, ElementsAre(41.0));
    EXPECT_THAT(result->recorder.samplesOf("temperature_hotspot_celsius").value, ElementsAre(52.0));
    EXPECT_THAT(result->recorder.samplesOf("power_watts").value, ElementsAre(35.0));
    EXPECT_THAT(result->recorder.samplesOf("gpu_busy_ratio").value, ElementsAre(0.99));
    EXPECT_THAT(result->recorder.samplesOf("sm_clock_hertz").value, ElementsAre(1.7e9));
    EXPECT_THAT(result->recorder.samplesOf("gpu_memory_used_bytes").value, ElementsAre(1'048'576.0));
    EXPECT_THAT(result->recorder.samplesOf("fan_speed_ratio").value, IsEmpty());
  }
}

// The tables of rocprofiler-sdk's schema, with the columns that are read; "g1" stands for the id of the process.
std::string rocpdFile() {
  const char* const sql = R"(
    CREATE TABLE rocpd_string_g1(id INTEGER PRIMARY KEY, string TEXT);
    INSERT INTO rocpd_string_g1 VALUES(1, 'MEMORY_COPY_HOST_TO_DEVICE'), (2, 'hipLaunchKernel');
    CREATE TABLE rocpd_info_node_g1(id INTEGER PRIMARY KEY, hostname TEXT);
    INSERT INTO rocpd_info_node_g1 VALUES(1, 'node7');
    CREATE TABLE rocpd_info_process_g1(id INTEGER PRIMARY KEY, pid INTEGER);
    INSERT INTO rocpd_info_process_g1 VALUES(1, 4711);
    CREATE TABLE rocpd_info_thread_g1(id INTEGER PRIMARY KEY, tid INTEGER);
    INSERT INTO rocpd_info_thread_g1 VALUES(1, 4712);
    CREATE TABLE rocpd_info_agent_g1(id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
    INSERT INTO rocpd_info_agent_g1 VALUES(1, 'CPU', 0, 'EPYC', 'AMD EPYC'), (5, 'GPU', 3, 'gfx942', 'AMD Instinct MI300X');
    CREATE TABLE rocpd_info_kernel_symbol_g1(id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
    INSERT INTO rocpd_info_kernel_symbol_g1 VALUES(1, '_Z4gemm', 'gemm'), (2, 'ncclDevKernel_Generic', 'ncclDevKernel_Generic');
    CREATE TABLE rocpd_kernel_dispatch_g1(id INTEGER PRIMARY KEY, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER,
      "start" BIGINT, "end" BIGINT, workgroup_size_x INTEGER, grid_size_x INTEGER);
    INSERT INTO rocpd_kernel_dispatch_g1 VALUES(1, 5, 1, 1, 2, 1000, 1500, 256, 4096), (2, 5, 2, 1, 2, 1600, 1900, 512, 512), (3, 5, 1, 1, 2, 50, 40, 1, 1);
    CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_g1;
    CREATE TABLE rocpd_memory_copy_g1(id INTEGER PRIMARY KEY, "start" BIGINT, "end" BIGINT, name_id INTEGER, dst_agent_id INTEGER,
      src_agent_id INTEGER, size INTEGER, stream_id INTEGER);
    INSERT INTO rocpd_memory_copy_g1 VALUES(1, 2000, 2100, 1, 5, 1, 4096, 2);
    CREATE TABLE rocpd_region_g1(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, "start" BIGINT, "end" BIGINT, name_id INTEGER);
    INSERT INTO rocpd_region_g1 VALUES(1, 1, 1, 900, 950, 2);)";
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
  std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(db);
  return file;
}

TEST(Rocpd, KernelsCopiesAndCallsAreSpans) {
  const Imported result = test::importText(rocpdFile());
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "rocpd");
  std::vector<std::string> spans;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches)
      for (std::size_t i = 0; i < batch.size(); ++i)
        spans.push_back(result.recorder.track_keys.at(track).name + ": " + batch.names[batch.name[i]] + " " +
                        spanCategoryName(batch.category[i]) + " " + std::to_string(batch.start[i]) + "+" + std::to_string(batch.dur[i]));
  EXPECT_THAT(spans,
              testing::UnorderedElementsAre("GPU 3 stream 2: gemm compute 1000+500", "GPU 3 stream 2: ncclDevKernel_Generic comm 1600+300",
                                            "GPU 3 stream 2: MEMORY_COPY_HOST_TO_DEVICE memcpy 2000+100",
                                            "thread 4712 of process 4711: hipLaunchKernel runtime 900+50"));
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kRelative);
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].model, "AMD Instinct MI300X");
  EXPECT_EQ(result.recorder.nodes.at(0).name, "node7");
  EXPECT_EQ(result.recorder.issueCount("rocpd.no_time"), 1);
}

TEST(NpuSmi, TheTableIsReadPerChip) {
  const Imported result = importTool(
      "+------------------------------------------------------------------------------------------------+\n"
      "| npu-smi 25.3.rc1                 Version: 25.3.rc1                                             |\n"
      "+---------------------------+---------------+----------------------------------------------------+\n"
      "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
      "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n"
      "+===========================+===============+====================================================+\n"
      "| 0     910B3               | OK            | 96.7        32                0    / 0             |\n"
      "| 0                         | 0000:C1:00.0  | 87          0    / 0          60056/ 65536         |\n"
      "+===========================+===============+====================================================+\n"
      "| 1     910B3               | Alarm         | 93.7        30                0    / 0             |\n"
      "| 0                         | 0000:C2:00.0  | 0           0    / 0          60050/ 65536         |\n"
      "+===========================+===============+====================================================+\n"
      "+---------------------------+---------------+----------------------------------------------------+\n"
      "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |\n"
      "+===========================+===============+====================================================+\n"
      "| 0       0                 | 2214          | python                   | 59000                   |\n");
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.kind, "npu_smi");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[0].kind, "npu");
  EXPECT_EQ(result.recorder.devices[0].model, "Ascend 910B3");
  const DeviceId first{1}, second{2};
  EXPECT_THAT(result.recorder.samplesOf("power_watts", "*", first).value, ElementsAre(96.7));
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "*", second).value, ElementsAre(30.0));
  EXPECT_THAT(result.recorder.samplesOf("gpu_busy_ratio", "*", first).value, ElementsAre(0.87));
  EXPECT_THAT(result.recorder.samplesOf("gpu_memory_used_bytes", "*", first).value, ElementsAre(60'056.0 * 1'048'576));
  EXPECT_EQ(nlohmann::json::parse(eventsOf(result, "device_facts").at(0).message)["vendor"], "Huawei");
  const auto faults = eventsOf(result, "npu_fault");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].device, second);
  EXPECT_EQ(faults[0].severity, Severity::kError);
}

TEST(NpuSmi, AGrownFileAddsOnlyItsNewTables) {
  const std::string table =
      "| npu-smi 25.3.rc1                 Version: 25.3.rc1                                             |\n"
      "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
      "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n"
      "| 0     910B3               | Alarm         | 96.7        32                0    / 0             |\n"
      "| 0                         | 0000:C1:00.0  | 87          0    / 0          60056/ 65536         |\n"
      "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |\n"
      "| 0       0                 | 2214          | python                   | 59000                   |\n";
  const Imported again = importAgain(table, table);
  EXPECT_THAT(again.recorder.samplesOf("power_watts").value, IsEmpty()) << "the file is unchanged";
  EXPECT_THAT(again.recorder.events, IsEmpty());
  EXPECT_EQ(again.report.committed_offset, table.size());
  const Imported grown = importAgain(table, table + table);
  EXPECT_THAT(grown.recorder.samplesOf("power_watts").value, ElementsAre(96.7));
  EXPECT_EQ(eventsOf(grown, "npu_fault").size(), 1U);
}

TEST(RocmSmi, AGrownCsvAddsOnlyItsNewRows) {
  const std::string table = "device,GPU use (%)\ncard0,99\ncard1\n";
  const Imported again = importAgain(table, table);
  EXPECT_THAT(again.recorder.samplesOf("gpu_busy_ratio").value, IsEmpty()) << "the file is unchanged";
  EXPECT_EQ(again.recorder.issueCount("amd_smi.ragged_row"), 0);
  EXPECT_EQ(again.report.committed_offset, table.size());
  EXPECT_THAT(importAgain(table, table + "card0,50\n").recorder.samplesOf("gpu_busy_ratio").value, ElementsAre(0.5));
}

// A job script often runs a tool before it trains.
TEST(ToolOutput, ALogThatTrainsAfterATestIsATrainingLog) {
  const std::string training =
      " iteration       10/     100 | consumed samples:          320 | elapsed time per iteration (ms): 900.0 | lm loss: 2.5E+00 |\n";
  const std::string smi =
      "Fri Jul  3 22:10:46 2026\n+--+\n| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |\n";
  const std::string npu = "| npu-smi 2 Version: 2 |\n| Chip | Bus-Id | AICore(%) |\n";
  const std::string nccl = "# nThread 1 nGpus 1\n#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
  const std::string perftest = "RDMA_Write BW Test\n #bytes  #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n";
  const std::string nvbandwidth = "nvbandwidth Version: v0.8\n\nRunning host_to_device_memcpy_ce.\n";
  const std::string diag = "| Diagnostic                | Result  |\n";
  for (const auto& [kind, output] : {std::pair<std::string, std::string>{"nvidia_smi", smi},
                                     {"nvidia_smi", "# $ nvidia-smi\n" + smi},
                                     {"nvidia_smi", "==============NVSMI LOG==============\n"},
                                     {"nvidia_smi", "index, power.draw [W]\n0, 70 W\n"},
                                     {"gpustat", "[0] A | 31'C,  40 %,  97 %,  250 / 400 W | 11848 / 81920 MB | a:p/1(8M)\n"},
                                     {"npu_smi", npu},
                                     {"nccl_tests", nccl},
                                     {"perftest", perftest},
                                     {"nvbandwidth", nvbandwidth},
                                     {"dcgm_diag", diag},
                                     {"dcgm_diag_json", "{\"DCGM Diagnostic\": {}}\n"},
                                     {"nvbandwidth_json", "{\"nvbandwidth\": {}}\n"},
                                     {"rocm_smi_csv", "device,GPU use (%)\ncard0,99\n"},
                                     {"amd_smi", "[{\"gpu\": 0, \"usage\": {\"gfx_activity\": 1}, \"power\": {}}]\n"}}) {
    const auto kindOf = [](const std::string& head) {
      const Importer* const importer = test::importerFor({"slurm-1.out", head});
      return importer != nullptr ? std::string(importer->kind()) : std::string();
    };
    EXPECT_EQ(kindOf(output), kind);
    EXPECT_EQ(kindOf(output + training), "train_log") << output;
  }
  // What a launcher's prefix hides from the importer is not claimed.
  for (const char* prefix : {"[1,0]<stdout>:", "0: "})
    for (const std::string& output : {nccl, npu, diag, std::string("#bytes  #iterations    BW average[Gb/sec]\n")}) {
      std::string prefixed;
      for (std::size_t at = 0; at < output.size(); at = output.find('\n', at) + 1)
        prefixed += prefix + output.substr(at, output.find('\n', at) + 1 - at);
      EXPECT_EQ(test::importerFor({"slurm-1.out", prefixed})->kind(), "train_log") << prefixed;
    }
}

// Damage in the middle of well-formed outputs; the fuzz targets of these importers begin with nothing.
TEST(ToolOutput, DamagedBytesAreNoCrash) {
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"nvidia_smi",
       "Fri Jul  3 22:10:46 2026\n+--+\n| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |\n"
       "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n|====+====+====|\n"
       "|   0  Tesla V100  On   | 00000000:00:1E.0 Off |  0 |\n| N/A   43C    P0    57W / 300W |   1500MiB / 16160MiB |     97%      "
       "Default |\n"
       "+--+\n| MIG devices: |\n|===|\n|  0    7   0   0  | 12MiB /  9856MiB | 16 0 | 1 |\n| Processes: |\n|===|\n"
       "|    0    7    0  10291      C   python train.py   11838MiB |\n\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tPIX\t0-3\t0\n"},
      {"gpustat", "n  Fri Jul  3 22:10:46 2026  5\n[0] A | 31'C,  40 %,  97 %,  250 / 400 W | 11848 / 81920 MB | a:p/1(8M) g(4M)\n"},
      {"nccl_tests",
       "#  Rank  0 Group  0 Pid   6899 on a device  0 [0x07] H100\n#       size  count type redop root time algbw busbw #wrong time algbw "
       "busbw "
       "#wrong\n 8 2 float sum -1 38.90 0.00 0.00 0 38.70 0.00 0.00 1\n# Avg bus bandwidth : 1\n"},
      {"perftest",
       "RDMA_Write BW Test\n Number of qps   : 4\tx\n Device         : mlx5_0\n remote address: L\n GID: 00:255:255:10:224:05:57\n #bytes "
       "#iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 2 5000 1.23 1.20 0.07\n"},
      {"nvbandwidth",
       "Process 0 (w): device 2: G (1)\nRunning multinode_a.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n  0 1\n 0 N/A 7\n 1 8 "
       "N/A\nSUM multinode_a 15\n"},
      {"dcgm_diag", "| Diagnostic | Result |\n| GPU Memory | Fail - GPU: 3 |\n| Warning | w |\n|  | GPU3: Fail |\n| x | Pass |\n"},
      {"rocm_smi_csv", "device,GPU use (%),sclk clock speed:\ncard0,99,(1700Mhz)\n"},
      {"npu_smi", "| npu-smi 2 Version: 2 |\n| 0 910B3 | Alarm | 96.7 32 0 / 0 |\n| 0 | 0000:C1:00.0 | 0 0 / 0 60056/ 65536 |\n"},
      {"amd_smi", R"([{"gpu": 0, "usage": {"gfx_activity": {"value": 73, "unit": "%"}}, "power": {"socket_power": "N/A"}}])"}};
  std::uint32_t random = 12'345;
  constexpr std::string_view kBytes = "|:/,()[]{}\"\\ \n9-#";
  const auto next = [&random](std::size_t below) {
    random = random * 1'664'525 + 1'013'904'223;
    return static_cast<std::size_t>(random >> 8) % below;
  };
  for (const auto& [kind, text] : outputs) {
    const auto importer = std::ranges::find_if(importers(), [&kind = kind](const auto& one) { return one->kind() == kind; });
    ASSERT_NE(importer, importers().end()) << kind;
    for (int round = 0; round < 400; ++round) {
      std::string damaged = text.substr(0, round < 200 ? text.size() : next(text.size()));
      for (std::size_t i = 0; i < 1 + next(6) && !damaged.empty(); ++i) {
        const std::size_t at = next(damaged.size());
        if (next(3) == 0)
          damaged.erase(at, 1 + next(9));
        else if (next(2) == 0)
          damaged.insert(at, damaged.substr(next(damaged.size()), next(30)));
        else
          damaged[at] = kBytes[next(kBytes.size())];
      }
      test::TextStream stream(damaged, 7);
      test::MemoryRecorder out;
      ImportReport report;
      (void)(*importer)->run(stream, {.run_name = "run", .path = "p", .modified = kWritten}, out, report, {});
    }
  }
}

}  // namespace
}  // namespace runglass
