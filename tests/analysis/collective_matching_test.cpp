// SPDX-License-Identifier: Apache-2.0
// Identifies calls of one collective where the source records neither communicator nor number, as with profilers up to PyTorch 2.1 and
// Nsight Systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/collectives/waited_rank.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;
using testing::Each;

ClockGap oneClock(std::int32_t, std::int32_t) { return {}; }

constexpr std::int64_t kUs = kNsPerUs;

CollectiveCall call(std::int32_t rank, std::int64_t from_us, std::int64_t to_us, const std::string& name = "ncclDevKernel_AllReduce",
                    std::int64_t step = kAbsent) {
  return {.rank = rank, .t0 = from_us * kUs, .t1 = to_us * kUs, .step = step, .name = name};
}

std::vector<std::vector<std::int32_t>> ranksOf(const std::vector<CollectiveSet>& sets, Match match) {
  std::vector<std::vector<std::int32_t>> out;
  for (const CollectiveSet& set : sets) {
    if (set.match != match) continue;
    out.emplace_back();
    for (const CollectiveCall& one : set.calls) out.back().push_back(one.rank);
  }
  return out;
}

TEST(CollectiveMatching, CallsOfAllRanksAreMatchedByTheirOrder) {
  std::vector<CollectiveCall> calls;
  for (int i = 0; i < 3; ++i)
    for (std::int32_t rank = 0; rank < 4; ++rank) calls.push_back(call(rank, i * 1'000 + (rank == 2 ? 700 : 10 * rank), i * 1'000 + 800));
  const auto sets = matchCalls(calls, {}, true);
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_THAT(ranksOf(sets, Match::kMatched), Each(testing::ElementsAre(0, 1, 3, 2))) << "rank 2 begins last";
  EXPECT_TRUE(sets[0].whole());
}

TEST(CollectiveMatching, ACallThatOneRankDidNotRecordShiftsNoOther) {
  // Rank 1's trace begins later: it lacks the first call.
  const std::vector calls{call(0, 0, 20),        call(0, 30, 900), call(0, 1'000, 1'900), call(1, 890, 901),
                          call(1, 1'880, 1'902), call(2, 2, 21),   call(2, 33, 899),      call(2, 1'001, 1'901)};
  for (const bool all : {true, false}) {
    const auto sets = matchCalls(calls, {}, all);
    EXPECT_THAT(ranksOf(sets, Match::kMatched), testing::ElementsAre(testing::ElementsAre(0, 2, 1), testing::ElementsAre(0, 2, 1)));
    EXPECT_EQ(ranksOf(sets, Match::kCounts).size(), 1U) << "the first call of ranks 0 and 2 is of no collective of all";
  }
}

