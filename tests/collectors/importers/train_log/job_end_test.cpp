// SPDX-License-Identifier: Apache-2.0
// How a job ended, as its log has it: which failure came first, on which rank and node, and what was only its consequence.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kSteps = "step: 98 loss: 4.02\nstep: 99 loss: 4.01\n";

// "kind/code of rank at node", in the order of recording.
std::vector<std::string> reported(const MemoryRecorder& out) {
  std::vector<std::string> all;
  for (const Event& event : out.events)
    all.push_back(event.kind + "/" + event.code + (event.rank ? " of " + std::to_string(*event.rank) : "") +
                  (event.node ? " at " + out.nodes.at(event.node.value - 1).name : ""));
  return all;
}
bool planned(const MemoryRecorder& out) { return out.attempts.back().planned.value_or(false); }
std::string stack(const std::string& label, const std::string& error, int frames = 2) {
  std::string text = label + "Traceback (most recent call last):\n";
  for (int i = 0; i < frames; ++i) text += label + "  File \"/w/m.py\", line 1, in f\n" + label + "    g()\n";
  return text + label + error + "\n";
}

TEST(JobEnd, WhatSlurmCancelsBehindAFailureIsItsConsequence) {
  for (const char* failure :
       {"srun: error: gpu07: task 58: Segmentation fault (core dumped)\n", "srun: error: gpu07: tasks 16-23: Exited with exit code 1\n",
        "srun: error: Node failure on gpu07\n", "srun: error: gpu07: task 17: Out Of Memory\n"}) {
    const auto log = importLog(kSteps + failure +
                               "srun: Terminating StepId=551122.0\n"
                               "slurmstepd: error: *** STEP 551122.0 ON gpu00 CANCELLED AT 2026-03-04T10:01:05 ***\n"
                               "srun: error: gpu01: tasks 8-15: Terminated\n");
    EXPECT_EQ(log.out.runs[0].state, RunState::kFailed) << failure;
    EXPECT_FALSE(planned(log.out)) << failure;
    EXPECT_THAT(reported(log.out)[0], testing::EndsWith(" at gpu07")) << failure;
  }
  const auto lost =
      importLog(kSteps + "slurmstepd: error: *** JOB 5 ON n1 CANCELLED AT 2026-03-04T03:04:05 DUE TO NODE FAILURE, SEE LOG ***\n");
  EXPECT_THAT(reported(lost.out), ElementsAre("node_failed/"));
  EXPECT_EQ(lost.out.runs[0].state, RunState::kFailed);
}

TEST(JobEnd, WhatFailsBehindACancelIsItsConsequence) {
  const auto log = importLog(kSteps +
                             "slurmstepd: error: *** STEP 551122.0 ON gpu00 CANCELLED AT 2026-03-04T10:01:05 ***\n"
                             "srun: error: gpu01: tasks 8-15: Terminated\nsrun: error: gpu02: task 17: Exited with exit code 1\n");
  EXPECT_TRUE(planned(log.out));
  EXPECT_NE(log.out.runs[0].state, RunState::kFailed);
}

TEST(JobEnd, ASigtermAloneIsAStopAndBesideACrashItsConsequence) {
  EXPECT_TRUE(planned(importLog(kSteps + "srun: error: gpu01: tasks 8-15: Terminated\n").out));
  const auto log = importLog(kSteps + "srun: error: gpu01: tasks 8-15: Terminated\nsrun: error: gpu04: task 37: Aborted (core dumped)\n");
  EXPECT_FALSE(planned(log.out));
  EXPECT_EQ(log.out.runs[0].state, RunState::kFailed);
  const auto deepspeed =
      importLog(kSteps +
                "worker-2: [2026-03-04 10:05:02,500] [ERROR] [launch.py:325:sigkill_handler] ['python', '--local_rank=7'] exits with "
                "return code = -11\n"
                "worker-1: [2026-03-04 10:05:04,500] [INFO] [launch.py:324:sigkill_handler] Main process received SIGTERM, exiting\n");
  EXPECT_FALSE(planned(deepspeed.out));
  EXPECT_EQ(deepspeed.out.runs[0].state, RunState::kFailed);
}

