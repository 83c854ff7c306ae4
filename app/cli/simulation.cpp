// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/simulation.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <thread>

#include "collectors/agent/agent_fleet.h"
#include "collectors/sim/node_router.h"
#include "collectors/sim/simulated_captures.h"
#include "collectors/sim/simulator.h"
#include "model/time_text.h"

namespace runglass {
namespace {

// An agent has four open files.
void allowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

Status takeCredentials(AgentOptions& options, const std::string& trust) {
  const std::string folder = trust + "/agents/" + options.node.name;
  const auto file = [&](const char* name) {
    const std::string path = folder + "/" + name;
    return std::filesystem::exists(path) ? path : std::string();
  };
  options.link.tls_ca = file("ca.pem");
  options.link.token_file = file("token");
  options.link.tls_cert = file("agent.pem");
  options.link.tls_key = file("agent.key");
  if (!options.link.tls_ca.empty() && !(options.link.token_file.empty() && options.link.tls_cert.empty())) return {};
  return Status(Code::kInvalidArgument,
                "trust: " + folder + ": holds no credentials: runglassctl pair --out " + trust + " --token-agent " + options.node.name);
}

// One agent for all nodes, or one per node in the order of the nodes.
Result<std::unique_ptr<AgentFleet>> startAgents(const Simulation& simulation, const sim::Scenario& scenario, AgentOptions options) {
  options.sources.clear();
  std::vector<AgentOptions> members;
  if (!simulation.agent_per_node) {
    options.node = {.uuid = "sim:" + scenario.name, .name = "simulator " + scenario.name};
    options.link.speaks_for = sim::nodeUuids(scenario);
    members.push_back(std::move(options));
    return AgentFleet::start(std::move(members));
  }
  allowManyFiles();
  for (std::int32_t node = 0; node < scenario.nodes; ++node) {
    members.push_back(
        shareOf(options, {.uuid = sim::nodeUuid(scenario, node), .name = sim::nodeName(node)}, static_cast<std::size_t>(scenario.nodes)));
    if (!simulation.trust.empty()) RG_TRY(takeCredentials(members.back(), simulation.trust));
  }
  return AgentFleet::start(std::move(members));
}

// The ranks of agent `agent` (of `agents`) among `asked` (empty: all).
std::vector<std::int32_t> ranksOf(const sim::Scenario& scenario, std::size_t agent, std::size_t agents,
                                  const std::vector<std::int32_t>& asked) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const bool own = agents == 1 || static_cast<std::size_t>(rank / scenario.gpus_per_node) == agent;
    if (own && (asked.empty() || std::ranges::find(asked, rank) != asked.end())) ranks.push_back(rank);
  }
  return ranks;
}

// Answers capture commands for the scenario's nodes while it is played.
std::jthread answerCaptures(AgentFleet& agents, const sim::Scenario& scenario, const sim::PlayState& state) {
  struct Desk {
    Recorder* out;
    OrderQueue::Server server;
  };
  std::vector<Desk> desks;
  for (std::size_t i = 0; i < agents.size(); ++i) desks.push_back({&agents[i].recorder(), agents[i].orders().serve({OrderKind::kCapture})});
  const auto carryOut = [&agents, &scenario, &state](std::size_t agent, const OrderQueue::Task& task, Recorder& out) {
    std::vector<std::int32_t> ranks = ranksOf(scenario, agent, agents.size(), task.order.ranks);
    // An empty list would mean all ranks.
    if (!ranks.empty())
      ranks = sim::capture(scenario, state, ranks, static_cast<CaptureReason>(task.order.number), agents[agent].now(), out);
    agents[agent].orders().answer({.id = task.id, .status = {}, .ranks = std::move(ranks), .note = "simulated stacks and process states"});
  };
  return std::jthread([&agents, carryOut, desks = std::move(desks)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (std::size_t i = 0; i < desks.size(); ++i) {
        const std::vector<OrderQueue::Task> tasks = agents[i].orders().take(desks[i].server);
        for (const OrderQueue::Task& task : tasks) carryOut(i, task, *desks[i].out);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
}

std::unique_ptr<Recorder> routerTo(AgentFleet& agents) {
  std::vector<sim::NodeRouter::Member> members;
  for (std::size_t i = 0; i < agents.size(); ++i) members.push_back({agents[i].node().uuid, &agents[i].recorder()});
  return std::make_unique<sim::NodeRouter>(std::move(members));
}

// Prints delivery statistics, for measuring a hub.
void tellDelivery(AgentFleet& agents) {
  std::vector<DurNs> delays;
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const std::vector<DurNs> own = agents[i].outbox().takeAckDelays();
    delays.insert(delays.end(), own.begin(), own.end());
    dropped += agents[i].outbox().droppedBatches();
  }
  if (delays.empty()) return;
  std::ranges::sort(delays);
  const auto within = [&](double share) {
    return shortDurationText(delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))]);
  };
  std::fprintf(stderr,
               "runglass-agent: of the newest %zu batches half were acknowledged within %s, 99 %% within %s, all within %s; "
               "%llu dropped\n",
               delays.size(), within(0.5).c_str(), within(0.99).c_str(), within(1).c_str(), static_cast<unsigned long long>(dropped));
}

}  // namespace

