// SPDX-License-Identifier: Apache-2.0
// Agent: one node's collector: sources on threads of their own, their records sealed into batches, the batches to the hub.
//
// Threading:  start() and stop() from one thread; recorder() from any.
// Ownership:  owns sources, Recorders and threads. A Recorder it gave out lives as long as the Agent.
// Units:      ns, bytes.
// Errors:     start(): FAILED_PRECONDITION another agent uses the state directory (names it), INVALID_ARGUMENT a bad configuration.
//             A dead hub, a full disk or a missing device are no errors: see Outbox and Source.
// Cost:       one thread per source and three more, of which agents of one process can share one (AgentOptions::sealer); memory is bounded
//             by the Recorders' and the outbox's limits.
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
  HubLinkOptions link;  // identities that are empty are taken from the machine
  OutboxLimits outbox;
  std::string state_dir;                      // empty: defaultStateDir(), or the next of its name that no agent uses
  Node node;                                  // empty uuid/name: from the machine
  DurNs seal_every = 50 * kNsPerMs;           // while connected
  std::shared_ptr<Sealer> sealer;             // null: one of its own
  std::shared_ptr<const toml::table> config;  // the whole file; may be null
  std::vector<SourceEntry> sources;           // those to run; see sources()
  std::optional<std::set<OrderKind>> orders;  // that it carries out; absent: all
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

  // A new Recorder of this session, for one thread: how anything that is not a Source (the simulator) speaks.
  Recorder& recorder();
  // Waits until what was recorded is sealed and less than `bytes` are unacknowledged; for producers that may wait instead of losing data.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  bool connected() const;
  // What waits for the hub, for who measures it.
  Outbox& outbox();
  // For orders that something that is not a Source carries out.
  OrderQueue& orders();
  TimeNs now() const;
  const Node& node() const;
  std::string session() const;
  // Last words of the sources, then at most `patience` for the hub to take what is left; the rest stays in the spool. True if none is.
  bool stop(DurNs patience = 3 * kNsPerSecond);

 private:
  Agent();
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
