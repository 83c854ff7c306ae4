// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/collectors/cuda/traced_program.h"

namespace runglass::test {
namespace {

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
  // On the host's clock: each wait ends after the work it waited for, and work of a stream does not overlap.
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
  // 1 % fast: without clock readings the last step would be 22 ms too late.
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

TEST(CudaTracer, TracesEveryHundredthStepByDefault) {
  const Traced traced(local("train", "101"), {{"RUNGLASS_TRACE_EVERY", ""}});
  std::set<std::int64_t> steps;
  for (const GpuSpan& span : traced.named("scale")) steps.insert(span.step);
  EXPECT_EQ(steps, (std::set<std::int64_t>{0, 100}));
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 101u);
}

}  // namespace
}  // namespace runglass::test
