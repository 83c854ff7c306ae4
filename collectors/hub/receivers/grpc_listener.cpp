// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every call reaches Finish exactly once, and no operation starts after it; what is served is answered, by answer().
// 2. Nothing is read of a call before it is admitted.
// 3. A call lives until OnDone and until its exchange is destroyed; m_self holds it for gRPC.
#include "collectors/hub/receivers/grpc_listener.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "collectors/hub/receivers/otlp/otlp_answer.h"
#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/hub/server/relay.h"
#include "collectors/hub/server/server_limits.h"
#include "collectors/wire/wire_writer.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr DurNs kSweepCallsEvery = 500 * kNsPerMs;
constexpr DurNs kDrainCalls = 2 * kNsPerSecond;
constexpr std::size_t kConnectionsMemory = 64U << 20;  // for gRPC, in addition to messages
constexpr std::size_t kMessagesAtOnce = 4;             // of the largest size, incomplete on one connection

constexpr std::array<std::pair<std::string_view, const char*>, 3> kMethods = {
    {{"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "/v1/metrics"},
     {"/opentelemetry.proto.collector.logs.v1.LogsService/Export", "/v1/logs"},
     {"/opentelemetry.proto.collector.trace.v1.TraceService/Export", "/v1/traces"}}};

// "ipv4:10.0.0.7" and "ipv6:[::1]" as HTTP has them.
std::string hostOfPeer(std::string_view peer) {
  peer.remove_prefix(std::min(peer.find(':') + 1, peer.size()));
  if (peer.starts_with('[') && peer.ends_with(']')) peer = peer.substr(1, peer.size() - 2);
  return std::string(peer);
}

std::string bytesOfBuffer(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!buffer.Dump(&slices).ok()) return out;
  out.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return out;
}

grpc::StatusCode codeOfReply(int status) {
  switch (status) {
    case 401:
      return grpc::StatusCode::UNAUTHENTICATED;
    case 403:
      return grpc::StatusCode::PERMISSION_DENIED;
    case 413:  // final: OTLP retries this code only with RetryInfo
    case 429:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case 503:
      return grpc::StatusCode::UNAVAILABLE;
    default:
      return grpc::StatusCode::INVALID_ARGUMENT;
  }
}

// `refused`: of otlpReply(), whose text is a google.rpc.Status with its message alone.
grpc::Status statusOfReply(const HttpReply& refused) {
  const grpc::StatusCode code = codeOfReply(refused.status);
  std::string details = refused.text;
  wire::appendTag(details, 1, 0);
  wire::appendVarint(details, static_cast<std::uint64_t>(code));
  if (refused.retry_after_s > 0) {
    std::string duration, retry, any;
    wire::appendTag(duration, 1, 0);
    wire::appendVarint(duration, static_cast<std::uint64_t>(refused.retry_after_s));
    wire::appendBytes(retry, 1, duration);
    wire::appendBytes(any, 1, "type.googleapis.com/google.rpc.RetryInfo");
    wire::appendBytes(any, 2, retry);
    wire::appendBytes(details, 3, any);
  }
  return {code, std::string(bytesOf(refused.text, 2)), details};
}

// gRPC passes on a message in a compression that it does not know, without its name. No request of OTLP begins like these.
bool isOtherCompression(std::string_view message) {
  constexpr std::string_view kZstd("\x28\xb5\x2f\xfd", 4), kFramedSnappy("\xff\x06\x00\x00sNaPpY", 10);
  return message.starts_with(kZstd) || message.starts_with(kFramedSnappy);
}

class RefusedCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

class GrpcListener::Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(Parts& parts) : m_parts(parts) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

 private:
  Parts& m_parts;
};

struct GrpcListener::Parts {
  std::unique_ptr<Listener> listener;
  HttpLimits limits;
  HttpListener::Handlers handlers;
  std::atomic<std::size_t> bytes = 0;  // of messages: incomplete ones, counted by the relay's guards, and those of calls
  std::unique_ptr<Relay> relay;
  Service service{*this};
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections;
  std::unique_ptr<grpc::Server> server;
  std::thread sweeper;

  Mutex mutex;
  ConditionVariable changed;
  std::set<std::shared_ptr<Call>> reading RG_GUARDED_BY(mutex);
  std::size_t open RG_GUARDED_BY(mutex) = 0;  // exchanges served and not answered
  bool stopping RG_GUARDED_BY(mutex) = false;

  void sweep();
  std::optional<grpc::Status> refusal(const grpc::GenericCallbackServerContext& context, HttpHead& head, std::string& sender);
};

