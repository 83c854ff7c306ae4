// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/session_ender.h"

namespace runglass {

SessionEnder::SessionEnder() {
  m_thread = std::thread([this] { run(); });
}

SessionEnder::~SessionEnder() {
  {
    const MutexLock lock(m_mutex);
    m_stop = true;
    m_wake.notifyAll();
  }
  m_thread.join();
}

std::shared_ptr<FeedSession> SessionEnder::own(std::unique_ptr<FeedSession> session) {
  return {session.release(), [this](FeedSession* last) { take(last); }};
}

std::size_t SessionEnder::ending() const {
  const MutexLock lock(m_mutex);
  return m_queue.size() + (m_joining ? 1 : 0);
}

void SessionEnder::drain() {
  MutexLock lock(m_mutex);
  m_rest.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_queue.empty() && !m_joining; });
}

void SessionEnder::take(FeedSession* session) {
  std::unique_ptr<FeedSession> owned(session);
  owned->requestStop();
  const MutexLock lock(m_mutex);
  m_queue.push_back(std::move(owned));
  m_wake.notifyAll();
}

void SessionEnder::run() {
  while (true) {
    std::unique_ptr<FeedSession> session;
    {
      MutexLock lock(m_mutex);
      m_joining = false;
      if (m_queue.empty()) m_rest.notifyAll();
      m_wake.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_stop || !m_queue.empty(); });
      if (m_queue.empty()) return;
      session = std::move(m_queue.front());
      m_queue.pop_front();
      m_joining = true;
    }
    session.reset();
  }
}

}  // namespace runglass
