// SPDX-License-Identifier: Apache-2.0
// Receivers: Prometheus remote_write 1.0, OTLP over HTTP and gRPC into a hub, and the hub's own metrics. A request is answered with 2xx or
// OK once its data is durable.
//
// Threading:  the listeners' threads and kWorkers for requests; a sender's requests are handled one after the other, so that one sender
//             delays no other one by more than a request.
// Ownership:  stop() and the destructor answer what was received; destroy it before the hub stops.
// Errors:     start(): FAILED_PRECONDITION an unsafe configuration; INVALID_ARGUMENT, UNAVAILABLE the address; those of
// AccessTable::open(). Cost:       see HttpListener, GrpcListener and SenderSession; at most kMaxSenders of the latter.
#pragma once

#include <memory>
#include <string>

#include "collectors/hub/receivers/grpc_listener.h"
#include "collectors/hub/receivers/http_listener.h"
#include "collectors/hub/receivers/receiver_port.h"
#include "collectors/hub/receivers/sender_session.h"

namespace runglass {

struct ReceiverOptions {
  std::string listen;             // HTTP: HOST:PORT; port 0: any free one; empty: none
  std::string listen_grpc;        // OTLP/gRPC likewise
  std::string token_file;         // the hub's access file: tokens of scope `receive`
  std::string tls_cert, tls_key;  // PEM files; used and required beyond the loopback
  HttpLimits http;                // of either listener
  SenderLimits sender;
};

struct ReceiverStats {
  std::int64_t requests = 0, samples = 0, repeated = 0;  // samples: acknowledged; also spans and log lines
  std::int64_t refused_requests = 0, refused_samples = 0;
  std::int64_t senders = 0, series = 0;
  std::int64_t cut_connections = 0;  // gRPC's, because of their traffic
};

class Receivers {
 public:
  static constexpr std::size_t kWorkers = 2, kMaxSenders = 1'024, kMaxWaitingOfSender = 64;

  static Result<std::unique_ptr<Receivers>> start(ReceiverOptions options, ReceiverPort port);
  ~Receivers();
  void stop();
  std::string address() const;      // of HTTP; empty: none
  std::string grpcAddress() const;  // likewise
  ReceiverStats stats() const;

 private:
  Receivers();
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
