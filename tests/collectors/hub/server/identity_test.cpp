// SPDX-License-Identifier: Apache-2.0
// The owner of an agent's uuid: no other agent gets its streams, its place or its sequence numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "collectors/agent/agent.h"
#include "collectors/hub/access/access_file.h"
#include "collectors/hub/server/hub.h"
#include "collectors/wire/control_client.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using grpc::StatusCode;
using test::RawAgent;
using test::waitUntil;
using testing::HasSubstr;

class Identity : public testing::Test {
 protected:
  std::unique_ptr<Hub> serve(HubOptions options = {}) const {
    auto hub = Hub::start(store, std::move(options));
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    return hub.ok() ? std::move(*hub) : nullptr;
  }
  // An agent with this uuid that claims to be from another node.
  static v1::Hello stolen(const RawAgent& from, const std::string& session = "s1", const std::string& uuid = "agent-1") {
    v1::Hello hello = from.hello(session, uuid);
    hello.set_node_uuid("other-node");
    hello.set_node_name("other");
    return hello;
  }
  static StatusCode joins(RawAgent& agent, const v1::Hello& hello) {
    return agent.join(hello) ? StatusCode::OK : agent.finish().error_code();
  }
  std::string samplePayload(double value) {
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    out.sample(dictionary.series({.metric = "m"}), wallNow(), value);
    return out.take(StreamClass::kMetrics);
  }
  std::vector<Issue> issues() const {
    const auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok());
    return (*reader)->issues().value();
  }
  std::string tokensOf(const std::vector<std::string>& names, std::vector<std::string>& secrets) const {
    AccessFile file;
    for (const std::string& name : names) {
      IssuedToken issued = issueToken(name, static_cast<std::uint8_t>(Scope::kIngest), "", std::nullopt);
      secrets.push_back(issued.secret);
      file.entries.push_back(std::move(issued.entry));
    }
    EXPECT_TRUE(writeAccessFile(dir.file("access"), file).ok());
    return dir.file("access");
  }
  AgentOptions agentOptions(const std::string& hub, const std::string& node) const {
    AgentOptions options;
    options.link.hub = hub;
    options.link.first_pause = 20 * kNsPerMs;
    options.link.longest_pause = 50 * kNsPerMs;
    options.link.renew_after = 100 * kNsPerMs;
    options.state_dir = dir.file("state");
    options.node = {.uuid = "uuid-" + node, .name = node};
    return options;
  }
  std::string uuidInState() const {
    std::string line;
    std::ifstream file(dir.file("state/agent_uuid"));
    std::getline(file, line);
    return line;
  }

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  SessionDictionary dictionary;
};

// Host and GPU metrics would be stored twice.
TEST_F(Identity, TwoAgentsOfOneNodeAreReported) {
  auto hub = serve();
  const auto ofNode = [](const std::string& uuid) {
    v1::Hello hello = RawAgent::hello("s1", uuid);
    hello.set_node_uuid("uuid-n7");
    hello.set_node_name("n7");
    return hello;
  };
  {
    RawAgent first(hub->address());
    ASSERT_TRUE(first.join(ofNode("agent-1")));
    RawAgent again(hub->address());
    ASSERT_TRUE(again.join(ofNode("agent-1"))) << "a new connection of the same agent";
    RawAgent of_another(hub->address());
    ASSERT_TRUE(of_another.join(RawAgent::hello("s1", "agent-3")));
  }
  ASSERT_TRUE(waitUntil([&] { return hub->stats().agents == 0; }));
  {
    RawAgent successor(hub->address());
    ASSERT_TRUE(successor.join(ofNode("agent-2"))) << "the agent of before has gone";
    hub->post([this](Writer& writer) {
      EXPECT_TRUE(writer.flush().ok());
      EXPECT_THAT(issues(), testing::Not(testing::Contains(testing::Field(&Issue::code, "wire.two_agents"))));
    });
    RawAgent second(hub->address());
    ASSERT_TRUE(second.join(ofNode("agent-1"))) << "both are taken: the store loses nothing";
  }
  ASSERT_TRUE(hub->stop().ok());
  const std::vector<Issue> all = issues();
  const auto found = std::ranges::find(all, "wire.two_agents", &Issue::code);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->source, "n7");
  EXPECT_EQ(found->count, 1);
  EXPECT_THAT(found->detail, testing::AllOf(HasSubstr("agent-1"), HasSubstr("agent-2"), HasSubstr("127.0.0.1")));
}

