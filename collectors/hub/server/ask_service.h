// SPDX-License-Identifier: Apache-2.0
// AskService: answers replicas' questions about the hub's store over gRPC.
//
// Threading:  gRPC's callback threads, which never block; questions are answered on an AnswerPool.
// Ownership:  borrows the FollowService, whose sessions map ids, and the Admission; both outlive the server.
// Units:      bytes.
// Errors:     gRPC statuses: ABORTED no such session, RESOURCE_EXHAUSTED too many questions at once or unread answers; those of
//             answerQuestion().
// Cost:       memory <= kMaxWaiting of answers being sent, and the pool's.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "collectors/hub/server/admission.h"
#include "collectors/hub/server/answer_pool.h"
#include "collectors/hub/server/follow_service.h"
#include "model/mutex.h"
#include "runglass/v1/ask.grpc.pb.h"
#include "storage/open_store.h"

namespace runglass {

class AskReactor;

class AskService final : public v1::Ask::CallbackService {
 public:
  static constexpr int kMaxRunning = 4;  // per replica
  static constexpr std::size_t kMaxWaiting = std::size_t{64} << 20;
  static constexpr std::size_t kThreads = 4;

  AskService(std::string store, ReaderOptions reader, FollowService& follow, Admission& admission)
      : m_follow(follow),
        m_admission(admission),
        m_pool([store = std::move(store), reader = std::move(reader)] { return openStore(store).reader(reader); }, kThreads) {}

  grpc::ServerWriteReactor<v1::AnswerPart>* Ask(grpc::CallbackServerContext* context, const v1::Question* question) override;
  // Rejects questions and ends running ones, before the store is closed.
  void drain();

 private:
  friend class AskReactor;
  Status begin(AskReactor& reactor, const std::string& session);
  void answered(const std::string& session);
  void remove(AskReactor& reactor);
  bool reserve(std::size_t bytes);
  void release(std::size_t bytes) { m_waiting -= bytes; }

  FollowService& m_follow;
  Admission& m_admission;
  AnswerPool m_pool;
  std::atomic<std::size_t> m_waiting = 0;
  Mutex m_mutex;
  bool m_draining RG_GUARDED_BY(m_mutex) = false;
  std::map<std::string, int> m_running RG_GUARDED_BY(m_mutex);  // by session
  std::set<AskReactor*> m_reactors RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
