// SPDX-License-Identifier: Apache-2.0
// Pairing, scopes, revocation and renewal on a running hub; and connections that TLS must refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "collectors/hub/access/certificates.h"
#include "collectors/hub/access/pairing.h"
#include "collectors/hub/server/hub.h"
#include "collectors/wire/control_client.h"
#include "collectors/wire/guarded_file.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using grpc::StatusCode;
using test::RawAgent;
using testing::HasSubstr;
using testing::Not;

std::string text(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}
std::string line(const std::string& path) {
  const std::string all = text(path);
  return all.substr(0, all.find('\n'));
}
// The certificate with another expiry, signed again.
std::string endedYesterday(const std::string& certificate, const std::string& authority_key) {
  BIO* in = BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size()));
  X509* x509 = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO* key_in = BIO_new_mem_buf(authority_key.data(), static_cast<int>(authority_key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_in, nullptr, nullptr, nullptr);
  X509_time_adj_ex(X509_getm_notBefore(x509), -3, 0, nullptr);
  X509_time_adj_ex(X509_getm_notAfter(x509), -1, 0, nullptr);
  X509_sign(x509, key, EVP_sha256());
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(out, x509);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(in), BIO_free(key_in), BIO_free(out), X509_free(x509), EVP_PKEY_free(key);
  return pem;
}

class Trust : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Pairing::open({.folder = folder, .address = "localhost:7070"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    pairing.emplace(std::move(made).value());
    ASSERT_TRUE(pairing->certifyHub({"hub.example"}).ok());
    ASSERT_TRUE(pairing->addAgent("gpu-a", Pairing::Proof::kCertificate).ok());
    ASSERT_TRUE(pairing->addAgent("gpu-b", Pairing::Proof::kToken).ok());
    ASSERT_TRUE(pairing->addReader("alice", false).ok());
    ASSERT_TRUE(pairing->addReader("root", true).ok());
  }
  HubOptions options() const {
    return {.token_file = folder + "/access",
            .tls_cert = folder + "/hub.pem",
            .tls_key = folder + "/hub.key",
            .tls_client_ca = folder + "/ca.pem"};
  }
  std::unique_ptr<Hub> serve(const HubOptions& with) const {
    auto hub = Hub::start(store, with);
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    return hub.ok() ? std::move(hub).value() : nullptr;
  }
  std::unique_ptr<Hub> serve() const { return serve(options()); }
  std::string in(const std::string& name) const { return folder + "/" + name; }
  std::shared_ptr<grpc::ChannelCredentials> tls() const { return grpc::SslCredentials({text(in("ca.pem")), "", ""}); }
  std::shared_ptr<grpc::ChannelCredentials> mutual(const std::string& of) const {
    return grpc::SslCredentials({text(in("ca.pem")), text(of + "/agent.key"), text(of + "/agent.pem")});
  }
  v1::Hello helloOf(const std::string& node) const {
    v1::Hello hello;
    hello.set_proto_version(1);
    hello.set_agent_uuid("agent-" + node);
    hello.set_node_uuid("uuid-" + node);
    hello.set_node_name(node);
    hello.add_sessions()->set_session("s-" + node);
    hello.set_raw_ns(wallNow());
    return hello;
  }
  // The status with which the hub ends a session that may not begin; OK if it begins.
  StatusCode joins(RawAgent& agent, const v1::Hello& hello) const {
    return agent.join(hello) ? StatusCode::OK : agent.finish().error_code();
  }
  std::string token(const std::string& name) const { return line(in(name + "/token")); }
  static Note note() { return {.run_uuid = "u1", .time = 5, .author = "ada", .text = "text"}; }
  Status edits(const Hub& hub, const std::string& with) const {
    return ControlClient({.hub = "localhost:" + std::to_string(hub.port()), .token = with, .tls_ca = in("ca.pem")}).edit(note(), "");
  }

  test::TempFolder dir;
  std::string folder = dir.file("trust"), store = dir.file("s.rgl");
  std::optional<Pairing> pairing;
};

