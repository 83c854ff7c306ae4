// SPDX-License-Identifier: Apache-2.0
// AgentFleet: agents of several nodes in one process, each with its own session, connection, outbox and spool.
//
// Threading:  start() and stop() from one thread; the rest as Agent.
// Ownership:  owns the agents.
// Units:      ns, bytes.
// Errors:     start(): those of Agent::start(), of the first agent that fails.
// Cost:       an agent takes a thread for its connection and, while connected, one that reads from it, both asleep while nothing comes; one
//             thread seals for kSharedBy agents. About 0.4 MiB an agent that is up to date.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "collectors/agent/agent.h"

namespace runglass {

// Options of one of `members` agents that share what `whole` allows one: memory and spool are divided evenly, down to kMinShare each, and
// the state directory has a folder per node.
AgentOptions shareOf(const AgentOptions& whole, const Node& node, std::size_t members);

class AgentFleet {
 public:
  static constexpr std::size_t kMinShare = 1U << 20, kSharedBy = 128;

  // What agents say comes with their node's name; the same of many is said once.
  static Result<std::unique_ptr<AgentFleet>> start(std::vector<AgentOptions> members);
  ~AgentFleet();

  std::size_t size() const { return m_agents.size(); }
  Agent& operator[](std::size_t index) { return *m_agents[index]; }
  // As Agent's, for all of them together; each may leave its even part of `bytes`.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  // Waits until all that was sealed is acknowledged, as long as some of it is within each `patience`; true then.
  bool drain(DurNs patience, const std::stop_token& stop) const;
  // As Agent's, all at once: True if nothing is left of any.
  bool stop(DurNs patience);

 private:
  AgentFleet() = default;
  std::vector<std::unique_ptr<Agent>> m_agents;
};

}  // namespace runglass
