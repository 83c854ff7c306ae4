// SPDX-License-Identifier: Apache-2.0
// Floods of HTTP/2 frames, which cost nothing to send, at a hub's network port: their cost for the hub and its agents.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "collectors/hub/access/pairing.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/collectors/hub/server/raw_http2.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using test::RawHttp2;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
constexpr char kPath[] = "/runglass.v1.Ingest/Session";
constexpr std::size_t kFloodBytes = 24U << 20;
constexpr DurNs kFloodFor = 3 * kNsPerSecond;
constexpr int kFlooders = 4, kKeyUpdates = 200'000;

enum class Kind { kNewCalls, kRapidReset, kContinuation, kKeyUpdates };
enum class Who { kInClear, kStranger, kAgent };

// Sends until the hub closes the connection or kFloodBytes are sent.
void flood(RawHttp2& to, Kind kind, std::uint32_t stream) {
  const std::string again = RawHttp2::again(), block(16'000, '\x82');
  if (!to.send(RawHttp2::frame(RawHttp2::kHeaders, RawHttp2::kEndHeaders, stream, RawHttp2::headers(kPath)))) return;
  if (kind == Kind::kContinuation && !to.send(RawHttp2::frame(RawHttp2::kHeaders, 0, stream + 2, again))) return;
  if (kind == Kind::kKeyUpdates) {
    for (int i = 0; i < kKeyUpdates && to.updateKeys();) ++i;
    return;
  }
  while (to.sent() < kFloodBytes) {
    std::string many;
    while (many.size() < 64'000) {
      if (kind == Kind::kContinuation) {
        many += RawHttp2::frame(RawHttp2::kContinuation, 0, stream + 2, block);
        continue;
      }
      stream += 2;
      many += RawHttp2::frame(RawHttp2::kHeaders, RawHttp2::kEndHeaders, stream, again);
      if (kind == Kind::kRapidReset) many += RawHttp2::frame(RawHttp2::kReset, 0, stream, RawHttp2::reset());
    }
    if (!to.send(many)) return;
  }
}

// AddressSanitizer keeps freed memory, 256 MiB by default, which must not count as the hub's.
void keepLittleFreedMemory() {
  const char* const have = std::getenv("ASAN_OPTIONS");
  setenv("ASAN_OPTIONS", (std::string(have != nullptr ? have : "") + ":quarantine_size_mb=8:thread_local_quarantine_size_kb=64").c_str(),
         1);
}

class FloodedHub : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(dir.file("token")) << kToken << "\n";
    std::filesystem::permissions(dir.file("token"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    auto made = Pairing::open({.folder = folder, .address = "localhost:7070"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    ASSERT_TRUE(made->certifyHub({"hub.example"}).ok());
    ASSERT_TRUE(made->addAgent("gpu-a", Pairing::Proof::kCertificate).ok());
    ASSERT_TRUE(made->addAgent("gpu-b", Pairing::Proof::kToken).ok());
  }
  static std::string text(const std::string& path) {
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  RawHttp2::Tls tls(Who who) const {
    if (who == Who::kInClear) return {};
    if (who == Who::kStranger) return {.on = true};
    return {.on = true, .certificate = folder + "/agents/gpu-a/agent.pem", .key = folder + "/agents/gpu-a/agent.key"};
  }
  test::Spawned serve(bool in_clear) const {
    std::vector<std::string> arguments = {"runglassctl", "serve", "--store", dir.file("s.rgl"), "--listen", "127.0.0.1:0"};
    for (const std::string& part :
         in_clear ? std::vector<std::string>{"--token-file", dir.file("token")} : std::vector<std::string>{"--trust", folder})
      arguments.push_back(part);
    keepLittleFreedMemory();
    return test::spawn(std::move(arguments));
  }
  static int portOf(const test::Spawned& hub) {
    const std::string line = test::firstLine(hub.out);
    close(hub.out);
    return std::stoi(line.substr(line.rfind(':') + 1));
  }
  // A well-behaved agent with the same address as the flooding clients.
  std::unique_ptr<RawAgent> honest(int port, bool in_clear) const {
    const std::string token = text(folder + "/agents/gpu-b/token");
    return std::make_unique<RawAgent>(
        "localhost:" + std::to_string(port), in_clear ? kToken : token.substr(0, token.find('\n')),
        in_clear ? grpc::InsecureChannelCredentials() : grpc::SslCredentials({text(folder + "/ca.pem"), "", ""}));
  }
  static bool joins(RawAgent& agent, const std::string& session = "s1") {
    v1::Hello hello = RawAgent::hello(session);
    hello.set_node_name("gpu-b");
    return agent.join(hello).has_value();
  }
  // One admitted call, of a different agent each time; it stays open.
  static bool join(RawHttp2& to, int number) {
    v1::AgentMessage hello;
    hello.mutable_hello()->set_proto_version(1);
    hello.mutable_hello()->set_agent_uuid("flooder-" + std::to_string(number));
    hello.mutable_hello()->set_node_uuid("flooder");
    hello.mutable_hello()->set_node_name("gpu-a");
    hello.mutable_hello()->add_sessions()->set_session("s" + std::to_string(number));
    return to.send(RawHttp2::frame(RawHttp2::kHeaders, RawHttp2::kEndHeaders, 1, RawHttp2::headers(kPath)) +
                   RawHttp2::frame(RawHttp2::kData, 0, 1, RawHttp2::message(hello.SerializeAsString()))) &&
           to.waitFor(RawHttp2::kData);
  }

  test::TempFolder dir;
  std::string folder = dir.file("trust");
};

class Flood : public FloodedHub, public testing::WithParamInterface<std::tuple<Who, Kind>> {};

double statusMib(pid_t pid, std::string_view key) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(key.size())) / 1024;
  return 0;
}
double rssMib(pid_t pid) { return statusMib(pid, "VmRSS:"); }

struct Killed {
  pid_t pid;
  ~Killed() { kill(pid, SIGKILL), waitpid(pid, nullptr, 0); }
};

// 128 MiB of zeros in 130 KB, from an admitted agent: gRPC would unpack them before checking the size.
TEST_F(FloodedHub, DoesNotUnpackAMessageBeforeItIsRefused) {
  const test::Spawned hub = serve(true);
  const Killed in_the_end{hub.pid};
  const int port = portOf(hub);
  const std::unique_ptr<RawAgent> its = honest(port, true);
  ASSERT_TRUE(joins(*its));
  ASSERT_TRUE(its->send(RawAgent::batch(0, 0, "")) && its->waitForAck(0, 1));
  const double before = statusMib(hub.pid, "VmHWM:");
  RawAgent bomber("localhost:" + std::to_string(port), kToken, grpc::InsecureChannelCredentials(), true);
  const DurNs begin = monotonicNow();
  (void)bomber.write([] {
    v1::AgentMessage message;
    *message.mutable_hello() = RawAgent::hello("s2", "bomber");
    message.mutable_hello()->set_node_name(std::string(128 << 20, '\0'));
    return message;
  }());
  EXPECT_FALSE(bomber.finish().ok());
  EXPECT_LT(monotonicNow() - begin, 10 * kNsPerSecond) << "ns";
  EXPECT_LT(statusMib(hub.pid, "VmHWM:") - before, 80) << "MiB";
  EXPECT_TRUE(its->send(RawAgent::batch(0, 1, "")) && its->waitForAck(0, 2)) << "an agent next to it is served";
}

TEST_P(Flood, LeavesMemoryAgentsAndTheEndOfTheHubAlone) {
  const auto [who, kind] = GetParam();
  const bool in_clear = who == Who::kInClear;
  const test::Spawned hub = serve(in_clear);
  const Killed in_the_end{hub.pid};
  const int port = portOf(hub);
  const std::unique_ptr<RawAgent> its = honest(port, in_clear);
  RawAgent& agent = *its;
  ASSERT_TRUE(joins(agent));
  ASSERT_TRUE(agent.send(RawAgent::batch(0, 0, "")) && agent.waitForAck(0, 1));
  const double before = rssMib(hub.pid);

  std::atomic<bool> stop = false;
  std::atomic<int> connections = 0, joined = 0;
  std::vector<std::thread> flooders;
  for (int i = 0; i < kFlooders; ++i)
    flooders.emplace_back([&, i] {
      for (int round = 0; !stop && round < 100; ++round) {
        RawHttp2 to(port, tls(who));
        if (!to.open() || !to.greet()) continue;
        ++connections;
        if (who != Who::kAgent) {
          flood(to, kind, 1);
        } else if (join(to, 1'000 * i + round)) {
          ++joined;
          flood(to, kind, 3);
        }
      }
    });

  std::vector<DurNs> delays;
  double most = before;
  const DurNs began = monotonicNow();
  for (std::uint64_t seq = 1; monotonicNow() - began < kFloodFor; ++seq) {
    const DurNs sent = monotonicNow();
    const bool acknowledged = agent.send(RawAgent::batch(0, seq, "")) && agent.waitForAck(0, seq + 1);
    EXPECT_TRUE(acknowledged);
    if (!acknowledged) break;
    delays.push_back(monotonicNow() - sent);
    most = std::max(most, rssMib(hub.pid));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // only limits the rate
  }
  stop = true;
  const DurNs asked = monotonicNow();
  kill(hub.pid, SIGTERM);
  int status = 0;
  const bool ended = test::waitUntil([&] { return waitpid(hub.pid, &status, WNOHANG) == hub.pid; }, std::chrono::seconds(30));
  const double seconds = static_cast<double>(monotonicNow() - asked) / 1e9;
  if (!ended) kill(hub.pid, SIGKILL);
  for (std::thread& flooder : flooders) flooder.join();

  EXPECT_GT(connections, 0);
  EXPECT_TRUE(who != Who::kAgent || joined > 0);
  ASSERT_FALSE(delays.empty());
  std::ranges::sort(delays);
  const double p99 = static_cast<double>(delays[(delays.size() - 1) * 99 / 100]) / 1e6;
  EXPECT_LE(p99, 1'000) << "ms, of " << delays.size();
  EXPECT_LE(most - before, 200) << "MiB";
  EXPECT_TRUE(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_LE(seconds, 3) << "until the hub ended";
  RecordProperty("connections", connections);
  std::printf("flood: %d connections, ack p99 %.1f ms of %zu, +%.0f MiB, ended after %.2f s\n", connections.load(), p99, delays.size(),
              most - before, seconds);
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Who, Kind>>& info) {
  constexpr const char* kWho[] = {"InClear", "Stranger", "AgentWithCertificate"};
  constexpr const char* kKind[] = {"NewCalls", "RapidReset", "Continuation", "KeyUpdates"};
  return std::string(kWho[static_cast<int>(std::get<0>(info.param))]) + kKind[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Hub, Flood,
                         testing::Combine(testing::Values(Who::kInClear, Who::kStranger, Who::kAgent),
                                          testing::Values(Kind::kNewCalls, Kind::kRapidReset, Kind::kContinuation)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(HubTls, Flood, testing::Combine(testing::Values(Who::kStranger, Who::kAgent), testing::Values(Kind::kKeyUpdates)),
                         nameOf);

// What a connection sends before it falls silent.
enum class Silence { kInClear, kBeforeTls, kInTheHandshake };

// The first message of a TLS client.
std::string clientHello() {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL* const ssl = SSL_new(context);
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
  (void)SSL_connect(ssl);
  char bytes[4'096];
  const int count = BIO_read(out, bytes, sizeof bytes);
  SSL_free(ssl);
  SSL_CTX_free(context);
  return {bytes, static_cast<std::size_t>(std::max(count, 0))};
}

class SilentFlood : public FloodedHub, public testing::WithParamInterface<Silence> {
 protected:
  // Opens connections at a rate that the hub can handle and keeps the newest of them. A higher rate delays every new connection, because of
  // the accept queue (docs/operate/trust.md).
  static void flood(int port, const std::string& first, const std::atomic<bool>& stop, std::atomic<int>& connections) {
    constexpr std::size_t kKept = 200;
    const std::chrono::milliseconds pace(first.empty() ? 1 : 10);
    std::deque<std::unique_ptr<RawHttp2>> kept;
    while (!stop) {
      auto one = std::make_unique<RawHttp2>(port, RawHttp2::Tls{});
      if (!one->open() || !one->send(first)) continue;
      ++connections;
      kept.push_back(std::move(one));
      if (kept.size() > kKept) kept.pop_front();
      std::this_thread::sleep_for(pace);
    }
  }
};

TEST_P(SilentFlood, OfTheAddressOfAnAgentDelaysNeitherItsReturnNorItsAcknowledgements) {
  const bool in_clear = GetParam() == Silence::kInClear;
  const std::string first = GetParam() == Silence::kInTheHandshake ? clientHello() : "";
  const test::Spawned hub = serve(in_clear);
  const Killed in_the_end{hub.pid};
  const int port = portOf(hub);
  ASSERT_TRUE(joins(*honest(port, in_clear)));

  std::atomic<bool> stop = false;
  std::atomic<int> connections = 0;
  std::vector<std::thread> flooders;
  for (int i = 0; i < kFlooders; ++i) flooders.emplace_back([&] { flood(port, first, stop, connections); });
  const bool flooded = test::waitUntil([&] { return connections > 500; });

  std::vector<DurNs> delays, returns;
  std::uint64_t seq = 0;
  for (int round = 0; flooded && round < 10; ++round) {
    const DurNs began = monotonicNow();
    std::unique_ptr<RawAgent> agent;
    bool joined = false;
    // Like an agent, which reconnects at once.
    while (!joined && monotonicNow() - began < 20 * kNsPerSecond) {
      agent = honest(port, in_clear);
      joined = joins(*agent, "s1");
    }
    returns.push_back(monotonicNow() - began);
    ASSERT_TRUE(joined) << "round " << round;
    for (int i = 0; i < 20; ++i, ++seq) {
      const DurNs sent = monotonicNow();
      EXPECT_TRUE(agent->send(RawAgent::batch(0, seq, "")) && agent->waitForAck(0, seq + 1));
      delays.push_back(monotonicNow() - sent);
    }
  }
  stop = true;
  for (std::thread& flooder : flooders) flooder.join();
  ASSERT_TRUE(flooded);
  std::ranges::sort(delays);
  std::ranges::sort(returns);
  const double p99 = static_cast<double>(delays[(delays.size() - 1) * 99 / 100]) / 1e6, slowest = static_cast<double>(returns.back()) / 1e6;
  EXPECT_LE(p99, 1'000) << "ms, of " << delays.size();
  EXPECT_LE(slowest, 1'000) << "ms until the agent was back";
  std::printf("silent flood: %d connections, back after %.0f ms at most, ack p99 %.1f ms\n", connections.load(), slowest, p99);
}

std::string silenceName(const testing::TestParamInfo<Silence>& info) {
  constexpr const char* kNames[] = {"InClear", "BeforeTls", "InTheHandshake"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Hub, SilentFlood, testing::Values(Silence::kInClear, Silence::kBeforeTls, Silence::kInTheHandshake), silenceName);

}  // namespace
}  // namespace runglass