TEST_F(Trust, WhereAllHaveTokensNobodyNeedsACertificate) {
  folder = dir.file("tokens");
  auto made = Pairing::open({.folder = folder, .address = "localhost:7070"});
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(made->certifyHub({"hub.example"}).ok());
  ASSERT_TRUE(made->addAgent("gpu-b", Pairing::Proof::kToken).ok());
  const auto hub = serve();
  RawAgent by_token(hub->address(), token("agents/gpu-b"), tls());
  EXPECT_EQ(joins(by_token, helloOf("gpu-b")), StatusCode::OK);
  RawAgent with_nothing(hub->address(), "", tls());
  EXPECT_EQ(joins(with_nothing, helloOf("gpu-b")), StatusCode::UNAUTHENTICATED);
  // A certificate of the authority that is not listed grants nothing.
  RawAgent unlisted(hub->address(), "", grpc::SslCredentials({text(in("ca.pem")), text(in("hub.key")), text(in("hub.pem"))}));
  EXPECT_NE(joins(unlisted, helloOf("gpu-b")), StatusCode::OK);
  // New clients may use either.
  ASSERT_TRUE(made->addAgent("gpu-c", Pairing::Proof::kCertificate).ok());
  RawAgent by_certificate(hub->address(), "", mutual(in("agents/gpu-c")));
  EXPECT_EQ(joins(by_certificate, helloOf("gpu-c")), StatusCode::OK);
}

TEST_F(Trust, WhereAllHaveCertificatesTheHandshakeNeedsOne) {
  folder = dir.file("certificates");
  auto made = Pairing::open({.folder = folder, .address = "localhost:7070"});
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(made->certifyHub({"hub.example"}).ok());
  ASSERT_TRUE(made->addAgent("gpu-a", Pairing::Proof::kCertificate).ok());
  const auto hub = serve();
  RawAgent by_certificate(hub->address(), "", mutual(in("agents/gpu-a")));
  EXPECT_EQ(joins(by_certificate, helloOf("gpu-a")), StatusCode::OK);
  RawAgent without(hub->address(), "", tls());
  EXPECT_EQ(joins(without, helloOf("gpu-a")), StatusCode::UNAVAILABLE) << "gRPC never sees it";
  // The first token opens the handshake to clients without a certificate; revoking the last one closes it.
  ASSERT_TRUE(made->addReader("alice", true).ok());
  EXPECT_TRUE(test::waitUntil([&] { return edits(*hub, token("readers/alice")).code() == Code::kNotFound; }));
  ASSERT_TRUE(made->revoke("alice", wallNow()).ok());
  EXPECT_TRUE(test::waitUntil([&] { return edits(*hub, token("readers/alice")).code() == Code::kUnavailable; }));
  EXPECT_TRUE(by_certificate.beat());
}

TEST_F(Trust, EachGetsInWithItsOwnProofAndNobodyWithout) {
  const auto hub = serve();
  RawAgent by_certificate(hub->address(), "", mutual(in("agents/gpu-a")));
  EXPECT_EQ(joins(by_certificate, helloOf("gpu-a")), StatusCode::OK);
  RawAgent by_token(hub->address(), token("agents/gpu-b"), tls());
  EXPECT_EQ(joins(by_token, helloOf("gpu-b")), StatusCode::OK);
  RawAgent with_nothing(hub->address(), "", tls());
  EXPECT_EQ(joins(with_nothing, helloOf("gpu-c")), StatusCode::UNAUTHENTICATED);
  RawAgent with_a_guess(hub->address(), token("agents/gpu-b") + "0", tls());
  EXPECT_EQ(joins(with_a_guess, helloOf("gpu-b")), StatusCode::UNAUTHENTICATED);
  RawAgent in_clear(hub->address(), token("agents/gpu-b"));
  EXPECT_EQ(joins(in_clear, helloOf("gpu-b")), StatusCode::UNAVAILABLE);
}

