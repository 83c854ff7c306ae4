// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/server_limits.h"

#include <grpcpp/resource_quota.h>

#include <initializer_list>
#include <utility>

namespace runglass {

void setServerLimits(grpc::ServerBuilder& builder, const ServerLimits& limits) {
  builder.SetMaxReceiveMessageSize(limits.max_message);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},  // it would inflate before the size limit is checked
           {GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(Http2Guard::kCalls)},
           {GRPC_ARG_MAX_METADATA_SIZE, 8 << 10},
           {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5'000},
           {GRPC_ARG_KEEPALIVE_TIME_MS, 20'000},  // the agent's keepalive settings are in hub_link.cpp
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
           {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 9'000},
           {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
           {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2},
           {GRPC_ARG_MAX_CONNECTION_IDLE_MS, static_cast<int>(limits.idle / kNsPerMs)},
           {GRPC_ARG_ALLOW_REUSEPORT, 0},
       })
    builder.AddChannelArgument(name, value);
  builder.SetResourceQuota(grpc::ResourceQuota("hub").Resize(limits.memory));
}

Relay::Serve connectionsInto(grpc::experimental::ExternalConnectionAcceptor& acceptor) {
  return [&acceptor](int listener, int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.listener_fd = listener;
    connection.fd = fd;
    acceptor.HandleNewConnection(&connection);
  };
}

}  // namespace runglass
