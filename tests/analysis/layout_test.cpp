// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/layout/layout_places.h"
#include "model/rank_order.h"

namespace runglass {
namespace {

using testing::HasSubstr;

std::vector<Rank> ranksUpTo(std::int32_t world) {
  std::vector<Rank> ranks;
  for (std::int32_t rank = 0; rank < world; ++rank) ranks.push_back({.rank = rank});
  return ranks;
}

CommGroup group(std::string name, std::vector<std::int32_t> ranks) {
  static std::int64_t id = 0;
  return {.attempt = {}, .id = ++id, .kind = "", .name = std::move(name), .ranks = std::move(ranks)};
}

// The groups of Megatron-LM's parallel_state.py for 16 GPUs, TP 2, PP 4 (its own documentation's example): DP 2.
std::vector<CommGroup> megatronGroups() {
  std::vector<CommGroup> groups = {group("0 default_pg", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})};
  for (const auto& dp : std::vector<std::vector<std::int32_t>>{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}})
    groups.push_back(group("DATA_PARALLEL_GROUP_WITH_CP", dp));
  for (std::int32_t first = 0; first < 16; first += 2) groups.push_back(group("TENSOR_MODEL_PARALLEL_GROUP", {first, first + 1}));
  for (std::int32_t first = 0; first < 4; ++first)
    groups.push_back(group("PIPELINE_MODEL_PARALLEL_GROUP", {first, first + 4, first + 8, first + 12}));
  for (std::int32_t first = 0; first < 4; ++first) groups.push_back(group("EMBEDDING_GROUP", {first, first + 12}));
  groups.push_back(group("MODEL_PARALLEL_GROUP", {0, 1, 4, 5, 8, 9, 12, 13}));
  groups.push_back(group("MODEL_PARALLEL_GROUP", {2, 3, 6, 7, 10, 11, 14, 15}));
  return groups;
}

std::string text(const Rank& rank) {
  const auto number = [](const std::optional<std::int32_t>& value) { return value ? std::to_string(*value) : std::string("-"); };
  return number(rank.dp) + "/" + number(rank.pp) + "/" + number(rank.tp);
}

TEST(Layout, MegatronsGroupsOfSixteenRanksGiveEveryCoordinate) {
  const LayoutPlaces places = placeLayout({.ranks = ranksUpTo(16), .sizes = {}, .groups = megatronGroups()});
  for (std::int32_t rank = 0; rank < 16; ++rank)
    EXPECT_EQ(text(places.ranks[static_cast<std::size_t>(rank)]),
              std::to_string(rank / 2 % 2) + "/" + std::to_string(rank / 4) + "/" + std::to_string(rank % 2));
  EXPECT_EQ(places.of(LayoutDimension::kPp).source, PlaceSource::kGroups);
  EXPECT_EQ(places.sizes, (Layout{.world = 16, .tp = 2, .pp = 4, .dp = 2, .cp = 0, .ep = 0, .vpp = 0}));
  EXPECT_TRUE(places.mismatches.empty());
  EXPECT_FALSE(places.ranks[3].cp) << "no group and no size says anything of it";
}

TEST(Layout, DeepSpeedsModelParallelGroupIsTensorParallelWithoutAPipeline) {
  std::vector<CommGroup> groups = {group("mp_group", {0, 1}), group("mp_group", {2, 3}), group("data_parallel_group", {0, 2}),
                                   group("data_parallel_group", {1, 3})};
  EXPECT_EQ(text(placeLayout({.ranks = ranksUpTo(4), .sizes = {}, .groups = groups}).ranks[3]), "1/-/1");
  groups.push_back(group("pipe_parallel", {0, 2}));
  EXPECT_EQ(text(placeLayout({.ranks = ranksUpTo(4), .sizes = {}, .groups = groups}).ranks[3]), "1/-/-") << "it may span the pipeline";
}

