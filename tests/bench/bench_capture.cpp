// SPDX-License-Identifier: Apache-2.0
// The duration of a capture of a whole run: from the command until every part of every node is readable, with N agents of 8 ranks each,
// each with its own session.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <future>
#include <thread>

#include "collectors/agent/agent.h"
#include "collectors/hub/server/hub.h"
#include "collectors/sim/simulated_captures.h"
#include "storage/open_store.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

class Cluster {
 public:
  explicit Cluster(std::int32_t nodes) {
    m_scenario.name = "capture";
    m_scenario.nodes = nodes;
    m_scenario.tp = m_scenario.gpus_per_node;
    m_scenario.dp = nodes;
    RG_CHECK(m_scenario.world() == nodes * m_scenario.gpus_per_node);
    std::string pattern = (std::filesystem::temp_directory_path() / "rg_capture_XXXXXX").string();
    RG_CHECK(::mkdtemp(pattern.data()) != nullptr);
    m_dir = pattern;
    HubOptions options;
    options.max_unauthenticated_per_address = 4'096;
    auto hub = Hub::start(store(), options);
    RG_CHECK(hub.ok());
    m_hub = std::move(*hub);
    for (std::int32_t node = 0; node < nodes; ++node) startAgent(node);
    m_answerer = std::jthread([this](const std::stop_token& stop) { answer(stop); });
  }
  ~Cluster() {
    m_answerer = {};
    m_nodes.clear();
    (void)m_hub->stop();
    std::error_code ignored;
    std::filesystem::remove_all(m_dir, ignored);
  }

  // Waits until the hub knows all ranks and every agent is connected.
  void waitUntilKnown() {
    const auto world = static_cast<std::size_t>(m_scenario.nodes) * static_cast<std::size_t>(m_scenario.gpus_per_node);
    for (std::size_t ranks = 0; ranks < world || m_hub->stats().agents < m_scenario.nodes;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto reader = open();
      const std::vector<Run> runs = *reader->runs();
      if (runs.empty()) continue;
      const std::vector<Attempt> attempts = *reader->attempts(runs.front().id);
      if (!attempts.empty()) ranks = reader->ranks(attempts.front().id)->size();
    }
  }
  OrderOutcome order() {
    std::promise<Result<OrderOutcome>> done;
    m_hub->order({.kind = OrderKind::kCapture, .run = m_scenario.name},
                 [&](Result<OrderOutcome> outcome) { done.set_value(std::move(outcome)); });
    Result<OrderOutcome> outcome = done.get_future().get();
    RG_CHECK(outcome.ok());
    return std::move(*outcome);
  }
  void waitForPieces(std::size_t pieces) const {
    while (true) {
      const auto reader = open();
      if (reader->captures(reader->runs()->front().id, {}, CaptureTexts::kWithout)->size() >= pieces) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  struct Node {
    std::unique_ptr<Agent> agent;
    Recorder* out = nullptr;
    OrderQueue::Server server{};
    std::vector<std::int32_t> ranks;
  };
  std::string store() const { return m_dir + "/s.rgl"; }
  std::unique_ptr<Reader> open() const {
    auto reader = openStore(store()).reader(m_hub->readerOptions());
    RG_CHECK(reader.ok());
    return std::move(*reader);
  }
  void startAgent(std::int32_t index) {
    AgentOptions options;
    options.link.hub = m_hub->address();
    options.state_dir = m_dir + "/agent-" + std::to_string(index);
    options.seal_every = 200 * kNsPerMs;
    options.node = {.uuid = sim::nodeUuid(m_scenario, index), .name = sim::nodeName(index)};
    auto agent = Agent::start(std::move(options));
    RG_CHECK(agent.ok());
    Node node{.agent = std::move(*agent)};
    node.out = &node.agent->recorder();
    node.server = node.agent->orders().serve({OrderKind::kCapture});
    const NodeId id = node.out->node(node.agent->node());
    const AttemptId attempt = node.out->attempt({.run = node.out->run({.name = m_scenario.name, .simulated = true}), .key = "0"});
    for (std::int32_t i = 0; i < m_scenario.gpus_per_node; ++i) {
      node.ranks.push_back(index * m_scenario.gpus_per_node + i);
      node.out->rank({.attempt = attempt, .rank = node.ranks.back(), .node = id});
    }
    (void)node.out->flush();
    m_nodes.push_back(std::move(node));
  }
  void answer(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (Node& node : m_nodes)
        for (const OrderQueue::Task& task : node.agent->orders().take(node.server))
          node.agent->orders().answer(
              {.id = task.id,
               .status = {},
               .ranks = sim::capture(m_scenario, m_state, node.ranks, CaptureReason::kByHand, node.agent->now(), *node.out),
               .note = "simulated"});
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  sim::Scenario m_scenario;
  sim::PlayState m_state;
  std::string m_dir;
  std::unique_ptr<Hub> m_hub;
  std::vector<Node> m_nodes;
  std::jthread m_answerer;
};

void captureAll(benchmark::State& state) {
  const auto nodes = static_cast<std::int32_t>(state.range(0));
  Cluster cluster(nodes);
  cluster.waitUntilKnown();
  std::size_t pieces = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    const DurNs began = monotonicNow();
    const OrderOutcome outcome = cluster.order();
    const DurNs answered = monotonicNow();
    std::size_t ranks = 0, failed = 0;
    for (const OrderAnswer& answer : outcome.answers) {
      ranks += answer.ranks.size();
      failed += answer.status.ok() ? 0 : 1;
    }
    pieces += 2 * ranks;
    cluster.waitForPieces(pieces);
    state.SetIterationTime(static_cast<double>(monotonicNow() - began) / 1e9);
    state.counters["answered_s"] = static_cast<double>(answered - began) / 1e9;
    state.counters["ranks"] = static_cast<double>(ranks);
    state.counters["failed_nodes"] = static_cast<double>(failed);
  }
}
BENCHMARK(captureAll)->Arg(64)->Arg(512)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace runglass

BENCHMARK_MAIN();
