// SPDX-License-Identifier: GPL-3.0-or-later
// runglass-agent: one per node. Collects until SIGTERM or SIGINT, then flushes and says goodbye. Exit 0 ok, 1 failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <thread>

#include "app/cli_description.h"
#include "collectors/agent/agent.h"
#include "collectors/sim/simulated_captures.h"
#include "collectors/sim/simulator.h"

namespace runglass {
namespace {

struct Arguments {
  std::string hub, config, state_dir, token_file, tls_ca, tls_cert, tls_key, scenario, speed = "1";
};

Result<AgentOptions> optionsOf(const Arguments& arguments) {
  RG_ASSIGN(AgentOptions options, readAgentConfig(arguments.config));
  const auto take = [](const std::string& given, std::string& option) {
    if (!given.empty()) option = given;
  };
  take(arguments.hub, options.link.hub);
  take(arguments.state_dir, options.state_dir);
  take(arguments.tls_ca, options.link.tls_ca);
  take(arguments.tls_cert, options.link.tls_cert);
  take(arguments.tls_key, options.link.tls_key);
  take(arguments.token_file, options.link.token_file);
  if (options.link.hub.empty()) return Status(Code::kInvalidArgument, "hub: none given: use --hub HOST:PORT or the configuration's hub");
  options.say = [](const std::string& line) { std::fprintf(stderr, "runglass-agent: %s\n", line.c_str()); };
  return options;
}

// Before any thread starts, so that only sigwait() sees them.
sigset_t blockedStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Answers capture orders for all of the scenario's nodes while it is played.
std::jthread answerCaptures(Agent& agent, const sim::Scenario& scenario, const sim::PlayState& state) {
  Recorder& out = agent.recorder();
  const OrderBook::Server server = agent.orders().serve({OrderKind::kCapture});
  return std::jthread([&agent, &scenario, &state, &out, server](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::vector<OrderBook::Task> tasks = agent.orders().take(server);
      for (const OrderBook::Task& task : tasks)
        agent.orders().answer(
            {.id = task.id,
             .status = {},
             .ranks = sim::capture(scenario, state, task.order.ranks, static_cast<CaptureReason>(task.order.number), agent.now(), out),
             .note = "simulated stacks and process states"});
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
}

// Plays a scenario through an agent session without sources of its own. At full speed it ends now and keeps to what the hub can take.
Status simulate(const Arguments& arguments) {
  constexpr std::size_t kRoom = 64U << 20;
  const sigset_t signals = blockedStopSignals();
  std::stringstream text;
  const std::ifstream file(arguments.scenario);
  text << file.rdbuf();
  RG_ASSIGN(const sim::Scenario scenario, sim::parseScenario(text.str(), arguments.scenario));
  RG_ASSIGN(AgentOptions options, optionsOf(arguments));
  options.sources.clear();
  options.node = {.uuid = "sim:" + scenario.name, .name = "simulator " + scenario.name};
  options.link.speaks_for = sim::nodeUuids(scenario);
  RG_ASSIGN(const std::unique_ptr<Agent> agent, Agent::start(std::move(options)));
  sim::PlayState state;
  std::jthread captures = answerCaptures(*agent, scenario, state);
  std::stop_source stop;
  std::jthread waiter([&] {
    timespec second{1, 0};
    while (!stop.stop_requested())
      if (sigtimedwait(&signals, nullptr, &second) > 0) stop.request_stop();
  });
  const bool full_speed = arguments.speed == "max";
  sim::PlayOptions play{
      .start = agent->now(), .speed = full_speed ? 0 : std::stod(arguments.speed), .stop = stop.get_token(), .state = &state};
  // Faster than life begins in the past and ends now: no collector speaks of the future.
  if (play.speed > 1) play.start -= static_cast<DurNs>(static_cast<double>(sim::scenarioLength(scenario)) * (1 - 1 / play.speed));
  if (full_speed) {
    play.start -= sim::scenarioLength(scenario);
    play.after_flush = [&] { agent->waitForRoom(kRoom, 60 * kNsPerSecond); };
  }
  std::fprintf(stderr, "runglass-agent: simulating %s: %d GPUs, %lld steps\n", scenario.name.c_str(), scenario.world(),
               static_cast<long long>(scenario.steps));
  Status played = sim::play(scenario, agent->recorder(), play);
  const bool stopped = played.code() == Code::kCancelled;
  stop.request_stop();
  captures = {};  // it records until it has ended
  if (!agent->stop(30 * kNsPerSecond)) return {Code::kUnavailable, "the hub did not take everything; the rest waits in the spool"};
  return stopped ? Status() : played;
}

Status collect(const Arguments& arguments) {
  const sigset_t signals = blockedStopSignals();
  RG_ASSIGN(AgentOptions options, optionsOf(arguments));
  RG_ASSIGN(const std::unique_ptr<Agent> agent, Agent::start(std::move(options)));
  std::fprintf(stderr, "runglass-agent: session %s on %s\n", agent->session().c_str(), agent->node().name.c_str());
  int received = 0;
  sigwait(&signals, &received);
  // The sources' last words take at most 8 s: all is over within 20.
  if (!agent->stop(8 * kNsPerSecond))
    std::fprintf(stderr, "runglass-agent: the hub did not take everything; the rest waits in the spool\n");
  return {};
}

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  CLI::App app("Collects what one node knows about training and sends it to a Runglass hub.", "runglass-agent");
  runglass::Arguments arguments;
  app.add_option("--hub", arguments.hub, "The hub, HOST:PORT");
  app.add_option("--config", arguments.config, "Configuration (TOML)")->check(CLI::ExistingFile);
  app.add_option("--state-dir", arguments.state_dir, "Where the spool and the agent's identity live");
  app.add_option("--simulate", arguments.scenario, "Play this scenario (TOML) instead of collecting")->check(CLI::ExistingFile);
  app.add_option("--speed", arguments.speed, "Of the simulation: a factor, or max")
      ->check([](const std::string& text) {
        double factor = 0;
        const bool number = std::sscanf(text.c_str(), "%lf", &factor) == 1 && factor > 0 && factor <= 1000;
        return number || text == "max" ? std::string() : "must be a factor above 0, or max";
      })
      ->capture_default_str();
  app.add_option("--token-file", arguments.token_file, "Bearer token for the hub, mode 0600");
  app.add_option("--tls-ca", arguments.tls_ca, "CA of the hub's certificate (PEM); turns TLS on");
  app.add_option("--tls-cert", arguments.tls_cert, "Our certificate for the hub (PEM)");
  app.add_option("--tls-key", arguments.tls_key, "Its key (PEM)");
  runglass::addExamples(app,
                        "runglass-agent --hub 127.0.0.1:7070\n"
                        "runglass-agent --hub head.cluster:7070 --token-file hub.token --tls-ca hub.pem\n"
                        "runglass-agent --hub 127.0.0.1:7070 --simulate slow-gpu.toml --speed max\n");
  if (runglass::describedCommandLine(app, argc, argv)) return 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  runglass::Status status;
  try {
    status = arguments.scenario.empty() ? runglass::collect(arguments) : runglass::simulate(arguments);
  } catch (const std::exception& error) {
    status = runglass::Status(runglass::Code::kInternal, error.what());  // third-party code and memory: nothing of ours throws
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "runglass-agent: %s\n", status.message().c_str());
  return 1;
}