TEST(Layout, AReplicatedMeshCountsItsShardsWithinTheReplica) {
  const std::vector<CommGroup> groups = {group("mesh_dp_replicate", {0, 2}), group("mesh_dp_replicate", {1, 3}),
                                         group("mesh_dp_shard", {0, 1}), group("mesh_dp_shard", {2, 3})};
  const LayoutPlaces places = placeLayout({.ranks = ranksUpTo(4), .sizes = {}, .groups = groups});
  for (std::int32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(places.ranks[static_cast<std::size_t>(rank)].dp, rank);
  EXPECT_EQ(places.sizes.dp, 4);
}

TEST(Layout, DataParallelGroupsThatHoldContextsCountTheContextGroupsInThem) {
  const std::vector<CommGroup> groups = {group("DATA_PARALLEL_GROUP_WITH_CP", {0, 1, 2, 3}), group("CONTEXT_PARALLEL_GROUP", {0, 1}),
                                         group("CONTEXT_PARALLEL_GROUP", {2, 3})};
  const LayoutPlaces places = placeLayout({.ranks = ranksUpTo(4), .sizes = {}, .groups = groups});
  EXPECT_EQ(places.ranks[2].dp, 1);
  EXPECT_EQ(places.ranks[2].cp, 0);
  EXPECT_EQ(places.ranks[1].dp, 0);
  EXPECT_EQ(places.ranks[1].cp, 1);
}

TEST(Layout, AGroupOfAnotherSizeThanDeclaredIsNamedWithBothSizes) {
  const LayoutPlaces places =
      placeLayout({.ranks = ranksUpTo(4), .sizes = {.tp = 4}, .groups = {group("35 TENSOR_MODEL_PARALLEL_GROUP", {0, 1})}});
  ASSERT_EQ(places.mismatches.size(), 1U);
  EXPECT_EQ(places.mismatches[0].what, "35 TENSOR_MODEL_PARALLEL_GROUP");
  EXPECT_EQ(places.mismatches[0].expected, "tp 4");
  EXPECT_EQ(places.mismatches[0].found, "2 ranks");
}

TEST(Layout, ATraceOfOneRankTellsOnlyTheMembersOfItsOwnGroups) {
  const LayoutPlaces places =
      placeLayout({.ranks = ranksUpTo(16),
                   .sizes = {},
                   .groups = {group("TENSOR_MODEL_PARALLEL_GROUP", {4, 5}), group("PIPELINE_MODEL_PARALLEL_GROUP", {1, 5, 9, 13})}});
  EXPECT_EQ(text(places.ranks[5]), "-/1/1");
  EXPECT_EQ(text(places.ranks[4]), "-/-/0");
  EXPECT_EQ(text(places.ranks[7]), "-/-/-");
  EXPECT_EQ(places.of(LayoutDimension::kTp).placed, 2U);
  EXPECT_THAT(places.of(LayoutDimension::kTp).reason, HasSubstr("14 ranks are in no group of it"));
  EXPECT_THAT(places.of(LayoutDimension::kDp).reason, HasSubstr("no group of dp"));
}

TEST(Layout, GroupsThatOverlapAreBothLeftOutAndNamed) {
  const LayoutPlaces places = placeLayout(
      {.ranks = ranksUpTo(6), .sizes = {}, .groups = {group("mesh_tp a", {0, 1}), group("mesh_tp b", {1, 2}), group("mesh_tp c", {4, 5})}});
  EXPECT_EQ(text(places.ranks[0]), "-/-/-");
  EXPECT_EQ(text(places.ranks[5]), "-/-/1");
  ASSERT_EQ(places.mismatches.size(), 1U);
  EXPECT_EQ(places.mismatches[0].what, "mesh_tp b");
  EXPECT_THAT(places.mismatches[0].expected, HasSubstr("mesh_tp a"));
}

TEST(Layout, HostileListsTellNothing) {
  const LayoutPlaces places =
      placeLayout({.ranks = ranksUpTo(2),
                   .sizes = {.world = 1 << 30, .tp = 1 << 29, .dp = 2},
                   .groups = {group("tp", {0, 0}), group("tp", {-1, 1}), group("pp", {}), group("pp", {2'000'000'000, 1})}});
  EXPECT_EQ(places.ranks[0].tp, std::nullopt);
  EXPECT_EQ(places.ranks[1].pp, 1);
  EXPECT_GE(places.mismatches.size(), 2U);
  EXPECT_TRUE(placeLayout({}).ranks.empty());
}

TEST(Layout, TheOneDimensionWithoutGroupsFollowsFromTheOthersAndItsSize) {
  std::vector<CommGroup> groups = megatronGroups();
  std::erase_if(groups, [](const CommGroup& g) { return g.name == "DATA_PARALLEL_GROUP_WITH_CP"; });
  const LayoutPlaces places = placeLayout({.ranks = ranksUpTo(16), .sizes = {.world = 16, .tp = 2, .pp = 4, .dp = 2}, .groups = groups});
  EXPECT_EQ(text(places.ranks[6]), "1/1/0");
  EXPECT_EQ(text(places.ranks[5]), "0/1/1");
  EXPECT_FALSE(placeLayout({.ranks = ranksUpTo(16), .sizes = {}, .groups = groups}).ranks[6].dp) << "it could be another dimension";
}

TEST(Layout, WhatRanksSaidIsNeverChangedAndWhoContradictsItIsRefused) {
  std::vector<Rank> ranks = ranksUpTo(16);
  for (Rank& rank : ranks) rank.tp = 1 - rank.rank % 2;
  const LayoutPlaces places = placeLayout({.ranks = ranks, .sizes = {}, .groups = megatronGroups()});
  EXPECT_EQ(places.ranks[0].tp, 1);
  EXPECT_EQ(places.ranks[4].pp, 1) << "other dimensions still come from the groups";
  ASSERT_EQ(places.mismatches.size(), 1U);
  EXPECT_EQ(places.mismatches[0].expected, "tp 1 for rank 0, reported by the ranks");
  EXPECT_EQ(places.mismatches[0].found, "tp 0");
}

TEST(Layout, SizesNeedAnOrder) {
  const Layout sizes{.world = 16, .tp = 2, .pp = 4, .dp = 2, .cp = 0, .ep = 0, .vpp = 0};
  const LayoutPlaces without = placeLayout({.ranks = ranksUpTo(16), .sizes = sizes, .groups = {}});
  EXPECT_EQ(text(without.ranks[5]), "-/-/-");
  EXPECT_THAT(without.of(LayoutDimension::kTp).reason, HasSubstr("the order of the ranks is not"));
  LayoutQuestion question{.ranks = ranksUpTo(16), .sizes = sizes, .groups = {}};
  question.usual_order = kDefaultRankOrder;
  EXPECT_EQ(text(placeLayout(question).ranks[6]), "1/1/0");
  question.said_order = "tp-cp-ep-pp-dp";
  EXPECT_EQ(text(placeLayout(question).ranks[6]), "0/3/0") << "what the job says wins over what its framework usually does";
  question.chosen_order = "pp-dp-tp";
  const LayoutPlaces chosen = placeLayout(question);
  EXPECT_EQ(text(chosen.ranks[6]), "1/2/0");
  EXPECT_EQ(chosen.of(LayoutDimension::kDp).source, PlaceSource::kChosen);
}

TEST(Layout, AChosenOrderBringsItsSizes) {
  LayoutQuestion question{.ranks = ranksUpTo(8), .sizes = {.world = 8}, .groups = {}};
  question.chosen_order = "tp2-dp4";
  EXPECT_EQ(text(placeLayout(question).ranks[5]), "2/-/1");
  question.chosen_order = "tp3-dp4";
  const LayoutPlaces wrong = placeLayout(question);
  EXPECT_EQ(text(wrong.ranks[5]), "-/-/-");
  ASSERT_EQ(wrong.mismatches.size(), 1U);
  EXPECT_EQ(wrong.mismatches[0].found, "tp3-dp4");
}

TEST(Layout, AnOrderThatContradictsTheGroupsIsReportedByGroup) {
  LayoutQuestion question{.ranks = ranksUpTo(16), .sizes = {.world = 16, .tp = 2, .pp = 4, .dp = 2}, .groups = megatronGroups()};
  question.chosen_order = "dp-tp-pp";
  const LayoutPlaces places = placeLayout(question);
  EXPECT_EQ(text(places.ranks[1]), "1/0/0") << "the person's word is taken";
  EXPECT_TRUE(std::ranges::any_of(places.mismatches, [](const LayoutMismatch& m) { return m.what == "TENSOR_MODEL_PARALLEL_GROUP"; }));
}

TEST(Layout, ExpertsDivideTheReplicas) {
  LayoutQuestion question{.ranks = ranksUpTo(16), .sizes = {.world = 16, .tp = 2, .pp = 2, .dp = 4, .cp = 1, .ep = 2}, .groups = {}};
  question.usual_order = kDefaultRankOrder;
  const LayoutPlaces places = placeLayout(question);
  EXPECT_EQ(places.ranks[6].dp, 3);
  EXPECT_EQ(places.ranks[6].ep, 1);
}

TEST(Layout, AJobOfOneDimensionNeedsNoOrder) {
  const LayoutPlaces places = placeLayout({.ranks = ranksUpTo(8), .sizes = {.world = 8, .dp = 8}, .groups = {}});
  EXPECT_EQ(places.ranks[5].dp, 5);
  EXPECT_EQ(
      placeLayout({.ranks = ranksUpTo(8), .sizes = {.world = 8}, .groups = {group("default_pg", {0, 1, 2, 3, 4, 5, 6, 7})}}).ranks[5].dp,
      std::nullopt)
      << "the world alone does not say what it is for";
}

TEST(RankOrder, NamesEachDimensionOnceWithOrWithoutItsSize) {
  EXPECT_TRUE(parseRankOrder("tp-cp-ep-dp-pp").ok());
  EXPECT_EQ((*parseRankOrder("tp8-dp4"))[1].size, 4);
  for (const char* bad : {"", "tp-", "tp-tp", "tpx", "tp0", "tp-1", "tp99999999999", "xx4", "tp4 -dp2"})
    EXPECT_FALSE(parseRankOrder(bad).ok()) << bad;
}

TEST(RankOrder, SizesWhoseProductIsBeyondAnyNumberPlaceNobody) {
  Rank rank{.rank = 5};
  placeRank({.world = 8, .tp = 1 << 20, .pp = 1 << 20, .dp = 1 << 20, .cp = 1 << 20, .ep = 1 << 20}, kDefaultRankOrder, rank);
  EXPECT_FALSE(rank.tp || rank.pp || rank.dp || rank.cp || rank.ep);
}

}  // namespace
}  // namespace runglass
