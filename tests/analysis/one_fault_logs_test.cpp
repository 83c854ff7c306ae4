// SPDX-License-Identifier: Apache-2.0
// One fault, one finding: from the logs of a job and of its machines, through all analyses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/engine/analysis.h"
#include "analysis/hangs/hangs.h"
#include "analysis/job_failure/job_failure.h"
#include "collectors/importers/importer_registry.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/collectors/importers/train_log/log_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::string steps(bool dated = false) {
  std::string text;
  for (int at = 1; at <= 40; ++at) {
    const std::string stamp = "2026-03-04 09:59:" + std::to_string(10 + at) + ",000 - train - INFO - ";
    text += (dated ? stamp : std::string()) + "step " + std::to_string(at) + " loss: " + std::to_string(4 - 0.02 * at) + "\n";
  }
  return text;
}

std::string timeouts(int ranks, int without) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == without) continue;
    const std::string number = std::to_string(rank);
    text += "[rank" + number + "]:[E304 10:10:50.100000000 ProcessGroupNCCL.cpp:632] [Rank " + number +
            "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4411, OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, "
            "Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n";
  }
  return text + "terminate called after throwing an instance of 'c10::DistBackendError'\n";
}

std::string stack(int rank, const std::string& error) {
  const std::string label = "[rank" + std::to_string(rank) + "]: ";
  return label + "Traceback (most recent call last):\n" + label + "  File \"/w/train.py\", line 88, in <module>\n" + label +
         "    main()\n" + label + error + "\n";
}

class OneFaultLogs : public ::testing::Test {
 protected:
  // All findings of severity warning or more; `kernel`: of the machines, in the same run.
  std::vector<Finding> findings(const std::string& text, const std::string& kernel = "") {
    const std::string path = m_folder.file(std::to_string(m_stores++) + ".rgl");
    auto writer = openStore(path).writer().value();
    const auto importLog = [&](Importer& importer, const std::string& log, const char* name) {
      test::TextStream stream(log);
      ImportTarget target;
      target.run_name = "run", target.file_name = name, target.path = name;
      target.modified = 1'772'700'000 * kNsPerSecond;  // 5 March 2026
      ImportReport report;
      EXPECT_TRUE(importer.run(stream, target, *writer, report, {}).ok());
    };
    if (!kernel.empty()) importLog(*makeKernelLogImporter(), kernel, "kern.log");
    if (!text.empty()) importLog(*makeTrainLogImporter(test::builtinRuleSet()), text, "train.log");
    EXPECT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    std::vector<Finding> out;
    for (const AnalysisEntry& entry : analyses()) {
      const auto found = entry.make()->look({.reader = *reader, .run = reader->runs()->front().id, .now = {}, .stop = {}});
      EXPECT_TRUE(found.ok()) << entry.name;
      for (const Finding& one : *found)
        if (one.severity >= Severity::kWarning) out.push_back(one);
    }
    return out;
  }
  std::vector<std::string> summaries(const std::string& text, const std::string& kernel = "") {
    std::vector<std::string> out;
    for (const Finding& one : findings(text, kernel)) out.push_back(one.kind + ": " + one.summary);
    return out;
  }
  static std::int64_t hangsOf(Reader& reader) {
    const auto found = makeHangs()->look({.reader = reader, .run = reader.runs()->front().id, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok());
    return std::ranges::count(*found, "hang", &Finding::kind);
  }
  test::TempFolder m_folder;
  int m_stores = 0;
};

TEST_F(OneFaultLogs, AGpuErrorOfARankTakesInTheTimeoutsOfTheOthers) {
  const std::string error = stack(3, "RuntimeError: CUDA error: unspecified launch failure");
  const auto found = findings(steps() + error + timeouts(8, 3));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "job_failed");
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_THAT(found[0].summary, HasSubstr("unspecified launch failure; 7 other ranks failed after it"));
  const auto evidence = nlohmann::json::parse(found[0].evidence);
  EXPECT_EQ(evidence["timeouts"], 7);
  EXPECT_EQ(evidence["consequences"][0]["kind"], "collective_timeout");
  EXPECT_THAT(
      findings(steps(true) + "[rank3]:[E304 10:00:49.5 ProcessGroupNCCL.cpp:1895] CUDA error: uncorrectable ECC error encountered\n" +
               timeouts(8, 3)),
      SizeIs(1));
}

