// SPDX-License-Identifier: Apache-2.0
// A trainer without librunglass and the shipped agent without configuration: its output arrives at a hub.
#include "tests/collectors/hub/watch/live_trainer.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Each line from the test is a step that it prints; then it dies.
constexpr const char* kOutputTrainer = R"(
import os
for n, line in enumerate(iter(open(os.environ["GATE"]).readline, "end\n")):
    print(" iteration %d/ 1000 | elapsed time per iteration (ms): 900.0 | lm loss: %s |" % (n, line.strip()), flush=True)
raise ValueError("no more data")
)";

class TrainerOutputTest : public test::LiveTrainerTest {
 protected:
  std::vector<double> losses() const {
    const auto is = run();
    if (!is) return {};
    const auto series = reader()->series({.run = is->id, .metric = "lm loss"}).value();
    return series.empty() ? std::vector<double>() : reader()->scalars(series[0].id, 0, 1000).value().value;
  }
};

TEST_F(TrainerOutputTest, ReachesTheHubWithoutConfigurationUpToItsTraceback) {
  const std::string rings = m_folder.file("rings");  // other trainers of this machine are another agent's
  m_trainer.emplace(std::vector<std::string>{"python3", "-c", kOutputTrainer}, m_folder.file("stdout"),
                    std::vector<std::pair<std::string, std::string>>{
                        {"RUNGLASS_DIR", rings}, {"GATE", m_gate_path}, {"RANK", "0"}, {"WORLD_SIZE", "1"}, {"RUNGLASS_RUN", "gpt"}});
  m_agent.emplace(std::vector<std::string>{RG_BIN_DIR "/runglass-agent", "--hub", m_hub->address(), "--state-dir", m_folder.file("agent")},
                  m_folder.file("agent.log"), std::vector<std::pair<std::string, std::string>>{{"RUNGLASS_DIR", rings}});
  letGo("5.0"), letGo("4.0");
  ASSERT_TRUE(test::waitUntil([&] { return losses().size() == 2; }));
  letGo("3.0");
  ASSERT_TRUE(test::waitUntil([&] { return losses().size() == 3; }));
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0, 3.0));
  EXPECT_EQ(run()->name, "gpt");
  EXPECT_EQ(run()->state, RunState::kRunning);
  letGo("end");
  m_trainer->wait();
  ASSERT_TRUE(test::waitUntil([&] { return run()->state != RunState::kRunning; }));
  EventFilter filter;
  filter.run = run()->id;
  filter.kind = "traceback";
  const auto tracebacks = reader()->events(filter).value();
  ASSERT_EQ(tracebacks.size(), 1U);
  EXPECT_THAT(tracebacks[0].message, HasSubstr("ValueError: no more data"));
  EXPECT_EQ(tracebacks[0].rank, 0);
}

TEST_F(TrainerOutputTest, ARunWhoseTrainerExitsIsNotRunning) {
  const std::string rings = m_folder.file("rings");
  m_trainer.emplace(std::vector<std::string>{"sh", "-c", "head -1 \"$GATE\""}, m_folder.file("stdout"),
                    std::vector<std::pair<std::string, std::string>>{
                        {"RUNGLASS_DIR", rings}, {"GATE", m_gate_path}, {"RANK", "0"}, {"WORLD_SIZE", "1"}, {"RUNGLASS_RUN", "gpt"}});
  m_agent.emplace(std::vector<std::string>{RG_BIN_DIR "/runglass-agent", "--hub", m_hub->address(), "--state-dir", m_folder.file("agent")},
                  m_folder.file("agent.log"), std::vector<std::pair<std::string, std::string>>{{"RUNGLASS_DIR", rings}});
  std::ofstream(m_folder.file("stdout"), std::ios::app) << " iteration 1/ 1000 | lm loss: 5.0 |\n";
  ASSERT_TRUE(test::waitUntil([&] { return losses().size() == 1; }));
  EXPECT_EQ(run()->state, RunState::kRunning);
  letGo("the end");
  EXPECT_EQ(m_trainer->wait(), 0);
  ASSERT_TRUE(test::waitUntil([&] { return run()->state != RunState::kRunning; }));
  EXPECT_EQ(run()->state, RunState::kUnknown);
  EXPECT_TRUE(run()->end);
}

}  // namespace
}  // namespace runglass
