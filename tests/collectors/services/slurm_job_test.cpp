// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/slurm/slurm_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/services/slurm/command_output.h"
#include "collectors/services/slurm/slurm_service.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeNs kSeconds = kNsPerSecond;

// Slurm 22.05.8, with TZ=UTC.
constexpr const char* kScontrol = R"(JobId=42 JobName=train 70b
   UserId=ada(1000) GroupId=ada(1000) MCS_label=N/A
   Priority=4294901757 Nice=0 Account=(null) QOS=(null)
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=0:0
   DerivedExitCode=0:0
   RunTime=00:00:05 TimeLimit=00:10:00 TimeMin=N/A
   SubmitTime=2023-11-14T22:13:20 EligibleTime=2023-11-14T22:13:21
   AccrueTime=2023-11-14T22:13:20
   StartTime=2023-11-14T22:15:00 EndTime=2023-11-14T22:25:00 Deadline=N/A
   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2023-11-14T22:15:00 Scheduler=Main
   Partition=all AllocNode:Sid=head:1234
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=gpu-[01-03]
   BatchHost=gpu-01
   NumNodes=3 NumCPUs=6 NumTasks=3 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   TRES=cpu=6,node=3,billing=6,gres/gpu=10
   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*
   JOB_GRES=gpu:10
     Nodes=gpu-[01-02] CPU_IDs=0-1 Mem=0 GRES=gpu:h100:3(IDX:0-1,3)
     Nodes=gpu-03 CPU_IDs=0-1 Mem=0 GRES=gpu:4(IDX:4-7),shard:2(IDX:0)
   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/ada/a=b c.sbatch
   WorkDir=/home/ada
   TresPerNode=gres:gpu:2
)";

TEST(SlurmJob, ScontrolsTextHasNodesGpusTimesAndReason) {
  const auto job = parseScontrolJob(kScontrol, 42);
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ(job->name, "train 70b");
  EXPECT_EQ(job->restarts, 1);
  ASSERT_THAT(job->attempts, SizeIs(1));
  const SlurmAttempt& attempt = job->attempts[0];
  EXPECT_EQ(attempt.state, "RUNNING");
  EXPECT_EQ(attempt.reason, "");
  EXPECT_EQ(attempt.submitted, 1'700'000'000 * kSeconds);
  EXPECT_EQ(attempt.eligible, 1'700'000'001 * kSeconds);
  EXPECT_EQ(attempt.start, 1'700'000'100 * kSeconds);
  EXPECT_EQ(attempt.end, std::nullopt) << "a running job's EndTime is its limit";
  EXPECT_THAT(attempt.nodes, ElementsAre("gpu-01", "gpu-02", "gpu-03"));
  EXPECT_THAT(attempt.gpus.at("gpu-02"), ElementsAre(0, 1, 3));
  EXPECT_THAT(attempt.gpus.at("gpu-03"), ElementsAre(4, 5, 6, 7)) << "not those of shards";
}

TEST(SlurmJob, APendingJobHasAReasonAndNoStart) {
  const auto job = parseScontrolJob(
      "JobId=7 JobName=a\n   JobState=PENDING Reason=Resources Dependency=(null)\n   SubmitTime=2023-11-14T22:13:20 EligibleTime=Unknown\n"
      "   StartTime=2023-11-15T22:13:20 EndTime=Unknown Deadline=N/A\n   NodeList=(null)\n",
      7);
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ(job->attempts[0].reason, "Resources");
  EXPECT_EQ(job->attempts[0].start, std::nullopt) << "an estimate";
  EXPECT_THAT(job->attempts[0].nodes, IsEmpty());
}

TEST(SlurmJob, AFailedJobHasItsExitCodeAndSignal) {
  const auto job = parseScontrolJob(
      "JobId=7 JobName=a\n   JobState=FAILED Reason=NonZeroExitCode\n   ExitCode=1:9\n   EndTime=2023-11-14T22:13:20\n", 7);
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->attempts[0].reason, "") << "of its end, not of its wait";
  EXPECT_EQ(job->attempts[0].exit_code, 1);
  EXPECT_EQ(job->attempts[0].signal, 9);
  EXPECT_EQ(job->attempts[0].end, 1'700'000'000 * kSeconds);
}

// scontrol and squeue of 22.05.8 while a requeued job's processes are still being ended: the start is the requeue's time.
TEST(SlurmJob, ARequeuedJobHasNotStartedBeforeItIsEligible) {
  const auto text = parseScontrolJob(
      "JobId=4 JobName=a\n   JobState=COMPLETING Reason=None\n   Requeue=1 Restarts=1 ExitCode=0:0\n"
      "   SubmitTime=2023-11-14T22:13:20 EligibleTime=2023-11-14T22:15:21\n   StartTime=2023-11-14T22:13:20 EndTime=2023-11-14T22:23:20\n"
      "   NodeList=gpu-01\n   JOB_GRES=gpu:1\n     Nodes=gpu-01 CPU_IDs=1 Mem=0 GRES=gpu:1(IDX:0)\n",
      4);
  const auto list = parseSlurmJson(
      R"json({"jobs":[{"job_id":4,"job_state":"COMPLETING","state_reason":"None","submit_time":1700000000,"eligible_time":1700000121,
      "start_time":1700000000,"end_time":1700000600,"nodes":"gpu-01","exit_code":0,"gres_detail":["gpu:1(IDX:0)"],"restart_cnt":1}]})json",
      4);
  ASSERT_TRUE(text.ok() && list.ok());
  for (const SlurmJob* job : {&*text, &*list}) {
    EXPECT_EQ(job->attempts[0].state, "PENDING");
    EXPECT_EQ(job->attempts[0].start, std::nullopt);
    EXPECT_THAT(job->attempts[0].nodes, IsEmpty());
    EXPECT_THAT(job->attempts[0].gpus, IsEmpty());
  }
}

