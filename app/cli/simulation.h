// SPDX-License-Identifier: GPL-3.0-or-later
// Simulation: runglass-agent's other job: to play a scenario, as one agent or as one per simulated node.
//
// Threading:  simulate() blocks until the play is over and delivered.
// Errors:     INVALID_ARGUMENT the scenario, or a node without credentials; those of Agent::start(); UNAVAILABLE the hub did not take all.
// Cost:       the player's thread and that of captures, besides the agents'.
#pragma once

#include <csignal>
#include <string>

#include "collectors/agent/agent.h"

namespace runglass {

struct Simulation {
  std::string scenario;  // the file
  std::string speed = "1";
  bool agent_per_node = false;
  std::string trust;  // folder of runglassctl pair; empty: all agents show what the options say
};

// Plays until the end or the first of `signals`, which are blocked in all threads.
Status simulate(const Simulation& simulation, AgentOptions options, const sigset_t& signals);

}  // namespace runglass
