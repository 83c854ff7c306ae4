// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/agent_fleet.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;
using testing::HasSubstr;

// No hub listens there.
AgentOptions alone(const test::TempFolder& dir) {
  AgentOptions options;
  options.link.hub = "127.0.0.1:1";
  options.state_dir = dir.path();
  return options;
}

TEST(AgentFleet, SharesWhatOneAgentMayUse) {
  AgentOptions whole;
  whole.state_dir = "/state";
  whole.outbox = {.memory_bytes = 64U << 20, .spool_bytes = 512U << 20};
  const AgentOptions part = shareOf(whole, {.uuid = "u", .name = "sim-0003"}, 8);
  EXPECT_EQ(part.outbox.memory_bytes, 8U << 20);
  EXPECT_EQ(part.outbox.spool_bytes, 64U << 20);
  EXPECT_EQ(part.state_dir, "/state/sim-0003");
  EXPECT_EQ(part.node.uuid, "u");
  const AgentOptions small = shareOf(whole, {.uuid = "u", .name = "n"}, 10'000);
  EXPECT_EQ(small.outbox.memory_bytes, AgentFleet::kLeastShare);
  EXPECT_EQ(small.outbox.spool_bytes, AgentFleet::kLeastShare);
}

TEST(AgentFleet, KeepsEachNodesDataInASpoolOfItsOwnWhileThereIsNoHub) {
  const test::TempFolder dir;
  {
    std::vector<AgentOptions> members;
    for (const char* name : {"a", "b", "c"}) members.push_back(shareOf(alone(dir), {.uuid = name, .name = name}, 3));
    auto fleet = AgentFleet::start(std::move(members));
    ASSERT_TRUE(fleet.ok()) << fleet.status().message();
    ASSERT_EQ((*fleet)->size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
      (**fleet)[i].recorder().event({.time = wallNow(), .kind = "tick", .code = std::to_string(i), .message = std::string(10'000, 'x')});
    EXPECT_FALSE((*fleet)->stop(0));
  }
  for (const char* name : {"a", "b", "c"}) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dir.file(std::string(name) + "/spool"))) bytes += entry.file_size();
    EXPECT_GT(bytes, 10'000U) << name;
    EXPECT_LT(bytes, 20'000U) << name;
  }
}

TEST(AgentFleet, WaitsForRoomInEachAgent) {
  const test::TempFolder dir;
  std::vector<AgentOptions> members;
  for (const char* name : {"a", "b"}) members.push_back(shareOf(alone(dir), {.uuid = name, .name = name}, 2));
  auto fleet = AgentFleet::start(std::move(members));
  ASSERT_TRUE(fleet.ok()) << fleet.status().message();
  EXPECT_TRUE((*fleet)->waitForRoom(200'000, kNsPerSecond));
  Recorder& out = (**fleet)[1].recorder();
  for (int i = 0; i < 20; ++i) out.event({.time = wallNow(), .kind = "tick", .message = std::string(10'000, 'x')});
  (void)out.flush();
  EXPECT_TRUE(waitUntil([&] { return !(*fleet)->waitForRoom(200'000, 0); })) << "100,000 bytes each, and 200,000 wait in one of them";
  EXPECT_FALSE((*fleet)->waitForRoom(200'000, 10 * kNsPerMs));
  EXPECT_TRUE((*fleet)->waitForRoom(1'000'000, kNsPerSecond));
}

TEST(AgentFleet, WaitsForAHubThatTakesNothingOnlyAsLongAsItIsTold) {
  const test::TempFolder dir;
  std::vector<AgentOptions> members;
  for (const char* name : {"a", "b"}) members.push_back(shareOf(alone(dir), {.uuid = name, .name = name}, 2));
  auto fleet = AgentFleet::start(std::move(members));
  ASSERT_TRUE(fleet.ok()) << fleet.status().message();
  ASSERT_TRUE(waitUntil([&] { return (**fleet)[1].outbox().waitingBytes() > 0; }));
  std::stop_source stop;
  const DurNs began = monotonicNow();
  EXPECT_FALSE((*fleet)->drain(100 * kNsPerMs, stop.get_token()));
  EXPECT_GE(monotonicNow() - began, 100 * kNsPerMs);
  stop.request_stop();
  EXPECT_FALSE((*fleet)->drain(3600 * kNsPerSecond, stop.get_token()));
}

TEST(AgentFleet, SaysWhichNodesFolderAnotherAgentUses) {
  const test::TempFolder dir;
  auto first = Agent::start(shareOf(alone(dir), {.uuid = "b", .name = "b"}, 2));
  ASSERT_TRUE(first.ok());
  std::vector<AgentOptions> members;
  for (const char* name : {"a", "b"}) members.push_back(shareOf(alone(dir), {.uuid = name, .name = name}, 2));
  const auto fleet = AgentFleet::start(std::move(members));
  EXPECT_EQ(fleet.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(fleet.status().message(), HasSubstr(dir.file("b")));
}

}  // namespace
}  // namespace runglass
