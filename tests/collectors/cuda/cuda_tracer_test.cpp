// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/collectors/client/local_agent.h"

namespace runglass::test {
namespace {

struct GpuSpan {
  std::string track, name;
  SpanCategory category{};
  TimeNs start = 0;
  DurNs dur = 0;
  std::int64_t step = 0, group = 0, seq = 0, bytes = 0, correlation = 0;
  nlohmann::json args;
};

// A traced program, and what an agent made of it.
class Traced {
 public:
  using Environment = std::vector<std::pair<const char*, std::string>>;
  Traced(std::vector<std::string> command, const Environment& environment = {}, bool ring_expected = true) {
    const pid_t pid = fork();
    if (pid == 0) {
      unsetenv("RUNGLASS_RUN");
      setenv("RUNGLASS_DIR", dir.path().c_str(), 1);
      setenv("RUNGLASS_TRACE_EVERY", "1", 1);
      setenv("LD_PRELOAD", RG_TRACER, 1);
      for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
      std::vector<char*> arguments;
      for (std::string& word : command) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(126);
    }
    const auto begin = std::chrono::steady_clock::now();
    LocalAgent agent(dir);
    if (ring_expected) agent.pollUntilEnd();
    waitpid(pid, &status, 0);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out = agent.out;
    collect();
  }

  std::vector<GpuSpan> named(std::string_view name, std::optional<std::int64_t> step = std::nullopt) const {
    std::vector<GpuSpan> found;
    for (const GpuSpan& span : spans)
      if (span.name == name && (!step || span.step == *step)) found.push_back(span);
    return found;
  }
  // The shortest is what the clock said; the others may have had a busy machine between their events.
  double shortestMicroseconds(std::string_view name) const {
    DurNs shortest = INT64_MAX;
    for (const GpuSpan& span : named(name)) shortest = std::min(shortest, span.dur);
    return static_cast<double>(shortest) / 1e3;
  }
  std::size_t rings() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {})); }

  RingDirectory dir;
  int status = -1;
  double seconds = 0;
  MemoryRecorder out;
  std::vector<GpuSpan> spans, host;

 private:
  void collect() {
    for (const auto& [id, key] : out.track_keys) {
      for (const SpanColumns& batch : out.span_batches[id]) {
        const bool gpu = key.kind == "gpu_stream";
        if (gpu) {
          EXPECT_EQ(batch.args.size(), batch.size());
          EXPECT_EQ(batch.correlation.size(), batch.size());
        }
        for (std::size_t i = 0; i < batch.size(); ++i)
          (gpu ? spans : host)
              .push_back({key.name, batch.names[batch.name[i]], batch.category[i], batch.start[i], batch.dur[i], batch.step[i],
                          batch.group[i], batch.seq[i], batch.bytes[i], gpu ? batch.correlation[i] : kAbsent,
                          gpu ? nlohmann::json::parse(batch.args[i], nullptr, false) : nlohmann::json()});
      }
    }
  }
};

std::vector<std::string> local(const std::string& mode, const std::string& steps = "3") {
  return {RG_BIN_DIR "/cuda_probe", "load", RG_WORKLOAD, mode, steps};
}
std::vector<std::string> linked(const std::string& mode, const std::string& steps = "3") {
  return {RG_BIN_DIR "/cuda_linked_probe", mode, steps};
}

void expectUnharmed(const Traced& traced) {
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(fact(traced.out, "last_error"), "0");
  EXPECT_EQ(fact(traced.out, "fake_unsafe_in_capture"), "0");
  EXPECT_EQ(fact(traced.out, "fake_strays"), "0") << "an event call before a device was chosen makes a context on GPU 0";
}

class CudaTracerOf : public testing::TestWithParam<bool> {
 protected:
  static std::vector<std::string> command(const std::string& mode) { return GetParam() ? linked(mode) : local(mode); }
};
INSTANTIATE_TEST_SUITE_P(Loading, CudaTracerOf, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "LinkedLibraries" : "LocallyLoadedLibraries"); });

