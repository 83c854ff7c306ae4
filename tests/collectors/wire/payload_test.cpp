// SPDX-License-Identifier: Apache-2.0
// The hub's Recorder receives the same calls that a source makes on a WireRecorder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "collectors/agent/wire_recorder.h"
#include "collectors/hub/server/ingest_limits.h"
#include "collectors/wire/payload_replay.h"
#include "collectors/wire/wire_writer.h"
#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr TimeNs kNow = 1'800'000'000'000'000'000;

// A session's agent side and the hub's Recorder, with the wire between.
class PayloadWire : public testing::Test {
 protected:
  void deliver() {
    std::string payload = dictionary.recordsFrom(reported);
    reported = dictionary.size();
    for (std::size_t i = 0; i < kStreamClassCount; ++i)
      for (std::string piece = out.take(static_cast<StreamClass>(i)); !piece.empty(); piece = out.take(static_cast<StreamClass>(i)))
        payload += piece;
    counts = replay.play(payload, heard);
  }
  SeriesId gauge(const std::string& metric) { return out.series({.node = out.node(machine), .metric = metric, .unit = "watts"}); }

  SessionDictionary dictionary;
  std::size_t reported = 0;
  WireRecorder out{dictionary, [] { return kNow; }, [] {}};
  test::MemoryRecorder heard;
  PayloadReplay replay{"n1"};
  PayloadCounts counts;
  Node machine{.uuid = "u1", .name = "n1", .rack = "r7"};
};

TEST_F(PayloadWire, KeepsSamplesBitEqual) {
  const std::vector<double> values = {
      0.0, -0.0, 1e-320, std::numeric_limits<double>::infinity(), std::bit_cast<double>(0x7ff8dead'beef0001ULL), -1e300};
  const std::vector<TimeNs> times = {kNow, kNow - 5, kNow, kNow - 1'000'000'000'000, 1, kNow + 1};
  out.samples(gauge("power_watts"), times, values);
  deliver();
  const SampleColumns got = heard.samplesOf("power_watts");
  EXPECT_EQ(got.time, times);
  ASSERT_EQ(got.value.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got.value[i]), std::bit_cast<std::uint64_t>(values[i]));
  EXPECT_TRUE(heard.issues.empty());
}

TEST_F(PayloadWire, SharesEqualTimeColumnsWithoutMixingThemUp) {
  const std::vector<TimeNs> first = {kNow - 20, kNow - 10}, second = {kNow - 8, kNow - 4};
  const std::vector<double> a = {1, 2}, b = {3, 4}, c = {5, 6};
  const SeriesId x = gauge("power_watts"), y = gauge("temperature_celsius");
  out.samples(x, first, a);
  out.samples(y, first, b);
  const std::size_t before = out.pendingBytes();
  out.samples(x, second, c);
  const std::size_t with_times = out.pendingBytes() - before;
  deliver();
  EXPECT_LT(out.take(StreamClass::kMetrics).size(), 1U);
  EXPECT_EQ(heard.samplesOf("power_watts").time, (std::vector<TimeNs>{first[0], first[1], second[0], second[1]}));
  EXPECT_EQ(heard.samplesOf("temperature_celsius").time, first);
  out.samples(y, second, c);
  EXPECT_GE(out.pendingBytes(), with_times) << "a new piece must repeat its times";
  deliver();
  EXPECT_EQ(heard.samplesOf("temperature_celsius").time, (std::vector<TimeNs>{first[0], first[1], second[0], second[1]}));
}

TEST_F(PayloadWire, CarriesBlocksOfAnyLengthInOrder) {
  std::vector<TimeNs> times;
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) times.push_back(kNow - 1'000'000 + i), values.push_back(i);
  out.samples(gauge("power_watts"), times, values);
  deliver();
  EXPECT_EQ(heard.samplesOf("power_watts").time, times);
  EXPECT_EQ(heard.samplesOf("power_watts").value, values);
  EXPECT_EQ(counts.samples, 100'000);
}

TEST_F(PayloadWire, CarriesScalarsWithAndWithoutClock) {
  const AttemptId attempt = out.attempt({.run = out.run({.name = "r"}), .key = "0"});
  const std::vector<std::int64_t> steps = {1, 2, 1'000'000'000'000};
  const std::vector<TimeNs> times = {kNow - 3, kNow - 2, kNow - 1};
  const std::vector<double> values = {2.5, std::nan(""), 2.25};
  out.scalars(out.series({.attempt = attempt, .metric = "lm loss", .kind = SeriesKind::kScalar}), steps, times, values);
  out.scalars(out.series({.attempt = attempt, .rank = 0, .metric = "lr", .kind = SeriesKind::kScalar}), steps, {}, values);
  deliver();
  EXPECT_EQ(heard.scalarsOf("lm loss").step, steps);
  EXPECT_EQ(heard.scalarsOf("lm loss").time, times);
  EXPECT_EQ(heard.scalarsOf("lr", 0).step, steps);
  EXPECT_THAT(heard.scalarsOf("lr", 0).time, testing::IsEmpty());
}

TEST_F(PayloadWire, KeepsTimesOfRunsWithoutWallClockAsTheyAre) {
  const AttemptId attempt = out.attempt({.run = out.run({.name = "r", .time_domain = TimeDomain::kRelative}), .key = ""});
  const std::vector<std::int64_t> steps = {1, 2};
  const std::vector<TimeNs> times = {0, 5};
  const std::vector<double> values = {1, 2};
  out.scalars(out.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar}), steps, times, values);
  deliver();
  EXPECT_EQ(heard.scalarsOf("loss").time, times);
  EXPECT_TRUE(heard.issues.empty());
}

