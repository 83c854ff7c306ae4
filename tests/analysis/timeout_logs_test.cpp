// SPDX-License-Identifier: Apache-2.0
// Hangs in training logs, by the lines of the collective watchdogs, and in dumps of the flight recorder: from the text to the finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/hangs/hang_evidence.h"
#include "analysis/hangs/hangs.h"
#include "collectors/importers/importer_registry.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/collectors/importers/train_log/log_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

std::string steps() {
  std::string text;
  for (int at = 1; at <= 40; ++at) text += "step " + std::to_string(at) + " loss: " + std::to_string(4 - 0.02 * at) + "\n";
  return text;
}

std::string timeout(int rank, int seq = 4411, const std::string& op = "ALLREDUCE", int elements = 1048576) {
  const std::string number = std::to_string(rank);
  return "[rank" + number + "]:[E304 10:10:50.100000000 ProcessGroupNCCL.cpp:632] [Rank " + number +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + std::to_string(seq) + ", OpType=" + op +
         ", NumelIn=" + std::to_string(elements) +
         ", NumelOut=1048576, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n";
}

std::string state(int rank, int seq, int enqueued, int completed) {
  const std::string number = std::to_string(rank);
  return "[rank" + number + "]:[E304 10:10:50.200000000 ProcessGroupNCCL.cpp:2268] [PG ID 2 PG GUID 3(mesh_tp) Rank " + number +
         "]  failure detected by watchdog at work sequence id: " + std::to_string(seq) +
         " PG status: last enqueued work: " + std::to_string(enqueued) + ", last completed work: " + std::to_string(completed) + "\n";
}

std::string communicator(int rank, int ranks) {
  const std::string number = std::to_string(rank);
  return "node0:" + std::to_string(4000 + rank) + ":5000 [0] NCCL INFO comm 0x55d00" + number + " rank " + number + " nranks " +
         std::to_string(ranks) + " cudaDev 0 busId 1000 - Init COMPLETE\n";
}

