// SPDX-License-Identifier: Apache-2.0
// HttpServer: a tiny HTTP/1.1 server on 127.0.0.1 whose answers a test writes byte by byte.
//
// Threading:  the handler runs on a thread per connection.
// Ownership:  the destructor ends all connections and joins their threads.
// Units:      bytes.
// Errors:     send() is false once the client has disconnected.
// Cost:       a thread per connection.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/result.h"

namespace runglass::test {

class HttpServer {
 public:
  class Connection {
   public:
    explicit Connection(int fd) : m_fd(fd) {}
    bool send(std::string_view bytes) const {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    bool answer(std::string_view body, const std::string& type = "text/plain; version=0.0.4", const std::string& status = "200 OK",
                const std::string& more = "") const {
      return send("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + more + "Content-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n") &&
             send(body);
    }
    // Waits until the client disconnects or the server ends.
    void hang() const {
      char byte = 0;
      while (::recv(m_fd, &byte, 1, 0) > 0) continue;
    }

   private:
    int m_fd;
  };
  // `request`: first line, headers and body. The connection is closed if the handler returns false.
  using Handler = std::function<bool(const std::string& request, const Connection& to)>;

  explicit HttpServer(Handler handler) : m_handler(std::move(handler)) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    RG_CHECK(::bind(m_listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    socklen_t size = sizeof address;
    RG_CHECK(::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    RG_CHECK(::listen(m_listener, 1'024) == 0);
    m_port = ntohs(address.sin_port);
    m_acceptor = std::thread([this] { accept(); });
  }
  ~HttpServer() {
    m_stopping = true;
    ::shutdown(m_listener, SHUT_RDWR);
    m_acceptor.join();
    ::close(m_listener);
    {
      const std::lock_guard lock(m_mutex);
      for (const int fd : m_open) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : m_threads) thread.join();
    for (const int fd : m_open) ::close(fd);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(m_port); }
  std::string url(const std::string& path) const { return "http://" + address() + path; }

 private:
  void accept() {
    while (!m_stopping) {
      const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const int at_once = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      const std::lock_guard lock(m_mutex);
      m_open.push_back(fd);
      m_threads.emplace_back([this, fd] { serve(fd); });
    }
  }
  void serve(int fd) const {
    std::string request;
    char buffer[4'096];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      request.append(buffer, static_cast<std::size_t>(got));
      const std::size_t head = request.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::size_t length = request.find("Content-Length: ");
      if (length < head && request.size() < head + 4 + std::stoul(request.substr(length + 16))) continue;
      if (!m_handler(request, Connection(fd))) break;
      request.clear();
    }
    ::shutdown(fd, SHUT_RDWR);
  }

  const Handler m_handler;
  int m_listener = -1, m_port = 0;
  std::atomic<bool> m_stopping = false;
  std::mutex m_mutex;
  std::vector<int> m_open;
  std::vector<std::thread> m_threads;
  std::thread m_acceptor;
};

}  // namespace runglass::test
