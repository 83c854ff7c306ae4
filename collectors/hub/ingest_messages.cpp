// SPDX-License-Identifier: Apache-2.0
// IngestThread: what agents say, message by message.
// Invariants:
// 1. Sequence numbers move only forward: what is below next_seq is acknowledged and dropped, a hole is recorded in the batch after it.
// 2. One live connection per agent: a second session is refused while the first is heard; the same session again replaces it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "collectors/agent/record_message.h"
#include "collectors/hub/ingest_thread.h"
#include "collectors/proto/wire_writer.h"
#include "model/crc32c.h"
#include "model/mutex.h"
#include "model/time_text.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kMaxBatch = 2U << 20;
constexpr std::size_t kMaxDictionary = 64U << 20;
constexpr std::size_t kMaxName = 256;
constexpr DurNs kClockEvery = 60 * kNsPerSecond;
constexpr DurNs kSkewTold = 100 * kNsPerMs;
constexpr TimeNs kLatest = 4'000'000'000'000'000'000;  // year 2096: beyond it sums of times could overflow

std::string issueRecord(const Issue& issue) {
  std::string out;
  wire::appendBytes(out, Wire::kIssueFieldNumber, messageOf(issue).SerializeAsString());
  return out;
}

// sealed_ns at the very front, where our agents put it.
std::optional<TimeNs> sealedTime(std::string_view payload) {
  constexpr std::string_view kTag = "\xc1\x02";
  if (payload.size() < 10 || !payload.starts_with(kTag)) return std::nullopt;
  TimeNs time = 0;
  std::memcpy(&time, payload.data() + 2, 8);
  return time;
}

const char* eventKind(NodeState to) {
  switch (to) {
    case NodeState::kStale:
      return "node_stale";
    case NodeState::kLost:
      return "node_lost";
    case NodeState::kLeft:
      return "node_left";
    default:
      return "node_back";
  }
}

void recordChange(const Liveness::Change& change, TimeNs now, Writer& writer) {
  const NodeId node = writer.node({.uuid = change.node_uuid, .name = change.node_name, .state = change.to});
  if (change.from == NodeState::kUnknown) return;  // first sight: the agent's own agent_start event tells
  const bool bad = change.to == NodeState::kStale || change.to == NodeState::kLost;
  writer.event({.time = now,
                .node = node,
                .kind = eventKind(change.to),
                .severity = change.to == NodeState::kLost ? Severity::kError
                            : bad                         ? Severity::kWarning
                                                          : Severity::kInfo,
                .message = change.node_name +
                           (bad                             ? " has been silent for "
                            : change.to == NodeState::kLeft ? " said goodbye; silent for "
                                                            : " is back after ") +
                           durationText(change.silent)});
}

}  // namespace

