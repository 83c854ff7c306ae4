// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Teardown order: acceptor, service (refuses), sessions (finished with their acknowledgements), server, ingest thread, store. Each
//    part outlives those before it.
// 2. gRPC's own listening sockets are never used, see acceptor.h.
#include "collectors/hub/hub.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <chrono>
#include <filesystem>

#include "collectors/hub/acceptor.h"
#include "collectors/hub/admission.h"
#include "collectors/hub/ask_service.h"
#include "collectors/hub/control_service.h"
#include "collectors/hub/credentials.h"
#include "collectors/hub/follow_service.h"
#include "collectors/hub/ingest_service.h"
#include "collectors/hub/ingest_thread.h"
#include "storage/store_uuid.h"

namespace runglass {
namespace {

constexpr int kMaxMessage = 4 << 20;
constexpr DurNs kDrain = 2 * kNsPerSecond;

void setLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessage);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},  // it would inflate before the size limit is checked
           {GRPC_ARG_MAX_CONCURRENT_STREAMS, 64},
           {GRPC_ARG_MAX_METADATA_SIZE, 8 << 10},
           {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5'000},
           {GRPC_ARG_KEEPALIVE_TIME_MS, 20'000},  // the agent's side of the pair is in hub_channel.cpp
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
           {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 9'000},
           {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
           {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2},
           {GRPC_ARG_MAX_CONNECTION_IDLE_MS, 30'000},
           {GRPC_ARG_ALLOW_REUSEPORT, 0},
       })
    builder.AddChannelArgument(name, value);
  builder.SetResourceQuota(grpc::ResourceQuota("hub").Resize(256U << 20));
}

}  // namespace

struct Hub::Parts {
  std::unique_ptr<Acceptor> acceptor;
  std::unique_ptr<AccessBook> access;
  std::unique_ptr<Admission> admission;
  std::unique_ptr<IngestThread> ingest;
  std::unique_ptr<IngestService> service;
  std::unique_ptr<ControlService> control;
  std::unique_ptr<FollowService> follow;
  std::unique_ptr<AskService> ask;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> network, own;
  std::unique_ptr<grpc::Server> server;
};

Hub::Hub() : m_parts(std::make_unique<Parts>()) {}

Hub::~Hub() { (void)stop(); }

Result<std::unique_ptr<Hub>> Hub::start(const std::string& store, HubOptions options) {
  std::unique_ptr<Hub> hub(new Hub());
  Parts& parts = *hub->m_parts;
  RG_ASSIGN(parts.acceptor, Acceptor::listen(options.listen, options.socket, {.per_address = options.max_unauthenticated_per_address}));
  RG_ASSIGN(parts.access, AccessBook::open(options.token_file, {wallNow(), monotonicNow()}));
  RG_ASSIGN(const auto credentials, serverCredentials(options, *parts.access, parts.acceptor->local()));
  parts.admission = std::make_unique<Admission>(*parts.access, *parts.acceptor);

  options.writer.replay = makeJournalReplay();
  // The owner of the store finds the socket best: it asks for no token.
  options.writer.contact = options.socket.empty() ? hub->address() : "unix:" + std::filesystem::absolute(options.socket).string();
  RG_ASSIGN(std::unique_ptr<Writer> writer, Writer::open(store, options.writer));
  if (const auto& mirror = writer->mirror())
    return Status(Code::kFailedPrecondition, "hub: " + store + ": is a copy of the store that the hub on " + mirror->from +
                                                 " writes: agents' data goes there; receive into a store of its own");
  std::vector<Node> known;
  {
    RG_ASSIGN(const std::unique_ptr<Reader> reader, Reader::open(store));
    RG_ASSIGN(known, reader->nodes());
  }
  RG_ASSIGN(std::string store_uuid, storeUuid(store));
  parts.ingest = std::make_unique<IngestThread>(std::move(writer), store, options, std::move(known));
  parts.service = std::make_unique<IngestService>(*parts.ingest, *parts.admission, options.max_agents);
  parts.follow = std::make_unique<FollowService>(store, store_uuid, hub->readerOptions(), *parts.admission);
  parts.ask = std::make_unique<AskService>(store, hub->readerOptions(), *parts.follow, *parts.admission);
  parts.control = std::make_unique<ControlService>(*parts.ingest, *parts.admission, std::move(store_uuid));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  setLimits(builder);
  builder.RegisterService(parts.service.get());
  builder.RegisterService(parts.control.get());
  builder.RegisterService(parts.follow.get());
  builder.RegisterService(parts.ask.get());
  // The hub's own socket speaks plain text: nobody but its owner can listen in.
  using Connections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  parts.network = builder.experimental().AddExternalConnectionAcceptor(Connections::FROM_FD, credentials);
  parts.own = builder.experimental().AddExternalConnectionAcceptor(Connections::FROM_FD, grpc::InsecureServerCredentials());
  parts.server = builder.BuildAndStart();
  if (parts.server == nullptr) return Status(Code::kInvalidArgument, "TLS: " + options.listen + ": gRPC refuses the certificate or key");
  parts.acceptor->start([network = parts.network.get(), own = parts.own.get()](Acceptor::Way way, int listener, int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.listener_fd = listener;
    connection.fd = fd;
    (way == Acceptor::Way::kNetwork ? network : own)->HandleNewConnection(&connection);
  });
  return hub;
}

std::string Hub::address() const {
  const Acceptor& acceptor = *m_parts->acceptor;
  return acceptor.address().empty() ? "unix:" + std::filesystem::absolute(acceptor.socket()).string() : acceptor.address();
}
int Hub::port() const { return m_parts->acceptor->port(); }
ReaderOptions Hub::readerOptions() const { return {.live = m_parts->ingest->liveTail()}; }
HubStats Hub::stats() const {
  HubStats stats = m_parts->ingest->stats();
  stats.access_error = m_parts->access->problem();
  return stats;
}
void Hub::post(std::function<void(Writer&)> action) { m_parts->ingest->post(std::move(action)); }
void Hub::order(Order order, std::function<void(Result<OrderOutcome>)> done) { m_parts->ingest->order(std::move(order), std::move(done)); }

Status Hub::stop() {
  Parts& parts = *m_parts;
  if (parts.acceptor) parts.acceptor->stop();
  if (parts.server) {
    parts.service->drain();
    parts.control->drain();
    parts.ask->drain();
    parts.follow->drain();
    parts.ingest->finishAll(Status(Code::kUnavailable, "hub: is stopping"), kDrain);
    parts.server->Shutdown(std::chrono::system_clock::now() + std::chrono::nanoseconds(kDrain));
    parts.server.reset();
  }
  return parts.ingest ? parts.ingest->stop() : Status();
}

}  // namespace runglass
