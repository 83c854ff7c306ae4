// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A connection is suspended from the end of its request's body until answer(); nothing is read from it meanwhile.
// 2. `sockets` holds each open connection with the moment after which it is shut down; a descriptor leaves it before libmicrohttpd closes
// it.
#include "collectors/hub/receivers/http_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <thread>

#include "model/mutex.h"

namespace runglass {
namespace {

constexpr std::size_t kConnectionMemory = 64U << 10;
constexpr DurNs kSweepEvery = 500 * kNsPerMs;
constexpr DurNs kNever = INT64_MAX;
constexpr char kCiphers[] = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string addressOf(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (info == nullptr || info->client_addr == nullptr) return {};
  const sockaddr* address = info->client_addr;
  const void* bytes = address->sa_family == AF_INET6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr)
                                                     : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
  return inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr ? std::string() : std::string(text.data());
}

MHD_Result queue(MHD_Connection* connection, const HttpReply& reply) {
  // A response of status 204 has no body.
  MHD_Response* response = MHD_create_response_from_buffer(reply.status == 204 ? 0 : reply.text.size(),
                                                           const_cast<char*>(reply.text.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  if (reply.status != 204) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.content_type.c_str());
  if (reply.status == 401) MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
  if (reply.retry_after_s > 0) MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, std::to_string(reply.retry_after_s).c_str());
  const MHD_Result queued = MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return queued;
}

void quiet(void*, const char*, va_list) {}

}  // namespace

struct HttpListener::Parts {
  std::unique_ptr<Listener> listener;
  HttpLimits limits;
  Handlers handlers;
  MHD_Daemon* daemon = nullptr;
  std::thread sweeper;
  std::atomic<std::size_t> bodies = 0;  // bytes

  Mutex mutex;
  ConditionVariable changed;
  struct Socket {
    int fd = -1;
    DurNs until = kNever;
  };
  std::map<MHD_Connection*, Socket> sockets RG_GUARDED_BY(mutex);
  std::size_t open RG_GUARDED_BY(mutex) = 0;  // exchanges served and not answered
  bool stopping RG_GUARDED_BY(mutex) = false;

  void allow(MHD_Connection* connection, DurNs time) {
    const MutexLock lock(mutex);
    const auto it = sockets.find(connection);
    if (it != sockets.end()) it->second.until = time == kNever ? kNever : monotonicNow() + time;
  }
  void sweep();
  MHD_Result begin(MHD_Connection* connection, const char* url, const char* method, void** exchange);
  void append(HttpExchange& exchange, std::string_view piece);
  MHD_Result complete(std::shared_ptr<HttpExchange>& exchange);

  static MHD_Result access(void* self, MHD_Connection* connection, const char* url, const char* method, const char*, const char* data,
                           std::size_t* size, void** exchange);
  static void completed(void* self, MHD_Connection* connection, void** exchange, MHD_RequestTerminationCode);
  static void connected(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what);
};

void HttpExchange::answer(HttpReply reply) {
  if (m_done.exchange(true)) return;
  m_reply = std::move(reply);
  m_answered(*this);
}

// Clients that send a byte now and then keep libmicrohttpd's own timeout from ever passing.
void HttpListener::Parts::sweep() {
  MutexLock lock(mutex);
  while (!stopping) {
    changed.waitFor(lock, kSweepEvery, [this]() RG_REQUIRES(mutex) { return stopping; });
    const DurNs now = monotonicNow();
    for (const auto& [connection, socket] : sockets)
      if (socket.until < now) ::shutdown(socket.fd, SHUT_RDWR);
  }
}

MHD_Result HttpListener::Parts::begin(MHD_Connection* connection, const char* url, const char* method, void** exchange) {
  auto made = std::make_shared<HttpExchange>();
  made->m_connection = connection;
  made->head = {.method = method,
                .path = url,
                .authorization = header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
                .host = header(connection, MHD_HTTP_HEADER_HOST),
                .content_type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
                .content_encoding = header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING),
                .write_version = header(connection, "X-Prometheus-Remote-Write-Version"),
                .address = addressOf(connection)};
  std::optional<HttpReply> refused = handlers.admit(made->head, made->sender);
  const std::string length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (!refused && !length.empty() && (length.size() > 12 || std::strtoull(length.c_str(), nullptr, 10) > limits.body))
    refused = HttpReply{.status = 413, .text = "body: more than " + std::to_string(limits.body >> 20U) + " MiB\n"};
  allow(connection, limits.whole);
  if (refused) return queue(connection, *refused);
  made->m_answered = [this](HttpExchange& answered) {
    MHD_resume_connection(answered.m_connection);
    const MutexLock lock(mutex);
    --open;
    changed.notifyAll();
  };
  *exchange = new std::shared_ptr<HttpExchange>(std::move(made));
  return MHD_YES;
}

void HttpListener::Parts::append(HttpExchange& exchange, std::string_view piece) {
  const auto drop = [&] {
    bodies -= std::exchange(exchange.m_charged, 0);
    std::string().swap(exchange.body);
  };
  if (exchange.m_too_large || exchange.m_no_memory) return;
  if (exchange.body.size() + piece.size() > limits.body) {
    exchange.m_too_large = true;  // the rest is read and dropped, within HttpLimits::whole
    return drop();
  }
  if (bodies.fetch_add(piece.size()) + piece.size() > limits.all_bodies) {
    bodies -= piece.size();
    exchange.m_no_memory = true;
    return drop();
  }
  exchange.m_charged += piece.size();
  exchange.body.append(piece);
}