TEST(SlurmJob, SacctOf2205HasAttemptsOfARequeuedJob) {
  const auto job = parseSlurmJson(
      R"({"meta":{"Slurm":{"version":{"major":22,"micro":8,"minor":5}}},"jobs":[
      {"job_id":42,"name":"train","cluster":"c1","nodes":"gpu-[01-02]","state":{"current":"COMPLETED","reason":"None"},"restart_cnt":1,
       "time":{"elapsed":5,"eligible":1700000200,"end":1700000400,"start":1700000300,"submission":1700000200},"exit_code":{"status":"SUCCESS","return_code":0}},
      {"job_id":42,"name":"train","cluster":"c1","nodes":"gpu-[03-04]","state":{"current":"NODE_FAIL","reason":"None"},
       "time":{"eligible":1700000000,"end":1700000150,"start":1700000100,"submission":1700000000},"exit_code":{"status":"SIGNALED","return_code":0,"signal":{"signal_id":9,"name":"KILL"}}},
      {"job_id":43,"name":"other","nodes":"gpu-01"}]})",
      42);
  ASSERT_TRUE(job.ok()) << job.status().message();
  ASSERT_THAT(job->attempts, SizeIs(2));
  EXPECT_EQ(job->cluster, "c1");
  EXPECT_EQ(job->attempts[0].state, "NODE_FAIL");
  EXPECT_EQ(job->attempts[0].signal, 9);
  EXPECT_EQ(job->attempts[1].exit_code, 0);
  EXPECT_EQ(job->attempts[1].start, 1'700'000'300 * kSeconds);
  EXPECT_THAT(job->attempts[0].nodes, ElementsAre("gpu-03", "gpu-04"));
}

TEST(SlurmJob, TheBatchStepHasTheExitCodeOfAFailedJobThatSacctOf2205WritesAsSuccess) {
  const auto parsed = [](const std::string& steps) {
    return parseSlurmJson(R"({"jobs":[{"job_id":42,"name":"train","nodes":"gpu-01","state":{"current":"FAILED","reason":"None"},
      "time":{"start":1700000100,"end":1700000150},"exit_code":{"status":"SUCCESS","return_code":0},"steps":[)" +
                              steps + "]}]}",
                          42);
  };
  const auto batch = parsed(R"({"step":{"id":"batch","name":"batch"},"exit_code":{"status":"ERROR","return_code":3}},
      {"step":{"id":"0","name":"train"},"exit_code":{"status":"ERROR","return_code":4}})");
  const auto none = parsed("");
  ASSERT_TRUE(batch.ok() && none.ok());
  EXPECT_EQ(batch->attempts[0].exit_code, 3);
  EXPECT_EQ(none->attempts[0].exit_code, std::nullopt) << "not 0: it failed";
}

