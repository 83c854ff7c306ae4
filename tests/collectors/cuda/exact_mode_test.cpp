// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/collectors/cuda/traced_program.h"

namespace runglass::test {
namespace {

// Without exact mode, events would time every kernel of every step.
Traced::Environment with(Traced::Environment more = {}) {
  more.emplace_back("RUNGLASS_CUPTI", RG_CUPTI);
  return more;
}
bool isExact(const GpuSpan& span) { return span.args.value("exact", false); }

void expectEventsOnly(const Traced& traced) {
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(fact(traced.out, "last_error"), "0");
  EXPECT_EQ(traced.named("scale", 0).size(), 1u) << "the event tracer goes on";
  for (const GpuSpan& span : traced.spans) EXPECT_FALSE(isExact(span)) << span.name;
}

TEST(ExactMode, TellsEveryKernelOfTheAskedStepsOnceAndNothingElse) {
  const Traced traced(local("exact", "2"), with());
  expectUnharmed(traced);
  for (const std::int64_t step : {0, 1, 10, 11}) {
    EXPECT_EQ(traced.named("scale", step).size(), 2u) << "the one that went around us too, step " << step;
    for (const auto& [name, count] : std::initializer_list<std::pair<const char*, std::size_t>>{
             {"add(float*, float*, int)", 1}, {"of_the_driver", 1}, {"Memcpy HtoD", 1}, {"Memset", 1}, {"of_a_graph", 4}}) {
      const std::vector<GpuSpan> found = traced.named(name, step);
      EXPECT_EQ(found.size(), count) << name << " in step " << step;
      for (const GpuSpan& span : found) EXPECT_TRUE(isExact(span)) << name;
    }
    for (const char* name : {"cublasGemmEx", "cublasGemmStridedBatchedEx", "cublasLtMatmul", "ncclAllReduce", "cudaGraphLaunch"})
      EXPECT_EQ(traced.named(name, step).size(), 1u) << name << " in step " << step;
  }
  for (const std::int64_t step : {2, 3, 12, 13}) {
    for (const char* name : {"add(float*, float*, int)", "scale", "triton_fused", "Memcpy HtoD", "cudaGraphLaunch"})
      EXPECT_EQ(traced.named(name, step).size(), 1u) << name << " in step " << step;
    for (const GpuSpan& span : traced.spans) EXPECT_FALSE(span.step == step && isExact(span)) << span.name;
  }
  for (const GpuSpan& span : traced.spans)
    EXPECT_FALSE(isExact(span) && span.step == kAbsent) << span.name << ": CUPTI records a little longer than is asked for";
  EXPECT_EQ(traced.out.issueCount("client.gpu_exact_lost"), 0);
  EXPECT_EQ(traced.out.issueCount("client.gpu_exact_unavailable"), 0);
  EXPECT_EQ(fact(traced.out, "fake_cupti_subscribed"), "0") << "another profiler may have it now";
  EXPECT_EQ(fact(traced.out, "fake_cupti_enabled"), "0");
  EXPECT_EQ(fact(traced.out, "fake_cupti_buffers"), "0");
}

TEST(ExactMode, PutsKernelsBelowTheProductGraphOrCollectiveTheyBelongTo) {
  const Traced traced(local("exact", "1"), with());
  std::map<std::int64_t, GpuSpan> parents;
  for (const GpuSpan& span : traced.spans)
    if (!isExact(span)) parents[span.correlation] = span;
  const auto parentsOf = [&](const char* name) {
    std::multiset<std::string> names;
    for (const GpuSpan& span : traced.named(name, 0)) {
      EXPECT_EQ(span.depth, span.args.contains("parent") ? 1 : 0);
      names.insert(span.args.contains("parent") ? parents.at(span.args["parent"].get<std::int64_t>()).name : "");
    }
    return names;
  };
  EXPECT_EQ(parentsOf("of_a_graph"),
            (std::multiset<std::string>({"cudaGraphLaunch", "cudaGraphLaunch", "cudaGraphLaunch", "cudaGraphLaunch"})));
  EXPECT_EQ(parentsOf("scale"), (std::multiset<std::string>({"", ""})));
  EXPECT_EQ(parentsOf("nameless"), (std::multiset<std::string>({"cublasGemmEx"})));
  const std::multiset<std::string> inner = parentsOf("inner_gemm"), collectives = parentsOf("ncclDevKernel");
  for (const char* name : {"cublasGemmEx", "cublasLtMatmul", "cublasGemmStridedBatchedEx"}) EXPECT_EQ(inner.count(name), 1u) << name;
  for (const char* name : {"ncclAllReduce", "ncclReduceScatter"}) EXPECT_EQ(collectives.count(name), 1u) << name;
  EXPECT_TRUE(traced.named("of_a_graph", 0).at(0).args["graph"].get<bool>());
}

TEST(ExactMode, PlacesCuptisTimesOnTheHostsClockAndOnTheStreamsTrack) {
  const Traced traced(local("exact", "1"), with());
  EXPECT_NEAR(traced.shortestMicroseconds("add(float*, float*, int)"), 70, 1);
  EXPECT_NEAR(traced.shortestMicroseconds("of_a_graph"), 50, 1);
  std::vector<GpuSpan> exact;
  for (const GpuSpan& span : traced.spans)
    if (isExact(span) && span.track == "GPU 1 stream 1") exact.push_back(span);
  ASSERT_GT(exact.size(), 20u) << "the track that event spans of that stream have";
  const GpuSpan kernel = traced.named("scale", 1).at(1);
  EXPECT_EQ(kernel.track, "GPU 1 stream 1");
  EXPECT_EQ(kernel.args["grid"][0].get<int>() + kernel.args["shared_bytes"].get<int>(), 40 + 16);
  EXPECT_EQ(traced.named("Memcpy HtoD", 1).at(0).bytes, 4096);
  for (const GpuSpan& span : exact) {
    EXPECT_GE(span.args.value("launch_delay_ns", std::int64_t{-1}), 0) << span.name;
    for (const GpuSpan& wait : traced.host) {
      if (wait.step != span.step) continue;
      EXPECT_LE(span.start + span.dur, wait.start + wait.dur + 2'000'000) << span.name << ": the step waited for it";
      EXPECT_LE(wait.start, span.start + span.dur + 2'000'000) << span.name;
    }
  }
}

TEST(ExactMode, WaitsForTheCallThatCameInALaterBuffer) {
  const Traced traced(local("exact", "1"), with({{"FAKE_CUPTI_LATE", "1"}, {"FAKE_CUPTI_RECORDS", "3"}}));
  expectUnharmed(traced);
  std::size_t exact = 0;
  for (const GpuSpan& span : traced.spans) {
    if (!isExact(span)) continue;
    ++exact;
    EXPECT_TRUE(span.args.contains("launch_delay_ns")) << span.name;
    EXPECT_TRUE(span.step == 0 || span.step == 1) << span.name;
  }
  EXPECT_GT(exact, 30u);
}

class ExactModeOfVersion : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cupti, ExactModeOfVersion, testing::Values("13", "14", "16", "17", "18", "19", "28", "130001"));

TEST_P(ExactModeOfVersion, ReadsItsRecordsFromManySmallBuffers) {
  const Traced traced(local("exact", "1"), with({{"FAKE_CUPTI_VERSION", GetParam()}, {"FAKE_CUPTI_RECORDS", "3"}}));
  expectUnharmed(traced);
  for (const std::int64_t step : {0, 1}) {
    EXPECT_EQ(traced.named("of_a_graph", step).size(), 4u);
    EXPECT_EQ(traced.named("Memset", step).size(), 1u);
  }
  EXPECT_EQ(traced.out.issueCount("client.gpu_exact_unavailable"), 0);
}

TEST(ExactMode, IsRefusedWithTheReasonWhereItIsNotPossible) {
  struct Case {
    const char *variable, *value, *reason;
  };
  for (const auto& [variable, value, reason] : std::initializer_list<Case>{{"FAKE_CUPTI_VERSION", "12", "version"},
                                                                           {"FAKE_CUPTI_VERSION", "130100", "version"},
                                                                           {"FAKE_CUPTI_IN_USE", "1", "another profiler"},
                                                                           {"FAKE_CUPTI_FAILS", "subscribe", "refused"},
                                                                           {"FAKE_CUPTI_FAILS", "register", "refused"},
                                                                           {"FAKE_CUPTI_FAILS", "enable", "refused"}}) {
    const Traced traced(local("exact", "1"), with({{variable, value}}));
    expectEventsOnly(traced);
    EXPECT_EQ(traced.out.issueCount("client.gpu_exact_unavailable"), 1) << variable << "=" << value;
    for (const Issue& issue : traced.out.issues) EXPECT_THAT(issue.detail, testing::HasSubstr(reason)) << issue.code;
    EXPECT_EQ(fact(traced.out, "fake_cupti_subscribed"), "0") << variable << "=" << value;
  }
  const Traced traced(local("exact", "1"), {{"RUNGLASS_CUPTI", "/nowhere/libcupti.so"}});
  expectEventsOnly(traced);
  ASSERT_EQ(traced.out.issues.size(), 1u);
  EXPECT_THAT(traced.out.issues[0].detail, testing::HasSubstr("no libcupti"));
}

TEST(ExactMode, FindsTheLibraryOfTheRuntimesVersion) {
  const std::string fakes = std::filesystem::path(RG_CUPTI).parent_path();
  const Traced traced(local("exact", "1"), {{"LD_LIBRARY_PATH", fakes}});
  EXPECT_EQ(traced.named("of_a_graph", 0).size(), 4u);
}

TEST(ExactMode, GivesUpOnRecordsThatAreNotOfTheirVersion) {
  for (const char* fault : {"FAKE_CUPTI_BAD_SIZE", "FAKE_CUPTI_WILD"}) {
    const Traced traced(local("exact", "2"), with({{fault, "1"}}));
    EXPECT_EQ(traced.status, 0) << fault;
    for (const GpuSpan& span : traced.spans) EXPECT_FALSE(isExact(span)) << span.name;
    EXPECT_EQ(traced.out.issueCount("client.gpu_exact_unavailable"), 1) << fault << ": not a second time";
    EXPECT_EQ(traced.named("scale", 10).size(), 1u) << fault << ": timed by events again";
    EXPECT_EQ(fact(traced.out, "fake_cupti_subscribed"), "0") << fault;
  }
}

TEST(ExactMode, CountsWhatCuptiLost) {
  const Traced dropped(local("exact", "1"), with({{"FAKE_CUPTI_DROPS", "17"}}));
  EXPECT_EQ(dropped.out.issueCount("client.gpu_exact_lost"), 17);
  const Traced untimed(local("exact", "1"), with({{"FAKE_CUPTI_UNTIMED", "1"}}));
  EXPECT_GT(untimed.out.issueCount("client.gpu_exact_lost"), 10);
  EXPECT_EQ(untimed.named("of_a_graph").size(), 0u) << "a kernel without times is not one that took none";
  EXPECT_EQ(untimed.named("Memset", 0).size(), 1u);
}

TEST(ExactMode, LendsNoMoreBuffersThanItHas) {
  const Traced traced(local("exact", "1"), with({{"FAKE_CUPTI_RECORDS", "1"}}));
  EXPECT_EQ(traced.status, 0);
  EXPECT_GT(traced.out.issueCount("client.gpu_exact_lost"), 0) << "64 buffers of one record each do not hold a step";
}

TEST(ExactMode, RunsUntilStoppedWhereTheEnvironmentSaysSo) {
  const Traced traced(local("exact", "1"), with({{"RUNGLASS_CUDA_EXACT", "on"}}));
  expectUnharmed(traced);
  for (const std::int64_t step : {0, 1, 2, 3}) EXPECT_EQ(traced.named("of_a_graph", step).size(), 4u) << step;
  EXPECT_EQ(fact(traced.out, "fake_cupti_subscribed"), "0");
  const Traced counted(local("exact", "1"), with({{"RUNGLASS_CUDA_EXACT", "3"}}));
  for (const std::int64_t step : {0, 1, 2, 3}) EXPECT_EQ(counted.named("of_a_graph", step).size(), step < 3 ? 4u : 0u) << step;
}

TEST(ExactMode, NeitherHangsNorCrashesAProcessThatEndsInTheMiddle) {
  const Traced traced(local("exact-exit"), with());
  EXPECT_EQ(traced.status, 0);
  EXPECT_LT(traced.seconds, 30);
  EXPECT_EQ(traced.named("of_a_graph", 0).size(), 4u) << "what had ended is told";
  EXPECT_GT(traced.out.issueCount("client.gpu_exact_lost"), 0) << "what had not is counted";
}

TEST(ExactMode, EndsWithTheRing) {
  const Traced traced(local("exact-shutdown"), with());
  EXPECT_EQ(traced.status, 0) << "nobody is told any more, so CUPTI is free for others";
  EXPECT_EQ(traced.named("of_a_graph", 0).size(), 4u) << "what was there is told before the end";
}

TEST(ExactMode, IsInertInAForkedChild) {
  const Traced traced(local("exact-fork"), with());
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(fact(traced.out, "child_status"), "0");
  EXPECT_EQ(traced.named("of_a_graph", 0).size(), 4u);
  EXPECT_EQ(traced.named("of_a_graph", 1).size(), 0u);
}

TEST(ExactMode, StopsQuietlyWhenTheContextIsLost) {
  const Traced traced(local("exact", "1"), with({{"FAKE_RECORD_FAILS_AFTER", "60"}, {"RUNGLASS_CUDA_EXACT", "on"}}));
  EXPECT_EQ(traced.out.issueCount("client.gpu_trace_stopped"), 1);
  EXPECT_EQ(fact(traced.out, "last_error"), "(none)") << "the trainer noticed that CUPTI was left alone";
}

}  // namespace
}  // namespace runglass::test