TEST(JobEnd, EveryWayToDieIsAFailure) {
  const std::pair<std::string, std::string> deaths[] = {
      {"/var/spool/slurmd/job123/slurm_script: line 44: 71023 Killed                  python -u train.py --config big.yaml\n",
       "killed/Killed"},
      {"/var/spool/slurmd/job99/slurm_script: line 31: 22110 Segmentation fault      (core dumped) python train.py\n",
       "killed/Segmentation fault"},
      {"command terminated with exit code 137\n", "process_failed/137"},
      {"*** SIGSEGV received at time=1772618461 on cpu 34 ***\n", "killed/11"},
      {"[gpu07:31337:0:31402] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x18)\n", "killed/11"},
      {"FatalError: `Segmentation fault` is detected by the operating system.\nLAUNCH INFO 2026-03-04 10:01:05,500 Exit code -11\n",
       "killed/Segmentation fault"},
      {"ERROR:composer.cli.launcher:Rank 6 crashed with exit code -9.\n", "killed/9 of 6"},
      {"ERROR:composer.cli.launcher:Global rank 6 (PID 4717) exited with code 1\n", "process_failed/1 of 6"},
      {"MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\n", "process_failed/MPI_Abort of 3"},
      {"Abort(1) on node 3 (rank 3 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1) - process 3\n",
       "process_failed/MPI_Abort of 3"},
      {"=   PID 91823 RUNNING AT gpu07\n=   EXIT CODE: 139\n", "process_failed/139 at gpu07"},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2 bytes.\n", "out_of_memory/"},
      {stack("", "RuntimeError: Error(s) in loading state_dict:\n\tsize mismatch for embed") +
           stack("", "subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1."),
       "traceback/RuntimeError"},
      {"LAUNCH INFO 2026-03-04 10:01:05,500 Exit code -9\n", "killed/9"},
      {"LAUNCH INFO 2026-03-04 10:01:05,500 Exit code 1\n", "process_failed/1"},
      {"Out of memory error on GPU 0. Cannot allocate 2.000000GB memory on GPU 0, 79.1GB memory has been allocated.\n", "out_of_memory/"},
      {"terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: an illegal memory access was encountered\n",
       "killed/c10::Error"},
      {"subprocess.CalledProcessError: Command '['python', '-u', 'train.py']' died with <Signals.SIGKILL: 9>.\n", "killed/9"},
      {"[rank3]: RuntimeError: CUDA error: unspecified launch failure\n", "cuda_error/launch_failure of 3"},
      {"E0304 10:01:30.512345 1234 coordination_service_agent.cc:301] Polled an error from coordination service: UNAVAILABLE: The "
       "following "
       "tasks are unhealthy (stopped sending heartbeats): /job:jax_worker/replica:0/task:5. The tasks have crashed.\n",
       "process_failed/heartbeat of 5"},
      {stack("", "mylib.data.CorruptShard: shard 17 has bad magic"), "traceback/CorruptShard"},
      {stack("", "StopIteration"), "traceback/StopIteration"},
      {stack("[rank5]: ", "torch._dynamo.exc.Unsupported: call_function BuiltinVariable(print)"), "traceback/Unsupported of 5"},
      {"  + Exception Group Traceback (most recent call last):\n  |   File \"t.py\", line 1\n"
       "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n"
       "    | Traceback (most recent call last):\n    |   File \"t.py\", line 9\n    | ValueError: bad shard\n",
       "traceback/ValueError"},
      {"╭──────────── Traceback (most recent call last) ────────────╮\n│ /app/train.py:55 in <module>          │\n"
       "│ ❱ 55     main()                       │\n╰───────────────────────────────────────╯\nRuntimeError: stack expects equal sizes\n",
       "traceback/RuntimeError"},
  };
  for (const auto& [text, event] : deaths) {
    const auto log = importLog(kSteps + text);
    EXPECT_EQ(log.out.runs.at(0).state, RunState::kFailed) << text;
    EXPECT_THAT(reported(log.out), testing::Contains(event)) << text;
  }
}

TEST(JobEnd, AHostWithoutMemoryIsOneFaultOfTheNodeThatIsNamed) {
  const auto log =
      importLog(kSteps +
                "17: slurmstepd: error: Detected 1 oom_kill event in StepId=88123.0. Some of the step tasks have been OOM Killed.\n"
                "srun: error: gpu-h100-012: task 17: Out Of Memory\n");
  EXPECT_THAT(reported(log.out), ElementsAre("out_of_memory/host of 17 at gpu-h100-012"));
}

