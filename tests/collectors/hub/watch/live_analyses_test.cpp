// SPDX-License-Identifier: Apache-2.0
// The results of a round over live runs: only new findings, and an end for findings that are no longer reported.
#include "collectors/hub/watch/live_analyses.h"

#include <gmock/gmock.h>

#include "tests/app/live_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using What = FindingChange::What;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LiveAnalysesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FakeAnalysis::silence();
    m_writer = m_temp.writer().value();
    m_run = recordLiveRun(*m_writer, kLiveStart);
    ASSERT_TRUE(m_writer->flush().ok());
    m_reader = m_temp.reader().value();
  }
  void TearDown() override {
    m_reader.reset();
    FakeAnalysis::silence();
  }
  LiveRound round(DurNs after) {
    auto done = m_analyses->round(*m_reader, kLiveStart + after, {});
    EXPECT_TRUE(done.ok()) << done.status().message();
    return done.ok() ? *done : LiveRound();
  }
  std::vector<What> whats(DurNs after) {
    std::vector<What> all;
    for (const FindingChange& change : round(after).changes) all.push_back(change.what);
    return all;
  }
  static Finding slow(Severity severity = Severity::kWarning) { return findingOf("slow_rank", "rank:3", severity, kLiveStart); }

  TempStore m_temp;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  RunId m_run;
  const std::vector<AnalysisEntry> m_entries = FakeAnalysis::entries();
  std::unique_ptr<LiveAnalyses> m_analyses = std::make_unique<LiveAnalyses>(m_entries);
};

constexpr DurNs s = kNsPerSecond;

TEST_F(LiveAnalysesTest, AFindingIsSaidOnceAndAgainOnlyWhenItMatters) {
  FakeAnalysis::say(0, {slow()});
  EXPECT_THAT(whats(10 * s), ElementsAre(What::kNew));
  EXPECT_THAT(whats(12 * s), IsEmpty());
  Finding refined = slow();
  refined.score = 0.5;
  FakeAnalysis::say(0, {refined});
  EXPECT_THAT(whats(14 * s), IsEmpty());
  EXPECT_THAT(whats(10 * s + LiveAnalyses::kRefineEvery), ElementsAre(What::kRefined));
  FakeAnalysis::say(0, {slow(Severity::kError)});
  EXPECT_THAT(whats(42 * s), ElementsAre(What::kChanged));
}

TEST_F(LiveAnalysesTest, WhatIsNoLongerReportedIsWithdrawnAndOpenAgainWhenItIs) {
  FakeAnalysis::say(0, {slow()});
  round(10 * s);
  FakeAnalysis::say(0, std::vector<Finding>());
  const LiveRound ended = round(12 * s);
  ASSERT_THAT(ended.changes, SizeIs(1));
  EXPECT_EQ(ended.changes[0].what, What::kChanged);
  EXPECT_EQ(ended.changes[0].finding.end, kLiveStart);
  EXPECT_EQ(ended.changes[0].finding.severity, Severity::kInfo);
  EXPECT_THAT(ended.changes[0].finding.summary, HasSubstr("Withdrawn: "));
  EXPECT_THAT(whats(14 * s), IsEmpty());
  FakeAnalysis::say(0, {slow()});
  const LiveRound back = round(16 * s);
  ASSERT_THAT(back.changes, SizeIs(1));
  EXPECT_EQ(back.changes[0].what, What::kChanged);
  EXPECT_EQ(back.changes[0].finding.end, std::nullopt);
  EXPECT_EQ(back.changes[0].finding.severity, Severity::kWarning);
}

TEST_F(LiveAnalysesTest, AnAnalysisThatFailsEndsNothingAndIsReportedOnce) {
  FakeAnalysis::say(0, {slow()});
  FakeAnalysis::say(1, {findingOf("loss_spike", "run", Severity::kInfo, kLiveStart)});
  round(10 * s);
  FakeAnalysis::say(0, [](const Question&) { return Status(Code::kDataLoss, "chunk 7 is damaged"); });
  FakeAnalysis::say(1, std::vector<Finding>());
  const LiveRound failed = round(12 * s);
  ASSERT_THAT(failed.changes, SizeIs(1));
  EXPECT_EQ(failed.changes[0].finding.kind, "loss_spike");
  ASSERT_THAT(failed.issues, SizeIs(1));
  EXPECT_EQ(failed.issues[0].code, "watch.analysis_failed");
  EXPECT_EQ(failed.issues[0].source, "fake_first");
  EXPECT_THAT(failed.issues[0].detail, HasSubstr("chunk 7 is damaged"));
  EXPECT_THAT(round(14 * s).issues, IsEmpty());
}

