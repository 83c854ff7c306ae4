// SPDX-License-Identifier: Apache-2.0
// One hostile agent and many well-behaved ones.
#include <array>
#include <atomic>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>

#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/soak/hub_process.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {
namespace {

using test::RawAgent;
using Wire = v1::Payload;

// Attacks of an admitted agent, one connection each, one after the other until it is stopped.
class Hostile {
 public:
  explicit Hostile(std::string hub) : m_hub(std::move(hub)), m_thread([this] { run(); }) {}
  ~Hostile() { stop(); }
  Hostile(const Hostile&) = delete;
  Hostile& operator=(const Hostile&) = delete;
  void stop() {
    m_stop = true;
    if (m_thread.joinable()) m_thread.join();
  }
  long rounds() const { return m_rounds; }    // complete rounds of all attacks
  long refused() const { return m_refused; }  // connections that the hub did not admit

 private:
  using Attack = void (Hostile::*)(RawAgent&);
  struct Kind {
    Attack attack;
    int sessions;
  };
  void run() {
    static constexpr std::array<Kind, 7> kAttacks = {{{&Hostile::garbage, 1},
                                                      {&Hostile::poison, 1},
                                                      {&Hostile::definitions, 40},
                                                      {&Hostile::times, 1},
                                                      {&Hostile::leases, 1},
                                                      {&Hostile::jumps, 1},
                                                      {&Hostile::issues, 1}}};
    for (std::size_t n = 0; !m_stop; ++n) {
      const Kind& kind = kAttacks[n % kAttacks.size()];
      RawAgent agent(m_hub);
      v1::Hello hello = agent.hello("s" + std::to_string(n), "hostile");
      for (int i = 1; i < kind.sessions; ++i) hello.add_sessions()->set_session("more" + std::to_string(i));
      if (!agent.join(hello)) {
        ++m_refused;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      (this->*kind.attack)(agent);
      if (n % kAttacks.size() + 1 == kAttacks.size()) ++m_rounds;
    }
  }
  // Bytes that are not a payload, with a correct checksum and with a wrong one.
  void garbage(RawAgent& agent) {
    std::uint64_t seq = 0;
    for (const std::size_t size : {1U, 100U, 10'000U, 500'000U}) {
      std::string bytes(size, '\0');
      for (char& byte : bytes) byte = static_cast<char>(m_random());
      if (!agent.send(RawAgent::batch(4, seq++, bytes))) return;
    }
    (void)agent.waitForAck(4, seq);
    v1::Batch wrong = RawAgent::batch(4, seq, "bytes");
    wrong.set_crc32c(wrong.crc32c() ^ 1U);
    (void)agent.send(wrong);
    (void)agent.finish();
  }
  // Records with undefined owners.
  void poison(RawAgent& agent) {
    v1::Payload payload;
    payload.add_define_attempt()->set_id(1);
    payload.mutable_define_attempt(0)->set_run(7);
    payload.add_attempt()->set_id(1);
    payload.mutable_attempt(0)->set_end_cause("x");
    payload.add_define_track()->set_id(1);
    payload.add_event()->set_attempt(9);
    payload.add_log()->set_node(9);
    (void)agent.send(RawAgent::batch(1, 0, payload.SerializeAsString()));
    (void)agent.waitForAck(1, 1);
  }
  // Until the hub refuses more.
  void definitions(RawAgent& agent) {
    v1::Series series;
    series.set_metric(std::string(1'000, 'm'));
    std::string records;
    while (records.size() < (512U << 10)) wire::appendBytes(records, Wire::kDefineSeriesFieldNumber, series.SerializeAsString());
    v1::AgentMessage message;
    message.mutable_definitions()->set_records(records);
    message.mutable_definitions()->set_crc32c(crc32c(records));
    for (std::uint32_t sent = 0; sent < 100 && !m_stop; ++sent) {
      message.mutable_definitions()->set_session_index(sent % 40);
      if (!agent.write(message)) break;
    }
    (void)agent.finish();
  }
  // Extreme times: of events, a run, and the node's clock.
  void times(RawAgent& agent) {
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    v1::AgentMessage beat;
    for (const std::int64_t offset : {kFar, -kFar, std::numeric_limits<std::int64_t>::max()}) {
      beat.mutable_heartbeat()->set_raw_ns(wallNow());
      beat.mutable_heartbeat()->set_offset_ns(offset);
      if (!agent.write(beat)) return;
    }
    v1::Payload payload;
    payload.add_define_run()->set_id(1);
    payload.mutable_define_run(0)->set_name("hostile");
    payload.add_run()->set_id(1);
    payload.mutable_run(0)->set_start_ns(-kFar);
    payload.mutable_run(0)->set_end_ns(kFar);
    payload.add_event()->set_kind("future");
    std::string bytes;
    wire::appendFixed64(bytes, Wire::kSealedNsFieldNumber, std::numeric_limits<std::int64_t>::max());
    (void)agent.send(RawAgent::batch(1, 0, bytes + payload.SerializeAsString()));
    (void)agent.waitForAck(1, 1);
  }
  void leases(RawAgent& agent) {
    v1::AgentMessage beat;
    beat.mutable_heartbeat()->set_raw_ns(wallNow());
    for (int i = 0; i < 100'000; ++i) {
      v1::Lease& lease = *beat.mutable_heartbeat()->add_leases();
      lease.set_file("/f" + std::to_string(i));
      lease.set_offset(std::uint64_t{1} << 62);
    }
    for (int i = 0; i < 3; ++i)
      if (!agent.write(beat)) return;
    (void)agent.send(RawAgent::batch(1, 0, ""));
    (void)agent.waitForAck(1, 1);
  }
  void jumps(RawAgent& agent) {
    for (const std::uint64_t seq : {std::uint64_t{1'000}, std::uint64_t{5}, std::uint64_t{1} << 40, std::uint64_t{1} << 62})
      if (!agent.send(RawAgent::batch(4, seq, ""))) return;
    (void)agent.finish();
  }
  void issues(RawAgent& agent) {
    std::string payload;
    for (int i = 0; i < 100'000; ++i) {
      v1::Issue issue;
      issue.set_code("c" + std::to_string(m_random() % 1'000'000));
      wire::appendBytes(payload, Wire::kIssueFieldNumber, issue.SerializeAsString());
    }
    (void)agent.send(RawAgent::batch(1, 0, payload));
    (void)agent.waitForAck(1, 1);
  }

  const std::string m_hub;
  std::mt19937_64 m_random{1};
  std::atomic<bool> m_stop = false;
  std::atomic<long> m_rounds = 0, m_refused = 0;
  std::thread m_thread;
};

}  // namespace

Row hostile(const Scale& scale) {
  constexpr double kFull = 300, kMaxRssMib = 800;
  const double seconds = scale.seconds(kFull, 20);
  const std::string directory = scale.directory + "/S10";
  std::filesystem::create_directories(directory);
  HubProcess hub({.store = directory + "/s.rgl"});
  Fleet fleet({.name = "soak", .agents = scale.agents(128), .metrics = 12, .hertz = 10}, hub.address(), directory);
  Findings findings;
  findings.need(fleet.waitFor([&] { return fleet.isComplete(); }, 60), "all connected");
  fleet.play();
  (void)fleet.listen(scale.quick ? 0.2 : 3);
  Machine machine(&hub);
  bool unaffected = true;
  Latency latency;
  long rounds = 0, refused = 0;
  {
    Hostile attacker(hub.address());
    latency = fleet.listen(seconds, [&] {
      unaffected = unaffected && fleet.isComplete();
      return false;
    });
    attacker.stop();
    rounds = attacker.rounds(), refused = attacker.refused();
  }
  const Machine::Use use = machine.take();
  findings.need(fleet.leave(60), "all acknowledged");
  const HubProcess::End end = hub.terminate();
  findings.need(rounds > 0 || scale.quick, text("%ld rounds of 7 attacks, %ld connections refused", rounds, refused));
  findings.need(unaffected, "good agents stayed connected");
  findings.need(latency.ms(0.99) <= 1'000 || scale.quick,
                text("ack p50 %.0f p99 %.0f max %.0f ms", latency.ms(0.5), latency.ms(0.99), latency.ms(1)));
  findings.need(hub.peakMib() <= kMaxRssMib, text("RSS %.0f MiB", hub.peakMib()));
  const Fleet::Comparison compared = fleet.compare(hub.store());
  findings.need(compared.exact(), compared.text());
  findings.need(end.status == 0, text("hub ended in %.1f s", end.seconds));
  return {.id = "S10",
          .what = text("one hostile agent next to %d good ones at 10 Hz, %.0f s of %.0f", fleet.plan().agents, seconds, kFull),
          .target = text("0 acked loss of the good ones, their ack p99 <= 1 s, RSS <= %.0f MiB", kMaxRssMib),
          .measured = findings.text(),
          .verdict = findings.verdict(),
          .machine = Machine::text(use)};
}

}  // namespace runglass::soak
