// SPDX-License-Identifier: Apache-2.0
// The ranking's kernels: votes of waiting, NVRx's scores, suspects, merged rows, aggregates, and when to replace a machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/collectives/wait_vote.h"
#include "analysis/ranking/eviction.h"
#include "analysis/ranking/rank_rows.h"
#include "analysis/ranking/roll_up.h"
#include "analysis/slow_ranks/nvrx_scores.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;

// `count` collectives of four ranks that end together; rank `late` enters 9 ms after the others. Clocks of odd ranks are off by `apart`.
std::vector<CollectiveSet> collectives(int count, std::int32_t late, DurNs apart = 0) {
  std::vector<CollectiveCall> calls;
  for (int n = 0; n < count; ++n)
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      const TimeNs base = n * kNsPerSecond + (rank % 2 == 1 ? apart : 0);
      calls.push_back({.rank = rank,
                       .t0 = base + (rank == late ? 9 * kNsPerMs : 0),
                       .t1 = base + 10 * kNsPerMs,
                       .group = 1,
                       .seq = n,
                       .name = "ncclAllReduce"});
    }
  return matchCalls(std::move(calls), {{1, {0, 1, 2, 3}}});
}

TEST(WaitVote, TheRankThatComesLastWaitsLeastAndIsAbnormal) {
  const auto votes = waitVotes(collectives(20, 2));
  ASSERT_EQ(votes.size(), 4U);
  EXPECT_EQ(votes[2].compared, 20U);
  EXPECT_DOUBLE_EQ(votes[2].ratio(), 1);
  EXPECT_TRUE(votes[2].abnormal());
  EXPECT_EQ(votes[0].shorter, 0U) << "who waits is not slow";
}

TEST(WaitVote, ClocksThatAreApartChangeNothing) {
  const auto votes = waitVotes(collectives(20, 2, 500 * kNsPerMs));
  ASSERT_EQ(votes.size(), 4U);
  EXPECT_TRUE(votes[2].abnormal());
  EXPECT_FALSE(votes[1].abnormal());
}

TEST(WaitVote, ShortCallsAreComparedAsExactlyAsTheirTimesAreReported) {
  // 1,000 compared with 1,080 ns is 93 %: no rank waits much less. For times since 1970, a double loses the last 256 ns.
  std::vector<CollectiveSet> sets = collectives(20, -1);
  TimeNs begin = 1'790'000'000LL * kNsPerSecond;
  for (CollectiveSet& set : sets) {
    begin += 1'000'037;
    for (CollectiveCall& call : set.calls) call.t0 = begin, call.t1 = begin + (call.rank == 2 ? 1'000 : 1'080);
  }
  for (const WaitVote& vote : waitVotes(sets)) EXPECT_EQ(vote.shorter, 0U) << vote.rank;
}

TEST(WaitVote, FewCollectivesMakeNobodyAbnormal) {
  const auto votes = waitVotes(collectives(static_cast<int>(kMinVotes) - 1, 2));
  EXPECT_FALSE(votes[2].enough());
  EXPECT_FALSE(votes[2].abnormal());
}

TEST(WaitVote, EvenRanksAndOpenOrUnmatchedCallsVoteForNobody) {
  for (const WaitVote& vote : waitVotes(collectives(20, -1))) EXPECT_EQ(vote.shorter, 0U);
  EXPECT_TRUE(waitVotes({}).empty());
  auto sets = collectives(3, 2);
  for (CollectiveSet& set : sets) set.calls[0].t1 = std::numeric_limits<TimeNs>::max();
  EXPECT_TRUE(waitVotes(sets).empty()) << "an open call has no duration";
  sets = collectives(3, 2);
  for (CollectiveSet& set : sets) set.match = CollectiveSet::Match::kCounts;
  EXPECT_TRUE(waitVotes(sets).empty());
}

StepTable tableOf(const std::vector<std::vector<double>>& values) {
  StepTable table{.basis = SlownessBasis::kWork, .steps = {}, .parts = {}, .ranks = {}};
  for (std::size_t s = 0; s < values.front().size(); ++s) table.steps.push_back(static_cast<std::int64_t>(s));
  for (std::size_t r = 0; r < values.size(); ++r)
    table.ranks.push_back({.rank = static_cast<std::int32_t>(r), .role = 0, .value_ns = values[r], .part_ns = {}, .wait_ns = {}});
  return table;
}

TEST(NvrxScores, ARankIsHeldAgainstTheFastestAndAgainstItsOwnBestLevel) {
  std::vector<double> steady(60, 100e6), slower(60, 100e6);
  for (std::size_t s = 40; s < 60; ++s) slower[s] = 200e6;
  const auto scores = nvrxScores(tableOf({steady, slower, std::vector<double>(60, 125e6)}));
  EXPECT_DOUBLE_EQ(*scores[0].relative, 1);
  EXPECT_DOUBLE_EQ(*scores[2].relative, 0.8);
  EXPECT_DOUBLE_EQ(*scores[0].individual, 1);
  EXPECT_DOUBLE_EQ(*scores[1].individual, 0.5) << "it was twice as fast before";
}

