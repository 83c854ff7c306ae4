// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl trace: finds the hub, prints one clear line for an invalid request, and one line per node.
#include <future>
#include <nlohmann/json.hpp>

#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

class TraceTest : public CtlFixture {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
  Outcome trace(std::vector<std::string> more) {
    more.insert(more.begin(), "trace");
    return ctl(more);
  }
};

TEST_F(TraceTest, ExactlyOneThingIsAskedOfOneHub) {
  EXPECT_EQ(trace({"--store", m_store, "--run", "pretrain"}).exit, 2);
  EXPECT_EQ(trace({"--store", m_store, "--run", "pretrain", "--every", "1", "--steps", "2"}).exit, 2);
  EXPECT_EQ(trace({"--store", m_store, "--hub", "127.0.0.1:1", "--run", "pretrain", "--every", "1"}).exit, 2);
  EXPECT_EQ(trace({"--store", m_store, "--run", "pretrain", "--every", "x"}).exit, 2);
  expectFails(trace({"--run", "pretrain", "--every", "1"}), "--hub HOST:PORT or --store");
  expectFails(trace({"--store", m_store, "--run", "unknown", "--every", "1"}), "no hub writes it now");
}

TEST_F(TraceTest, AStoreThatAnotherProcessThanAHubWritesIsSaid) {
  const auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  expectFails(trace({"--store", m_store, "--run", "pretrain", "--every", "1"}), "process " + std::to_string(::getpid()));
}

TEST_F(TraceTest, EachNodeIsALineAndOneThatCouldNotIsAFailure) {
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  std::promise<bool> recorded;
  (*hub)->post([&](Writer& writer) {
    const NodeId node = writer.node({.uuid = "machine-1", .name = "node-a"});
    const AttemptId attempt = writer.attempt({.run = writer.run({.name = "live"}), .key = "0"});
    writer.rank({.attempt = attempt, .rank = 0, .node = node});
    recorded.set_value(writer.flush().ok());
  });
  ASSERT_TRUE(recorded.get_future().get());
  expectFails(trace({"--store", m_store, "--run", "pretrain", "--every", "5"}), "the ranks of its newest attempt are not known");
  const Outcome away = trace({"--store", m_store, "--run", "live", "--every", "5"});
  EXPECT_EQ(away.out, "node-a  its agent is not connected\n");
  expectFails(away, "node-a: its agent is not connected");
  expectFails(trace({"--store", m_store, "--run", "live", "--steps", "5"}), "records no steps");
  const Outcome one = trace({"--hub", (*hub)->address(), "--run", "live", "--filter", "a|b", "--rank", "0", "--json"});
  const auto json = nlohmann::json::parse(one.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << one.out << one.err;
  EXPECT_EQ(json["nodes"].size(), 1u);
  EXPECT_EQ(json["nodes"][0]["ok"], false);
  expectFails(trace({"--store", m_store, "--run", "nobody", "--every", "5"}), "run 'nobody'");
  expectFails(trace({"--store", m_store, "--run", "live", "--steps", "0"}), "0 is not in 1..100000");
  const auto events = query("SELECT kind, code, message FROM event WHERE kind = 'order' ORDER BY event_id LIMIT 2");
  EXPECT_EQ(events.out,
            "kind,code,message\norder,trace_every,trace kernels in every step that 5 divides\n"
            "order,trace_every,node-a: its agent is not connected\n");
}

TEST_F(TraceTest, ARunThatHasEndedIsReportedAsEndedWithAndWithoutAHub) {
  {
    auto hub = Hub::start(m_store, {});
    ASSERT_TRUE(hub.ok()) << hub.status().message();
    std::promise<bool> recorded;
    (*hub)->post([&](Writer& writer) {
      const NodeId node = writer.node({.uuid = "machine-1", .name = "node-a"});
      const RunId run = writer.run({.name = "over", .state = RunState::kFinished, .end = 1'772'445'600 * kNsPerSecond});
      writer.rank({.attempt = writer.attempt({.run = run, .key = "0"}), .rank = 0, .node = node});
      recorded.set_value(writer.flush().ok());
    });
    ASSERT_TRUE(recorded.get_future().get());
    const std::string ended = "node-a: run 'over' ended 2026-03-02 10:00:00Z (finished): its agent is not connected";
    expectFails(trace({"--store", m_store, "--run", "over", "--every", "5"}), ended);
    expectFails(ctl({"capture", "--store", m_store, "--run", "over"}), ended);
    ASSERT_TRUE((*hub)->stop().ok());
  }
  expectFails(trace({"--store", m_store, "--run", "over", "--every", "5"}), "run 'over' ended 2026-03-02 10:00:00Z (finished)");
  expectFails(ctl({"capture", "--store", m_store, "--run", "over"}), "only a running run can be traced or captured");
}

}  // namespace
}  // namespace runglass
