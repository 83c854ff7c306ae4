// SPDX-License-Identifier: Apache-2.0
// Agent: one node's collector. Sources run on their own threads, their records are sealed into batches, and the batches are sent to the
// hub.
//
// Threading:  start() and stop() from one thread; recorder() from any.
// Ownership:  owns sources, Recorders and threads. A Recorder from recorder() lives as long as the Agent.
// Units:      ns, bytes.
// Errors:     start(): FAILED_PRECONDITION with the name of the state directory that another agent uses, INVALID_ARGUMENT for a bad
//             configuration. A dead hub, a full disk or a missing device are no errors: see Outbox and Source.
// Cost:       one thread per source and three more, of which agents of one process can share one (AgentOptions::sealer); memory is bounded
//             by the limits of the Recorders and of the outbox.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "collectors/agent/hub_link.h"
#include "collectors/agent/sealer.h"
#include "collectors/agent/wire_recorder.h"
#include "collectors/sources/source.h"

namespace runglass {

struct AgentOptions {
  HubLinkOptions link;  // empty identities are taken from the machine
  OutboxLimits outbox;
  std::string state_dir;                      // empty: defaultStateDir(), or the next of that name that no agent uses
  Node node;                                  // empty uuid/name: from the machine
  DurNs seal_every = 50 * kNsPerMs;           // while connected
  std::shared_ptr<Sealer> sealer;             // null: one of its own
  std::shared_ptr<const toml::table> config;  // the whole file; may be null
  std::vector<SourceEntry> sources;           // to run; see sources()
  std::optional<std::set<OrderKind>> orders;  // kinds that this agent carries out; absent: all
  std::function<TimeNs()> now;                // empty: wall time at start + CLOCK_MONOTONIC
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// $XDG_STATE_HOME/runglass-agent, or ~/.local/state/runglass-agent.
std::string defaultStateDir();

// Reads the TOML file at `path` ("" = defaults) into options; command-line values are set afterwards.
Result<AgentOptions> readAgentConfig(const std::string& path);

class Agent {
 public:
  static Result<std::unique_ptr<Agent>> start(AgentOptions options);
  ~Agent();

  // A new Recorder of this session, for one thread; for producers that are not a Source (the simulator).
  Recorder& recorder();
  // Waits until all records are sealed and less than `bytes` are unacknowledged; for producers that can wait instead of losing data.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  bool connected() const;
  // The batches that the hub has not acknowledged; for measurements.
  Outbox& outbox();
  // For commands that are carried out outside a Source.
  OrderQueue& orders();
  TimeNs now() const;
  const Node& node() const;
  std::string session() const;
  // Flushes the sources, then waits at most `patience` for the hub to acknowledge the rest; the remainder stays in the spool. True if
  // nothing remains.
  bool stop(DurNs patience = 3 * kNsPerSecond);

 private:
  Agent();
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