TEST_P(CudaTracerOf, TellsEveryProductCollectiveCopyAndWaitOfEveryStep) {
  const Traced traced(command("train"), {{"RUNGLASS_TRACE_EVERY", "2"}});
  expectUnharmed(traced);
  for (std::int64_t step = 0; step < 3; ++step) {
    for (const char* name : {"cublasGemmEx", "cublasGemmStridedBatchedEx", "cublasLtMatmul", "ncclAllReduce", "ncclReduceScatter",
                             "ncclSendRecv", "ncclAllGather", "Memcpy HtoD", "Memset"})
      EXPECT_EQ(traced.named(name, step).size(), 1u) << name << " in step " << step;
    const std::size_t kernels = step % 2 == 0 ? 1 : 0;
    EXPECT_EQ(traced.named("add(float*, float*, int)", step).size(), 2 * kernels);
    for (const char* name : {"scale", "asked_kernel", "triton_fused", "by_handle"})
      EXPECT_EQ(traced.named(name, step).size(), kernels) << name << " in step " << step;
  }
  EXPECT_EQ(traced.spans.size(), 3u * 9 + 2u * 6 + 1) << "nothing else: a product's own kernels belong to the product";
  const auto waits = std::count_if(traced.host.begin(), traced.host.end(), [](const GpuSpan& span) {
    return span.name == "cudaStreamSynchronize" && span.category == SpanCategory::kSync;
  });
  EXPECT_EQ(waits, 6);
  EXPECT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "told");
  EXPECT_TRUE(traced.out.issues.empty()) << traced.out.issues[0].code;
}

