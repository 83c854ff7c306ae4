// SPDX-License-Identifier: Apache-2.0
// Limits for an agent's bytes, whatever they contain: unlimited times, unlimited records, fields that only the hub may set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "collectors/agent/wire_recorder.h"
#include "collectors/wire/payload_budget.h"
#include "collectors/wire/payload_guard.h"
#include "collectors/wire/payload_replay.h"
#include "collectors/wire/wire_writer.h"
#include "model/far_time.h"
#include "runglass/v1/payload.pb.h"
#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeNs kNow = 1'800'000'000'000'000'000;
constexpr TimeNs kMin = std::numeric_limits<TimeNs>::min(), kMax = std::numeric_limits<TimeNs>::max();

class PayloadGuard : public testing::Test {
 protected:
  std::string taken() {
    std::string payload = dictionary.recordsFrom(0);
    for (std::size_t i = 0; i < kStreamClassCount; ++i)
      for (std::string piece = out.take(static_cast<StreamClass>(i)); !piece.empty(); piece = out.take(static_cast<StreamClass>(i)))
        payload += piece;
    return payload;
  }
  void deliver() { counts = replay.play(taken(), heard); }

  SessionDictionary dictionary;
  WireRecorder out{dictionary, [] { return kNow; }, [] {}};
  test::MemoryRecorder heard;
  PayloadReplay replay{"n1"};
  PayloadCounts counts;
};

TEST_F(PayloadGuard, RunsAttemptsAndNodesHaveNoAbsurdTimes) {
  for (const TimeNs time : {kMin, kMax, -(TimeNs{1} << 62), TimeNs{1} << 62, kNow + kMaxAhead + 1, TimeNs{0}}) {
    const RunId run = out.run({.name = "r" + std::to_string(time), .start = time, .end = time});
    (void)out.attempt({.run = run, .key = "a", .start = time, .end = time});
    (void)out.node({.uuid = "u" + std::to_string(time), .last_heard = time});
  }
  deliver();
  ASSERT_THAT(heard.runs, SizeIs(6));
  for (const runglass::Run& run : heard.runs) EXPECT_FALSE(run.start || run.end) << run.name;
  for (const Attempt& attempt : heard.attempts) EXPECT_FALSE(attempt.start || attempt.end);
  for (const Node& node : heard.nodes) EXPECT_FALSE(node.last_heard) << node.uuid;
  EXPECT_EQ(heard.issueCount("wire.absurd_time"), 5 * 6);
}

TEST_F(PayloadGuard, TimesOfARunWithoutAWallClockAreNotFar) {
  const RunId run = out.run({.name = "r", .time_domain = TimeDomain::kRelative, .start = 5, .end = kMax});
  const AttemptId attempt = out.attempt({.run = run, .key = "a", .start = kMin, .end = 7});
  const std::vector<std::int64_t> steps = {1, 2};
  const std::vector<TimeNs> times = {kMin, kMax};
  const std::vector<double> values = {1, 2};
  out.scalars(out.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar}), steps, times, values);
  out.event({.time = kMax, .attempt = attempt, .kind = "e"});
  deliver();
  EXPECT_EQ(heard.runs.at(0).start, 5);
  EXPECT_EQ(heard.runs.at(0).end, std::nullopt);
  EXPECT_EQ(heard.attempts.at(0).start, std::nullopt);
  EXPECT_EQ(heard.attempts.at(0).end, 7);
  EXPECT_EQ(heard.scalarsOf("loss").time, (std::vector<TimeNs>{-kFarTime, kFarTime}));
  EXPECT_EQ(heard.events.at(0).time, kFarTime);
}

