// SPDX-License-Identifier: Apache-2.0
// Outputs of hardware tests: nccl-tests, perftest, nvbandwidth, dcgmi diag.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeNs kWritten = 1'783'116'646'000'000'000;

Imported importTest(std::string_view text, std::string path = "test") {
  return test::importText(text, {.run_name = "run", .file_name = path, .path = path, .modified = kWritten});
}

// Of `now`, whose beginning `before` was imported.
Imported importAgain(std::string_view before, std::string_view now) {
  const std::uint64_t read = importTest(before).report.committed_offset;
  return test::importText(now, {.run_name = "run", .file_name = "test", .path = "test", .resume_at = read, .modified = kWritten + 1});
}

std::vector<Event> eventsOf(const Imported& result, std::string_view kind) {
  std::vector<Event> found;
  for (const Event& event : result.recorder.events)
    if (event.kind == kind) found.push_back(event);
  return found;
}

std::string ncclText(const std::string& wrong, const std::string& verdict) {
  return "mpirun -np 4 /opt/nccl-tests/build/all_reduce_perf -b 8 -e 1G -f 2 -g 1\n"
         "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: "
         "0\n"
         "#\n# Using devices\n"
         "#  Rank  0 Group  0 Pid   6899 on node-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
         "#  Rank  1 Group  0 Pid   6900 on node-a device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n"
         "#  Rank  2 Group  0 Pid   6733 on node-b device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
         "#  Rank  3 Group  0 Pid   6734 on node-b device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n"
         "#\n"
         "#                                                              out-of-place                       in-place          \n"
         "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
         "           8             2     float     sum      -1    38.90    0.00    0.00      0    38.70    0.00    0.00      0\n"
         "  1073741824     268435456     float     sum      -1  4321.00  248.50  372.75      " +
         wrong +
         "   4310.00  249.13  373.70    N/A\n"
         "# Out of bounds values : " +
         verdict + "\n# Avg bus bandwidth    : 186.5125\n#\n";
}

TEST(NcclTests, ATableIsTheBandwidthOfEveryNodeThatTookPart) {
  const Imported result = importTest(ncclText("0", "0 OK"));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nccl_tests");
  ASSERT_EQ(result.recorder.nodes.size(), 2U);
  EXPECT_EQ(result.recorder.nodes[0].name, "node-a");
  const std::string labels =
      R"({"bytes":"1073741824","nodes":"2","place":"out-of-place","ranks":"4","test":"all_reduce_perf","type":"float"})";
  const SampleColumns bus = result.recorder.samplesOf("test_bus_bandwidth_bytes_per_s", labels);
  EXPECT_THAT(bus.value, ElementsAre(372.75e9));
  EXPECT_THAT(bus.time, ElementsAre(kWritten)) << "the tool prints no time";
  EXPECT_THAT(result.recorder.samplesOf("test_time_ns", labels).value, ElementsAre(4'321'000.0));
  EXPECT_THAT(result.recorder.samplesOf("test_wrong_count", labels).value, ElementsAre(0.0));
  std::set<std::uint64_t> nodes;
  for (const auto& [id, key] : result.recorder.series_keys)
    if (key.metric == "test_bus_bandwidth_bytes_per_s" && key.labels == labels) nodes.insert(key.node.value);
  EXPECT_EQ(nodes.size(), 2U) << "each node that took part has the value";
  const auto finished = eventsOf(result, "test_result");
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].code, "all_reduce_perf");
  EXPECT_EQ(finished[0].message, "all_reduce_perf of 4 ranks on node-a, node-b: 186.5 GB/s average bus bandwidth, no wrong value");
  EXPECT_THAT(eventsOf(result, "test_failed"), IsEmpty());
  EXPECT_EQ(result.recorder.issueCount("import.file_time"), 30);
}

