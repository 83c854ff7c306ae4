// SPDX-License-Identifier: Apache-2.0
// The receivers' port: what it refuses and in which words, and its limits. The hub behind it is a stand-in.
#include "collectors/hub/receivers/receivers.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "collectors/hub/access/pairing.h"
#include "collectors/hub/receivers/otlp/otlp_json.h"
#include "net/http_client.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/receivers/receivers_fixture.h"
#include "tests/collectors/hub/receivers/write_body.h"
#include "tests/support/gzipped.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;
using test::WriteBody;
using testing::HasSubstr;
using testing::StartsWith;

WriteBody body(int series = 1) {
  WriteBody out;
  for (int i = 0; i < series; ++i)
    out.series({{"__name__", "up"}, {"id", std::to_string(i)}, {"instance", "a:1"}}, {{wallNow() / kNsPerMs, 1}});
  return out;
}

class ReceiversPort : public ReceiversFixture {
 protected:
  void SetUp() override {
    m_options.listen = "127.0.0.1:0";
    ReceiversFixture::SetUp();
  }
  HttpRequest request(std::string bytes) const {
    return {.url = "http://" + m_receivers->address() + "/api/v1/write",
            .method = "POST",
            .headers = {"Content-Type: application/x-protobuf", "Content-Encoding: snappy", "X-Prometheus-Remote-Write-Version: 0.1.0"},
            .body = std::move(bytes)};
  }
  static HttpAnswer ask(const HttpRequest& request) {
    HttpClient client;
    auto answer = client.request(request);
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return answer.ok() ? *answer : HttpAnswer();
  }
  int connect() const {
    const std::string address = m_receivers->address();
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return fd;
  }
  // All that the other end sends until it closes.
  static std::string readAll(int fd) {
    std::string all;
    char buffer[4'096];
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
    ::close(fd);
    return all;
  }
  static void sendAll(int fd, const std::string& bytes) { (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
};

TEST_F(ReceiversPort, ARequestIsAnsweredOnceItIsDurable) {
  start();
  EXPECT_EQ(ask(request(body().packed())).status, 204);
  EXPECT_EQ(m_delivered, 1);
  EXPECT_EQ(m_receivers->stats().samples, 1);
  m_status = Status(Code::kUnavailable, "store: cannot take data now: disk full");
  const HttpAnswer answer = ask(request(body().packed()));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("disk full"));
  m_status = {};
  EXPECT_EQ(ask(request(body().packed())).status, 204);
}

TEST_F(ReceiversPort, OtherRequestsAreRefusedInWords) {
  start();
  HttpRequest odd = request(body().packed());
  odd.url = "http://" + m_receivers->address() + "/write";
  EXPECT_EQ(ask(odd).status, 404);
  odd = request(body().packed());
  odd.method = "PUT";
  EXPECT_EQ(ask(odd).status, 405);
  odd = request(body().packed());
  odd.headers[0] = "Content-Type: application/x-protobuf;proto=io.prometheus.write.v2.Request";
  EXPECT_EQ(ask(odd).status, 415);
  EXPECT_THAT(ask(odd).body, HasSubstr("2.0 is not supported"));
  odd.headers[0] = "Content-Type: application/json";
  EXPECT_EQ(ask(odd).status, 415);
  odd = request(body().packed());
  odd.headers[1] = "Content-Encoding: gzip";
  EXPECT_EQ(ask(odd).status, 415);
  odd = request("no snappy");
  EXPECT_EQ(ask(odd).status, 400);
  odd = request(body().packed());
  odd.headers.push_back("Host: evil.example");
  EXPECT_EQ(ask(odd).status, 403) << "a name that a web page made for this address";
  EXPECT_EQ(ask(request(std::string("\xff\xff\xff\xff\x0f", 5) + "xx")).status, 413);
  EXPECT_EQ(m_delivered, 0);
  m_room = false;
  EXPECT_EQ(ask(request(body().packed())).status, 503);
}

TEST_F(ReceiversPort, OnlyCompleteNamesOfTheLoopbackAreItsNames) {
  start();
  const auto named = [&](const std::string& host) {
    HttpRequest with = request(body().packed());
    with.headers.push_back("Host: " + host);
    return ask(with).status;
  };
  for (const char* host : {"localhost", "localhost:9201", "127.0.0.1", "127.0.0.1:9201", "127.8.0.2", "[::1]", "[::1]:9201"})
    EXPECT_EQ(named(host), 204) << host;
  for (const char* host : {"127.attacker.example", "127.0.0.1.attacker.example:9201", "127.1", "127.0.0.1:9201.example",
                           "127.0.0.1:", "localhost.example", "[::1].attacker.example", "[::1", "[::2]", "::1", "128.0.0.1"})
    EXPECT_EQ(named(host), 403) << host;
}

TEST_F(ReceiversPort, ARequestThatFindsTheQueueFullWhenItsTurnComesIsRefused) {
  // Room at its headers, none later.
  std::atomic<int> asked = 0;
  m_port.has_room = [&] { return asked++ == 0; };
  start();
  EXPECT_EQ(ask(request(body().packed())).status, 503);
  EXPECT_EQ(m_delivered, 0);
}

TEST_F(ReceiversPort, SamplesThatCannotBeStoredAreNamedAndTheOthersAreStored) {
  m_options.sender.series = 2;
  start();
  HttpAnswer answer = ask(request(body(5).packed()));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("3 of more series than a sender may have"));
  EXPECT_EQ(m_receivers->stats().samples, 2);
  EXPECT_EQ(m_receivers->stats().refused_samples, 3);
}

TEST_F(ReceiversPort, NewSeriesThatComeTooFastAreRetried) {
  m_options.sender.new_series_burst = 2;
  start();
  EXPECT_EQ(ask(request(body(5).packed())).status, 429);
}

TEST_F(ReceiversPort, ABodyBeyondTheLimitIsRefusedWhetherDeclaredOrNot) {
  m_options.http.body = 1'000;
  start();
  EXPECT_EQ(ask(request(std::string(1'001, 'x'))).status, 413);
  HttpRequest chunked = request(std::string(100'000, 'x'));
  chunked.headers.push_back("Transfer-Encoding: chunked");
  EXPECT_EQ(ask(chunked).status, 413);
}

TEST_F(ReceiversPort, BodiesTogetherStayWithinTheLimit) {
  m_options.http.all_bodies = 1'000;
  start();
  EXPECT_EQ(ask(request(std::string(2'000, 'x'))).status, 503);
  EXPECT_EQ(ask(request(body().packed())).status, 204);
}

TEST_F(ReceiversPort, SlowSendersAreCutAndOthersServed) {
  m_options.http.headers = 300 * kNsPerMs;
  m_options.http.whole = 600 * kNsPerMs;
  start();
  // A byte now and then keeps an idle timeout from ever passing.
  const auto drip = [&](const std::string& first) {
    const int fd = connect();
    sendAll(fd, first);
    std::atomic<bool> ended = false;
    std::thread slow([&] {
      while (!ended) {
        sendAll(fd, "x");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    const std::string answer = readAll(::dup(fd));
    ended = true;
    slow.join();
    ::close(fd);
    return answer;
  };
  std::thread headers([&] { EXPECT_THAT(drip("POST /api/v1/write HTTP/1.1\r\nX: "), testing::Not(HasSubstr("204"))); });
  std::thread bytes([&] {
    EXPECT_THAT(drip("POST /api/v1/write HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Encoding: "
                     "snappy\r\nContent-Length: 100000\r\n\r\n"),
                testing::Not(HasSubstr("204")));
  });
  EXPECT_EQ(ask(request(body().packed())).status, 204);
  headers.join();
  bytes.join();
}

TEST_F(ReceiversPort, ConnectionsOfAnAddressAreLimited) {
  m_options.http.connections_per_address = 4;
  start();
  std::vector<int> held;
  for (int i = 0; i < 4; ++i) held.push_back(connect());
  EXPECT_TRUE(waitUntil([&] { return readAll(connect()).empty(); })) << "closed at once";
  for (const int fd : held) ::close(fd);
  HttpClient client;
  EXPECT_TRUE(waitUntil([&] {
    const auto answer = client.request(request(body().packed()));
    return answer.ok() && answer->status == 204;
  }));
}

TEST_F(ReceiversPort, ATokenOfScopeReceiveIsNeeded) {
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.addSender("prom").ok());
  ASSERT_TRUE(pairing.addReader("alice", false).ok());
  m_options.token_file = m_folder.file("trust/access");
  start();
  const auto token = [&](const std::string& folder) {
    std::ifstream in(m_folder.file("trust/" + folder + "/token"));
    std::string secret;
    in >> secret;
    return "Authorization: Bearer " + secret;
  };
  EXPECT_EQ(ask(request(body().packed())).status, 401);
  HttpRequest with = request(body().packed());
  with.headers.push_back("Authorization: Bearer rg1_00000000_wrong");
  EXPECT_EQ(ask(with).status, 401);
  with.headers.back() = token("readers/alice");
  EXPECT_EQ(ask(with).status, 403);
  EXPECT_THAT(ask(with).body, HasSubstr("good for read, not for receive"));
  with.headers.back() = token("senders/prom");
  EXPECT_EQ(ask(with).status, 204);
  HttpRequest metrics{.url = "http://" + m_receivers->address() + "/metrics", .headers = {token("readers/alice")}};
  EXPECT_EQ(ask(metrics).status, 200);
}

TEST_F(ReceiversPort, BeyondTheLoopbackTlsAndTokensAreNeeded) {
  m_options.listen = "0.0.0.0:0";
  const auto refused = Receivers::start(m_options, m_port);
  EXPECT_EQ(refused.status().code(), Code::kFailedPrecondition);
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.certifyHub({"hub"}).ok());
  ASSERT_TRUE(pairing.addSender("prom").ok());
  m_options.token_file = m_folder.file("trust/access");
  m_options.tls_cert = m_folder.file("trust/hub.pem");
  m_options.tls_key = m_folder.file("trust/hub.key");
  start();
  std::ifstream in(m_folder.file("trust/senders/prom/token"));
  std::string secret;
  in >> secret;
  HttpRequest with = request(body().packed());
  const std::string address = m_receivers->address();
  with.url = "https://localhost" + address.substr(address.rfind(':')) + "/api/v1/write";
  with.ca_file = m_folder.file("trust/ca.pem");
  with.headers.push_back("Authorization: Bearer " + secret);
  EXPECT_EQ(ask(with).status, 204);
  with.url.replace(0, 5, "http");
  HttpClient client;
  EXPECT_FALSE(client.request(with).ok()) << "no plain text";
}

TEST_F(ReceiversPort, TheHubsOwnMetricsAreText) {
  start();
  ask(request(body().packed()));
  const HttpAnswer answer = ask({.url = "http://" + m_receivers->address() + "/metrics"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.content_type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(answer.body, HasSubstr("# TYPE runglass_hub_samples_total counter\nrunglass_hub_samples_total 7\n"));
  EXPECT_THAT(answer.body, HasSubstr("runglass_receiver_samples_total 1\n"));
  EXPECT_TRUE(waitUntil([&] {
    return ask({.url = "http://" + m_receivers->address() + "/metrics"}).body.find("runglass_receiver_series 1\n") != std::string::npos;
  })) << "counted after the answer";
}

TEST_F(ReceiversPort, ASenderThatWaitsForTheStoreDelaysNoOther) {
  std::atomic<bool> first = true;
  std::promise<void> stored;
  m_port.commit = [&] {
    // Only the first sender's first request.
    if (first.exchange(false)) (void)stored.get_future().wait_for(test::kDeadline);
    return Status();
  };
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.addSender("slow").ok());
  ASSERT_TRUE(pairing.addSender("fast").ok());
  m_options.token_file = m_folder.file("trust/access");
  start();
  const auto as = [&](const std::string& name) {
    std::ifstream in(m_folder.file("trust/senders/" + name + "/token"));
    std::string secret;
    in >> secret;
    HttpRequest with = request(body().packed());
    with.headers.push_back("Authorization: Bearer " + secret);
    with.timeout = std::chrono::nanoseconds(test::kDeadline).count();
    return ask(with).status;
  };
  std::atomic<bool> slow_done = false;
  std::thread slow([&] {
    EXPECT_EQ(as("slow"), 204);
    slow_done = true;
  });
  EXPECT_TRUE(waitUntil([&] { return !first; }));
  EXPECT_EQ(as("fast"), 204);
  EXPECT_FALSE(slow_done);
  stored.set_value();
  slow.join();
}

// A gauge of the current time, or one that is an hour ahead.
std::string otlpJson(DurNs ahead = 0) {
  return R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[{"asDouble":1,"timeUnixNano":")" +
         std::to_string(wallNow() + ahead) + R"("}]}}]}]}]})";
}

TEST_F(ReceiversPort, OtlpIsAnsweredInItsEncoding) {
  start();
  const auto post = [&](const std::string& path, std::vector<std::string> headers, std::string body) {
    return ask(
        {.url = "http://" + m_receivers->address() + path, .method = "POST", .headers = std::move(headers), .body = std::move(body)});
  };
  const std::string json = "Content-Type: application/json", proto = "Content-Type: application/x-protobuf";
  HttpAnswer answer = post("/v1/metrics", {json}, otlpJson());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{}");
  EXPECT_EQ(m_delivered, 1);
  answer = post("/v1/metrics", {json}, otlpJson(3'600 * kNsPerSecond));
  EXPECT_EQ(answer.status, 200) << "an exporter does not send again what is never accepted";
  EXPECT_THAT(answer.body,
              StartsWith(R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"otlp: 1 more than 10 min in the future)"));
  answer = post("/v1/metrics", {proto}, otlpFromJson(OtlpSignal::kMetrics, otlpJson(3'600 * kNsPerSecond)).value());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.substr(2, 2), std::string("\x08\x01"));
  answer = post("/v1/metrics", {proto, "Content-Encoding: gzip"}, test::gzipped(otlpFromJson(OtlpSignal::kMetrics, otlpJson()).value()));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  for (const char* path : {"/v1/logs", "/v1/traces"}) EXPECT_EQ(post(path, {proto}, "").status, 200) << "an empty request is complete";
  EXPECT_EQ(post("/v1/metrics", {json}, "{").status, 400);
  EXPECT_THAT(post("/v1/metrics", {json}, "{").body, HasSubstr("malformed JSON"));
  EXPECT_EQ(post("/v1/traces", {proto}, "\x0a\xff").status, 400);
  EXPECT_EQ(post("/v1/metrics", {proto, "Content-Encoding: gzip"}, "no gzip").status, 400);
  const std::string once = test::gzipped(otlpFromJson(OtlpSignal::kMetrics, otlpJson()).value());
  EXPECT_EQ(post("/v1/metrics", {proto, "Content-Encoding: gzip"}, test::gzipped(once)).status, 400) << "gzip in gzip";
  EXPECT_EQ(post("/v1/metrics", {"Content-Type: text/plain"}, "").status, 415);
  EXPECT_EQ(post("/v1/metrics", {proto, "Content-Encoding: zstd"}, "").status, 415);
  EXPECT_EQ(post("/v1/profiles", {proto}, "").status, 404);
  m_room = false;
  answer = post("/v1/metrics", {json}, otlpJson());
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr(R"({"message":)"));
}

TEST_F(ReceiversPort, AGzipBombIsUnpackedUpToTheLimitOnly) {
  start();
  std::string packed = test::gzipped(std::string(80U << 20, '\0'));
  ASSERT_LT(packed.size(), 1U << 20);
  const HttpAnswer answer = ask({.url = "http://" + m_receivers->address() + "/v1/traces",
                                 .method = "POST",
                                 .headers = {"Content-Type: application/x-protobuf", "Content-Encoding: gzip"},
                                 .body = packed});
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(ask(request(body().packed())).status, 204) << "other senders go on";
}

}  // namespace
}  // namespace runglass
