// SPDX-License-Identifier: Apache-2.0
// Behaviour of the engine independent of the framework: ranks, times, restarts, copies, cuts, odd bytes.
#include <gmock/gmock.h>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

std::string iteration(int step, int total, double loss) {
  return " iteration " + std::to_string(step) + "/ " + std::to_string(total) + " | lm loss: " + std::to_string(loss) + " |\n";
}

TEST(TrainLogSession, TheSizeOfPiecesDoesNotMatter) {
  std::string text = "[rank0]:\x1b[31m" + iteration(1, 9, 3.5) + "progress 1\rprogress 2\r" + iteration(2, 9, 3.25);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
    const auto log = importLog(text, {}, builtinRuleSet(), piece);
    EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(3.5, 3.25)) << piece;
    EXPECT_EQ(log.report.committed_offset, text.size());
  }
}

TEST(TrainLogSession, LauncherPrefixesGiveTheRankOfAnEvent) {
  for (const char* prefix :
       {" 12: ", "[rank12]:", "[default12]:", "[1,12]<stdout>:", "[20260511 02:59:23][rank-12/16][INFO ] ", "[rank12]:[rank12]: "}) {
    const auto log = importLog(std::string(prefix) + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n");
    ASSERT_EQ(log.out.events.size(), 1U) << prefix;
    EXPECT_EQ(log.out.events[0].rank, 12) << prefix;
  }
  for (const char* prefix : {"worker-3: [2022-10-31 10:59:02,323] [INFO] ", "(Trainer pid=4711, ip=10.0.0.2) ", "node17:4711:4800 [3] "}) {
    const auto log = importLog(std::string(prefix) + "CUDA out of memory\n");
    ASSERT_EQ(log.out.nodes.size(), 1U) << prefix;
    EXPECT_EQ(log.out.events.at(0).node, NodeId{1}) << prefix;
  }
}

TEST(TrainLogSession, EqualValuesOfManyRanksAreOnePointAndDifferentOnesAreTheRanksOwn) {
  const auto log = importLog("1: " + iteration(1, 9, 5) + "0: " + iteration(1, 9, 5) + "0: " + iteration(2, 9, 4) +
                             "1: " + iteration(2, 9, 4) + "0: " + iteration(3, 9, 3.5) + "1: " + iteration(3, 9, 3));
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(5, 4, 3));
  EXPECT_THAT(log.out.scalarsOf("lm loss", 0).value, ElementsAre(3.5));
  EXPECT_EQ(log.out.scalarsOf("lm loss").value.size() + log.out.scalarsOf("lm loss", 0).value.size(), 4U);
}

TEST(TrainLogSession, AStepThatGoesBackIsARestart) {
  const auto log = importLog(iteration(10, 100, 5) + iteration(20, 100, 4) +
                             "using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n"
                             "successfully loaded checkpoint from /ckpt [ t 0, p 0 ] at iteration 10\n" +
                             iteration(20, 100, 4.5) + iteration(30, 100, 3));
  ASSERT_EQ(log.out.runs.size(), 1U);
  ASSERT_EQ(log.out.attempts.size(), 2U);
  EXPECT_EQ(log.out.attempts[0].layout.world, 0) << "the new layout belongs to the new attempt";
  EXPECT_EQ(log.out.attempts[1].layout.world, 8);
  EXPECT_EQ(log.out.attempts[1].resumed_from_step, 10);
  EXPECT_TRUE(log.out.hasEvent("restart"));
  std::vector<std::vector<double>> losses;
  for (const auto& [id, key] : log.out.series_keys) losses.push_back(log.out.scalar_points.at(id).value);
  EXPECT_THAT(losses, ElementsAre(ElementsAre(5, 4), ElementsAre(4.5, 3)));
}