class GrpcListener::Call final : public grpc::ServerGenericBidiReactor, public std::enable_shared_from_this<Call> {
 public:
  Call(Parts& parts, HttpHead head, std::string sender) : m_parts(parts), m_exchange(std::make_shared<HttpExchange>()) {
    m_exchange->head = std::move(head);
    m_exchange->sender = std::move(sender);
  }
  void begin() {
    m_self = shared_from_this();
    {
      const MutexLock lock(m_parts.mutex);
      m_parts.reading.insert(m_self);
    }
    read();
  }
  bool isLate(DurNs now) const { return now - m_began > m_parts.limits.whole; }

  void OnReadDone(bool ok) override {
    if (m_complete) return ok ? refuse({.status = 400, .text = "otlp: a second request in one call"}) : serve();
    if (!ok) return refuse({.status = 400, .text = "otlp: a call without a request"});
    m_complete = true;
    m_charged = m_message.Length();
    if (m_parts.bytes.fetch_add(m_charged) + m_charged > m_parts.limits.all_bodies)
      return refuse({.status = 503, .text = "hub: other senders' requests take all its memory for them", .retry_after_s = 1});
    m_exchange->body = bytesOfBuffer(m_message);
    m_message.Clear();
    read();
  }
  void OnDone() override {
    m_parts.bytes -= m_charged;
    {
      const MutexLock lock(m_parts.mutex);
      m_parts.reading.erase(m_self);
    }
    m_self.reset();
  }
  // Of a call that is not served yet; ignored otherwise.
  void refuse(HttpReply reply) {
    if (!leaveReading()) return;
    Finish(statusOfReply(otlpReply(std::move(reply), false)));
  }

 private:
  // A read may not start once the sweeper has finished the call.
  void read() {
    const MutexLock lock(m_mutex);
    if (!m_ended) StartRead(&m_message);
  }
  bool leaveReading() {
    const MutexLock lock(m_mutex);
    return !std::exchange(m_ended, true);
  }
  void serve() {
    if (!leaveReading()) return;
    if (isOtherCompression(m_exchange->body)) return Finish({grpc::StatusCode::UNIMPLEMENTED, "otlp: compressions: gzip"});
    bool stopping = false;
    {
      const MutexLock lock(m_parts.mutex);
      m_parts.reading.erase(m_self);
      stopping = m_parts.stopping;
      if (!stopping) ++m_parts.open;
    }
    if (stopping) return Finish(statusOfReply(otlpReply({.status = 503, .text = "hub: is stopping", .retry_after_s = 5}, false)));
    // The message's flag of compression is not passed on by gRPC. No request of OTLP begins as gzip does: 0x1f is no tag of protobuf.
    if (m_exchange->body.starts_with("\x1f\x8b")) m_exchange->head.content_encoding = "gzip";
    m_exchange->m_answered = [self = shared_from_this()](HttpExchange& answered) { self->respond(*answered.m_reply); };
    m_parts.handlers.serve(std::move(m_exchange));
  }
  void respond(const HttpReply& reply) {
    Parts& parts = m_parts;
    // Not in OnDone: a client that takes no answer would keep them from other senders.
    parts.bytes -= std::exchange(m_charged, 0);
    if (reply.status >= 400) {
      Finish(statusOfReply(reply));
    } else {
      const grpc::Slice slice(reply.text);
      m_response = grpc::ByteBuffer(&slice, 1);
      StartWriteAndFinish(&m_response, {}, grpc::Status());
    }
    const MutexLock lock(parts.mutex);
    --parts.open;
    parts.changed.notifyAll();
  }

  Parts& m_parts;
  const DurNs m_began = monotonicNow();
  std::shared_ptr<Call> m_self;
  std::shared_ptr<HttpExchange> m_exchange;  // until it is served
  grpc::ByteBuffer m_message, m_response;
  std::size_t m_charged = 0;
  bool m_complete = false;  // the message; what follows is the end of the call
  Mutex m_mutex;
  bool m_ended RG_GUARDED_BY(m_mutex) = false;  // served or finished
};

grpc::ServerGenericBidiReactor* GrpcListener::Service::CreateReactor(grpc::GenericCallbackServerContext* context) {
  HttpHead head;
  std::string sender;
  if (const std::optional<grpc::Status> refused = m_parts.refusal(*context, head, sender)) return new RefusedCall(*refused);
  auto call = std::make_shared<Call>(m_parts, std::move(head), std::move(sender));
  call->begin();
  return call.get();
}