TEST_P(CudaTracerOf, TimesWhatTheGpuDid) {
  const Traced traced(command("train"));
  EXPECT_NEAR(traced.shortestMicroseconds("add(float*, float*, int)"), 70, 1);
  EXPECT_NEAR(traced.shortestMicroseconds("scale"), 40, 1);
  EXPECT_NEAR(traced.shortestMicroseconds("asked_kernel"), 25, 1);
  EXPECT_NEAR(traced.shortestMicroseconds("triton_fused"), 33, 1);
  EXPECT_NEAR(traced.shortestMicroseconds("cublasGemmEx"), 250, 2);
  EXPECT_NEAR(traced.shortestMicroseconds("cublasLtMatmul"), 200, 2);
  EXPECT_NEAR(traced.shortestMicroseconds("ncclAllReduce"), 100, 2);
  EXPECT_NEAR(traced.shortestMicroseconds("ncclSendRecv"), 100, 2) << "the group is launched when it ends";
  EXPECT_NEAR(traced.shortestMicroseconds("ncclAllGather"), 100, 2) << "in the same group";
  // On one clock with the host: each wait ends after the work it waited for, and work of a stream does not overlap.
  std::map<std::string, std::vector<GpuSpan>> by_track;
  for (const GpuSpan& span : traced.spans) by_track[span.track].push_back(span);
  EXPECT_EQ(by_track.size(), 3u);
  for (auto& [track, spans] : by_track) {
    if (track == "GPU 1 stream 2") continue;  // a group's operations share their time
    std::sort(spans.begin(), spans.end(), [](const GpuSpan& a, const GpuSpan& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].start + 2000, spans[i - 1].start + spans[i - 1].dur) << track;
  }
  for (const GpuSpan& span : traced.spans) EXPECT_GE(span.args.value("launch_delay_ns", std::int64_t{-1}), 0) << span.name;
  const GpuSpan memset = traced.named("Memset", 2).at(0);
  const auto wait = std::find_if(traced.host.begin(), traced.host.end(),
                                 [](const GpuSpan& span) { return span.name == "cudaStreamSynchronize" && span.step == 2; });
  ASSERT_NE(wait, traced.host.end());
  EXPECT_GE(wait->start + wait->dur, memset.start + memset.dur - 100'000);
  EXPECT_LE(wait->start, memset.start + memset.dur);
}

TEST(CudaTracer, KnowsShapesAndFloatingPointOperationsOfProducts) {
  const Traced traced(local("train", "1"));
  const nlohmann::json ex = traced.named("cublasGemmEx").at(0).args;
  EXPECT_EQ(ex["m"], 512);
  EXPECT_EQ(ex["n"], 256);
  EXPECT_EQ(ex["k"], 128);
  EXPECT_EQ(ex["dtype"], "bfloat16");
  EXPECT_EQ(ex["trans"], "nt");
  EXPECT_EQ(ex["flops"], 2LL * 512 * 256 * 128);
  const nlohmann::json batched = traced.named("cublasGemmStridedBatchedEx").at(0).args;
  EXPECT_EQ(batched["batch"], 8);
  EXPECT_EQ(batched["dtype"], "float16");
  EXPECT_EQ(batched["dtype_out"], "float32");
  EXPECT_EQ(batched["flops"], 2LL * 16 * 16 * 16 * 8);
  const nlohmann::json lt = traced.named("cublasLtMatmul").at(0).args;
  EXPECT_EQ(lt["m"], 32);
  EXPECT_EQ(lt["n"], 128);
  EXPECT_EQ(lt["k"], 64) << "the first matrix is transposed: its rows are summed over";
  EXPECT_EQ(lt["flops"], 2LL * 32 * 128 * 64);
  const GpuSpan kernel = traced.named("asked_kernel").at(0);
  EXPECT_EQ(kernel.args["grid"], (nlohmann::json{25, 2, 1}));
  EXPECT_EQ(kernel.args["block"], (nlohmann::json{64, 1, 1}));
  EXPECT_EQ(kernel.category, SpanCategory::kCompute);
  EXPECT_EQ(kernel.track, "GPU 1 stream 1");
  EXPECT_EQ(traced.named("scale").at(0).args["shared_bytes"], 16);
  std::set<std::int64_t> correlations;
  for (const GpuSpan& span : traced.spans) EXPECT_TRUE(correlations.insert(span.correlation).second);
}

TEST(CudaTracer, NumbersCollectivesSoThatRanksCanBeCompared) {
  const Traced traced(local("train"), {{"RUNGLASS_TRACE_EVERY", "0"}}), again(local("train"));
  const std::vector<GpuSpan> reduce = traced.named("ncclAllReduce"), scatter = traced.named("ncclReduceScatter");
  const std::vector<GpuSpan> gather = traced.named("ncclAllGather"), pair = traced.named("ncclSendRecv");
  ASSERT_EQ(reduce.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reduce[i].seq, static_cast<std::int64_t>(i));
    EXPECT_EQ(reduce[i].bytes, 2000) << "1000 bfloat16";
    EXPECT_EQ(scatter[i].seq, static_cast<std::int64_t>(2 * i)) << "its communicator also gathers";
    EXPECT_EQ(gather[i].seq, static_cast<std::int64_t>(2 * i + 1));
    EXPECT_EQ(scatter[i].bytes, 1000 * 4 * 2) << "what two ranks put in";
    EXPECT_EQ(gather[i].bytes, 10 * 4 * 2);
    EXPECT_EQ(gather[i].group, scatter[i].group);
    EXPECT_EQ(pair[i].bytes, 800);
    EXPECT_EQ(pair[i].seq, kAbsent);
    EXPECT_EQ(pair[i].args["ops"], 2);
    EXPECT_EQ(pair[i].group, reduce[i].group);
    EXPECT_EQ(pair[i].category, SpanCategory::kComm);
  }
  EXPECT_NE(reduce[0].group, scatter[0].group) << "a split communicator is another one";
  EXPECT_EQ(reduce[0].group, again.named("ncclAllReduce")[0].group) << "another process with the same unique id: the same number";
  EXPECT_EQ(scatter[0].group, again.named("ncclReduceScatter")[0].group);
  EXPECT_GT(reduce[0].group, 0);
  EXPECT_EQ(reduce[0].args["ranks"], 4);
  EXPECT_EQ(reduce[0].args["rank"], 2);
  EXPECT_EQ(reduce[0].args["redop"], "sum");
  EXPECT_EQ(reduce[0].args["dtype"], "bfloat16");
  EXPECT_EQ(scatter[0].args["ranks"], 2);
  EXPECT_EQ(scatter[0].args["redop"], "avg");
}

TEST(CudaTracer, FollowsAGpuClockThatDrifts) {
  // 1 % fast: without readings the last step would lie 22 ms too late.
  const Traced traced(local("for", "2200"), {{"FAKE_DRIFT_PPM", "10000"}, {"RUNGLASS_TRACE_EVERY", "0"}});
  const std::vector<GpuSpan> sets = traced.named("Memset");
  ASSERT_FALSE(sets.empty());
  const GpuSpan& last = *std::max_element(sets.begin(), sets.end(), [](const GpuSpan& a, const GpuSpan& b) { return a.step < b.step; });
  for (const GpuSpan& wait : traced.host) {
    if (wait.step != last.step || wait.name != "cudaStreamSynchronize") continue;
    EXPECT_LT(last.start + last.dur - (wait.start + wait.dur), 15'000'000);
    break;
  }
}