TEST_F(OneFaultLogs, ATrainersExceptionTakesInTheTimeoutsOfTheOthers) {
  EXPECT_THAT(summaries(steps() + stack(5, "ValueError: shard 17 is empty") + timeouts(8, 5)),
              ElementsAre("job_failed: Rank 5 failed first: ValueError: shard 17 is empty; 7 other ranks failed after it"));
  EXPECT_THAT(summaries(steps() + timeouts(8, 5) + stack(2, "torch.distributed.DistBackendError: NCCL communicator was aborted")),
              ElementsAre(HasSubstr("hang: 7 of 8 ranks timed out in collectives at step 40; rank 5 did not")))
      << "what the watchdog raises is a consequence";
}

TEST_F(OneFaultLogs, AnErrorThatTheRunSurvivedIsNoCauseOfALaterHang) {
  const std::string later = "step 41 loss: 3.18\nstep 42 loss: 3.16\n", error = stack(5, "ValueError: shard 17 is empty");
  EXPECT_THAT(summaries(steps() + error + later + timeouts(8, 2)), ElementsAre(HasSubstr("hang: ")));
  EXPECT_THAT(summaries(stack(0, "ImportError: no module named flash_attn") + steps() + timeouts(8, 2)), ElementsAre(HasSubstr("hang: ")));
}

TEST_F(OneFaultLogs, ABrokenLinkTakesInTheTimeouts) {
  const std::string port = "gpu07:4711:4800 [3] NCCL WARN NET/IB : mlx5_3:1 Got async event : port error\n";
  const auto found = findings(steps() + port + timeouts(8, -1));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "hardware_fault");
  EXPECT_THAT(found[0].summary, HasSubstr("8 collective_timeout")) << "which have a time, unlike the port's error";
}

TEST_F(OneFaultLogs, ALinkOfTheKernelLogTakesInTheTimeoutsOfASlowWatchdog) {
  std::string slow = timeouts(8, -1);
  for (std::size_t at = 0; (at = slow.find("ran for 600021", at)) != std::string::npos;) slow.replace(at, 14, "ran for 1800021");
  for (std::size_t at = 0; (at = slow.find("10:10:50", at)) != std::string::npos;) slow.replace(at, 8, "10:31:50");
  EXPECT_THAT(summaries(steps(true) + slow, "2026-03-04T10:00:40,100000+00:00 mlx5_core 0000:5e:00.0 ib3: Link down\n"),
              ElementsAre(HasSubstr("hardware_fault: ")));
}

TEST_F(OneFaultLogs, AFaultThatTheRunSurvivedIsNoCauseOfALaterHang) {
  const std::string port = "gpu07:4711:4800 [3] NCCL WARN NET/IB : mlx5_3:1 Got async event : port error\n";
  const std::string later = "step 41 loss: 3.18\nstep 42 loss: 3.16\nstep 43 loss: 3.14\n";
  EXPECT_THAT(summaries(steps() + port + later + timeouts(8, 5)),
              UnorderedElementsAre(AllOf(HasSubstr("hardware_fault: "), Not(HasSubstr("collective_timeout"))),
                                   HasSubstr("hang: 7 of 8 ranks timed out in collectives at step 43; rank 5 did not")));
  EXPECT_THAT(summaries(steps() + timeouts(8, 5) + port), Contains(HasSubstr("hang: "))) << "a port that fails afterwards";
  const std::string error = stack(5, "ValueError: shard 17 is empty");
  EXPECT_THAT(summaries(steps() + port + later + error), Contains(HasSubstr("job_failed: Rank 5")));
}

