// SPDX-License-Identifier: Apache-2.0
// Invariant: a sender is in `ready` or with a worker, once at most, while it has requests.
#include "collectors/hub/receivers/receivers.h"

#include <arpa/inet.h>

#include <algorithm>
#include <deque>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "collectors/hub/access/access_table.h"
#include "collectors/hub/receivers/health_text.h"
#include "collectors/hub/receivers/otlp/otlp_answer.h"
#include "collectors/hub/receivers/otlp/otlp_json.h"
#include "collectors/wire/guarded_file.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr const char* kWritePath = "/api/v1/write";
constexpr const char* kMetricsPath = "/metrics";

// HOST or HOST:PORT. Complete addresses only: anyone may own a name such as 127.example.com, and resolve it to the loopback.
bool isLoopbackName(std::string_view host) {
  const std::size_t colon = host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
  if (colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos) return false;
    host = host.substr(0, colon);
  }
  in_addr address{};
  return host == "localhost" || host == "[::1]" ||
         (::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

HttpReply replyOf(const Status& status) {
  switch (status.code()) {
    case Code::kInvalidArgument:
      return {.status = 400, .text = status.message() + "\n"};
    case Code::kResourceExhausted:
      return {.status = 413, .text = status.message() + "\n"};
    case Code::kUnauthenticated:
      return {.status = 401, .text = status.message() + "\n"};
    case Code::kPermissionDenied:
      return {.status = 403, .text = status.message() + "\n"};
    default:
      return {.status = 503, .text = status.message() + "\n", .retry_after_s = 5};
  }
}

HttpReply queueFull() { return {.status = 503, .text = "hub: its queue is full\n", .retry_after_s = 1}; }

std::string refusedText(const WriteOutcome& outcome) {
  std::string text;
  for (const auto& [count, what] : {std::pair{outcome.too_many_series, "of more series than a sender may have"},
                                    {outcome.too_many_tracks, "of more resources, tracks or runs than a sender may have"},
                                    {outcome.ahead, "more than 10 min in the future"},
                                    {outcome.no_time, "without a valid time"},
                                    {outcome.unnamed, "without a metric name"},
                                    {outcome.too_old, "too old to be compared with stored ones"},
                                    {outcome.late_deltas, "increments before the newest one of their series"}})
    if (count > 0) text += " " + std::to_string(count) + " " + what + ";";
  return text + " the others are stored";
}

bool isJson(const HttpHead& head) { return head.content_type.starts_with("application/json"); }

// The rest of the request is stored.
HttpReply replyOf(const WriteOutcome& outcome, const SenderLimits& limits, const HttpHead& head) {
  const std::optional<OtlpSignal> otlp = otlpSignalOf(head.path);
  const std::string name = otlp ? "otlp:" : "remote_write:";
  if (outcome.too_fast > 0)
    return {.status = 429,
            .text = name + " " + std::to_string(outcome.too_fast) + " new series beyond " + std::to_string(limits.new_series_per_s) +
                    " a second; the others are stored\n",
            .retry_after_s = 10};
  if (outcome.undecided > 0)
    return {.status = 503,
            .text = name + " " + std::to_string(outcome.undecided) +
                    " late samples of new series wait for the next commit; the others are stored\n",
            .retry_after_s = 2};
  if (otlp) return {.status = 200, .text = otlpResponse(*otlp, isJson(head), outcome.rejected_items, name + refusedText(outcome))};
  if (outcome.refused() == 0) return {};
  return {.status = 400, .text = name + refusedText(outcome) + "\n"};
}

HttpReply shaped(HttpReply reply, const HttpHead& head) {
  return otlpSignalOf(head.path) ? otlpReply(std::move(reply), isJson(head)) : reply;
}

// The body as countOtlp() or countWriteRequest() reads it.
Result<std::string> unpacked(const HttpHead& head, const std::string& body) {
  const std::optional<OtlpSignal> otlp = otlpSignalOf(head.path);
  if (!otlp) return unpackSnappy(body);
  if (head.content_encoding != "gzip") return isJson(head) ? otlpFromJson(*otlp, body) : Result<std::string>(body);
  RG_ASSIGN(std::string bytes, unpackGzip(body, kMaxUnpacked));
  if (isJson(head)) return otlpFromJson(*otlp, bytes);
  return bytes;
}

// Samples, spans or log records; those that are skipped do not count.
Result<std::int64_t> countedItems(const HttpHead& head, std::string_view bytes) {
  if (const std::optional<OtlpSignal> otlp = otlpSignalOf(head.path)) {
    RG_ASSIGN(const OtlpCounts counts, countOtlp(*otlp, bytes));
    return counts.items;
  }
  RG_ASSIGN(const WriteCounts counts, countWriteRequest(bytes));
  return counts.samples;
}

std::optional<HttpReply> wrongBody(const HttpHead& head) {
  if (otlpSignalOf(head.path)) {
    if (!head.content_type.starts_with("application/x-protobuf") && !isJson(head))
      return HttpReply{.status = 415, .text = "Content-Type: application/x-protobuf or application/json is needed\n"};
    if (!head.content_encoding.empty() && head.content_encoding != "identity" && head.content_encoding != "gzip")
      return HttpReply{.status = 415, .text = "Content-Encoding: gzip or none is needed\n"};
    return std::nullopt;
  }
  if (head.content_type.find("io.prometheus.write.v2") != std::string::npos || head.write_version.starts_with("2"))
    return HttpReply{.status = 415, .text = "remote_write 2.0 is not supported; send 1.0 (prometheus.WriteRequest)\n"};
  if (!head.content_type.starts_with("application/x-protobuf"))
    return HttpReply{.status = 415, .text = "Content-Type: application/x-protobuf is needed\n"};
  if (head.content_encoding != "snappy") return HttpReply{.status = 415, .text = "Content-Encoding: snappy is needed\n"};
  return std::nullopt;
}

}  // namespace

