// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An event identifies a connection by its id, never by its descriptor, which may have been reused meanwhile.
// 2. Only needed events are registered; an end that epoll reports in any case closes its side.
#include "collectors/hub/server/relay_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace runglass {
namespace {

constexpr std::size_t kScratch = 64U << 10;
constexpr int kTickMs = 250;
constexpr std::uint64_t kWake = 0;

}  // namespace

RelayLoop::~RelayLoop() {
  stop(0);
  for (const int fd : {m_epoll, m_wake})
    if (fd >= 0) ::close(fd);
}

Status RelayLoop::open() {
  m_epoll = epoll_create1(EPOLL_CLOEXEC);
  m_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (m_epoll < 0 || m_wake < 0 || !watch(m_wake, kWake)) return {Code::kUnavailable, std::string("epoll: ") + std::strerror(errno)};
  m_scratch.resize(kScratch);
  return {};
}

void RelayLoop::start() {
  m_thread = std::thread([this] { run(); });
}

void RelayLoop::post(std::function<void()> action) {
  {
    const MutexLock lock(m_mutex);
    m_posted.push_back(std::move(action));
  }
  const std::uint64_t one = 1;
  (void)!write(m_wake, &one, sizeof one);
}

bool RelayLoop::hasPosted() {
  const MutexLock lock(m_mutex);
  return !m_posted.empty();
}

void RelayLoop::stop(DurNs deadline) {
  if (!m_thread.joinable()) return;
  m_deadline = deadline;
  m_stopping = true;
  post([] {});
  m_thread.join();
}

bool RelayLoop::watch(int fd, std::uint64_t id) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = id << 1U}};
  return epoll_ctl(m_epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void RelayLoop::run() {
  // OpenSSL writes to sockets that may be closed.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  while (!m_stopping || ((!m_connections.empty() || hasPosted()) && monotonicNow() < m_deadline)) round();
  m_connections.clear();  // here, where SIGPIPE is blocked
}

void RelayLoop::round() {
  std::array<epoll_event, 128> events;
  const int count = epoll_wait(m_epoll, events.data(), static_cast<int>(events.size()), m_again.empty() ? kTickMs : 0);
  const DurNs now = monotonicNow();
  std::vector<std::uint64_t> again;
  again.swap(m_again);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64 >> 1U;
    const bool inner = (events[static_cast<std::size_t>(i)].data.u64 & 1U) != 0;
    if (id == kWake) {
      std::uint64_t number = 0;
      (void)!read(m_wake, &number, sizeof number);
      std::vector<std::function<void()>> posted;
      {
        const MutexLock lock(m_mutex);
        posted.swap(m_posted);
      }
      for (const auto& action : posted) action();
    } else if (id < kFirstId) {
      announced(id, now);
    } else if (const auto found = m_connections.find(id); found != m_connections.end()) {
      const bool ended = (events[static_cast<std::size_t>(i)].events & (EPOLLHUP | EPOLLERR)) != 0;
      if (ended && inner) found->second->innerHungUp();
      if (ended && !inner) found->second->peerFailed();
      again.push_back(id);
    }
  }
  for (const std::uint64_t id : again) {
    const auto found = m_connections.find(id);
    if (found == m_connections.end()) continue;
    serve(*found->second, now);
    settle(id);
  }
  const bool tick = now - m_ticked >= kTickMs * kNsPerMs;
  turn(now, tick);
  if (!tick) return;
  m_ticked = now;
  for (auto at = m_connections.begin(); at != m_connections.end();) {
    RelayConnection& connection = *(at++)->second;
    if (connection.isLate(now)) expire(connection);
    if (connection.isOver()) settle(connection.peer()->id);
  }
}

bool RelayLoop::pump(RelayConnection& connection, DurNs now, std::size_t max_bytes) {
  const bool more = connection.pump(now, m_scratch, max_bytes);
  if (more) again(connection.peer()->id);
  return more;
}

void RelayLoop::add(std::unique_ptr<RelayConnection> connection) {
  const std::uint64_t id = connection->peer()->id;
  connection->peer_known = connection->inner_known = false;
  again(id);
  interest(*m_connections.emplace(id, std::move(connection)).first->second);
}

std::unique_ptr<RelayConnection> RelayLoop::take(std::uint64_t id) {
  const auto found = m_connections.find(id);
  if (found == m_connections.end()) return nullptr;
  std::unique_ptr<RelayConnection> connection = std::move(found->second);
  m_connections.erase(found);
  leaves(*connection);
  for (const int fd : {connection->peerFd(), connection->innerFd()})
    if (fd >= 0) (void)epoll_ctl(m_epoll, EPOLL_CTL_DEL, fd, nullptr);
  return connection;
}

// After it was served: updates its events, or removes it.
void RelayLoop::settle(std::uint64_t id) {
  const auto found = m_connections.find(id);
  if (found == m_connections.end()) return;
  if (!found->second->isOver()) return interest(*found->second);
  const std::unique_ptr<RelayConnection> over = take(id);
  if (m_closed) m_closed(*over);
}

void RelayLoop::interest(RelayConnection& connection) {
  const auto set = [&](int fd, bool inner, std::uint32_t events, bool& known, std::uint32_t& watched) {
    if (fd < 0 || (known && watched == events)) return;
    epoll_event event{.events = events, .data = {.u64 = connection.peer()->id << 1U | (inner ? 1U : 0U)}};
    if (epoll_ctl(m_epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) == 0) known = true, watched = events;
  };
  set(connection.peerFd(), false, connection.peerEvents(), connection.peer_known, connection.peer_watched);
  set(connection.innerFd(), true, connection.innerEvents(), connection.inner_known, connection.inner_watched);
}

}  // namespace runglass