TEST_F(LiveAnalysesTest, AfterARestartWhatTheStoreHasIsKnownAndNotWrittenAgain) {
  Finding stored = slow();
  stored.run = m_run;
  m_writer->finding(stored);
  Finding gone = findingOf("stall", "run", Severity::kError, kLiveStart);
  gone.run = m_run;
  m_writer->finding(gone);
  ASSERT_TRUE(m_writer->flush().ok());
  FakeAnalysis::say(0, {slow()});
  FakeAnalysis::say(1, [](const Question&) { return Status(Code::kUnavailable, "not now"); });
  EXPECT_THAT(whats(10 * s), ElementsAre(What::kKnown)) << "what nobody of those who answered said may be the other's";
  FakeAnalysis::say(1, std::vector<Finding>());
  const LiveRound round2 = round(12 * s);
  ASSERT_THAT(round2.changes, SizeIs(1));
  EXPECT_EQ(round2.changes[0].finding.kind, "stall");
  EXPECT_TRUE(round2.changes[0].finding.end.has_value());
}

TEST_F(LiveAnalysesTest, ARunThatEndedIsAskedOnceMoreAsOfItsLastData) {
  std::vector<std::optional<TimeNs>> nows;
  FakeAnalysis::say(0, [&](const Question& question) {
    nows.push_back(question.now);
    return std::vector<Finding>{slow()};
  });
  round(10 * s);
  (void)m_writer->run({.uuid = "live-uuid", .name = "live live-uuid", .state = RunState::kFinished, .end = kLiveStart + 11 * s});
  ASSERT_TRUE(m_writer->flush().ok());
  const LiveRound last = round(12 * s);
  EXPECT_THAT(round(14 * s).changes, IsEmpty());
  EXPECT_THAT(nows, ElementsAre(kLiveStart + 10 * s, std::nullopt));
  ASSERT_THAT(last.changes, SizeIs(1)) << "what still holds ends with the run";
  EXPECT_EQ(last.changes[0].what, What::kChanged);
  EXPECT_EQ(last.changes[0].finding.end, kLiveStart + 11 * s);
}

// After an outage an agent sends its spooled data: it is minutes old, and not a sign of a stalled run.
TEST_F(LiveAnalysesTest, ARunThatCatchesUpIsNotSilentUntilNow) {
  std::vector<DurNs> until;
  FakeAnalysis::say(0, [&](const Question& question) {
    until.push_back(question.now.value() - kLiveStart);
    return std::vector<Finding>();
  });
  const AttemptId attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kLiveStart});
  const auto roundWith = [&](DurNs newest, DurNs now) {
    m_writer->progress({.attempt = attempt, .rank = 0, .time = kLiveStart + newest, .step = newest / s});
    ASSERT_TRUE(m_writer->flush().ok());
    round(now);
  };
  roundWith(100 * s, 200 * s);                                                       // the first one: its pace is unknown
  for (const DurNs i : {1, 2, 3}) roundWith((100 + 20 * i) * s, (200 + 2 * i) * s);  // ten times real-time speed
  EXPECT_THAT(until, ElementsAre(200 * s, 120 * s, 140 * s, 160 * s));
  until.clear();
  for (const DurNs i : {1, 2, 3}) roundWith(160 * s, (206 + 10 * i) * s);  // then it stalls
  EXPECT_EQ(until.back(), 236 * s);
  until.clear();
  for (DurNs i = 0; i < 20; ++i) roundWith((240 + i / 4 * 8) * s, (240 + 2 * i) * s);  // steps of eight seconds, in real time
  for (std::size_t i = 12; i < until.size(); ++i) EXPECT_GT(until[i], (240 + 2 * static_cast<DurNs>(i)) * s - 10 * s);
}

TEST_F(LiveAnalysesTest, RunsWithoutAClockOrLeftBehindAreNotAsked) {
  int asked = 0;
  FakeAnalysis::say(0, [&](const Question&) {
    ++asked;
    return std::vector<Finding>();
  });
  (void)m_writer->run({.uuid = "steps", .name = "steps", .time_domain = TimeDomain::kNone, .state = RunState::kRunning});
  ASSERT_TRUE(m_writer->flush().ok());
  round(LiveAnalyses::kForgotten + 20 * s);
  EXPECT_EQ(asked, 0);
  round(20 * s);
  EXPECT_EQ(asked, 1) << "the run with a clock, while its data is fresh";
}

TEST_F(LiveAnalysesTest, AFloodOfFindingsIsBoundedAndReportedOnce) {
  std::vector<Finding> flood;
  for (std::size_t i = 0; i < LiveAnalyses::kMaxFindings + 500; ++i)
    flood.push_back(findingOf("slow_rank", "rank:" + std::to_string(i), Severity::kInfo, kLiveStart));
  FakeAnalysis::say(0, std::move(flood));
  const LiveRound first = round(10 * s);
  EXPECT_THAT(first.changes, SizeIs(LiveAnalyses::kMaxFindings));
  ASSERT_THAT(first.issues, SizeIs(1));
  EXPECT_EQ(first.issues[0].code, "watch.too_many_findings");
  const LiveRound second = round(12 * s);
  EXPECT_THAT(second.changes, IsEmpty());
  EXPECT_THAT(second.issues, IsEmpty());
}

}  // namespace
}  // namespace runglass