TEST_F(OneFaultLogs, AFaultBeforeTheCollectivesThatTimedOutIsNoCauseOfTheirHang) {
  std::string late = timeouts(8, 5);
  for (std::size_t at = 0; (at = late.find("10:10:50", at)) != std::string::npos;) late.replace(at, 8, "10:18:50");
  for (const char* fault : {"2026-03-04T10:00:40,100000+00:00 blk_update_request: I/O error, dev sdb, sector 2048\n",
                            "2026-03-04T10:00:40,100000+00:00 mlx5_core 0000:5e:00.0 ib3: Link down\n"
                            "2026-03-04T10:00:45,100000+00:00 mlx5_core 0000:5e:00.0 ib3: Link up\n"})
    EXPECT_THAT(summaries(steps(true) + late, fault), Contains(HasSubstr("hang: 7 of 8 ranks timed out"))) << fault;
}

TEST_F(OneFaultLogs, ALinkThatIsUpAgainAndAFaultOfTheProgramAreNoCauseOfAHang) {
  for (const char* fault : {"2026-03-04T10:00:40,100000+00:00 mlx5_core 0000:5e:00.0 ib3: Link down\n"
                            "2026-03-04T10:00:45,100000+00:00 mlx5_core 0000:5e:00.0 ib3: Link up\n",
                            "2026-03-04T10:00:40+00:00 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=99, name=python, MMU Fault\n"})
    EXPECT_THAT(summaries(steps(true) + timeouts(8, 5), fault), Contains(HasSubstr("hang: 7 of 8 ranks timed out"))) << fault;
}

TEST_F(OneFaultLogs, AnXidOfTheProgramDoesNotHideALaterException) {
  EXPECT_THAT(summaries(steps(true) + "2026-03-04 10:16:41,000 - train - ERROR - failing\n" + stack(3, "ValueError: shard 17 is empty"),
                        "2026-03-04T09:59:55+00:00 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=99, name=python, MMU Fault\n"),
              Contains(HasSubstr("job_failed: Rank 3")));
}

TEST_F(OneFaultLogs, AKillAfterTheTimeoutsIsTheLaunchersCleanUp) {
  std::string lines;
  for (const int count : {0, 60, 600}) {
    for (int i = 0; i < count; ++i) lines += "some other line " + std::to_string(i) + "\n";
    for (const char* killed : {"rank 5 died from signal 9\n", "srun: error: gpu07: task 5: Killed\n"})
      EXPECT_THAT(summaries(steps() + timeouts(8, 5) + lines + killed), ElementsAre(HasSubstr("hang: 7 of 8 ranks timed out")))
          << count << " lines, " << killed;
  }
}

TEST_F(OneFaultLogs, AFaultWhileTheRanksWaitedIsNoCauseOfTheirHang) {
  for (const char* fault : {"2026-03-04T10:08:30,100000+00:00 blk_update_request: I/O error, dev sdb, sector 2048\n",
                            "2026-03-04T10:10:30+00:00 gpu33 kernel: mlx5_core 0000:5e:00.0 ib3: Link down\n"})
    EXPECT_THAT(summaries(steps(true) + timeouts(8, 5), fault), Contains(HasSubstr("hang: 7 of 8 ranks timed out"))) << fault;
}

TEST_F(OneFaultLogs, TheEndOfARankThatTheOthersWaitedForIsNoCause) {
  for (const std::string& end : {stack(5, "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got signal: 15"),
                                 stack(5, "RuntimeError: NCCL communicator was aborted on rank 5."),
                                 std::string("srun: error: gpu07: task 5: Segmentation fault (core dumped)\n")})
    EXPECT_THAT(summaries(steps() + timeouts(8, 5) + end), ElementsAre(HasSubstr("hang: 7 of 8 ranks timed out"))) << end;
}

