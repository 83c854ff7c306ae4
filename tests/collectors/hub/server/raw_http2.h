// SPDX-License-Identifier: Apache-2.0
// RawHttp2: a client that writes HTTP/2 frames directly over TCP or TLS, and violates rules that a client library follows.
//
// Threading:  one thread.
// Ownership:  owns its socket.
// Units:      bytes.
// Errors:     send() and the other calls return false once the hub has closed the connection or reads nothing for two seconds.
// Cost:       one connection.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

namespace runglass::test {

class RawHttp2 {
 public:
  enum Type : std::uint8_t { kData = 0, kHeaders = 1, kPriority = 2, kReset = 3, kSettings = 4, kPing = 6, kContinuation = 9 };
  static constexpr std::uint8_t kEndStream = 1, kEndHeaders = 4;
  struct Tls {
    bool on = false;
    std::string certificate, key;  // PEM files; empty: none is presented
  };

  RawHttp2(int port, const Tls& tls) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL may write to a socket that the hub has closed
    m_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{2, 0};
    setsockopt(m_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(m_fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    m_open = connect(m_fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && (!tls.on || shake(tls));
  }
  RawHttp2(const RawHttp2&) = delete;
  RawHttp2& operator=(const RawHttp2&) = delete;
  ~RawHttp2() {
    SSL_free(m_ssl);
    SSL_CTX_free(m_context);
    close(m_fd);
  }

  bool open() const { return m_open; }
  // New keys for sending, in a TLS record without data.
  bool updateKeys() { return m_open = m_open && SSL_key_update(m_ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(m_ssl) == 1; }
  std::size_t sent() const { return m_sent; }
  bool send(std::string_view bytes) {
    while (m_open && !bytes.empty()) {
      const ssize_t wrote = m_ssl != nullptr ? SSL_write(m_ssl, bytes.data(), static_cast<int>(bytes.size()))
                                             : ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (wrote <= 0) return m_open = false;
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      m_sent += static_cast<std::size_t>(wrote);
    }
    return m_open;
  }
  // The preface, and SETTINGS that change nothing. Those of the hub are never acknowledged.
  bool greet() { return send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0, "")); }
  // Reads until a frame of `type` arrives.
  bool waitFor(std::uint8_t type) {
    std::string head;
    while (read(head, 9)) {
      const std::size_t length = (byte(head, 0) << 16U) + (byte(head, 1) << 8U) + byte(head, 2);
      std::string payload;
      if (!read(payload, length)) return false;
      if (byte(head, 3) == type) return true;
    }
    return false;
  }

  static std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
    std::string out;
    for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>(payload.size() >> shift);
    out += static_cast<char>(type);
    out += static_cast<char>(flags);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(stream >> shift);
    return out.append(payload);
  }
  // Headers of a call of `path`, which are added to the connection's header table.
  static std::string headers(const std::string& path) {
    std::string out = "\x83\x86";
    out += literal("\x44", path);
    out += literal("\x41", "hub");
    out += literal(std::string("\x40\x02", 2) + "te", "trailers");
    return out + literal("\x5f", "application/grpc");
  }
  // The same headers again, from that table.
  static std::string again() { return "\x83\x86\xc1\xc0\xbf\xbe"; }
  static std::string message(const std::string& body) {
    std::string out(1, '\0');
    for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(body.size() >> shift);
    return out + body;
  }
  static std::string reset() { return std::string("\0\0\0\x08", 4); }

 private:
  static std::size_t byte(const std::string& text, std::size_t at) { return static_cast<unsigned char>(text[at]); }
  static std::string literal(const std::string& name, const std::string& value) {
    return name + static_cast<char>(value.size()) + value;  // all values here are shorter than 127
  }
  bool read(std::string& into, std::size_t bytes) {
    into.assign(bytes, '\0');
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t got = m_ssl != nullptr ? SSL_read(m_ssl, into.data() + done, static_cast<int>(bytes - done))
                                           : recv(m_fd, into.data() + done, bytes - done, 0);
      if (got <= 0) return m_open = false;
      done += static_cast<std::size_t>(got);
    }
    return true;
  }
  bool shake(const Tls& tls) {
    m_context = SSL_CTX_new(TLS_client_method());
    const unsigned char alpn[] = "\x02h2";
    SSL_CTX_set_alpn_protos(m_context, alpn, 3);
    if (!tls.certificate.empty() && (SSL_CTX_use_certificate_file(m_context, tls.certificate.c_str(), SSL_FILETYPE_PEM) != 1 ||
                                     SSL_CTX_use_PrivateKey_file(m_context, tls.key.c_str(), SSL_FILETYPE_PEM) != 1))
      return false;
    m_ssl = SSL_new(m_context);
    SSL_set_fd(m_ssl, m_fd);
    return SSL_connect(m_ssl) == 1;
  }

  int m_fd = -1;
  SSL_CTX* m_context = nullptr;
  SSL* m_ssl = nullptr;
  bool m_open = false;
  std::size_t m_sent = 0;
};

}  // namespace runglass::test