TEST(TrainLogSession, ARunThatFinishedAndBeginsAgainIsAnotherRun) {
  const auto log = importLog(iteration(1, 2, 5) + iteration(2, 2, 4) + iteration(1, 2, 5.5) + iteration(2, 2, 4.5));
  ASSERT_EQ(log.out.runs.size(), 2U);
  EXPECT_EQ(log.out.runs[0].name, "run");
  EXPECT_EQ(log.out.runs[1].name, "run #2");
  EXPECT_EQ(log.out.runs[0].state, RunState::kFinished);
}

TEST(TrainLogSession, AJobThatWasCancelledIsNotAFailure) {
  const auto log =
      importLog(iteration(1, 9, 5) + "slurmstepd: error: *** JOB 18 ON n3 CANCELLED AT 2021-05-24T09:50:34 DUE TO TIME LIMIT ***\n");
  EXPECT_EQ(log.out.attempts[0].planned, true);
  EXPECT_EQ(log.out.attempts[0].end_cause, "job_stopped");
  EXPECT_NE(log.out.runs[0].state, RunState::kFailed);
}

TEST(TrainLogSession, TimesWithAZoneAreExactAndThoseWithoutAreUtcAndSaySo) {
  const auto zoned = importLog("2026-05-24T20:15:28.500+02:00 " + iteration(1, 9, 5));
  EXPECT_THAT(zoned.out.scalarsOf("lm loss").time, ElementsAre(1779646528500000000));
  EXPECT_EQ(zoned.out.issueCount("train_log.no_time_zone"), 0);
  const auto bare = importLog("[2026-05-24 18:15:28,500] " + iteration(1, 9, 5));
  EXPECT_THAT(bare.out.scalarsOf("lm loss").time, ElementsAre(1779646528500000000));
  EXPECT_EQ(bare.out.issueCount("train_log.no_time_zone"), 1);
}

