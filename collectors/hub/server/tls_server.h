// SPDX-License-Identifier: Apache-2.0
// TlsServer: the hub's side of TLS, and the rule that a port reachable from other machines requires it. gRPC behind it uses plain text.
//
// Threading:  one thread creates sessions; a session belongs to one thread at a time.
// Ownership:  a session keeps its initial certificate.
// Units:      bytes.
// Errors:     INVALID_ARGUMENT an unusable file, with its name, never its content; FAILED_PRECONDITION an unsafe combination. When files
//             become unusable, the last ones stay in use.
// Cost:       a check of the files per second while clients connect, so that a renewed certificate needs no restart.
#pragma once

#include <openssl/ssl.h>
#include <sys/types.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "collectors/hub/access/access_table.h"
#include "collectors/hub/server/hub_options.h"

namespace runglass {

// TLS of one connection. None of its calls block.
class TlsSession {
 public:
  enum class Answer : std::uint8_t { kDone, kWantRead, kWantWrite, kEnd };  // kEnd: closed, or broken
  explicit TlsSession(SSL* ssl);
  Answer shake();
  // At least one byte with kDone.
  Answer read(std::span<char> into, std::size_t& got);
  Answer write(std::string_view bytes, std::size_t& wrote);
  bool hasPending() const { return SSL_pending(m_ssl.get()) > 0; }
  void close();
  // The client's certificate verified by the handshake, PEM; empty: none.
  std::string certificate() const;

 private:
  Answer answer(int result) const;
  std::unique_ptr<SSL, decltype(&SSL_free)> m_ssl;
  const std::unique_ptr<int> m_key_updates = std::make_unique<int>(0);  // number received from the client; OpenSSL has its address
};

class TlsServer {
 public:
  // `local`: the listener is reachable from this machine only. Null: without TLS.
  static Result<std::unique_ptr<TlsServer>> make(const HubOptions& options, AccessTable& access, bool local);
  // For a connection that was just accepted.
  std::unique_ptr<TlsSession> session(int fd, DurNs now);

 private:
  TlsServer(const HubOptions& options, AccessTable& access)
      : m_certificate(options.tls_cert), m_key(options.tls_key), m_authority(options.tls_client_ca), m_access(access) {}
  struct Version {
    ino_t inode = 0;
    off_t size = 0;
    TimeNs changed = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  std::array<Version, 3> versions() const;
  Status load();

  const std::string m_certificate, m_key, m_authority;
  AccessTable& m_access;
  std::shared_ptr<SSL_CTX> m_context;
  std::array<Version, 3> m_versions;
  DurNs m_looked = 0;
};

}  // namespace runglass