void IngestThread::handle(Item& item) {
  if (auto* action = std::get_if<std::function<void(Writer&)>>(&item.what)) {
    storeAdmitted();
    return m_recording.add(0, std::move(*action));
  }
  if (auto* action = std::get_if<std::function<void()>>(&item.what)) {
    storeAdmitted();
    return (*action)();
  }
  if (std::holds_alternative<std::monostate>(item.what)) return drop(item.link);
  auto& message = std::get<v1::AgentMessage>(item.what);
  if (message.has_hello()) return handleHello(item, message.hello());
  const auto it = m_agents.find(item.link.get());
  if (it == m_agents.end())
    return refuse(item.link, Status(Code::kFailedPrecondition, "session: " + item.link->peer() + ": the first message must be Hello"));
  Agent& agent = it->second;
  agent.heard = item.received_mono;
  switch (message.body_case()) {
    case v1::AgentMessage::kDefinitions:
      return handleDefinitions(agent, *message.mutable_definitions());
    case v1::AgentMessage::kBatch:
      return handleBatch(item, agent, *message.mutable_batch());
    case v1::AgentMessage::kHeartbeat:
      return handleHeartbeat(item, agent, message.heartbeat());
    case v1::AgentMessage::kGoodbye: {
      const std::string node_uuid = agent.node_uuid;
      m_leases.release(agent.uuid);
      storeAdmitted();
      return recordChanges(m_liveness.left(node_uuid, item.received_mono));
    }
    case v1::AgentMessage::kOrderResult:
      return m_recording.add(0, [this, link = item.link, result = std::move(*message.mutable_order_result())](Writer& writer) {
        m_orders.answered(link.get(), result, writer);
      });
    default:
      return refuse(item.link, Status(Code::kInvalidArgument, "session: " + item.link->peer() + ": message without a known body"));
  }
}

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
    return no(Code::kInvalidArgument, "Hello speaks for too many nodes, or for one without a name");
  for (const auto& session : hello.sessions())
    if (session.session().empty() || session.session().size() > kMaxName)
      return no(Code::kInvalidArgument, "Hello holds a bad session name");
  if (m_agents.contains(item.link.get())) return no(Code::kInvalidArgument, "second Hello on one stream");
  if (const std::string only = item.link->onlyNode(); !only.empty()) {
    // Its uuid is its own word: one that is another node's already is not taken.
    const auto known = m_node_names.find(hello.node_uuid());
    if (hello.node_name() != only || hello.speaks_for_size() > 0 || (known != m_node_names.end() && known->second != only))
      return no(Code::kPermissionDenied, "may speak for node " + only + " only, and says that it is " + hello.node_name());
  }
  storeAdmitted();
  acknowledge();
  for (auto& [key, other] : m_agents) {
    if (other.uuid != hello.agent_uuid()) continue;
    const bool same_session = other.sessions.back()->name == hello.sessions(hello.sessions_size() - 1).session();
    if (!same_session && item.received_mono - other.heard < m_options.liveness.stale_after)
      return no(Code::kAlreadyExists, "agent " + hello.agent_uuid() + " is already connected from " + other.link->peer());
    if (other.link->onlyNode() != item.link->onlyNode())
      return no(Code::kPermissionDenied, "agent " + hello.agent_uuid() + " is another node's, connected from " + other.link->peer());
    other.link->finish(Status(Code::kAborted, "session: replaced by a newer connection of the same agent"));
    m_agents.erase(key);
    break;
  }
  return true;
}