TEST(CudaTracer, TiesTheClocksThroughAFullQueue) {
  const Traced traced(local("ahead", "40"), {{"FAKE_ONE_QUEUE", "1"}});
  EXPECT_EQ(traced.status, 0);
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::vector<GpuSpan> kernels = traced.named("scale", step);
    ASSERT_EQ(kernels.size(), 40u);
    TimeNs end = 0;
    for (const GpuSpan& kernel : kernels) end = std::max(end, kernel.start + kernel.dur);
    for (const GpuSpan& wait : traced.host) {
      if (wait.step != step || wait.name != "cudaStreamSynchronize") continue;
      EXPECT_NEAR(static_cast<double>(wait.start + wait.dur - end), 0, 20e6) << "of 400 ms";
    }
  }
}

TEST(CudaTracer, CanBeSwitchedWhileTheTrainerRuns) {
  const Traced traced(local("switch"), {{"RUNGLASS_TRACE_EVERY", "7"}});
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(fact(traced.out, "every_was"), "7");
  EXPECT_EQ(traced.named("scale", 0).size(), 0u);
  EXPECT_EQ(traced.named("scale", 1).size(), 1u);
  EXPECT_EQ(traced.named("scale", 2).size(), 0u);
  EXPECT_EQ(traced.named("scale", 3).size(), 1u);
  EXPECT_EQ(traced.named("scale", kAbsent).size(), 1u);
}

TEST(CudaTracer, TracesEveryHundredthStepUnlessTold) {
  const Traced traced(local("train", "101"), {{"RUNGLASS_TRACE_EVERY", ""}});
  std::set<std::int64_t> steps;
  for (const GpuSpan& span : traced.named("scale")) steps.insert(span.step);
  EXPECT_EQ(steps, (std::set<std::int64_t>{0, 100}));
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 101u);
}

TEST(CudaTracer, LeavesStreamCapturesUntouched) {
  const Traced traced(local("capture"));
  expectUnharmed(traced);
  EXPECT_EQ(traced.named("cudaGraphLaunch", 100).size(), 1u);
  EXPECT_EQ(traced.named("add(float*, float*, int)", 100).size(), 0u);
  EXPECT_EQ(traced.named("cublasGemmEx", 100).size(), 0u);
  EXPECT_EQ(traced.out.issueCount("client.gpu_in_capture"), 5);
}

TEST(CudaTracer, IsInertInAForkedChild) {
  const Traced traced(local("fork"));
  expectUnharmed(traced);
  EXPECT_EQ(fact(traced.out, "child_status"), "0");
  for (const GpuSpan& span : traced.spans) EXPECT_TRUE(span.step == 0 || span.step == 200 || span.step == kAbsent) << span.step;
  EXPECT_EQ(traced.named("cublasGemmEx", 200).size(), 1u);
  EXPECT_EQ(traced.out.attempts.size(), 1u);
}

TEST(CudaTracer, StopsQuietlyWhenTheContextIsLost) {
  for (const char* failure : {"FAKE_QUERY_FAILS_AFTER", "FAKE_RECORD_FAILS_AFTER"}) {
    const Traced traced(local("train", "20"), {{failure, "60"}});
    EXPECT_EQ(traced.status, 0) << failure;
    EXPECT_EQ(fact(traced.out, "last_error"), "0") << failure << ": the failure is ours, the trainer must not see it";
    EXPECT_EQ(traced.out.issueCount("client.gpu_trace_stopped"), 1) << failure;
    EXPECT_LT(traced.spans.size(), 200u) << failure;
    EXPECT_EQ(traced.out.scalarsOf("step_time_ns", 0).size(), 20u) << failure << ": steps go on";
  }
}

TEST(CudaTracer, CountsWhatFindsNoEvents) {
  const Traced traced(local("flood", "500"), {{"RUNGLASS_CUDA_EVENTS", "64"}});
  EXPECT_EQ(traced.status, 0);
  const std::int64_t empty = traced.out.issueCount("client.gpu_pool_empty"), unfinished = traced.out.issueCount("client.gpu_unfinished");
  EXPECT_GT(empty, 400);
  EXPECT_GT(unfinished, 0) << "the process ends before its GPU";
  EXPECT_EQ(empty + unfinished + static_cast<std::int64_t>(traced.named("scale").size()), 500);
}

