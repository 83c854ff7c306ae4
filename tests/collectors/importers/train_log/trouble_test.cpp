// SPDX-License-Identifier: Apache-2.0
// Messages about NCCL, the collectives' watchdog, CUDA, launchers and Python in logs: events, facts and log lines.
#include <gmock/gmock.h>

#include "collectors/importers/train_log/log_session.h"
#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using train_log::LogSession;

// "kind/code of rank", in the order of recording.
std::vector<std::string> reported(const MemoryRecorder& out) {
  std::vector<std::string> all;
  for (const Event& event : out.events)
    all.push_back(event.kind + "/" + event.code + (event.rank ? " of " + std::to_string(*event.rank) : ""));
  return all;
}
std::string factOf(const MemoryRecorder& out, std::string_view node, std::string_view key) {
  std::string value;
  for (const Fact& fact : out.facts)
    if (fact.key == key && (node.empty() ? !fact.node : fact.node && out.nodes.at(fact.node.value - 1).name == node)) value = fact.value;
  return value;
}
// A tailed log of node n1; its data is recorded as it arrives.
class Live {
 public:
  explicit Live(std::function<std::optional<Rank>(std::int32_t)> process = {})
      : m_session(builtinRuleSet(), {.run_name = "run",
                                     .path = "nccl.log",
                                     .live = true,
                                     .node = NodeId{77},
                                     .node_name = "n1.cluster",
                                     .process = std::move(process)}) {}
  void say(std::string_view text, TimeNs at) {
    m_session.setArrival(at);
    m_session.push(text, out);
    m_session.flush(out);
  }
  void sayWithoutFlush(std::string_view text) { m_session.push(text, out); }
  void end() { m_session.finish(out); }
  MemoryRecorder out;

 private:
  LogSession m_session;
};

TEST(NcclLog, SaysWhatEachNodeUses) {
  const auto log = importLog(
      "n1:11:12 [0] NCCL INFO Bootstrap : Using ib0:10.0.0.1<0>\n"
      "NCCL version 2.27.3+cuda12.9\n"
      "n1:11:12 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.\n"
      "n1:11:12 [0] NCCL INFO NCCL_SECRET_TOKEN set by environment to abc.\n"
      "n1:11:12 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.0.0.1<0>\n"
      "n1:11:12 [0] NCCL INFO Using network IB\n"
      "n1:11:13 [0] NCCL INFO Channel 00/02 :    0   1   2   3\n"
      "n1:11:13 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->3\n"
      "n1:11:13 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA\n"
      "n1:11:13 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "n2:21:22 [0] NCCL INFO Using network Socket\n"
      "n2:21:23 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [receive] via NET/Socket/0\n"
      "n2:21:23 [0] NCCL INFO Channel 01/0 : 1[1] -> 2[0] [receive] via NET/Socket/0\n"
      "n2:21:23 [0] NCCL INFO Channel 00 : 2[0] -> 3[1] via SHM/direct/direct\n");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_network"), "IB");
  EXPECT_EQ(factOf(log.out, "n2", "nccl_network"), "Socket");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_transport"), "NET/IB, P2P/CUMEM");
  EXPECT_EQ(factOf(log.out, "n2", "nccl_transport"), "NET/Socket, SHM/direct");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_gdrdma"), "on");
  EXPECT_EQ(factOf(log.out, "n2", "nccl_gdrdma"), "off");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_bootstrap"), "ib0");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_ib_devices"), "[0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]");
  EXPECT_EQ(factOf(log.out, "n1", "NCCL_IB_TIMEOUT"), "22");
  EXPECT_EQ(factOf(log.out, "n1", "NCCL_SECRET_TOKEN"), "") << "names that look secret are never stored";
  EXPECT_EQ(factOf(log.out, "", "nccl_version"), "2.27.3+cuda12.9") << "a line without a host is of no node";
  EXPECT_EQ(factOf(log.out, "", "nccl_ring"), "00/02 :    0   1   2   3");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_trees"), "[0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->3");
  EXPECT_THAT(log.out.events, IsEmpty());
}