TEST(TrainLogSession, AGlogStampIsOfTheYearInWhichTheFileWasWritten) {
  ImportTarget written;
  written.modified = 1779646528 * kNsPerSecond;  // 2026-05-24 18:15:28
  const std::string watchdog = "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)\n";
  for (const std::string& line :
       {"[rank3]:[E520 06:31:05.05 ProcessGroupNCCL.cpp:616] " + watchdog,
        std::string("E0520 06:31:05.050000 4711 torch/run.py:852] failed (exitcode: -9) local_rank: 3 (pid: 9)\n")}) {
    const auto log = importLog(line, written);
    ASSERT_FALSE(log.out.events.empty()) << line;
    EXPECT_EQ(log.out.events[0].time, 1779258665'050'000'000) << line;
    EXPECT_EQ(log.out.issueCount("train_log.no_year"), 1) << "marked as assumed";
    EXPECT_EQ(log.out.runs.at(0).time_domain, TimeDomain::kUtc);
  }
  const auto beside =
      importLog("[2024-05-20 06:30:00,000] [INFO] begins\n[rank3]:[E520 06:31:05.05 ProcessGroupNCCL.cpp:616] " + watchdog, written);
  EXPECT_EQ(beside.out.events.at(0).time, 1716186665'050'000'000) << "a dated line of the same log outranks the time of a copied file";
  const auto undated = importLog("[rank3]:[E520 06:31:05.05 ProcessGroupNCCL.cpp:616] " + watchdog);
  EXPECT_EQ(undated.out.events.at(0).time, std::nullopt) << "the time of the file is unknown";
}

TEST(TrainLogSession, AnAbsoluteTimeWinsAndTeachesTheZoneOfStampsBesideIt) {
  const auto mllog = [](std::int64_t ms, const std::string& rest) {
    return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(ms) + ", \"event_type\": \"POINT_IN_TIME\", " + rest + "}\n";
  };
  // A machine seven hours behind UTC: nine minutes of training.
  const auto log = importLog(
      "[2024-05-18 01:43:16,000] [INFO] CUDA out of memory\n"
      "[2024-05-18 01:43:38,100] " +
      mllog(1716021818000, "\"key\": \"run_start\", \"value\": null") + "[2024-05-18 01:45:38,100] " +
      mllog(1716021938000, "\"key\": \"train_loss\", \"value\": 2.5, \"metadata\": {\"step\": 10}") + "[2024-05-18 01:52:38,100] " +
      mllog(1716022358000, "\"key\": \"run_stop\", \"value\": null, \"metadata\": {\"status\": \"success\"}"));
  ASSERT_FALSE(log.out.runs.empty());
  EXPECT_EQ(log.out.events.at(0).time, 1716021796'000'000'000) << "before the first absolute time, too";
  EXPECT_THAT(log.out.scalarsOf("train_loss").time, ElementsAre(1716021938'000'000'000));
  EXPECT_EQ(*log.out.runs.at(0).end - *log.out.runs.at(0).start, (1716022358 - 1716021796) * kNsPerSecond);
  EXPECT_EQ(log.out.issueCount("train_log.no_time_zone"), 0);
  // Lines of other programs between two absolute times, eight hours ahead of UTC.
  std::string filler;
  for (int i = 0; i < 50; ++i) filler += "loading\n";
  const auto between = importLog(
      mllog(1715967814405, "\"key\": \"init_start\", \"value\": null") + filler + "[2024-05-18 01:43:36,000] [INFO] builds\n" + filler +
      mllog(1715967817259, "\"key\": \"init_stop\", \"value\": null") + "[2024-05-18 01:50:00,000] [INFO] CUDA out of memory\n");
  EXPECT_EQ(between.out.events.at(0).time, 1715968200 * kNsPerSecond);
}

TEST(TrainLogSession, ALineTakesTheTimePrintedJustBeforeItAndNoOlderOne) {
  const std::string stamp = "[2026-05-24 18:15:28,000] [INFO] something\n", filler = "a\nb\nc\nd\n";
  EXPECT_EQ(importLog(stamp + iteration(1, 9, 5)).out.scalarsOf("lm loss").time.size(), 1U);
  EXPECT_EQ(importLog(stamp + filler + iteration(1, 9, 5)).out.scalarsOf("lm loss").time.size(), 0U);
}

TEST(TrainLogSession, WhatAnEarlierImportCommittedIsNotRecordedAgain) {
  const std::string begin = iteration(1, 9, 5) + "CUDA out of memory\n" + iteration(2, 9, 4),
                    more = iteration(3, 9, 3) + iteration(1, 9, 6);
  ImportTarget target;
  target.resume_at = begin.size();
  const auto log = importLog(begin + more, target);
  EXPECT_FALSE(log.out.hasEvent("out_of_memory"));
  std::vector<std::vector<double>> losses;
  for (const auto& [id, key] : log.out.series_keys)
    if (log.out.scalar_points.contains(id)) losses.push_back(log.out.scalar_points.at(id).value);
  EXPECT_THAT(losses, ElementsAre(ElementsAre(3), ElementsAre(6)));
  EXPECT_EQ(log.out.attempts.size(), 2U);
}

TEST(TrainLogSession, ACutLastLineIsLeftForTheNextImport) {
  const std::string whole = iteration(1, 9, 5), text = whole + " iteration 2/ 9 | lm loss: 4.1";
  const auto log = importLog(text);
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(5));
  EXPECT_EQ(log.report.committed_offset, whole.size());
  EXPECT_EQ(log.out.issueCount("import.truncated"), 1);
  ImportTarget growing;
  growing.final = false;
  EXPECT_EQ(importLog(text, growing).out.issueCount("import.truncated"), 0);
}

TEST(TrainLogSession, ALongLineIsCountedAndTheNextOneIsRead) {
  const auto log = importLog(std::string(3 << 20, 'x') + "\n" + iteration(1, 9, 5));
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(5));
  EXPECT_EQ(log.out.issueCount("train_log.long_line"), 1);
}

TEST(TrainLogSession, OddBytesNeverReachNamesOrMessages) {
  std::string text =
      "iteration 1/ 9 | lm loss: 5.0 | b\x01\xff\xc0"
      "d name: 2 |\nCUDA out of memory \xff tail\n";
  text.insert(text.find(" tail"), 1, '\0');
  const auto log = importLog(text);
  EXPECT_THAT(log.out.scalarsOf("lm loss").value, ElementsAre(5));
  EXPECT_NE(keyOf(log.out,
                  "b \xEF\xBF\xBD\xEF\xBF\xBD"
                  "d name"),
            nullptr);
  EXPECT_THAT(log.out.events.at(0).message, HasSubstr("CUDA out of memory \xEF\xBF\xBD"));
}

TEST(TrainLogSession, SecretsOfACommandLineAreNotKept) {
  const auto log = importLog("cmd = deepspeed main.py --lr 0.1 --hub_token hf_abc --api_key=xyz --seed 7\n" + iteration(1, 9, 5));
  ASSERT_EQ(log.out.facts.size(), 1U);
  EXPECT_EQ(log.out.facts[0].value, "deepspeed main.py --lr 0.1 --hub_token *** --api_key=*** --seed 7");
}

TEST(TrainLogSession, AFloodOfNamesEventsOrRestartsIsBoundedAndCounted) {
  std::string names, events, restarts;
  for (int i = 0; i < 300; ++i) {
    names += "iteration " + std::to_string(i) + "/ 1000 | ";
    for (int k = 0; k < 20; ++k) names += "m" + std::to_string(i * 20 + k) + ": 1 | ";
    names += "\n";
  }
  for (int i = 0; i < 2500; ++i) events += "rank " + std::to_string(i) + " died from signal 9\n";
  for (int i = 0; i < 3000; ++i) restarts += iteration(i % 2 == 0 ? 5 : 1, 100, 1);
  EXPECT_EQ(importLog(names).out.issueCount("train_log.too_many_series"), 6000 - 4096);
  EXPECT_EQ(importLog(events).out.issueCount("train_log.too_many_events"), 500);
  const auto log = importLog(restarts);
  EXPECT_LE(log.out.attempts.size(), 1000U);
  EXPECT_GT(log.out.issueCount("train_log.too_many_restarts"), 0);
}

TEST(TrainLogSession, AValueThatIsNoNumberIsReported) {
  const auto log = importLog("iteration 1/ 9 | lm loss: broken | grad norm: N/A |\n");
  EXPECT_EQ(log.out.issueCount("train_log.unreadable_value"), 1);
  EXPECT_EQ(log.report.skipped_reason, "");
}

TEST(TrainLogImporter, RecognisesByContentBeforeName) {
  const auto importer = makeTrainLogImporter(builtinRuleSet());
  const auto mlperf = makeMlperfLogImporter();
  EXPECT_GT(importer->recognise({"data.bin", iteration(1, 9, 5)}), 80);
  EXPECT_GT(importer->recognise({"notes.txt", "nothing here\n"}), 0);
  EXPECT_EQ(importer->recognise({"notes.md", "nothing here\n"}), 0);
  EXPECT_EQ(importer->recognise({"x.log", std::string_view("\0\1\2\3binary", 10)}), 0);
  EXPECT_EQ(importer->recognise({"x.log", ""}), 0);
  const std::string line = ":::MLLOG {\"key\": \"seed\"}\n";
  EXPECT_GT(mlperf->recognise({"result_0.txt", line}), importer->recognise({"result_0.txt", line}));
}

TEST(TrainLogImporter, StopsWhenAsked) {
  MemoryRecorder out;
  ImportReport report;
  TextStream stream(iteration(1, 9, 5));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(makeTrainLogImporter(builtinRuleSet())->run(stream, {}, out, report, stop.get_token()).code(), Code::kCancelled);
}

}  // namespace
}  // namespace runglass::test
