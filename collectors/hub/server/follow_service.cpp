// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. At most one read and one write are outstanding; no operation starts after Finish, and every reactor reaches Finish exactly once.
// 2. A session has at most one connection: the newest of its replica.
// 3. A reactor lives until OnDone and until its session has released it; m_self holds it for gRPC.
#include "collectors/hub/server/follow_service.h"

#include <deque>

#include "collectors/hub/server/admission.h"
#include "collectors/wire/feed_frame.h"
#include "collectors/wire/judgement_message.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

using Reactor = grpc::ServerBidiReactor<v1::FollowerMessage, v1::FeedMessage>;

class FollowReactor final : public Reactor, public FeedLink, public std::enable_shared_from_this<FollowReactor> {
 public:
  FollowReactor(FollowService& service, Admission& admission, Pass pass, std::string peer)
      : m_service(service), m_standing(admission, std::move(pass)), m_peer(std::move(peer)) {}

  void begin() {
    m_self = shared_from_this();
    StartRead(&m_read);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return finish({});
    // A replica acknowledges twice a second, so that a revoked pass ends its call soon.
    if (!m_standing.holds())
      return finish(
          Status(Code::kUnauthenticated, "follow: " + m_peer + ": what '" + m_standing.pass().name + "' showed no longer counts"));
    if (const Status status = take(); !status.ok()) return finish(status);
    const MutexLock lock(m_mutex);
    if (!m_finished) StartRead(&m_read);
  }
  void OnWriteDone(bool ok) override {
    const MutexLock lock(m_mutex);
    m_writing = false;
    if (ok) writeNext();
  }
  void OnCancel() override { finish(Status(Code::kCancelled, "follow: " + m_peer + ": cancelled")); }
  void OnDone() override {
    if (m_session) m_session->detach(this);
    m_self.reset();
  }

  void send(v1::FeedMessage message) override {
    const MutexLock lock(m_mutex);
    m_waiting.push_back(std::move(message));
    writeNext();
  }
  void finish(const Status& status) override {
    const MutexLock lock(m_mutex);
    if (m_finished) return;
    m_finished = true;
    Finish(wireStatus(status));
  }

 private:
  Status take() {
    switch (m_read.body_case()) {
      case v1::FollowerMessage::kJoin: {
        if (m_session) return {Code::kInvalidArgument, "follow: " + m_peer + ": second Join on one stream"};
        v1::FeedMessage answer;
        RG_ASSIGN(m_session, m_service.join(m_read.join(), *answer.mutable_joined()));
        const bool resumed = answer.joined().resumed();
        send(std::move(answer));
        m_session->attach(shared_from_this(), resumed ? m_read.join().next_seq() : 0, m_read.join().credit_bytes());
        return {};
      }
      case v1::FollowerMessage::kAck:
        if (m_session) m_session->acked(m_read.ack().next_seq());
        return {};
      case v1::FollowerMessage::kHad:
        if (m_session) m_session->had(m_read.had());
        return {};
      default:
        return {};  // from a newer version
    }
  }
  void writeNext() RG_REQUIRES(m_mutex) {
    if (m_finished || m_writing || m_waiting.empty()) return;
    m_write = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_writing = true;
    StartWrite(&m_write);
  }

  FollowService& m_service;
  Standing m_standing;
  const std::string m_peer;
  std::shared_ptr<FollowReactor> m_self;
  std::shared_ptr<FeedSession> m_session;  // set in a read; used in reads and after the last one
  v1::FollowerMessage m_read;
  Mutex m_mutex;
  v1::FeedMessage m_write RG_GUARDED_BY(m_mutex);
  bool m_writing RG_GUARDED_BY(m_mutex) = false;
  bool m_finished RG_GUARDED_BY(m_mutex) = false;
  std::deque<v1::FeedMessage> m_waiting RG_GUARDED_BY(m_mutex);  // limited by the session's window
};

// Ends a rejected call without reading.
class RefusingReactor final : public Reactor {
 public:
  explicit RefusingReactor(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

Result<std::shared_ptr<FeedSession>> FollowService::join(const v1::Join& join, v1::Joined& joined) {
  if (join.proto_version() == 0 || join.proto_version() > kFollowVersion)
    return Status(Code::kFailedPrecondition, "follow: the follower speaks version " + std::to_string(join.proto_version()) + ", this hub " +
                                                 std::to_string(kFollowVersion) + ": update the hub");
  if (!join.mark().source_uuid().empty() && join.mark().source_uuid() != m_store_uuid)
    return Status(Code::kFailedPrecondition,
                  "follow: the copy is one of store " + join.mark().source_uuid() + ", this hub writes " + m_store_uuid);
  joined.set_proto_version(kFollowVersion);
  joined.set_source_uuid(m_store_uuid);
  joined.set_hub_ns(wallNow());
  std::map<std::string, std::shared_ptr<FeedSession>> gone;  // destroyed after the lock is released
  const MutexLock lock(m_mutex);
  if (m_draining) return Status(Code::kUnavailable, "hub: is stopping");
  for (auto it = m_sessions.begin(); it != m_sessions.end();) {
    const bool over = it->second->broken() || it->second->idle() > kKept;
    if (over) gone.insert(*it);
    it = over ? m_sessions.erase(it) : std::next(it);
  }
  const auto known = m_sessions.find(join.session());
  if (known != m_sessions.end()) {
    joined.set_session(join.session());
    joined.set_resumed(true);
    return known->second;
  }
  if (m_ender.ending() >= kMaxSessions)
    return Status(Code::kResourceExhausted, "follow: " + std::to_string(kMaxSessions) + " sessions are ending; try again");
  if (m_sessions.size() >= kMaxSessions) {
    const auto longest = std::ranges::max_element(m_sessions, {}, [](const auto& session) { return session.second->idle(); });
    if (longest->second->idle() == 0)
      return Status(Code::kResourceExhausted, "follow: " + std::to_string(kMaxSessions) + " copies are being made already");
    gone.insert(*longest);
    m_sessions.erase(longest);
  }
  const std::string name = randomUuid();
  auto session = m_ender.own(std::make_unique<FeedSession>(name, m_store, m_reader, FeedOptions{}, markOf(join.mark())));
  m_sessions.emplace(name, session);
  joined.set_session(name);
  return session;
}

std::size_t FollowService::sessions() const {
  const MutexLock lock(m_mutex);
  return m_sessions.size();
}

std::shared_ptr<const FeedNames> FollowService::names(const std::string& session) const {
  const MutexLock lock(m_mutex);
  const auto known = m_sessions.find(session);
  return known == m_sessions.end() ? nullptr : known->second->names();
}

void FollowService::drain() {
  m_draining = true;
  std::map<std::string, std::shared_ptr<FeedSession>> all;
  {
    const MutexLock lock(m_mutex);
    all.swap(m_sessions);
  }
  for (const auto& [name, session] : all) {
    session->finish(Status(Code::kUnavailable, "hub: is stopping"));
    session->stop();
  }
  m_ender.drain();
}

Reactor* FollowService::Follow(grpc::CallbackServerContext* context) {
  if (m_draining) return new RefusingReactor({grpc::StatusCode::UNAVAILABLE, "hub: is stopping"});
  Result<Pass> pass = m_admission.admit(*context, Scope::kRead);
  if (!pass.ok()) return new RefusingReactor(wireStatus(pass.status()));
  context->AddTrailingMetadata(kStoreKey, m_store_uuid);
  auto reactor = std::make_shared<FollowReactor>(*this, m_admission, std::move(pass).value(), m_admission.peer(*context));
  reactor->begin();
  return reactor.get();
}

}  // namespace runglass
