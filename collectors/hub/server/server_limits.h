// SPDX-License-Identifier: Apache-2.0
// Limits of a gRPC server behind a Relay, and the connections that it gets from there.
//
// Units:      bytes, ns.
#pragma once

#include <grpcpp/grpcpp.h>

#include "collectors/hub/server/relay.h"
#include "model/time.h"

namespace runglass {

struct ServerLimits {
  int max_message = 0;
  std::size_t memory = 0;  // of gRPC's buffers
  DurNs idle = 0;          // a connection without calls is closed after it
};
void setServerLimits(grpc::ServerBuilder& builder, const ServerLimits& limits);

// Borrows `acceptor`, which must outlive the Relay's listening.
Relay::Serve connectionsInto(grpc::experimental::ExternalConnectionAcceptor& acceptor);

}  // namespace runglass