struct Receivers::Parts {
  ReceiverOptions options;
  ReceiverPort port;
  bool local = true;
  std::unique_ptr<AccessTable> access;
  std::unique_ptr<HttpListener> http;
  std::unique_ptr<GrpcListener> grpc;
  std::vector<std::thread> workers;

  struct Sender {
    explicit Sender(const std::string& name, const ReceiverPort& port, const SenderLimits& limits) : session(name, port, limits) {}
    SenderSession session;  // of the worker that has the sender
    std::deque<std::shared_ptr<HttpExchange>> waiting;
    bool busy = false;
  };
  mutable Mutex mutex;
  ConditionVariable changed;
  std::map<std::string, Sender> senders RG_GUARDED_BY(mutex);
  std::deque<Sender*> ready RG_GUARDED_BY(mutex);
  bool stopping RG_GUARDED_BY(mutex) = false;
  ReceiverStats stats RG_GUARDED_BY(mutex);

  ReceiverStats now() const;
  Result<std::unique_ptr<Listener>> listen(const std::string& address) const;
  // Of HTTP and gRPC.
  std::optional<HttpReply> admit(const HttpHead& head, std::string& sender);
  std::optional<HttpReply> admitCall(const HttpHead& head, std::string& sender);
  std::optional<HttpReply> counted(std::optional<HttpReply> reply, const HttpHead& head);
  std::optional<HttpReply> refusal(const HttpHead& head, std::string& sender);
  std::optional<HttpReply> unknownSender(const HttpHead& head, std::uint8_t scopes, std::string& sender);
  void serve(std::shared_ptr<HttpExchange> exchange);
  void work();
  void write(Sender& sender, const std::shared_ptr<HttpExchange>& exchange);
  void refuse(HttpExchange& exchange, HttpReply reply);
};

std::optional<HttpReply> Receivers::Parts::admit(const HttpHead& head, std::string& sender) { return counted(refusal(head, sender), head); }

// Browsers, which a page could make reach the loopback, do not speak gRPC.
std::optional<HttpReply> Receivers::Parts::admitCall(const HttpHead& head, std::string& sender) {
  std::optional<HttpReply> reply = unknownSender(head, static_cast<std::uint8_t>(Scope::kReceive), sender);
  if (!reply && !port.has_room()) reply = queueFull();
  return counted(std::move(reply), head);
}

std::optional<HttpReply> Receivers::Parts::counted(std::optional<HttpReply> reply, const HttpHead& head) {
  if (!reply) return reply;
  const MutexLock lock(mutex);
  ++stats.refused_requests;
  return shaped(std::move(*reply), head);
}

std::optional<HttpReply> Receivers::Parts::refusal(const HttpHead& head, std::string& sender) {
  const bool write = head.path == kWritePath || otlpSignalOf(head.path), metrics = head.path == kMetricsPath;
  if (!write && !metrics)
    return HttpReply{.status = 404, .text = "paths: /api/v1/write, /v1/metrics, /v1/logs, /v1/traces (POST), /metrics (GET)\n"};
  if (head.method != (write ? "POST" : "GET")) return HttpReply{.status = 405, .text = write ? "method: POST\n" : "method: GET\n"};
  // A page in a browser of this machine reaches the loopback under a name of its own.
  if (local && !isLoopbackName(head.host)) return HttpReply{.status = 403, .text = "host: not a name of the loopback\n"};
  const auto receive = static_cast<std::uint8_t>(Scope::kReceive), read = static_cast<std::uint8_t>(Scope::kRead);
  if (auto unknown = unknownSender(head, write ? receive : receive | read, sender)) return unknown;
  if (metrics) return std::nullopt;
  if (std::optional<HttpReply> wrong = wrongBody(head)) return wrong;
  if (!port.has_room()) return queueFull();
  return std::nullopt;
}

