// SPDX-License-Identifier: Apache-2.0
// IngestThread: admission and identity of agents.
// Invariants:
// 1. An agent's uuid is bound to the first node and credential that used it.
// 2. One live connection per agent: a second session is refused while the first one is active; the same session of the same owner replaces
//    it.
#include <algorithm>

#include "collectors/hub/server/ingest_limits.h"
#include "collectors/hub/server/ingest_thread.h"
#include "model/mutex.h"

namespace runglass {
namespace {

bool isRecent(TimeNs seen, TimeNs now) { return seen > now - kNodesSeenWithin; }

// Number of recent uuids with this node name.
std::ptrdiff_t uuidsOf(const auto& nodes, const std::string& name, TimeNs now) {
  return std::ranges::count_if(nodes, [&](const auto& node) { return node.second.name == name && isRecent(node.second.seen, now); });
}

}  // namespace

bool IngestThread::mayJoin(const Item& item, const v1::Hello& hello) {
  const auto no = [&](Code code, const std::string& why) {
    refuse(item.link, Status(code, "session: " + item.link->peer() + ": " + why));
    return false;
  };
  if (hello.proto_version() > kProtoVersion)
    return no(Code::kFailedPrecondition, "agent " + hello.agent_version() + " speaks protocol " + std::to_string(hello.proto_version()) +
                                             ", this hub " + std::to_string(kProtoVersion) + ": update the hub");
  if (hello.proto_version() == 0 || hello.agent_uuid().empty() || hello.node_uuid().empty() || hello.sessions().empty())
    return no(Code::kInvalidArgument, "Hello lacks version, agent, node or session");
  if (static_cast<std::size_t>(hello.sessions_size()) > kMaxSessions) return no(Code::kInvalidArgument, "Hello names too many sessions");
  for (const std::string* name : {&hello.agent_uuid(), &hello.node_uuid(), &hello.node_name()})
    if (name->size() > kMaxName) return no(Code::kInvalidArgument, "Hello holds a name of more than 256 bytes");
  if (hello.speaks_for_size() > kMaxSpeaksFor ||
      std::ranges::any_of(hello.speaks_for(), [](const std::string& uuid) { return uuid.empty() || uuid.size() > kMaxName; }))
    return no(Code::kInvalidArgument, "Hello names too many nodes, or one without a name");
  for (const auto& session : hello.sessions())
    if (session.session().empty() || session.session().size() > kMaxName)
      return no(Code::kInvalidArgument, "Hello holds a bad session name");
  if (m_agents.contains(item.link.get())) return no(Code::kInvalidArgument, "second Hello on one stream");
  if (const std::string only = item.link->onlyNode(); !only.empty()) {
    // The client chooses its uuid freely: one that belongs to another node is refused.
    const auto known = m_nodes.find(hello.node_uuid());
    if (hello.node_name() != only || hello.speaks_for_size() > 0)
      return no(Code::kPermissionDenied, "may send data of node " + only + " only, and came as " + hello.node_name());
    if (known != m_nodes.end() && known->second.name != only)
      return no(Code::kPermissionDenied, "the uuid of this node, " + hello.node_uuid() + ", belongs to node " + known->second.name +
                                             "; if that node was renamed: runglassctl agent forget " + known->second.name +
                                             "; if this machine is a copy of it: give it its own /etc/machine-id");
    if (known == m_nodes.end() && uuidsOf(m_nodes, only, item.received) >= kMaxUuidsOfNode)
      return no(Code::kResourceExhausted,
                "node " + only + " came with " + std::to_string(kMaxUuidsOfNode) + " different uuids within 30 days");
  }
  if (m_nodes.size() >= kMaxNodes && !m_nodes.contains(hello.node_uuid()) && !hasRoomForNode(item.link->onlyNode(), item.received))
    return no(Code::kResourceExhausted, "this hub saw " + std::to_string(kMaxNodes) + " nodes within 30 days");
  storeAdmitted();
  acknowledge();
  // An agent deletes the batches that the welcome acknowledges, so the journal must be on disk.
  if (const Status synced = m_writer->syncJournal(); !synced.ok()) return no(Code::kUnavailable, "store: " + synced.message());
  if (!m_withheld.empty()) return no(Code::kUnavailable, "store: cannot take data now: " + m_withheld);
  if (const std::string why = identityProblem(item, hello); !why.empty()) return no(Code::kAlreadyExists, why);
  for (auto& [key, other] : m_agents) {
    if (other.uuid != hello.agent_uuid()) continue;
    const bool same_session = other.sessions.back()->name == hello.sessions(hello.sessions_size() - 1).session();
    const bool same_owner = other.node_uuid == hello.node_uuid() && other.link->passName() == item.link->passName();
    if (!same_owner || (!same_session && item.received_mono - other.heard < m_options.liveness.stale_after))
      return no(Code::kAlreadyExists, "agent " + hello.agent_uuid() + " is already connected from " + other.link->peer());
    other.link->finish(Status(Code::kAborted, "session: replaced by a newer connection of the same agent"));
    m_agents.erase(key);
    break;
  }
  return true;
}

// Nodes not seen recently do not count, and are dropped from memory.
bool IngestThread::hasRoomForNode(const std::string& only, TimeNs now) {
  const auto lately = [&](const auto& node) { return isRecent(node.second.seen, now); };
  if (static_cast<std::size_t>(std::ranges::count_if(m_nodes, lately)) < kMaxNodes) {
    if (m_nodes.size() >= 2 * kMaxNodes) std::erase_if(m_nodes, [&](const auto& node) { return !lately(node); });
    return true;
  }
  return !only.empty() && uuidsOf(m_nodes, only, now) < kAlwaysUuids;
}

// `name`: an agent's uuid, or a node's uuid or name.
bool IngestThread::unbindNodes(const std::string& name) {
  const AgentIdentity* agent = m_writer->identityOf(name);
  const std::string uuid = agent == nullptr ? name : agent->node_uuid;
  return std::erase_if(m_nodes, [&](const auto& node) { return node.first == uuid || node.second.name == name; }) > 0;
}

// Why an agent's identity is rejected; empty: it is accepted. An agent's uuid is bound to its node and its first credential, so that no
// other client can move its streams or replace its session.
std::string IngestThread::identityProblem(const Item& item, const v1::Hello& hello) {
  const AgentIdentity* known = m_writer->identityOf(hello.agent_uuid());
  if (known == nullptr) return {};
  const std::string pass = item.link->passName();
  const bool other_pass = !pass.empty() && !known->pass.empty() && pass != known->pass;
  if (known->node_uuid == hello.node_uuid() && !other_pass) return {};
  const auto name = m_nodes.find(known->node_uuid);
  const std::string owner = name == m_nodes.end() ? known->node_uuid : name->second.name;
  std::string why = "agent " + hello.agent_uuid() + " is that of node " + owner + "; if that node was replaced: runglassctl agent forget " +
                    hello.agent_uuid();
  const std::string detail =
      item.link->peer() + " came as " + hello.node_name() + (pass.empty() ? "" : " with the credential of '" + pass + "'");
  m_recording.add(kSmall, [owner, at = item.received, detail](Writer& writer) {
    writer.issue({.code = "wire.agent_identity", .source = owner, .first = at, .last = at, .detail = detail});
  });
  return why;
}

void IngestThread::claimIdentity(const Item& item, const v1::Hello& hello) {
  AgentIdentity identity{.agent = hello.agent_uuid(), .node_uuid = hello.node_uuid(), .pass = item.link->passName(), .seen = item.received};
  if (const AgentIdentity* known = m_writer->identityOf(identity.agent); known != nullptr && identity.pass.empty())
    identity.pass = known->pass;
  m_writer->setIdentity(identity);
}

// Both agents are accepted: their owner must decide which of them records the data that both collect.
void IngestThread::reportSecondAgent(const Item& item, const Agent& agent) {
  for (const auto& [key, other] : m_agents) {
    if (other.node_uuid != agent.node_uuid || item.received_mono - other.heard >= m_options.liveness.stale_after) continue;
    const std::string detail =
        "agents " + other.uuid + " (" + other.link->peer() + ") and " + agent.uuid + " (" + item.link->peer() + ") both record this node";
    m_recording.add(kSmall, [node = agent.node_name, at = item.received, detail](Writer& writer) {
      writer.issue({.code = "wire.two_agents", .source = node, .first = at, .last = at, .detail = detail});
    });
    return;
  }
}

void IngestThread::handleHello(const Item& item, const v1::Hello& hello) {
  if (!mayJoin(item, hello)) return;
  Agent agent{.link = item.link,
              .uuid = hello.agent_uuid(),
              .node_uuid = hello.node_uuid(),
              .node_name = hello.node_name(),
              .owner = {},
              .speaks_for = {},
              .sessions = {},
              .defined = Share(m_defined_bytes)};
  agent.speaks_for.assign(hello.speaks_for().begin(), hello.speaks_for().end());
  agent.heard = agent.joined = item.received_mono;
  agent.clock_counts = hello.raw_ns() <= item.received || hello.raw_ns() - item.received <= kMaxClockAhead;
  agent.coarse_offset = agent.clock_counts ? item.received - std::max<TimeNs>(hello.raw_ns(), 0) : 0;
  if (m_budgets.size() >= kMaxBudgets) std::erase_if(m_budgets, [](const auto& entry) { return entry.second.use_count() == 1; });
  const std::string only = item.link->onlyNode();
  agent.owner = only.empty() ? "agent " + agent.uuid : "node " + only;
  std::shared_ptr<PayloadBudget>& budget = m_budgets[agent.owner];
  if (!budget) budget = std::make_shared<PayloadBudget>(m_budget, 1 + agent.speaks_for.size());
  for (const auto& session : hello.sessions())
    if (!budget->takesSession(agent.uuid, session.session(), item.received_mono))
      return refuse(item.link, Status(Code::kResourceExhausted, "session: " + agent.node_name + ": its agents began more than " +
                                                                    std::to_string(PayloadBudget::kMaxSessions) +
                                                                    " sessions within a day; look why they start so often"));
  reportSecondAgent(item, agent);
  recordAlive(item, agent);
  m_nodes[agent.node_uuid] = {agent.node_name, item.received};
  claimIdentity(item, hello);
  v1::Welcome welcome;
  welcome.set_proto_version(kProtoVersion);
  welcome.set_max_batch_bytes(kMaxBatch);
  welcome.set_agent_raw_ns(hello.raw_ns());
  welcome.set_hub_received_ns(item.received);
  for (int index = 0; index < hello.sessions_size(); ++index) {
    const std::string& name = hello.sessions(index).session();
    auto session = std::make_shared<Inbound>(Inbound{.name = name, .journaled = {{agent.uuid, name, 0}, agent.node_name, budget}});
    for (std::uint32_t stream = 0; stream < kMaxStreams; ++stream) {
      session->keys.push_back({agent.uuid, session->name, stream});
      session->next_seq.push_back(m_writer->resumeFrom(session->keys.back()));
      if (session->next_seq.back() == 0) continue;
      v1::Resume* resume = welcome.add_resume();
      resume->set_session_index(static_cast<std::uint32_t>(index));
      resume->set_stream(stream);
      resume->set_next_seq(session->next_seq.back());
    }
    agent.sessions.push_back(std::move(session));
  }
  recordChanges(m_liveness.heard(agent.node_uuid, agent.node_name, item.received_mono));
  m_agents.emplace(item.link.get(), std::move(agent));
  welcome.set_credit_bytes(credit());
  welcome.set_hub_sent_ns(wallNow());
  {
    const MutexLock lock(m_mutex);
    m_stats.agents = static_cast<std::int64_t>(m_agents.size());
  }
  item.link->sendWelcome(std::move(welcome));
}

}  // namespace runglass
