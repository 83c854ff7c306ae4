// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. At most one read and one write are outstanding; no operation starts after Finish, and every reactor reaches Finish exactly once
//    (a reactor that never finishes hangs the server's shutdown).
// 2. Nothing is read from an agent before its call is admitted.
// 3. A reactor lives until OnDone and until the ingest thread has released it; m_self holds it for gRPC.
#include "collectors/hub/server/ingest_service.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "collectors/hub/server/admission.h"
#include "model/mutex.h"

namespace runglass {
namespace {

using Bytes = grpc::ByteBuffer;
constexpr std::size_t kMaxOrders = 64;

class SessionReactor final : public grpc::ServerBidiReactor<Bytes, Bytes>,
                             public AgentLink,
                             public std::enable_shared_from_this<SessionReactor> {
 public:
  SessionReactor(IngestThread& ingest, std::atomic<std::size_t>& sessions, Admission& admission, Pass pass, std::string peer)
      : m_ingest(ingest), m_sessions(sessions), m_standing(admission, std::move(pass)), m_peer(std::move(peer)) {}

  void begin() {
    m_self = shared_from_this();
    ++m_sessions;
    StartRead(&m_read);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return finish({});  // half-closed or broken: the agent has ended
    // Every agent sends a heartbeat every two seconds, so that a revoked pass ends its call soon.
    if (!m_standing.holds())
      return finish(
          Status(Code::kUnauthenticated, "session: " + m_peer + ": what '" + m_standing.pass().name + "' showed no longer counts"));
    v1::AgentMessage message;
    const bool parsed = grpc::SerializationTraits<v1::AgentMessage>::Deserialize(&m_read, &message).ok();
    if (!parsed || message.body_case() == v1::AgentMessage::BODY_NOT_SET)
      return finish(Status(Code::kInvalidArgument, "session: " + m_peer + ": unreadable message (compressed frames are refused)"));
    m_read.Clear();
    if (m_ingest.push(shared_from_this(), std::move(message))) resumeReads();
  }
  void OnWriteDone(bool ok) override {
    const MutexLock lock(m_mutex);
    m_writing = false;
    if (ok) writeNext();
  }
  void OnCancel() override { finish(Status(Code::kCancelled, "session: " + m_peer + ": cancelled")); }
  void OnDone() override {
    --m_sessions;
    m_ingest.closed(shared_from_this());
    m_self.reset();
  }

  void sendWelcome(v1::Welcome welcome) override {
    const MutexLock lock(m_mutex);
    m_welcome = std::move(welcome);
    writeNext();
  }
  void sendPong(const v1::Pong& pong) override {
    const MutexLock lock(m_mutex);
    m_pong = pong;  // an agent that does not get answers in time loses only readings
    writeNext();
  }
  void sendAck(std::uint32_t session_index, std::uint32_t stream, std::uint64_t next_seq, std::uint64_t credit_bytes) override {
    const MutexLock lock(m_mutex);
    m_acks[{session_index, stream}] = next_seq;
    m_credit = credit_bytes;
    writeNext();
  }
  void sendCredit(std::uint64_t credit_bytes) override {
    const MutexLock lock(m_mutex);
    m_credit = credit_bytes;
    m_credit_changed = true;
    writeNext();
  }
  void sendOrder(v1::Order order) override {
    const MutexLock lock(m_mutex);
    // An agent that does not read does not answer either: its command times out.
    if (m_orders.size() >= kMaxOrders) return;
    m_orders.push_back(std::move(order));
    writeNext();
  }
  void resumeReads() override {
    const MutexLock lock(m_mutex);
    if (!m_finished) StartRead(&m_read);
  }
  void finish(const Status& status) override {
    const MutexLock lock(m_mutex);
    if (m_finished) return;
    if (m_writing || !m_acks.empty() || m_welcome) {
      // Acknowledgements are sent first; a peer that does not read is cut off by keepalive or shutdown.
      if (!m_status && status.code() != Code::kCancelled) {
        m_status = status;
        writeNext();
        return;
      }
      if (status.code() != Code::kCancelled) return;
    }
    m_finished = true;
    Finish(wireStatus(m_status ? *m_status : status));
  }
  std::string peer() const override { return m_peer; }
  std::string onlyNode() const override { return m_standing.pass().node; }
  std::string passName() const override { return m_standing.pass().id.empty() ? std::string() : m_standing.pass().name; }

 private:
  // Starts the next write, or the Finish that waited for the last one.
  void writeNext() RG_REQUIRES(m_mutex) {
    if (m_finished || m_writing) return;
    v1::HubMessage message;
    if (m_welcome) {
      *message.mutable_welcome() = std::move(*m_welcome);
      m_welcome.reset();
    } else if (!m_acks.empty() || m_credit_changed) {
      message.mutable_acks()->set_credit_bytes(m_credit);
      for (const auto& [key, next_seq] : m_acks) {
        v1::Resume* ack = message.mutable_acks()->add_ack();
        ack->set_session_index(key.first);
        ack->set_stream(key.second);
        ack->set_next_seq(next_seq);
      }
      m_acks.clear();
      m_credit_changed = false;
    } else if (m_status) {
      m_finished = true;
      Finish(wireStatus(*m_status));
      return;
    } else if (m_pong) {
      *message.mutable_pong() = *m_pong;
      m_pong.reset();
    } else if (!m_orders.empty()) {
      *message.mutable_order() = std::move(m_orders.front());
      m_orders.pop_front();
    } else {
      return;
    }
    bool own = false;
    m_write.Clear();
    if (!grpc::SerializationTraits<v1::HubMessage>::Serialize(message, &m_write, &own).ok()) return;
    m_writing = true;
    StartWrite(&m_write);
  }

  IngestThread& m_ingest;
  std::atomic<std::size_t>& m_sessions;
  Standing m_standing;
  const std::string m_peer;
  std::shared_ptr<SessionReactor> m_self;
  Bytes m_read;
  Mutex m_mutex;
  Bytes m_write RG_GUARDED_BY(m_mutex);
  bool m_writing RG_GUARDED_BY(m_mutex) = false;
  bool m_finished RG_GUARDED_BY(m_mutex) = false;
  std::optional<v1::Welcome> m_welcome RG_GUARDED_BY(m_mutex);
  std::optional<v1::Pong> m_pong RG_GUARDED_BY(m_mutex);
  std::deque<v1::Order> m_orders RG_GUARDED_BY(m_mutex);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> m_acks RG_GUARDED_BY(m_mutex);
  std::uint64_t m_credit RG_GUARDED_BY(m_mutex) = 0;
  bool m_credit_changed RG_GUARDED_BY(m_mutex) = false;  // not yet sent with an acknowledgement
  std::optional<Status> m_status RG_GUARDED_BY(m_mutex);
};

// Ends a rejected call without reading.
class RefusingReactor final : public grpc::ServerBidiReactor<Bytes, Bytes> {
 public:
  explicit RefusingReactor(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

Result<Pass> IngestService::admit(const grpc::CallbackServerContext& context) {
  if (m_draining) return Status(Code::kUnavailable, "hub: is stopping");
  RG_ASSIGN(Pass pass, m_admission.admit(context, Scope::kIngest));
  if (m_sessions >= m_max_agents) return Status(Code::kUnavailable, "hub: has its " + std::to_string(m_max_agents) + " agents already");
  return pass;
}

grpc::ServerBidiReactor<Bytes, Bytes>* IngestService::Session(grpc::CallbackServerContext* context) {
  Result<Pass> pass = admit(*context);
  if (!pass.ok()) return new RefusingReactor(wireStatus(pass.status()));
  auto reactor = std::make_shared<SessionReactor>(m_ingest, m_sessions, m_admission, std::move(pass).value(), m_admission.peer(*context));
  reactor->begin();
  return reactor.get();
}

}  // namespace runglass
