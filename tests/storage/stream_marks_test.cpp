// SPDX-License-Identifier: Apache-2.0
// The writer's data about senders: marks of their streams, and the owner of each agent's uuid.
#include "storage/write/stream_marks.h"

#include <gtest/gtest.h>

#include "storage/write/agent_table.h"
#include "tests/storage/writer_ground.h"

namespace runglass {
namespace {

constexpr DurNs kIdle = 300 * kNsPerSecond;
const StreamKey kStream{"agent", "session", 1};

class StreamMarksTest : public testing::Test {
 protected:
  Status save(const StreamMarks::Marks& taken) {
    return ground.commit([&] { return StreamMarks::save(ground.db, taken); });
  }
  WriterGround ground;
  StreamMarks marks{ground.path, kIdle};
};

TEST_F(StreamMarksTest, AMarkIsTakenOnceUnlessItIsPutBack) {
  EXPECT_EQ(marks.next(kStream).value(), 0U);
  EXPECT_FALSE(marks.anyChanged());
  marks.set(kStream, 8);
  EXPECT_TRUE(marks.anyChanged());
  const StreamMarks::Marks taken = marks.take(1);
  EXPECT_EQ(taken, (StreamMarks::Marks{{kStream, 8}}));
  EXPECT_TRUE(marks.take(2).empty());
  marks.putBack(taken);  // the commit failed
  marks.set(kStream, 9);
  EXPECT_EQ(marks.take(3), (StreamMarks::Marks{{kStream, 9}}));
}

TEST_F(StreamMarksTest, WhatIsIdleIsReadFromTheFileAgain) {
  marks.set(kStream, 8);
  ASSERT_TRUE(save(marks.take(kNsPerSecond)).ok());
  ASSERT_TRUE(ground.db.exec("UPDATE rg_stream SET next_seq = 80").ok());
  EXPECT_EQ(marks.next(kStream).value(), 8U);
  static_cast<void>(marks.take(2 * kIdle));
  EXPECT_EQ(marks.next(kStream).value(), 80U);
}

TEST_F(StreamMarksTest, AMarkThatIsNotCommittedNeverLeavesMemory) {
  marks.set(kStream, 8);
  const StreamMarks::Marks taken = marks.take(kNsPerSecond);
  marks.putBack(taken);
  EXPECT_EQ(marks.take(10 * kIdle), taken);
  EXPECT_EQ(marks.next(kStream).value(), 8U);
}

TEST(AgentTable, WhatAFailedCommitTookIsSavedByTheNext) {
  WriterGround ground;
  AgentTable agents;
  ASSERT_TRUE(agents.load(ground.db).ok());
  agents.setIdentity({"agent", "node", "token", 5});
  const std::vector<AgentIdentity> taken = agents.takeChanged();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_FALSE(agents.anyChanged());
  agents.putBack(taken);
  ASSERT_TRUE(ground.commit([&] { return AgentTable::save(ground.db, agents.takeChanged()); }).ok());
  AgentTable later;
  ASSERT_TRUE(later.load(ground.db).ok());
  ASSERT_NE(later.identityOf("agent"), nullptr);
  EXPECT_EQ(later.identityOf("agent")->node_uuid, "node");
  EXPECT_EQ(later.identityOf("another"), nullptr);
}

TEST(AgentTable, ForgetsAnAgentThatIsNotSavedYet) {
  WriterGround ground;
  AgentTable agents;
  agents.setIdentity({"agent", "node", "", 5});
  const auto forget = [&](const char* name) { return ground.commit([&] { return agents.forget(ground.db, {.name = name}); }); };
  EXPECT_EQ(forget("another").code(), Code::kNotFound);
  ASSERT_TRUE(forget("node").ok());
  ASSERT_TRUE(agents.load(ground.db).ok());
  EXPECT_EQ(agents.identityOf("agent"), nullptr);
}

}  // namespace
}  // namespace runglass