TEST(CudaTracer, LosesAndMixesNothingOfManyThreads) {
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

TEST(CudaTracer, GivesALibraryThatBroughtItsOwnRuntimeThatOne) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "load", RG_STATIC_WORKLOAD, "-"}, {}, false);
  EXPECT_EQ(traced.status, 0);
}

TEST(CudaTracer, NeitherHangsNorCrashesAProcessThatExitsInMidFlight) {
  for (const char* never : {"0", "1"}) {
    const Traced traced(local("exit"), {{"FAKE_NEVER_DONE", never}});
    EXPECT_EQ(traced.status, 0);
    EXPECT_LT(traced.seconds, 4);
    EXPECT_GT(traced.out.issueCount("client.gpu_unfinished"), 0);
    EXPECT_EQ(traced.out.events.back().severity, Severity::kInfo) << "an exit like any other";
  }
}

TEST(CudaTracer, PassesThroughWhereLibrariesAreMissing) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "missing"}, {}, false);
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.rings(), 0u);
}

TEST(CudaTracer, DoesNothingInAProgramWithoutCuda) {
  const Traced traced({RG_BIN_DIR "/cuda_probe", "none"}, {}, false);
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.rings(), 0u) << "no ring before the first call into CUDA";
}

TEST(CudaTracer, IsSwitchedOffByTheEnvironment) {
  const Traced traced(local("train", "1"), {{"RUNGLASS_CUDA", "off"}});
  EXPECT_EQ(traced.status, 0);
  EXPECT_TRUE(traced.spans.empty());
  EXPECT_EQ(traced.out.scalarsOf("step_time_ns", 0).size(), 1u);
  const Traced all({RG_BIN_DIR "/cuda_probe", "load", RG_WORKLOAD, "train", "1"}, {{"RUNGLASS", "off"}}, false);
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.rings(), 0u);
}

TEST(CudaTracer, WaitsForTheTrainerToSayWhoItIs) {
  const Traced traced(local("train", "1"), {{"WORKLOAD_INIT_LATE", "1"}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "told");
  EXPECT_EQ(traced.named("Memcpy HtoD", kAbsent).size(), 1u) << "what came before is kept";
}

TEST(CudaTracer, NeedsNoWordOfTheTrainer) {
  const Traced traced(local("unnamed", "2"), {{"RUNGLASS_RUN", "from-the-launcher"}, {"RANK", "3"}, {"WORLD_SIZE", "8"}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "from-the-launcher");
  EXPECT_EQ(traced.out.ranks.back().rank, 3);
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 2u);
}

TEST(CudaTracer, SaysWhoItIsBeforeItsRingIsFull) {
  const Traced traced(local("unnamed", "100"), {{"RUNGLASS_RING_BYTES", "1"}, {"RUNGLASS_RUN", "r"}, {"RUNGLASS_TRACE_EVERY", "0"}});
  EXPECT_EQ(traced.status, 0);
  EXPECT_GT(traced.named("cublasGemmEx").size(), 60u) << "the smallest ring holds 1,024 slots, a fifth of this";
}

TEST(CudaTracer, TimesWithTheDriverAloneWhereThereIsNoRuntime) {
  const Traced traced({RG_BIN_DIR "/cuda_driver_probe"});
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.named("jit_kernel").size(), 5u);
  EXPECT_NEAR(traced.shortestMicroseconds("jit_kernel"), 80, 1);
}

TEST(CudaTracer, SharesOneRingWithThePythonModule) {
  const std::string program = std::string("import sys, ctypes; sys.path.insert(0, '") + RG_SOURCE_DIR +
                              "/collectors/client/python')\nimport runglass as rg\nassert rg.init(run='python')\n"
                              "w = ctypes.CDLL('" RG_WORKLOAD
                              "')\nwords = (ctypes.c_char_p * 3)(b'w', b'unnamed', b'2')\n"
                              "assert w.workload(3, words) == 0\nrg.scalar('loss', 1.0, step=1)\nrg.shutdown('done')\n";
  const Traced traced({RG_PYTHON, "-c", program}, {{"RUNGLASS_LIB", RG_CLIENT}});
  EXPECT_EQ(traced.status, 0);
  ASSERT_EQ(traced.out.runs.size(), 1u);
  EXPECT_EQ(traced.out.runs[0].name, "python");
  EXPECT_EQ(traced.out.attempts[0].end_cause, "done");
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 2u);
  EXPECT_EQ(traced.out.scalarsOf("loss", std::nullopt).size(), 1u);
}

}  // namespace
}  // namespace runglass::test
