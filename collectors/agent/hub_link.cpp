// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Writes happen on this object's thread, reads on a reader thread that lives as long as one session.
// 2. A session ends by cancelling its context, which makes every blocked call return.
// 3. Nothing here blocks a Recorder: while the hub is down, only the outbox grows.
#include "collectors/agent/hub_link.h"

#include <grpcpp/grpcpp.h>

#include <random>

#include "collectors/agent/clock_estimate.h"
#include "collectors/wire/guarded_file.h"
#include "collectors/wire/hub_target.h"
#include "collectors/wire/order_message.h"
#include "collectors/wire/pem_file.h"
#include "collectors/wire/wire_reader.h"
#include "model/crc32c.h"
#include "runglass/v1/ingest.grpc.pb.h"

namespace runglass {
namespace {

constexpr DurNs kSteadyAfter = 2 * kNsPerSecond;
constexpr DurNs kWelcomePatience = 10 * kNsPerSecond, kGoodbyePatience = 300 * kNsPerMs;
constexpr std::size_t kMessagePart = 512U << 10;  // a hub closes connections with more than 1 MiB of unfinished messages
constexpr std::size_t kClaimCost = 24;            // bytes of a claim without the file's name

grpc::ChannelArguments channelArguments() {
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_KEEPALIVE_TIME_MS, 20'000},  // the hub's keepalive settings are in hub.cpp
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
           {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
           {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
           {GRPC_ARG_ENABLE_HTTP_PROXY, 0},  // http_proxy of a cluster image must not capture the hub
           {GRPC_ARG_ENABLE_RETRIES, 0},
           {GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1},  // each attempt is a new connection; this file sets the backoff
       })
    arguments.SetInt(name, value);
  return arguments;
}

// The length of the first whole records of `records`, at most `most` bytes or one record: the hub checks each message of definitions alone.
std::size_t wholeRecords(std::string_view records, std::size_t most) {
  WireReader reader(records);
  std::size_t length = 0;
  while (reader.next()) {
    reader.skip();
    const std::size_t end = records.size() - reader.left();
    if (!reader.ok() || (length > 0 && end > most)) break;
    length = end;
  }
  return length > 0 ? length : records.size();
}

std::vector<Outbox::Position> positionsOf(const google::protobuf::RepeatedPtrField<v1::Resume>& resumes) {
  std::vector<Outbox::Position> positions;
  for (const v1::Resume& resume : resumes) positions.push_back({resume.session_index(), resume.stream(), resume.next_seq()});
  return positions;
}

}  // namespace

// Credentials of the agent.
struct HubLink::Proof {
  grpc::SslCredentialsOptions pem;
  std::string token;
};

struct HubLink::Session {
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::AgentMessage, v1::HubMessage>> stream;
  Mutex mutex;
  ConditionVariable changed;
  bool welcomed RG_GUARDED_BY(mutex) = false;
  bool ended RG_GUARDED_BY(mutex) = false;
  ClockEstimate clock RG_GUARDED_BY(mutex);
};

HubLink::HubLink(HubLinkOptions options, Outbox& outbox, LeaseClaims& leases, OrderQueue& orders, std::function<TimeNs()> now,
                 std::function<void(const std::string&)> say)
    : m_options(std::move(options)), m_outbox(outbox), m_leases(leases), m_orders(orders), m_now(std::move(now)), m_say(std::move(say)) {}

HubLink::~HubLink() { (void)stop(0); }

Status HubLink::start() {
  RG_TRY(proof().status());
  m_thread = std::thread([this] { run(); });
  return {};
}

bool HubLink::stop(DurNs patience) {
  if (!m_thread.joinable()) return m_outbox.empty();
  m_deadline = monotonicNow() + patience;
  m_stop = true;
  m_outbox.wake();
  {
    MutexLock lock(m_mutex);
    m_wake.notifyAll();
    const DurNs slack = 500 * kNsPerMs;  // for the goodbye and the hub's response to it
    if (!m_wake.waitFor(lock, patience + slack, [this]() RG_REQUIRES(m_mutex) { return m_done; }) && m_session != nullptr)
      m_session->context.TryCancel();
  }
  m_thread.join();
  return m_outbox.empty();
}

void HubLink::run() {
  std::minstd_rand random(static_cast<unsigned>(monotonicNow()));
  DurNs wait = m_options.first_pause;
  // After stop() without a hub, delivery is still tried until the deadline.
  const auto goOn = [this] { return !m_stop || (monotonicNow() < m_deadline && !m_outbox.empty()); };
  while (goOn()) {
    const DurNs began = monotonicNow();
    const Status status = runSession();
    m_connected = false;
    m_outbox.offline();
    if (!goOn()) break;
    explain(status);
    if (tookNewUuid(status)) {
      wait = m_options.first_pause;
      continue;
    }
    if (monotonicNow() - began > m_options.longest_pause) wait = m_options.first_pause;
    // These refusals are permanent until a configuration changes: retry at the longest backoff.
    const bool final =
        status.code() == Code::kFailedPrecondition || status.code() == Code::kUnauthenticated || status.code() == Code::kInvalidArgument;
    if (final) wait = m_options.longest_pause;
    pause(static_cast<DurNs>(static_cast<double>(wait) * std::uniform_real_distribution<double>(0.8, 1.2)(random)));
    wait = std::min(wait * 2, m_options.longest_pause);
  }
  const MutexLock lock(m_mutex);
  m_done = true;
  m_wake.notifyAll();
}

// A stale connection of this agent's previous process also causes refusals, for some seconds, until the hub detects that it is dead.
bool HubLink::tookNewUuid(const Status& status) {
  if (status.code() != Code::kAlreadyExists) {
    if (status.code() != Code::kUnavailable) m_refused_since = 0;
    return false;
  }
  const DurNs now = monotonicNow();
  if (m_refused_since == 0) m_refused_since = now;
  if (!m_options.renew_uuid || now - m_refused_since < m_options.renew_after) return false;
  m_refused_since = 0;
  m_options.agent_uuid = m_options.renew_uuid(status.message());
  return true;
}

void HubLink::pause(DurNs length) {
  constexpr DurNs kPauseWhileStopping = 100 * kNsPerMs;
  MutexLock lock(m_mutex);
  if (!m_stop && !m_wake.waitFor(lock, length, [this] { return m_stop.load(); })) return;
  m_wake.waitFor(lock, std::min(length, kPauseWhileStopping));
}

void HubLink::explain(const Status& status) {
  if (status.message() == m_last_said) return;
  m_last_said = status.message();
  m_say("hub: " + m_options.hub + ": " + (status.ok() ? "ended the session" : status.message()) + "; keeping data and trying again");
}

Result<HubLink::Proof> HubLink::proof() const {
  Proof proof;
  RG_ASSIGN(proof.pem.pem_root_certs, readPem(m_options.tls_ca));
  RG_ASSIGN(proof.pem.pem_cert_chain, readPem(m_options.tls_cert));
  RG_ASSIGN(proof.pem.pem_private_key, readPem(m_options.tls_key));
  if (!m_options.token_file.empty()) {
    RG_ASSIGN(proof.token, readToken(m_options.token_file));
  }
  return proof;
}

Status HubLink::runSession() {
  RG_ASSIGN(const Proof proof, this->proof());
  const bool secure = !proof.pem.pem_root_certs.empty();
  grpc::ChannelArguments arguments = channelArguments();
  const std::string dialled = hubTarget(m_options.hub, arguments);
  const auto channel =
      grpc::CreateCustomChannel(dialled, secure ? grpc::SslCredentials(proof.pem) : grpc::InsecureChannelCredentials(), arguments);
  const auto stub = v1::Ingest::NewStub(channel);
  Session session;
  if (!proof.token.empty()) session.context.AddMetadata("authorization", "Bearer " + proof.token);
  {
    const MutexLock lock(m_mutex);
    m_session = &session;
  }
  session.stream = stub->Session(&session.context);
  v1::AgentMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_proto_version(m_options.proto_version);
  hello.set_agent_uuid(m_options.agent_uuid);
  hello.set_agent_version("0.1.0");
  hello.set_node_uuid(m_options.node_uuid);
  hello.set_node_name(m_options.node_name);
  for (const std::string& name : m_outbox.sessions()) hello.add_sessions()->set_session(name);
  for (const std::string& uuid : m_options.speaks_for) hello.add_speaks_for(uuid);
  hello.set_raw_ns(m_now());
  session.stream->Write(message);

  std::thread reader([&] {
    v1::HubMessage answer;
    while (session.stream->Read(&answer)) {
      const TimeNs received = m_now();
      const MutexLock lock(session.mutex);
      if (answer.has_welcome()) {
        const v1::Welcome& welcome = answer.welcome();
        session.clock.add(welcome.agent_raw_ns(), welcome.hub_received_ns(), welcome.hub_sent_ns(), received);
        m_outbox.resume(positionsOf(welcome.resume()), welcome.credit_bytes());
        session.welcomed = true;
        session.changed.notifyAll();
      } else if (answer.has_acks()) {
        m_outbox.acked(positionsOf(answer.acks().ack()), answer.acks().credit_bytes());
      } else if (answer.has_pong()) {
        session.clock.add(answer.pong().agent_raw_ns(), answer.pong().hub_received_ns(), answer.pong().hub_sent_ns(), received);
        for (const v1::Lease& lease : answer.pong().leases()) m_leases.answered(lease.file(), lease.held(), lease.offset(), monotonicNow());
      } else if (answer.has_order()) {
        takeOrder(answer.order());
      }
    }
    const MutexLock lock(session.mutex);
    session.ended = true;
    session.changed.notifyAll();
    m_outbox.wake();
  });
  bool welcomed = false;
  {
    MutexLock lock(session.mutex);
    session.changed.waitFor(lock, kWelcomePatience, [&session]() RG_REQUIRES(session.mutex) { return session.welcomed || session.ended; });
    welcomed = session.welcomed;
  }
  if (welcomed) {
    m_connected = true;
    sendWaiting(session);
  }
  bool ended = false;
  {
    // After a goodbye the hub ends the stream; without one it is cancelled here.
    MutexLock lock(session.mutex);
    if (welcomed)
      session.changed.waitFor(lock, m_stop ? kGoodbyePatience : 0, [&session]() RG_REQUIRES(session.mutex) { return session.ended; });
    ended = session.ended;
  }
  if (!ended) session.context.TryCancel();
  reader.join();
  {
    const MutexLock lock(m_mutex);
    m_session = nullptr;
  }
  const grpc::Status status = session.stream->Finish();
  if (!welcomed && status.ok()) return Status(Code::kUnavailable, "no welcome within 10 s");
  return Status(static_cast<Code>(status.error_code()), status.error_message());
}

bool HubLink::sendBeat(Session& session) {
  v1::AgentMessage message;
  v1::Heartbeat& beat = *message.mutable_heartbeat();
  {
    const MutexLock lock(session.mutex);
    if (const auto reading = session.clock.best()) {
      beat.set_offset_ns(reading->offset);
      beat.set_error_ns(reading->error);
    }
  }
  beat.set_spool_bytes(m_outbox.spoolBytes());
  beat.set_dropped_batches(m_outbox.droppedBatches());
  std::size_t bytes = 0;
  for (const LeaseClaims::Claim& claim : m_leases.claims(monotonicNow())) {
    v1::Lease& lease = *beat.add_leases();
    lease.set_file(claim.file);
    lease.set_offset(claim.offset);
    bytes += claim.file.size() + kClaimCost;
    if (bytes < kMessagePart) continue;
    beat.set_raw_ns(m_now());
    if (!session.stream->Write(message)) return false;
    beat.clear_leases();
    bytes = 0;
  }
  beat.set_raw_ns(m_now());
  return session.stream->Write(message);
}

void HubLink::takeOrder(const v1::Order& order) {
  Result<Order> known = orderOf(order);
  if (!known.ok()) return m_orders.refuseUnknown(order.order_id(), known.status());
  m_orders.ask({.id = order.order_id(),
                .order = std::move(known).value(),
                .first_step = order.has_first_step() ? std::optional<std::int64_t>(order.first_step()) : std::nullopt});
}

bool HubLink::sendOrderResults(Session& session) {
  for (const OrderQueue::Answer& answer : m_orders.answers()) {
    v1::AgentMessage message;
    v1::OrderResult& result = *message.mutable_order_result();
    result.set_order_id(answer.id);
    result.set_code(static_cast<std::uint32_t>(answer.status.code()));
    result.set_message(answer.status.message());
    result.set_note(answer.note);
    for (const std::int32_t rank : answer.ranks) result.add_rank(rank);
    if (!session.stream->Write(message)) return false;
  }
  return true;
}

void HubLink::sendWaiting(Session& session) {
  DurNs next_beat = 0;
  v1::AgentMessage message;
  const auto ended = [&] {
    const MutexLock lock(session.mutex);
    return session.ended;
  };
  const DurNs began = monotonicNow();
  while (!ended()) {
    // A hub that accepts the session and then ends it (full disk) has not recovered: "connected" is logged only once the session has
    // lasted.
    if (!m_last_said.empty() && monotonicNow() - began > kSteadyAfter) {
      m_say("hub: " + m_options.hub + ": connected");
      m_last_said.clear();
    }
    if (m_stop && (m_outbox.empty() || monotonicNow() >= m_deadline)) {
      sendBeat(session);  // with the recorded offsets of the tailed files, for the process that tails them next
      message.mutable_goodbye()->set_reason("stopped");
      session.stream->Write(message);
      session.stream->WritesDone();
      return;
    }
    if (monotonicNow() >= next_beat) {
      next_beat = monotonicNow() + m_options.beat;
      if (!sendBeat(session)) return;
    }
    if (!sendOrderResults(session)) return;
    const auto batch = m_outbox.next();
    if (!batch) {
      m_outbox.waitForWork(std::min<DurNs>(next_beat - monotonicNow(), 100 * kNsPerMs));
      continue;
    }
    const std::string records = m_outbox.takeDefinitions(batch->session_index);
    for (std::size_t at = 0, size = 0; at < records.size(); at += size) {
      size = wholeRecords(std::string_view(records).substr(at), kMessagePart);
      v1::Definitions& definitions = *message.mutable_definitions();
      definitions.set_session_index(batch->session_index);
      definitions.set_records(records.substr(at, size));
      definitions.set_crc32c(crc32c(definitions.records()));
      if (!session.stream->Write(message)) return;
    }
    v1::Batch& out = *message.mutable_batch();
    out.Clear();
    out.set_session_index(batch->session_index);
    out.set_stream(batch->stream);
    out.set_seq(batch->seq);
    out.set_payload(*batch->payload);
    out.set_crc32c(crc32c(out.payload()));
    if (batch->gap) {
      v1::Gap& gap = *out.mutable_gap();
      gap.set_from_seq(batch->gap->from);
      gap.set_to_seq(batch->gap->to);
      gap.set_reason(batch->gap->reason);
      gap.set_first_ns(batch->gap->first);
      gap.set_last_ns(batch->gap->last);
    }
    if (!session.stream->Write(message)) return;
  }
}

}  // namespace runglass
