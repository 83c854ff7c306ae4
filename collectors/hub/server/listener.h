// SPDX-License-Identifier: Apache-2.0
// Listener: the listening sockets of a hub: an address, a socket in the file system (mode 0600, only for its owner and root), or both. gRPC
// 1.51's own sockets never accept again after one EMFILE and share ports silently.
//
// Threading:  one thread accepts; close() after it has ended.
// Ownership:  owns the listening sockets; results of accept() belong to the caller.
// Errors:     listen(): INVALID_ARGUMENT an invalid address, UNAVAILABLE a named address that cannot be bound, with the cause.
// Cost:       two descriptors and one in reserve.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/result.h"

namespace runglass {

class Listener {
 public:
  enum class Way : std::uint8_t { kNetwork, kOwnSocket };
  // "HOST:PORT", "[::1]:PORT"; port 0 takes any free one. `socket`: a path. One of the two may be empty.
  static Result<std::unique_ptr<Listener>> listen(const std::string& address, const std::string& socket);
  ~Listener();

  // Whether only processes of this machine can connect.
  bool local() const { return m_local; }
  int port() const { return m_port; }                                         // 0: no port
  std::string address() const { return m_address; }                           // empty: no port
  std::string socket() const { return m_socket; }                             // empty: no socket in the file system
  int fd(Way way) const { return way == Way::kNetwork ? m_network : m_own; }  // -1: none

  struct Accepted {
    int fd = -1;
    std::string peer;  // "ipv4:127.0.0.1:4711"; empty: on the own socket
  };
  enum class Problem : std::uint8_t { kNone, kNoDescriptor };
  // Non-blocking. Absent: no pending connection, or not from the owner.
  std::optional<Accepted> accept(Way way, Problem& problem);
  // Accepts and closes a connection without a free descriptor for it: epoll would report it again and again.
  void shed(Way way);
  void close();

 private:
  Listener() = default;
  Status listenAt(const std::string& address);
  Status listenIn(const std::string& path);

  int m_network = -1, m_own = -1, m_spare = -1;
  int m_port = 0;
  bool m_local = true;
  std::string m_address, m_socket;
};

// "ipv4:127.0.0.1:4711" -> "ipv4:127.0.0.1".
std::string addressOfPeer(const std::string& peer);

}  // namespace runglass
