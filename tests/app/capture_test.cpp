// SPDX-License-Identifier: GPL-3.0-or-later
// A capture through the shipped programs: runglassctl serve, runglass-agent and a Python process without torch.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/app/ctl_fixture.h"
#include "tests/support/program.h"

namespace runglass {
namespace {

using test::waitUntil;

constexpr const char* kTrainer = R"(
import os, sys, time
sys.path.insert(0, os.environ["RG_PYTHON"])
import runglass as rg
def inside_the_collective():
    while True:
        time.sleep(0.05)
assert rg.init(run="live", rank=int(os.environ["RANK"]), world=2)
for n in range(3):
    with rg.step(n):
        pass
with rg.step(3):
    with rg.span("all_reduce", "comm", part="communication", group=1, seq=17):
        inside_the_collective()
)";

class CaptureProgramsTest : public CtlFixture {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(m_rings);
    const std::string log = m_folder.file("hub.log");
    m_hub.emplace(std::vector<std::string>{RG_BIN_DIR "/runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0"}, log);
    m_address = hubAddress(log);
    ASSERT_FALSE(m_address.empty());
    for (int rank = 0; rank < 2; ++rank)
      m_trainers.push_back(std::make_unique<Program>(
          std::vector<std::string>{"python3", "-c", kTrainer}, m_folder.file("train.log"),
          std::vector<std::pair<std::string, std::string>>{{"RUNGLASS_DIR", m_rings},
                                                           {"RUNGLASS_LIB", RG_CLIENT},
                                                           {"RANK", std::to_string(rank)},
                                                           {"RG_PYTHON", RG_SOURCE_DIR "/collectors/client/python"}}));
  }
  void startAgent(const std::string& more = "") {
    const std::string config = m_folder.file("agent.toml");
    std::ofstream(config) << more << "\n[source.capture]\nnvidia_smi = \"\"\nnccl_ras = \"127.0.0.1:1\"\nkernel_log = \"\"\n"
                          << "[source.client]\ndirs = [\"" << m_rings << "\"]\n";
    m_agent.emplace(std::vector<std::string>{std::string(RG_BIN_DIR) + "/runglass-agent", "--hub", m_address, "--config", config,
                                             "--state-dir", m_folder.file("agent")},
                    m_folder.file("agent.log"));
    ASSERT_TRUE(waitUntil([&] { return query("SELECT count(*) FROM rank").out == "count(*)\n2\n"; }))
        << contentOf(m_folder.file("agent.log"));
    ASSERT_TRUE(waitUntil([&] { return query("SELECT count(*) FROM progress WHERE op = 'all_reduce'").out == "count(*)\n2\n"; }));
  }
  std::string values(const std::string& sql) {
    const std::string all = query(sql).out;
    return all.substr(all.find('\n') + 1);
  }

  std::string m_rings = m_folder.file("rings"), m_address;
  std::optional<Program> m_hub, m_agent;
  std::vector<std::unique_ptr<Program>> m_trainers;
};

TEST_F(CaptureProgramsTest, StacksProcessesAndProgressOfARunAreInTheStoreAndTheStoppedRankIsKnown) {
  startAgent();
  const Outcome first = ctl({"capture", "--store", m_store, "--run", "live", "--json"});
  EXPECT_EQ(first.exit, 0) << first.out << first.err;
  const auto json = nlohmann::json::parse(first.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << first.out;
  ASSERT_EQ(json["nodes"].size(), 1u);
  EXPECT_EQ(json["nodes"][0]["ranks"], nlohmann::json({0, 1}));
  EXPECT_THAT(json["nodes"][0]["note"].get<std::string>(),
              ::testing::AllOf(::testing::HasSubstr("progress 2"), ::testing::HasSubstr("stack 2")));
  ASSERT_TRUE(waitUntil([&] { return values("SELECT count(*) FROM capture") == "6\n"; })) << values("SELECT kind, rank FROM capture");
  EXPECT_EQ(values("SELECT rank, reason FROM capture WHERE kind = 'stack' AND text LIKE '%inside_the_collective%' ORDER BY rank"),
            "0,by hand\n1,by hand\n");
  EXPECT_EQ(values("SELECT count(*) FROM capture WHERE kind = 'progress' AND text LIKE '%in all_reduce, group 1, seq 17%'"), "2\n");

  m_trainers[1]->signal(SIGSTOP);
  const Outcome second = ctl({"capture", "--hub", m_address, "--run", "live", "--ranks", "1"});
  EXPECT_EQ(second.exit, 0) << second.out << second.err;
  EXPECT_THAT(second.out, ::testing::HasSubstr("it is in state T (stopped)"));
  ASSERT_TRUE(waitUntil([&] { return values("SELECT count(*) FROM capture") == "8\n"; }));
  EXPECT_EQ(values("SELECT rank FROM capture WHERE kind = 'process' AND text LIKE '%State:_T (stopped)%'"), "1\n");
  EXPECT_THAT(values("SELECT message FROM event WHERE kind = 'capture' ORDER BY time_ns DESC LIMIT 1"), ::testing::HasSubstr("state T"));
  expectFails(ctl({"capture", "--store", m_store, "--run", "nobody"}), "run 'nobody'");
}

TEST_F(CaptureProgramsTest, AnAgentThatMayNotRefusesAndTheRefusalIsAnEvent) {
  startAgent("[orders]\nallow = [\"trace_steps\"]\n");
  const Outcome refused = ctl({"capture", "--store", m_store, "--run", "live"});
  expectFails(refused, "order capture: not in this agent's [orders] allow");
  EXPECT_EQ(values("SELECT count(*) FROM capture"), "0\n");
  const char* const reported =
      "SELECT count(*) FROM event WHERE kind = 'order' AND code = 'capture' AND message LIKE '%not in this agent%'";
  EXPECT_TRUE(waitUntil([&] { return values(reported) == "1\n"; })) << "other processes see it once the hub has committed it";
}

TEST_F(CaptureProgramsTest, OnSigtermTheAgentHandsOverSlotsAndStatesEndsAndDisturbsNobody) {
  startAgent();
  const auto began = std::chrono::steady_clock::now();
  m_agent->signal(SIGTERM);
  EXPECT_EQ(m_agent->wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, test::kDeadline);
  ASSERT_TRUE(waitUntil([&] { return values("SELECT count(*) FROM capture WHERE reason = 'sigterm'") == "4\n"; }))
      << values("SELECT kind, rank, reason FROM capture");
  EXPECT_EQ(values("SELECT kind, count(*) FROM capture GROUP BY kind ORDER BY kind"), "process,2\nprogress,2\n");
  for (const auto& trainer : m_trainers) trainer->signal(0);
}

}  // namespace
}  // namespace runglass