MHD_Result HttpListener::Parts::complete(std::shared_ptr<HttpExchange>& exchange) {
  MHD_Connection* const connection = exchange->m_connection;
  if (exchange->m_reply) return queue(connection, *exchange->m_reply);
  if (exchange->m_too_large)
    return queue(connection, {.status = 413, .text = "body: more than " + std::to_string(limits.body >> 20U) + " MiB\n"});
  if (exchange->m_no_memory)
    return queue(connection, {.status = 503, .text = "hub: other senders' requests take all its memory for them\n", .retry_after_s = 1});
  {
    const MutexLock lock(mutex);
    if (stopping) return queue(connection, {.status = 503, .text = "hub: is stopping\n", .retry_after_s = 5});
    ++open;
  }
  allow(connection, kNever);
  MHD_suspend_connection(connection);
  handlers.serve(exchange);
  return MHD_YES;
}

MHD_Result HttpListener::Parts::access(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                                       const char* data, std::size_t* size, void** exchange) {
  auto& parts = *static_cast<Parts*>(self);
  if (*exchange == nullptr) return parts.begin(connection, url, method, exchange);
  auto& current = *static_cast<std::shared_ptr<HttpExchange>*>(*exchange);
  if (*size == 0) return parts.complete(current);
  parts.append(*current, {data, *size});
  *size = 0;
  return MHD_YES;
}

void HttpListener::Parts::completed(void* self, MHD_Connection* connection, void** exchange, MHD_RequestTerminationCode) {
  auto& parts = *static_cast<Parts*>(self);
  parts.allow(connection, parts.limits.idle);
  if (*exchange == nullptr) return;
  auto* const current = static_cast<std::shared_ptr<HttpExchange>*>(*exchange);
  parts.bodies -= (*current)->m_charged;
  delete current;
  *exchange = nullptr;
}

void HttpListener::Parts::connected(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
  auto& parts = *static_cast<Parts*>(self);
  const MutexLock lock(parts.mutex);
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    parts.sockets.erase(connection);
    return;
  }
  const MHD_ConnectionInfo* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info != nullptr) parts.sockets[connection] = {info->connect_fd, monotonicNow() + parts.limits.headers};
}

HttpListener::HttpListener() : m_parts(std::make_unique<Parts>()) {}
HttpListener::~HttpListener() { stop(); }

Result<std::unique_ptr<HttpListener>> HttpListener::start(std::unique_ptr<Listener> listener, const Tls& tls, const HttpLimits& limits,
                                                          Handlers handlers) {
  std::unique_ptr<HttpListener> self(new HttpListener());
  Parts& parts = *self->m_parts;
  parts.listener = std::move(listener);
  parts.limits = limits;
  parts.handlers = std::move(handlers);
  // libmicrohttpd closes the descriptor that it listens on.
  const int fd = ::fcntl(parts.listener->fd(Listener::Way::kNetwork), F_DUPFD_CLOEXEC, 0);
  const bool secure = !tls.certificate.empty();
  std::array<MHD_OptionItem, 4> with_tls = {{{MHD_OPTION_END, 0, nullptr}}};
  if (secure)
    with_tls = {{{MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(tls.certificate.c_str())},
                 {MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(tls.key.c_str())},
                 {MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kCiphers)},
                 {MHD_OPTION_END, 0, nullptr}}};
  const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (secure ? MHD_USE_TLS : 0U);
  // The logger first: options after it already report through it.
  parts.daemon =
      MHD_start_daemon(flags, 0, nullptr, nullptr, &Parts::access, &parts, MHD_OPTION_EXTERNAL_LOGGER, &quiet, nullptr,
                       MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, limits.connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                       limits.connections_per_address, MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(limits.whole / kNsPerSecond),
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory, MHD_OPTION_NOTIFY_COMPLETED, &Parts::completed, &parts,
                       MHD_OPTION_NOTIFY_CONNECTION, &Parts::connected, &parts, MHD_OPTION_ARRAY, with_tls.data(), MHD_OPTION_END);
  if (parts.daemon == nullptr) {
    ::close(fd);
    return Status(Code::kUnavailable,
                  "receive: " + self->address() + ": the HTTP server does not start" + (secure ? "; is the TLS certificate usable?" : ""));
  }
  parts.sweeper = std::thread([&parts] { parts.sweep(); });
  return self;
}

std::string HttpListener::address() const { return m_parts->listener->address(); }

void HttpListener::stop() {
  Parts& parts = *m_parts;
  if (parts.daemon == nullptr) return;
  {
    MutexLock lock(parts.mutex);
    parts.stopping = true;
    parts.changed.notifyAll();
    // The connection of an exchange that is not answered is suspended, and cannot be closed.
    parts.changed.wait(lock, [&parts]() RG_REQUIRES(parts.mutex) { return parts.open == 0; });
  }
  MHD_stop_daemon(std::exchange(parts.daemon, nullptr));
  parts.sweeper.join();
}

}  // namespace runglass
