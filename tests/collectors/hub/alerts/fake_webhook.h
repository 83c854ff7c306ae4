// SPDX-License-Identifier: Apache-2.0
// A web server on 127.0.0.1 whose answers are set by a test; it may also never answer.
//
// Threading:  one thread for all connections, one after the other; bodies() from any.
// Ownership:  the destructor closes every connection.
// Units:      ns.
// Errors:     aborts if no port is available.
// Cost:       a thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

class FakeWebhook {
 public:
  enum class Mood { kAnswers, kNeverAnswers, kDripsOneByte };
  explicit FakeWebhook(Mood mood = Mood::kAnswers, std::vector<int> statuses = {}, std::string answer = {})
      : m_mood(mood), m_statuses(std::move(statuses)), m_answer(std::move(answer)) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    RG_CHECK(::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(m_listener, 64) == 0);
    RG_CHECK(::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    m_port = ntohs(address.sin_port);
    m_thread = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~FakeWebhook() {
    m_thread.request_stop();
    m_thread.join();
    for (const int fd : m_kept) ::close(fd);
    ::close(m_listener);
  }
  std::string host() const { return "http://127.0.0.1:" + std::to_string(m_port); }
  std::string url() const { return host() + "/hook"; }
  std::vector<std::string> bodies() const {
    const std::lock_guard lock(m_mutex);
    return m_bodies;
  }
  std::vector<std::string> paths() const {  // "POST /hook"
    const std::lock_guard lock(m_mutex);
    return m_paths;
  }
  std::vector<TimeNs> times() const {
    const std::lock_guard lock(m_mutex);
    return m_times;
  }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd wait{m_listener, POLLIN, 0};
      if (::poll(&wait, 1, 10) <= 0) continue;
      const int fd = ::accept(m_listener, nullptr, nullptr);
      if (fd >= 0) talk(fd, stop);
    }
  }
  void talk(int fd, const std::stop_token& stop) {
    const std::string request = receive(fd, stop);
    const std::size_t head = request.find("\r\n\r\n");
    int status = 200;
    {
      const std::lock_guard lock(m_mutex);
      if (m_bodies.size() < m_statuses.size()) status = m_statuses[m_bodies.size()];
      m_bodies.push_back(head == std::string::npos ? "" : request.substr(head + 4));
      m_paths.push_back(request.substr(0, request.find(" HTTP/")));
      m_times.push_back(wallNow());
    }
    if (m_mood != Mood::kAnswers) {
      if (m_mood == Mood::kDripsOneByte) (void)::send(fd, "H", 1, MSG_NOSIGNAL);
      m_kept.push_back(fd);
      return;
    }
    const std::string answer = "HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: " + std::to_string(m_answer.size()) +
                               "\r\nConnection: close\r\n\r\n" + m_answer;
    (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(fd);
  }
  static std::string receive(int fd, const std::stop_token& stop) {
    std::string text;
    char block[4096];
    while (!stop.stop_requested()) {
      const std::size_t head = text.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t at = text.find("Content-Length: ");
        const std::size_t length = at < head ? std::stoul(text.substr(at + 16)) : 0;
        if (text.size() >= head + 4 + length) return text;
      }
      pollfd wait{fd, POLLIN, 0};
      if (::poll(&wait, 1, 10) <= 0) continue;
      const ssize_t got = ::recv(fd, block, sizeof block, 0);
      if (got <= 0) return text;
      text.append(block, static_cast<std::size_t>(got));
    }
    return text;
  }

  const Mood m_mood;
  const std::vector<int> m_statuses;
  const std::string m_answer;
  int m_listener = -1, m_port = 0;
  mutable std::mutex m_mutex;
  std::vector<std::string> m_bodies, m_paths;
  std::vector<TimeNs> m_times;
  std::vector<int> m_kept;
  std::jthread m_thread;
};

}  // namespace runglass
