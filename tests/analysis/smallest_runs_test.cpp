// SPDX-License-Identifier: Apache-2.0
// The smallest runs of each kind with every analysis: they are healthy, and no time of a finding is before the run.
#include <gtest/gtest.h>

#include "analysis/engine/analysis.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kT = 1'795'000'000LL * kNsPerSecond;
constexpr DurNs kStep = 100 * kNsPerMs;

struct SmallRun {
  const char* name;
  int ranks = 1;
  std::int64_t steps = 0;
  bool progress = true;       // ranks report their operation
  bool since = false;         // and its start time
  bool start = true;          // run and attempt have one
  bool clock = true;          // steps have times
  bool fault_before = false;  // its node had a fault and was hot the day before
  bool scalars = false;       // without a rank: loss, gradient norm, learning rate
  bool spans = false;         // a forward and a backward pass in each step
  bool log = false;           // lines, with step times without a rank
};

void PrintTo(const SmallRun& run, std::ostream* out) { *out << run.name; }

const SmallRun kRuns[] = {
    {.name = "NothingYet", .progress = false},
    {.name = "FirstStepGoesOn"},
    {.name = "FirstStepGoesOnOnFourRanks", .ranks = 4},
    {.name = "FirstStepGoesOnWithoutStart", .start = false},
    {.name = "FirstStepSinceWhen", .since = true},
    {.name = "OneStep", .steps = 1},
    {.name = "OneStepOfFourRanks", .ranks = 4, .steps = 1, .since = true},
    {.name = "StepsOnly", .steps = 40, .progress = false},
    {.name = "StepsOnlyWithoutClock", .steps = 40, .progress = false, .start = false, .clock = false},
    {.name = "StepsAndProgress", .steps = 40},
    {.name = "ProgressWithoutClockOfSteps", .steps = 40, .start = false, .clock = false},
    {.name = "FaultOfTheDayBefore", .steps = 40, .fault_before = true},
    {.name = "FaultOfTheDayBeforeWithoutStart", .steps = 40, .start = false, .fault_before = true},
    {.name = "NoRanks", .ranks = 0, .progress = false},
    {.name = "OneScalarOnly", .ranks = 0, .steps = 1, .progress = false, .scalars = true},
    {.name = "ScalarsOnly", .ranks = 0, .steps = 40, .progress = false, .scalars = true},
    {.name = "ScalarsOnlyWithoutClock", .ranks = 0, .steps = 40, .progress = false, .start = false, .clock = false, .scalars = true},
    {.name = "OneStepOfSpansOnly", .steps = 1, .progress = false, .spans = true},
    {.name = "SpansOnlyOfFourRanks", .ranks = 4, .steps = 40, .progress = false, .spans = true},
    {.name = "SpansOnlyWithoutStart", .steps = 40, .progress = false, .start = false, .spans = true},
    {.name = "OneLineOnly", .ranks = 0, .steps = 1, .progress = false, .log = true},
    {.name = "LogOnly", .ranks = 0, .steps = 40, .progress = false, .log = true},
    {.name = "LogOnlyWithoutClock", .ranks = 0, .steps = 40, .progress = false, .start = false, .clock = false, .log = true},
};