TEST_F(OneFaultLogs, ARankWhoseWatchdogRanSurvivedItsException) {
  EXPECT_THAT(summaries(steps() + stack(5, "TimeoutError: read of shard 17") + timeouts(8, 2)), Contains(HasSubstr("rank 2 did not")));
}

TEST_F(OneFaultLogs, WithoutTimesAndStepsAFaultTakesNoHang) {
  EXPECT_THAT(summaries("gpu07:4711:4800 [3] NCCL WARN NET/IB : mlx5_3:1 Got async event : port error\nsome other line\n" + timeouts(8, 5)),
              Contains(HasSubstr("hang: 7 of 8 ranks timed out")));
}

TEST_F(OneFaultLogs, AFaultOfANodeThatARestartLeftOutIsNoCauseOfANewHang) {
  for (const bool drained : {true, false}) {
    const std::string path = m_folder.file(drained ? "drained.rgl" : "placed.rgl");
    auto writer = openStore(path).writer().value();
    constexpr TimeNs kStart = 1'772'700'000 * kNsPerSecond, kBegan = kStart + 3'600 * kNsPerSecond;
    const RunId run = writer->run({.uuid = "r", .name = "r", .time_domain = TimeDomain::kUtc, .start = kStart});
    const AttemptId attempt = writer->attempt({.run = run, .key = "1", .start = kStart});
    const NodeId out = writer->node({.uuid = "a", .name = "a"}), in = writer->node({.uuid = "b", .name = "b"});
    const DeviceId gpu = writer->device({.uuid = "g", .node = drained ? out : in, .kind = "gpu"});
    for (std::int32_t rank = 0; rank < 4; ++rank) writer->rank({.attempt = attempt, .rank = rank, .node = in});
    writer->event(
        {.time = kBegan, .node = drained ? out : in, .device = gpu, .kind = "xid", .severity = Severity::kCritical, .code = "79"});
    for (std::int32_t rank = 0; rank < 3; ++rank)
      writer->event({.time = kBegan + 600 * kNsPerSecond,
                     .attempt = attempt,
                     .rank = rank,
                     .step = 40,
                     .kind = "collective_timeout",
                     .severity = Severity::kError,
                     .message = "ran for 600021 milliseconds"});
    ASSERT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    EXPECT_EQ(hangsOf(*reader), drained ? 1 : 0);
  }
}

std::string inits(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank)
    text += (rank < ranks / 2 ? "gpu07:" : "gpu08:") + std::to_string(4711 + rank) + ":4800 [0] NCCL INFO comm 0x147e rank " +
            std::to_string(rank) + " nranks " + std::to_string(ranks) + " cudaDev 0 busId 8a000 - Init COMPLETE\n";
  return text;
}

TEST_F(OneFaultLogs, ADiskOfAnotherNodeIsNoCauseOfAnException) {
  const auto disk = [](const char* node) {
    return std::string("2026-03-04T09:59:45+00:00 ") + node + " kernel: blk_update_request: I/O error, dev sdb, sector 2048\n";
  };
  const std::string failing = steps(true) + "2026-03-04 09:59:52,000 - train - ERROR - failing\n";
  const std::string value = failing + stack(3, "ValueError: shard 17 is empty"),
                    read = failing + stack(3, "OSError: [Errno 5] read failed");
  EXPECT_THAT(summaries(value, disk("gpu99")),
              UnorderedElementsAre(HasSubstr("gpu99: a disk"), HasSubstr("Rank 3 failed first: ValueError")))
      << "its node is not known";
  EXPECT_THAT(summaries(inits(4) + read, disk("gpu07.cluster.local")),
              UnorderedElementsAre(HasSubstr("a disk reported"), HasSubstr("Rank 3 (gpu08) failed first: OSError")));
  EXPECT_THAT(summaries(inits(4) + read, disk("gpu08.cluster.local")), ElementsAre(HasSubstr("a disk reported")));
}