TEST(NvrxScores, WithoutAnEarlierLevelAPeerOrNumbersThereIsNone) {
  const auto few = nvrxScores(tableOf({std::vector<double>(10, 1e6)}));
  EXPECT_FALSE(few[0].individual);
  EXPECT_FALSE(few[0].relative) << "alone it is nobody's peer";
  const auto none = nvrxScores(tableOf({std::vector<double>(60, std::nan("")), std::vector<double>(60, 1e6)}));
  EXPECT_FALSE(none[0].relative);
  EXPECT_FALSE(none[0].individual);
}

Finding finding(std::string kind, std::string subject, std::string evidence, std::int64_t first, std::int64_t last, bool ended = false) {
  Finding out;
  out.attempt = AttemptId{1};
  out.kind = std::move(kind), out.subject = std::move(subject), out.evidence = std::move(evidence);
  out.first_step = first, out.last_step = last, out.start = first * kNsPerSecond, out.confidence = 0.95;
  if (ended) out.end = last * kNsPerSecond;
  return out;
}

TEST(Suspects, WhoHoldsComesFirstAndOfThemTheCostliestThatIsBlamed) {
  const std::vector<Finding> findings = {
      finding("slow_rank", "rank:1", R"({"cost_ratio":0.5,"slow_ranks":[1]})", 10, 20, true),
      finding("stage_imbalance", "stage:1", R"({"cost_ratio":0.3,"stage":1})", 10, 200),
      finding("slow_rank", "rank:2", R"({"cost_ratio":0.01,"slow_ranks":[2],"cause":"thermal","pattern":"cell"})", 10, 200),
      finding("slow_node", "node:n1", R"({"cost_ratio":0.04,"slow_ranks":[8,9]})", 10, 200)};
  const Suspects suspects = suspectsOf(findings, AttemptId{1}, 200);
  ASSERT_EQ(suspects.all.size(), 4U);
  EXPECT_EQ(suspects.worst()->subject, "node:n1");
  EXPECT_EQ(suspects.all[1].subject, "rank:2");
  EXPECT_EQ(suspects.all[1].cause, "thermal");
  EXPECT_EQ(suspects.all[2].kind, "stage_imbalance");
  EXPECT_FALSE(suspects.all[3].holds) << "it ended long before the newest step";
}

TEST(Suspects, EvidenceOfAnyShapeIsTakenOrLeft) {
  for (const char* evidence : {"", "[]", "{", "null", R"({"cost_ratio":"much","slow_ranks":{"a":1},"machine":[1],"cause":7,"steps":1e300})",
                               R"({"slow_ranks":[null,"x",3.5,[]],"machine":{"sm_clock_hertz":3},"steps":-4,"steps_above":-2})"}) {
    const std::vector<Finding> findings = {finding("slow_rank", "rank:2", evidence, 1, 2)};
    const Suspects suspects = suspectsOf(findings, AttemptId{1}, {});
    ASSERT_EQ(suspects.all.size(), 1U) << evidence;
    EXPECT_FALSE(suspects.all[0].cost);
    EXPECT_FALSE(suspects.all[0].persistence());
    EXPECT_TRUE(suspects.all[0].ranks.empty());
  }
}

TEST(Suspects, AShiftThatSomebodyExplainsIsNotEverybodys) {
  std::vector<Finding> findings = {finding("throughput_shift", "run", R"({"explained_by":{"kind":"slow_rank"}})", 50, 90)};
  findings[0].score = 0.05;
  EXPECT_FALSE(suspectsOf(findings, AttemptId{1}, 90).shift);
  findings[0].evidence = "{}";
  const auto shift = suspectsOf(findings, AttemptId{1}, 90).shift;
  ASSERT_TRUE(shift);
  EXPECT_DOUBLE_EQ(shift->change, 0.05);
  EXPECT_FALSE(suspectsOf(findings, AttemptId{2}, 90).shift) << "another attempt's";
}

TEST(Suspects, AShiftThatEndedIsNotWhatHoldsForAllNow) {
  std::vector<Finding> findings = {finding("throughput_shift", "run", "{}", 50, 90)};
  findings[0].score = 0.05, findings[0].end = 1;
  EXPECT_FALSE(suspectsOf(findings, AttemptId{1}, 900).shift);
  EXPECT_TRUE(suspectsOf(findings, AttemptId{1}, 100).shift) << "until the run's end";
}