TEST_F(Trust, AnotherAuthoritysCertificateOpensNothing) {
  const auto hub = serve();
  auto stranger = Pairing::open({.folder = dir.file("stranger"), .address = "h:1"});
  ASSERT_TRUE(stranger.ok());
  ASSERT_TRUE(stranger->addAgent("gpu-a", Pairing::Proof::kCertificate).ok());
  RawAgent agent(hub->address(), "", mutual(dir.file("stranger/agents/gpu-a")));
  EXPECT_EQ(joins(agent, helloOf("gpu-a")), StatusCode::UNAVAILABLE);
  // Nor is a certificate from this authority accepted that is unknown to the hub.
  const auto forgotten = issueCertificate({text(in("ca.pem")), text(in("ca.key"))}, CertificateUse::kClient, {"gpu-z"}, 1);
  ASSERT_TRUE(forgotten.ok());
  RawAgent unlisted(hub->address(), "", grpc::SslCredentials({text(in("ca.pem")), forgotten->key, forgotten->certificate}));
  EXPECT_EQ(joins(unlisted, helloOf("gpu-z")), StatusCode::UNAUTHENTICATED);
}

TEST_F(Trust, WhatExpiredOpensNothing) {
  const std::string ended = endedYesterday(text(in("agents/gpu-a/agent.pem")), text(in("ca.key")));
  const auto hub = serve();
  RawAgent certificate(hub->address(), "", grpc::SslCredentials({text(in("ca.pem")), text(in("agents/gpu-a/agent.key")), ended}));
  EXPECT_EQ(joins(certificate, helloOf("gpu-a")), StatusCode::UNAVAILABLE);

  auto file = readAccessFile(in("access"));
  ASSERT_TRUE(file.ok());
  for (AccessEntry& entry : file->entries)
    if (entry.pass.name == "gpu-b") entry.expires = wallNow() - kNsPerSecond;
  ASSERT_TRUE(writeAccessFile(in("access"), *file).ok());
  RawAgent by_token(hub->address(), token("agents/gpu-b"), tls());
  EXPECT_TRUE(test::waitUntil([&] {
    RawAgent again(hub->address(), token("agents/gpu-b"), tls());
    return joins(again, helloOf("gpu-b")) == StatusCode::UNAUTHENTICATED;
  }));
}

TEST_F(Trust, AnExpiryBeyondWhatATimeHoldsIsFarAndNotOver) {
  ASSERT_TRUE(replaceGuarded(in("far"),
                             "token 0123abcd name=far scopes=read expires=9999-12-31T23:59:59Z digest=00:" + std::string(64, '0') + "\n",
                             true)
                  .ok());
  const auto file = readAccessFile(in("far"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_GT(file->entries.at(0).expires.value_or(0), wallNow());
  ASSERT_TRUE(writeAccessFile(in("far"), *file).ok());
  EXPECT_EQ(readAccessFile(in("far"))->entries.at(0).expires, file->entries[0].expires);
}

TEST_F(Trust, AHubThatIsNotWhoItSaysIsNotTalkedTo) {
  const auto elsewhere = issueCertificate({text(in("ca.pem")), text(in("ca.key"))}, CertificateUse::kServer, {"elsewhere.example"}, 1);
  ASSERT_TRUE(elsewhere.ok());
  ASSERT_TRUE(replaceGuarded(in("hub.key"), elsewhere->key, true).ok());
  ASSERT_TRUE(replaceGuarded(in("hub.pem"), elsewhere->certificate, false).ok());
  const auto hub = serve();
  RawAgent agent(hub->address(), token("agents/gpu-b"), tls());
  EXPECT_EQ(joins(agent, helloOf("gpu-b")), StatusCode::UNAVAILABLE);
}

// A manual handshake: the fingerprint of the certificate that the hub presents; empty: it refused.
std::string shownBy(int port, int newest_protocol) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL may write to a socket that the hub has closed
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, newest_protocol);
  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  const unsigned char alpn[] = "\x02h2";
  SSL_CTX_set_alpn_protos(context, alpn, 3);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string shown;
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && SSL_connect(ssl) == 1) {
    X509* certificate = SSL_get1_peer_certificate(ssl);
    BIO* out = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(out, certificate);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out, &data);
    shown = *fingerprintOf({data, static_cast<std::size_t>(size)});
    BIO_free(out), X509_free(certificate);
  }
  SSL_free(ssl), SSL_CTX_free(context), close(fd);
  return shown;
}

