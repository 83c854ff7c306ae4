// SPDX-License-Identifier: Apache-2.0
// Explained GPU idle time in stores: foreign traces, step parts, metrics; and claims that are not made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "analysis/gpu_idle/idle_answer.h"
#include "analysis/gpu_idle/idle_parts.h"
#include "analysis/gpu_idle/machine_idle.h"
#include "analysis/steps/span_parts.h"
#include "collectors/importers/session/import_session.h"
#include "collectors/sim/simulator.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kMs = kNsPerMs;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double shareOf(const IdleAnswer& answer, IdleCause cause) {
  const IdleRow* row = answer.row(cause);
  return row == nullptr ? 0 : row->share.value_or(kNan);
}

bool isMissing(const IdleAnswer& answer, IdleCause cause) {
  return std::ranges::any_of(answer.not_recorded, [&](const IdleNotRecorded& one) { return one.cause == cause; });
}

void expectSums(const IdleAnswer& answer) {
  double sum = 0;
  for (const IdleRow& row : answer.rows) {
    if (isSlowNotIdle(row.cause)) continue;
    EXPECT_GE(row.share.value_or(0), 0);
    sum += row.share.value_or(0);
  }
  EXPECT_LE(sum, answer.idle_share + 1e-9);
  // Rows below a thousandth of a half are left out.
  EXPECT_NEAR(sum, answer.idle_share, 0.005);
  EXPECT_GE(answer.idle_share, 0);
  EXPECT_LE(answer.idle_share, 1 + 1e-9);
}

class GpuIdleTest : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> writer() {
    auto opened = m_store.writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  IdleAnswer answer(const IdleScope& scope = {}) {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const auto attempts = (*reader)->attempts((*reader)->runs()->front().id);
    auto found = readIdleAnswer(**reader, attempts->back(), scope, {});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::move(*found);
  }
  // Empty: the file does not exist.
  std::optional<IdleAnswer> imported(const std::string& name) {
    const std::string path = std::string(RG_SHARED_DATA) + "/" + name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    {
      auto out = writer();
      EXPECT_TRUE(ImportSession(*out, {}).import({path}).ok());
      EXPECT_TRUE(out->close().ok());
    }
    return answer();
  }
  IdleAnswer simulated(std::vector<sim::Fault> faults) {
    sim::Scenario s;
    s.name = "small";
    s.seed = 3;
    s.steps = 60;
    s.tp = s.pp = 2;
    s.dp = 4;
    s.nodes = 2;
    s.micro_batches = 4;
    s.metrics_hertz = 1;
    s.spans = sim::SpanDetail::kNone;
    s.faults = std::move(faults);
    auto out = writer();
    EXPECT_TRUE(sim::play(s, *out, {.start = kStart, .speed = 0}).ok());
    EXPECT_TRUE(out->close().ok());
    out.reset();
    return answer();
  }

  TempStore m_store;
};

#define RG_IMPORTED(variable, name)                       \
  const auto variable##_found = imported(name);           \
  if (!variable##_found) GTEST_SKIP() << "no " << (name); \
  const IdleAnswer& variable = *variable##_found;

TEST(IdleRemedyTest, EveryCauseThatSomethingHelpsAgainstHasOneLine) {
  std::set<std::string> remedies;
  for (int i = 0; i < kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    const std::string remedy = idleRemedy(cause);
    EXPECT_EQ(remedy.empty(), cause == IdleCause::kQueued || cause == IdleCause::kUnexplained) << idleCauseName(cause);
    EXPECT_LE(remedy.size(), 100U) << remedy;
    EXPECT_TRUE(remedy.empty() || remedies.insert(remedy).second) << remedy;
  }
}

TEST_F(GpuIdleTest, TheTextbookTraceWithoutLoaderWorkersWaitsForData) {
  RG_IMPORTED(found, "kineto/kineto_resnet50_workers0.json.gz");
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.basis, IdleBasis::kSpans);
  EXPECT_EQ(found.steps, 6u);
  EXPECT_NEAR(found.idle_share, 0.36, 0.02);
  EXPECT_EQ(found.rows.front().cause, IdleCause::kData);
  EXPECT_NEAR(shareOf(found, IdleCause::kData), 0.23, 0.02);
  EXPECT_LT(shareOf(found, IdleCause::kUnexplained), 0.01);
  EXPECT_THAT(found.rows.front().evidence.english, ::testing::HasSubstr("data loader"));
  ASSERT_TRUE(found.rows.front().when);
  EXPECT_TRUE(found.rows.front().track);
  EXPECT_TRUE(isMissing(found, IdleCause::kGc)) << "the trace could not tell";
  EXPECT_TRUE(isMissing(found, IdleCause::kThermal));
  expectSums(found);
}

