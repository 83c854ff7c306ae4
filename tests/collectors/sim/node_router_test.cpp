// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/node_router.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>

#include "collectors/sim/simulated_captures.h"
#include "collectors/sim/simulator.h"
#include "tests/support/memory_recorder.h"

namespace runglass::sim {
namespace {

using test::MemoryRecorder;

// Three nodes of two GPUs with ports, pipelines and spans; a slow rank, a flapping port, a GPU that ends the first attempt.
Scenario troubled() {
  Scenario s;
  s.name = "routed";
  s.steps = 24;
  s.nodes = 3, s.gpus_per_node = 2, s.nics_per_node = 1;
  s.pp = 3, s.dp = 2;
  s.metrics_hertz = 2;
  s.checkpoint_every_steps = 8;
  s.epoch_every_steps = 10;
  s.faults.push_back({"slow_rank", {.kind = Target::Kind::kRank, .index = 3}, 4, 9, 1.5, std::nullopt});
  s.faults.push_back({"nic_flap", {.kind = Target::Kind::kNic, .index = 2, .gpu = 0, .nic = "ib0"}, 5, 6, 2.0, std::nullopt});
  s.faults.push_back({"hardware_fault", {.kind = Target::Kind::kGpu, .index = 1, .gpu = 1}, 12, 12, 1.0, 79});
  return s;
}

class Routed {
 public:
  explicit Routed(const Scenario& scenario) : nodes(static_cast<std::size_t>(scenario.nodes)) {
    std::vector<NodeRouter::Member> members;
    for (std::int32_t n = 0; n < scenario.nodes; ++n) members.push_back({nodeUuid(scenario, n), &nodes[static_cast<std::size_t>(n)]});
    router = std::make_unique<NodeRouter>(std::move(members));
  }
  std::vector<MemoryRecorder> nodes;
  std::unique_ptr<NodeRouter> router;
};

class NodeRouterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(play(scenario, *routed.router, options).ok());
    ASSERT_TRUE(play(scenario, whole, options).ok());
  }
  // The same count behind the router as in one Recorder that received everything.
  void expectSame(const char* what, const std::function<std::size_t(const MemoryRecorder&)>& count) const {
    std::size_t sum = 0;
    for (const MemoryRecorder& node : routed.nodes) sum += count(node);
    EXPECT_GT(sum, 0U) << what;
    EXPECT_EQ(sum, count(whole)) << what;
  }

  Scenario scenario = troubled();
  PlayOptions options{.start = 1'700'000'000'000'000'000, .speed = 0, .stop = {}, .state = nullptr, .after_flush = {}};
  Routed routed{scenario};
  MemoryRecorder whole;
};

TEST_F(NodeRouterTest, ARecorderHearsOfItsOwnNodeOnly) {
  for (std::size_t n = 0; n < routed.nodes.size(); ++n) {
    const MemoryRecorder& own = routed.nodes[n];
    ASSERT_EQ(own.nodes.size(), 1U);
    EXPECT_EQ(own.nodes[0].name, nodeName(static_cast<std::int32_t>(n)));
    EXPECT_EQ(own.devices.size(), 3U) << "two GPUs and a port";
    for (const Rank& rank : own.ranks) EXPECT_EQ(static_cast<std::size_t>(rank.rank) / 2, n);
    for (const Progress& progress : own.progresses) EXPECT_EQ(static_cast<std::size_t>(progress.rank) / 2, n);
    for (const auto& [id, key] : own.series_keys) EXPECT_TRUE(!key.rank || static_cast<std::size_t>(*key.rank) / 2 == n) << key.metric;
    for (const auto& [id, key] : own.track_keys) EXPECT_EQ(static_cast<std::size_t>(*key.rank) / 2, n) << key.name;
  }
}

TEST_F(NodeRouterTest, AllThatIsSaidArrivesOnce) {
  expectSame("ranks", [](const MemoryRecorder& m) { return m.ranks.size(); });
  expectSame("devices", [](const MemoryRecorder& m) { return m.devices.size(); });
  expectSame("series", [](const MemoryRecorder& m) { return m.series_keys.size(); });
  expectSame("tracks", [](const MemoryRecorder& m) { return m.track_keys.size(); });
  expectSame("facts", [](const MemoryRecorder& m) { return m.facts.size(); });
  expectSame("checkpoints", [](const MemoryRecorder& m) { return m.checkpoints.size(); });
  expectSame("groups", [](const MemoryRecorder& m) { return m.groups.size(); });
  expectSame("events", [](const MemoryRecorder& m) { return m.events.size(); });
  expectSame("logs", [](const MemoryRecorder& m) { return m.logs.size(); });
  expectSame("progress", [](const MemoryRecorder& m) { return m.progresses.size(); });
  expectSame("labels", [](const MemoryRecorder& m) { return m.labels.size(); });
  expectSame("samples", [](const MemoryRecorder& m) {
    std::size_t points = 0;
    for (const auto& [id, columns] : m.metric_samples) points += columns.size();
    return points;
  });
  expectSame("scalars", [](const MemoryRecorder& m) {
    std::size_t points = 0;
    for (const auto& [id, columns] : m.scalar_points) points += columns.size();
    return points;
  });
  expectSame("spans", [](const MemoryRecorder& m) {
    std::size_t rows = 0;
    for (const auto& [id, batches] : m.span_batches)
      for (const SpanColumns& batch : batches) rows += batch.size();
    return rows;
  });
}

