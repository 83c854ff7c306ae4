// SPDX-License-Identifier: Apache-2.0
// Listener: the sockets that a hub listens on. gRPC 1.51's own never accept again after one EMFILE and share ports silently.
// It listens on an address, on a socket in the file system (mode 0600, and only its owner and root get in), or on both.
//
// Threading:  one thread accepts; close() once it has ended.
// Ownership:  owns the listening sockets; what accept() gives is the caller's.
// Units:      none.
// Errors:     listen(): INVALID_ARGUMENT an address that means nothing, UNAVAILABLE one that cannot be bound (names it and why).
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
  // "HOST:PORT", "[::1]:PORT"; port 0 takes any free one. `socket`: a path. Either may be empty, not both.
  static Result<std::unique_ptr<Listener>> listen(const std::string& address, const std::string& socket);
  ~Listener();

  // Only processes of this machine can connect.
  bool local() const { return m_local; }
  int port() const { return m_port; }                                         // 0: on no port
  std::string address() const { return m_address; }                           // empty: on no port
  std::string socket() const { return m_socket; }                             // empty: on no socket of the file system
  int fd(Way way) const { return way == Way::kNetwork ? m_network : m_own; }  // -1: none

  struct Accepted {
    int fd = -1;
    std::string peer;  // "ipv4:127.0.0.1:4711"; empty: by the own socket
  };
  enum class Problem : std::uint8_t { kNone, kNoDescriptor };
  // Without waiting. Absent: no connection waits, or it is not the owner's.
  std::optional<Accepted> accept(Way way, Problem& problem);
  // Lets one connection in and closes it, where there is no descriptor for it: else it would be announced without end.
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