TEST(NcclLog, AProcessHasTheRankOfItsWidestCommunicator) {
  const auto log = importLog(
      "n1:11:12 [3] NCCL INFO comm 0x14b28800d0f0 rank 35 nranks 64 cudaDev 3 busId 8a000 - Init COMPLETE\n"
      "n1:11:12 [3] NCCL INFO ncclCommInitRankConfig comm 0x7f rank 1 nRanks 2 nNodes 1 localRanks 2 localRank 1 - Init COMPLETE\n"
      "n1:11:12 [3] misc/socket.cc:881 NCCL WARN ncclSocketSend: something odd\n"
      "n2:11:12 [3] misc/socket.cc:881 NCCL WARN ncclSocketSend: something odd\n");
  EXPECT_THAT(reported(log.out), ElementsAre("nccl_warning/ of 35", "nccl_warning/")) << "the same pid on another node is another process";
}

TEST(NcclLog, ErrorsHaveTheCodeThatTheCatalogueExplains) {
  const auto log = importLog(
      "n1:11:12 [0] transport/net_ib.cc:1289 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<40555> with status=12 opcode=129 len=0 "
      "vendor err 129 (Recv) localGid fe80:: hca mlx5_3\n"
      "n1:11:12 [0] NCCL WARN NET/IB: Got completion from peer 10.0.0.2<40555> with status=IBV_WC_WR_FLUSH_ERR(5) opcode=0\n"
      "n1:11:12 [0] transport/net_ib.cc:93 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error\n"
      "n1:11:12 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n2<40000>\n"
      "RuntimeError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, unhandled system error, NCCL version 2.14.3\n"
      "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\n");
  EXPECT_THAT(reported(log.out), testing::UnorderedElementsAre("nccl_net_error/12", "nccl_net_error/5", "nccl_net_event/port error",
                                                               "nccl_warning/peer_closed", "nccl_error/ncclSystemError"));
}

TEST(NcclLog, LinesOfOlderVersionsAndPluginsAreUnderstood) {
  const auto log = importLog(
      "n1:11:12 [0] NCCL INFO Ring 00 : 3 -> 10 [send] via NET/IB/0/GDRDMA\n"
      "n2:11:12 [0] NCCL INFO Ring 00 : 3 -> 10 [send] via NET/IB/0\n"
      "n3:11:12 [0] p2p_plugin.c:141 NCCL WARN NET/IB:端口错误\n"
      "p2p_plugin.c:141 NCCL WARN NET/IB:端口错误\n"
      "n4:11:12 [0] p2p_plugin.c:141 NCCL WARN NET/IB : mlx5_0:1 port error\n");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_transport"), "NET/IB");
  EXPECT_EQ(factOf(log.out, "n1", "nccl_gdrdma"), "on");
  EXPECT_EQ(factOf(log.out, "n2", "nccl_gdrdma"), "off");
  EXPECT_THAT(reported(log.out), testing::Each("nccl_net_event/port error"));
  EXPECT_GE(log.out.events.size(), 3U);
}

TEST(TrainerLog, AFailedPinMemoryThreadIsAnEvent) {
  const auto exited = importLog("RuntimeError: Pin memory thread exited unexpectedly\n");
  EXPECT_THAT(reported(exited.out), testing::Contains("data_loader/pin_memory"));
  const auto caught = importLog("RuntimeError: Caught RuntimeError in pin memory thread for device 0.\n");
  EXPECT_THAT(reported(caught.out), testing::Contains("data_loader/pin_memory"));
  const auto quiet = importLog("DataLoader uses a pin memory thread\n");
  EXPECT_THAT(reported(quiet.out), testing::Not(testing::Contains("data_loader/pin_memory")));
}