TEST(CollectiveMatching, EqualCountsOfATraceThatIsCutAreNoOrder) {
  // Rank 0 recorded the collective before rank 1's first one, rank 1 the one after rank 0's last one.
  const std::vector calls{call(0, 0, 100), call(0, 200, 400), call(0, 500, 700), call(1, 350, 401), call(1, 640, 700), call(1, 900, 1'000)};
  EXPECT_EQ(ranksOf(matchCalls(calls, {}, true), Match::kMatched).size(), 2U);
}

TEST(CollectiveMatching, CollectivesOfTwoPairsThatRunAtTheSameTimeAreNotOneOfFour) {
  std::vector<CollectiveCall> calls;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t from = i * 10'000;
    // Ranks 0 and 1 are a communicator, 2 and 3 another, which runs 2 ms later.
    for (const std::int32_t rank : {0, 1}) calls.push_back(call(rank, from, from + 4'000));
    for (const std::int32_t rank : {2, 3}) calls.push_back(call(rank, from + 2'000, from + 6'000));
  }
  EXPECT_TRUE(ranksOf(matchCalls(calls, {}, true), Match::kMatched).empty());
}

TEST(CollectiveMatching, ClocksThatAreApartLeaveTheOrder) {
  const std::vector calls{call(0, 0, 100), call(0, 200, 400), call(1, 90'000, 90'050), call(1, 90'300, 90'350)};
  EXPECT_EQ(ranksOf(matchCalls(calls, {}, true), Match::kDisjoint).size(), 2U) << "durations may still be compared";
}

TEST(CollectiveMatching, AStoppedMatchingEndsWithoutItsSets) {
  std::vector<CollectiveCall> calls;
  for (std::int64_t i = 0; i < 50; ++i)
    for (std::int32_t rank = 0; rank < 4; ++rank)
      if (i != 7 || rank != 2) calls.push_back(call(rank, i * 1'000 + 10 * rank, i * 1'000 + 800));  // counts differ: matched by their ends
  std::stop_source stop;
  EXPECT_EQ(ranksOf(matchCalls(calls, {}, true, stop.get_token()), Match::kMatched).size(), 49U);
  stop.request_stop();
  EXPECT_TRUE(ranksOf(matchCalls(calls, {}, true, stop.get_token()), Match::kMatched).empty());
}

TEST(CollectiveMatching, OneRankAloneSaysNothingOfItsCommunicator) {
  const auto sets = matchCalls({call(0, 0, 100), call(0, 200, 400)}, {}, true);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].match, Match::kAlone);
  EXPECT_EQ(sets[0].members, 0U) << "not known, so that no wait of it is known either";
}

TEST(CollectiveMatching, SendsAndReceivesWithoutACommunicatorAreNoCollective) {
  const std::vector calls{call(0, 0, 100, "forward-send"), call(1, 0, 100, "forward-send")};
  EXPECT_TRUE(ranksOf(matchCalls(calls, {}, true), Match::kMatched).empty());
}

// `begins` gives the begin of a rank in a collective, relative to its first possible one; all end together. A collective every 10 ms, 4 per
// step.
template <class Begins>
std::optional<WaitedRank> waitedIn(int collectives, std::int32_t ranks, Begins begins, std::int64_t first_step = 0) {
  std::vector<CollectiveCall> calls;
  for (int i = 0; i < collectives; ++i)
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      calls.push_back(call(rank, i * 10'000 + begins(i, rank), i * 10'000 + 9'000, "AllReduce", first_step + i / 4));
  return waitedRank(matchCalls(std::move(calls), {}, true), oneClock);
}

TEST(WaitedRank, TheOneWhoBeginsLastEachTimeIsWaitedFor) {
  for (const std::int32_t ranks : {2, 4}) {
    const auto waited = waitedIn(12, ranks, [](int, std::int32_t rank) { return rank == 1 ? 4'000 : 100 * rank; });
    ASSERT_TRUE(waited.has_value());
    EXPECT_EQ(waited->rank, 1);
    EXPECT_EQ(waited->last, 12U);
    EXPECT_EQ(waited->compared, 12U);
    EXPECT_EQ(waited->late_steps, 3U);
    EXPECT_EQ(waited->waited, 12 * (4'000 - (ranks == 2 ? 0 : 300)) * kUs) << "from the last but one on";
    EXPECT_NEAR(waited->cost(), ranks == 2 ? 48.0 / 119 : 44.4 / 119, 1e-9);
  }
}

TEST(WaitedRank, CallsThatAreOfNoCollectiveHideNobody) {
  std::vector<CollectiveCall> calls{call(0, -900, -800), call(2, -900, -800), call(0, -700, -600), call(2, -700, -600)};
  for (int i = 0; i < 12; ++i)
    for (std::int32_t rank = 0; rank < 3; ++rank) calls.push_back(call(rank, i * 10'000 + (rank == 1 ? 4'000 : 0), i * 10'000 + 9'000));
  const auto waited = waitedRank(matchCalls(calls, {}, true), oneClock);
  ASSERT_TRUE(waited.has_value());
  EXPECT_EQ(waited->rank, 1);
}

TEST(WaitedRank, OneLateCallOfTwelveIsAnAccident) {
  EXPECT_FALSE(waitedIn(12, 4, [](int i, std::int32_t rank) { return rank == 1 && i == 5 ? 8'900 : 0; }).has_value());
  // Also if it costs half of the time.
  std::vector<CollectiveCall> calls;
  for (int i = 0; i < 12; ++i)
    for (std::int32_t rank = 0; rank < 4; ++rank)
      calls.push_back(call(rank, i * 10'000 + (rank == 1 && i == 11 ? 100'000 : 0), i * 10'000 + (i == 11 ? 100'100 : 9'000)));
  EXPECT_FALSE(waitedRank(matchCalls(calls, {}, true), oneClock).has_value());
}

TEST(WaitedRank, RanksThatTakeTurnsAreNobodysFault) {
  EXPECT_FALSE(waitedIn(16, 4, [](int i, std::int32_t rank) { return rank == i % 4 ? 4'000 : 0; }).has_value());
}

TEST(WaitedRank, FewCollectivesOrShortWaitsSayNothing) {
  EXPECT_FALSE(waitedIn(9, 4, [](int, std::int32_t rank) { return rank == 1 ? 4'000 : 0; }).has_value());
  EXPECT_FALSE(waitedIn(12, 4, [](int, std::int32_t rank) { return rank == 1 ? 300 : 0; }).has_value()) << "3 % of the time";
  EXPECT_FALSE(waitedIn(12, 1, [](int, std::int32_t) { return 0; }).has_value());
}

TEST(WaitedRank, ARankThatIsLateOnceInEachStepIsWaitedForInEachStep) {
  // The first collective of a step waits; the other three follow at once.
  const auto waited = waitedIn(40, 4, [](int i, std::int32_t rank) { return rank == 3 && i % 4 == 0 ? 6'000 : 0; });
  ASSERT_TRUE(waited.has_value());
  EXPECT_EQ(waited->rank, 3);
  EXPECT_EQ(waited->last, 10U) << "of 40";
  EXPECT_EQ(waited->late_steps, waited->steps);
}

TEST(WaitedRank, ClocksThatWereNeverComparedBlameNobody) {
  std::vector<CollectiveCall> calls;
  for (int i = 0; i < 12; ++i)
    for (std::int32_t rank = 0; rank < 2; ++rank) calls.push_back(call(rank, i * 10'000 + rank * 4'000, i * 10'000 + 9'000));
  const auto never = [](std::int32_t, std::int32_t) { return ClockGap{.kind = ClockGap::Kind::kUnknown}; };
  EXPECT_FALSE(waitedRank(matchCalls(calls, {}, true), never).has_value());
}

}  // namespace
}  // namespace runglass