// Two nodes of four ranks; rank 5 works 30 % longer.
struct Job {
  StepTable table = tableOf(std::vector<std::vector<double>>(8, std::vector<double>(60, 100e6)));
  std::vector<Rank> places;
  SlowRanks relative;
  std::vector<NvrxScore> nvrx;
  Suspects suspects;
  SlowVerdict verdict;
  Job() {
    table.ranks[5].value_ns.assign(60, 130e6);
    for (std::int32_t r = 0; r < 8; ++r)
      places.push_back({.attempt = AttemptId{1}, .rank = r, .node = NodeId{static_cast<std::uint64_t>(1 + r / 4)}});
    relative = rankBySlowness(table);
    nvrx = nvrxScores(table);
  }
  RankSources sources() {
    verdict = judgeSlowness(relative, suspects, places);
    return {.places = places, .relative = &relative, .nvrx = &nvrx, .suspects = &suspects, .verdict = &verdict};
  }
};

TEST(RankRows, RanksAreGroupedByNodeAndTheWorstNodeComesFirst) {
  Job job;
  const auto rows = rankRows(job.sources());
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].place.rank, 5);
  EXPECT_EQ(rows[0].kind, ScoreKind::kRelative);
  EXPECT_NEAR(*rows[0].score, 1.3, 1e-6);
  EXPECT_TRUE(rows[0].stands_out);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)].place.node, NodeId{2});
  EXPECT_FALSE(rows[0].change) << "there was no attempt before";
  EXPECT_FALSE(rows[0].new_node);
  EXPECT_FALSE(rows[0].gpu_hours_per_day) << "no finding says what it costs";
}

TEST(RankRows, WhatAFindingConcludedIsReported) {
  Job job;
  const std::vector<Finding> findings = {finding(
      "slow_rank", "rank:5",
      R"({"cost_ratio":0.1,"slower_ratio":0.31,"slow_ranks":[5],"cause":"thermal","gpu_hours_per_day":19.2,"steps":60,"steps_above":57})",
      7, 59)};
  job.suspects = suspectsOf(findings, AttemptId{1}, 59);
  const auto rows = rankRows(job.sources());
  EXPECT_EQ(rows[0].since_step, 7);
  EXPECT_EQ(rows[0].cause, "thermal");
  EXPECT_DOUBLE_EQ(*rows[0].gpu_hours_per_day, 19.2);
  EXPECT_DOUBLE_EQ(*rows[0].persistence, 0.95);
  EXPECT_DOUBLE_EQ(*rows[0].score, 1.31) << "the percentage that the finding prints";
}

TEST(RankRows, OfWhatIsOverTheFindingIsTheScore) {
  Job job;
  const std::vector<Finding> findings = {finding("slow_rank", "rank:2", R"({"slower_ratio":0.4,"slow_ranks":[2]})", 5, 20, true)};
  job.suspects = suspectsOf(findings, AttemptId{1}, 400);
  const auto rows = rankRows(job.sources());
  EXPECT_EQ(rows[0].place.rank, 5) << "who is slow now comes first";
  EXPECT_EQ(rows[4].place.rank, 2);
  EXPECT_DOUBLE_EQ(*rows[4].score, 1.4);
  EXPECT_FALSE(rows[4].stands_out);
}

TEST(RankRows, TheAttemptBeforeTellsWhatChangedAndWhichNodesAreNew) {
  Job job;
  EarlierAttempt earlier{.number = 0, .kind = ScoreKind::kRelative, .score = {{5, 1.1}}, .nodes = {NodeId{1}}};
  RankSources sources = job.sources();
  sources.earlier = &earlier;
  const auto rows = rankRows(sources);
  EXPECT_NEAR(*rows[0].change, 0.2, 1e-6);
  EXPECT_TRUE(*rows[0].new_node);
  EXPECT_FALSE(*rows[4].new_node);
  earlier.kind = ScoreKind::kWhatIf;
  EXPECT_FALSE(rankRows(sources)[0].change) << "scores of two kinds have no difference";
}

TEST(RankRows, TheKindOfScoreIsTheBestThatWasRecorded) {
  Job job;
  const std::vector<WaitVote> votes = {{.rank = 0, .compared = 40, .shorter = 2}, {.rank = 1, .compared = 40, .shorter = 39}};
  RankSources sources = job.sources();
  sources.votes = &votes;
  EXPECT_EQ(scoreKindOf(sources), ScoreKind::kRelative);
  job.relative.basis = SlownessBasis::kStepTime;
  job.verdict = {};  // whole steps are not the score
  EXPECT_EQ(scoreKindOf(sources), ScoreKind::kWaitVote) << "whole steps tell nobody apart";
  const auto rows = rankRows(sources);
  EXPECT_EQ(rows[0].place.rank, 1);
  EXPECT_DOUBLE_EQ(*rows[0].score, 39.0 / 40);
  EXPECT_FALSE(rows[0].slower) << "a vote does not say by how much";
  WhatIfScores what_if{.s = {{3, 1.5}}, .coverage = 0.9, .confidence = 0.8, .first_step = {}, .last_step = {}};
  sources.what_if = &what_if;
  EXPECT_EQ(scoreKindOf(sources), ScoreKind::kWhatIf);
  EXPECT_EQ(rankRows(sources)[0].place.rank, 3);
  EXPECT_FALSE(scoreKindOf({}));
  EXPECT_TRUE(rankRows({}).empty());
}

