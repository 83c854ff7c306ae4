// SPDX-License-Identifier: Apache-2.0
// Shifts computed from matched ends: generated clusters with known clock errors, and data that must be rejected.
#include "analysis/clock_align/clock_align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeNs kBegin = 1'790'000'000LL * kNsPerSecond;

struct MadeClock {
  DurNs ahead = 0;
  double drift = 0;  // of the time since kBegin
  TimeNs stamp(TimeNs time) const { return time + ahead + static_cast<DurNs>(drift * static_cast<double>(time - kBegin)); }
};

class Cluster {
 public:
  explicit Cluster(std::vector<MadeClock> clocks) : m_clocks(std::move(clocks)) {
    for (std::size_t c = 0; c < m_clocks.size(); ++c) names.push_back("node-" + std::to_string(c));
    own_error.resize(m_clocks.size());
  }
  void collective(TimeNs end, const std::vector<std::uint32_t>& members) {
    std::vector<MatchedOps::End> ends;
    for (const std::uint32_t c : members) ends.push_back({c, m_clocks[c].stamp(end + jitter())});
    ops.add(ends, false);
  }
  // A collective every `every`, for `length`.
  void collectives(const std::vector<std::uint32_t>& members, DurNs every, DurNs length, TimeNs from = kBegin) {
    for (TimeNs t = from; t < from + length; t += every) collective(t, members);
  }
  void message(TimeNs sent, std::uint32_t from, std::uint32_t to, DurNs latency) {
    const MatchedOps::End ends[] = {{from, m_clocks[from].stamp(sent + jitter())}, {to, m_clocks[to].stamp(sent + latency + jitter())}};
    ops.add(ends, true);
  }
  DurNs jitter() { return static_cast<DurNs>(std::abs(m_normal(m_random)) * 15'000); }  // an end is reported late, never early
  ClockAlign align() const { return alignClocks(ops, names, own_error); }
  // The remaining error of a clock at a time, relative to clock `reference`.
  DurNs leftover(const ClockAlign& found, std::size_t clock, TimeNs time, std::size_t reference = 0) const {
    const auto aligned = [&](std::size_t c) {
      const TimeNs stamp = m_clocks[c].stamp(time);
      const auto& knots = found.clocks[c].knots;
      if (knots.empty()) return stamp;
      if (stamp <= knots.front().at) return stamp + knots.front().shift;
      for (std::size_t i = 1; i < knots.size(); ++i) {
        if (stamp > knots[i].at) continue;
        const double share = static_cast<double>(stamp - knots[i - 1].at) / static_cast<double>(knots[i].at - knots[i - 1].at);
        return stamp + knots[i - 1].shift + static_cast<DurNs>(share * static_cast<double>(knots[i].shift - knots[i - 1].shift));
      }
      return stamp + knots.back().shift;
    };
    return std::abs(aligned(clock) - aligned(reference));
  }
  void expectWithinError(const ClockAlign& found, TimeNs time) const {
    for (std::size_t c = 0; c < m_clocks.size(); ++c)
      EXPECT_LE(leftover(found, c, time), found.clocks[c].error + found.clocks[0].error)
          << names[c] << " after " << (time - kBegin) / kNsPerMs << " ms";
  }

  MatchedOps ops;
  std::vector<std::string> names;
  std::vector<std::optional<DurNs>> own_error;

 private:
  std::vector<MadeClock> m_clocks;
  std::mt19937_64 m_random{7};
  std::normal_distribution<double> m_normal;
};

TEST(AlignClocks, FindsSkewsFromMicrosecondsToAnHour) {
  Cluster cluster({{0}, {5 * kNsPerMs}, {-200'000}, {3'600 * kNsPerSecond}, {0}});
  cluster.collectives({0, 1, 2, 3, 4}, 50 * kNsPerMs, 20 * kNsPerSecond);
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  EXPECT_EQ(found.matches, 400);
  EXPECT_THAT(found.clocks[0].knots, IsEmpty()) << "most agree: they stay";
  EXPECT_THAT(found.clocks[4].knots, IsEmpty());
  ASSERT_EQ(found.clocks[1].knots.size(), 1U) << "it does not drift";
  EXPECT_NEAR(static_cast<double>(found.clocks[1].shift), -5e6, 10'000);
  EXPECT_NEAR(static_cast<double>(found.clocks[2].shift), 200'000, 10'000);
  EXPECT_LT(found.clocks[3].error, 100'000) << "as well known as the others";
  EXPECT_GT(found.clocks[3].before, 3'599 * kNsPerSecond);
  EXPECT_LT(found.after, 20'000);
  cluster.expectWithinError(found, kBegin + 10 * kNsPerSecond);
}

TEST(AlignClocks, FollowsDriftFromTheFirstMatchToTheLast) {
  // 40 ppm and -25 ppm over 20 minutes: 48 ms and -30 ms.
  Cluster cluster({{0}, {kNsPerMs, 40e-6}, {-7 * kNsPerMs, -25e-6}, {0}});
  constexpr DurNs kLength = 1'200 * kNsPerSecond;
  cluster.collectives({0, 1, 2, 3}, 200 * kNsPerMs, kLength);
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  EXPECT_GE(found.windows, 15U);
  for (const DurNs after : {DurNs{0}, 30 * kNsPerSecond, 601 * kNsPerSecond, kLength - kNsPerSecond})
    cluster.expectWithinError(found, kBegin + after);
  EXPECT_LT(cluster.leftover(found, 1, kBegin), 30'000) << "the ends of the run are not left to the nearest window's middle";
  EXPECT_LT(cluster.leftover(found, 1, kBegin + kLength), 30'000);
  EXPECT_LE(found.clocks[1].knots.size(), 4U) << "a straight drift needs no knot a minute";
  EXPECT_LT(found.clocks[1].error, 100'000);
}

TEST(AlignClocks, FollowsADriftThatChanges) {
  Cluster warm({{0}, {0, 50e-6}, {0}}), cold({{0}, {30 * kNsPerMs, 0}, {0}});
  warm.collectives({0, 1, 2}, 200 * kNsPerMs, 600 * kNsPerSecond);
  cold.collectives({0, 1, 2}, 200 * kNsPerMs, 600 * kNsPerSecond, kBegin + 600 * kNsPerSecond);
  for (std::size_t i = 0; i < cold.ops.size(); ++i) warm.ops.add(cold.ops.op(i), false);
  const ClockAlign found = warm.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift);
  EXPECT_LT(warm.leftover(found, 1, kBegin + 300 * kNsPerSecond), 60'000);
  EXPECT_LT(cold.leftover(found, 1, kBegin + 900 * kNsPerSecond), 60'000);
}

TEST(AlignClocks, JoinsClocksThatMeetOnlyThroughOthers) {
  std::vector<MadeClock> clocks;
  for (int c = 0; c < 24; ++c) clocks.push_back({(c % 5 - 2) * 3 * kNsPerMs, (c % 3 - 1) * 10e-6});
  Cluster cluster(clocks);
  for (std::uint32_t c = 0; c + 1 < 24; ++c) cluster.collectives({c, c + 1}, 100 * kNsPerMs, 60 * kNsPerSecond, kBegin + c);
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  for (const DurNs after : {DurNs{0}, 30 * kNsPerSecond, 60 * kNsPerSecond}) cluster.expectWithinError(found, kBegin + after);
  EXPECT_GT(found.clocks[23].error, found.clocks[11].error) << "what is far away is known less well";
}

TEST(AlignClocks, TakesTheMiddleOfMessagesBothWays) {
  Cluster cluster({{0}, {4 * kNsPerMs}, {-9 * kNsPerMs}});
  for (int i = 0; i < 200; ++i) {
    const TimeNs at = kBegin + i * 20 * kNsPerMs;
    for (std::uint32_t stage = 0; stage < 2; ++stage) {
      cluster.message(at + 1, stage, stage + 1, 120'000);
      cluster.message(at + 5 * kNsPerMs, stage + 1, stage, 80'000);
    }
  }
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  cluster.expectWithinError(found, kBegin + kNsPerSecond);
  EXPECT_LT(cluster.leftover(found, 2, kBegin), 100'000);
  EXPECT_GE(found.clocks[1].error, 50'000) << "the latency cannot be told from the offset any better";
}

TEST(AlignClocks, RefusesMessagesOfOneDirection) {
  Cluster cluster({{0}, {4 * kNsPerMs}});
  for (int i = 0; i < 200; ++i) cluster.message(kBegin + i * kNsPerMs, 0, 1, 100'000);
  const ClockAlign found = cluster.align();
  EXPECT_EQ(found.verdict, ClockAlignVerdict::kRefused);
  EXPECT_THAT(found.words, HasSubstr("node-0 with node-1"));
}

TEST(AlignClocks, LeavesClocksAloneThatAgree) {
  Cluster cluster({{0}, {3'000}, {-2'000}, {0}});
  cluster.collectives({0, 1, 2, 3}, 20 * kNsPerMs, 10 * kNsPerSecond);
  const ClockAlign found = cluster.align();
  EXPECT_EQ(found.verdict, ClockAlignVerdict::kAgree);
  EXPECT_THAT(found.words, HasSubstr("within its error"));
  for (const AlignedClock& clock : found.clocks) EXPECT_THAT(clock.knots, IsEmpty());
}

TEST(AlignClocks, OneOddEndInTwentyMovesNothing) {
  Cluster cluster({{0}, {2 * kNsPerMs}, {0}});
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    cluster.collective(kBegin + i * 10 * kNsPerMs, {0, 1, 2});
    if (i % 20 == 0) cluster.ops.ends[cluster.ops.ends.size() - 1 - random() % 3].time += 800 * kNsPerMs;
  }
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift);
  EXPECT_LT(cluster.leftover(found, 1, kBegin + 10 * kNsPerSecond), 15'000);
}

TEST(AlignClocks, SaysWhoHasTooFewMatchesAndAlignsTheRest) {
  Cluster cluster({{0}, {2 * kNsPerMs}, {5 * kNsPerMs}});
  cluster.collectives({0, 1}, 100 * kNsPerMs, 10 * kNsPerSecond);
  cluster.collectives({0, 1, 2}, 100 * kNsPerMs, 1'900 * kNsPerMs);
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  EXPECT_FALSE(found.clocks[2].aligned);
  EXPECT_EQ(found.clocks[2].matches, 19);
  EXPECT_LT(cluster.leftover(found, 1, kBegin), 20'000);
}

TEST(AlignClocks, RefusesWhereNothingCanBeReported) {
  Cluster few({{0}, {kNsPerMs}});
  few.collectives({0, 1}, kNsPerMs, 19 * kNsPerMs);
  EXPECT_EQ(few.align().verdict, ClockAlignVerdict::kRefused);
  EXPECT_THAT(few.align().words, HasSubstr("fewer than two clocks have 20"));
  Cluster apart({{0}, {kNsPerMs}, {0}, {0}});
  apart.collectives({0, 1}, kNsPerMs, 100 * kNsPerMs);
  apart.collectives({2, 3}, kNsPerMs, 100 * kNsPerMs);
  EXPECT_EQ(apart.align().verdict, ClockAlignVerdict::kRefused);
  EXPECT_THAT(apart.align().words, HasSubstr("nothing joins node-0, node-1 with node-2, node-3"));
  Cluster known({{0}, {kNsPerMs}});
  known.collectives({0, 1}, kNsPerMs, 100 * kNsPerMs);
  known.own_error = {1'000, 1'000};
  EXPECT_EQ(known.align().verdict, ClockAlignVerdict::kRefused);
  EXPECT_THAT(known.align().words, HasSubstr("known to 1.00 µs already"));
  EXPECT_EQ(alignClocks({}, {}, {}).verdict, ClockAlignVerdict::kRefused);
}

TEST(AlignClocks, SurvivesTimesNoClockCanMean) {
  constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
  Cluster cluster({{0}, {2 * kNsPerMs}, {0}});
  cluster.collectives({0, 1, 2}, 10 * kNsPerMs, 5 * kNsPerSecond);
  for (int i = 0; i < 30; ++i) {
    const MatchedOps::End odd[] = {{0, kLowest}, {1, kHighest}, {2, 0}},
                          far[] = {{0, -3'999'999'999'999'999'999}, {2, 3'999'999'999'999'999'999}};
    cluster.ops.add(odd, false);
    cluster.ops.add(far, i % 2 == 0);
  }
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift) << found.words;
  EXPECT_LT(cluster.leftover(found, 1, kBegin + kNsPerSecond), 20'000);
}

TEST(AlignClocks, ANodeThatIsLostHalfWayHoldsTheOthersUpNoLonger) {
  Cluster cluster({{0}, {0, 30e-6}, {3 * kNsPerMs}});
  cluster.collectives({0, 1, 2}, 100 * kNsPerMs, 300 * kNsPerSecond);
  cluster.collectives({0, 1}, 100 * kNsPerMs, 300 * kNsPerSecond, kBegin + 300 * kNsPerSecond);
  const ClockAlign found = cluster.align();
  ASSERT_EQ(found.verdict, ClockAlignVerdict::kShift);
  EXPECT_LT(cluster.leftover(found, 1, kBegin + 590 * kNsPerSecond), 30'000);
  EXPECT_LT(cluster.leftover(found, 2, kBegin + 200 * kNsPerSecond), 60'000);
}

}  // namespace
}  // namespace runglass
