// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of traces in `runglassctl analyze`: which rank the others wait for, and the bandwidth.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {
using Json = nlohmann::json;
using testing::HasSubstr;

class CollectivesTest : public CtlFixture {
 protected:
  Json analyze() {
    const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  std::string text() { return ctl({"analyze", "--store", m_store}).out; }

  // A trace per rank: a collective every 10 ms, from the rank's `begin_us` on; all ranks end 9 ms after the first possible begin.
  void importMade(int ranks, int collectives, const std::string& args, const std::string& of_file, auto&& begin_us) {
    const std::string folder = m_folder.file("made");
    std::filesystem::create_directories(folder);
    for (int rank = 0; rank < ranks; ++rank) {
      std::ofstream file(folder + "/rank" + std::to_string(rank) + ".json");
      file << R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" << rank << R"(, "world_size": )" << ranks << of_file
           << R"(}, "baseTimeNanoseconds": 1759300074000000000, "traceEvents": [)";
      for (int i = 0; i < collectives; ++i) {
        const int from = i * 10'000 + begin_us(i, rank), to = i * 10'000 + 9'000;
        file << (i > 0 ? ",\n" : "")
             << R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": )" << from
             << R"(, "dur": )" << to - from << R"(, "args": {"stream": 20)" << args << "}}";
      }
      file << "]}";
    }
    EXPECT_EQ(ctl({"import", "--store", m_store, folder}).exit, 0);
  }

  static bool importReal(CollectivesTest& test, const std::string& folder) {
    const std::string path = RG_SHARED_DATA "/kineto/" + folder;
    if (!std::filesystem::exists(path)) return false;
    EXPECT_EQ(test.ctl({"import", "--store", test.m_store, path}).exit, 0);
    return true;
  }
};

TEST_F(CollectivesTest, TheRankThatSleepsInARealJobOfFourIsTheFinding) {
  if (!importReal(*this, "torchrec_4rank_sst_sleep")) GTEST_SKIP() << "no shared data";
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  const Json& finding = answer["findings"][0];
  EXPECT_EQ(finding["kind"], "slow_rank");
  EXPECT_EQ(finding["rank"], 2);
  EXPECT_EQ(finding["severity"], "warning");
  EXPECT_EQ(finding["message"]["id"], "waited_rank");
  EXPECT_GT(finding["evidence"]["cost_ratio"].get<double>(), 0.9);
  EXPECT_THAT(text(), HasSubstr("warning slow_rank, rank:2: Rank 2 begins 9 of 1"));
  EXPECT_EQ(answer["ranking"][0]["rank"], 2);
  EXPECT_TRUE(answer["ranking"][0]["stands_out"].get<bool>());
}

TEST_F(CollectivesTest, TheRankThatIsLateInEachStepOfARealJobOfFourIsTheFinding) {
  if (!importReal(*this, "torchrec_4rank_sst_long_a2a_optimizer_4")) GTEST_SKIP() << "no shared data";
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  EXPECT_EQ(answer["findings"][0]["rank"], 2);
  EXPECT_NEAR(answer["findings"][0]["evidence"]["cost_ratio"].get<double>(), 0.15, 0.02);
}

TEST_F(CollectivesTest, HealthyRealJobsHaveNoFinding) {
  for (const char* folder : {"modded_nanogpt_8xH100_2025-12-11", "hta_sampled_2rank"}) {
    std::filesystem::remove(m_store);
    if (!importReal(*this, folder)) GTEST_SKIP() << "no shared data";
    EXPECT_EQ(analyze()["findings"].size(), 0U) << folder;
  }
}

TEST_F(CollectivesTest, TheRankOfTwoThatIsLateEachTimeIsTheFinding) {
  importMade(2, 12, "", "", [](int, int rank) { return rank == 1 ? 4'000 : 0; });
  EXPECT_THAT(text(),
              HasSubstr("slow_rank, rank:1: Rank 1 begins 12 of 12 collectives last: the other rank waits 48.0 ms of 119 ms for it (40"));
}

TEST_F(CollectivesTest, OneLateCallOfTwelveIsNoFinding) {
  importMade(2, 12, "", "", [](int i, int rank) { return rank == 1 && i == 6 ? 8'000 : 0; });
  EXPECT_THAT(text(), HasSubstr("0 findings"));
}

// 67,108,864 B over 4 ranks in the 1 ms after the last one began: 67,108,864 x 2 x 3/4 / 0.001 s = 100.663 GB/s.
TEST_F(CollectivesTest, BusBandwidthIsThatOfNcclTests) {
  const std::string call =
      R"(, "Process Group Name": "0", "In msg nelems": 16777216, "Out msg nelems": 16777216, "dtype": "Float", "Group size": 4)";
  const std::string group = R"(, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [0, 1, 2, 3]}])";
  importMade(4, 3, call, group, [](int, int rank) { return rank == 3 ? 8'000 : 0; });
  const Json bus = analyze()["bus_bandwidth"];
  EXPECT_EQ(bus["status"], "ok") << bus.dump(1);
  ASSERT_EQ(bus["communicators"].size(), 1U);
  const Json& operation = bus["communicators"][0]["operations"][0];
  EXPECT_EQ(operation["operation"], "all-reduce");
  EXPECT_EQ(operation["collectives"], 3);
  EXPECT_FALSE(operation["at_least"].get<bool>());
  EXPECT_NEAR(operation["median_bytes_per_s"].get<double>(), 100.663296e9, 1e3);
  ASSERT_EQ(bus["collectives"].size(), 3U);
  EXPECT_EQ(bus["collectives"][0]["transfer_ns"], 1'000'000);
  EXPECT_EQ(bus["collectives"][0]["bytes"], 67'108'864);
  EXPECT_THAT(text(),
              HasSubstr("bus bandwidth of communicator 0 default_pg (4 ranks):\n    all-reduce: 101 GB/s median, 101 GB/s worst of 3\n"));
}

// The same job, with the trace of only one rank: its 9 ms include the waiting, so the bandwidth is at least a ninth of the actual one.
TEST_F(CollectivesTest, ATraceOfOneRankShowsTheLeastBandwidth) {
  const std::string call =
      R"(, "Process Group Name": "0", "In msg nelems": 16777216, "Out msg nelems": 16777216, "dtype": "Float", "Group size": 4)";
  const std::string group = R"(, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [0, 1, 2, 3]}])";
  importMade(1, 3, call, group, [](int, int) { return 0; });
  const Json operation = analyze()["bus_bandwidth"]["communicators"][0]["operations"][0];
  EXPECT_TRUE(operation["at_least"].get<bool>());
  EXPECT_NEAR(operation["median_bytes_per_s"].get<double>(), 100.663296e9 / 9, 1e3);
  EXPECT_THAT(text(), HasSubstr("all-reduce: at least 11.2 GB/s median"));
}

TEST_F(CollectivesTest, ARealJobOfEightHasItsBandwidth) {
  if (!importReal(*this, "modded_nanogpt_8xH100_2025-12-11")) GTEST_SKIP() << "no shared data";
  const Json bus = analyze()["bus_bandwidth"];
  ASSERT_EQ(bus["communicators"].size(), 1U);
  for (const Json& operation : bus["communicators"][0]["operations"]) {
    EXPECT_GT(operation["median_bytes_per_s"].get<double>(), 200e9) << operation.dump();
    EXPECT_LT(operation["median_bytes_per_s"].get<double>(), 450e9) << "NVLink of an H100 moves 450 GB/s each way";
  }
}

}  // namespace
}  // namespace runglass
