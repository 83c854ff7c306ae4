// SPDX-License-Identifier: Apache-2.0
// Which ranks wait for which others in a hang.
#include "analysis/hangs/wavefront.h"
#include "model/time_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hangs/hang_words.h"
#include "model/pair_group.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;

class WavefrontTest : public ::testing::Test {
 protected:
  void rank(std::int32_t number, const std::string& op, std::optional<std::int64_t> group = {}, std::optional<std::int64_t> seq = {},
            DurNs after = 0) {
    WavefrontRank rank{.rank = number, .node = "n" + std::to_string(number / 4), .progress = {}, .silent = false};
    rank.progress = Progress{.rank = number, .time = kT, .group = group, .seq = seq, .op = op, .since = kT + after};
    m_ranks.push_back(rank);
  }
  Wavefront find() const { return findWavefront(m_ranks, m_groups); }
  static std::vector<std::int32_t> culprits(const Wavefront& front) {
    std::vector<std::int32_t> ranks;
    for (const HangMember& member : front.culprits) ranks.push_back(member.rank);
    return ranks;
  }
  std::vector<WavefrontRank> m_ranks;
  std::vector<CommGroup> m_groups;
};

TEST_F(WavefrontTest, FollowsWaitsToTheGroupWhoseMissingMemberComputes) {
  m_groups = {{.id = 1, .kind = "tp", .name = "tp 0", .ranks = {0, 1}},
              {.id = 2, .kind = "dp", .name = "dp 0", .ranks = {0, 2}},
              {.id = 3, .kind = "dp", .name = "dp 1", .ranks = {1, 3}}};
  rank(0, "all_reduce", 1, 70, 10), rank(1, "backward", {}, {}, 5), rank(2, "all_reduce", 2, 9, 20), rank(3, "all_reduce", 3, 9, 30);
  const Wavefront front = find();
  ASSERT_EQ(front.groups.size(), 3U);
  EXPECT_EQ(front.groups[0].name, "tp 0") << "of the two that miss rank 1 the one that waited first";
  EXPECT_EQ(front.groups[1].name, "dp 1");
  EXPECT_EQ(front.groups[2].name, "dp 0");
  EXPECT_EQ(front.groups[2].depth, 1);
  EXPECT_THAT(front.groups[2].blocked_by, ElementsAre(1));
  EXPECT_THAT(culprits(front), ElementsAre(1));
  EXPECT_THAT(front.blocked, ElementsAre(0, 2, 3));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kComputing);
  EXPECT_EQ(front.culprits[0].op, "backward");
}

TEST_F(WavefrontTest, TakesALowerNumberInTheSameGroupForBehind) {
  m_groups = {{.id = 1, .ranks = {0, 1, 2, 3}}};
  rank(0, "all_reduce", 1, 12), rank(1, "all_reduce", 1, 12), rank(2, "all_reduce", 1, 11), rank(3, "all_reduce", 1, 12);
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(2));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kBehind);
  EXPECT_EQ(front.groups[0].inside, 3);
}

TEST_F(WavefrontTest, AbsenceIsEvidenceAndNeverHeardMembersAreSilent) {
  m_groups = {{.id = 1, .ranks = {0, 1, 2}}};
  rank(0, "all_gather", 1, 5), rank(1, "all_gather", 1, 5);
  m_ranks[1].silent = true;
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(1, 2));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kSilent);
  EXPECT_THAT(front.blocked, ElementsAre(0)) << "the old word of a silent rank is no wait";
}

TEST_F(WavefrontTest, FindsDifferentOperationsUnderOneNumber) {
  m_groups = {{.id = 1, .ranks = {0, 1, 2}}};
  rank(0, "all_reduce", 1, 5), rank(1, "broadcast", 1, 5), rank(2, "all_reduce", 1, 5);
  const Wavefront front = find();
  EXPECT_EQ(front.groups[0].reason, HangReason::kMismatched);
  EXPECT_EQ(front.groups[0].other_op, "broadcast");
  EXPECT_THAT(culprits(front), ElementsAre(1));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kMismatched);
  m_ranks.pop_back(), m_groups[0].ranks.pop_back();
  EXPECT_TRUE(find().culprits.empty()) << "one each: nothing is usual";
}

