// SPDX-License-Identifier: Apache-2.0
// GrpcListener: OTLP over gRPC (Export of the collector's services, unary) for senders that are no agents, behind a Relay as the hub's own
// port. A call is an HttpExchange of the same signal in protobuf, and its reply the status and response that OTLP/gRPC has for it.
//
// Threading:  the relay's two threads, gRPC's and a sweeper's. `admit` and `serve` are called on gRPC's and must not block;
// HttpExchange::answer() from any thread.
// Ownership:  owns the listening socket. stop() and the destructor wait until every exchange is answered.
// Units:      bytes.
// Errors:     start(): those of TlsServer::make() and Relay::open(). Calls: UNIMPLEMENTED another method; UNAVAILABLE, RESOURCE_EXHAUSTED
// with RetryInfo retry later; others are final.
// Cost:       messages, complete or not: at most HttpLimits::all_bodies, and gRPC's buffers of as much again.
#pragma once

#include <memory>
#include <string>

#include "collectors/hub/receivers/http_listener.h"
#include "collectors/hub/server/tls_server.h"

namespace runglass {

class GrpcListener {
 public:
  // `admit` sets `sender` if the credentials are of one, even where it refuses.
  static Result<std::unique_ptr<GrpcListener>> start(std::unique_ptr<Listener> listener, std::unique_ptr<TlsServer> tls,
                                                     const HttpLimits& limits, HttpListener::Handlers handlers);
  ~GrpcListener();
  void stop();
  std::string address() const;
  std::int64_t cutConnections() const;  // because of their traffic

 private:
  struct Parts;
  class Call;
  class Service;
  GrpcListener();
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
