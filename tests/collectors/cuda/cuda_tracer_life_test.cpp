// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/collectors/cuda/traced_program.h"

namespace runglass::test {
namespace {

TEST(CudaTracerLife, LeavesStreamCapturesUntouched) {
  const Traced traced(local("capture"));
  expectUnharmed(traced);
  EXPECT_EQ(traced.named("cudaGraphLaunch", 100).size(), 1u);
  EXPECT_EQ(traced.named("add(float*, float*, int)", 100).size(), 0u);
  EXPECT_EQ(traced.named("cublasGemmEx", 100).size(), 0u);
  EXPECT_EQ(traced.out.issueCount("client.gpu_in_capture"), 5);
}

TEST(CudaTracerLife, IsInertInAForkedChild) {
  const Traced traced(local("fork"));
  expectUnharmed(traced);
  EXPECT_EQ(fact(traced.out, "child_status"), "0");
  for (const GpuSpan& span : traced.spans) EXPECT_TRUE(span.step == 0 || span.step == 200 || span.step == kAbsent) << span.step;
  EXPECT_EQ(traced.named("cublasGemmEx", 200).size(), 1u);
  EXPECT_EQ(traced.out.attempts.size(), 1u);
}

TEST(CudaTracerLife, StopsQuietlyWhenTheContextIsLost) {
  for (const char* failure : {"FAKE_QUERY_FAILS_AFTER", "FAKE_RECORD_FAILS_AFTER"}) {
    const Traced traced(local("train", "20"), {{failure, "60"}});
    EXPECT_EQ(traced.status, 0) << failure;
    EXPECT_EQ(fact(traced.out, "last_error"), "0") << failure << ": the failure is ours, the trainer must not see it";
    EXPECT_EQ(traced.out.issueCount("client.gpu_trace_stopped"), 1) << failure;
    EXPECT_LT(traced.spans.size(), 200u) << failure;
    EXPECT_EQ(traced.out.scalarsOf("step_time_ns", 0).size(), 20u) << failure << ": steps go on";
  }
}

TEST(CudaTracerLife, CountsWhatFindsNoEvents) {
  const Traced traced(local("flood", "500"), {{"RUNGLASS_CUDA_EVENTS", "64"}});
  EXPECT_EQ(traced.status, 0);
  const std::int64_t empty = traced.out.issueCount("client.gpu_pool_empty"), unfinished = traced.out.issueCount("client.gpu_unfinished");
  EXPECT_GT(empty, 400);
  EXPECT_GT(unfinished, 0) << "the process ends before its GPU";
  EXPECT_EQ(empty + unfinished + static_cast<std::int64_t>(traced.named("scale").size()), 500);
}

TEST(CudaTracerLife, LosesAndMixesNothingOfManyThreads) {
  const Traced traced(local("threads", "2000"), {{"FAKE_INSTANT", "1"}, {"RUNGLASS_RING_BYTES", "8388608"}});
  EXPECT_EQ(traced.status, 0);
  const std::vector<GpuSpan> copies = traced.named("Memcpy DtoD");
  EXPECT_EQ(static_cast<std::int64_t>(copies.size()) + traced.out.issueCount("client.gpu_pool_empty") +
                traced.out.issueCount("client.gpu_unfinished") + traced.out.issueCount("client.ring_full"),
            8000);
  EXPECT_GT(copies.size(), 256u);
  std::set<std::int64_t> correlations;
  for (const GpuSpan& span : copies) EXPECT_TRUE(correlations.insert(span.correlation).second);
}

TEST(CudaTracerLife, GivesALibraryThatBroughtItsOwnRuntimeThatOne) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "load", RG_STATIC_WORKLOAD, "-"}, {}, false);
  EXPECT_EQ(traced.status, 0);
}

TEST(CudaTracerLife, NeitherHangsNorCrashesAProcessThatExitsInMidFlight) {
  for (const char* never : {"0", "1"}) {
    const Traced traced(local("exit"), {{"FAKE_NEVER_DONE", never}});
    EXPECT_EQ(traced.status, 0);
    EXPECT_LT(traced.seconds, 30);
    EXPECT_GT(traced.out.issueCount("client.gpu_unfinished"), 0);
    EXPECT_EQ(traced.out.events.back().severity, Severity::kInfo) << "an exit like any other";
  }
}

TEST(CudaTracerLife, PassesThroughWhereLibrariesAreMissing) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "missing"}, {}, false);
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.rings(), 0u);
}

TEST(CudaTracerLife, DoesNothingInAProgramWithoutCuda) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "none"}, {}, false);
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.rings(), 0u) << "no ring before the first call into CUDA";
}