TEST_F(WavefrontTest, SuspectsTheTransportWhenAllAreInside) {
  m_groups = {{.id = 1, .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 5), rank(1, "all_reduce", 1, 5);
  EXPECT_EQ(find().groups[0].reason, HangReason::kStuck);
}

TEST_F(WavefrontTest, APairOfALargerGroupMissesOnlyItsOtherEnd) {
  m_groups = {{.id = 1, .kind = "pp", .ranks = {4, 5, 6, 7}}};
  rank(4, "recv 0<-1", 1, 30), rank(5, "recv 1<-2", 1, 31), rank(6, "backward"), rank(7, "optimizer");
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(6)) << "rank 7 is awaited by nobody, and rank 5 waits itself";
}

TEST_F(WavefrontTest, AMemberThatCompletedTheOperationHasLeftItAndTheOtherOneHasNot) {
  m_groups = {{.id = 1, .kind = "tp", .name = "tp 0", .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 70), rank(1, "backward");
  m_ranks[1].reach = {{.group = 1, .enqueued = 70, .completed = 70}};
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(0));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kBehind);
  EXPECT_EQ(front.groups[0].reason, HangReason::kNotLeft);
  m_ranks[1].reach[0].completed = 69, m_ranks[1].reach[0].enqueued.reset();
  const Wavefront before = find();
  EXPECT_THAT(culprits(before), ElementsAre(1));
  EXPECT_EQ(before.culprits[0].completed, 69);
}

TEST_F(WavefrontTest, ANewestEntryThatIsCompletedIsNoWait) {
  m_groups = {{.id = 1, .name = "tp 0", .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 70), rank(1, "all_reduce", 1, 69);
  m_ranks[1].reach = {{.group = 1, .enqueued = 69, .completed = 69}};
  const Wavefront front = find();
  ASSERT_THAT(culprits(front), ElementsAre(1));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kComputing);
  EXPECT_TRUE(front.culprits[0].op.empty()) << "it has left what its newest entry names";
}

TEST_F(WavefrontTest, AMemberThatEnqueuedTheOperationHasEntered) {
  m_groups = {{.id = 1, .name = "dp", .ranks = {0, 1, 2}}, {.id = 2, .name = "tp", .ranks = {1, 3}}};
  rank(0, "all_reduce", 1, 9), rank(1, "all_reduce", 2, 40), rank(2, "backward"), rank(3, "backward");
  m_ranks[1].reach = {{.group = 1, .enqueued = 9, .completed = 8}};
  m_ranks[2].reach = {{.group = 1, .enqueued = 9, .completed = 8}};
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(3)) << "rank 1 waits for it in another communicator first, rank 2 has entered";
}

TEST_F(WavefrontTest, ARankThatGaveADumpWithoutEntriesIsNotSilent) {
  m_groups = {{.id = 1, .name = "ep", .ranks = {0, 1}}};
  rank(0, "all_to_all", 1, 45265);
  m_ranks.push_back(
      {.rank = 1, .node = "n0", .progress = {}, .silent = true, .reach = {{.group = 1, .enqueued = 45264, .completed = 45264}}});
  const Wavefront front = find();
  ASSERT_THAT(culprits(front), ElementsAre(1));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kComputing);
  EXPECT_EQ(front.culprits[0].completed, 45264);
}