class SmallestRuns : public ::testing::TestWithParam<SmallRun> {
 protected:
  void record(Writer& writer) {
    const SmallRun& is = GetParam();
    const std::optional<TimeNs> start = is.start ? std::optional(kT) : std::nullopt;
    m_run = writer.run({.name = "small", .state = RunState::kRunning, .start = start});
    m_attempt = writer.attempt({.run = m_run, .key = "0", .start = start, .layout = {.world = is.ranks}});
    const NodeId node = writer.node({.uuid = "n", .name = "n", .state = NodeState::kAlive, .last_heard = kT});
    const DeviceId gpu = writer.device({.uuid = "gpu", .node = node, .index = 0, .kind = "gpu"});
    if (is.fault_before) {
      const SeriesId clocks = writer.series({.node = node, .device = gpu, .metric = "clock_event_reasons", .unit = "bits"});
      for (int i = 0; i < 60; ++i) writer.sample(clocks, kT - (86'400 - i) * kNsPerSecond, 0x40);
      writer.event({.time = kT - 86'400 * kNsPerSecond,
                    .node = node,
                    .device = gpu,
                    .kind = "xid",
                    .severity = Severity::kError,
                    .code = "79",
                    .message = "GPU has fallen off the bus."});
    }
    for (std::int32_t rank = 0; rank < is.ranks; ++rank) {
      writer.rank({.attempt = m_attempt, .rank = rank, .node = node, .device = rank == 0 ? gpu : DeviceId()});
      if (is.spans) recordSpans(writer, rank);
      if (is.steps == 0 || is.spans) continue;
      const SeriesId steps =
          writer.series({.attempt = m_attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      for (std::int64_t s = 0; s < is.steps; ++s) writer.scalar(steps, s, timeOf(s), static_cast<double>(kStep));
    }
    const auto unranked = [&](const char* tag, const char* unit, auto value) {
      const SeriesId id = writer.series({.attempt = m_attempt, .metric = tag, .unit = unit, .kind = SeriesKind::kScalar});
      for (std::int64_t s = 0; s < is.steps; ++s) writer.scalar(id, s, timeOf(s), value(s));
    };
    if (is.scalars) {
      unranked("loss", "", [](std::int64_t s) { return 5.0 - 0.01 * static_cast<double>(s); });
      unranked("grad_norm", "", [](std::int64_t) { return 1.0; });
      unranked("lr", "", [](std::int64_t s) { return 1e-5 * static_cast<double>(s); });
    }
    if (is.log) {
      unranked("elapsed time per iteration (ms)", "ms", [](std::int64_t) { return static_cast<double>(kStep) / kNsPerMs; });
      for (std::int64_t s = 0; s < is.steps; ++s)
        writer.log({.time = timeOf(s), .attempt = m_attempt, .severity = Severity::kInfo, .text = "iteration " + std::to_string(s)});
    }
    m_end = kT + kNsPerSecond + is.steps * kStep;
  }
  static std::optional<TimeNs> timeOf(std::int64_t step) {
    return GetParam().clock ? std::optional(kT + kNsPerSecond + step * kStep) : std::nullopt;
  }
  void recordSpans(Writer& writer, std::int32_t rank) {
    const TrackId track = writer.track({.attempt = m_attempt, .rank = rank, .kind = "thread", .name = "trainer"});
    SpanColumns spans;
    spans.names = {"forward-compute", "backward-compute"};
    for (std::int64_t i = 0; i < 2 * GetParam().steps; ++i) {
      spans.start.push_back(kT + kNsPerSecond + i * kStep / 2), spans.dur.push_back(kStep / 3);
      spans.name.push_back(static_cast<std::uint32_t>(i % 2)), spans.category.push_back(SpanCategory::kCompute);
      spans.depth.push_back(0), spans.step.push_back(i / 2);
    }
    writer.spans(track, spans);
  }
  // Ranks report the same operation again; `later`: duration of the first step so far.
  void report(Writer& writer, DurNs later) {
    if (!GetParam().progress) return;
    for (std::int32_t rank = 0; rank < GetParam().ranks; ++rank)
      writer.progress({.attempt = m_attempt,
                       .rank = rank,
                       .time = m_end + later,
                       .step = GetParam().steps,
                       .phase = "init",
                       .since = GetParam().since ? std::optional(m_end) : std::nullopt});
  }
  void expectCalm(const std::vector<Finding>& found, const char* when) {
    for (const Finding& one : found) {
      EXPECT_LT(one.severity, Severity::kWarning) << when << ": " << one.summary;
      for (const auto& time : {one.start, one.end}) {
        if (!time) continue;
        EXPECT_GE(*time, kT) << when << ": " << one.kind << ": " << one.summary;
      }
    }
  }

  TempStore m_file;
  RunId m_run;
  AttemptId m_attempt;
  TimeNs m_end = 0;
};

TEST_P(SmallestRuns, RaiseNothing) {
  auto writer = m_file.writer();
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  record(**writer);
  std::vector<std::unique_ptr<Analysis>> watching;
  for (const AnalysisEntry& entry : analyses()) watching.push_back(entry.make());
  for (const DurNs later : {DurNs{0}, 45 * kNsPerSecond, 240 * kNsPerSecond}) {
    report(**writer, later);
    ASSERT_TRUE((*writer)->flush().ok());
    const auto reader = m_file.reader();
    ASSERT_TRUE(reader.ok());
    for (std::size_t i = 0; i < watching.size(); ++i) {
      const std::string name(analyses()[i].name);
      const auto live = watching[i]->look({.reader = **reader, .run = m_run, .now = m_end + later, .stop = {}});
      ASSERT_TRUE(live.ok()) << name << ": " << live.status().message();
      expectCalm(*live, (name + " live").c_str());
      const auto stored = analyses()[i].make()->look({.reader = **reader, .run = m_run, .now = {}, .stop = {}});
      ASSERT_TRUE(stored.ok()) << name << ": " << stored.status().message();
      expectCalm(*stored, (name + " stored").c_str());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallestRuns, ::testing::ValuesIn(kRuns), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace runglass