TEST(CudaTracerLife, IsSwitchedOffByTheEnvironment) {
  const Traced traced(local("train", "1"), {{"RUNGLASS_CUDA", "off"}});
  EXPECT_EQ(traced.status, 0);
  EXPECT_TRUE(traced.spans.empty());
  EXPECT_EQ(traced.out.scalarsOf("step_time_ns", 0).size(), 1u);
  const Traced all({RG_BIN_DIR "/cuda_probe", "load", RG_WORKLOAD, "train", "1"}, {{"RUNGLASS", "off"}}, false);
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.rings(), 0u);
}

TEST(CudaTracerLife, WaitsForTheTrainerToSayWhoItIs) {
  const Traced traced(local("train", "1"), {{"WORKLOAD_INIT_LATE", "1"}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "told");
  EXPECT_EQ(traced.named("Memcpy HtoD", kAbsent).size(), 1u) << "what came before is kept";
}

TEST(CudaTracerLife, NeedsNoWordOfTheTrainer) {
  const Traced traced(local("unnamed", "2"), {{"RUNGLASS_RUN", "from-the-launcher"}, {"RANK", "3"}, {"WORLD_SIZE", "8"}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "from-the-launcher");
  EXPECT_EQ(traced.out.ranks.back().rank, 3);
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 2u);
}

TEST(CudaTracerLife, SaysWhoItIsBeforeItsRingIsFull) {
  const Traced traced(local("unnamed", "100"), {{"RUNGLASS_RING_BYTES", "1"}, {"RUNGLASS_RUN", "r"}, {"RUNGLASS_TRACE_EVERY", "0"}});
  EXPECT_EQ(traced.status, 0);
  EXPECT_GT(traced.named("cublasGemmEx").size(), 60u) << "the smallest ring holds 1,024 slots, a fifth of this";
}

TEST(CudaTracerLife, TimesWithTheDriverAloneWhereThereIsNoRuntime) {
  const Traced traced({RG_BIN_DIR "/cuda_driver_probe"});
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.named("jit_kernel").size(), 5u);
  EXPECT_NEAR(traced.shortestMicroseconds("jit_kernel"), 80, 1);
}

TEST(CudaTracerLife, TakesExactModeAndTheRecentRingFromPython) {
  const std::string program =
      std::string("import sys, ctypes, time; sys.path.insert(0, '") + RG_SOURCE_DIR +
      "/collectors/client/python')\nimport runglass as rg\n"
      "assert rg.init(run='python') and rg.trace_kernels(steps=1 << 40, exact=True) and rg.keep_recent(5)\n"
      "w = ctypes.CDLL('" RG_WORKLOAD
      "')\nwords = (ctypes.c_char_p * 3)(b'w', b'for', b'600')\n"
      "assert w.workload(3, words) == 0\nassert rg.trace_kernels(steps=0, exact=True)\ntime.sleep(0.4)\nrg.shutdown('done')\n";
  const Traced traced({RG_PYTHON, "-c", program}, {{"RUNGLASS_LIB", RG_CLIENT}, {"RUNGLASS_CUPTI", RG_CUPTI}});
  EXPECT_EQ(traced.status, 0);
  std::size_t exact = 0;
  for (const GpuSpan& span : traced.named("scale")) exact += span.args.value("exact", false);
  EXPECT_GT(exact, 5u);
  EXPECT_NE(traced.recentRing(), "");
}

TEST(CudaTracerLife, SharesOneRingWithThePythonModule) {
  const std::string program =
      std::string("import sys, ctypes; sys.path.insert(0, '") + RG_SOURCE_DIR +
      "/collectors/client/python')\nimport runglass as rg\nassert rg.init(run='python') and rg.trace_kernels(every=2)\n"
      "w = ctypes.CDLL('" RG_WORKLOAD
      "')\nwords = (ctypes.c_char_p * 3)(b'w', b'unnamed', b'2')\n"
      "assert w.workload(3, words) == 0\nrg.scalar('loss', 1.0, step=1)\nrg.shutdown('done')\n";
  const Traced traced({RG_PYTHON, "-c", program}, {{"RUNGLASS_LIB", RG_CLIENT}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "python");
  EXPECT_EQ(traced.out.attempts[0].end_cause, "done");
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 2u);
  EXPECT_EQ(traced.named("scale", 0).size(), 1u);
  EXPECT_EQ(traced.named("scale", 1).size(), 0u) << "the program's word beats the environment's";
  EXPECT_EQ(traced.out.scalarsOf("loss", std::nullopt).size(), 1u);
}

}  // namespace
}  // namespace runglass::test