TEST(RollUp, ALargerThingIsAsBadAsItsWorstRankAndItsCostIsCountedOnce) {
  Job job;
  const std::vector<Finding> findings = {finding("slow_node", "node:b", R"({"slow_ranks":[4,5],"gpu_hours_per_day":10})", 5, 59)};
  job.suspects = suspectsOf(findings, AttemptId{1}, 59);
  const auto rows = rankRows(job.sources());
  const auto rolled = rollUp(rows, &job.suspects, [](const RankedRow& row) {
    return row.place.node == NodeId{2} ? "b" : row.place.rank == 0 ? "" : "a";
  });
  ASSERT_EQ(rolled.size(), 2U);
  EXPECT_EQ(rolled[0].name, "b");
  EXPECT_EQ(rows[rolled[0].worst].place.rank, 5);
  EXPECT_EQ(rolled[0].standing_out, 2U);
  EXPECT_DOUBLE_EQ(*rolled[0].gpu_hours_per_day, 10);
  EXPECT_EQ(rolled[1].members.size(), 3U) << "whose place is not known belongs to none";
}

TEST(RollUp, CostsOfRanksForWhichEverybodyWaitsAnywayDoNotAddAndWhatIsOverCostsNothingNow) {
  Job job;
  std::vector<Finding> findings = {finding("slow_rank", "rank:4", R"({"slow_ranks":[4],"gpu_hours_per_day":10})", 5, 59),
                                   finding("slow_rank", "rank:5", R"({"slow_ranks":[5],"gpu_hours_per_day":12})", 30, 59),
                                   finding("slow_rank", "rank:6", R"({"slow_ranks":[6],"gpu_hours_per_day":90})", 2, 9)};
  findings[2].end = 1;
  job.suspects = suspectsOf(findings, AttemptId{1}, 59);
  const auto rolled = rollUp(rankRows(job.sources()), &job.suspects, [](const RankedRow&) { return "all"; });
  ASSERT_EQ(rolled.size(), 1U);
  EXPECT_DOUBLE_EQ(*rolled[0].gpu_hours_per_day, 12);
}

constexpr DurNs kHour = 3'600 * kNsPerSecond;

TEST(Eviction, TheBreakEvenIsWhereTheLossHasCostAsMuchAsARestart) {
  EvictionCase facts{
      .cost_ratio = 0.1, .since = 0, .now = 2 * kHour, .holds = true, .gpus = 100, .restart = restartTimeOf({kHour / 2, kHour / 4, kHour})};
  EvictionAdvice advice = adviseEviction(facts);
  EXPECT_EQ(advice.verdict, EvictionVerdict::kBear);
  EXPECT_DOUBLE_EQ(*advice.lost_gpu_hours, 20);
  EXPECT_DOUBLE_EQ(*advice.replace_gpu_hours, 50) << "half an hour, the median, of 100 GPUs";
  EXPECT_NEAR(static_cast<double>(*advice.break_even), 5.0 * kHour, 1e6);
  facts.now = 6 * kHour;
  EXPECT_EQ(adviseEviction(facts).verdict, EvictionVerdict::kReplace);
  facts.holds = false;
  EXPECT_EQ(adviseEviction(facts).verdict, EvictionVerdict::kOver);
}

TEST(Eviction, WhatIsNotKnownIsSaidAndNeverFree) {
  EvictionCase facts{.cost_ratio = 0.1, .since = 0, .now = kHour, .holds = true, .gpus = 8, .restart = restartTimeOf({})};
  EvictionAdvice advice = adviseEviction(facts);
  EXPECT_EQ(advice.verdict, EvictionVerdict::kUnknown);
  EXPECT_NE(advice.reason.find("restart"), std::string::npos);
  EXPECT_TRUE(advice.lost_gpu_hours) << "the loss is known all the same";
  EXPECT_FALSE(advice.replace_gpu_hours);
  for (const double cost : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    facts.cost_ratio = cost;
    EXPECT_EQ(adviseEviction(facts).verdict, EvictionVerdict::kUnknown);
  }
  facts.cost_ratio = 1e-300, facts.restart = restartTimeOf({kHour});
  EXPECT_FALSE(adviseEviction(facts).break_even) << "never within any clock";
}

}  // namespace
}  // namespace runglass