TEST(JobEnd, ANodeThatFailedIsOneFaultWhicheverLineNamesIt) {
  const std::string cancelled = "slurmstepd: error: *** JOB 5 ON n1 CANCELLED AT 2026-03-04T03:04:05 DUE TO NODE FAILURE, SEE LOG ***\n";
  const std::string named = "srun: error: Node failure on gpu07\n";
  for (const std::string& text : {cancelled + named, named + cancelled, named, named + "JobState=NODE_FAIL Reason=NodeDown\n"})
    EXPECT_THAT(reported(importLog(kSteps + text).out), ElementsAre("node_failed/ at gpu07")) << text;
  const std::string closed = "Connection closed by 10.0.0.7 port 22\n", pdsh = "pdsh@head: gpu07: ssh exited with exit code 255\n";
  for (const std::string& text : {closed + pdsh, pdsh + closed, pdsh})
    EXPECT_THAT(reported(importLog(kSteps + text).out), ElementsAre("node_failed/connection at gpu07")) << text;
  for (const char* other : {"pdsh@head: gpu07: ssh exited with exit code 1\n",
                            "sshd[812]: Connection closed by 10.0.0.7 port 51000 [preauth]\n", "NODE_FAILURE_RETRIES=3\n"})
    EXPECT_THAT(reported(importLog(kSteps + other).out), IsEmpty()) << other;
}

TEST(JobEnd, AnErrorWithoutAStackAtTheEndOfTheLogIsTheEnd) {
  for (const char* error : {"RuntimeError: Triton Error [CUDA]: device kernel image is invalid",
                            "[rank3]: CheckpointError: shard 3 is missing", "mylib.data.ShardError: no such shard"}) {
    for (const char* after : {"", "\n", "\n\n", "\nsrun: error: gpu07: task 3: Exited with exit code 1\n"}) {
      const auto log = importLog(kSteps + error + after);
      EXPECT_EQ(log.out.runs[0].state, RunState::kFailed) << error << after;
      EXPECT_THAT(reported(log.out)[0], testing::StartsWith("traceback/")) << error;
    }
    const auto went_on = importLog(kSteps + error + "\nstep: 100 loss: 4.00\n");
    EXPECT_NE(went_on.out.runs[0].state, RunState::kFailed) << error;
    EXPECT_THAT(reported(went_on.out), IsEmpty()) << error;
  }
  for (const char* other : {"2026-03-04 10:00:00,000 [WARNING] RuntimeError: retried\n", "UserWarning: slow path\n",
                            "all ranks: no RuntimeError: ok\n", "RuntimeError\n"})
    EXPECT_NE(importLog(kSteps + other).out.runs[0].state, RunState::kFailed) << other;
}

TEST(JobEnd, AnErrorWithoutAStackAmongOtherLinesIsAWarning) {
  const std::string error =
      "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Max retries exceeded\n";
  for (const std::string& text :
       {kSteps + "Training done, saved model to out/\n" + error, kSteps + error + "wandb: Run history\nsaving the last log\n",
        kSteps + "Saving model checkpoint to out/checkpoint-99\n" + error, kSteps + "Training completed.\n" + error,
        " iteration       99/      99 | consumed samples: 100 | elapsed time per iteration (ms): 10.0 | lm loss: 4.0E+00 |\n" + error,
        " 98%|#########8| 98/99 [00:10<00:01, 9.00it/s, loss=4.02]\n100%|##########| 99/99 [00:11<00:00, 9.00it/s, loss=4.01]\n" + error}) {
    const auto log = importLog(text);
    EXPECT_NE(log.out.runs[0].state, RunState::kFailed) << text;
    const auto event = std::ranges::find(log.out.events, "traceback", &Event::kind);
    ASSERT_NE(event, log.out.events.end()) << text;
    EXPECT_EQ(event->severity, Severity::kWarning) << text;
  }
}

TEST(JobEnd, AnErrorWithoutAStackWhileACheckpointIsSavedIsTheEnd) {
  for (const char* saving : {"saving checkpoint at iteration      99 to /ckpt\n", "Saving checkpoint to /ckpt/step99\n"}) {
    EXPECT_EQ(importLog(kSteps + saving + "2026-03-04 09:59:10,000 - train - ERROR - OSError: stale\n").out.runs[0].state,
              RunState::kFailed);
    const auto log = importLog(kSteps + saving + "OSError: [Errno 116] Stale file handle: '/ckpt/step99/rank_3.pt'\n");
    EXPECT_EQ(log.out.runs[0].state, RunState::kFailed) << saving;
    EXPECT_THAT(reported(log.out), testing::Contains("traceback/OSError")) << saving;
  }
}