TEST_F(PayloadGuard, ReadingsOfAClockAndLengthsOfSpansCannotOverflow) {
  const NodeId node = out.node({.uuid = "u"});
  for (const DurNs offset : {kMin, kMax})
    out.clock({.node = node, .session = "s", .raw = kNow, .offset = offset, .error = 1, .source = "x"});
  out.clock({.node = node, .session = "s", .raw = kMax, .offset = 1, .error = 1, .source = "x"});
  out.clock({.node = node, .session = "s", .raw = kNow, .offset = 1, .error = kMin, .source = "x"});
  const SpanColumns spans{.start = {kNow, kNow, kNow},
                          .dur = {kMax, -5, kAbsent},
                          .name = {0, 0, 0},
                          .category = {SpanCategory::kComm, SpanCategory::kComm, SpanCategory::kComm},
                          .names = {"x"}};
  out.spans(out.track({.attempt = out.attempt({.run = out.run({.name = "r"})}), .kind = "thread", .name = "t"}), spans);
  deliver();
  EXPECT_THAT(heard.clocks, IsEmpty());
  ASSERT_THAT(heard.span_batches, SizeIs(1));
  EXPECT_EQ(heard.span_batches.begin()->second.at(0).dur, (std::vector<DurNs>{kFarTime - kNow, 0, kAbsent}));
}

