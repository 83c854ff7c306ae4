// SPDX-License-Identifier: Apache-2.0
// Admission: tokens, TLS, client certificates, connection limits.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "collectors/hub/access/access_table.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/server/listener.h"
#include "collectors/hub/server/relay.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/collectors/hub/server/raw_http2.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using testing::HasSubstr;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

bool isOpen(int fd) {
  pollfd look{fd, POLLRDHUP, 0};
  return poll(&look, 1, 0) == 0;
}

class HubSecurity : public testing::Test {
 protected:
  std::string privateFile(const std::string& name, const std::string& text) const {
    std::ofstream(dir.file(name)) << text;
    std::filesystem::permissions(dir.file(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return dir.file(name);
  }
  Result<std::unique_ptr<Hub>> serve(HubOptions options) const { return Hub::start(dir.file("s.rgl"), std::move(options)); }
  std::string text(const std::string& name) const {
    std::stringstream out;
    out << std::ifstream(dir.file(name)).rdbuf();
    return out.str();
  }
  // A CA, a server certificate for localhost and 127.0.0.1, and a client certificate, created by the openssl program.
  bool makeCertificates() const {
    const std::string script =
        "cd " + dir.path() +
        " && umask 077 && exec >/dev/null 2>&1 &&"
        " openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2 &&"
        " printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > san &&"
        " for name in server client; do"
        " openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.csr -subj /CN=$name &&"
        " openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem -days 2 -extfile san || exit 1; done &&"
        " openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -subj /CN=other -days 2";
    return std::system(script.c_str()) == 0;
  }
  std::shared_ptr<grpc::ChannelCredentials> tls(const std::string& key = "", const std::string& cert = "") const {
    return grpc::SslCredentials({text("ca.pem"), key.empty() ? "" : text(key), cert.empty() ? "" : text(cert)});
  }

  test::TempFolder dir;
};

TEST_F(HubSecurity, LetsInOnlyWhoKnowsAToken) {
  auto hub = serve({.token_file = privateFile("tokens", std::string("# agents\n") + kToken + "\n")});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  for (const std::string wrong : {"", "0123456789abcdef0123456789abcdeX", "short"}) {
    RawAgent agent((*hub)->address(), wrong);
    EXPECT_FALSE(agent.join(agent.hello()));
    EXPECT_EQ(agent.finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  }
  RawAgent agent((*hub)->address(), kToken);
  EXPECT_TRUE(agent.join(agent.hello()));
}

// Previously, ten wrong tokens from an address blocked every token from it, including all clients of one tunnel.
TEST_F(HubSecurity, AGuesserLocksNobodyOut) {
  const std::string file = privateFile("tokens", kToken);
  const auto book = AccessTable::open(file, {0, 0});
  ASSERT_TRUE(book.ok()) << book.status().message();
  const auto lets = [&](const std::string& token, DurNs now) {
    const std::string header = "Bearer " + token;
    return (*book)->check({.authorization = header, .certificate = {}, .address = "ipv4:1.2.3.4"}, {now, now}).ok();
  };
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(lets("wrong", 0));
  EXPECT_TRUE(lets(kToken, 1));
  const std::string added = "fedcba9876543210fedcba9876543210";
  std::ofstream(file, std::ios::app) << "\n" << added << "\n";
  EXPECT_FALSE(lets(added, 2)) << "no look at the file for a guesser";
  EXPECT_TRUE(lets(added, 2 * kNsPerSecond));
}

TEST_F(HubSecurity, RefusesTokensThatOthersCanReadOrThatAreShort) {
  std::ofstream(dir.file("open")) << kToken;
  std::filesystem::permissions(dir.file("open"), std::filesystem::perms::owner_all | std::filesystem::perms::group_read);
  const auto open = serve({.token_file = dir.file("open")});
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.status().message(), HasSubstr("chmod 600"));
  EXPECT_FALSE(serve({.token_file = privateFile("short", "abc\n")}).ok());
  EXPECT_FALSE(serve({.token_file = privateFile("empty", "\n")}).ok());
  EXPECT_THAT(serve({.token_file = dir.file("absent")}).status().message(), HasSubstr("absent"));
}

TEST_F(HubSecurity, DoesNotListenBeyondLoopbackWithoutTls) {
  const auto hub = serve({.listen = "0.0.0.0:0", .token_file = privateFile("tokens", kToken)});
  ASSERT_FALSE(hub.ok());
  EXPECT_EQ(hub.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(hub.status().message(), HasSubstr("0.0.0.0:0"));
  EXPECT_FALSE(std::filesystem::exists(dir.file("s.rgl")));
}

TEST_F(HubSecurity, ServesTlsAndAsksForAClientCertificateOfItsCa) {
  if (!makeCertificates()) GTEST_SKIP() << "the openssl program is not installed";
  auto hub = serve({.listen = "127.0.0.1:0",
                    .tls_cert = dir.file("server.pem"),
                    .tls_key = dir.file("server.key"),
                    .tls_client_ca = dir.file("ca.pem")});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  const std::string address = (*hub)->address();
  RawAgent good(address, "", tls("client.key", "client.pem"));
  EXPECT_TRUE(good.join(good.hello()));
  RawAgent without(address, "", tls());
  EXPECT_FALSE(without.join(without.hello()));
  RawAgent stranger(address, "", tls("other.key", "other.pem"));
  EXPECT_FALSE(stranger.join(stranger.hello()));
  RawAgent plain(address);
  EXPECT_FALSE(plain.join(plain.hello()));
}

TEST_F(HubSecurity, ListensBeyondLoopbackWithTlsAndAToken) {
  if (!makeCertificates()) GTEST_SKIP() << "the openssl program is not installed";
  HubOptions options{.listen = "0.0.0.0:0", .tls_cert = dir.file("server.pem"), .tls_key = dir.file("server.key")};
  EXPECT_EQ(serve(options).status().code(), Code::kFailedPrecondition) << "neither token nor client CA";
  options.token_file = privateFile("tokens", kToken);
  auto hub = serve(options);
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  RawAgent agent("127.0.0.1:" + std::to_string((*hub)->port()), kToken, tls());
  EXPECT_TRUE(agent.join(agent.hello()));
}

TEST_F(HubSecurity, AgentsOfIPv4AreNoStrangersToAHubOfIPv6) {
  if (!makeCertificates()) GTEST_SKIP() << "the openssl program is not installed";
  auto hub = serve({.listen = "[::]:0",
                    .token_file = privateFile("tokens", kToken),
                    .tls_cert = dir.file("server.pem"),
                    .tls_key = dir.file("server.key"),
                    .max_unauthenticated_per_address = 3});
  if (!hub.ok()) GTEST_SKIP() << "no IPv6 here: " << hub.status().message();
  std::vector<std::unique_ptr<RawAgent>> agents;
  for (int i = 0; i < 8; ++i) {
    agents.push_back(std::make_unique<RawAgent>("127.0.0.1:" + std::to_string((*hub)->port()), kToken, tls()));
    ASSERT_TRUE(agents.back()->join(agents.back()->hello("s", "a" + std::to_string(i)))) << i;
  }
  // One round trip after the last connection, all are still connected.
  for (const auto& agent : agents) EXPECT_TRUE(agent->beat());
  const std::int64_t batches = (*hub)->stats().batches;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    ASSERT_TRUE(agents[i]->send(RawAgent::batch(0, 0, ""))) << i;
    EXPECT_TRUE(agents[i]->waitForAck(0, 1)) << i;
  }
  // Recorded after it was acknowledged.
  EXPECT_TRUE(test::waitUntil([&] { return (*hub)->stats().batches == batches + 8; })) << (*hub)->stats().batches;
}

TEST_F(HubSecurity, RefusesHalfAKeyPairAndKeysThatOthersCanRead) {
  EXPECT_FALSE(serve({.tls_cert = dir.file("x.pem")}).ok());
  EXPECT_FALSE(serve({.tls_client_ca = dir.file("x.pem")}).ok());
  std::ofstream(dir.file("open.key")) << "k";
  std::filesystem::permissions(dir.file("open.key"), std::filesystem::perms::owner_all | std::filesystem::perms::others_read);
  EXPECT_THAT(serve({.tls_cert = privateFile("c.pem", "c"), .tls_key = dir.file("open.key")}).status().message(), HasSubstr("chmod 600"));
}

TEST_F(HubSecurity, CapsSilentConnectionsPerAddressButNotAgents) {
  auto hub = serve({.max_unauthenticated_per_address = 8});
  ASSERT_TRUE(hub.ok());
  std::vector<std::unique_ptr<RawAgent>> agents;
  for (int i = 0; i < 20; ++i) {
    agents.push_back(std::make_unique<RawAgent>((*hub)->address()));
    ASSERT_TRUE(agents.back()->join(agents.back()->hello("s", "a" + std::to_string(i)))) << i;
  }
  std::vector<int> silent;
  for (int i = 0; i < 12; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>((*hub)->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    silent.push_back(fd);
  }
  const auto closed = [&] { return std::ranges::count_if(silent, [](int fd) { return !isOpen(fd); }); };
  EXPECT_TRUE(test::waitUntil([&] { return closed() >= 4; }));
  EXPECT_TRUE(agents[0]->beat());
  EXPECT_EQ(closed(), 4);
  for (const int fd : silent) close(fd);
}

// Connects from `from` to the hub; -1: refused.
int connected(const char* from, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  inet_pton(AF_INET, from, &own.sin_addr);
  sockaddr_in to = own;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 && connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
    return fd;
  close(fd);
  return -1;
}
// Previously, 64 of these blocked an address for 40 s, and 512 a cluster.
TEST_F(HubSecurity, ConnectionsThatEndedCountNoMore) {
  auto hub = serve({});
  ASSERT_TRUE(hub.ok());
  for (int i = 0; i < 600; ++i) {
    const int fd = connected("127.0.0.1", (*hub)->port());
    ASSERT_GE(fd, 0) << i;
    close(fd);
  }
  for (int i = 0; i < 20; ++i) {
    RawAgent agent((*hub)->address());
    EXPECT_TRUE(agent.join(agent.hello("s", "a" + std::to_string(i)))) << i;
  }
}

// A relay without gRPC: connections passed on are kept.
class Relayed : public testing::Test {
 protected:
  void start(Relay::Limits limits) {
    auto listening = Listener::listen("127.0.0.1:0", "");
    ASSERT_TRUE(listening.ok());
    listener = std::move(*listening);
    auto opened = Relay::open(*listener, nullptr, limits);
    ASSERT_TRUE(opened.ok());
    relay = std::move(*opened);
    ASSERT_TRUE(relay
                    ->start([this](int, int fd) {
                      sockaddr_un name{};
                      socklen_t size = sizeof name;
                      EXPECT_EQ(getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size), 0);
                      const std::lock_guard lock(mutex);
                      handed.push_back(fd);
                      names.emplace_back(name.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
                    })
                    .ok());
  }
  void TearDown() override {
    relay->stopListening();
    for (const int fd : handed) close(fd);
    relay->stop();
    for (const int fd : clients) close(fd);
  }
  int come(const char* from) {
    clients.push_back(connected(from, listener->port()));
    EXPECT_GE(clients.back(), 0);
    return clients.back();
  }
  // Begins HTTP/2, so that gRPC gets the connection; returns gRPC's name for it.
  std::string greet(int fd) {
    const std::size_t before = handedCount();
    EXPECT_EQ(send(fd, Http2Guard::kPreface.data(), Http2Guard::kPreface.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(Http2Guard::kPreface.size()));
    EXPECT_TRUE(test::waitUntil([&] { return handedCount() > before; }));
    const std::lock_guard lock(mutex);
    return "unix-abstract:" + names.back();
  }
  std::size_t handedCount() {
    const std::lock_guard lock(mutex);
    return handed.size();
  }

  std::unique_ptr<Listener> listener;
  std::unique_ptr<Relay> relay;
  std::mutex mutex;
  std::vector<int> handed, clients;
  std::vector<std::string> names;
};

TEST_F(Relayed, SilentConnectionsOfAnAddressAreItsOwnTrouble) {
  start({.per_address = 4, .total = 8});
  std::vector<int> loud, other;
  for (int i = 0; i < 6; ++i) loud.push_back(come("127.0.0.2"));
  EXPECT_TRUE(test::waitUntil([&] { return !isOpen(loud[0]) && !isOpen(loud[1]); })) << "the oldest make room for their own";
  for (int i = 2; i < 6; ++i) EXPECT_TRUE(isOpen(loud[i])) << i;
  for (int i = 0; i < 4; ++i) other.push_back(come("127.0.0.3"));
  const int late = come("127.0.0.4");
  const auto open = [&] { return std::ranges::count_if(loud, isOpen) + std::ranges::count_if(other, isOpen); };
  EXPECT_TRUE(test::waitUntil([&] { return open() == 7; })) << "one of an address that has most";
  EXPECT_TRUE(isOpen(late));
  // Admitted connections are not affected by others.
  const std::shared_ptr<RelayPeer> peer = relay->find(greet(late));
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(peer->address, "ipv4:127.0.0.4");
  relay->admit(*peer);
  std::vector<int> more;
  for (int i = 0; i < 10; ++i) more.push_back(come("127.0.0.4"));
  EXPECT_TRUE(test::waitUntil([&] { return std::ranges::count_if(more, isOpen) <= 4; }));
  EXPECT_TRUE(isOpen(late));
}

TEST_F(Relayed, GivesEachConnectionAName) {
  start({});
  const int one = come("127.0.0.2"), two = come("127.0.0.3");
  const std::string first = greet(one), second = greet(two);
  EXPECT_EQ(relay->find(first)->address, "ipv4:127.0.0.2");
  EXPECT_EQ(relay->find(second)->address, "ipv4:127.0.0.3");
  EXPECT_EQ(relay->find(first + "0"), nullptr);
  EXPECT_EQ(relay->find("unix-abstract:x"), nullptr);
  // Once gRPC has closed its end, the name refers to no connection.
  close(handed[0]);
  handed.erase(handed.begin());
  EXPECT_TRUE(test::waitUntil([&] { return relay->find(first) == nullptr && !isOpen(one); }));
  EXPECT_NE(relay->find(second), nullptr);
}

// One address cannot use up the share of others: the connection that sent most without an admitted call is closed.
TEST_F(Relayed, StrangersShareWhatTheyMaySend) {
  start({.per_address = 64, .total = 64, .bytes = 64U << 10});
  std::vector<int> greedy;
  const std::string data(20'000, 'x');
  for (int i = 0; i < 3; ++i) {
    greedy.push_back(come("127.0.0.2"));
    (void)greet(greedy.back());
    const std::string frame = test::RawHttp2::frame(test::RawHttp2::kHeaders, test::RawHttp2::kEndHeaders, 1, "\x82") +
                              test::RawHttp2::frame(test::RawHttp2::kData, 0, 1, std::string_view(data).substr(0, 16'000)) +
                              test::RawHttp2::frame(test::RawHttp2::kData, 0, 1, std::string_view(data).substr(0, 16'000));
    EXPECT_EQ(send(greedy.back(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
  }
  const int modest = come("127.0.0.3");
  const std::string name = greet(modest);
  EXPECT_TRUE(test::waitUntil([&] {
    // As gRPC does: it closes its end when the other end is closed.
    for (const int fd : handed)
      for (char byte[4'096]; recv(fd, byte, sizeof byte, MSG_DONTWAIT) > 0;) continue;
    return std::ranges::count_if(greedy, isOpen) < 3;
  }));
  EXPECT_TRUE(isOpen(modest));
  EXPECT_NE(relay->find(name), nullptr);
  EXPECT_GE(relay->cut().count, 1);
}

// Three descriptors per connection, one for a silent unknown client; and the store needs some as well.
TEST_F(Relayed, StrangersGiveWayWhereDescriptorsAreScarce) {
  const int next = dup(0);
  close(next);
  start({.per_address = 500, .total = 500, .descriptors = static_cast<std::size_t>(next) + 200});
  // Clients of this process use descriptors as well: both sides together reach the limit.
  const int admitted = come("127.0.0.2");
  const std::shared_ptr<RelayPeer> peer = relay->find(greet(admitted));
  ASSERT_NE(peer, nullptr);
  relay->admit(*peer);
  std::vector<int> idle;
  for (int i = 0; i < 150; ++i) idle.push_back(come("127.0.0.3"));
  EXPECT_TRUE(test::waitUntil([&] { return !isOpen(idle[0]); })) << "the oldest stranger goes first";
  const int late = come("127.0.0.4");
  EXPECT_NE(relay->find(greet(late)), nullptr) << "a new one is served";
  EXPECT_TRUE(isOpen(admitted));
}

// A client may send more than the limit for unknown clients after the headers of its first call: the data waits for the call's admission.
TEST_F(HubSecurity, ALargeFirstMessageWaitsForItsAdmission) {
  auto hub = serve({.token_file = privateFile("tokens", kToken)});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  RawAgent agent((*hub)->address(), kToken);
  v1::Hello hello = agent.hello();
  for (int i = 0; i < 1'000; ++i) hello.add_speaks_for(std::to_string(i) + std::string(100, 'x'));
  ASSERT_GT(hello.ByteSizeLong(), 3 * Http2Guard::kBytesBefore);
  EXPECT_TRUE(agent.join(hello));
  ASSERT_TRUE(agent.send(RawAgent::batch(0, 0, "")));
  EXPECT_TRUE(agent.waitForAck(0, 1));
  EXPECT_EQ((*hub)->stats().cut_connections, 0);
}

// Calls that wait for space continue once others are answered; a connection that has used its share and has no open call is closed.
TEST_F(HubSecurity, RefusedCallsGoOnUntilTheShareIsUsed) {
  auto hub = serve({.token_file = privateFile("tokens", kToken)});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  test::RawHttp2 stranger((*hub)->port(), {});
  ASSERT_TRUE(stranger.greet());
  const auto open = [](std::uint32_t stream, const std::string& headers) {
    return test::RawHttp2::frame(test::RawHttp2::kHeaders, test::RawHttp2::kEndHeaders, stream, headers);
  };
  ASSERT_TRUE(stranger.send(open(1, test::RawHttp2::headers("/runglass.v1.Ingest/Session"))));
  std::string many;
  constexpr int kMany = 4'000;  // more than 32 KiB
  for (std::uint32_t i = 1; i <= kMany; ++i) many += open(2 * i + 1, test::RawHttp2::again());
  (void)stranger.send(many);
  int refused = 0;
  while (stranger.waitFor(test::RawHttp2::kHeaders)) ++refused;
  EXPECT_GT(refused, 1'000);
  EXPECT_LT(refused, kMany);
  EXPECT_TRUE(test::waitUntil([&] { return (*hub)->stats().cut_connections == 1; }));
  EXPECT_THAT((*hub)->stats().newest_cut, HasSubstr("32 KiB"));
}

TEST_F(HubSecurity, SixtyFourConnectsASecondLeaveOthersUntouched) {
  auto hub = serve({});
  ASSERT_TRUE(hub.ok());
  std::atomic<bool> stop = false;
  std::vector<int> silent;
  std::thread flood([&] {
    while (!stop) {
      silent.push_back(connected("127.0.0.2", (*hub)->port()));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  DurNs slowest = 0;
  for (int i = 0; i < 30; ++i) {
    const DurNs began = monotonicNow();
    RawAgent agent((*hub)->address());
    EXPECT_TRUE(agent.join(agent.hello("s", "a" + std::to_string(i)))) << i;
    slowest = std::max(slowest, monotonicNow() - began);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  stop = true;
  flood.join();
  EXPECT_GT(silent.size(), 64U);
  EXPECT_LT(slowest, 5 * kNsPerSecond);
  for (const int fd : silent) close(fd);
}

TEST(Listener, SaysWhatIsWrongWithAnAddress) {
  EXPECT_THAT(Listener::listen("nonsense", "").status().message(), HasSubstr("HOST:PORT"));
  EXPECT_EQ(Listener::listen("127.0.0.1:notaport", "").status().code(), Code::kInvalidArgument);
  const auto ok = Listener::listen("127.0.0.1:0", "");
  ASSERT_TRUE(ok.ok());
  EXPECT_TRUE((*ok)->local());
  EXPECT_EQ((*ok)->address(), "127.0.0.1:" + std::to_string((*ok)->port()));
}

}  // namespace
}  // namespace runglass