TEST(SlurmJob, SacctOf2411WritesWordsAsListsAndNumbersAsObjects) {
  const auto job = parseSlurmJson(
      R"({"jobs":[{"job_id":42,"name":"train","cluster":"c1","nodes":"gpu-01","state":{"current":["FAILED"],"reason":"None"},
      "time":{"eligible":1700000000,"end":1700000150,"start":1700000100,"submission":1700000000},
      "exit_code":{"status":["ERROR"],"return_code":{"set":true,"infinite":false,"number":3},"signal":{"id":{"set":false,"infinite":false,"number":0},"name":""}}}]})",
      42);
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ(job->attempts[0].state, "FAILED");
  EXPECT_EQ(job->attempts[0].exit_code, 3);
  EXPECT_EQ(job->attempts[0].signal, std::nullopt);
}

TEST(SlurmJob, SqueueOfBothFormsHasGpusPerNode) {
  const auto old = parseSlurmJson(
      R"json({"jobs":[{"job_id":42,"name":"train","job_state":"RUNNING","state_reason":"None","submit_time":1700000000,"eligible_time":1700000000,
      "start_time":1700000100,"end_time":1700009999,"nodes":"gpu-[01-02]","exit_code":256,"gres_detail":["gpu:2(IDX:0-1)","gpu:2(IDX:2-3)"]}]})json",
      42);
  ASSERT_TRUE(old.ok()) << old.status().message();
  EXPECT_THAT(old->attempts[0].gpus.at("gpu-02"), ElementsAre(2, 3));
  EXPECT_EQ(old->attempts[0].exit_code, 1);
  EXPECT_EQ(old->attempts[0].end, std::nullopt);
  const auto newer = parseSlurmJson(
      R"json({"jobs":[{"job_id":42,"job_state":["PENDING"],"state_reason":"Priority",
      "submit_time":{"set":true,"infinite":false,"number":1700000000},"start_time":{"set":false,"infinite":false,"number":0},
      "nodes":"","exit_code":{"return_code":{"set":true,"number":0}}}]})json",
      42);
  ASSERT_TRUE(newer.ok()) << newer.status().message();
  EXPECT_EQ(newer->attempts[0].submitted, 1'700'000'000 * kSeconds);
  EXPECT_EQ(newer->attempts[0].reason, "Priority");
}

TEST(SlurmJob, TheControllersGpusJoinTheAttemptOfTheAccounting) {
  const auto controller = parseScontrolJob(kScontrol, 42);
  const auto accounting = parseSlurmJson(
      R"({"jobs":[{"job_id":42,"name":"allocation","nodes":"gpu-[04-05]","state":{"current":"REQUEUED"},"time":{"start":1700000050,"end":1700000060}},
      {"job_id":42,"nodes":"gpu-[01-03]","state":{"current":"RUNNING"},"time":{"start":1700000100,"end":0}}]})",
      42);
  ASSERT_TRUE(controller.ok() && accounting.ok());
  const SlurmJob job = mergedSlurmJob(*accounting, *controller);
  ASSERT_THAT(job.attempts, SizeIs(2));
  EXPECT_THAT(job.attempts[0].gpus, IsEmpty());
  EXPECT_EQ(job.attempts[0].end, 1'700'000'060 * kSeconds);
  EXPECT_THAT(job.attempts[1].gpus, SizeIs(3));
  EXPECT_EQ(job.restarts, 1);
  EXPECT_EQ(job.name, "train 70b") << "slurmdbd's \"allocation\" stands for a name that it does not have yet";
}

TEST(SlurmJob, TheControllersEndStandsInForALateAccounting) {
  const auto controller = parseScontrolJob(
      "JobId=7 JobName=a\n   JobState=FAILED Reason=NonZeroExitCode\n   ExitCode=3:0\n   StartTime=2023-11-14T22:13:20 "
      "EndTime=2023-11-14T22:13:30\n",
      7);
  const auto accounting = parseSlurmJson(
      R"({"jobs":[{"job_id":7,"name":"a","nodes":"gpu-01","state":{"current":"RUNNING","reason":"Resources"},"time":{"start":1700000000,"end":0}}]})",
      7);
  ASSERT_TRUE(controller.ok() && accounting.ok());
  const SlurmJob job = mergedSlurmJob(*accounting, *controller);
  ASSERT_THAT(job.attempts, SizeIs(1));
  EXPECT_EQ(job.attempts[0].state, "FAILED");
  EXPECT_EQ(job.attempts[0].exit_code, 3);
  EXPECT_EQ(job.attempts[0].end, 1'700'000'010 * kSeconds);
  EXPECT_EQ(job.attempts[0].reason, "Resources");
}

// slurmdbd 22.05.8 in the first seconds of a job.
TEST(SlurmJob, AJobThatTheAccountingHasAsPendingHasOneAttempt) {
  const auto controller = parseScontrolJob(kScontrol, 42);
  const auto accounting = parseSlurmJson(
      R"({"jobs":[{"job_id":42,"name":"allocation","nodes":"None assigned","state":{"current":"PENDING","reason":"Dependency"},
      "time":{"submission":1700000000,"eligible":1700000001,"start":0,"end":0}}]})",
      42);
  ASSERT_TRUE(controller.ok() && accounting.ok());
  const SlurmJob job = mergedSlurmJob(*accounting, *controller);
  ASSERT_THAT(job.attempts, SizeIs(1));
  EXPECT_EQ(job.attempts[0].state, "RUNNING");
  EXPECT_EQ(job.attempts[0].start, 1'700'000'100 * kSeconds);
  EXPECT_EQ(job.attempts[0].reason, "Dependency");
}