TEST(JobEnd, AnExceptionOfATrackerIsTheEndOnlyIfNothingFollows) {
  const std::string tracker = stack("", "wandb.errors.CommError: Run initialization has timed out after 90.0 sec"),
                    frames =
                        "Thread HandlerThread:\nTraceback (most recent call last):\n  File \"/w/train.py\", line 8, in main\n"
                        "  File \"/opt/site-packages/wandb/sdk/internal/sender.py\", line 70, in run\n"
                        "requests.exceptions.ConnectionError: Max retries exceeded\n",
                    summary = "wandb: ERROR file data was not synced\n";
  for (const std::string& exception : {tracker, frames}) {
    for (const std::string& end : {summary, "0: " + summary, std::string("COMET INFO: logged 3 files\n")})
      EXPECT_EQ(importLog(kSteps + exception + end + end + end + end + end + end + end + end).out.runs[0].state, RunState::kFailed)
          << exception << end;
    for (const char* after : {"step: 100 loss: 4.00\n", "2026-03-04 09:58:42,000 - train - INFO - Training finished.\n"}) {
      const auto log = importLog(kSteps + exception + summary + after);
      EXPECT_NE(log.out.runs[0].state, RunState::kFailed) << exception << after;
      const auto event = std::ranges::find(log.out.events, "traceback", &Event::kind);
      ASSERT_NE(event, log.out.events.end()) << exception << after;
      EXPECT_EQ(event->severity, Severity::kWarning) << exception << after;
    }
  }
}

TEST(JobEnd, AnExceptionBeforeTheTrainersOwnWordsForItsEndIsNoFailure) {
  const std::string error = stack("", "ValueError: cannot draw the curve"), stamp = "2026-03-04 09:58:42,000 - train - INFO - ";
  for (const char* done : {"Training completed in 3 h\n", "Training done.\n"})
    EXPECT_NE(importLog(kSteps + error + stamp + done).out.runs[0].state, RunState::kFailed) << done;
  for (const std::string& other :
       {stamp + "Training done epochs: 3 of 9\n", stamp + "Training is not complete\n", stamp + "Training complete: 12%\n",
        stamp + "upload job completed successfully\n", std::string("Training done.\n")})
    EXPECT_EQ(importLog(kSteps + error + other).out.runs[0].state, RunState::kFailed) << other;
  EXPECT_EQ(importLog(kSteps + "srun: error: gpu07: task 3: Killed\n" + stamp + "Training done.\n").out.runs[0].state, RunState::kFailed);
  EXPECT_EQ(importLog(kSteps + stack("[rank3]: ", "ValueError: x") + stamp + "Training done.\n").out.runs[0].state, RunState::kFailed)
      << "of another process";
}

TEST(JobEnd, LabelsOfLinesAreNoNodes) {
  const auto log = importLog(kSteps + "shard-17: OSError: truncated, skipped\n");
  EXPECT_NE(log.out.runs[0].state, RunState::kFailed);
  EXPECT_THAT(log.out.nodes, IsEmpty());
}

// "rank at node, pid", as recorded for the last attempt.
std::vector<std::string> placed(const MemoryRecorder& out) {
  std::vector<std::string> all;
  for (const Rank& rank : out.ranks)
    all.push_back(std::to_string(rank.rank) + " at " + (rank.node ? out.nodes.at(rank.node.value - 1).name : "") +
                  (rank.pid ? " " + std::to_string(*rank.pid) : ""));
  return all;
}
std::string joined(const char* host, int pid, int rank, int world) {
  return std::string(host) + ":" + std::to_string(pid) + ":4800 [0] NCCL INFO comm 0x147e rank " + std::to_string(rank) + " nranks " +
         std::to_string(world) + " cudaDev 0 busId 8a000 - Init COMPLETE\n";
}

TEST(JobEnd, RanksArePlacedByTheLinesThatNameRankAndHost) {
  const std::string pairs = joined("gpu07", 11, 0, 2) + joined("gpu08", 12, 1, 2) + joined("gpu08", 13, 0, 2);
  const std::string world = joined("gpu07", 11, 0, 3) + joined("gpu08", 12, 1, 3) + joined("gpu08", 13, 2, 3);
  EXPECT_THAT(placed(importLog(pairs + world + kSteps).out), ElementsAre("0 at gpu07 11", "1 at gpu08 12", "2 at gpu08 13"));
  EXPECT_THAT(placed(importLog(pairs + kSteps).out), IsEmpty()) << "two processes with one number: of groups, not of the job";
  EXPECT_THAT(placed(importLog(kSteps + "  host      : gpu-b-07\n  rank      : 13 (local_rank: 5)\n  exitcode  : -11 (pid: 14)\n").out),
              ElementsAre("13 at gpu-b-07"));
  EXPECT_THAT(placed(importLog(kSteps + "srun: error: gpu07: task 3: Killed\n").out), IsEmpty()) << "a task may be a launcher of ranks";
}

