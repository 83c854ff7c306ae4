// SPDX-License-Identifier: Apache-2.0
// The shipped programs: a scenario played by one agent per node gives the same store as one played by a single agent.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "collectors/hub/server/hub.h"
#include "collectors/sim/scenario.h"
#include "model/captures.h"
#include "tests/support/process.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::Process;
using testing::HasSubstr;

constexpr int kNodes = 4;

// Four nodes of two GPUs, ten seconds: a slow rank, a flapping port, a GPU that ends the first attempt; pipelines, spans, checkpoints.
constexpr const char* kScenario = R"(
name = "per-node"
seed = 5
steps = 40
[cluster]
nodes = 4
gpus_per_node = 2
nodes_per_rack = 2
nics_per_node = 1
metrics_hertz = 10
[job]
tp = 2
pp = 2
dp = 2
micro_batches = 4
step_seconds = 0.25
checkpoint_every_steps = 10
epoch_every_steps = 15
epoch_pause_seconds = 0.5
spans = "coarse"
[[fault]]
kind = "slow_rank"
target = "rank:5"
first_step = 5
last_step = 18
strength = 1.6
[[fault]]
kind = "nic_flap"
target = "nic:3/ib0"
first_step = 8
last_step = 9
strength = 2.0
[[fault]]
kind = "hardware_fault"
target = "gpu:1/1"
first_step = 25
last_step = 25
strength = 1.0
xid = 79
)";

// All relations, with times relative to the begin of the run, except the hub's own data about agents (last report and leaving) and the
// single agent's own node.
const std::map<std::string, std::string>& relations() {
  static const std::map<std::string, std::string> kAll = [] {
    std::map<std::string, std::string> all = {
        {"run",
         "name, time_domain, state, {end_ns}, world_size, tp_size, pp_size, dp_size, cp_size, ep_size, vpp_size, framework FROM run"},
        {"attempt", "attempt, {start_ns}, {end_ns}, end_cause, planned, resumed_from_step, first_step, last_step, world_size FROM attempt"},
        {"attempt_fact", "attempt, node, rank, key, value FROM attempt_fact"},
        {"checkpoint", "attempt, step, {begin_ns}, {durable_ns}, bytes, path FROM checkpoint"},
        {"rank", "attempt, rank, node, device_uuid, tp, pp, dp, cp, ep FROM rank"},
        {"node", "node, rack, switch FROM node WHERE node NOT LIKE 'simulator %'"},
        {"device", "device_uuid, node, device_index, kind, model, memory_bytes FROM device"},
        {"series", "run_id, node, device_uuid, rank, metric, labels, unit, kind, sample_count, {first_ns}, {last_ns} FROM series"},
        {"sample", "s.node, s.device_uuid, s.metric, s.labels, {time_ns}, value FROM series s, sample(s.series_id)"},
        {"scalar_all", "attempt, rank, source, tag, step, {time_ns}, value, superseded FROM scalar_all"},
        {"step", "attempt, rank, step, {start_ns}, dur_ns, phase FROM step"},
        {"step_part", "attempt, rank, step, part, dur_ns, wait_ns FROM step_part"},
        {"progress", "attempt, rank, {time_ns}, step, microbatch, op, group_id, seq, {since_ns} FROM progress"},
        {"track", "attempt, rank, kind, name FROM track"},
        {"span", "attempt, rank, category, name, {start_ns}, dur_ns, depth, step, microbatch, group_id, seq, bytes, args FROM span"},
        {"event",
         "{time_ns}, attempt, node, device_uuid, rank, kind, severity, code, message FROM event WHERE message NOT LIKE '%ended its "
         "session%' "
         "AND message NOT LIKE '%is back after%' AND message NOT LIKE '%has been silent%'"},
        {"log_line", "{time_ns}, attempt, node, rank, stream, severity, text FROM log_line"},
        {"comm_group", "attempt, group_id, kind, name, ranks FROM comm_group"},
        {"label", "kind, node, rank, device_uuid, {start_ns}, {end_ns}, first_step, last_step, strength FROM label"},
        {"finding",
         "attempt, kind, severity, {start_ns}, {end_ns}, first_step, last_step, node, rank, dp, pp, tp, score, confidence, coverage, "
         "summary FROM finding"},
        {"ingest_issue", "code, severity, source, count, detail FROM ingest_issue"}};
    for (auto& [name, sql] : all) {
      for (std::size_t at = 0; (at = sql.find('{', at)) != std::string::npos;) {
        const std::size_t end = sql.find('}', at);
        sql.replace(at, end - at + 1, sql.substr(at + 1, end - at - 1) + " - (SELECT min(start_ns) FROM run)");
      }
      sql = "SELECT " + sql;
    }
    return all;
  }();
  return kAll;
}

