// SPDX-License-Identifier: Apache-2.0
// ReservedPort: a TCP port of 127.0.0.1, chosen by the kernel and held while the object lives. For servers that must restart at the same
// address, and for addresses where no server listens.
//
// The port is bound with SO_REUSEADDR and never listened on: connecting is refused, the kernel assigns the port to no other socket (a
// client that reconnects cannot connect to itself either), and a server that sets SO_REUSEADDR can listen on it repeatedly.
//
// Errors:     aborts the test program if no port is free.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "model/result.h"

namespace runglass::test {

class ReservedPort {
 public:
  ReservedPort() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    RG_CHECK(::setsockopt(m_socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    RG_CHECK(::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
    RG_CHECK(::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    m_port = ntohs(address.sin_port);
  }
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;
  ~ReservedPort() { ::close(m_socket); }
  int port() const { return m_port; }
  std::string address() const { return "127.0.0.1:" + std::to_string(m_port); }

 private:
  int m_socket;
  int m_port = 0;
};

}  // namespace runglass::test
