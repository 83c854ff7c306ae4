// SPDX-License-Identifier: Apache-2.0
// Rows with unknown clients: silent connections, calls without a token.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "runglass/v1/ingest.grpc.pb.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

// Connects without waiting from 127.0.0.<host>: many addresses, so that the limit per address does not help.
int knock(const std::string& hub, int host) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(0x7f000000U + static_cast<std::uint32_t>(host));
  (void)bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(hub.substr(hub.rfind(':') + 1))));
  (void)connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  return fd;
}

// Calls per second without a token, from a few threads with a connection each. Each claims to be a node that must not get into the store.
class Flood {
 public:
  Flood(const std::string& hub, double per_second) {
    constexpr int kThreads = 4;
    for (int t = 0; t < kThreads; ++t) m_threads.emplace_back([this, hub, period = kThreads / per_second] { run(hub, period); });
  }
  ~Flood() { stop(); }
  void stop() {
    m_stop = true;
    for (std::thread& thread : m_threads) thread.join();
    m_threads.clear();
  }
  long refused() const { return m_refused; }
  long closed() const { return m_closed; }
  long other() const { return m_other; }

 private:
  void run(const std::string& hub, double period) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = v1::Ingest::NewStub(grpc::CreateCustomChannel(hub, grpc::InsecureChannelCredentials(), arguments));
    v1::AgentMessage hello;
    hello.mutable_hello()->set_proto_version(1);
    hello.mutable_hello()->set_agent_uuid("intruder");
    hello.mutable_hello()->set_node_uuid("intruder");
    hello.mutable_hello()->set_node_name("intruder");
    hello.mutable_hello()->add_sessions()->set_session("intruder");
    const DurNs began = monotonicNow();
    for (long n = 0; !m_stop; ++n) {
      const DurNs due = began + static_cast<DurNs>(static_cast<double>(n) * period * 1e9);
      if (const DurNs early = due - monotonicNow(); early > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(early));
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
      const auto call = stub->Session(&context);
      call->Write(hello);
      call->WritesDone();
      const grpc::StatusCode code = call->Finish().error_code();
      // The hub closes a connection that has sent 32 KiB without an admitted call.
      (code == grpc::StatusCode::UNAUTHENTICATED ? m_refused : code == grpc::StatusCode::UNAVAILABLE ? m_closed : m_other)++;
    }
  }

  std::atomic<bool> m_stop = false;
  std::atomic<long> m_refused = 0, m_closed = 0, m_other = 0;
  std::vector<std::thread> m_threads;
};

}  // namespace

Row descriptors(const Scale& scale) {
  constexpr int kIdle = 500;
  const double seconds = scale.seconds(30, 5);
  const std::string directory = scale.directory + "/R12";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl", .descriptors = 200});
  Fleet fleet({.name = "soak", .agents = scale.agents(32), .hertz = 10}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.2 : 3);
  Machine machine(&hub);
  std::vector<int> idle;
  for (int i = 0; i < kIdle; ++i) idle.push_back(knock(hub.address(), 2 + i % 16));
  bool unaffected = true;
  int max_files = 0;
  Latency latency = fleet.listen(seconds, [&] {
    unaffected = unaffected && fleet.isComplete();
    max_files = std::max(max_files, hub.openFiles());
    return false;
  });
  for (const int fd : idle) close(fd);
  const DurNs relieved = monotonicNow();
  Fleet late({.name = "late", .agents = 1}, hub.address(), directory);
  const bool served = late.waitFor([&] { return late.isComplete(); }, 30);
  const double served_after = static_cast<double>(monotonicNow() - relieved) / 1e9;
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(30), "all acknowledged");
  (void)late.leave(5);
  (void)hub.terminate();
  // Up to the reserve, which is for the store.
  findings.need((max_files >= 170 && max_files <= 200) || scale.quick, text("hub had %d of 200 descriptors", max_files));
  findings.need(unaffected, "agents stayed connected");
  findings.need(latency.ms(0.99) <= 1'000, text("their ack p99 %.0f ms", latency.ms(0.99)));
  findings.need(served && served_after <= 10, text("a new agent served %.1f s after relief", served_after));
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  return {.id = "R12",
          .what = text("serve under ulimit -n 200, %d idle connections from 16 addresses for %.0f s", kIdle, seconds),
          .target = "agents there unaffected (ack p99 <= 1 s), a new one served <= 10 s after",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

Row flood(const Scale& scale) {
  constexpr double kFull = 60, kPerSecond = 1'000, kSeal = 50;
  const double seconds = scale.seconds(kFull, 21);  // the hub commits every ten seconds: as many commits before as during
  const std::string directory = scale.directory + "/S3", token = directory + "/token";
  std::filesystem::create_directories(directory);
  std::ofstream(token) << "soak-0123456789abcdef0123456789abcdef\n";
  std::filesystem::permissions(token, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  HubProcess hub({.store = directory + "/s.rgl", .more = {"--token-file", token}});
  Fleet fleet({.name = "soak", .agents = scale.agents(64), .metrics = 20, .hertz = 10, .token_file = token}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.2 : 3);
  // Alternating, so that other load of the machine affects both; each turn is as long as the hub's commit interval.
  constexpr double kTurn = 10.5;
  const int turns = scale.quick ? 1 : static_cast<int>(std::ceil(seconds / kTurn));
  Latency before, during;
  Machine machine(&hub);
  long refused = 0, closed = 0, other = 0;
  double flooded = 0;
  for (int turn = 0; turn < turns; ++turn) {
    before.add(fleet.listen(scale.quick ? seconds : kTurn));
    (void)machine.take();
    const DurNs began = monotonicNow();
    Flood flood(hub.address(), kPerSecond);
    during.add(fleet.listen(scale.quick ? seconds : kTurn));
    flood.stop();
    flooded += static_cast<double>(monotonicNow() - began) / 1e9;
    refused += flood.refused();
    closed += flood.closed();
    other += flood.other();
  }
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  (void)hub.terminate();
  bool clean = false;
  if (const auto reader = openStore(hub.store()).reader(); reader.ok()) {
    const auto nodes = (*reader)->nodes();
    const auto issues = (*reader)->issues();
    clean = nodes.ok() && issues.ok() && std::ranges::none_of(*nodes, [](const Node& node) { return node.uuid == "intruder"; }) &&
            std::ranges::none_of(*issues, [](const Issue& issue) { return issue.code.starts_with("wire."); });
  }
  const double rate = static_cast<double>(refused + closed) / flooded;
  findings.need(
      other == 0 && refused > 0 && (rate >= 0.9 * kPerSecond || scale.quick),
      text("%.0f refused a second (%ld of %ld by closing the connection), %ld answered otherwise", rate, closed, refused + closed, other));
  findings.need(clean, "nothing of them in the store");
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(during.ms(0.99) <= std::max(kSeal, 2 * before.ms(0.99)) || scale.quick,
                text("ack p99 %.1f ms, %.1f ms without", during.ms(0.99), before.ms(0.99)));
  return {.id = "S3",
          .what = text("%.0f calls a second without a token for %.0f s of %.0f, in addition to the load of R1", kPerSecond, flooded, kFull),
          .target = "authenticated p99 <= 2 x what it is without (or 50 ms, what agents wait before they send), nothing parsed",
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

}  // namespace runglass::soak
