// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/hub/replica/slow_proxy.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "model/result.h"

namespace runglass::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Small buffers: a slow connection must not look fast because the kernel buffers unsent data.
void shorten(int fd) {
  const int bytes = 16 << 10, on = 1;
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  (void)::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

SlowProxy::SlowProxy(int target_port, std::int64_t rate, DurNs delay) : m_target(target_port), m_rate(rate), m_delay(delay) {
  m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  shorten(m_listener);
  sockaddr_in address = loopback(0);
  RG_CHECK(::bind(m_listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(m_listener, 16) == 0);
  socklen_t size = sizeof address;
  RG_CHECK(::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  m_port = ntohs(address.sin_port);
  m_thread = std::thread([this] { accept(); });
}

SlowProxy::~SlowProxy() {
  m_stop = true;
  cut();
  m_thread.join();
  for (Pair& pair : m_pairs) {
    pair.up.join();
    pair.down.join();
    ::close(pair.client);
    ::close(pair.server);
  }
  ::close(m_listener);
}

std::string SlowProxy::address() const { return "127.0.0.1:" + std::to_string(m_port); }

void SlowProxy::cut() {
  const std::lock_guard lock(m_mutex);
  for (Pair& pair : m_pairs) {
    if (pair.open == 0) continue;
    // Reset, so that no buffered data arrives.
    const linger now{1, 0};
    for (const int fd : {pair.client, pair.server}) {
      (void)::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      (void)::shutdown(fd, SHUT_RDWR);
    }
  }
}

void SlowProxy::accept() {
  while (!m_stop) {
    pollfd ready{m_listener, POLLIN, 0};
    if (::poll(&ready, 1, 50) <= 0) continue;
    const int client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    shorten(client), shorten(server);
    sockaddr_in address = loopback(m_target);
    if (client < 0 || ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(client), ::close(server);
      continue;
    }
    const std::lock_guard lock(m_mutex);
    Pair& pair = m_pairs.emplace_back();
    pair.client = client, pair.server = server;
    pair.up = std::thread([this, &pair] { pump(pair, false); });
    pair.down = std::thread([this, &pair] { pump(pair, true); });
  }
}

void SlowProxy::pump(Pair& pair, bool down) {
  const int from = down ? pair.server : pair.client, to = down ? pair.client : pair.server;
  struct Piece {
    DurNs due = 0;
    std::vector<char> bytes;
  };
  // Data in transit: reading from the sender is limited by it.
  std::deque<Piece> line;
  std::vector<char> buffer(std::size_t{4} << 10);
  DurNs free_at = monotonicNow();
  bool open = true;
  while (!m_stop && (open || !line.empty())) {
    const DurNs now = monotonicNow();
    const bool free = open && free_at <= now;
    const DurNs wake = std::min(line.empty() ? now + 50 * kNsPerMs : line.front().due, open && !free ? free_at : now + 50 * kNsPerMs);
    const DurNs wait = std::max<DurNs>(0, wake - now);
    pollfd ready{from, static_cast<short>(free ? POLLIN : 0), 0};
    const timespec timeout{wait / kNsPerSecond, wait % kNsPerSecond};
    (void)::ppoll(&ready, 1, &timeout, nullptr);
    if (free && (ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
      open = got > 0;
      if (open) {
        free_at = monotonicNow() + (m_rate > 0 ? got * kNsPerSecond / m_rate : 0);
        line.push_back({free_at + m_delay, {buffer.begin(), buffer.begin() + got}});
      }
    } else if ((ready.revents & (POLLHUP | POLLERR)) != 0) {
      open = false;  // reset: data in transit is lost
      line.clear();
    }
    for (; !line.empty() && line.front().due <= monotonicNow(); line.pop_front()) {
      const std::vector<char>& bytes = line.front().bytes;
      for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t done = ::send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (done <= 0) break;
        sent += static_cast<std::size_t>(done);
      }
      (down ? m_down : m_up) += static_cast<std::int64_t>(bytes.size());
    }
  }
  (void)::shutdown(from, SHUT_RDWR);
  (void)::shutdown(to, SHUT_RDWR);
  --pair.open;
}

}  // namespace runglass::test