// `scopes`: one of them is needed.
std::optional<HttpReply> Receivers::Parts::unknownSender(const HttpHead& head, std::uint8_t scopes, std::string& sender) {
  const Result<Pass> pass =
      access->check({.authorization = head.authorization, .certificate = {}, .address = head.address}, {wallNow(), monotonicNow()});
  if (!pass.ok()) return replyOf(pass.status());
  if ((pass->scopes & scopes) == 0)
    return HttpReply{.status = 403, .text = "token: good for " + scopeNames(pass->scopes) + ", not for receive\n"};
  sender = "receiver/" + (pass->id.empty() ? std::string("loopback") : pass->name);
  return std::nullopt;
}

void Receivers::Parts::refuse(HttpExchange& exchange, HttpReply reply) {
  {
    const MutexLock lock(mutex);
    ++stats.refused_requests;
  }
  exchange.answer(shaped(std::move(reply), exchange.head));
}

void Receivers::Parts::serve(std::shared_ptr<HttpExchange> exchange) {
  if (exchange->head.path == kMetricsPath) {
    return exchange->answer(
        {.status = 200, .text = healthText(port.stats(), now()), .content_type = "text/plain; version=0.0.4; charset=utf-8"});
  }
  const MutexLock lock(mutex);
  auto it = senders.find(exchange->sender);
  if (it == senders.end()) {
    // Names come from the access file, so that only its owner can reach this.
    if (senders.size() >= kMaxSenders) {
      ++stats.refused_requests;
      return exchange->answer(shaped(
          {.status = 503, .text = "hub: has its " + std::to_string(kMaxSenders) + " senders\n", .retry_after_s = 60}, exchange->head));
    }
    it = senders
             .emplace(std::piecewise_construct, std::forward_as_tuple(exchange->sender),
                      std::forward_as_tuple(exchange->sender, port, options.sender))
             .first;
    stats.senders = static_cast<std::int64_t>(senders.size());
  }
  Sender& sender = it->second;
  if (sender.waiting.size() >= kMaxWaitingOfSender) {
    ++stats.refused_requests;
    return exchange->answer(shaped({.status = 429, .text = "sender: too many requests at once\n", .retry_after_s = 1}, exchange->head));
  }
  sender.waiting.push_back(std::move(exchange));
  if (sender.busy || sender.waiting.size() > 1) return;
  ready.push_back(&sender);
  changed.notifyOne();
}

void Receivers::Parts::work() {
  MutexLock lock(mutex);
  while (true) {
    changed.wait(lock, [this]() RG_REQUIRES(mutex) { return stopping || !ready.empty(); });
    if (ready.empty()) return;
    Sender& sender = *ready.front();
    ready.pop_front();
    const std::shared_ptr<HttpExchange> exchange = std::move(sender.waiting.front());
    sender.waiting.pop_front();
    sender.busy = true;
    const std::int64_t series = sender.session.series();
    lock.unlock();
    write(sender, exchange);
    lock.lock();
    stats.series += sender.session.series() - series;
    sender.busy = false;
    if (sender.waiting.empty()) continue;
    ready.push_back(&sender);
    changed.notifyOne();
  }
}

void Receivers::Parts::write(Sender& sender, const std::shared_ptr<HttpExchange>& exchange) {
  // Asked again: requests that were admitted while there was room have waited for each other since.
  if (!port.has_room()) return refuse(*exchange, queueFull());
  const HttpHead& head = exchange->head;
  const Result<std::string> request = unpacked(head, exchange->body);
  if (!request.ok()) return refuse(*exchange, replyOf(request.status()));
  const Result<std::int64_t> items = countedItems(head, *request);
  if (!items.ok()) return refuse(*exchange, replyOf(items.status()));
  if (*items == 0) return exchange->answer(shaped(replyOf(WriteOutcome(), options.sender, head), head));  // metadata alone, for example
  struct Answer {
    HttpReply reply;
    WriteOutcome outcome;
  };
  // The hub's thread may answer before take() has returned its outcome: whichever comes second answers.
  struct Pending {
    Mutex mutex;
    std::optional<Answer> answer RG_GUARDED_BY(mutex);
    std::optional<Status> status RG_GUARDED_BY(mutex);
  };
  auto pending = std::make_shared<Pending>();
  const auto finish = [this, exchange](const Answer& answer, const Status& status) {
    {
      const MutexLock lock(mutex);
      const WriteOutcome& outcome = answer.outcome;
      const bool complete = answer.reply.status < 300 && outcome.refused() == 0;
      ++(status.ok() && complete ? stats.requests : stats.refused_requests);
      if (status.ok()) {
        stats.samples += outcome.stored;
        stats.repeated += outcome.repeated;
        stats.refused_samples += outcome.refused() + outcome.too_fast;
      }
    }
    exchange->answer(shaped(status.ok() ? answer.reply : replyOf(status), exchange->head));
  };
  const Result<WriteOutcome> outcome = sender.session.take({.bytes = *request, .address = head.address, .otlp = otlpSignalOf(head.path)},
                                                           wallNow(), [pending, finish](const Status& status) {
                                                             std::optional<Answer> answer;
                                                             {
                                                               const MutexLock lock(pending->mutex);
                                                               pending->status = status;
                                                               answer = pending->answer;
                                                             }
                                                             if (answer) finish(*answer, status);
                                                           });
  if (!outcome.ok()) return refuse(*exchange, replyOf(outcome.status()));
  const Answer answer{.reply = replyOf(*outcome, options.sender, head), .outcome = *outcome};
  std::optional<Status> status;
  {
    const MutexLock lock(pending->mutex);
    pending->answer = answer;
    status = pending->status;
  }
  if (status) finish(answer, *status);
}

