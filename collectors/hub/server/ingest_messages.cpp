// SPDX-License-Identifier: Apache-2.0
// IngestThread: messages of agents.
// Invariant: sequence numbers never go back: a batch below next_seq is acknowledged and dropped, a gap is recorded in the batch after it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "collectors/hub/server/ingest_limits.h"
#include "collectors/hub/server/ingest_thread.h"
#include "collectors/wire/payload_guard.h"
#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "model/crc32c.h"
#include "model/far_time.h"
#include "model/mutex.h"
#include "model/time_text.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr DurNs kClockEvery = 60 * kNsPerSecond;
constexpr DurNs kSkewReported = 100 * kNsPerMs;
constexpr DurNs kLeasesUnknown = 60 * kNsPerSecond;
// 20 batches a second for a year and a half: no spool holds as many, so that a larger jump is invalid.
constexpr std::uint64_t kMaxJump = std::uint64_t{1} << 30;

std::string issueRecord(const Issue& issue) {
  std::string out;
  wire::appendBytes(out, Wire::kIssueFieldNumber, messageOf(issue).SerializeAsString());
  return out;
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
  if (change.from == NodeState::kUnknown) return;  // first contact: the agent's own agent_start event records it
  const bool bad = change.to == NodeState::kStale || change.to == NodeState::kLost;
  writer.event({.time = now,
                .node = node,
                .kind = eventKind(change.to),
                .severity = change.to == NodeState::kLost ? Severity::kError
                            : bad                         ? Severity::kWarning
                                                          : Severity::kInfo,
                .message = change.node_name +
                           (bad                             ? " has been silent for "
                            : change.to == NodeState::kLeft ? " ended its session; silent for "
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
  if (auto* batch = std::get_if<ReceivedBatch>(&item.what)) return handleReceived(*batch, item.received_mono);
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
      return handleDefinitions(agent, message.definitions());
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
      return m_recording.add(item.bytes, [this, link = item.link, result = std::move(*message.mutable_order_result())](Writer& writer) {
        m_orders.answered(link.get(), result, writer);
      });
    default:
      return refuse(item.link, Status(Code::kInvalidArgument, "session: " + item.link->peer() + ": message without a known body"));
  }
}

void IngestThread::handleDefinitions(Agent& agent, const v1::Definitions& definitions) {
  const std::string& records = definitions.records();
  if (definitions.session_index() >= agent.sessions.size() || crc32c(records) != definitions.crc32c())
    return refuse(agent.link, Status(Code::kDataLoss, "definitions: " + agent.node_name + ": unknown session or wrong checksum"));
  if (!glanceAt(records).definitions_only)
    return refuse(agent.link, Status(Code::kInvalidArgument, "definitions: " + agent.node_name + ": hold other records"));
  const std::size_t most = std::min(kMaxDefinitions, kDefinitions + agent.speaks_for.size() * kDefinitionsOfNode);
  if (agent.defined.bytes() + records.size() > most)
    return refuse(agent.link, Status(Code::kResourceExhausted, "definitions: " + agent.node_name + ": its sessions define more than " +
                                                                   std::to_string(most >> 20U) + " MiB"));
  agent.defined.add(records.size());
  agent.sessions[definitions.session_index()]->journaled.define(records);
  if (m_defined_bytes > kMaxDefinitionsOfHub) refuseLargest();
}

// Refuses the largest agent of the node that uses most, regardless of the number of its agents, not the most recent agent.
void IngestThread::refuseLargest() {
  std::map<std::string, std::size_t> bytes;
  for (const auto& [link, agent] : m_agents) bytes[agent.owner] += agent.defined.bytes();
  const auto largest = std::ranges::max_element(
      m_agents, {}, [&](const auto& entry) { return std::pair(bytes[entry.second.owner], entry.second.defined.bytes()); });
  if (largest == m_agents.end()) return;
  refuse(largest->second.link, Status(Code::kResourceExhausted, "definitions: " + largest->second.node_name + ": this hub holds " +
                                                                    std::to_string(kMaxDefinitionsOfHub >> 20U) +
                                                                    " MiB of all agents, and most of them are of this node"));
}

std::string IngestThread::prefixOf(const Item& item, const Agent& agent, Inbound& session, const v1::Batch& batch,
                                   const PayloadGlance& glance) {
  std::string prefix;
  if (!agent.link->onlyNode().empty()) {
    wire::appendBytes(prefix, Wire::kOnlyNodeFieldNumber, agent.node_uuid);
    // The backlog of an agent that connects can have data of files that it held before.
    if (agent.held_lease || item.received_mono - agent.joined < kLeasesUnknown) {
      wire::appendTag(prefix, Wire::kFollowsFilesFieldNumber, 0);
      wire::appendVarint(prefix, 1);
    }
  }
  prefix += session.journaled.inFront(*m_writer);
  const TimeNs now = item.received - agent.coarse_offset;
  if (!glance.begins_sealed || *glance.first_sealed <= 0 || *glance.last_sealed > now + kMaxAhead) {
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
    const bool reported = batch.has_gap() && batch.gap().reason().size() <= kMaxName;
    Issue gap{.code = "wire.gap", .source = agent.node_name, .count = static_cast<std::int64_t>(batch.seq() - next)};
    if (reported && batch.gap().first_ns() > 0) gap.first = batch.gap().first_ns();
    if (reported && batch.gap().last_ns() > 0) gap.last = batch.gap().last_ns();
    gap.detail = "session " + session.name + ", stream " + std::to_string(batch.stream()) + ": batches " + std::to_string(next) + " to " +
                 std::to_string(batch.seq() - 1) + " are missing: " + (reported ? batch.gap().reason() : std::string("they never arrived"));
    prefix += issueRecord(gap);
    const MutexLock lock(m_mutex);
    m_stats.missing_batches += gap.count;
  }
  return prefix;
}

void IngestThread::handleBatch(const Item& item, Agent& agent, v1::Batch& batch) {
  const auto refused = [&](Code code, const char* why) {
    m_recording.add(kSmall, [source = agent.node_name, at = item.received, why](Writer& writer) {
      writer.issue({.code = "wire.bad_batch", .source = source, .first = at, .last = at, .detail = why});
    });
    const MutexLock lock(m_mutex);
    ++m_stats.bad_payloads;
    return Status(code, "batch: " + agent.node_name + ": " + why);
  };
  if (!m_withheld.empty()) {
    // A stream must end with its first refused batch: a later acknowledgement would include that batch.
    agent.link->finish(Status(Code::kUnavailable, "store: cannot take data now: " + m_withheld));
    m_agents.erase(item.link.get());
    return;
  }
  if (batch.session_index() >= agent.sessions.size() || batch.stream() >= kMaxStreams)
    return refuse(agent.link, refused(Code::kInvalidArgument, "unknown session or stream"));
  if (batch.payload().size() > kMaxBatch) return refuse(agent.link, refused(Code::kInvalidArgument, "larger than the welcome allows"));
  if (crc32c(batch.payload()) != batch.crc32c())
    return refuse(agent.link, refused(Code::kDataLoss, "the checksum does not match its payload"));
  const auto& session = agent.sessions[batch.session_index()];
  std::uint64_t& next = session->next_seq[batch.stream()];
  if (batch.seq() < next) {
    // `next` can be beyond batches that are admitted and not journaled yet: acknowledged with them.
    m_journaled.push_back({item.link, batch.session_index(), batch.stream(), next});
    const MutexLock lock(m_mutex);
    ++m_stats.duplicate_batches;
    return;
  }
  if (batch.seq() - next > kMaxJump)
    return refuse(agent.link, refused(Code::kInvalidArgument, "its sequence number is further ahead than a spool can hold"));
  const PayloadGlance glance = glanceAt(batch.payload());
  if (glance.has_hubs_fields) batch.set_payload(withoutHubsFields(batch.payload()));
  std::string payload = prefixOf(item, agent, *session, batch, glance);
  if (payload.empty())
    payload = std::move(*batch.mutable_payload());
  else
    payload += batch.payload();
  next = batch.seq() + 1;
  m_admitted_bytes += payload.size();
  m_admitted.push_back({item.link, session, batch.session_index(), batch.stream(), batch.seq(), std::move(payload), item.received_mono});
}

void IngestThread::recordAlive(const Item& item, const Agent& agent) {
  m_recording.add(kSmall, [uuid = agent.node_uuid, name = agent.node_name, heard = item.received](Writer& writer) {
    writer.node({.uuid = uuid, .name = name, .state = NodeState::kAlive, .last_heard = heard});
  });
}

void IngestThread::handleHeartbeat(const Item& item, Agent& agent, const v1::Heartbeat& beat) {
  v1::Pong pong;
  pong.set_agent_raw_ns(beat.raw_ns());
  pong.set_hub_received_ns(item.received);
  if (item.received_mono - agent.claims_since >= kNsPerSecond) agent.claims = 0, agent.claims_since = item.received_mono;
  bool refused = false;
  for (const v1::Lease& wanted : beat.leases()) {
    refused = ++agent.claims > kMaxClaims;
    if (refused) break;
    const LeaseTable::Answer answer = m_leases.claim(agent.uuid, wanted.file(), wanted.offset(), item.received_mono);
    v1::Lease& lease = *pong.add_leases();
    lease.set_file(wanted.file());
    lease.set_offset(answer.offset);
    lease.set_held(answer.held);
    agent.held_lease |= answer.held;
  }
  pong.set_hub_sent_ns(wallNow());
  agent.link->sendPong(pong);
  if (refused && !std::exchange(agent.leases_refused, true))
    m_recording.add(kSmall, [source = agent.node_name, at = item.received, count = beat.leases_size()](Writer& writer) {
      writer.issue({.code = "wire.too_many_leases",
                    .source = source,
                    .first = at,
                    .last = at,
                    .detail = "it asked for " + std::to_string(count) + " files at once, a hub answers " + std::to_string(kMaxClaims) +
                              " a second"});
    });
  recordAlive(item, agent);
  recordChanges(m_liveness.heard(agent.node_uuid, agent.node_name, item.received_mono));
  // A session's clock plus its offset is the hub's time.
  const bool plausible = agent.clock_counts && beat.raw_ns() > 0 && !isFar(beat.raw_ns()) && !isFar(beat.offset_ns()) &&
                         beat.error_ns() >= 0 && !isFar(beat.error_ns()) &&
                         std::abs(beat.raw_ns() + beat.offset_ns() - item.received) <= kMaxAhead + beat.error_ns();
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
  const bool skewed = std::abs(reading.offset) > kSkewReported + reading.error && !agent.skew_reported;
  agent.skew_reported = agent.skew_reported || skewed;
  m_recording.add(kSmall, [reading, skewed, uuid = agent.node_uuid, name = agent.node_name](Writer& writer) {
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
  m_recording.add(kSmall, [changes = std::move(changes), now = wallNow()](Writer& writer) {
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
  m_recording.add(kSmall, [this, link](Writer& writer) { m_orders.gone(link.get(), writer); });
  m_agents.erase(link.get());
  const MutexLock lock(m_mutex);
  m_stats.agents = static_cast<std::int64_t>(m_agents.size());
}

}  // namespace runglass
