// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string stackOf(const std::vector<std::string>& innermost_first, int line = 10) {
  std::string text = "Current thread 0x" + std::to_string(line) + " (most recent call first):\n";
  for (const std::string& function : innermost_first)
    text += "  File \"/opt/" + std::to_string(line) + "/train.py\", line " + std::to_string(line) + " in " + function + "\n";
  return text;
}

class StackClustersTest : public ::testing::Test {
 protected:
  void add(std::int32_t rank, std::string text) { m_texts.emplace_back(rank, std::move(text)); }
  StackClusters find() const {
    std::vector<RankStack> stacks;
    for (const auto& [rank, text] : m_texts) stacks.push_back({rank, text});
    return clusterStacks(stacks);
  }
  std::vector<std::pair<std::int32_t, std::string>> m_texts;
};

TEST_F(StackClustersTest, TheRankOutsideTheLargestClusterIsNamedWithTheFrameWhereItParts) {
  for (std::int32_t rank = 0; rank < 7; ++rank) add(rank, stackOf({"all_reduce", "reduce_gradients", "train_step", "main"}, 10 + rank));
  add(7, stackOf({"sleep", "read_shard", "backward_step", "train_step", "main"}));
  const StackClusters found = find();
  EXPECT_EQ(found.stacks, 8);
  EXPECT_EQ(found.largest.size(), 7U) << "lines, folders and thread ids differ between processes that do the same";
  EXPECT_THAT(found.suspects, ElementsAre(7));
  EXPECT_EQ(found.other.at(7), "backward_step (train.py:10)");
  EXPECT_EQ(found.common, "reduce_gradients (train.py:10)");
}

TEST_F(StackClustersTest, AStackThatOnlyCallsLessPartsInItsInnermostFrame) {
  for (std::int32_t rank = 0; rank < 3; ++rank) add(rank, stackOf({"all_reduce", "train_step", "main"}));
  add(3, stackOf({"train_step", "main"}, 88));
  EXPECT_EQ(find().other.at(3), "train_step (train.py:88)");
}

TEST_F(StackClustersTest, RanksThatCommunicateAreNoSuspects) {
  for (std::int32_t rank = 0; rank < 5; ++rank) add(rank, stackOf({"all_reduce", "main"}));
  add(5, stackOf({"recv_forward", "pipe", "main"}));
  const StackClusters found = find();
  EXPECT_THAT(found.suspects, IsEmpty());
  EXPECT_EQ(found.other.size(), 1U);
  EXPECT_EQ(found.common, "all_reduce (train.py:10)");
}

TEST_F(StackClustersTest, ARankThatWaitsForDataIsASuspect) {
  for (std::int32_t rank = 0; rank < 7; ++rank) add(rank, stackOf({"all_reduce", "main"}));
  add(7,
      "Current thread 0x1 (most recent call first):\n  File \"/usr/lib/python3.11/socket.py\", line 706 in recv_into\n"
      "  File \"/a/data.py\", line 7 in fetch\n  File \"/opt/10/train.py\", line 10 in main\n");
  EXPECT_THAT(find().suspects, ElementsAre(7));
  EXPECT_EQ(find().other.at(7), "fetch (data.py:7)");
  m_texts.back().second =
      "Current thread 0x1 (most recent call first):\n  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n"
      "  File \"/opt/10/train.py\", line 10 in main\n";
  EXPECT_THAT(find().suspects, ElementsAre(7));
}

TEST_F(StackClustersTest, WhereRanksHaveDifferentTasksNobodyIsASuspect) {
  for (std::int32_t rank = 0; rank < 4; ++rank) add(rank, stackOf({"f" + std::to_string(rank / 2), "main"}));
  EXPECT_THAT(find().suspects, IsEmpty());
  m_texts.clear();
  add(0, "no stack"), add(1, "");
  EXPECT_EQ(find().stacks, 0);
}

}  // namespace
}  // namespace runglass
