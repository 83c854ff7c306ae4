// SPDX-License-Identifier: Apache-2.0
// Who gets in: tokens, TLS, client certificates, connection limits.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "collectors/access/access_book.h"
#include "collectors/hub/acceptor.h"
#include "collectors/hub/hub.h"
#include "tests/collectors/hub/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using testing::HasSubstr;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

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
  // A CA, a server certificate for localhost and 127.0.0.1, and a client certificate, by the openssl program.
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

TEST_F(HubSecurity, StopsListeningToAnAddressThatGuesses) {
  const auto book = AccessBook::open(privateFile("tokens", kToken), {0, 0});
  ASSERT_TRUE(book.ok()) << book.status().message();
  const auto lets = [&](const std::string& token, const std::string& address, DurNs now) {
    const std::string header = "Bearer " + token;
    return (*book)->check({.authorization = header, .certificate = {}, .address = address}, {now, now}).ok();
  };
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(lets("wrong", "ipv4:1.2.3.4", 0));
  EXPECT_FALSE(lets(kToken, "ipv4:1.2.3.4", kNsPerSecond));
  EXPECT_TRUE(lets(kToken, "ipv4:1.2.3.5", kNsPerSecond));
  EXPECT_TRUE(lets(kToken, "ipv4:1.2.3.4", 61 * kNsPerSecond));
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
  // A refused connection ends; an accepted one got the server's HTTP/2 settings or nothing yet.
  const auto closed = [&] {
    return std::ranges::count_if(silent, [](int fd) {
      char byte = 0;
      return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
    });
  };
  EXPECT_TRUE(test::waitUntil([&] { return closed() >= 4; }));
  EXPECT_TRUE(agents[0]->beat());
  EXPECT_EQ(closed(), 4);
  for (const int fd : silent) close(fd);
}

TEST(Acceptor, SaysWhatIsWrongWithAnAddress) {
  EXPECT_THAT(Acceptor::listen("nonsense", "", {}).status().message(), HasSubstr("HOST:PORT"));
  EXPECT_EQ(Acceptor::listen("127.0.0.1:notaport", "", {}).status().code(), Code::kInvalidArgument);
  const auto ok = Acceptor::listen("127.0.0.1:0", "", {});
  ASSERT_TRUE(ok.ok());
  EXPECT_TRUE((*ok)->local());
  EXPECT_EQ((*ok)->address(), "127.0.0.1:" + std::to_string((*ok)->port()));
}

}  // namespace
}  // namespace runglass