TEST_F(GpuIdleTest, ATunedJobOnEightDevicesIsHardlyIdle) {
  RG_IMPORTED(found, "kineto/modded_nanogpt_8xH100_2025-12-11");
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.units, 8u);
  EXPECT_LT(found.idle_share, 0.1);
  ASSERT_TRUE(found.launches);
  EXPECT_LT(static_cast<double>(found.launches->starved), 0.1 * static_cast<double>(found.launches->launches_known));
  expectSums(found);
}

TEST_F(GpuIdleTest, ManyTinyKernelsAreLaunchBound) {
  RG_IMPORTED(found, "kineto/hta_gpu_user_annotation.json.gz");
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.steps, 0u) << "no steps are marked: the whole trace counts";
  EXPECT_EQ(found.rows.front().cause, IdleCause::kSmallKernels);
  EXPECT_GT(found.idle_share, 0.9);
  expectSums(found);
}

TEST_F(GpuIdleTest, CallsThatFreeMemoryWaitForTheDevice) {
  RG_IMPORTED(found, "kineto/tracelens_mi300_ddp_resnet18.json.gz");
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.rows.front().cause, IdleCause::kAllocation);
  expectSums(found);
}

TEST_F(GpuIdleTest, DevicesOfOneProcessAreLookedAtOneByOne) {
  RG_IMPORTED(found, "nsys_sqlite/nsysai_mfu_2gpu_before.sqlite");
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.units, 2u);
  EXPECT_LT(found.idle_share, 0.2);
  expectSums(found);
}

TEST_F(GpuIdleTest, ATraceOfTheHostAloneSaysNothing) {
  RG_IMPORTED(found, "kineto/hta_cpu_only.json.gz");
  EXPECT_FALSE(found.ok);
  EXPECT_THAT(found.reason.english, ::testing::HasSubstr("neither spans"));
  EXPECT_TRUE(found.rows.empty());
}

