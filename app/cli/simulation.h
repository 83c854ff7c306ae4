// SPDX-License-Identifier: GPL-3.0-or-later
// Simulation: the second mode of runglass-agent: plays a scenario, as one agent or as one per simulated node.
//
// Threading:  simulate() blocks until the scenario has been played and delivered.
// Errors:     INVALID_ARGUMENT: the scenario, or a node without credentials; those of Agent::start(); UNAVAILABLE: the hub did not accept
//             everything.
// Cost:       the threads of the player and of captures, in addition to those of the agents.
#pragma once

#include <csignal>
#include <string>

#include "collectors/agent/agent.h"

namespace runglass {

struct Simulation {
  std::string scenario;  // path of the file
  std::string speed = "1";
  bool agent_per_node = false;
  std::string trust;  // folder of runglassctl pair; empty: all agents use the credentials in the options
};

// Plays until the end or the first of `signals`, which must be blocked in all threads.
Status simulate(const Simulation& simulation, AgentOptions options, const sigset_t& signals);

}  // namespace runglass