TEST_F(Identity, AnAgentsUuidIsThatOfItsNodeAlsoAfterARestartOfTheHub) {
  auto hub = serve();
  {
    RawAgent victim(hub->address());
    ASSERT_EQ(joins(victim, victim.hello()), StatusCode::OK);
    RawAgent thief(hub->address());
    ASSERT_FALSE(thief.join(stolen(thief)));
    const grpc::Status refused = thief.finish();
    EXPECT_EQ(refused.error_code(), StatusCode::ALREADY_EXISTS);
    EXPECT_THAT(refused.error_message(), HasSubstr("agent forget agent-1"));
    const std::string payload = samplePayload(1);
    ASSERT_TRUE(victim.sendDefinitions(dictionary.recordsFrom(0)));
    ASSERT_TRUE(victim.send(RawAgent::batch(4, 0, payload)));
    EXPECT_TRUE(victim.waitForAck(4, 1)) << "its connection lives on";
  }
  ASSERT_TRUE(hub->stop().ok());
  hub = serve();
  RawAgent thief(hub->address());
  EXPECT_EQ(joins(thief, stolen(thief)), StatusCode::ALREADY_EXISTS);
  RawAgent victim(hub->address());
  const auto welcome = victim.join(victim.hello());
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->resume(0).next_seq(), 1U);
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(issues(), testing::Contains(testing::Field(&Issue::code, "wire.agent_identity")));
}

TEST_F(Identity, AnAgentsUuidIsThatOfTheNameItShowed) {
  std::vector<std::string> secrets;
  const std::string tokens = tokensOf({"gpu-a", "gpu-b", "gpu-a"}, secrets);
  auto hub = serve({.token_file = tokens});
  {
    RawAgent first(hub->address(), secrets[0]);
    ASSERT_EQ(joins(first, first.hello()), StatusCode::OK);
    RawAgent live(hub->address(), secrets[1]);
    EXPECT_EQ(joins(live, live.hello()), StatusCode::ALREADY_EXISTS) << "the same uuid, node and session";
    EXPECT_TRUE(first.beat());
  }
  ASSERT_TRUE(hub->stop().ok());
  hub = serve({.token_file = tokens});
  RawAgent other(hub->address(), secrets[1]);
  EXPECT_EQ(joins(other, other.hello()), StatusCode::ALREADY_EXISTS);
  RawAgent renewed(hub->address(), secrets[2]);
  EXPECT_EQ(joins(renewed, renewed.hello()), StatusCode::OK) << "another token of the same name";
}

TEST_F(Identity, IsFreedThroughTheHubAndWithoutIt) {
  auto hub = serve();
  const auto join = [&](bool as_thief) {
    RawAgent agent(hub->address());
    return joins(agent, as_thief ? stolen(agent) : agent.hello());
  };
  ASSERT_EQ(join(false), StatusCode::OK);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().agents == 0; }));
  ControlClient control({.hub = hub->address()});
  EXPECT_EQ(control.edit(AgentForget{.name = "nobody"}, "").code(), Code::kNotFound);
  EXPECT_EQ(control.edit(AgentForget{}, "").code(), Code::kInvalidArgument);
  ASSERT_TRUE(control.edit(AgentForget{.name = "n-agent-1"}, "").ok()) << "by the node's name";
  EXPECT_EQ(join(true), StatusCode::OK);
  EXPECT_EQ(join(false), StatusCode::ALREADY_EXISTS);
  ASSERT_TRUE(hub->stop().ok());
  {
    const auto writer = openStore(store).writer();
    ASSERT_TRUE(writer.ok());
    ASSERT_NE((*writer)->identityOf("agent-1"), nullptr);
    ASSERT_TRUE((*writer)->edit(AgentForget{.name = "agent-1"}).ok());
    EXPECT_EQ((*writer)->identityOf("agent-1"), nullptr);
  }
  hub = serve();
  EXPECT_EQ(join(false), StatusCode::OK);
}