TEST_F(NodeRouterTest, EveryRecorderKnowsTheRunAndBothAttemptsAndTheFirstOneKnowsTheirEnds) {
  for (const MemoryRecorder& node : routed.nodes) {
    ASSERT_EQ(node.runs.size(), 1U);
    EXPECT_TRUE(node.runs[0].simulated);
    ASSERT_EQ(node.attempts.size(), 2U);
    EXPECT_EQ(node.attempts[1].key, "1");
  }
  EXPECT_EQ(routed.nodes[0].attempts[0].end, whole.attempts[0].end);
  EXPECT_EQ(routed.nodes[0].attempts[1].layout, whole.attempts[1].layout);
  EXPECT_FALSE(routed.nodes[1].attempts[0].end);
  EXPECT_EQ(routed.nodes[0].scalarsOf("loss").value, whole.scalarsOf("loss").value);
  EXPECT_EQ(routed.nodes[1].scalarsOf("loss").size(), 0U);
}

TEST_F(NodeRouterTest, AFaultsLabelIsReportedByTheNodeItStruck) {
  const auto kinds = [](const MemoryRecorder& node) {
    std::multiset<std::string> all;
    for (const Label& label : node.labels) all.insert(label.kind);
    return all;
  };
  EXPECT_EQ(kinds(routed.nodes[0]), (std::multiset<std::string>{}));
  EXPECT_EQ(kinds(routed.nodes[1]), (std::multiset<std::string>{"hardware_fault", "slow_rank"}));
  EXPECT_EQ(kinds(routed.nodes[2]), (std::multiset<std::string>{"nic_flap"}));
  EXPECT_TRUE(routed.nodes[1].hasEvent("xid"));
}

TEST(NodeRouter, DeclaresAnothersDeviceWhereItIsSpokenOf) {
  MemoryRecorder a, b;
  NodeRouter router({{"u-a", &a}, {"u-b", &b}});
  const NodeId first = router.node({.uuid = "u-a", .name = "a"}), second = router.node({.uuid = "u-b", .name = "b"});
  const DeviceId device = router.device({.uuid = "gpu", .node = second, .kind = "gpu", .model = "M"});
  router.event({.node = first, .device = device, .kind = "link_down"});
  ASSERT_EQ(a.events.size(), 1U);
  ASSERT_EQ(a.devices.size(), 1U);
  EXPECT_EQ(a.events[0].device.value, 1U);
  EXPECT_EQ(a.devices[0].uuid, "gpu");
  ASSERT_EQ(a.nodes.size(), 2U);
  EXPECT_EQ(a.nodes[a.devices[0].node.value - 1].uuid, "u-b");
  EXPECT_TRUE(b.events.empty());
}

TEST(NodeRouter, GivesWhatNobodyOwnsToTheFirst) {
  MemoryRecorder a, b;
  NodeRouter router({{"u-a", &a}, {"u-b", &b}});
  const NodeId stranger = router.node({.uuid = "u-c", .name = "c"});
  const AttemptId attempt = router.attempt({.run = router.run({.name = "r"}), .key = "0"});
  router.sample(router.series({.node = stranger, .metric = "power_watts"}), 5, 1.0);
  router.progress({.attempt = attempt, .rank = 9, .time = 5});  // a rank without a node
  router.issue({.code = "agent.text_cut"});
  EXPECT_EQ(a.samplesOf("power_watts").size(), 1U);
  EXPECT_EQ(a.progresses.size(), 1U);
  EXPECT_EQ(a.issues.size(), 1U);
  EXPECT_TRUE(b.nodes.empty());
  EXPECT_TRUE(b.progresses.empty());
}

TEST(NodeRouter, FlushesAllAndTellsTheFirstFailure) {
  MemoryRecorder a, b, c;
  b.fail_flush = Status(Code::kResourceExhausted, "full");
  c.fail_flush = Status(Code::kUnavailable, "gone");
  NodeRouter router({{"u-a", &a}, {"u-b", &b}, {"u-c", &c}});
  EXPECT_EQ(router.flush().message(), "full");
}

}  // namespace
}  // namespace runglass::sim