TEST(SlurmJob, TheQueuePositionCountsJobsOfThePartitionThatCompete) {
  constexpr std::string_view kQueue =
      "9|all|Resources\n3|debug|Resources\n4|all|JobHeldUser\n5|all|ReqNodeNotAvail, "
      "UnavailableNodes:gpu-01\n6|all|BeginTime\n7|all|Priority\n";
  EXPECT_EQ(parseQueuePosition(kQueue, 9), 1);
  EXPECT_EQ(parseQueuePosition(kQueue, 3), 1);
  EXPECT_EQ(parseQueuePosition(kQueue, 7), 3);
  EXPECT_EQ(parseQueuePosition(kQueue, 6), std::nullopt) << "it waits for a time";
  EXPECT_EQ(parseQueuePosition(kQueue, 8), std::nullopt);
  EXPECT_EQ(parseQueuePosition("", 8), std::nullopt);
}

TEST(SlurmJob, OtherTextIsRefused) {
  EXPECT_EQ(parseScontrolJob("slurm_load_jobs error: Invalid job id specified\n", 42).status().code(), Code::kNotFound);
  EXPECT_EQ(parseScontrolJob(kScontrol, 41).status().code(), Code::kNotFound);
  EXPECT_EQ(parseSlurmJson("{\"jobs\":[]}", 42).status().code(), Code::kNotFound);
  for (const char* text : {"", "[]", "{\"jobs\":3}", "{\"jobs\":[3]}", "{\"jobs\":[{\"job_id\":42,\"nodes\":\"a[\"}]}", "sacct: error: x"})
    EXPECT_FALSE(parseSlurmJson(text, 42).ok()) << text;
}

TEST(SlurmCommands, ACommandThatHangsIsKilledAndAFailureHasItsWords) {
  EXPECT_EQ(*commandOutput({"sh", "-c", "echo $TZ"}, 60 * kNsPerSecond), "UTC\n");
  EXPECT_THAT(commandOutput({"sh", "-c", "sleep 1000 & sleep 1000"}, kNsPerSecond).status().message(),
              testing::HasSubstr("no answer within 1 s"));
  EXPECT_THAT(commandOutput({"sh", "-c", "echo slurm_load_jobs error >&2; exit 1"}, 60 * kNsPerSecond).status().message(),
              testing::HasSubstr("sh: slurm_load_jobs error"));
  EXPECT_EQ(commandOutput({"no-such-program-of-slurm"}, kNsPerSecond).status().code(), Code::kNotFound);
}

TEST(SlurmCommands, AnOldJobComesFromTheAccountingAndAClusterWithoutOneFromTheController) {
  const Status gone(Code::kUnavailable, "scontrol: slurm_load_jobs error: Invalid job id specified");
  const auto sacct = [](const std::string& text) { return R"({"jobs":[{"job_id":42,"name":"a","state":{"current":")" + text + R"("}}]})"; };
  const auto answers = [&](Result<std::string> controller, Result<std::string> accounting) -> CommandRunner {
    return [=](const std::vector<std::string>& arguments) { return arguments[0] == "scontrol" ? controller : accounting; };
  };
  EXPECT_EQ(readSlurmJob(42, answers(gone, sacct("COMPLETED")))->attempts[0].state, "COMPLETED");
  EXPECT_EQ(readSlurmJob(42, answers(std::string(kScontrol), gone))->attempts[0].state, "RUNNING");
  EXPECT_THAT(readSlurmJob(42, answers(gone, Status(Code::kUnavailable, "sacct: disabled"))).status().message(),
              testing::AllOf(testing::HasSubstr("Invalid job id"), testing::HasSubstr("sacct: disabled")));
}