std::string outputOf(std::vector<std::string> command) {
  const test::Spawned spawned = test::spawn(std::move(command));
  std::string text;
  char block[65'536];
  for (ssize_t n = 0; (n = read(spawned.out, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(n));
  close(spawned.out);
  int status = 0;
  waitpid(spawned.pid, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

std::vector<std::string> sortedLines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(lines);
  return lines;
}

class AgentPerNode : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(scenario) << kScenario; }

  static std::unique_ptr<Process> serve(const std::string& store, const std::string& listen, std::string& address,
                                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"runglassctl", "serve", "--store", store, "--listen", listen};
    command.insert(command.end(), more.begin(), more.end());
    auto hub = std::make_unique<Process>(std::move(command));
    const std::string line = hub->line();
    EXPECT_THAT(line, HasSubstr("listening on "));
    address = line.substr(line.rfind(' ') + 1);
    return hub;
  }
  std::vector<std::string> player(const std::string& address, const std::string& state, const std::vector<std::string>& more) const {
    std::vector<std::string> command = {"runglass-agent", "--hub", address, "--state-dir", dir.file(state), "--simulate", scenario};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // Plays to the end into a new store, without the hub's watch: its findings for half a run would depend on timing.
  void play(const std::string& store, const std::vector<std::string>& more) const {
    auto hub = Hub::start(store, {});
    ASSERT_TRUE(hub.ok()) << hub.status().message();
    Process agent(player((*hub)->address(), "state-of-" + std::filesystem::path(store).filename().string(), more));
    EXPECT_EQ(agent.end(0), 0);
    EXPECT_TRUE((*hub)->stop().ok());
  }
  std::vector<std::string> rows(const std::string& store, const std::string& relation) const {
    return sortedLines(outputOf({"runglassctl", "query", "--store", store, "--format", "csv", relations().at(relation)}));
  }
  // Both were played completely: all relations are equal, and those that the scenario fills are not empty.
  void expectEqual(const std::string& one, const std::string& other, bool findings) const {
    for (const auto& [name, sql] : relations()) {
      if (name == "finding" && !findings) continue;
      const std::vector<std::string> expected = rows(one, name), found = rows(other, name);
      EXPECT_TRUE(name == "ingest_issue" || expected.size() > 1) << name;
      if (expected == found) continue;
      std::vector<std::string> missing, extra;
      std::ranges::set_difference(expected, found, std::back_inserter(missing));
      std::ranges::set_difference(found, expected, std::back_inserter(extra));
      ADD_FAILURE() << name << ": " << missing.size() << " rows are missing, " << extra.size()
                    << " are too many; first: " << (missing.empty() ? "-" : missing.front()) << " | "
                    << (extra.empty() ? "-" : extra.front());
    }
  }

  test::TempFolder dir;
  std::string scenario = dir.file("per-node.toml");
};

TEST_F(AgentPerNode, LeavesTheStoreThatOneAgentLeaves) {
  const std::string one = dir.file("one.rgl"), many = dir.file("many.rgl");
  play(one, {"--speed", "max"});
  play(many, {"--speed", "max", "--agent-per-node"});
  for (const std::string& store : {one, many}) (void)outputOf({"runglassctl", "analyze", "--store", store});
  expectEqual(one, many, true);
  const std::string nodes = outputOf({"runglassctl", "query", "--store", many, "--format", "csv", "SELECT node, state FROM node"});
  EXPECT_EQ(sortedLines(nodes),
            (std::vector<std::string>{"node,state", "sim-0000,left", "sim-0001,left", "sim-0002,left", "sim-0003,left"}));
}

TEST_F(AgentPerNode, LosesAndDoublesNothingWhenTheHubIsKilled) {
  const std::string one = dir.file("one.rgl"), many = dir.file("many.rgl");
  play(one, {"--speed", "max"});
  const test::ReservedPort port;
  std::string address;
  auto hub = serve(many, port.address(), address);
  Process agent(player(address, "state", {"--speed", "8", "--agent-per-node"}));
  const auto steps = [](const std::string& store) {
    const std::string out = outputOf({"runglassctl", "query", "--store", store, "--format", "csv", "SELECT count(*) AS n FROM step"});
    return out.starts_with("n\n") ? std::stoll(out.substr(2)) : 0LL;
  };
  long long stored = 0;
  for (int kill = 0; kill < 2; ++kill) {
    // In the middle: more is stored than at the last kill, and not all.
    ASSERT_TRUE(test::waitUntil([&] { return steps(many) > stored; }));
    stored = steps(many);
    ASSERT_LT(stored, steps(one));
    ASSERT_EQ(hub->end(SIGKILL), -SIGKILL);
    hub = serve(many, port.address(), address);
  }
  EXPECT_EQ(agent.end(0), 0) << "all was acknowledged in the end";
  EXPECT_EQ(hub->end(SIGTERM), 0);
  expectEqual(one, many, false);
}

TEST_F(AgentPerNode, IsAsManyAgentsToItsHubAndEndsInOrderWhenItIsStopped) {
  auto started = Hub::start(dir.file("live.rgl"), {});
  ASSERT_TRUE(started.ok()) << started.status().message();
  const std::unique_ptr<Hub> hub = std::move(*started);
  Process agent(player(hub->address(), "state", {"--agent-per-node"}));
  EXPECT_TRUE(test::waitUntil([&] { return hub->stats().agents == kNodes; })) << hub->stats().agents;
  EXPECT_TRUE(test::waitUntil([&] { return hub->stats().samples > 500; }));

  std::promise<Result<OrderOutcome>> done;
  hub->order({.kind = OrderKind::kCapture,
              .run = "per-node",
              .ranks = {0, 3, 6, 7},
              .number = static_cast<std::int64_t>(CaptureReason::kByHand),
              .filter = {}},
             [&](Result<OrderOutcome> outcome) { done.set_value(std::move(outcome)); });
  const Result<OrderOutcome> outcome = done.get_future().get();
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  std::map<std::string, std::vector<std::int32_t>> answered;
  for (const OrderAnswer& answer : outcome->answers) answered[answer.node] = answer.ranks;
  EXPECT_EQ(answered, (std::map<std::string, std::vector<std::int32_t>>{{"sim-0000", {0}}, {"sim-0001", {3}}, {"sim-0003", {6, 7}}}));

  EXPECT_EQ(agent.end(SIGTERM), 0);
  EXPECT_TRUE(test::waitUntil([&] { return hub->stats().agents == 0; }));
  EXPECT_EQ(hub->stats().missing_batches, 0);
  ASSERT_TRUE(hub->stop().ok());
  for (int node = 0; node < kNodes; ++node) {
    const std::string folder = dir.file("state/" + sim::nodeName(node));
    EXPECT_FALSE(std::filesystem::exists(folder + "/alive")) << "it ended its session";
    EXPECT_TRUE(std::filesystem::is_empty(folder + "/spool"));
  }
}

TEST_F(AgentPerNode, ShowsEachNodesOwnCredentials) {
  const std::string one = dir.file("one.rgl"), many = dir.file("many.rgl"), trust = dir.file("trust");
  play(one, {"--speed", "max"});
  std::vector<std::string> pair = {"runglassctl", "pair", "--out", trust, "--hub", "localhost", "--agent", sim::nodeName(0)};
  for (int node = 1; node < kNodes; ++node) pair.insert(pair.end(), {"--token-agent", sim::nodeName(node)});
  (void)outputOf(std::move(pair));
  std::string address;
  const auto hub = serve(many, "127.0.0.1:0", address, {"--trust", trust});
  EXPECT_EQ(Process(player(address, "state", {"--speed", "max", "--agent-per-node", "--trust", trust})).end(0), 0);
  EXPECT_EQ(hub->end(SIGTERM), 0);
  expectEqual(one, many, false);

  std::filesystem::remove_all(trust + "/agents/sim-0002");
  Process refused(player("127.0.0.1:1", "refused", {"--agent-per-node", "--trust", trust}));
  EXPECT_EQ(refused.end(0), 1);
}

}  // namespace
}  // namespace runglass
