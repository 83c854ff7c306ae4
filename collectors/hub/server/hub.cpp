// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Teardown order: listener, services (reject), sessions (finished with their acknowledgements), server, relay, ingest thread, store.
//    Each part outlives those before it.
// 2. gRPC's own listening sockets and its TLS are never used, see listener.h and relay.h.
#include "collectors/hub/server/hub.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "collectors/hub/server/admission.h"
#include "collectors/hub/server/ask_service.h"
#include "collectors/hub/server/control_service.h"
#include "collectors/hub/server/follow_service.h"
#include "collectors/hub/server/ingest_service.h"
#include "collectors/hub/server/ingest_thread.h"
#include "collectors/hub/server/listener.h"
#include "collectors/hub/server/relay.h"
#include "collectors/hub/server/server_limits.h"
#include "collectors/hub/server/tls_server.h"
#include "storage/open_store.h"
#include "storage/read/store_uuid.h"

namespace runglass {
namespace {

constexpr int kMaxMessage = 1 << 20;  // as what Http2Guard lets pass of one
constexpr DurNs kDrain = 2 * kNsPerSecond;

// Whether the newest event about the store's cap is that data is refused. Events have no index by kind: they are read only in a store with
// the issue that comes with them.
Result<bool> refusedData(Reader& reader) {
  RG_ASSIGN(const std::vector<Issue> issues, reader.issues());
  if (std::ranges::find(issues, "store.over_cap", &Issue::code) == issues.end()) return false;
  EventFilter filter{.range = {}, .run = std::nullopt, .at_least = Severity::kError, .kind = "store_full", .limit = 1};
  RG_ASSIGN(const std::vector<Event> full, reader.events(filter));
  if (full.empty()) return false;
  filter.range.t0 = full.front().time.value_or(0);
  filter.at_least = Severity::kInfo;
  filter.kind = "store_has_room";
  RG_ASSIGN(const std::vector<Event> room, reader.events(filter));
  return room.empty();
}

}  // namespace

struct Hub::Parts {
  std::unique_ptr<Listener> listener;
  std::unique_ptr<AccessTable> access;
  std::unique_ptr<Relay> relay;
  std::unique_ptr<Admission> admission;
  std::unique_ptr<IngestThread> ingest;
  std::unique_ptr<IngestService> service;
  std::unique_ptr<ControlService> control;
  std::unique_ptr<FollowService> follow;
  std::unique_ptr<AskService> ask;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections;
  std::unique_ptr<grpc::Server> server;
};

Hub::Hub() : m_parts(std::make_unique<Parts>()) {}

Hub::~Hub() { (void)stop(); }

Result<std::unique_ptr<Hub>> Hub::start(const std::string& store, HubOptions options) {
  std::unique_ptr<Hub> hub(new Hub());
  Parts& parts = *hub->m_parts;
  RG_ASSIGN(parts.listener, Listener::listen(options.listen, options.socket));
  RG_ASSIGN(parts.access, AccessTable::open(options.token_file, {wallNow(), monotonicNow()}));
  RG_ASSIGN(std::unique_ptr<TlsServer> tls, TlsServer::make(options, *parts.access, parts.listener->local()));
  RG_ASSIGN(parts.relay, Relay::open(*parts.listener, std::move(tls), {.per_address = options.max_unauthenticated_per_address}));
  parts.admission = std::make_unique<Admission>(*parts.access, *parts.relay);

  options.writer.replay = makeJournalReplay();
  // The socket is preferred as contact: the owner of the store needs no token on it.
  options.writer.contact = options.socket.empty() ? hub->address() : "unix:" + std::filesystem::absolute(options.socket).string();
  RG_ASSIGN(std::unique_ptr<Writer> writer, openStore(store).writer(options.writer));
  if (const auto& mirror = writer->mirror())
    return Status(Code::kFailedPrecondition, "hub: " + store + ": is a copy of the store that the hub on " + mirror->from +
                                                 " writes: agents' data goes there; receive into a store of its own");
  IngestThread::Known known;
  {
    RG_ASSIGN(const std::unique_ptr<Reader> reader, openStore(store).reader());
    RG_ASSIGN(known.nodes, reader->nodes());
    RG_ASSIGN(known.refused_data, refusedData(*reader));
  }
  RG_ASSIGN(std::string store_uuid, storeUuid(store));
  const auto open = [store, live = writer->liveTail()] { return openStore(store).reader({.live = live}); };
  parts.ingest = std::make_unique<IngestThread>(std::move(writer), open, options, known);
  parts.service = std::make_unique<IngestService>(*parts.ingest, *parts.admission, options.max_agents);
  parts.follow = std::make_unique<FollowService>(store, store_uuid, hub->readerOptions(), *parts.admission);
  parts.ask = std::make_unique<AskService>(store, hub->readerOptions(), *parts.follow, *parts.admission);
  parts.control = std::make_unique<ControlService>(*parts.ingest, *parts.admission, std::move(store_uuid));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  setServerLimits(builder, {.max_message = kMaxMessage, .memory = 256U << 20, .idle = 30 * kNsPerSecond});
  builder.RegisterService(parts.service.get());
  builder.RegisterService(parts.control.get());
  builder.RegisterService(parts.follow.get());
  builder.RegisterService(parts.ask.get());
  using Connections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  parts.connections = builder.experimental().AddExternalConnectionAcceptor(Connections::FROM_FD, grpc::InsecureServerCredentials());
  parts.server = builder.BuildAndStart();
  if (parts.server == nullptr) return Status(Code::kUnavailable, "listen: " + hub->address() + ": gRPC does not start");
  RG_TRY(parts.relay->start(connectionsInto(*parts.connections)));
  return hub;
}

std::string Hub::address() const {
  const Listener& listener = *m_parts->listener;
  return listener.address().empty() ? "unix:" + std::filesystem::absolute(listener.socket()).string() : listener.address();
}
int Hub::port() const { return m_parts->listener->port(); }
ReaderOptions Hub::readerOptions() const { return {.live = m_parts->ingest->liveTail()}; }
HubStats Hub::stats() const {
  HubStats stats = m_parts->ingest->stats();
  stats.access_error = m_parts->access->problem();
  const Relay::Cut cut = m_parts->relay->cut();
  stats.cut_connections = cut.count;
  stats.newest_cut = cut.newest;
  return stats;
}
void Hub::post(std::function<void(Writer&)> action) { m_parts->ingest->post(std::move(action)); }
void Hub::commit(std::function<void(const Status&)> done) { m_parts->ingest->commit(std::move(done)); }
void Hub::receive(ReceivedBatch batch) { m_parts->ingest->receive(std::move(batch)); }
bool Hub::hasRoom() const { return m_parts->ingest->hasRoom(); }
void Hub::order(Order order, std::function<void(Result<OrderOutcome>)> done) { m_parts->ingest->order(std::move(order), std::move(done)); }

Status Hub::stop() {
  Parts& parts = *m_parts;
  if (parts.relay) parts.relay->stopListening();
  if (parts.server) {
    parts.service->drain();
    parts.control->drain();
    parts.ask->drain();
    parts.follow->drain();
    parts.ingest->finishAll(Status(Code::kUnavailable, "hub: is stopping"), kDrain);
    parts.server->Shutdown(std::chrono::system_clock::now() + std::chrono::nanoseconds(kDrain));
    parts.server.reset();
  }
  if (parts.relay) parts.relay->stop();
  return parts.ingest ? parts.ingest->stop() : Status();
}

}  // namespace runglass