TEST(NcclTests, WrongValuesAreAFailure) {
  const Imported result = importTest(ncclText("3", "3 FAILED"));
  const auto failed = eventsOf(result, "test_failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].severity, Severity::kError);
  EXPECT_EQ(failed[0].message, "all_reduce_perf of 4 ranks on node-a, node-b: 3 wrong values at 1073741824 B");
  EXPECT_FALSE(failed[0].node) << "of several nodes none alone is at fault";
}

TEST(NcclTests, OneGpuWithWrongValuesIsNamed) {
  const Imported grouped = importTest(
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n"
      "#  Rank  0 Group  0 Pid   6899 on node-a device  3 [0x07] NVIDIA H100 80GB HBM3\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "           8             2     float     sum      -1    38.90    0.00    0.00      1    38.70    0.00    0.00      0\n",
      "reduce_scatter_perf.out");
  const auto failed = eventsOf(grouped, "test_failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].code, "reduce_scatter_perf");
  ASSERT_TRUE(failed[0].device);
  EXPECT_EQ(grouped.recorder.devices.at(failed[0].device.value - 1).index, 3);
}

TEST(NcclTests, ALargeTestIsRecordedOnce) {
  const auto text = [](int nodes) {
    std::string all = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n";
    for (int node = 0; node < nodes; ++node)
      all += "#  Rank  " + std::to_string(node) + " Group  0 Pid   6899 on node-" + std::to_string(10'000 + node) +
             " device  0 [0x07] NVIDIA H100 80GB HBM3\n";
    all += "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";
    for (int size = 0; size < 30; ++size)
      all += "  " + std::to_string(8LL << size) + "  2  float  sum  -1  38.90  0.00  0.00  0  38.70  0.00  0.00  0\n";
    return all;
  };
  const Imported large = importTest(text(1'024));
  ASSERT_EQ(large.kind, "nccl_tests");
  EXPECT_EQ(large.recorder.series_keys.size(), 240U) << "30 sizes, 2 places, 4 metrics";
  EXPECT_EQ(large.recorder.issueCount("measurement.too_many"), 0);
  ASSERT_EQ(large.recorder.nodes.size(), 1U);
  EXPECT_EQ(large.recorder.nodes[0].name, "node-10000");
  EXPECT_THAT(large.recorder.series_keys.begin()->second.labels, HasSubstr(R"("nodes":"1024")"));
  EXPECT_THAT(eventsOf(large, "test_result").at(0).message, HasSubstr("and 1020 more nodes"));
  EXPECT_EQ(importTest(text(128)).recorder.nodes.size(), 128U) << "each node that took part";
}

TEST(NcclTests, WithoutATimeOnlyEventsAreRecorded) {
  const Imported result = test::importText(ncclText("0", "0 OK"));
  EXPECT_TRUE(result.recorder.metric_samples.empty()) << "no time is invented";
  EXPECT_EQ(result.recorder.issueCount("import.no_time"), 30);
  ASSERT_EQ(eventsOf(result, "test_result").size(), 1U);
  EXPECT_FALSE(eventsOf(result, "test_result")[0].time);
}

TEST(Perftest, BandwidthIsOfTheAdapterAndNamesItsPeer) {
  const Imported result = importTest(
      "---------------------------------------------------------------------------------------\n"
      "                    RDMA_Write BW Test\n"
      " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
      " Number of qps   : 4\t\tTransport type : IB\n"
      " Connection type : RC\t\tUsing SRQ      : OFF\n"
      " Link type       : Ethernet\n"
      "---------------------------------------------------------------------------------------\n"
      " local address: LID 0000 QPN 0x0094 PSN 0xab0910\n"
      " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:224:04:233\n"
      " remote address: LID 0000 QPN 0x0093 PSN 0x62655e\n"
      " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:224:05:57\n"
      "---------------------------------------------------------------------------------------\n"
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
      " 2          5000             1.23               1.20                 0.075000\n"
      " 65536      20000            0.00               98.01  \t\t   0.186932\n"
      "---------------------------------------------------------------------------------------\n",
      "node7_ib.txt");
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.kind, "perftest");
  EXPECT_EQ(result.recorder.nodes.at(0).name, "node7");
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].kind, "nic");
  EXPECT_EQ(result.recorder.devices[0].model, "mlx5_0");
  const auto labels = [](const char* bytes, const char* statistic) {
    return std::string(R"({"bytes":")") + bytes + R"(","peer":"10.224.5.57","qps":"4","statistic":")" + statistic +
           R"(","test":"ib_write_bw"})";
  };
  EXPECT_THAT(result.recorder.samplesOf("test_bandwidth_bytes_per_s", labels("65536", "average")).value, ElementsAre(98.01 * 125e6));
  EXPECT_THAT(result.recorder.samplesOf("test_bandwidth_bytes_per_s", labels("2", "peak")).value, ElementsAre(1.23 * 125e6));
  EXPECT_TRUE(result.recorder.samplesOf("test_bandwidth_bytes_per_s", labels("65536", "peak")).value.empty()) << "0 is no peak";
  EXPECT_THAT(result.recorder.samplesOf("test_messages_per_s", labels("65536", "average")).value, ElementsAre(186'932.0));
  EXPECT_EQ(eventsOf(result, "test_result").at(0).message, "ib_write_bw on mlx5_0 to 10.224.5.57: 98.01 Gb/s at 65536 B");
}

TEST(Perftest, MegabytesAreMebibytesAndLatenciesHaveTheirStatistics) {
  const Imported bandwidth = importTest(
      "                    Send BW Test\n Dual-port       : OFF          Device         : mlx5_1\n"
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536      1000           11234.25           11198.78\t     0.179180\n");
  EXPECT_THAT(
      bandwidth.recorder.samplesOf("test_bandwidth_bytes_per_s", R"({"bytes":"65536","statistic":"average","test":"ib_send_bw"})").value,
      ElementsAre(11'198.78 * 1'048'576));
  const Imported latency = importTest(
      "                    RDMA_Read Latency Test\n Dual-port       : OFF          Device         : mlx5_1\n"
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% "
      "percentile[usec] \n"
      " 2       1000          1.85           28.40        2.05               2.11           0.31            2.90                    "
      "28.40\n");
  EXPECT_EQ(latency.kind, "perftest");
  const auto of = [&](const char* statistic) {
    return latency.recorder
        .samplesOf("test_latency_ns", std::string(R"({"bytes":"2","statistic":")") + statistic + R"(","test":"ib_read_lat"})")
        .value;
  };
  EXPECT_THAT(of("min"), ElementsAre(1'850.0));
  EXPECT_THAT(of("typical"), ElementsAre(testing::DoubleEq(2'050.0)));
  EXPECT_THAT(of("average"), ElementsAre(testing::DoubleEq(2'110.0)));
  EXPECT_THAT(of("p99"), ElementsAre(2'900.0));
  EXPECT_THAT(of("p999"), ElementsAre(28'400.0));
}

TEST(Nvbandwidth, CellsBelongToGpusWithTheirPeers) {
  const Imported result = importTest(
      "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: 12080\nDriver Version: 570.86.15\n\n"
      "node7\nDevice 0: NVIDIA H100 80GB HBM3 (00000000:19:00)\nDevice 1: NVIDIA H100 80GB HBM3 (00000000:3b:00)\n\n"
      "Running host_to_device_memcpy_ce.\n"
      "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "           0         1\n"
      " 0     55.35     54.20\n\n"
      "SUM host_to_device_memcpy_ce 109.55\n\n"
      "Running device_to_device_memcpy_read_ce.\n"
      "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "           0         1\n"
      " 0       N/A    395.08\n"
      " 1    390.10       N/A\n\n"
      "SUM device_to_device_memcpy_read_ce 785.18\n\n"
      "Running host_device_latency_sm.\n"
      "memory latency SM CPU(row) <-> GPU(column) (ns)\n"
      "           0         1\n"
      " 0    772.58    776.23\n\n"
      "NOTE: The reported results may not reflect the full capabilities of the platform.\n");
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.kind, "nvbandwidth");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  const DeviceId first{1}, second{2};
  const auto bandwidth = [&](DeviceId device, const char* labels) {
    return result.recorder.samplesOf("test_bandwidth_bytes_per_s", labels, device).value;
  };
  EXPECT_THAT(bandwidth(second, R"({"peer":"cpu0","test":"host_to_device_memcpy_ce"})"), ElementsAre(54.2e9));
  EXPECT_THAT(bandwidth(first, R"({"peer":"gpu1","test":"device_to_device_memcpy_read_ce"})"), ElementsAre(395.08e9));
  EXPECT_THAT(bandwidth(second, R"({"peer":"gpu0","test":"device_to_device_memcpy_read_ce"})"), ElementsAre(390.1e9));
  EXPECT_THAT(bandwidth(first, R"({"peer":"gpu0","test":"device_to_device_memcpy_read_ce"})"), IsEmpty());
  EXPECT_THAT(result.recorder.samplesOf("test_latency_ns", R"({"peer":"cpu0","test":"host_device_latency_sm"})", first).value,
              ElementsAre(772.58));
  EXPECT_EQ(eventsOf(result, "test_result").size(), 2U);
}

TEST(Nvbandwidth, MultinodeColumnsAreTheProcessesOfTheirHosts) {
  const Imported result = importTest(
      "nvbandwidth Version: v0.8\n"
      "Process 0 (worker-0): device 2: HGX GB200 (00000018:01:00)\n"
      "Process 1 (worker-1): device 3: HGX GB200 (00000019:01:00)\n\n"
      "Running multinode_device_to_device_memcpy_read_ce.\n"
      "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "           0         1\n 0       N/A    798.02\n 1    798.10       N/A\n");
  ASSERT_EQ(result.recorder.nodes.size(), 2U);
  EXPECT_EQ(result.recorder.nodes[0].name, "worker-0");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[0].index, 2);
  EXPECT_THAT(result.recorder
                  .samplesOf("test_bandwidth_bytes_per_s", R"({"peer":"worker-1/gpu3","test":"multinode_device_to_device_memcpy_read_ce"})",
                             DeviceId{1})
                  .value,
              ElementsAre(798.02e9));
}

TEST(Nvbandwidth, ItsJsonHasTheSameMatricesAndErrors) {
  const Imported result = importTest(R"j({"nvbandwidth": {"CUDA Runtime Version": 12080, "Driver Version": "570.86.15", "Hostname": "node7",
    "git_version": "v0.8", "testcases": [
      {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
       "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
       "bandwidth_matrix": [["N/A", "395.08"], ["390.10", "N/A"]], "sum": 785.18},
      {"name": "device_local_copy", "status": "Waived"},
      {"name": "all_to_host_memcpy_ce", "status": "Error", "error": "CUDA_ERROR_ECC_UNCORRECTABLE"}]}})j");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nvbandwidth_json");
  EXPECT_EQ(result.recorder.nodes.at(0).name, "node7");
  EXPECT_THAT(
      result.recorder.samplesOf("test_bandwidth_bytes_per_s", R"({"peer":"gpu1","test":"device_to_device_memcpy_read_ce"})", DeviceId{1})
          .value,
      ElementsAre(395.08e9));
  const auto failed = eventsOf(result, "test_failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].message, "nvbandwidth: all_to_host_memcpy_ce: CUDA_ERROR_ECC_UNCORRECTABLE");
}

TEST(DcgmDiag, AFailedTestOfVersion4NamesItsGpu) {
  const Imported result = importTest(R"({"DCGM Diagnostic": {"test_categories": [
      {"category": "Deployment", "tests": [{"name": "software", "results": [
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 0, "status": "Pass"}], "test_summary": {"status": "Pass"}}]},
      {"category": "Hardware", "tests": [{"name": "memory", "results": [
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 0, "status": "Pass"},
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 3, "status": "Fail",
         "warnings": [{"error_category": 3, "error_id": 40, "error_severity": 2, "warning": "GPU 3 has 1 double-bit error."}]},
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 4, "status": "Skip"}]}]}]},
    "metadata": {"DCGM Version": "4.2.3", "Driver Version Detected": "570.86.15"}})");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "dcgm_diag_json");
  const auto failed = eventsOf(result, "test_failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].code, "memory");
  EXPECT_EQ(failed[0].message, "dcgmi diag: memory failed on GPU 3: GPU 3 has 1 double-bit error.");
  const Device& device = result.recorder.devices.at(failed[0].device.value - 1);
  EXPECT_EQ(device.index, 3);
  EXPECT_THAT(result.recorder.samplesOf("test_failed_count", R"({"test":"memory","tool":"dcgmi diag"})", failed[0].device).value,
              ElementsAre(1.0));
  EXPECT_EQ(result.recorder.devices.size(), 2U) << "a skipped test is no result";
  EXPECT_EQ(eventsOf(result, "test_result").at(0).message, "dcgmi diag: 3 results, 1 failed");
}

TEST(DcgmDiag, OlderJsonAndTextsAreRead) {
  const Imported json = importTest(R"({"DCGM GPU Diagnostic": {"test_categories": [{"category": "Integration", "tests": [
      {"name": "PCIe", "results": [{"gpu_ids": "0,1", "status": "Pass"}, {"gpu_id": "2", "status": "FAIL", "warnings": "PCIe replays"}]}]}]},
      "Driver Version Detected": "525.85.12"})");
  EXPECT_EQ(eventsOf(json, "test_failed").at(0).message, "dcgmi diag: PCIe failed on GPU 2: PCIe replays");
  EXPECT_EQ(json.recorder.devices.size(), 3U);
  const Imported text = importTest(
      "Successfully ran diagnostic for group.\n"
      "+---------------------------+------------------------------------------------+\n"
      "| Diagnostic                | Result                                         |\n"
      "+===========================+================================================+\n"
      "|-----  Metadata  ----------+------------------------------------------------|\n"
      "| DCGM Version              | 3.1.8                                          |\n"
      "| Driver Version Detected   | 535.161.08                                     |\n"
      "|-----  Deployment  --------+------------------------------------------------|\n"
      "| Denylist                  | Pass                                           |\n"
      "| Inforom                   | Skip                                           |\n"
      "+-----  Hardware  ----------+------------------------------------------------+\n"
      "| GPU Memory                | Fail - GPU: 3                                  |\n"
      "| Warning                   | GPU 3 has 1 double-bit error. Drain the GPU    |\n"
      "|                           | and reset it.                                  |\n"
      "| Info                      | GPU 0 Allocated 80000 bytes (98.5%)            |\n"
      "| memory                    | Fail                                           |\n"
      "|                           | GPU0: Pass                                     |\n"
      "|                           | GPU1: Fail                                     |\n"
      "+---------------------------+------------------------------------------------+\n");
  EXPECT_EQ(text.kind, "dcgm_diag");
  const auto failed = eventsOf(text, "test_failed");
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[0].message, "dcgmi diag: GPU Memory failed on GPU 3: GPU 3 has 1 double-bit error. Drain the GPU and reset it.");
  EXPECT_EQ(failed[1].message, "dcgmi diag: memory failed on GPU 1");
  EXPECT_EQ(eventsOf(text, "test_result").at(0).message, "dcgmi diag: 4 results, 2 failed");
}

TEST(Measurements, AFileThatIsImportedAgainAddsOnlyItsNewTests) {
  const std::string perftest =
      "                    Send BW Test\n Dual-port       : OFF          Device         : mlx5_1\n"
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536      1000           11234.25           11198.78\t     0.179180\n";
  const std::string nvbandwidth =
      "nvbandwidth Version: v0.8\nDriver Version: 570.86.15\n\nRunning device_to_device_memcpy_read_ce.\n"
      "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A    395.08\n 1    390.10       N/A\n\n"
      "SUM device_to_device_memcpy_read_ce 785.18\n\n";
  const std::string diag =
      "| Diagnostic                | Result                                         |\n"
      "| Denylist                  | Pass                                           |\n"
      "| GPU Memory                | Fail - GPU: 3                                  |\n"
      "| Warning                   | GPU 3 has 1 double-bit error.                  |\n"
      "+---------------------------+------------------------------------------------+\n";
  const std::string diag_json =
      "{\"DCGM Diagnostic\": {\"test_categories\": [{\"tests\": [{\"name\": \"memory\", \"results\": "
      "[{\"gpu_id\": 3, \"status\": \"Fail\"}]}]}]}}\n";
  const std::string bandwidth_json =
      "{\"nvbandwidth\": {\"testcases\": [{\"name\": \"device_local_copy\", \"bandwidth_description\": \"GPU(column) (GB/s)\", "
      "\"bandwidth_matrix\": [[\"395.08\"]], \"sum\": 395.08}]}}\n";
  const std::string nccl = ncclText("0", "0 OK");
  const std::string open_nccl = nccl.substr(0, nccl.find("# Out of bounds"));  // its end is the next test's begin
  for (const std::string& output : {nccl, open_nccl, perftest, nvbandwidth, diag, diag_json, bandwidth_json}) {
    const auto pointsOf = [](const Imported& result) {
      std::size_t points = 0;
      for (const auto& [id, samples] : result.recorder.metric_samples) points += samples.value.size();
      return points;
    };
    const Imported first = importTest(output), again = importAgain(output, output), grown = importAgain(output, output + output);
    EXPECT_GT(pointsOf(first), 0U) << output;
    EXPECT_EQ(pointsOf(again), 0U) << output;
    EXPECT_THAT(again.recorder.events, IsEmpty()) << output;
    EXPECT_EQ(again.report.committed_offset, first.report.committed_offset) << output;
    EXPECT_EQ(pointsOf(grown), pointsOf(first)) << output;
    EXPECT_EQ(grown.recorder.events.size(), first.recorder.events.size()) << output;
  }
}

TEST(Measurements, ATestThatGrewAddsItsNewRows) {
  const std::string text = ncclText("0", "0 OK");
  const std::size_t cut = text.find("4321.00");  // within a row
  const std::string labels =
      R"({"bytes":"1073741824","nodes":"2","place":"out-of-place","ranks":"4","test":"all_reduce_perf","type":"float"})";
  const Imported grown = importAgain(text.substr(0, cut), text);
  EXPECT_THAT(grown.recorder.samplesOf("test_time_ns", labels).value, ElementsAre(4'321'000.0));
  EXPECT_EQ(grown.recorder.issueCount("import.file_time"), 14) << "the first row was recorded before";
  EXPECT_EQ(eventsOf(grown, "test_result").size(), 1U);
}

TEST(Measurements, DamagedOutputSaysWhatCannotBeRead) {
  const Imported cut = importTest(R"({"DCGM Diagnostic": {"test_categories": [)");
  EXPECT_EQ(cut.status.code(), Code::kInvalidArgument);
  EXPECT_THAT(cut.status.message(), HasSubstr("byte 0: the JSON document that begins here has no end"));
  const Imported rows = importTest(
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "     garbage             2     float     sum      -1    38.90    0.00    0.00      1    38.70    0.00    0.00      0\n");
  EXPECT_EQ(rows.recorder.issueCount("measurement.bad_line"), 1);
  EXPECT_EQ(rows.report.skipped_reason, "no result of a test");
}

}  // namespace
}  // namespace runglass
