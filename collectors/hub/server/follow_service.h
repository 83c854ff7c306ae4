// SPDX-License-Identifier: Apache-2.0
// FollowService: replicas of this hub's store, over gRPC. Sessions are kept for a while after a lost connection.
//
// Threading:  gRPC's callback threads, which never block; one thread a session (FeedSession), which a SessionEnder ends.
// Ownership:  owns the sessions; borrows the Admission, which outlives the server.
// Errors:     gRPC statuses: FAILED_PRECONDITION another protocol or a replica of another store, RESOURCE_EXHAUSTED too many replicas.
// Cost:       memory <= kMaxSessions feeds, and as many that are ending.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "collectors/hub/replica/feed_session.h"
#include "collectors/hub/server/admission.h"
#include "collectors/hub/server/session_ender.h"
#include "model/mutex.h"
#include "runglass/v1/follow.grpc.pb.h"

namespace runglass {

inline constexpr std::uint32_t kFollowVersion = 1;

class FollowService final : public v1::Follow::CallbackService {
 public:
  static constexpr std::size_t kMaxSessions = 16;
  static constexpr DurNs kKept = 600 * kNsPerSecond;  // after a lost connection

  FollowService(std::string store, std::string store_uuid, ReaderOptions reader, Admission& admission)
      : m_store(std::move(store)), m_store_uuid(std::move(store_uuid)), m_reader(std::move(reader)), m_admission(admission) {}

  grpc::ServerBidiReactor<v1::FollowerMessage, v1::FeedMessage>* Follow(grpc::CallbackServerContext* context) override;
  // Rejects new replicas and ends the sessions, before the store is closed.
  void drain();
  std::size_t sessions() const;
  // Id mapping of a session; null: there is no such session.
  std::shared_ptr<const FeedNames> names(const std::string& session) const;

  // Fills the answer to a Join. Returns its session, to which the caller attaches.
  Result<std::shared_ptr<FeedSession>> join(const v1::Join& join, v1::Joined& joined);

 private:
  const std::string m_store, m_store_uuid;
  const ReaderOptions m_reader;
  Admission& m_admission;
  std::atomic<bool> m_draining = false;
  SessionEnder m_ender;
  mutable Mutex m_mutex;
  std::map<std::string, std::shared_ptr<FeedSession>> m_sessions RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