TEST(JobEnd, ProcessesAfterARestartPlaceTheRanksOfTheNextAttempt) {
  const std::string again = joined("gpu07", 21, 0, 2) + joined("gpu09", 22, 1, 2);
  const auto log = importLog(joined("gpu07", 11, 0, 2) + joined("gpu08", 12, 1, 2) + " iteration       10/      99 | lm loss: 4.0E+00 |\n" +
                             again + " iteration        5/      99 | lm loss: 4.1E+00 |\n");
  ASSERT_EQ(log.out.attempts.size(), 2U);
  EXPECT_THAT(placed(log.out), ElementsAre("0 at gpu07 11", "1 at gpu08 12", "0 at gpu07 21", "1 at gpu09 22"));
  EXPECT_NE(log.out.ranks.front().attempt, log.out.ranks.back().attempt);
}

TEST(JobEnd, WhatARunSurvivesIsNoEnd) {
  const auto log = importLog(kSteps + "[rank3]: RuntimeError: CUDA error: unspecified launch failure\nstep: 100 loss: 4.00\n");
  EXPECT_NE(log.out.runs[0].state, RunState::kFailed);
}

TEST(JobEnd, TracebacksKeepTheOrderOfTheLog) {
  const auto log =
      importLog(kSteps + stack("[rank7]: ", "FileNotFoundError: no shard") + stack("[rank2]: ", "RuntimeError: Connection closed by peer") +
                stack("[rank0]: ", "RuntimeError: Connection closed by peer"));
  EXPECT_THAT(reported(log.out),
              ElementsAre("traceback/FileNotFoundError of 7", "traceback/RuntimeError of 2", "traceback/RuntimeError of 0"));
}

TEST(JobEnd, LinesOfAStackAreOfTheMomentOfItsFirst) {
  const auto log =
      importLog("2026-03-04 10:00:49,120 - train - INFO - step 49 loss: 3.02\n" + stack("[rank3]: ", "ValueError: too long", 8) +
                stack("[rank1]: ", "RuntimeError: Connection closed by peer", 8));
  ASSERT_EQ(log.out.events.size(), 2U);
  ASSERT_TRUE(log.out.events[0].time);
  EXPECT_EQ(log.out.events[1].time, log.out.events[0].time) << "of ranks that fail together, one behind a long stack is not the first";
  ASSERT_EQ(log.out.logs.size(), 36U);
  for (const LogLine& line : log.out.logs) EXPECT_EQ(line.time, log.out.events[0].time) << line.text;
}

TEST(JobEnd, TheLaunchersRootCauseIsMarked) {
  const auto log = importLog(
      kSteps +
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\nFailures:\n[1]:\n"
      "  time      : 2026-03-04_10:10:02\n  host      : gpu-b-06\n  rank      : 2 (local_rank: 2)\n  exitcode  : -6 (pid: 140302)\n"
      "  error_file: <N/A>\n  traceback : Signal 6 (SIGABRT) received by PID 140302\n"
      "Root Cause (first observed failure):\n[0]:\n  time      : 2026-03-04_10:10:00\n  host      : gpu-b-07\n"
      "  rank      : 13 (local_rank: 5)\n  exitcode  : -11 (pid: 140305)\n");
  EXPECT_THAT(reported(log.out), ElementsAre("process_failed/", "killed/6 of 2 at gpu-b-06", "killed/11 of 13 at gpu-b-07",
                                             "first_failure/ of 13 at gpu-b-07"));
}

TEST(JobEnd, SettingsThatQuoteErrorsAreNone) {
  const auto log = importLog(
      "2026-03-04 10:00:00,000 - train - INFO - config: abort if loss is nan: True, retry_on='CUDA out of memory', watch='No space left on "
      "device'\n2026-03-04 10:00:00,100 - train - INFO - NCCL_ASYNC_ERROR_HANDLING=1; will restart on 'NCCL error'\n" +
      kSteps);
  EXPECT_THAT(log.out.events, IsEmpty());
}

TEST(JobEnd, AnUnknownTrainerThatCountsLessBehindAFailureHasRestarted) {
  const std::string before = "Step [98/600], Loss: 4.02\nStep [99/600], Loss: 4.01\n",
                    after = "Step [90/600], Loss: 4.10\nStep [91/600], Loss: 4.09\n";
  EXPECT_EQ(importLog(before + "[rank3]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\n" + after)
                .out.attempts.size(),
            2U);
  const auto log = importLog(before + stack("[rank3]: ", "ValueError: x") + after);
  EXPECT_EQ(log.out.attempts.size(), 2U);
  EXPECT_EQ(log.out.events.back().message, "the log starts again at step 90 after step 99");
  EXPECT_EQ(importLog(before + after).out.attempts.size(), 1U) << "steps of an epoch";
}

}  // namespace
}  // namespace runglass::test