TEST_F(Identity, ARenamedNodeIsFreedByItsOldName) {
  AccessFile file;
  std::vector<std::string> secrets;
  const auto add = [&](const std::string& name, Scope scope, const std::string& node) {
    IssuedToken issued = issueToken(name, static_cast<std::uint8_t>(scope), node, std::nullopt);
    secrets.push_back(issued.secret);
    file.entries.push_back(std::move(issued.entry));
  };
  add("old", Scope::kIngest, "old"), add("new", Scope::kIngest, "new"), add("operator", Scope::kAdmin, "");
  ASSERT_TRUE(writeAccessFile(dir.file("access"), file).ok());
  auto hub = serve({.token_file = dir.file("access")});
  // One machine with a constant uuid.
  const auto join = [&](std::size_t as, const std::string& name) {
    RawAgent agent(hub->address(), secrets[as]);
    v1::Hello hello = agent.hello("s" + name, "agent-" + name);
    hello.set_node_uuid("machine");
    hello.set_node_name(name);
    return agent.join(hello) ? grpc::Status::OK : agent.finish();
  };
  ASSERT_TRUE(join(0, "old").ok());
  ASSERT_TRUE(waitUntil([&] { return hub->stats().agents == 0; }));
  const grpc::Status refused = join(1, "new");
  EXPECT_EQ(refused.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(), HasSubstr("runglassctl agent forget old"));
  ControlClient control({.hub = hub->address(), .token = secrets[2]});
  ASSERT_TRUE(control.edit(AgentForget{.name = "old"}, "").ok());
  EXPECT_EQ(join(1, "new").error_code(), StatusCode::OK);
  EXPECT_EQ(join(0, "old").error_code(), StatusCode::PERMISSION_DENIED) << "it is another node's now";
}

TEST_F(Identity, RefusesASequenceNumberThatNoSpoolCanReach) {
  auto hub = serve();
  for (const std::uint64_t seq :
       {std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max(), (std::uint64_t{1} << 30) + 1, std::uint64_t{1} << 63}) {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
    ASSERT_TRUE(agent.send(RawAgent::batch(4, seq, samplePayload(1))));
    EXPECT_EQ(agent.finish().error_code(), StatusCode::INVALID_ARGUMENT) << seq;
  }
  const std::string payload = samplePayload(2);
  RawAgent agent(hub->address());
  const auto welcome = agent.join(agent.hello());
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->resume_size(), 0) << "no mark moved";
  ASSERT_TRUE(agent.sendDefinitions(dictionary.recordsFrom(0)));
  ASSERT_TRUE(agent.send(RawAgent::batch(4, 1'000'000, payload)));
  EXPECT_TRUE(agent.waitForAck(4, 1'000'001)) << "a gap that an outage leaves";
}

TEST_F(Identity, AClonedAgentTakesAUuidOfItsOwnAndGoesOn) {
  const auto hub = serve();
  RawAgent original(hub->address());
  ASSERT_TRUE(original.join(original.hello()));
  AgentOptions options = agentOptions(hub->address(), "clone");
  options.link.agent_uuid = "agent-1";
  auto clone = Agent::start(std::move(options));
  ASSERT_TRUE(clone.ok()) << clone.status().message();
  Recorder& out = (*clone)->recorder();
  out.sample(out.series({.node = out.node((*clone)->node()), .metric = "m"}), (*clone)->now(), 7);
  EXPECT_TRUE(waitUntil([&] { return hub->stats().samples == 1; }));
  EXPECT_TRUE(original.beat());
  EXPECT_TRUE((*clone)->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(uuidInState().size(), 32U);
  EXPECT_THAT(issues(), testing::Contains(testing::Field(&Issue::code, "agent.new_identity")));
}

TEST_F(Identity, AStateDirectoryOfAnotherNodeGivesNoUuid) {
  const auto hub = serve();
  std::vector<std::string> uuids;
  for (const std::string node : {"a", "a", "b", "b"}) {
    auto agent = Agent::start(agentOptions(hub->address(), node));
    ASSERT_TRUE(agent.ok()) << agent.status().message();
    EXPECT_TRUE(waitUntil([&] { return (*agent)->connected(); })) << node;
    EXPECT_TRUE((*agent)->stop());
    uuids.push_back(uuidInState());
  }
  EXPECT_EQ(uuids[0], uuids[1]);
  EXPECT_NE(uuids[1], uuids[2]);
  EXPECT_EQ(uuids[2], uuids[3]);
}

TEST_F(Identity, CountsOfIssuesStayAtTheLargestNumber) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  auto writer = openStore(store).writer();
  ASSERT_TRUE(writer.ok());
  for (int flush = 0; flush < 2; ++flush) {
    for (const std::int64_t count : {kMax - 1, std::int64_t{5}}) (*writer)->issue({.code = "wire.gap", .source = "n", .count = count});
    ASSERT_TRUE((*writer)->flush().ok());
    EXPECT_EQ(issues().at(0).count, kMax);
  }
}

}  // namespace
}  // namespace runglass
