// SPDX-License-Identifier: Apache-2.0
// AgentFleet: agents of several nodes in one process, each with its own session, connection, outbox and spool.
//
// Threading:  start() and stop() from one thread; the rest as Agent.
// Ownership:  owns the agents.
// Units:      ns, bytes.
// Errors:     start(): that of Agent::start(), of the first agent that fails.
// Cost:       two threads an agent: one for its connection and, while connected, one that reads from it; both sleep while idle. One thread
//             seals for kSharedBy agents. About 0.4 MiB for an agent without a backlog.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "collectors/agent/agent.h"

namespace runglass {

// Options of one of `members` agents that share the limits of one agent (`whole`): memory and spool are divided evenly, with at least
// kMinShare each, and the state directory gets a folder per node.
AgentOptions shareOf(const AgentOptions& whole, const Node& node, std::size_t members);

class AgentFleet {
 public:
  static constexpr std::size_t kMinShare = 1U << 20, kSharedBy = 128;

  // Log lines carry the node's name; the same line of many agents is logged once.
  static Result<std::unique_ptr<AgentFleet>> start(std::vector<AgentOptions> members);
  ~AgentFleet();

  std::size_t size() const { return m_agents.size(); }
  Agent& operator[](std::size_t index) { return *m_agents[index]; }
  // As Agent's, for all of them together; each may have an equal share of `bytes` unacknowledged.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  // Waits until all sealed batches are acknowledged, for as long as at least one is acknowledged within each `patience`. True if all are.
  bool drain(DurNs patience, const std::stop_token& stop) const;
  // As Agent's, all at once. True if nothing remains in any of them.
  bool stop(DurNs patience);

 private:
  AgentFleet() = default;
  std::vector<std::unique_ptr<Agent>> m_agents;
};

}  // namespace runglass