TEST_F(PayloadWire, CarriesSpansWithTheirOptionalColumns) {
  const TrackId track = out.track({.attempt = out.attempt({.run = out.run({.name = "r"})}), .rank = 3, .kind = "thread", .name = "main"});
  SpanColumns spans;
  spans.start = {kNow - 30, kNow - 20, kNow - 10};
  spans.dur = {5, kAbsent, 0};
  spans.name = {1, 0, 1};
  spans.names = {"forward", "all\xff reduce", "never used"};
  spans.category = {SpanCategory::kCompute, SpanCategory::kComm, SpanCategory::kOther};
  spans.depth = {0, 1, 0};
  spans.step = {7, kAbsent, std::numeric_limits<std::int64_t>::max()};
  spans.seq = {-1, 0, 1};
  spans.args = {"{\"a\":1}", "", ""};
  out.spans(track, spans);
  deliver();
  ASSERT_THAT(heard.span_batches, SizeIs(1));
  const SpanColumns& got = heard.span_batches.begin()->second.at(0);
  EXPECT_EQ(got.start, spans.start);
  EXPECT_EQ(got.dur, spans.dur);
  EXPECT_EQ(got.category, spans.category);
  EXPECT_EQ(got.depth, spans.depth);
  EXPECT_EQ(got.step, spans.step);
  EXPECT_EQ(got.seq, spans.seq);
  EXPECT_EQ(got.args, spans.args);
  EXPECT_TRUE(got.bytes.empty());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(got.names.at(got.name[i]), spans.names[spans.name[i]]);
}

