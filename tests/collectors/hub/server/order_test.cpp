// SPDX-License-Identifier: Apache-2.0
// Commands of the hub to agents that represent one node or many, and their answers.
#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <thread>

#include "collectors/agent/agent.h"
#include "collectors/hub/server/hub.h"
#include "model/captures.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class OrderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto started = Hub::start(dir.file("s.rgl"), {});
    ASSERT_TRUE(started.ok()) << started.status().message();
    hub = std::move(*started);
    std::promise<bool> recorded;
    hub->post([&](Writer& writer) {
      const AttemptId attempt = writer.attempt({.run = writer.run({.name = "live"}), .key = "0"});
      for (std::int32_t rank = 0; rank < 4; ++rank) {
        const std::string name = rank < 2 ? "a" : "b";
        writer.rank({.attempt = attempt, .rank = rank, .node = writer.node({.uuid = "u-" + name, .name = name})});
      }
      recorded.set_value(writer.flush().ok());
    });
    ASSERT_TRUE(recorded.get_future().get());
  }
  std::unique_ptr<Agent> agent(std::vector<std::string> speaks_for) {
    AgentOptions options;
    options.link.hub = hub->address();
    options.link.first_pause = 20 * kNsPerMs;
    options.link.speaks_for = std::move(speaks_for);
    options.state_dir = dir.file("agent");
    options.node = {.uuid = "u-simulator", .name = "simulator"};
    auto started = Agent::start(std::move(options));
    EXPECT_TRUE(started.ok()) << started.status().message();
    EXPECT_TRUE(test::waitUntil([&] { return hub->stats().agents > 0; }));
    return std::move(*started);
  }
  OrderOutcome order(std::vector<std::int32_t> ranks = {}) {
    std::promise<Result<OrderOutcome>> done;
    hub->order(
        {.kind = OrderKind::kCapture, .run = "live", .ranks = std::move(ranks), .number = static_cast<std::int64_t>(CaptureReason::kStall)},
        [&](Result<OrderOutcome> outcome) { done.set_value(std::move(outcome)); });
    Result<OrderOutcome> outcome = done.get_future().get();
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    return outcome.ok() ? std::move(*outcome) : OrderOutcome();
  }
  // Answers every command with these ranks until the test ends.
  static std::jthread answering(Agent& agent, std::vector<std::int32_t> ranks) {
    const OrderQueue::Server server = agent.orders().serve({OrderKind::kCapture});
    return std::jthread([&agent, server, ranks = std::move(ranks)](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const std::vector<OrderQueue::Task> tasks = agent.orders().take(server);
        for (const OrderQueue::Task& task : tasks)
          agent.orders().answer({.id = task.id, .status = {}, .ranks = ranks, .note = "stack " + std::to_string(task.order.number)});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }

  test::TempFolder dir;
  std::unique_ptr<Hub> hub;
};

TEST_F(OrderTest, AnAgentThatSpeaksForManyNodesIsAskedOnceAndAnswersForEach) {
  const auto player = agent({"u-a", "u-b"});
  const std::jthread answerer = answering(*player, {0, 1, 2, 3});
  const OrderOutcome outcome = order();
  ASSERT_THAT(outcome.answers, SizeIs(2));
  EXPECT_EQ(outcome.answers[0].node, "a");
  EXPECT_THAT(outcome.answers[0].ranks, ElementsAre(0, 1)) << "its own, of all that were answered";
  EXPECT_THAT(outcome.answers[1].ranks, ElementsAre(2, 3));
  EXPECT_EQ(outcome.answers[1].note, "stack 1");
  EXPECT_THAT(order({3}).answers, SizeIs(1));
  const auto reader = openStore(dir.file("s.rgl")).reader(hub->readerOptions());
  const std::vector<Event> events = *(*reader)->events({.kind = "order"});
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_THAT(events.back().message, HasSubstr("capture, stall"));
  EXPECT_THAT(events.front().message, HasSubstr("b: done, ranks 0, 1, 2, 3; stack 1")) << "one node: what it says counts";
}

TEST_F(OrderTest, ANodeThatNobodySpeaksForIsNamed) {
  const auto player = agent({"u-a"});
  const std::jthread answerer = answering(*player, {0, 1});
  const OrderOutcome outcome = order();
  ASSERT_THAT(outcome.answers, SizeIs(2));
  EXPECT_TRUE(outcome.answers[0].status.ok());
  EXPECT_THAT(outcome.answers[1].status.message(), HasSubstr("not connected"));
}

TEST_F(OrderTest, OrdersOfOneRunLeaveRoomForThoseOfOthers) {
  test::RawAgent silent(hub->address());
  v1::Hello hello = silent.hello();
  hello.set_node_uuid("u-a");
  hello.set_node_name("a");
  ASSERT_TRUE(silent.join(hello));
  hub->post([&](Writer& writer) {
    const AttemptId attempt = writer.attempt({.run = writer.run({.name = "other"}), .key = "0"});
    writer.rank({.attempt = attempt, .rank = 0, .node = writer.node({.uuid = "u-b", .name = "b"})});
    (void)writer.flush();
  });
  const auto place = [&](const std::string& run) {
    auto done = std::make_shared<std::promise<Result<OrderOutcome>>>();
    hub->order({.kind = OrderKind::kCapture, .run = run, .ranks = {}, .number = 0, .filter = {}},
               [done](Result<OrderOutcome> outcome) { done->set_value(std::move(outcome)); });
    return done->get_future();
  };
  std::vector<std::future<Result<OrderOutcome>>> open;
  for (int i = 0; i < 16; ++i) open.push_back(place("live"));
  const Result<OrderOutcome> refused = place("live").get();
  EXPECT_EQ(refused.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(refused.status().message(), HasSubstr("run 'live': 16 are open already"));
  const Result<OrderOutcome> of_other = place("other").get();
  EXPECT_TRUE(of_other.ok()) << of_other.status().message();
  for (auto& one : open) EXPECT_TRUE(one.get().ok()) << "its node is named as silent";
}

TEST_F(OrderTest, OneThatSpeaksForTooManyOrForNobodyIsNotLetIn) {
  for (const int names : {0, 5'000}) {
    test::RawAgent raw(hub->address());
    v1::Hello hello = raw.hello();
    hello.add_speaks_for(names == 0 ? "" : "u");
    for (int i = 1; i < names; ++i) hello.add_speaks_for("u" + std::to_string(i));
    EXPECT_FALSE(raw.join(hello));
    EXPECT_THAT(raw.finish().error_message(), HasSubstr("Hello names too many nodes, or one without a name"));
  }
}

}  // namespace
}  // namespace runglass