TEST_F(WavefrontTest, EachPairOfALargerGroupStandsForItself) {
  m_groups = {{.id = 1, .kind = "pp", .ranks = {4, 5, 6, 7}}};
  rank(4, "nccl:recv 0<-1", 1, 30), rank(5, "nccl:send 1->0", 1, 7), rank(6, "nccl:recv 2<-3", 1, 31), rank(7, "nccl:recv 3<-2", 1, 9);
  const Wavefront front = find();
  EXPECT_TRUE(front.culprits.empty());
  ASSERT_EQ(front.groups.size(), 2U);
  const auto with = [&](HangReason reason) { return std::ranges::find(front.groups, reason, &HangGroup::reason); };
  ASSERT_NE(with(HangReason::kStuck), front.groups.end()) << "both ends of the transfer are there";
  EXPECT_EQ(with(HangReason::kStuck)->members, 2);
  ASSERT_NE(with(HangReason::kDeadlock), front.groups.end()) << "both receive from each other";
}

TEST_F(WavefrontTest, OfAGroupOfTwoTheOtherEndIsTheOtherMember) {
  m_groups = {{.id = 1, .kind = "pp", .ranks = {4, 5}}};
  rank(4, "recv_forward", 1, 30), rank(5, "backward");
  EXPECT_THAT(culprits(find()), ElementsAre(5));
}

TEST_F(WavefrontTest, PairsAreFollowedThroughTheStagesToTheOneThatComputes) {
  m_groups = {{.id = 1, .kind = "pp", .ranks = {0, 1, 2, 3}}, {.id = 2, .name = "tp", .ranks = {1, 9}}};
  rank(0, "recv 0<-1", 1, 5), rank(1, "all_reduce", 2, 80), rank(2, "recv 2<-1", 1, 6), rank(3, "recv 3<-2", 1, 6), rank(9, "optimizer");
  const Wavefront front = find();
  EXPECT_THAT(culprits(front), ElementsAre(9));
  EXPECT_EQ(front.groups[0].name, "tp");
  EXPECT_EQ(front.groups.back().depth, 2);
}

TEST_F(WavefrontTest, APairsGroupNamesBothEnds) {
  const std::int64_t down = pairGroup({0, 4}), up = pairGroup({4, 0});
  rank(0, "backward"), rank(4, "recv_forward", down, 12);
  const Wavefront front = find();
  ASSERT_THAT(culprits(front), ElementsAre(0));
  EXPECT_EQ(front.groups[0].name, "0 → 4");
  // The send has ended, and nothing was received: the transfer hangs.
  m_ranks[0].reach = {{.group = down, .enqueued = {}, .completed = 12}};
  EXPECT_EQ(find().groups[0].reason, HangReason::kStuck);
  m_ranks.clear();
  rank(0, "recv_backward", up, 3), rank(4, "recv_forward", down, 4);
  EXPECT_EQ(find().groups[0].reason, HangReason::kDeadlock) << "each receives from the other";
  m_ranks.clear();
  rank(0, "send_forward", down, 5), rank(4, "optimizer");
  m_ranks[1].reach = {{.group = down, .enqueued = {}, .completed = 5}};
  EXPECT_THAT(culprits(find()), ElementsAre(0)) << "its receive has ended";
}