TEST_F(PayloadWire, CarriesTopologyEventsAndLogs) {
  const NodeId node = out.node(machine);
  const DeviceId gpu = out.device({.uuid = "GPU-1", .node = node, .index = 0, .kind = "gpu", .model = "H100", .memory_bytes = 1LL << 36});
  const AttemptId attempt = out.attempt({.run = out.run({.name = "r", .state = RunState::kRunning, .framework = "megatron"}),
                                         .key = "1",
                                         .planned = false,
                                         .layout = {.world = 8, .tp = 2, .pp = 2, .dp = 2}});
  out.rank({.attempt = attempt, .rank = 5, .node = node, .device = gpu, .local_rank = 1, .tp = 1, .pp = 0});
  out.fact({.attempt = attempt, .rank = 5, .key = "NCCL_DEBUG", .value = "INFO"});
  out.checkpoint({.attempt = attempt, .step = 100, .begin = kNow - 9, .bytes = 77, .path = "/ckpt"});
  out.group({.attempt = attempt, .id = 3, .kind = "tp", .name = "TENSOR_MODEL_PARALLEL_GROUP", .ranks = {4, 5}});
  out.event({.time = kNow,
             .attempt = attempt,
             .node = node,
             .device = gpu,
             .rank = 5,
             .step = 100,
             .kind = "xid",
             .severity = Severity::kCritical,
             .code = "79",
             .message = "lost"});
  out.log({.time = kNow,
           .attempt = attempt,
           .rank = 5,
           .stream = "stdout",
           .severity = Severity::kWarning,
           .text = std::string("\xff\0bin", 5)});
  out.progress({.attempt = attempt, .rank = 5, .time = kNow, .step = 100, .phase = "steady", .op = "all_reduce", .since = kNow - 1});
  out.label({.attempt = attempt, .kind = "slow_rank", .rank = 5, .first_step = 3, .strength = 1.2});
  out.issue({.code = "agent.text_cut", .source = "x", .count = 3, .detail = "d"});
  out.clock({.node = node, .session = "s", .raw = 5, .offset = -3, .error = 1, .source = "import"});
  deliver();
  ASSERT_THAT(heard.nodes, SizeIs(1));
  EXPECT_EQ(heard.nodes[0].rack, "r7");
  ASSERT_THAT(heard.devices, SizeIs(1));
  EXPECT_EQ(heard.devices[0].memory_bytes, 1LL << 36);
  ASSERT_THAT(heard.attempts, SizeIs(1));
  EXPECT_EQ(heard.attempts[0].layout, (Layout{.world = 8, .tp = 2, .pp = 2, .dp = 2}));
  EXPECT_EQ(heard.attempts[0].planned, false);
  ASSERT_THAT(heard.ranks, SizeIs(1));
  EXPECT_EQ(heard.ranks[0].pp, 0);
  EXPECT_EQ(heard.ranks[0].dp, std::nullopt);
  ASSERT_THAT(heard.events, SizeIs(1));
  EXPECT_EQ(heard.events[0].code, "79");
  EXPECT_EQ(heard.events[0].severity, Severity::kCritical);
  ASSERT_THAT(heard.logs, SizeIs(1));
  EXPECT_EQ(heard.logs[0].text, std::string("\xff\0bin", 5));
  EXPECT_THAT(heard.facts, SizeIs(1));
  EXPECT_EQ(heard.checkpoints.at(0).durable, std::nullopt);
  EXPECT_EQ(heard.groups.at(0).id, 3);
  EXPECT_EQ(heard.groups.at(0).ranks, (std::vector<std::int32_t>{4, 5}));
  EXPECT_EQ(heard.progresses.at(0).since, kNow - 1);
  EXPECT_EQ(heard.labels.at(0).strength, 1.2);
  EXPECT_EQ(heard.issueCount("agent.text_cut"), 3);
  EXPECT_EQ(heard.clocks.at(0).offset, -3);
}

TEST_F(PayloadWire, CarriesCapturesWholeAndTheEndOfOnesThatAreTooLarge) {
  const AttemptId attempt = out.attempt({.run = out.run({.name = "r"}), .key = "a"});
  out.capture({.time = kNow,
               .attempt = attempt,
               .node = out.node(machine),
               .rank = 7,
               .kind = "stack",
               .source = "faulthandler",
               .reason = "stall",
               .text = "File x\nin all_reduce\n",
               .truncated_bytes = 9});
  Capture huge{.time = kNow - 1, .attempt = attempt, .kind = "kernel_log"};
  huge.text = std::string(3 << 20, 'k') + "\nthe end\n";
  out.capture(huge);
  deliver();
  EXPECT_TRUE(counts.intact);
  ASSERT_THAT(heard.captures, SizeIs(2));
  const Capture& stack = heard.captures[0];
  EXPECT_EQ(stack.text, "File x\nin all_reduce\n");
  EXPECT_EQ(stack.rank, 7);
  EXPECT_EQ(stack.node, NodeId{1});
  EXPECT_EQ(stack.attempt, AttemptId{1});
  EXPECT_EQ(stack.kind + stack.source + stack.reason, "stackfaulthandlerstall");
  EXPECT_EQ(stack.truncated_bytes, 9);
  EXPECT_EQ(heard.captures[1].text, "the end\n");
  EXPECT_EQ(heard.captures[1].truncated_bytes, (3 << 20) + 1);
  EXPECT_FALSE(heard.captures[1].rank);
}

TEST_F(PayloadWire, NoPieceIsLargerThanAHubTakesWhateverItBeginsWith) {
  for (const std::size_t before : {0U, 1'000U, 200'000U}) {
    for (std::size_t bytes = 0; bytes < before; bytes += 1'000) out.log({.time = kNow, .stream = "s", .text = std::string(1'000, 'x')});
    out.capture({.time = kNow, .kind = "kernel_log", .text = std::string(3 << 20, 'k')});
    std::size_t captured = 0;
    for (std::string piece = out.take(StreamClass::kLogs); !piece.empty(); piece = out.take(StreamClass::kLogs)) {
      EXPECT_LE(piece.size(), kMaxBatch) << before;
      captured += piece.size() > (700U << 10) ? 1 : 0;
    }
    EXPECT_EQ(captured, 1U) << before;
  }
}