TEST(NcclLog, AFloodOfOneWarningIsOneEventWithItsCount) {
  std::string flood;
  for (int i = 0; i < 100'000; ++i)
    flood += "n1:11:12 [0] NCCL WARN odd request " + std::to_string(i) + " at 0x7f" + std::to_string(i) + "ab\n";
  const auto log = importLog(flood);
  ASSERT_EQ(log.out.events.size(), 1U);
  EXPECT_THAT(log.out.events[0].message, HasSubstr("odd request 0 at 0x7f0ab (100000 times)"));
  EXPECT_LE(log.out.logs.size(), 5000U);
  EXPECT_EQ(log.out.issueCount("train_log.too_many_log_lines"), 95'000);
}

TEST(NcclLog, AFollowedFloodIsReportedAtOnceAndThenByTheMinute) {
  Live log;
  constexpr TimeNs kMinute = 60 * kNsPerSecond;
  log.say("n1:11:12 [0] NCCL WARN odd 1\n", kMinute);
  ASSERT_EQ(log.out.events.size(), 1U) << "the first is not held back";
  EXPECT_EQ(log.out.events[0].node, NodeId{77}) << "the host is this node";
  for (int i = 1; i < 60; ++i) log.say("n1:11:12 [0] NCCL WARN odd 2\n", kMinute + i * kNsPerSecond);
  EXPECT_EQ(log.out.events.size(), 1U);
  log.say("n1:11:12 [0] NCCL WARN odd 3\n", 2 * kMinute);
  ASSERT_EQ(log.out.events.size(), 2U);
  EXPECT_THAT(log.out.events[1].message, HasSubstr("(60 more)"));
  EXPECT_EQ(log.out.events[1].time, 2 * kMinute);
  log.say("n1:11:12 [0] NCCL WARN odd 4\n", 9 * kMinute);
  log.end();
  ASSERT_EQ(log.out.events.size(), 3U) << "what comes again after a quiet minute is told again";
}

TEST(NcclLog, AKnownProcessSpeaksForItsRankAndRun) {
  Live log([](std::int32_t pid) -> std::optional<Rank> {
    return pid == 11 ? std::optional(Rank{.attempt = AttemptId{9}, .rank = 5}) : std::nullopt;
  });
  log.say("n1:11:12 [0] NCCL INFO Using network Socket\nn1:11:12 [0] NCCL WARN odd\n", 1);
  log.end();
  ASSERT_EQ(log.out.events.size(), 1U);
  EXPECT_EQ(log.out.events[0].attempt, AttemptId{9});
  EXPECT_EQ(log.out.events[0].rank, 5);
  ASSERT_EQ(log.out.facts.size(), 1U);
  EXPECT_EQ(log.out.facts[0].attempt, AttemptId{9});
  EXPECT_EQ(log.out.facts[0].node, NodeId{77});
  EXPECT_THAT(log.out.runs, IsEmpty()) << "its run is known from elsewhere";
}

TEST(Tracebacks, OneIsOneEventOfItsLastLineAndKeepsItsLines) {
  const auto log = importLog(
      "[rank1]:Traceback (most recent call last):\n"
      "[rank0]:Traceback (most recent call last):\n"
      "[rank1]:  File \"train.py\", line 7, in <module>\n"
      "[rank0]:  File \"train.py\", line 9, in <module>\n"
      "[rank1]:    main()\n"
      "[rank1]:ValueError: bad shape (3, 4)\n"
      "[rank0]:    main()\n"
      "[rank0]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n");
  EXPECT_THAT(reported(log.out), testing::UnorderedElementsAre("traceback/ValueError of 1", "out_of_memory/ of 0"))
      << "a last line that means something known is that event alone";
  EXPECT_EQ(log.out.logs.size(), 8U);
}

TEST(Tracebacks, OfAChainTheLastOneCounts) {
  const auto log = importLog(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nmy.package.LoaderError: no batch\n"
      "iteration 1/ 10 | lm loss: 2.0 |\n");
  ASSERT_THAT(reported(log.out), ElementsAre("traceback/LoaderError"));
  EXPECT_EQ(log.out.events[0].message, "my.package.LoaderError: no batch");
}

TEST(Tracebacks, ThatOfARankThatDiesIsReportedWhileTheOthersGoOn) {
  std::string text = "[rank1]:Traceback (most recent call last):\n[rank1]:  File \"a.py\", line 1, in f\n[rank1]:ValueError: 1\n";
  for (int i = 0; i < 3000; ++i) text += "[rank0]:a line of another rank\n";
  Live log;
  log.sayWithoutFlush(text);
  EXPECT_THAT(reported(log.out), ElementsAre("traceback/ValueError of 1"));
}

TEST(Tracebacks, OneThatNeverEndsIsGivenUp) {
  std::string text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n";
  for (int i = 0; i < 200; ++i) text += "a line of somebody else\n";
  const auto log = importLog(text + "ValueError: of another time\nstep: 3 loss: 2.5\n");
  EXPECT_THAT(log.out.events, IsEmpty());
  const auto endless = importLog("Traceback (most recent call last):\n" + [] {
    std::string lines;
    for (int i = 0; i < 5000; ++i) lines += "  File \"a.py\", line 1, in f\n";
    return lines;
  }() + "RecursionError: maximum recursion depth exceeded\n");
  EXPECT_THAT(reported(endless.out), ElementsAre("traceback/RecursionError"));
  EXPECT_LE(endless.out.logs.size(), 210U);
}

TEST(Launchers, TheTableOfFailuresSaysWhichRankWasKilled) {
  const auto log = importLog(
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
      "train.py FAILED\nFailures:\n[1]:\n"
      "  time      : 2026-05-19_14:40:37\n  host      : node7.cluster\n  rank      : 3 (local_rank: 3)\n"
      "  exitcode  : -15 (pid: 2358332)\n  error_file: <N/A>\n"
      "Root Cause (first observed failure):\n[0]:\n"
      "  time      : 2026-05-19_14:40:35\n  host      : node8.cluster\n  rank      : 12 (local_rank: 4)\n"
      "  exitcode  : -9 (pid: 2358399)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 2358399\n");
  EXPECT_THAT(reported(log.out), ElementsAre("process_failed/", "killed/15 of 3", "killed/9 of 12", "first_failure/ of 12"));
  EXPECT_EQ(log.out.events[1].severity, Severity::kInfo) << "the launcher ends the others";
  EXPECT_EQ(log.out.events[2].severity, Severity::kError);
  EXPECT_EQ(log.out.nodes.at(log.out.events[2].node.value - 1).name, "node8.cluster");
  EXPECT_EQ(log.out.runs[0].state, RunState::kFailed);
}

TEST(Launchers, SignalsAndFullDisksAreEvents) {
  const auto log = importLog(
      "srun: error: node7: task 3: Segmentation fault (core dumped)\n"
      "process rank 5 with PID 0 on node n1 exited on signal 9 (Killed).\n"
      "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that dataloader's workers are out of "
      "shared memory.\n"
      "OSError: [Errno 28] No space left on device: '/ckpt/step_100'\n"
      "OSError: [Errno 122] Disk quota exceeded\n"
      "RuntimeError: CUDA error: an illegal memory access was encountered\n");
  EXPECT_THAT(reported(log.out), testing::UnorderedElementsAre("killed/Segmentation fault", "killed/9 of 5", "killed/Bus error",
                                                               "no_space/", "no_space/quota", "cuda_error/illegal_address"));
}

TEST(Watchdog, OldAndNewWordsGiveRankAndSequenceNumber) {
  const auto log = importLog(
      "[E ProcessGroupNCCL.cpp:821] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=40, OpType=ALLREDUCE, "
      "TensorShape=[800], Timeout(ms)=1800000) ran for 1806000 milliseconds before timing out.\n"
      "[rank9]:[E507 14:40:40.1 ProcessGroupNCCL.cpp:632] [Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, "
      "OpType=ALLGATHER, NumelIn=1, NumelOut=2, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.\n"
      "[rank10]:[E507 14:40:40.1 ProcessGroupNCCL.cpp:632] [PG ID 1 PG GUID 3 Rank 2] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=42, OpType=ALLGATHER, NumelIn=1, NumelOut=2, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.\n"
      "[rank10]:[E507 14:40:40.2 ProcessGroupNCCL.cpp:2271] [PG ID 1 PG GUID 3 Rank 2]  failure detected by watchdog at work sequence id: "
      "42 PG status: last enqueued work: 44, last completed work: 41\n"
      "  what():  [PG 0 Rank 1] Process group watchdog thread terminated with exception: [Rank 1] Watchdog caught collective operation "
      "timeout: WorkNCCL(SeqNum=5, OpType=BROADCAST)\n");
  EXPECT_THAT(reported(log.out), ElementsAre("collective_timeout/40 of 3", "collective_timeout/41 of 9", "collective_timeout/42 of 10",
                                             "collective_state/41 of 10"))
      << "the rank is that of the job, not that of the group";
  EXPECT_THAT(log.out.events[0].message, HasSubstr("OpType=ALLREDUCE"));
}

TEST(Watchdog, LinesThatRanksWriteIntoEachOtherKeepTheirRanks) {
  const auto log = importLog(
      "frame #3: c10d::ProcessGroupNCCL::wat[rank1]:[rank2]:[E ProcessGroupNCCL.cpp:563] [Rank 2] Watchdog caught collective operation "
      "timeout: WorkNCCL(SeqNum=48, OpType=BROADCAST, NumelIn=4, NumelOut=4, Timeout(ms)=300000) ran for 300018 milliseconds\n"
      "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog ca[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 1] Timeout at NCCL work: 5, last "
      "enqueued NCCL work: 6, last completed NCCL work: 4.\n"
      "[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 0] Timeout at NCCL work: 56, last enqueued NCCL work: 56, last completed NCCL work: 55.\n");
  EXPECT_THAT(reported(log.out), ElementsAre("collective_timeout/48 of 2", "collective_state/4 of 1", "collective_state/55 of 0"));
}

}  // namespace
}  // namespace runglass::test
