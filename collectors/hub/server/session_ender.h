// SPDX-License-Identifier: Apache-2.0
// SessionEnder: ends FeedSessions on a thread. A session's thread may be in a long read of the store, and the last reference to a session
// may be dropped on one of gRPC's threads, which must not block.
//
// Threading:  any thread; only drain() and the destructor block.
// Ownership:  owns the sessions without references.
// Cost:       a thread.
#pragma once

#include <deque>
#include <memory>
#include <thread>

#include "collectors/hub/replica/feed_session.h"
#include "model/mutex.h"

namespace runglass {

class SessionEnder {
 public:
  SessionEnder();
  // Waits for all sessions.
  ~SessionEnder();
  // Dropping the last reference to the result gives the session to this object, which must still exist then.
  std::shared_ptr<FeedSession> own(std::unique_ptr<FeedSession> session);
  // Sessions without references that have not ended.
  std::size_t ending() const;
  // Waits until there are none.
  void drain();

 private:
  void take(FeedSession* session);
  void run();

  mutable Mutex m_mutex;
  ConditionVariable m_wake, m_rest;
  std::deque<std::unique_ptr<FeedSession>> m_queue RG_GUARDED_BY(m_mutex);
  bool m_joining RG_GUARDED_BY(m_mutex) = false;
  bool m_stop RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