TEST(SlurmCommands, AJobThatWaitsHasItsPositionAlsoWithoutAccounting) {
  const auto job = readSlurmJob(7, [](const std::vector<std::string>& arguments) -> Result<std::string> {
    if (arguments[0] == "scontrol") return std::string("JobId=7 JobName=a\n   JobState=PENDING Reason=Priority\n");
    if (arguments[0] == "squeue") return std::string("9|all|Resources\n7|all|Priority\n");
    return Status(Code::kUnavailable, "sacct: disabled");
  });
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ(job->queue_position, 2);
}

TEST(SlurmRecord, ARunHasTheJobsGpusItsAttemptsAndItsPhasesOnce) {
  TempStore store;
  {
    auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    const NodeId node = (*writer)->node({.uuid = "machine-1", .name = "gpu-01"});
    for (int index = 0; index < 4; ++index)
      (*writer)->device({.uuid = "GPU-" + std::to_string(index), .node = node, .index = index, .kind = "gpu"});
    ASSERT_TRUE((*writer)->close().ok());
  }
  const auto record = [&](const SlurmJob& job) {
    auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    auto reader = store.reader();
    ASSERT_TRUE(recordSlurmJob(job, **reader, **writer).ok());
    reader->reset();
    ASSERT_TRUE((*writer)->close().ok());
  };
  SlurmAttempt attempt{.submitted = 1'000 * kSeconds,
                       .start = 1'060 * kSeconds,
                       .state = "RUNNING",
                       .reason = "Resources",
                       .nodes = {"gpu-01"},
                       .gpus = {{"gpu-01", {1, 3}}}};
  record({.id = 42, .name = "train", .attempts = {attempt}});
  attempt.state = "FAILED", attempt.end = 2'000 * kSeconds, attempt.exit_code = 137;
  attempt.gpus.clear();  // the controller has them until the end
  for (int again = 0; again < 2; ++again) record({.id = 42, .name = "train", .attempts = {attempt}});
  // The next job on one of the GPUs.
  record({.id = 43,
          .name = "train",
          .attempts = {
              {.start = 2'000 * kSeconds, .end = 3'000 * kSeconds, .state = "COMPLETED", .nodes = {"gpu-01"}, .gpus = {{"gpu-01", {3}}}}}});

  auto reader = store.reader();
  ASSERT_TRUE(reader.ok());
  const auto runs = (*reader)->runs();
  ASSERT_THAT(*runs, SizeIs(2));
  const auto devices = (*reader)->devices();
  std::map<std::string, std::vector<std::string>> gpus;
  for (const runglass::Run& run : *runs) {
    const auto attempts = (*reader)->attempts(run.id);
    ASSERT_THAT(*attempts, SizeIs(1));
    const auto ranks = (*reader)->ranks(attempts->front().id);
    for (const Rank& rank : *ranks)
      for (const Device& device : *devices)
        if (device.id == rank.device) gpus[run.name].push_back(device.uuid);
    const auto tracks = (*reader)->tracks(attempts->front().id);
    ASSERT_THAT(*tracks, SizeIs(1));
    const auto spans = (*reader)->spans(tracks->front().id, {});
    if (run.name != "train-42") continue;
    EXPECT_EQ(run.state, RunState::kFailed);
    EXPECT_EQ(run.start, 1'060 * kSeconds);
    EXPECT_EQ(run.end, 2'000 * kSeconds);
    EXPECT_EQ(attempts->front().end_cause, "FAILED, exit code 137");
    const auto facts = (*reader)->facts(attempts->front().id);
    EXPECT_THAT(*facts, testing::Contains(testing::AllOf(testing::Field(&Fact::key, "slurm_gpus"), testing::Field(&Fact::value, "1,3"))));
    EXPECT_THAT(spans->dur, ElementsAre(60 * kSeconds, 940 * kSeconds));
    EXPECT_EQ(spans->names[spans->name[0]], "queued: Resources");
    const auto events = (*reader)->events({.run = run.id});
    ASSERT_THAT(*events, SizeIs(1)) << "of this job, not of the next one on its GPU";
    EXPECT_EQ(events->front().code, "137");
  }
  EXPECT_THAT(gpus["train-42"], ElementsAre("GPU-1", "GPU-3"));
  EXPECT_THAT(gpus["train-43"], ElementsAre("GPU-3"));
}

}  // namespace
}  // namespace runglass