void IngestThread::handleHello(const Item& item, const v1::Hello& hello) {
  if (!mayJoin(item, hello)) return;
  Agent agent{.link = item.link, .uuid = hello.agent_uuid(), .node_uuid = hello.node_uuid(), .node_name = hello.node_name()};
  agent.speaks_for.assign(hello.speaks_for().begin(), hello.speaks_for().end());
  agent.heard = item.received_mono;
  agent.coarse_offset = item.received - std::clamp<TimeNs>(hello.raw_ns(), 0, kLatest);
  recordAlive(item, agent);
  m_node_names[agent.node_uuid] = agent.node_name;
  v1::Welcome welcome;
  welcome.set_proto_version(kProtoVersion);
  welcome.set_max_batch_bytes(kMaxBatch);
  welcome.set_agent_raw_ns(hello.raw_ns());
  welcome.set_hub_received_ns(item.received);
  for (int index = 0; index < hello.sessions_size(); ++index) {
    const std::string& name = hello.sessions(index).session();
    auto session = std::make_shared<Inbound>(Inbound{.name = name, .journaled = {{agent.uuid, name, 0}, agent.node_name}});
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

void IngestThread::handleDefinitions(Agent& agent, v1::Definitions& definitions) {
  if (definitions.session_index() >= agent.sessions.size() || crc32c(definitions.records()) != definitions.crc32c())
    return refuse(agent.link, Status(Code::kDataLoss, "definitions: " + agent.node_name + ": unknown session or wrong checksum"));
  Inbound& session = *agent.sessions[definitions.session_index()];
  if (session.journaled.definitionBytes() + definitions.records().size() > kMaxDictionary)
    return refuse(agent.link, Status(Code::kResourceExhausted, "definitions: " + agent.node_name + ": session defines more than 64 MiB"));
  session.journaled.define(definitions.records());
}

std::string IngestThread::prefixOf(const Item& item, const Agent& agent, Inbound& session, const v1::Batch& batch) {
  std::string prefix;
  if (!agent.link->onlyNode().empty()) wire::appendBytes(prefix, Wire::kOnlyNodeFieldNumber, agent.node_uuid);
  prefix += session.journaled.inFront(*m_writer);
  const TimeNs now = item.received - agent.coarse_offset;
  if (const auto sealed = sealedTime(batch.payload()); !sealed || *sealed <= 0 || *sealed - now > kMaxAhead) {
    std::string received;
    wire::appendFixed64(received, Wire::kReceivedNsFieldNumber, now);
    prefix += received;
    prefix += issueRecord({.code = "wire.absurd_time",
                           .source = agent.node_name,
                           .first = item.received,
                           .last = item.received,
                           .detail = "a batch says it was sealed in the future or never; the time of arrival counts instead"});
  }
  const std::uint64_t next = session.next_seq[batch.stream()];
  if (batch.seq() > next) {
    const bool told = batch.has_gap() && batch.gap().reason().size() <= kMaxName;
    Issue gap{.code = "wire.gap", .source = agent.node_name, .count = static_cast<std::int64_t>(batch.seq() - next)};
    if (told && batch.gap().first_ns() > 0) gap.first = batch.gap().first_ns();
    if (told && batch.gap().last_ns() > 0) gap.last = batch.gap().last_ns();
    gap.detail = "session " + session.name + ", stream " + std::to_string(batch.stream()) + ": batches " + std::to_string(next) + " to " +
                 std::to_string(batch.seq() - 1) + " are missing: " + (told ? batch.gap().reason() : std::string("they never arrived"));
    prefix += issueRecord(gap);
    const MutexLock lock(m_mutex);
    m_stats.missing_batches += gap.count;
  }
  return prefix;
}

void IngestThread::handleBatch(const Item& item, Agent& agent, v1::Batch& batch) {
  const auto refused = [&](Code code, const char* why) {
    m_recording.add(0, [source = agent.node_name, at = item.received, why](Writer& writer) {
      writer.issue({.code = "wire.bad_batch", .source = source, .first = at, .last = at, .detail = why});
    });
    const MutexLock lock(m_mutex);
    ++m_stats.bad_payloads;
    return Status(code, "batch: " + agent.node_name + ": " + why);
  };
  if (batch.session_index() >= agent.sessions.size() || batch.stream() >= kMaxStreams)
    return refuse(agent.link, refused(Code::kInvalidArgument, "unknown session or stream"));
  if (batch.payload().size() > kMaxBatch) return refuse(agent.link, refused(Code::kInvalidArgument, "larger than the welcome allows"));
  if (crc32c(batch.payload()) != batch.crc32c())
    return refuse(agent.link, refused(Code::kDataLoss, "the checksum does not match its payload"));
  const auto& session = agent.sessions[batch.session_index()];
  std::uint64_t& next = session->next_seq[batch.stream()];
  if (batch.seq() < next) {
    agent.link->sendAck(batch.session_index(), batch.stream(), next, credit());
    const MutexLock lock(m_mutex);
    ++m_stats.duplicate_batches;
    return;
  }
  if (batch.seq() == std::numeric_limits<std::uint64_t>::max())
    return refuse(agent.link, refused(Code::kInvalidArgument, "sequence number out of range"));
  std::string payload = prefixOf(item, agent, *session, batch);
  if (payload.empty())
    payload = std::move(*batch.mutable_payload());
  else
    payload += batch.payload();
  next = batch.seq() + 1;
  m_admitted_bytes += payload.size();
  m_admitted.push_back({item.link, session, batch.session_index(), batch.stream(), batch.seq(), std::move(payload), item.received_mono});
}

void IngestThread::recordAlive(const Item& item, const Agent& agent) {
  m_recording.add(0, [uuid = agent.node_uuid, name = agent.node_name, heard = item.received](Writer& writer) {
    writer.node({.uuid = uuid, .name = name, .state = NodeState::kAlive, .last_heard = heard});
  });
}

void IngestThread::handleHeartbeat(const Item& item, Agent& agent, const v1::Heartbeat& beat) {
  v1::Pong pong;
  pong.set_agent_raw_ns(beat.raw_ns());
  pong.set_hub_received_ns(item.received);
  for (const v1::Lease& wanted : beat.leases()) {
    const LeaseTable::Answer answer = m_leases.claim(agent.uuid, wanted.file(), wanted.offset(), item.received_mono);
    v1::Lease& lease = *pong.add_leases();
    lease.set_file(wanted.file());
    lease.set_offset(answer.offset);
    lease.set_held(answer.held);
  }
  pong.set_hub_sent_ns(wallNow());
  agent.link->sendPong(pong);
  recordAlive(item, agent);
  recordChanges(m_liveness.heard(agent.node_uuid, agent.node_name, item.received_mono));
  const bool plausible = beat.raw_ns() > 0 && beat.raw_ns() < kLatest && beat.offset_ns() > -kLatest && beat.offset_ns() < kLatest &&
                         beat.error_ns() >= 0 && beat.error_ns() < kLatest;
  if (beat.has_offset_ns() && plausible) recordClock(agent, beat);
}

void IngestThread::recordClock(Agent& agent, const v1::Heartbeat& beat) {
  const ClockReading reading{.node = {},
                             .session = agent.sessions.back()->name,
                             .raw = beat.raw_ns(),
                             .offset = beat.offset_ns(),
                             .error = beat.error_ns(),
                             .source = "session"};
  if (agent.clock) {
    const DurNs moved = std::abs(reading.offset - agent.clock->offset);
    const bool better = reading.error < agent.clock->error / 2;
    if (moved <= std::max<DurNs>(agent.clock->error, kNsPerMs) && !better && reading.raw - agent.clock->raw < kClockEvery) return;
  }
  agent.clock = reading;
  const bool skewed = std::abs(reading.offset) > kSkewTold + reading.error && !agent.skew_told;
  agent.skew_told = agent.skew_told || skewed;
  m_recording.add(0, [reading, skewed, uuid = agent.node_uuid, name = agent.node_name](Writer& writer) {
    ClockReading placed = reading;
    placed.node = writer.node({.uuid = uuid});
    writer.clock(placed);
    if (!skewed) return;
    writer.issue({.code = "wire.clock_skew",
                  .source = name,
                  .first = reading.raw,
                  .last = reading.raw,
                  .detail = "this node's clock is " + std::to_string(-reading.offset / kNsPerMs) +
                            " ms ahead of the hub's; its times are corrected"});
  });
}

void IngestThread::recordChanges(std::vector<Liveness::Change> changes) {
  if (changes.empty()) return;
  m_recording.add(0, [changes = std::move(changes), now = wallNow()](Writer& writer) {
    for (const Liveness::Change& change : changes) recordChange(change, now, writer);
  });
}

void IngestThread::refuse(std::shared_ptr<AgentLink> link, const Status& status) {
  storeAdmitted();
  acknowledge();
  link->finish(status);
  m_agents.erase(link.get());
  const MutexLock lock(m_mutex);
  ++m_stats.refused_sessions;
  m_stats.agents = static_cast<std::int64_t>(m_agents.size());
}

void IngestThread::drop(const std::shared_ptr<AgentLink>& link) {
  m_recording.add(0, [this, link](Writer& writer) { m_orders.gone(link.get(), writer); });
  m_agents.erase(link.get());
  const MutexLock lock(m_mutex);
  m_stats.agents = static_cast<std::int64_t>(m_agents.size());
}

}  // namespace runglass