// Parts of steps and idle time are computed from the same spans: time without device work is idle in both.
TEST_F(GpuIdleTest, PartsOfStepsSumToTheStepAndAgreeOnAllTraces) {
  const std::string folder = std::string(RG_SHARED_DATA) + "/kineto";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  std::size_t steps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find("sampled") == std::string::npos && name.find("modded") == std::string::npos &&
        name.find("torchrec") == std::string::npos && name.find("trace_diff") == std::string::npos)
      continue;  // skips traces without ranks and steps
    SCOPED_TRACE(name);
    TempStore store;
    {
      auto out = store.writer();
      ASSERT_TRUE(out.ok());
      ASSERT_TRUE(ImportSession(**out, {}).import({entry.path()}).ok());
      ASSERT_TRUE((*out)->close().ok());
    }
    auto opened = store.reader();
    ASSERT_TRUE(opened.ok());
    const auto& reader = *opened;
    const Attempt attempt = reader->attempts(reader->runs()->front().id)->back();
    const auto ranks = *reader->ranks(attempt.id);
    std::map<std::int32_t, std::vector<StepWindow>> windows;
    const auto series = *reader->series({.attempt = attempt.id, .metric = "step_time_ns"});
    for (const Series& one : series) {
      const auto points = *reader->scalars(one.id, 0, 1'000'000);
      for (std::size_t i = 0; i < points.size(); ++i)
        windows[*one.key.rank].push_back({points.step[i], {points.time[i], points.time[i] + static_cast<DurNs>(points.value[i])}});
    }
    const SpanPartsAnswer parts = *readSpanParts(*reader, attempt.id, ranks, windows, {});
    double window = 0, work = 0;
    for (const auto& [rank, of_rank] : parts.ranks) {
      for (std::size_t i = 0; i < of_rank.size(); ++i) {
        DurNs sum = 0;
        for (const DurNs ns : of_rank[i].parts.ns) sum += ns;
        const auto step = std::ranges::find(windows[rank], of_rank[i].step, &StepWindow::step);
        EXPECT_EQ(sum, step->range.t1 - step->range.t0);
        window += static_cast<double>(sum);
        for (const StepPart part : {StepPart::kCompute, StepPart::kComm, StepPart::kCommWait, StepPart::kCopy})
          work += static_cast<double>(of_rank[i].parts[part]);
        ++steps;
      }
    }
    const IdleAnswer found = *readIdleAnswer(*reader, attempt, {}, {});
    ASSERT_TRUE(found.ok);
    EXPECT_NEAR(found.idle_share, 1 - work / window, 1e-3);
    expectSums(found);
  }
  EXPECT_GT(steps, 40u);
}