// At full speed, the scenario ends now, and its pace is limited by the hub.
Status simulate(const Simulation& simulation, AgentOptions options, const sigset_t& signals) {
  constexpr std::size_t kRoom = 64U << 20;
  constexpr DurNs kPatience = 30 * kNsPerSecond;
  std::stringstream text;
  const std::ifstream file(simulation.scenario);
  text << file.rdbuf();
  RG_ASSIGN(const sim::Scenario scenario, sim::parseScenario(text.str(), simulation.scenario));
  RG_ASSIGN(const std::unique_ptr<AgentFleet> agents, startAgents(simulation, scenario, std::move(options)));
  const std::unique_ptr<Recorder> out = routerTo(*agents);
  sim::PlayState state;
  std::jthread captures = answerCaptures(*agents, scenario, state);
  std::stop_source stop;
  std::jthread waiter([&] {
    timespec second{1, 0};
    while (!stop.stop_requested())
      if (sigtimedwait(&signals, nullptr, &second) > 0) stop.request_stop();
  });
  const bool full_speed = simulation.speed == "max";
  sim::PlayOptions play{
      .start = (*agents)[0].now(), .speed = full_speed ? 0 : std::stod(simulation.speed), .stop = stop.get_token(), .state = &state};
  // A scenario played faster than real time starts in the past and ends now, so that no collector reports future times.
  if (play.speed > 1) play.start -= static_cast<DurNs>(static_cast<double>(sim::scenarioLength(scenario)) * (1 - 1 / play.speed));
  if (full_speed) {
    play.start -= sim::scenarioLength(scenario);
    play.after_flush = [&] { agents->waitForRoom(kRoom, 60 * kNsPerSecond); };
  }
  const std::string who = simulation.agent_per_node ? std::to_string(agents->size()) + " agents, " : "";
  std::fprintf(stderr, "runglass-agent: simulating %s: %s%d GPUs, %lld steps\n", scenario.name.c_str(), who.c_str(), scenario.world(),
               static_cast<long long>(scenario.steps));
  Status played = sim::play(scenario, *out, play);
  const bool stopped = played.code() == Code::kCancelled;
  // A hub that lags is given time; one that accepts nothing, or after a request to stop, half a minute.
  const bool silent = !stopped && !agents->drain(kPatience, stop.get_token()) && !stop.stop_requested();
  stop.request_stop();
  captures = {};  // waits for its thread, which may record until then
  const bool all_taken = agents->stop(silent ? 0 : kPatience);
  tellDelivery(*agents);
  if (!all_taken) return {Code::kUnavailable, "the hub did not take everything; the rest waits in the spool"};
  return stopped ? Status() : played;
}

}  // namespace runglass