Receivers::Receivers() : m_parts(std::make_unique<Parts>()) {}
Receivers::~Receivers() { stop(); }

ReceiverStats Receivers::Parts::now() const {
  ReceiverStats out;
  {
    const MutexLock lock(mutex);
    out = stats;
  }
  if (grpc) out.cut_connections = grpc->cutConnections();
  return out;
}

Result<std::unique_ptr<Listener>> Receivers::Parts::listen(const std::string& address) const {
  RG_ASSIGN(std::unique_ptr<Listener> listener, Listener::listen(address, ""));
  if (!listener->local() && (options.tls_cert.empty() || options.tls_key.empty() || options.token_file.empty()))
    return Status(Code::kFailedPrecondition, "receive: " + address +
                                                 ": reachable from other machines, so TLS and a token file are needed "
                                                 "(runglassctl pair makes them)");
  return listener;
}

Result<std::unique_ptr<Receivers>> Receivers::start(ReceiverOptions options, ReceiverPort port) {
  std::unique_ptr<Receivers> self(new Receivers());
  Parts& parts = *self->m_parts;
  parts.options = std::move(options);
  parts.port = std::move(port);
  const ReceiverOptions& own = parts.options;
  std::unique_ptr<Listener> http, grpc;
  if (!own.listen.empty()) {
    RG_ASSIGN(http, parts.listen(own.listen));
    parts.local = http->local();
  }
  if (!own.listen_grpc.empty()) {
    RG_ASSIGN(grpc, parts.listen(own.listen_grpc));
  }
  HttpListener::Tls tls;
  if (!parts.local) {
    RG_ASSIGN(tls.certificate, readGuarded(own.tls_cert, "TLS certificate", false));
    RG_ASSIGN(tls.key, readGuarded(own.tls_key, "TLS key", true));
  }
  RG_ASSIGN(parts.access, AccessTable::open(own.token_file, {wallNow(), monotonicNow()}));
  for (std::size_t i = 0; i < kWorkers; ++i) parts.workers.emplace_back([&parts] { parts.work(); });
  const auto serve = [&parts](std::shared_ptr<HttpExchange> exchange) { parts.serve(std::move(exchange)); };
  if (grpc) {
    std::unique_ptr<TlsServer> secure;
    if (!grpc->local()) {
      HubOptions files;
      files.listen = own.listen_grpc, files.token_file = own.token_file, files.tls_cert = own.tls_cert, files.tls_key = own.tls_key;
      RG_ASSIGN(secure, TlsServer::make(files, *parts.access, false));
    }
    RG_ASSIGN(parts.grpc,
              GrpcListener::start(std::move(grpc), std::move(secure), own.http,
                                  {.admit = [&parts](const HttpHead& head, std::string& sender) { return parts.admitCall(head, sender); },
                                   .serve = serve}));
  }
  if (http) {
    RG_ASSIGN(parts.http,
              HttpListener::start(
                  std::move(http), tls, own.http,
                  {.admit = [&parts](const HttpHead& head, std::string& sender) { return parts.admit(head, sender); }, .serve = serve}));
  }
  return self;
}

std::string Receivers::address() const { return m_parts->http ? m_parts->http->address() : std::string(); }
std::string Receivers::grpcAddress() const { return m_parts->grpc ? m_parts->grpc->address() : std::string(); }
ReceiverStats Receivers::stats() const { return m_parts->now(); }

void Receivers::stop() {
  Parts& parts = *m_parts;
  // They answer everything first.
  if (parts.http) parts.http->stop();
  if (parts.grpc) parts.grpc->stop();
  {
    const MutexLock lock(parts.mutex);
    parts.stopping = true;
    parts.changed.notifyAll();
  }
  for (std::thread& worker : parts.workers) worker.join();
  parts.workers.clear();
}

}  // namespace runglass