TEST_F(PayloadGuard, MillionsOfEmptyRecordsAreCountedAndNotKept) {
  std::string payload;
  for (int i = 0; i < 700'000; ++i) wire::appendBytes(payload, Wire::kEventFieldNumber, "");
  counts = replay.play(payload, heard);
  EXPECT_TRUE(counts.intact);
  EXPECT_THAT(heard.events, IsEmpty());
  EXPECT_EQ(heard.issueCount("wire.empty_record") + heard.issueCount("wire.too_many_records"), 700'000);
  // A log may contain empty lines, but a valid batch never has this many.
  payload.clear();
  for (int i = 0; i < 700'000; ++i) wire::appendBytes(payload, Wire::kLogFieldNumber, "");
  counts = replay.play(payload, heard);
  EXPECT_THAT(heard.logs, SizeIs(PayloadLimits().records));
}

TEST_F(PayloadGuard, ADictionaryOfManySeriesIsNoFloodOfRecords) {
  for (int i = 0; i < 20; ++i) out.sample(out.series({.metric = "m" + std::to_string(i)}), kNow, i);
  PayloadReplay small("n1", {.records = 25});
  EXPECT_EQ(small.play(taken(), heard).samples, 20);
}

TEST_F(PayloadGuard, OneAgentsIssuesAndSeriesHaveAnEnd) {
  const auto hub = std::make_shared<PayloadBudget::Hub>();
  const auto budget = std::make_shared<PayloadBudget>(hub, 1);
  for (int session = 0; session < 3; ++session) {
    PayloadReplay life("n1", {}, budget);
    for (int i = 0; i < 2'000; ++i)
      out.issue({.code = "agent.text_cut", .source = std::to_string(session) + "/" + std::to_string(i), .detail = std::string(5'000, 'd')});
    life.play(taken(), heard);
  }
  std::int64_t kept = 0;
  for (const Issue& issue : heard.issues) {
    kept += issue.code == "agent.text_cut" ? 1 : 0;
    EXPECT_LE(issue.detail.size(), 4'096U);
  }
  EXPECT_LE(kept, static_cast<std::int64_t>(PayloadBudget::kMaxIssues) + 1);
  EXPECT_EQ(kept + heard.issueCount("wire.too_many_issues"), 6'000);

  std::size_t taken_series = 0;
  const auto declare = [&](PayloadBudget& of, const std::string& name, DurNs now) { return of.takes({.metric = name}, now); };
  for (std::size_t i = 0; i < PayloadBudget::kMaxSeries + 10; ++i) taken_series += declare(*budget, std::to_string(i), 1) ? 1 : 0;
  EXPECT_EQ(taken_series, PayloadBudget::kMaxSeries);
  EXPECT_TRUE(declare(*budget, "7", 2)) << "a new session declares what the one before had";
  PayloadBudget other(hub, 1);
  EXPECT_TRUE(declare(other, "x", 2));
  EXPECT_TRUE(declare(*budget, "of later jobs", 3 * PayloadBudget::kPeriod + 2) ||
              declare(*budget, "of later jobs", 4 * PayloadBudget::kPeriod + 3));
}

TEST(PayloadBudget, ANodesSessionsOfADayHaveAnEndAndAFloodLeavesRoomForOthers) {
  const auto hub = std::make_shared<PayloadBudget::Hub>();
  PayloadBudget one(hub, 1);
  std::size_t taken = 0;
  while (one.takesSession("a", "s" + std::to_string(taken), 1)) ++taken;
  EXPECT_EQ(taken, PayloadBudget::kMaxSessions + 16);
  EXPECT_TRUE(one.takesSession("a", "s7", 2)) << "it comes again";
  EXPECT_TRUE(one.takesSession("a", "s7", PayloadBudget::kPeriod + 2));
  EXPECT_TRUE(one.takesSession("a", "of the next day", PayloadBudget::kPeriod + 2));
  hub->sessions = PayloadBudget::kMaxSessionsOfHub;
  hub->series = PayloadBudget::kMaxSeriesOfHub;
  PayloadBudget other(hub, 1);
  std::size_t sessions = 0, series = 0;
  while (other.takesSession("b", std::to_string(sessions), PayloadBudget::kPeriod + 3)) ++sessions;
  while (other.takes({.metric = std::to_string(series)}, PayloadBudget::kPeriod + 3)) ++series;
  EXPECT_EQ(sessions, PayloadBudget::kAlwaysSessions);
  EXPECT_EQ(series, PayloadBudget::kAlwaysSeries);
}

TEST(PayloadGlance, SeesEveryStampAndWhatOnlyAHubMaySay) {
  std::string payload;
  wire::appendFixed64(payload, Wire::kSealedNsFieldNumber, 5);
  wire::appendBytes(payload, Wire::kLogFieldNumber, "x");
  wire::appendFixed64(payload, Wire::kSealedNsFieldNumber, 9);
  PayloadGlance glance = glanceAt(payload);
  EXPECT_TRUE(glance.begins_sealed);
  EXPECT_EQ(glance.first_sealed, 5);
  EXPECT_EQ(glance.last_sealed, 9);
  EXPECT_FALSE(glance.has_hubs_fields);
  EXPECT_FALSE(glance.definitions_only);
  EXPECT_EQ(withoutHubsFields(payload), payload);

  std::string forged = payload;
  wire::appendFixed64(forged, Wire::kReceivedNsFieldNumber, kMax);
  wire::appendBytes(forged, Wire::kOnlyNodeFieldNumber, "victim");
  wire::appendBytes(forged, Wire::kLogFieldNumber, "y");
  EXPECT_TRUE(glanceAt(forged).has_hubs_fields);
  std::string expected = payload;
  wire::appendBytes(expected, Wire::kLogFieldNumber, "y");
  EXPECT_EQ(withoutHubsFields(forged), expected);
  EXPECT_EQ(withoutHubsFields(forged + "\xff"), expected + "\xff") << "malformed bytes stay where they were";
  EXPECT_FALSE(glanceAt("\xff\xff").begins_sealed);

  std::string definitions;
  wire::appendBytes(definitions, Wire::kDefineSeriesFieldNumber, "");
  EXPECT_TRUE(glanceAt(definitions).definitions_only);
}

TEST(PayloadGlance, PartsAreCountedBeforeTheyAreMade) {
  std::string judgements;
  for (int i = 0; i < 1'000; ++i) wire::appendBytes(judgements, 1, "");
  EXPECT_TRUE(fewParts(judgements, 1'000, 1));
  EXPECT_FALSE(fewParts(judgements, 999, 1));
  std::string nested;
  wire::appendBytes(nested, 3, judgements);
  EXPECT_TRUE(fewParts(nested, 500, 1));
  EXPECT_FALSE(fewParts(nested, 500, 2));
}

}  // namespace
}  // namespace runglass