TEST_F(OneFaultLogs, AKernelsKillIsThatOfTheRankWhosePidTheLogNames) {
  for (const char* killed : {"srun: error: gpu08: task 1: Killed\n", "[rank2]: rank 2 died from signal 9\n"})
    EXPECT_THAT(
        summaries(inits(4) + steps(true) + killed,
                  "2026-03-04T09:59:51+00:00 gpu08 kernel: Out of memory: Killed process 4713 (megatron_gpt) total-vm:1kB, anon-rss:1kB\n"),
        ElementsAre(HasSubstr("Rank 2 (gpu08) failed first: the kernel killed megatron_gpt (pid 4713)")))
        << killed;
}

TEST_F(OneFaultLogs, AKilledRankTakesInTheConnectionsOfTheOthers) {
  const std::string killed = "[rank2]: Signal 9 (SIGKILL) received by PID 4711\nrank 2 died from signal 9\n";
  const std::string reset = stack(0, "RuntimeError: [3] is setting up NCCL communicator: Connection reset by peer") +
                            stack(1, "torch.distributed.DistBackendError: NCCL error, remote process exited");
  const auto found = findings(steps() + killed + reset + timeouts(4, 2));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "job_failed");
  EXPECT_EQ(found[0].rank, 2);
}

TEST_F(OneFaultLogs, ALostNodeTakesInTheTimeouts) {
  for (const char* lost : {"srun: error: Node failure on gpu07\n",
                           "slurmstepd: error: *** JOB 5 ON gpu00 CANCELLED AT 2026-03-04T03:04:05 DUE TO NODE FAILURE, SEE LOG ***\n",
                           "   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)\n", "pdsh@head: gpu07: ssh exited with exit code 255\n",
                           "Connection closed by 10.0.0.7 port 22\n",
                           "slurmstepd: error: *** JOB 5 ON gpu00 CANCELLED AT 2026-03-04T03:04:05 DUE TO NODE FAILURE, SEE LOG ***\n"
                           "srun: error: Node failure on gpu07\n"})
    EXPECT_THAT(summaries(steps() + lost + timeouts(8, 5)), ElementsAre(HasSubstr("hardware_fault: "))) << lost;
}

TEST_F(OneFaultLogs, AKernelThatKillsOrStopsATrainerIsAFailureOfTheJob) {
  const std::pair<const char*, const char*> lines[] = {
      {"[ 9001.5] Out of memory: Killed process 4711 (python) total-vm:1024kB, anon-rss:512kB\n", "python (pid 4711) because"},
      {"Mar  4 10:00:40 gpu07 kernel: [ 9001.5] Memory cgroup out of memory: Killed process 4711 (pt_main_thread) total-vm:1kB\n",
       "A process of gpu07 failed first: the kernel killed pt_main_thread (pid 4711) at the memory limit of its control group"},
      {"2026-03-04T10:00:40+0000 gpu07 kernel: oom_reaper: reaped process 4711 (python3.11), now anon-rss:0kB\n", "python3.11 (pid 4711)"},
      {"[Wed Mar  4 10:00:40 2026] traps: python[4711] general protection fault ip:7f03 sp:7ffc error:0 in libcuda.so.1[7f00+2000]\n",
       "python (pid 4711) crashed"},
      {"Mar 04 10:00:40 gpu07 kernel: python[4711]: segfault at 18 ip 00007f sp 00007f error 4 in libnccl.so.2[7f+1000]\n",
       "A process of gpu07 failed first: python (pid 4711) crashed"}};
  for (const auto& [line, said] : lines) EXPECT_THAT(summaries("", line), ElementsAre(HasSubstr(said))) << line;
  EXPECT_EQ(
      findings("", "Mar 04 10:00:40 gpu07 kernel: python3[812]: segfault at 18 ip 00007f sp 00007f error 4 in libapt-pkg.so.6[7f+1]\n")
          .at(0)
          .severity,
      Severity::kWarning)
      << "a name alone may be that of another program";
}