std::optional<grpc::Status> GrpcListener::Parts::refusal(const grpc::GenericCallbackServerContext& context, HttpHead& head,
                                                         std::string& sender) {
  const auto refused = [](HttpReply reply) { return statusOfReply(otlpReply(std::move(reply), false)); };
  const std::shared_ptr<RelayPeer> peer = relay->find(context.peer());
  if (!peer) return refused({.status = 503, .text = "otlp: its connection has ended"});
  const auto method = std::ranges::find(kMethods, context.method(), &decltype(kMethods)::value_type::first);
  if (method == kMethods.end())
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "otlp: methods: Export of MetricsService, LogsService and TraceService");
  head = {.method = "POST",
          .path = method->second,
          .authorization = {},
          .host = {},
          .content_type = "application/x-protobuf",
          .content_encoding = {},
          .write_version = {},
          .address = hostOfPeer(peer->address)};
  const auto header = context.client_metadata().find("authorization");
  if (header != context.client_metadata().end()) head.authorization = std::string(header->second.data(), header->second.size());
  const std::optional<HttpReply> reply = handlers.admit(head, sender);
  if (!sender.empty() && !relay->admit(*peer))
    return refused({.status = 503, .text = "otlp: its address, or all, have their number of connections", .retry_after_s = 5});
  if (reply) return refused(*reply);
  return std::nullopt;
}

// Messages that never become complete would keep their place of all_bodies.
void GrpcListener::Parts::sweep() {
  MutexLock lock(mutex);
  while (!stopping) {
    changed.waitFor(lock, kSweepCallsEvery, [this]() RG_REQUIRES(mutex) { return stopping; });
    std::vector<std::shared_ptr<Call>> late;
    for (const std::shared_ptr<Call>& call : reading)
      if (stopping || call->isLate(monotonicNow())) late.push_back(call);
    const std::string text = stopping ? "hub: is stopping" : "otlp: the request was not complete in time";
    lock.unlock();
    for (const std::shared_ptr<Call>& call : late) call->refuse({.status = 503, .text = text, .retry_after_s = 5});
    lock.lock();
  }
}

GrpcListener::GrpcListener() : m_parts(std::make_unique<Parts>()) {}
GrpcListener::~GrpcListener() { stop(); }

Result<std::unique_ptr<GrpcListener>> GrpcListener::start(std::unique_ptr<Listener> listener, std::unique_ptr<TlsServer> tls,
                                                          const HttpLimits& limits, HttpListener::Handlers handlers) {
  std::unique_ptr<GrpcListener> self(new GrpcListener());
  Parts& parts = *self->m_parts;
  parts.listener = std::move(listener);
  parts.limits = limits;
  parts.handlers = std::move(handlers);
  RG_ASSIGN(parts.relay,
            Relay::open(*parts.listener, std::move(tls),
                        {.per_address = limits.connections_per_address,
                         .admitted = limits.connections,
                         .admitted_per_address = limits.connections_per_address,
                         .guard = {.unfinished = kMessagesAtOnce * limits.body, .shared = &parts.bytes, .max_shared = limits.all_bodies}}));
  grpc::ServerBuilder builder;
  setServerLimits(
      builder, {.max_message = static_cast<int>(limits.body), .memory = 2 * limits.all_bodies + kConnectionsMemory, .idle = limits.idle});
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.RegisterCallbackGenericService(&parts.service);
  using Connections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  parts.connections = builder.experimental().AddExternalConnectionAcceptor(Connections::FROM_FD, grpc::InsecureServerCredentials());
  parts.server = builder.BuildAndStart();
  if (parts.server == nullptr) return Status(Code::kUnavailable, "receive: " + self->address() + ": gRPC does not start");
  parts.sweeper = std::thread([&parts] { parts.sweep(); });
  RG_TRY(parts.relay->start(connectionsInto(*parts.connections)));
  return self;
}

std::string GrpcListener::address() const { return m_parts->listener->address(); }
std::int64_t GrpcListener::cutConnections() const { return m_parts->relay->cut().count; }

void GrpcListener::stop() {
  Parts& parts = *m_parts;
  if (parts.relay) parts.relay->stopListening();
  if (parts.server) {
    {
      MutexLock lock(parts.mutex);
      parts.stopping = true;
      parts.changed.notifyAll();
      parts.changed.wait(lock, [&parts]() RG_REQUIRES(parts.mutex) { return parts.open == 0; });
    }
    if (parts.sweeper.joinable()) parts.sweeper.join();
    parts.server->Shutdown(std::chrono::system_clock::now() + std::chrono::nanoseconds(kDrainCalls));
    parts.server.reset();
  }
  if (parts.relay) parts.relay->stop();
}

}  // namespace runglass