// Two ranks of 20 steps of 100 ms: kernels for 60 ms, the loader for 30; from step 10 on, a checkpoint takes 40 ms of each step.
void recordSteps(Writer& out, bool with_calls, std::size_t traced_from = 0) {
  const RunId run = out.run({.name = "r", .start = kStart});
  const AttemptId attempt = out.attempt({.run = run, .layout = {.world = 2}});
  for (std::int32_t r = 0; r < 2; ++r) {
    out.rank({.attempt = attempt, .rank = r});
    const SeriesId dur = out.series({.attempt = attempt, .rank = r, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    const TrackId stream = out.track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
    const TrackId thread = out.track({.attempt = attempt, .rank = r, .kind = "thread", .name = "main"});
    SpanColumns device, host;
    device.names = {"gemm"};
    host.names = {"cudaLaunchKernel", "loader", "save"};
    const auto add = [](SpanColumns& to, TimeNs t0, DurNs length, SpanCategory category, std::uint32_t name, std::int64_t correlation) {
      to.start.push_back(t0), to.dur.push_back(length), to.category.push_back(category), to.name.push_back(name);
      to.correlation.push_back(correlation);
    };
    for (std::int64_t step = 0; step < 20; ++step) {
      const TimeNs t0 = kStart + step * 100 * kMs;
      out.scalar(dur, step, t0, 100e6);
      if (static_cast<std::size_t>(step) < traced_from) continue;
      add(host, t0, 30 * kMs, SpanCategory::kDataload, 1, kAbsent);
      if (with_calls) add(host, t0 + 35 * kMs, kMs, SpanCategory::kRuntime, 0, step);
      add(device, t0 + 40 * kMs, 60 * kMs, SpanCategory::kCompute, 0, step);
    }
    out.spans(stream, device);
    out.spans(thread, host);
  }
}

TEST_F(GpuIdleTest, CausesHaveTheirShareStepsAndPlace) {
  {
    auto out = writer();
    recordSteps(*out, true);
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_NEAR(found.idle_share, 0.4, 1e-3);
  EXPECT_NEAR(shareOf(found, IdleCause::kData), 0.3, 1e-3);
  EXPECT_NEAR(shareOf(found, IdleCause::kHostBound), 0.05, 1e-3);
  EXPECT_NEAR(shareOf(found, IdleCause::kLaunch), 0.05, 1e-3);
  EXPECT_EQ(found.rows.front().first_step, 0);
  EXPECT_EQ(found.rows.front().last_step, 19);
  EXPECT_EQ(found.rows.front().units, 2u);
  EXPECT_EQ(found.rows.front().unit, "device");
  EXPECT_EQ(found.rows.back().cause, IdleCause::kUnexplained);
  const IdleAnswer some = answer({.first_step = 5, .last_step = 7, .time = {}});
  EXPECT_EQ(some.steps, 3u);
  EXPECT_EQ(some.first_step, 5);
  const IdleAnswer window = answer({.first_step = {}, .last_step = {}, .time = TimeRange{kStart + 150 * kMs, kStart + 250 * kMs}});
  EXPECT_EQ(window.first_step, 1);
  EXPECT_EQ(window.last_step, 2);
}

TEST_F(GpuIdleTest, StepsThatWereNotTracedAreNotIdle) {
  {
    auto out = writer();
    recordSteps(*out, true, 15);
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  EXPECT_EQ(found.steps, 5u);
  EXPECT_NEAR(found.idle_share, 0.4, 1e-3);
}

TEST_F(GpuIdleTest, ATracerOfSomeKernelsOnlyCannotTellIdleTime) {
  {
    auto out = writer();
    recordSteps(*out, false);
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  EXPECT_FALSE(found.ok);
  EXPECT_THAT(found.reason.english, ::testing::HasSubstr("some of their work only"));
}

TEST_F(GpuIdleTest, ARunWithoutAnythingIsInsufficient) {
  {
    auto out = writer();
    out->attempt({.run = out->run({.name = "empty"})});
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  EXPECT_FALSE(found.ok);
  EXPECT_FALSE(found.reason.english.empty());
}

sim::Fault faultOf(const char* kind, sim::Target target) {
  return {.kind = kind, .target = std::move(target), .first_step = 5, .last_step = 59, .strength = 1.5, .xid = {}};
}

TEST_F(GpuIdleTest, ASimulatedDataFaultIsTheLoaders) {
  const IdleAnswer data = simulated({faultOf("data_bound", {})});
  ASSERT_TRUE(data.ok) << data.reason.english;
  EXPECT_EQ(data.basis, IdleBasis::kParts);
  EXPECT_EQ(data.rows.front().cause, IdleCause::kData);
  EXPECT_GT(shareOf(data, IdleCause::kData), 0.2);
  EXPECT_TRUE(isMissing(data, IdleCause::kSmallKernels));
  expectSums(data);
}

TEST_F(GpuIdleTest, ASimulatedHostFaultIsTheHosts) {
  const IdleAnswer host = simulated({faultOf("host_bound", {})});
  ASSERT_TRUE(host.ok) << host.reason.english;
  EXPECT_EQ(host.rows.front().cause, IdleCause::kHostBound);
  EXPECT_GT(shareOf(host, IdleCause::kHostBound), 0.2);
  expectSums(host);
}

// A device and its node, a minute at 1 Hz; no steps, no spans.
void recordMachine(Writer& out, bool with_busy, double cpu, std::optional<double> memory_pressure) {
  const AttemptId attempt =
      out.attempt({.run = out.run({.name = "r", .start = kStart}), .start = kStart, .end = kStart + 60 * kNsPerSecond});
  const NodeId node = out.node({.uuid = "n", .name = "n"});
  const DeviceId device = out.device({.uuid = "GPU-1", .node = node, .kind = "gpu"});
  out.rank({.attempt = attempt, .rank = 0, .node = node, .device = device});
  const auto series = [&](DeviceId of, const char* metric, SeriesKind kind) {
    return out.series({.node = node, .device = of, .metric = metric, .kind = kind});
  };
  const SeriesId busy = series(device, "gpu_busy_ratio", SeriesKind::kGauge), load = series({}, "cpu_busy_ratio", SeriesKind::kGauge);
  const SeriesId stalls = series({}, "vm_compact_stall_total", SeriesKind::kCounter);
  const SeriesId pressure = series({}, "pressure_memory_some_ratio", SeriesKind::kGauge);
  for (std::int64_t s = 0; s < 60; ++s) {
    const TimeNs at = kStart + s * kNsPerSecond;
    if (with_busy) out.sample(busy, at, 0.6);
    out.sample(load, at, cpu);
    out.sample(stalls, at, static_cast<double>(100 * s));
    if (memory_pressure) out.sample(pressure, at, *memory_pressure);
  }
}

TEST_F(GpuIdleTest, WithMetricsAloneTheDeviceSaysHowIdleItWasAndTheNodeWhatItLacked) {
  {
    auto out = writer();
    recordMachine(*out, true, 0.5, 0.1);
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.basis, IdleBasis::kMetrics);
  EXPECT_NEAR(found.idle_share, 0.4, 1e-6);
  EXPECT_NEAR(*found.gpu_busy_ratio, 0.6, 1e-6);
  EXPECT_EQ(found.row(IdleCause::kCpuSaturation), nullptr) << "half of the CPUs were free";
  EXPECT_FALSE(isMissing(found, IdleCause::kCpuSaturation)) << "and that was recorded";
  EXPECT_NEAR(shareOf(found, IdleCause::kMemoryStall), 0.1, 0.01);
  EXPECT_NEAR(shareOf(found, IdleCause::kUnexplained), 0.3, 0.01);
  EXPECT_TRUE(isMissing(found, IdleCause::kData));
  EXPECT_TRUE(isMissing(found, IdleCause::kThermal));
  expectSums(found);
}

TEST_F(GpuIdleTest, StallsWithoutTheirDurationAreReportedWithoutAShare) {
  {
    auto out = writer();
    recordMachine(*out, true, 0.99, std::nullopt);
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  const IdleRow* stalls = found.row(IdleCause::kMemoryStall);
  ASSERT_NE(stalls, nullptr);
  EXPECT_FALSE(stalls->share);
  EXPECT_THAT(stalls->evidence.english, ::testing::HasSubstr("how long they took was not recorded"));
  EXPECT_NEAR(shareOf(found, IdleCause::kCpuSaturation), 0.4, 0.01);
  expectSums(found);
}

TEST_F(GpuIdleTest, LoadOfANodeWithoutAWordOfItsDeviceIsNoAnswer) {
  {
    auto out = writer();
    recordMachine(*out, false, 0.99, 0.5);
    ASSERT_TRUE(out->close().ok());
  }
  EXPECT_FALSE(answer().ok);
  EXPECT_FALSE(answer({.first_step = {}, .last_step = {}, .time = TimeRange{}}).ok) << "all of time";
  EXPECT_FALSE(
      answer({.first_step = std::numeric_limits<std::int64_t>::min(), .last_step = std::numeric_limits<std::int64_t>::max(), .time = {}})
          .ok);
}

TEST_F(GpuIdleTest, AHotDeviceIsSlowNotIdle) {
  const IdleAnswer hot = simulated({faultOf("thermal_throttle", {.kind = sim::Target::Kind::kGpu, .index = 1, .gpu = 2, .nic = {}})});
  ASSERT_TRUE(hot.ok) << hot.reason.english;
  const IdleRow* row = hot.row(IdleCause::kThermal);
  ASSERT_NE(row, nullptr);
  ASSERT_TRUE(row->share);
  EXPECT_GT(*row->share, 0);
  EXPECT_EQ(row->units, 1u);
  EXPECT_EQ(row->units_total, 16u);
  EXPECT_EQ(row->rank, 10);
  EXPECT_TRUE(row->when);
  EXPECT_THAT(row->evidence.english, ::testing::HasSubstr("GHz against"));
  expectSums(hot);
}

StepFrame frameOf(std::int64_t step, StepPhase phase, std::vector<float> dur) {
  StepFrame frame;
  frame.step = step, frame.phase = phase, frame.dur = std::move(dur), frame.ranks_heard = frame.dur.size();
  return frame;
}

TEST(PartIdleTest, ASaveWithoutAPartCostsWhatItsStepTakesLonger) {
  std::vector<StepFrame> frames;
  for (std::int64_t s = 0; s < 9; ++s) frames.push_back(frameOf(s, StepPhase::kSteady, {100}));
  frames.push_back(frameOf(9, StepPhase::kCheckpoint, {150}));
  frames.push_back(frameOf(10, StepPhase::kEval, {900}));
  for (StepFrame& frame : frames) frame.columns[static_cast<std::size_t>(StepColumn::kForward)] = {80};
  for (StepFrame& frame : frames) frame.columns[static_cast<std::size_t>(StepColumn::kTransfer)] = {10};
  const PartIdle idle = partIdle(frames, {Rank{}});
  EXPECT_DOUBLE_EQ(idle.tally.window, 1050);
  EXPECT_DOUBLE_EQ(idle.tally[IdleCause::kCheckpoint].ns, 50);
  EXPECT_DOUBLE_EQ(idle.tally[IdleCause::kUnexplained].ns, 100);
}

TEST(PartIdleTest, WhatIsInNoPartIsNotCalledIdleWhereWaitingForPeersWasNotReported) {
  StepFrame frame = frameOf(0, StepPhase::kSteady, {100, 100, std::numeric_limits<float>::quiet_NaN()});
  frame.columns[static_cast<std::size_t>(StepColumn::kForward)] = {60, std::numeric_limits<float>::quiet_NaN(), 5};
  const PartIdle idle = partIdle({&frame, 1}, std::vector<Rank>(3));
  EXPECT_DOUBLE_EQ(idle.tally.window, 100) << "a rank that tells no part, and one without a duration, do not count";
  EXPECT_DOUBLE_EQ(idle.tally[IdleCause::kUnexplained].ns, 0);
  EXPECT_DOUBLE_EQ(idle.untold, 40);
}

TEST(PartIdleTest, PartsThatComeToMoreThanTheStepKeepTheirProportions) {
  StepFrame frame = frameOf(0, StepPhase::kSteady, {100});
  frame.columns[static_cast<std::size_t>(StepColumn::kForward)] = {150};
  frame.columns[static_cast<std::size_t>(StepColumn::kData)] = {50};
  const PartIdle idle = partIdle({&frame, 1}, {Rank{}});
  EXPECT_DOUBLE_EQ(idle.tally[IdleCause::kData].ns, 25);
}

TEST_F(GpuIdleTest, OneRanksAbsurdStepNumberDoesNotHideTheStepsOfAll) {
  {
    auto out = writer();
    const AttemptId attempt = out->attempt({.run = out->run({.name = "r", .start = kStart}), .start = kStart});
    for (std::int32_t r = 0; r < 4; ++r) {
      out->rank({.attempt = attempt, .rank = r});
      const auto series = [&](const char* metric, const char* labels) {
        return out->series({.attempt = attempt, .rank = r, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      const SeriesId dur = series("step_time_ns", ""), data = series("step_part_ns", R"({"part":"data"})");
      for (std::int64_t step = 1; step <= 50; ++step) {
        out->scalar(dur, step, kStart + step * kNsPerSecond, 1e9);
        out->scalar(data, step, kStart + step * kNsPerSecond, 2e8);
      }
      if (r == 2) out->scalar(dur, std::int64_t{1} << 62, kStart, 1e9);
    }
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_EQ(found.steps, 50U);
  EXPECT_NEAR(shareOf(found, IdleCause::kData), 0.2, 1e-9);
}

TEST_F(GpuIdleTest, OfManyDevicesItIsSaidHowManyWereLookedAt) {
  {
    auto out = writer();
    const AttemptId attempt =
        out->attempt({.run = out->run({.name = "r", .start = kStart}), .start = kStart, .end = kStart + 10 * kNsPerSecond});
    const NodeId node = out->node({.uuid = "n", .name = "n"});
    for (std::int32_t r = 0; r < 300; ++r) {
      const DeviceId device = out->device({.uuid = "GPU-" + std::to_string(r), .node = node, .kind = "gpu"});
      out->rank({.attempt = attempt, .rank = r, .node = node, .device = device});
      const auto series = [&](const char* metric) { return out->series({.node = node, .device = device, .metric = metric}); };
      const SeriesId busy = series("gpu_busy_ratio"), clock = series("sm_clock_hertz"), reasons = series("clock_event_reasons");
      for (int s = 0; s < 10; ++s) {
        out->sample(busy, kStart + s * kNsPerSecond, 0.7);
        out->sample(clock, kStart + s * kNsPerSecond, s < 5 ? 2e9 : 1.4e9);
        out->sample(reasons, kStart + s * kNsPerSecond, s < 5 ? 0 : 0x40);
      }
    }
    ASSERT_TRUE(out->close().ok());
  }
  const IdleAnswer found = answer();
  ASSERT_TRUE(found.ok) << found.reason.english;
  EXPECT_THAT(found.basis_words.english, HasSubstr("sample: 256 of 300 devices"));
  const IdleRow* const thermal = found.row(IdleCause::kThermal);
  ASSERT_NE(thermal, nullptr);
  EXPECT_THAT(thermal->evidence.english, HasSubstr("sample: 256 of 300 devices"));
}

TEST(MachineIdleTest, AThrottledClockLosesItsShareAgainstItsOwnUnthrottledLevel) {
  std::vector<ClockBin> bins;
  for (TimeNs t = 0; t < 10; ++t) bins.push_back({{t, t + 1}, t < 5 ? 1.4e9 : 2e9, t < 5 ? 0x40u : 0u});
  const auto level = unthrottledHertz(bins);
  ASSERT_TRUE(level);
  EXPECT_DOUBLE_EQ(*level, 2e9);
  const auto lost = throttleShare(bins, kThermalReasons, level);
  ASSERT_TRUE(lost && lost->lost);
  EXPECT_NEAR(*lost->lost, 0.5 * 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(lost->held, 0.5);
  EXPECT_EQ(lost->longest, (TimeRange{0, 5}));
  EXPECT_DOUBLE_EQ(*throttleShare(bins, kPowerCapReason, level)->lost, 0);
}

TEST(MachineIdleTest, WhatIsNotRecordedIsAbsentNotZero) {
  EXPECT_FALSE(throttleShare({}, kThermalReasons, 2e9));
  const std::vector<ClockBin> without_reasons = {{{0, 1}, 1e9, std::nullopt}, {{1, 2}, kNan, 0x40}};
  EXPECT_FALSE(throttleShare(without_reasons, kThermalReasons, 2e9));
  const std::vector<ClockBin> always = {{{0, 1}, 1e9, 0x40}};
  EXPECT_FALSE(unthrottledHertz(always));
  EXPECT_FALSE(throttleShare(always, kThermalReasons, std::nullopt)->lost) << "held down, but nobody knows from where";
  EXPECT_FALSE(saturationShare({}));
  EXPECT_FALSE(stallShare({}));
  const std::vector<StallBin> untimed = {{{0, 10}, 3, kNan}};
  ASSERT_TRUE(stallShare(untimed));
  EXPECT_EQ(stallShare(untimed)->count, 3);
  EXPECT_FALSE(stallShare(untimed)->share);
}

TEST(MachineIdleTest, CpusAreSaturatedByUseOrByPressure) {
  const std::vector<CpuBin> bins = {{{0, 1}, 0.99, kNan}, {{1, 2}, 0.5, 0.9}, {{2, 3}, 0.5, 0.1}, {{3, 4}, kNan, kNan}};
  const auto share = saturationShare(bins);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 2.0 / 3, 1e-12);
  EXPECT_EQ(share->longest, (TimeRange{0, 2}));
}

TEST(MachineIdleTest, MemoryPressureCountsWhileCompactionStalls) {
  const std::vector<StallBin> bins = {{{0, 10}, 5, 0.2}, {{10, 20}, 0, 0.9}, {{20, 30}, 1, 0.4}};
  EXPECT_NEAR(*stallShare(bins)->share, (2.0 + 4.0) / 30, 1e-12);
}

}  // namespace
}  // namespace runglass