TEST_F(OneFaultLogs, ARankOfAnyNameThatTheKernelKilledIsKnownByItsPid) {
  for (const std::int32_t pid : {4711, 4712}) {
    const std::string path = m_folder.file(std::to_string(pid) + ".rgl");
    auto writer = openStore(path).writer().value();
    constexpr TimeNs kStart = 1'772'700'000 * kNsPerSecond;
    const RunId run = writer->run({.uuid = "r", .name = "r", .time_domain = TimeDomain::kUtc, .start = kStart});
    const AttemptId attempt = writer->attempt({.run = run, .key = "1", .start = kStart});
    const NodeId node = writer->node({.uuid = "a", .name = "a"});
    writer->rank({.attempt = attempt, .rank = 2, .node = node, .pid = 4711});
    writer->event({.time = kStart + 60 * kNsPerSecond,
                   .node = node,
                   .kind = "oom",
                   .severity = Severity::kInfo,
                   .code = "killed",
                   .message = "Out of memory: Killed process " + std::to_string(pid) + " (megatron_gpt) total-vm:1kB"});
    ASSERT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    const auto found = makeJobFailure()->look({.reader = *reader, .run = run, .now = {}, .stop = {}});
    ASSERT_TRUE(found.ok());
    ASSERT_THAT(*found, SizeIs(pid == 4711 ? 1 : 0));
    if (pid != 4711) continue;
    EXPECT_EQ(found->front().rank, 2);
    EXPECT_EQ(found->front().severity, Severity::kError);
  }
}

TEST_F(OneFaultLogs, TheKernelsReportNamesWhatKilledARank) {
  const auto found = findings(steps(true) + "[rank2]: 2026-03-04 10:00:05,000 rank 2 died from signal 9\n",
                              "2026-03-04T10:00:04+00:00 gpu07 kernel: Out of memory: Killed process 4711 (python) total-vm:1kB\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].summary, "Rank 2 (gpu07) failed first: the kernel killed python (pid 4711) because the node's memory ran out");
}

TEST_F(OneFaultLogs, TheEndOfAnotherProgramIsNone) {
  EXPECT_THAT(summaries("",
                        "[ 9001.5] systemd-journal[812]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so.6[7f+1000]\n"
                        "[ 9002.5] traps: prometheus[99] general protection fault ip:46 sp:c0 error:0 in prometheus[40+1000]\n"
                        "[ 9003.5] Memory cgroup out of memory: Killed process 12 (node_exporter) total-vm:1kB\n"),
              IsEmpty());
  EXPECT_THAT(summaries(steps(true), "2026-03-04T09:59:00+00:00 gpu07 kernel: Out of memory: Killed process 4711 (python) total-vm:1kB\n"),
              IsEmpty())
      << "the run goes on";
}

std::string contentOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(OneFaultLogs, AHealthyBootRaisesNothing) {
  int boots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RG_TEST_DATA "/boot")) {
    ++boots;
    EXPECT_THAT(summaries("", contentOf(entry.path())), IsEmpty()) << entry.path();
  }
  EXPECT_EQ(boots, 4);
}

TEST_F(OneFaultLogs, WhatABootReportsIsAFaultOfARunningMachine) {
  const std::string boot = contentOf(RG_TEST_DATA "/boot/dgx_h100.dmesg");
  for (const char* line :
       {"[ 9001.5] mlx5_core 0000:29:00.0 enp41s0f0np0: Link down\n", "[ 9001.5] mce: [Hardware Error]: Machine check events logged\n",
        "[ 9001.5] bond0: now running without any active interface!\n", "[ 9001.5] I/O error, dev nvme0n1, sector 8 op 0x0:(READ)\n",
        "[ 9001.5] NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"})
    EXPECT_THAT(summaries("", boot + line), SizeIs(1)) << line;
}

}  // namespace
}  // namespace runglass