TEST_F(WavefrontTest, AWaitThatNamesNobodyIsNoComputing) {
  m_groups = {{.id = 1, .name = "dp", .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 9), rank(1, "wait_sends");
  EXPECT_TRUE(find().culprits.empty());
}

TEST_F(WavefrontTest, WaitingForSomebodyWhoseWaitIsNotUnderstoodIsNoCircle) {
  m_groups = {{.id = 1, .name = "dp", .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 9), rank(1, "receive_forward", {}, 12);
  for (const HangGroup& group : find().groups) EXPECT_NE(group.reason, HangReason::kDeadlock);
}

TEST_F(WavefrontTest, PairsWithoutACommunicatorBlameNobody) {
  rank(0, "send_forward", {}, 40), rank(1, "receive_forward", {}, 12), rank(2, "receive_backward", {}, 7);
  const Wavefront front = find();
  EXPECT_TRUE(front.culprits.empty()) << "each pair counts for itself";
  EXPECT_EQ(front.blocked.size(), 3U);
}

TEST_F(WavefrontTest, OfACircleTheFewThatOthersHaveLeftBehindAreMissed) {
  // From a real dump: rank 1 is stuck in an all_gather that ranks 0, 2 and 3 have left for an all_to_all.
  m_groups = {{.id = 1, .name = "tp", .ranks = {0, 1, 2, 3}}, {.id = 2, .name = "ep", .ranks = {0, 1, 2, 3, 4, 5}}};
  rank(1, "all_gather", 1, 87, 10);
  for (const std::int32_t r : {0, 2, 3, 4, 5}) rank(r, "all_to_all", 2, 44, 50);
  std::ranges::sort(m_ranks, {}, &WavefrontRank::rank);
  const Wavefront front = find();
  EXPECT_EQ(front.groups[0].name, "ep");
  EXPECT_EQ(front.groups[0].depth, 0);
  EXPECT_THAT(culprits(front), ElementsAre(1));
  EXPECT_EQ(front.culprits[0].standing, HangStanding::kBehind);
}

TEST_F(WavefrontTest, SaysSoWhenGroupsWaitForEachOther) {
  m_groups = {{.id = 1, .ranks = {0, 1}}, {.id = 2, .ranks = {0, 1}}};
  rank(0, "all_reduce", 1, 5), rank(1, "all_reduce", 2, 5);
  const Wavefront front = find();
  EXPECT_EQ(front.groups[0].reason, HangReason::kDeadlock);
  EXPECT_TRUE(front.culprits.empty());
}

TEST_F(WavefrontTest, ToleratesUnknownGroupsMembersTwiceAndNobody) {
  EXPECT_TRUE(find().groups.empty());
  m_groups = {{.id = 1, .ranks = {0, 0, 1, 1, -5}}, {.id = 1, .ranks = {}}};
  rank(0, "", 99, 5), rank(1, "x", {}, 7);
  const Wavefront front = find();
  EXPECT_TRUE(front.culprits.empty());
  EXPECT_EQ(front.groups.size(), 2U);
}

TEST(HangEvidenceTest, ReadsWhatItPrinted) {
  HangEvidence e{.source = "progress", .phase = "steady"};
  e.step = 7, e.since = kT, e.as_of = kT + 5, e.world = 4096, e.blocked = 4095, e.watchdog = 600, e.watchdog_at = kT + 600;
  HangMember member{.rank = 3, .node = "n\"0", .standing = HangStanding::kSilent, .op = "x", .group = 5, .seq = 6, .since = kT};
  e.culprits = {member}, e.culprit_count = 1;
  HangGroup group;
  group.id = 5, group.name = "tp 1", group.reason = HangReason::kStuck, group.seq = 9, group.missing = {member}, group.blocked_by = {1, 2};
  e.groups = {group}, e.group_count = 90;
  const std::string text = printHangEvidence(e);
  const auto back = parseHangEvidence(text);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(printHangEvidence(*back), text);
  EXPECT_EQ(back->culprits[0].node, "n\"0");
  EXPECT_EQ(back->groups[0].reason, HangReason::kStuck);
}

TEST(HangEvidenceTest, RefusesWhatIsOfTheWrongTypeAndBoundsLists) {
  EXPECT_FALSE(parseHangEvidence("[1]").ok());
  EXPECT_FALSE(parseHangEvidence("{").ok());
  const auto odd = parseHangEvidence(R"({"groups":[{"name":7}]})");
  ASSERT_FALSE(odd.ok());
  EXPECT_NE(odd.status().message().find("name"), std::string::npos);
  std::string many = R"({"groups":[)";
  for (int i = 0; i < 500; ++i) many += (i > 0 ? ",{}" : "{}");
  const auto cut = parseHangEvidence(many + "]}");
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->groups.size(), kMaxListed);
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(durationText(59 * kNsPerSecond), "59 s");
  EXPECT_EQ(durationText(130 * kNsPerSecond), "2 min 10 s");
  EXPECT_EQ(durationText(7200 * kNsPerSecond), "2 h");
}

}  // namespace
}  // namespace runglass