TEST_F(Trust, OldTlsIsRefused) {
  const auto hub = serve();
  EXPECT_EQ(shownBy(hub->port(), TLS1_2_VERSION), *fingerprintOf(text(in("hub.pem"))));
  EXPECT_EQ(shownBy(hub->port(), TLS1_1_VERSION), "");
}

TEST_F(Trust, ARenewedCertificateIsShownWithoutARestart) {
  const auto hub = serve();
  RawAgent before(hub->address(), token("agents/gpu-b"), tls());
  ASSERT_EQ(joins(before, helloOf("gpu-b")), StatusCode::OK);
  ASSERT_TRUE(pairing->certifyHub({"hub.example", "other.example"}).ok());
  const std::string renewed = *fingerprintOf(text(in("hub.pem")));
  // Each check is a connection, and the hub limits those of one address.
  EXPECT_TRUE(
      test::waitUntil([&] { return shownBy(hub->port(), TLS1_3_VERSION) == renewed; }, test::kDeadline, std::chrono::milliseconds(200)));
  EXPECT_TRUE(before.beat()) << "who is connected stays connected";
}

TEST_F(Trust, WhoIsRevokedIsCutOffAndNotLetInAgain) {
  const auto hub = serve();
  RawAgent agent(hub->address(), "", mutual(in("agents/gpu-a")));
  ASSERT_EQ(joins(agent, helloOf("gpu-a")), StatusCode::OK);
  RawAgent other(hub->address(), token("agents/gpu-b"), tls());
  ASSERT_EQ(joins(other, helloOf("gpu-b")), StatusCode::OK);
  ASSERT_TRUE(pairing->revoke("gpu-a", wallNow()).ok());
  EXPECT_TRUE(test::waitUntil([&] { return !agent.beat(); })) << "an agent beats every two seconds";
  EXPECT_EQ(agent.finish().error_code(), StatusCode::UNAUTHENTICATED);
  RawAgent again(hub->address(), "", mutual(in("agents/gpu-a")));
  EXPECT_EQ(joins(again, helloOf("gpu-a")), StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(other.beat());
  EXPECT_EQ(pairing->revoke("gpu-a", wallNow()).code(), Code::kNotFound);
}

TEST_F(Trust, WhatIsRenewedCountsBesideTheOldForItsGrace) {
  const auto hub = serve();
  const std::string old = token("readers/root");
  ASSERT_TRUE(pairing->renew("root", wallNow(), 3600 * kNsPerSecond).ok());
  const std::string renewed = token("readers/root");
  ASSERT_NE(old, renewed);
  EXPECT_TRUE(test::waitUntil([&] { return edits(*hub, renewed).code() == Code::kNotFound; }))
      << "there is no run u1, so it was let in; but: " << edits(*hub, renewed).message();
  EXPECT_EQ(edits(*hub, old).code(), Code::kNotFound);
  ASSERT_TRUE(pairing->renew("root", wallNow(), 0).ok());
  EXPECT_TRUE(test::waitUntil([&] { return edits(*hub, renewed).code() == Code::kUnauthenticated; }));
}

TEST_F(Trust, AScopeIsGoodForWhatItNames) {
  const auto hub = serve();
  RawAgent reader(hub->address(), token("readers/alice"), tls());
  EXPECT_EQ(joins(reader, helloOf("gpu-c")), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(edits(*hub, token("readers/alice")).code(), Code::kPermissionDenied);
  EXPECT_EQ(edits(*hub, token("agents/gpu-b")).code(), Code::kPermissionDenied);
  EXPECT_THAT(edits(*hub, token("agents/gpu-b")).message(), HasSubstr("good for ingest, not for admin"));
  EXPECT_EQ(edits(*hub, token("readers/root")).code(), Code::kNotFound);
}

TEST_F(Trust, AnAgentSpeaksForItsOwnNodeOnly) {
  {
    const auto hub = serve();
    RawAgent liar(hub->address(), "", mutual(in("agents/gpu-a")));
    EXPECT_EQ(joins(liar, helloOf("gpu-b")), StatusCode::PERMISSION_DENIED);
    v1::Hello for_many = helloOf("gpu-a");
    for_many.add_speaks_for("uuid-gpu-b");
    RawAgent speaker(hub->address(), "", mutual(in("agents/gpu-a")));
    EXPECT_EQ(joins(speaker, for_many), StatusCode::PERMISSION_DENIED);

    RawAgent b(hub->address(), token("agents/gpu-b"), tls());
    ASSERT_EQ(joins(b, helloOf("gpu-b")), StatusCode::OK);
    v1::Hello in_disguise = helloOf("gpu-a");
    in_disguise.set_node_uuid("uuid-gpu-b");
    RawAgent disguised(hub->address(), "", mutual(in("agents/gpu-a")));
    EXPECT_EQ(joins(disguised, in_disguise), StatusCode::PERMISSION_DENIED) << "that uuid is another node's";
    v1::Hello as_agent = helloOf("gpu-a");
    as_agent.set_agent_uuid("agent-gpu-b");
    RawAgent usurper(hub->address(), "", mutual(in("agents/gpu-a")));
    EXPECT_NE(joins(usurper, as_agent), StatusCode::OK);
    EXPECT_TRUE(b.beat());

    RawAgent a(hub->address(), "", mutual(in("agents/gpu-a")));
    ASSERT_EQ(joins(a, helloOf("gpu-a")), StatusCode::OK);
    SessionDictionary dictionary;
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    const NodeId own = out.node({.uuid = "uuid-gpu-a", .name = "gpu-a"}), other = out.node({.uuid = "uuid-gpu-b", .name = "hacked"});
    out.event({.time = wallNow(), .node = own, .kind = "own", .message = "mine"});
    out.event({.time = wallNow(), .node = other, .kind = "foreign", .message = "not mine"});
    ASSERT_TRUE(out.flush().ok());
    // It also claims that it may send for the other node.
    const std::string lifted = std::string("\xd2\x02\x0auuid-gpu-b", 13);
    ASSERT_TRUE(a.sendDefinitions(dictionary.recordsFrom(0)));
    ASSERT_TRUE(a.send(RawAgent::batch(1, 0, lifted + out.take(StreamClass::kEvents))));
    ASSERT_TRUE(a.waitForAck(1, 1));
    ASSERT_TRUE(hub->stop().ok());
  }
  const auto reader = openStore(store).reader();
  ASSERT_TRUE(reader.ok());
  const std::vector<Node> nodes = (*reader)->nodes().value();
  for (const Node& node : nodes) EXPECT_NE(node.name, "hacked");
  EXPECT_EQ((*reader)->events({.kind = "own"})->size(), 1U);
  EXPECT_EQ((*reader)->events({.kind = "foreign"})->size(), 0U);
  const std::vector<Issue> issues = (*reader)->issues().value();
  EXPECT_TRUE(std::ranges::any_of(issues, [](const Issue& issue) { return issue.code == "wire.foreign_node"; }));
}

// Previously, after 65,536 nodes in a store's lifetime, every new one was refused.
TEST_F(Trust, NodesThatAreLongGoneTakeNoRoomAndACredentialAlwaysHasSome) {
  for (const bool lately : {false, true}) {
    store = dir.file(lately ? "lately.rgl" : "long_ago.rgl");
    {
      auto writer = openStore(store).writer();
      ASSERT_TRUE(writer.ok());
      const TimeNs heard = wallNow() - (lately ? 1 : 40) * Retention::kDay;
      for (int i = 0; i < 65'536; ++i) (*writer)->node({.uuid = "old-" + std::to_string(i), .name = "old", .last_heard = heard});
      ASSERT_TRUE((*writer)->close().ok());
    }
    const auto hub = serve();
    RawAgent own(hub->address(), "", mutual(in("agents/gpu-a")));
    EXPECT_EQ(joins(own, helloOf("gpu-a")), StatusCode::OK);
    EXPECT_TRUE(hub->stop().ok());
    // Without credentials, a flood of nodes has no owner.
    const auto open = Hub::start(store, {});
    ASSERT_TRUE(open.ok());
    RawAgent any((*open)->address());
    EXPECT_EQ(joins(any, helloOf("new")), lately ? StatusCode::RESOURCE_EXHAUSTED : StatusCode::OK);
  }
}

// An agent's journal and leases, across a restart of the hub.
TEST_F(Trust, AnotherNodesAgentEndsNoRun) {
  for (const bool restarted : {false, true}) {
    const auto hub = serve();
    const auto sends = [&](const std::string& node, std::uint64_t seq, const std::string& cause, const std::optional<std::int32_t> rank) {
      RawAgent agent(hub->address(), node == "gpu-b" ? token("agents/gpu-b") : "", node == "gpu-b" ? tls() : mutual(in("agents/" + node)));
      ASSERT_EQ(joins(agent, helloOf(node)), StatusCode::OK);
      SessionDictionary dictionary;
      WireRecorder out(
          dictionary, [] { return wallNow(); }, [] {});
      const RunId run = out.run({.name = "job"});
      const AttemptId attempt = out.attempt({.run = run, .key = "a", .end_cause = cause});
      if (rank) out.rank({.attempt = attempt, .rank = *rank, .node = out.node({.uuid = "uuid-" + node, .name = node})});
      ASSERT_TRUE(agent.sendDefinitions(dictionary.recordsFrom(0)));
      ASSERT_TRUE(agent.send(RawAgent::batch(1, seq, out.take(StreamClass::kEvents))));
      ASSERT_TRUE(agent.waitForAck(1, seq + 1));
    };
    if (!restarted) sends("gpu-a", 0, "running", 0);
    sends("gpu-b", restarted ? 1 : 0, "ended by another node", std::nullopt);
    ASSERT_TRUE(hub->stop().ok());
    const auto reader = openStore(store).reader();
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ((*reader)->attempts((*reader)->runs()->at(0).id)->at(0).end_cause, "running");
    const std::vector<Issue> issues = (*reader)->issues().value();
    const auto found = std::ranges::find(issues, "wire.foreign_run", &Issue::code);
    ASSERT_NE(found, issues.end());
    EXPECT_EQ(found->source, "gpu-b, run job");
    EXPECT_EQ(found->count, restarted ? 2 : 1);
  }
}

TEST_F(Trust, TheFolderIsItsOwnersAloneAndHoldsNoSecretInTheHubsPart) {
  const auto mode = [&](const std::string& name) {
    struct stat info {};
    EXPECT_EQ(stat(in(name).c_str(), &info), 0) << name;
    return info.st_mode & 0777U;
  };
  EXPECT_EQ(mode(""), 0700U);
  for (const char* name : {"ca.key", "hub.key", "access", "agents/gpu-a/agent.key", "agents/gpu-b/token", "readers/alice/token"})
    EXPECT_EQ(mode(name), 0600U) << name;
  for (const char* name : {"agents/gpu-b", "readers/alice", "readers/root"})
    EXPECT_THAT(text(in("access")), Not(HasSubstr(token(name).substr(13)))) << name;
  EXPECT_THAT(text(in("agents/gpu-a/agent.toml")), HasSubstr("name = \"gpu-a\""));
}

TEST_F(Trust, NoSecretIsSaidOrStored) {
  const std::string good = token("agents/gpu-b");
  std::string said;
  {
    const auto hub = serve();
    RawAgent agent(hub->address(), good, tls());
    ASSERT_EQ(joins(agent, helloOf("gpu-b")), StatusCode::OK);
    RawAgent wrong(hub->address(), "canary-0123456789abcdef", tls());
    EXPECT_FALSE(wrong.join(helloOf("gpu-c")));
    said += wrong.finish().error_message();
    said += edits(*hub, "canary-0123456789abcdef").message();
    said += edits(*hub, good).message();
    std::ofstream(in("access"), std::ios::app) << "token x canary-0123456789abcdef\n";
    EXPECT_TRUE(test::waitUntil([&] {
      (void)edits(*hub, good);
      return !hub->stats().access_error.empty();
    }));
    said += hub->stats().access_error;
    EXPECT_EQ(edits(*hub, token("readers/root")).code(), Code::kNotFound) << "what was read before counts";
    ASSERT_TRUE(hub->stop().ok());
  }
  for (const std::string& secret : {std::string("canary-0123"), good.substr(13)}) {
    EXPECT_THAT(said, Not(HasSubstr(secret)));
    EXPECT_THAT(text(store), Not(HasSubstr(secret)));
  }
  EXPECT_THAT(said, HasSubstr("line "));
}

TEST_F(Trust, PairingSaysWhatCannotBe) {
  EXPECT_EQ(pairing->addAgent("gpu-a", Pairing::Proof::kToken).status().code(), Code::kAlreadyExists);
  for (const char* name : {"", "..", "a/b", "a b", "-x", "a\nb", ".hidden"})
    EXPECT_EQ(pairing->addReader(name, false).status().code(), Code::kInvalidArgument) << name;
  EXPECT_EQ(pairing->certifyHub({"two words"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(pairing->renew("nobody", wallNow(), 0).status().code(), Code::kNotFound);
  std::ofstream(dir.file("file")) << "x";
  std::filesystem::create_directory(dir.file("full"));
  std::ofstream(dir.file("full/other")) << "x";
  EXPECT_EQ(Pairing::open({.folder = dir.file("full")}).status().code(), Code::kAlreadyExists);
  const auto again = Pairing::open({.folder = folder});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->access().entries.size(), 4U);
  EXPECT_THAT(again->hubNames(), testing::ElementsAre("hub.example", "localhost", "127.0.0.1", "::1"));
}

class OwnSocket : public Trust {
 protected:
  HubOptions onSocket() const {
    HubOptions with = options();
    with.listen.clear();
    with.socket = path;
    return with;
  }
  std::string path = dir.file("hub.sock");
};

TEST_F(OwnSocket, OpensToItsOwnerWithoutATokenAndToNobodyElse) {
  HubOptions with = options();
  with.socket = path;
  const auto hub = serve(with);
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  RawAgent agent("unix:" + path);
  EXPECT_EQ(joins(agent, helloOf("gpu-c")), StatusCode::OK);
  EXPECT_EQ(ControlClient({.hub = "unix:" + path}).edit(note(), "").code(), Code::kNotFound);
  RawAgent by_port(hub->address(), "", tls());
  EXPECT_EQ(joins(by_port, helloOf("gpu-d")), StatusCode::UNAUTHENTICATED) << "the port asks all the same";
}

TEST_F(OwnSocket, TakesThePlaceOfADeadHubsAndOfNothingElse) {
  {
    const auto hub = serve(onSocket());
    EXPECT_EQ(hub->address(), "unix:" + path);
    const auto second = Hub::start(dir.file("other.rgl"), onSocket());
    EXPECT_EQ(second.status().code(), Code::kUnavailable);
    EXPECT_THAT(second.status().message(), HasSubstr("another process listens"));
  }
  EXPECT_FALSE(std::filesystem::exists(path)) << "a hub that stops takes its socket away";
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(left);
  EXPECT_NE(serve(onSocket()), nullptr);
  std::ofstream(path) << "precious";
  EXPECT_EQ(Hub::start(store, onSocket()).status().code(), Code::kAlreadyExists);
  EXPECT_EQ(text(path), "precious");
  HubOptions far = onSocket();
  far.socket = dir.file(std::string(200, 'x'));
  EXPECT_EQ(Hub::start(store, far).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace runglass