class TimeoutLogs : public ::testing::Test {
 protected:
  std::vector<Finding> findings(const std::string& text) {
    const std::string path = m_folder.file(std::to_string(m_stores++) + ".rgl");
    auto writer = openStore(path).writer().value();
    test::TextStream stream(text);
    ImportTarget target;
    target.run_name = "run", target.file_name = "train.log", target.path = "train.log";
    ImportReport report;
    EXPECT_TRUE(makeTrainLogImporter(test::builtinRuleSet())->run(stream, target, *writer, report, {}).ok());
    EXPECT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    const auto found = makeHangs()->look({.reader = *reader, .run = reader->runs()->front().id, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : std::vector<Finding>();
  }
  Finding hang(const std::string& text) {
    const auto found = findings(text);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Finding() : found.front();
  }
  test::TempFolder m_folder;
  int m_stores = 0;
};

TEST_F(TimeoutLogs, TheRankWithoutATimeoutIsNamedByTheCommunicatorsSize) {
  std::string text;
  for (int rank = 0; rank < 16; ++rank) text += communicator(rank, 16);
  text += steps();
  std::string few = text;
  for (int rank = 0; rank < 15; ++rank) text += timeout(rank);
  const Finding found = hang(text);
  EXPECT_EQ(found.summary, "15 of 16 ranks timed out in collectives at step 40; rank 15 (node0) did not");
  EXPECT_EQ(found.rank, 15);
  for (const int rank : {0, 4, 9}) few += timeout(rank);
  EXPECT_THAT(hang(few).summary, HasSubstr("timeouts of only 3 of 16 ranks are recorded"));
}

TEST_F(TimeoutLogs, TheRankWithoutATimeoutIsNamedByTheNumbersOfTheOthers) {
  std::string text = steps();
  for (int rank = 0; rank < 16; ++rank)
    if (rank != 6) text += timeout(rank);
  const Finding found = hang(text);
  EXPECT_EQ(found.summary, "15 of 16 ranks timed out in collectives at step 40; rank 6 did not");
  EXPECT_EQ(found.rank, 6);
}

TEST_F(TimeoutLogs, ARankOfAnyOtherEventCounts) {
  std::string text = steps() + "[rank8]: gpu07:4711:4800 [3] NCCL WARN NET/Socket : Connect to 10.0.0.7 failed: Connection refused\n";
  for (int rank = 0; rank < 8; ++rank) text += timeout(rank);
  EXPECT_THAT(hang(text).summary, HasSubstr("8 of 9 ranks timed out in collectives at step 40; rank 8 did not"));
}

TEST_F(TimeoutLogs, WithoutTheNumberOfRanksNoneIsSaidToBeComplete) {
  std::string text = steps();
  for (int rank = 0; rank < 8; ++rank) text += timeout(rank);
  EXPECT_THAT(hang(text).summary, HasSubstr("not known: 8 ranks timed out, and the number of ranks is not recorded"));
  EXPECT_THAT(hang(steps() + timeout(0) + timeout(4) + timeout(9)).summary,
              HasSubstr("not known: 3 ranks timed out, and the number of ranks is not recorded"));
}

TEST_F(TimeoutLogs, TheRankThatHasNotEnqueuedTheOperationIsFurthestBehind) {
  std::string text = steps();
  for (const int rank : {0, 1, 3}) text += timeout(rank, 901, "_ALLGATHER_BASE") + state(rank, 901, 901, 900);
  const Finding found = hang(text + state(2, 900, 900, 900));
  EXPECT_EQ(found.summary, "4 of 4 ranks timed out in collectives at step 40; rank 2 is furthest behind");
  EXPECT_EQ(found.rank, 2);
}

TEST_F(TimeoutLogs, TheRankThatTimedOutInAnEarlierOperationIsFurthestBehind) {
  std::string text = steps();
  for (int rank = 0; rank < 8; ++rank) text += timeout(rank, rank == 6 ? 4410 : 4411);
  EXPECT_EQ(hang(text).summary, "8 of 8 ranks timed out in collectives at step 40; rank 6 is furthest behind");
}

TEST_F(TimeoutLogs, TheRankThatCalledAnotherOperationOrSizeIsNamed) {
  std::string op = steps(), size = steps(), uneven = steps();
  for (int rank = 0; rank < 8; ++rank) {
    op += timeout(rank, 77, rank == 7 ? "BROADCAST" : "ALLREDUCE");
    size += timeout(rank, 77, "ALLREDUCE", rank == 5 ? 512 : 1024);
    uneven += timeout(rank, 77, "ALLTOALL_BASE", rank == 5 ? 512 : 1024);
  }
  const Finding found = hang(op);
  EXPECT_EQ(
      found.summary,
      "8 of 8 ranks wait at step 40; root: ALLREDUCE #77, where rank 7 calls BROADCAST: the program does not do the same on all ranks");
  EXPECT_EQ(found.rank, 7);
  EXPECT_THAT(hang(size).summary, HasSubstr("root: ALLREDUCE #77, where rank 5 passes 512 elements and the others 1024 elements"));
  EXPECT_THAT(hang(uneven).summary, HasSubstr("not known: 8 ranks timed out")) << "an all-to-all has different sizes";
}

TEST_F(TimeoutLogs, NumbersOfDifferentGroupsAreNotCompared) {
  std::string text = steps();
  for (int rank = 0; rank < 8; ++rank) text += rank < 3 ? timeout(rank, 300, "_REDUCE_SCATTER_BASE") : timeout(rank, 9000);
  EXPECT_THAT(hang(text).summary, HasSubstr("not known: the ranks timed out in different collectives"));
}

std::string hcclRank(int rank, int ranks) {
  return "[ERROR] HCCL(21116" + std::to_string(rank) +
         ",python):2026-03-04-10:31:29.499.240 [task_exception_handler.cc:771] [211160][TaskExecStage][Timeout][Host]Task run failed, "
         "groupRank information is group:[hccl_world_group], user define information[], rankSize[" +
         std::to_string(ranks) + "], rankId[" + std::to_string(rank) + "].\n";
}
std::string notify(int peer, const std::string& code = "") {
  return code +
         "The wait execution of the Notify register times out. Reason: The Notify register has not received the Notify record from "
         "remote rank [" +
         std::to_string(peer) + "].\n";
}

TEST_F(TimeoutLogs, OfHcclTheSizeOfTheGroupAndThePeerAreRead) {
  EXPECT_THAT(hang(steps() + hcclRank(0, 4) + hcclRank(1, 4) + hcclRank(2, 4)).summary,
              HasSubstr("3 of 4 ranks timed out in collectives at step 40; rank 3 did not"));
  const Finding one = hang(steps() + notify(2, "EI0002: [PID: 4411] 2026-03-04-10:31:29.499.247 "));
  EXPECT_EQ(one.summary, "1 collective timeout at step 40; rank 2 sent nothing to the ranks that timed out");
  EXPECT_EQ(one.rank, 2);
  EXPECT_THAT(hang(steps() + hcclRank(0, 8) + notify(1) + hcclRank(1, 8) + notify(5)).summary,
              HasSubstr("rank 5 sent nothing to the ranks that timed out"))
      << "rank 1 waits itself";
}

// The fourth collective of a group of four, of which each rank's dump has the operation, the size of its buffer and its state.
struct DumpOf {
  std::string op = "nccl:all_reduce";
  int size = 1024;
  bool started = true;
};

class FlightRecorderDumps : public ::testing::Test {
 protected:
  Finding hang(const std::vector<DumpOf>& dumps) {
    const std::string path = m_folder.file(std::to_string(m_stores++) + ".rgl");
    auto writer = openStore(path).writer().value();
    for (std::size_t rank = 0; rank < dumps.size(); ++rank) {
      test::TextStream stream(text(dumps[rank]));
      ImportTarget target;
      target.run_name = "run", target.attempt_key = "0";
      target.file_name = target.path = "nccl_trace_rank_" + std::to_string(rank) + ".json";
      ImportReport report;
      EXPECT_TRUE(makeFlightRecorderImporter()->run(stream, target, *writer, report, {}).ok());
    }
    EXPECT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    const auto found = makeHangs()->look({.reader = *reader, .run = reader->runs()->front().id, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok());
    EXPECT_EQ(found->size(), 1U);
    return found->empty() ? Finding() : found->front();
  }

 private:
  static std::string text(const DumpOf& dump) {
    nlohmann::json entries = nlohmann::json::array();
    for (int seq = 1; seq <= 4; ++seq) {
      const std::int64_t created = 1'772'618'400'000'000'000 + seq * 1'000'000'000LL;
      const bool last = seq == 4, started = !last || dump.started;
      const int size = last ? dump.size : 1024;
      entries.push_back({{"record_id", seq},
                         {"pg_id", 0},
                         {"process_group", {"0", "default_pg"}},
                         {"collective_seq_id", seq},
                         {"p2p_seq_id", 0},
                         {"op_id", seq},
                         {"profiling_name", last ? dump.op : "nccl:all_reduce"},
                         {"time_created_ns", created},
                         {"time_discovered_started_ns", started ? nlohmann::json(created + 1'000'000) : nlohmann::json()},
                         {"time_discovered_completed_ns", last ? nlohmann::json() : nlohmann::json(created + 2'000'000)},
                         {"input_sizes", {{size}}},
                         {"input_dtypes", {"Float"}},
                         {"output_sizes", {{size}}},
                         {"output_dtypes", {"Float"}},
                         {"state", !last     ? "completed"
                                   : started ? "started"
                                             : "scheduled"},
                         {"timeout_ms", 600000},
                         {"is_p2p", false},
                         {"retired", !last}});
    }
    const nlohmann::json status = {
        {"last_enqueued_collective", 4}, {"last_started_collective", dump.started ? 4 : 3}, {"last_completed_collective", 3}};
    const nlohmann::json config = {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1, 2, 3]"}};
    return nlohmann::json{{"version", "2.10"}, {"pg_config", {{"0", config}}}, {"pg_status", {{"0", status}}}, {"entries", entries}}.dump();
  }
  test::TempFolder m_folder;
  int m_stores = 0;
};

TEST_F(FlightRecorderDumps, TheRankWithAnotherOperationIsNamed) {
  const Finding found = hang({{}, {}, {}, {.op = "nccl:_allgather_base"}});
  EXPECT_EQ(found.summary,
            "4 of 4 ranks wait; root: nccl:all_reduce #4 of 0 default_pg, where rank 3 calls nccl:_allgather_base: the program does not do "
            "the same on all ranks");
  EXPECT_EQ(found.rank, 3);
  const Finding tie = hang({{}, {}, {.op = "nccl:_allgather_base"}, {.op = "nccl:_allgather_base"}});
  EXPECT_THAT(tie.summary, HasSubstr("which others call nccl:_allgather_base"));
  EXPECT_THAT(tie.evidence, HasSubstr("\"unclear\":\"no_majority\""));
  EXPECT_EQ(hang({{.op = "nccl:_allgather_base"}, {}, {}, {}}).rank, 0) << "also where the first rank is the odd one";
}

TEST_F(FlightRecorderDumps, TheRankWithAnotherSizeIsNamed) {
  const Finding found = hang({{}, {}, {.size = 512}, {}});
  EXPECT_EQ(found.summary,
            "4 of 4 ranks wait; root: nccl:all_reduce #4 of 0 default_pg, where rank 2 passes 2048 bytes and the others 4096 bytes: the "
            "program does not do the same on all ranks");
  EXPECT_EQ(found.rank, 2);
  const DumpOf equal{.op = "nccl:all_to_all"}, other{.op = "nccl:all_to_all", .size = 512};
  EXPECT_THAT(hang({equal, equal, other, equal}).summary, HasSubstr("all 4 members have entered and none leaves"));
}

TEST_F(FlightRecorderDumps, ARankWhoseGpuHasNotStartedTheOperationHasNotEntered) {
  const Finding found = hang({{}, {}, {.started = false}, {}});
  EXPECT_EQ(found.summary,
            "3 of 4 ranks wait; root: nccl:all_reduce #4 of 0 default_pg, where rank 2 has not entered: enqueued, not started");
  EXPECT_EQ(found.rank, 2);
  const DumpOf idle{.started = false};
  EXPECT_THAT(hang({idle, idle, idle, idle}).summary, HasSubstr("4 of 4 ranks wait")) << "no rank's recorder sees starts";
}

}  // namespace
}  // namespace runglass
