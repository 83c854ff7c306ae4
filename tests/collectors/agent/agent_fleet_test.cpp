// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/agent_fleet.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "model/mutex.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;
using testing::HasSubstr;

// No hub listens at this address.
AgentOptions alone(const test::TempFolder& dir) {
  AgentOptions options;
  options.link.hub = "127.0.0.1:1";
  options.state_dir = dir.path();
  return options;
}

// XDG_STATE_HOME for one test.
class AgentState : public testing::Test {
 protected:
  AgentState() { setenv("XDG_STATE_HOME", dir.path().c_str(), 1); }
  ~AgentState() override {
    if (m_before)
      setenv("XDG_STATE_HOME", m_before->c_str(), 1);
    else
      unsetenv("XDG_STATE_HOME");
  }
  Result<std::unique_ptr<Agent>> start(const std::string& state_dir = "") {
    AgentOptions options = alone(dir);
    options.state_dir = state_dir;
    options.say = [this](const std::string& line) {
      const MutexLock lock(m_mutex);
      m_said += line + "\n";
    };
    return Agent::start(std::move(options));
  }
  bool holds(const std::string& name) const { return std::filesystem::exists(dir.file(name + "/agent_uuid")); }

  // Text printed since the last call.
  std::string said() {
    const MutexLock lock(m_mutex);
    return std::exchange(m_said, {});
  }

  const test::TempFolder dir;

 private:
  const char* m_value = std::getenv("XDG_STATE_HOME");
  Mutex m_mutex;
  std::string m_said RG_GUARDED_BY(m_mutex);
  const std::optional<std::string> m_before = m_value != nullptr ? std::optional<std::string>(m_value) : std::nullopt;
};

TEST_F(AgentState, ASecondAgentOfAUserTakesADirectoryOfItsOwn) {
  auto first = start();
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(said(), "");
  {
    auto second = start();
    ASSERT_TRUE(second.ok()) << second.status().message();
    EXPECT_THAT(said(), HasSubstr(dir.file("runglass-agent-2") + ", because another agent uses " + dir.file("runglass-agent")));
    EXPECT_TRUE(holds("runglass-agent") && holds("runglass-agent-2"));
    ASSERT_TRUE(start().ok());
    EXPECT_TRUE(holds("runglass-agent-3"));
  }
  first->reset();
  static_cast<void>(said());
  ASSERT_TRUE(start().ok());
  EXPECT_EQ(said(), "") << "the first directory is free again";
}

TEST_F(AgentState, ADirectoryThatWasNamedIsNotReplacedByAnother) {
  const auto first = start(dir.file("named"));
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second = start(dir.file("named"));
  EXPECT_EQ(second.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(second.status().message(), HasSubstr("in use by another agent, process " + std::to_string(getpid())));
  EXPECT_FALSE(holds("named-2"));
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
  EXPECT_EQ(small.outbox.memory_bytes, AgentFleet::kMinShare);
  EXPECT_EQ(small.outbox.spool_bytes, AgentFleet::kMinShare);
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

TEST(AgentFleet, WaitsForAHubThatTakesNothingOnlyUpToItsTimeout) {
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
