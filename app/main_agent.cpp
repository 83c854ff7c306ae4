// SPDX-License-Identifier: GPL-3.0-or-later
// runglass-agent: one per node. Collects until SIGTERM or SIGINT, then flushes and signs off. Exit 0 ok, 1 failed, 2 wrong usage.
#include <csignal>
#include <cstdio>
#include <exception>

#include "app/cli/options.h"
#include "app/cli/private_files.h"
#include "app/cli/simulation.h"
#include "collectors/agent/agent.h"

namespace runglass {
namespace {

struct Arguments {
  std::string hub, config, state_dir, token_file, tls_ca, tls_cert, tls_key;
  Simulation simulation;
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

// Before any thread starts, so that only sigwait() receives them.
sigset_t blockedStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

Status playScenario(const Arguments& arguments) {
  const sigset_t signals = blockedStopSignals();
  RG_ASSIGN(AgentOptions options, optionsOf(arguments));
  return simulate(arguments.simulation, std::move(options), signals);
}

Status collect(const Arguments& arguments) {
  const sigset_t signals = blockedStopSignals();
  RG_ASSIGN(AgentOptions options, optionsOf(arguments));
  RG_ASSIGN(const std::unique_ptr<Agent> agent, Agent::start(std::move(options)));
  std::fprintf(stderr, "runglass-agent: session %s on %s\n", agent->session().c_str(), agent->node().name.c_str());
  int received = 0;
  sigwait(&signals, &received);
  // The final data of the sources takes at most 8 s; the process ends within 20 s.
  if (!agent->stop(8 * kNsPerSecond))
    std::fprintf(stderr, "runglass-agent: the hub did not take everything; the rest waits in the spool\n");
  return {};
}

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  runglass::keepFilesPrivate();
  runglass::CommandLine line("runglass-agent", "Collects what one node knows about training and sends it to a Runglass hub.");
  const runglass::Options options = line.options();
  runglass::Arguments arguments;
  options.add("--hub", arguments.hub, "The hub, HOST:PORT");
  options.add("--config", arguments.config, "Configuration (TOML)").existingFile();
  options.add("--state-dir", arguments.state_dir, "Directory of the spool and the agent's identity; default: a free one");
  const runglass::Option simulate =
      options.add("--simulate", arguments.simulation.scenario, "Play this scenario (TOML) instead of collecting").existingFile();
  options.add("--speed", arguments.simulation.speed, "Simulation: speed factor, or max")
      .check([](const std::string& text) {
        double factor = 0;
        const bool number = std::sscanf(text.c_str(), "%lf", &factor) == 1 && factor > 0 && factor <= 1000;
        return number || text == "max" ? std::string() : "must be a factor above 0, or max";
      })
      .defaultShown();
  const runglass::Option per_node = options
                                        .flag("--agent-per-node", arguments.simulation.agent_per_node,
                                              "Simulation: one agent per node, each with its own connection and spool")
                                        .needs(simulate);
  options.add("--trust", arguments.simulation.trust, "With --agent-per-node: folder made by `runglassctl pair`, with agents/NODE")
      .existingFolder()
      .needs(per_node);
  options.add("--token-file", arguments.token_file, "Bearer token for the hub, mode 0600");
  options.add("--tls-ca", arguments.tls_ca, "CA of the hub's certificate (PEM); turns TLS on");
  options.add("--tls-cert", arguments.tls_cert, "Client certificate for the hub (PEM)");
  options.add("--tls-key", arguments.tls_key, "Its key (PEM)");
  options.examples(
      "runglass-agent --hub 127.0.0.1:7070\n"
      "runglass-agent --hub head.cluster:7070 --token-file hub.token --tls-ca hub.pem\n"
      "runglass-agent --hub 127.0.0.1:7070 --simulate slow-gpu.toml --speed max\n"
      "runglass-agent --hub 127.0.0.1:7070 --simulate slow-gpu.toml --agent-per-node --state-dir /tmp/sim\n");
  if (const auto exit = line.parse(argc, argv)) return *exit;
  runglass::Status status;
  try {
    status = arguments.simulation.scenario.empty() ? runglass::collect(arguments) : runglass::playScenario(arguments);
  } catch (const std::exception& error) {
    status = runglass::Status(runglass::Code::kInternal, error.what());  // third-party code, out of memory; Runglass throws nothing
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "runglass-agent: %s\n", status.message().c_str());
  return 1;
}
