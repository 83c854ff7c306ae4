// SPDX-License-Identifier: Apache-2.0
// HttpListener: HTTP/1.1 for senders that are no agents (libmicrohttpd). Limits of connections, time and bytes apply before a credential is
// known; a body is read only of a request that was admitted by its headers.
//
// Threading:  one thread of its own. `admit` and `serve` are called on it and must not block; HttpExchange::answer() from any thread.
// Ownership:  owns the listening socket. stop() and the destructor wait until every exchange is answered.
// Units:      bytes, ns.
// Errors:     listen(): those of Listener; FAILED_PRECONDITION: reachable from other machines without TLS.
// Cost:       64 KiB a connection and the bodies that are being read: at most HttpLimits::all_bodies.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "collectors/hub/server/listener.h"
#include "model/result.h"
#include "model/time.h"

struct MHD_Connection;
struct MHD_Daemon;

namespace runglass {

struct HttpLimits {
  std::size_t body = 16U << 20, all_bodies = 256U << 20;
  unsigned connections = 512, connections_per_address = 64;
  DurNs headers = 10 * kNsPerSecond, whole = 60 * kNsPerSecond, idle = 120 * kNsPerSecond;
};

struct HttpHead {
  std::string method, path;
  std::string authorization, host, content_type, content_encoding, write_version;
  std::string address;  // of the client, without port
};

struct HttpReply {
  int status = 204;
  std::string text;
  std::string content_type = "text/plain; charset=utf-8";
  int retry_after_s = 0;  // > 0: as Retry-After
};

// A request whose headers were admitted, with its whole body.
class HttpExchange {
 public:
  HttpHead head;
  std::string sender;  // set by `admit`
  std::string body;
  // The first call counts.
  void answer(HttpReply reply);

 private:
  friend class HttpListener;
  friend class GrpcListener;
  MHD_Connection* m_connection = nullptr;
  std::optional<HttpReply> m_reply;
  std::function<void(HttpExchange&)> m_answered;
  std::size_t m_charged = 0;  // of HttpLimits::all_bodies
  bool m_too_large = false, m_no_memory = false;
  std::atomic<bool> m_done = false;
};

class HttpListener {
 public:
  struct Handlers {
    // Decides by the headers: absent admits the request, and sets `sender`.
    std::function<std::optional<HttpReply>(const HttpHead& head, std::string& sender)> admit;
    std::function<void(std::shared_ptr<HttpExchange>)> serve;
  };
  struct Tls {
    std::string certificate, key;  // PEM texts; empty: plain HTTP
  };
  static Result<std::unique_ptr<HttpListener>> start(std::unique_ptr<Listener> listener, const Tls& tls, const HttpLimits& limits,
                                                     Handlers handlers);
  ~HttpListener();
  void stop();
  std::string address() const;

 private:
  struct Parts;
  HttpListener();
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
