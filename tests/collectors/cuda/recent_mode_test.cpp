// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/collectors/cuda/traced_program.h"

namespace runglass::test {
namespace {

std::size_t count(const std::vector<GpuSpan>& spans, std::string_view name, std::int64_t step) {
  return static_cast<std::size_t>(
      std::count_if(spans.begin(), spans.end(), [&](const GpuSpan& span) { return span.name == name && span.step == step; }));
}

TEST(RecentMode, KeepsEveryLaunchAndSendsWhatTheOrdinaryRulesSay) {
  const Traced traced(local("train"), {{"RUNGLASS_TRACE_EVERY", "2"}, {"RUNGLASS_CUDA_RECENT", "60"}});
  expectUnharmed(traced);
  std::int64_t known = 0;
  const std::vector<GpuSpan> recent = traced.recent(&known);
  for (const char* name : {"add(float*, float*, int)", "scale", "triton_fused", "by_handle"}) {
    const std::size_t of_a_step = name[0] == 'a' ? 2 : 1;
    for (const std::int64_t step : {0, 1, 2}) {
      EXPECT_EQ(traced.named(name, step).size(), step == 1 ? 0 : of_a_step) << name << " in step " << step;
      EXPECT_EQ(count(recent, name, step), step == 1 ? of_a_step : 0) << name << " in step " << step;
    }
  }
  EXPECT_EQ(recent.size(), 6u) << "products, collectives and copies went through the main ring";
  // Data timed before the file existed is only in the main ring.
  EXPECT_GE(known, static_cast<std::int64_t>(traced.spans.size()) - 1);
  std::set<std::int64_t> correlations;
  for (const GpuSpan& span : traced.spans) correlations.insert(span.correlation);
  for (const GpuSpan& span : recent) {
    EXPECT_FALSE(correlations.contains(span.correlation)) << span.name;
    EXPECT_EQ(span.track, "GPU 1 stream 1") << "the same tracks";
    EXPECT_GE(span.args.value("launch_delay_ns", std::int64_t{-1}), 0);
  }
  EXPECT_EQ(std::filesystem::path(traced.recentRing()).stem().extension(), ".ring") << "beside the ring it belongs to";
}

TEST(RecentMode, KeepsWhatTheMainRingHadNoRoomFor) {
  const Traced traced(
      local("flood", "3000"),
      {{"RUNGLASS_RING_BYTES", "1"}, {"RUNGLASS_CUDA_RECENT", "60"}, {"FAKE_INSTANT", "1"}, {"RUNGLASS_CUDA_EVENTS", "16384"}});
  const std::int64_t full = traced.out.issueCount("client.ring_full");
  const std::vector<GpuSpan> recent = traced.recent();
  EXPECT_EQ(static_cast<std::int64_t>(recent.size()) + traced.out.issueCount("client.gpu_pool_empty"),
            3000 - static_cast<std::int64_t>(traced.named("scale").size()));
  EXPECT_GE(full + traced.out.issueCount("client.gpu_pool_empty"), static_cast<std::int64_t>(recent.size()));
}

TEST(RecentMode, OutlivesAKilledTrainer) {
  const Traced traced(local("recent-killed"), {{"RUNGLASS_TRACE_EVERY", "0"}});
  EXPECT_TRUE(WIFSIGNALED(traced.status));
  const std::vector<GpuSpan> recent = traced.recent();
  EXPECT_EQ(count(recent, "scale", 0), 0u) << "asked for after that";
  for (const std::int64_t step : {1, 2, 3}) {
    EXPECT_EQ(count(recent, "scale", step), 1u) << step;
    EXPECT_EQ(count(recent, "add(float*, float*, int)", step), 2u) << step;
  }
}

TEST(RecentMode, IsSwitchedWhileTheTrainerRunsAndLeavesNothingBehind) {
  const Traced traced(local("recent"), {{"RUNGLASS_TRACE_EVERY", "0"}});
  expectUnharmed(traced);
  EXPECT_EQ(traced.recentRing(), "");
  EXPECT_EQ(traced.named("scale").size(), 0u);
  EXPECT_EQ(traced.named("cublasGemmEx").size(), 5u);
}

TEST(RecentMode, IsOffUnlessAskedFor) {
  const Traced traced(local("train"));
  EXPECT_EQ(traced.recentRing(), "");
}

TEST(RecentMode, CountsThatThereIsNoRoom) {
  const Traced traced(local("recent-refused"));
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(traced.out.issueCount("client.gpu_recent_unavailable"), 1);
  EXPECT_EQ(traced.named("scale", 0).size(), 1u);
}

TEST(RecentMode, GoesTogetherWithExactMode) {
  const Traced traced(local("exact", "1"), {{"RUNGLASS_CUPTI", RG_CUPTI}, {"RUNGLASS_CUDA_RECENT", "60"}, {"RUNGLASS_TRACE_EVERY", "0"}});
  expectUnharmed(traced);
  const std::vector<GpuSpan> recent = traced.recent();
  for (const std::int64_t step : {0, 1}) {
    EXPECT_EQ(traced.named("of_a_graph", step).size(), 4u);
    EXPECT_EQ(traced.named("cudaGraphLaunch", step).size(), 1u) << "the parents go where the children go";
    EXPECT_EQ(count(recent, "scale", step), 0u);
  }
  for (const std::int64_t step : {2, 3}) {
    EXPECT_EQ(traced.named("scale", step).size(), 0u);
    EXPECT_EQ(count(recent, "scale", step), 1u);
    EXPECT_EQ(count(recent, "cudaGraphLaunch", step), 1u);
  }
}

}  // namespace
}  // namespace runglass::test