TEST_F(PayloadWire, SpansOfManyLongNamesOrArgumentsFitIntoWhatAHubTakes) {
  const TrackId track =
      out.track({.attempt = out.attempt({.run = out.run({.name = "r"}), .key = "a"}), .rank = 0, .kind = "thread", .name = "t"});
  for (const std::size_t length : {200U, 2'000U, 2'000'000U}) {
    SpanColumns spans;
    for (std::uint32_t i = 0; i < 4'096 && i * length < 8'000'000; ++i) {
      spans.start.push_back(kNow + i), spans.dur.push_back(1), spans.name.push_back(i), spans.category.push_back({});
      spans.names.push_back(std::to_string(i) + std::string(length, 'n'));
      spans.args.push_back("{\"a\":\"" + std::string(length, 'v') + "\"}");
    }
    out.spans(track, spans);
    for (std::string piece = out.take(StreamClass::kKernels); !piece.empty(); piece = out.take(StreamClass::kKernels))
      EXPECT_LE(piece.size(), kMaxBatch) << length;
  }
}

TEST_F(PayloadWire, SendsAnUpdateOnlyWhenSomethingChanged) {
  runglass::Run run{.name = "r", .state = RunState::kRunning};
  (void)out.run(run);
  deliver();
  (void)out.run(run);
  EXPECT_EQ(out.pendingBytes(), 0U);
  run.state = RunState::kFinished;
  (void)out.run(run);
  deliver();
  EXPECT_EQ(heard.runs.at(0).state, RunState::kFinished);
}

// The hub prepends the dictionary again in every journal epoch; old definitions must not undo later updates.
TEST_F(PayloadWire, RepeatedDefinitionsChangeNothing) {
  (void)out.run({.name = "r", .state = RunState::kRunning});
  out.sample(gauge("power_watts"), kNow, 1);
  deliver();
  const std::size_t runs = heard.runs.size(), series = heard.series_keys.size();
  replay.play(dictionary.recordsFrom(0) + dictionary.recordsFrom(0), heard);
  EXPECT_EQ(heard.runs.size(), runs);
  EXPECT_EQ(heard.series_keys.size(), series);
  EXPECT_EQ(heard.runs[0].state, RunState::kRunning);
  EXPECT_TRUE(heard.issues.empty());
}

TEST_F(PayloadWire, ReplacesAbsurdTimesAndSaysSo) {
  const std::vector<TimeNs> times = {kNow, 0, -5, kNow + kMaxAhead + 1, kNow + kMaxAhead};
  const std::vector<double> values = {1, 2, 3, 4, 5};
  out.samples(gauge("power_watts"), times, values);
  deliver();
  EXPECT_THAT(heard.samplesOf("power_watts").time, ElementsAre(kNow, kNow, kNow, kNow, kNow + kMaxAhead));
  EXPECT_EQ(heard.issueCount("wire.absurd_time"), 3);
}

TEST_F(PayloadWire, RefusesIdsThatWereNeverDefined) {
  out.sample(gauge("power_watts"), kNow, 1);
  PayloadReplay other("n2");
  const PayloadCounts lone = other.play(out.take(StreamClass::kMetrics), heard);  // without its dictionary
  EXPECT_EQ(lone.samples, 0);
  EXPECT_TRUE(lone.intact);
  EXPECT_EQ(heard.issueCount("wire.unknown_id"), 1);
}

TEST_F(PayloadWire, StopsAtTheLimitOfSeries) {
  PayloadReplay small("n1", {.series = 3});
  for (int i = 0; i < 5; ++i) out.sample(gauge("m" + std::to_string(i)), kNow, i);
  const PayloadCounts got = small.play(dictionary.recordsFrom(0) + out.take(StreamClass::kMetrics), heard);
  EXPECT_EQ(got.samples, 3);
  EXPECT_GT(heard.issueCount("wire.too_many_ids"), 0);
}

// Truncation and bit flips: never a crash, never an unbounded allocation, and unreadable data is reported.
TEST_F(PayloadWire, SurvivesDamagedBytes) {
  for (int i = 0; i < 20; ++i) out.sample(gauge("m" + std::to_string(i)), kNow - i, i);
  SpanColumns spans{.start = {kNow}, .dur = {1}, .name = {0}, .category = {SpanCategory::kComm}, .names = {"x"}};
  out.spans(out.track({.attempt = out.attempt({.run = out.run({.name = "r"})}), .kind = "thread", .name = "t"}), spans);
  out.log({.time = kNow, .stream = "s", .text = "line"});
  std::string whole = dictionary.recordsFrom(0);
  for (std::size_t i = 0; i < kStreamClassCount; ++i) whole += out.take(static_cast<StreamClass>(i));
  std::minstd_rand random(7);
  std::int64_t reported_count = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string damaged = whole.substr(0, round % 2 == 0 ? random() % whole.size() : whole.size());
    for (unsigned flips = random() % 4; flips > 0 && !damaged.empty(); --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    test::MemoryRecorder sink;
    const PayloadCounts got = PayloadReplay("n1").play(damaged, sink);
    if (!got.intact) {
      ++reported_count;
      EXPECT_EQ(sink.issueCount("wire.bad_payload"), 1);
    }
  }
  EXPECT_GT(reported_count, 500);
}

TEST_F(PayloadWire, DoesNotAllocateWhatBytesOnlyClaim) {
  std::string bomb;
  wire::appendTag(bomb, 31, 2);
  wire::appendVarint(bomb, 0xFFFFFFFFFFULL);
  bomb += "xx";
  const PayloadCounts got = replay.play(bomb, heard);
  EXPECT_FALSE(got.intact);
  EXPECT_EQ(heard.issueCount("wire.bad_payload"), 1);
}

TEST_F(PayloadWire, CutsALineOf100MegabytesAndSaysSo) {
  out.log({.time = kNow, .stream = "stdout", .text = std::string(100'000'000, 'x')});
  out.log({.time = kNow, .stream = "stdout", .text = "the next one"});
  deliver();
  ASSERT_EQ(heard.logs.size(), 2U);
  EXPECT_EQ(heard.logs[0].text.size(), 64U << 10);
  EXPECT_EQ(heard.logs[1].text, "the next one");
  EXPECT_EQ(heard.issueCount("agent.text_cut"), 1);
}

TEST_F(PayloadWire, AFloodOfLinesIsCutAndCountedAndLeavesRoomForWarnings) {
  const std::int64_t flood = LogBudget::kBurst + 5'000;
  for (std::int64_t i = 0; i < flood; ++i) out.log({.time = kNow, .stream = "stdout", .text = "x"});
  out.log({.time = kNow, .stream = "stdout", .severity = Severity::kError, .text = "boom"});
  ASSERT_TRUE(out.flush().ok());
  deliver();
  ASSERT_EQ(heard.logs.size(), static_cast<std::size_t>(LogBudget::kBurst) + 1);
  EXPECT_EQ(heard.logs.back().text, "boom");
  EXPECT_EQ(heard.issueCount("agent.log_limit"), 5'000);
}

TEST(LogBudget, LetsFiveThousandLinesASecondThroughForEver) {
  LogBudget budget;
  TimeNs now = kNow;
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(budget.take(Severity::kInfo, now += 200'000));
  for (int i = 0; i < 1'000'000; ++i) budget.take(Severity::kInfo, now += 50'000);
  const std::int64_t refused = budget.takeRefused();
  EXPECT_NEAR(static_cast<double>(refused), 400'000.0, 2'000.0) << "of 20,000 a second for 50 s, 10,000 a second and the burst";
}

TEST_F(PayloadWire, BoundsWhatNobodyTakes) {
  const SeriesId id = gauge("power_watts");
  const std::vector<double> values(4096, 1.5);
  std::vector<TimeNs> times(4096);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = kNow + static_cast<TimeNs>(i);
  for (int i = 0; i < 2'000; ++i) out.samples(id, times, values);
  EXPECT_LE(out.pendingBytes(), WireRecorder::kMaxPending + (1U << 20));
  EXPECT_GT(out.takeDropped(), 0);
  EXPECT_EQ(out.flush().code(), Code::kResourceExhausted);
  EXPECT_TRUE(out.flush().ok());
}

}  // namespace
}  // namespace runglass
