// SPDX-License-Identifier: Apache-2.0
// The first minutes of a newcomer: a trainer that only calls rg.init() and rg.step(), through the shipped agent to a hub with its watch.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/watch.h"
#include "storage/open_store.h"
#include "tests/storage/sample_store.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

// Its first step and its end wait for a line from the test.
constexpr const char* kTrainer = R"(
import os, sys
sys.path.insert(0, os.environ["RG_PYTHON"])
import runglass as rg
gate = open(os.environ["GATE"])
assert rg.init(run="first")
with rg.step(0):
    gate.readline()
for n in range(1, 4):
    with rg.step(n):
        pass
gate.readline()
)";

class FirstStepsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(m_folder.file("rings"));
    ASSERT_EQ(::mkfifo(m_gate_path.c_str(), 0600), 0);
    m_gate = ::open(m_gate_path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(m_gate, 0);
    std::ofstream(m_folder.file("alerts.toml"))
        << "[target.file]\ncommand = [\"/bin/sh\", \"-c\", \"echo \\\"$RUNGLASS_TITLE\\\" >> " << m_told << "\"]\n";
    std::ofstream(m_folder.file("agent.toml")) << "[source.host]\nenabled = false\n[source.kernel_log]\nenabled = false\n"
                                               << "[source.client]\ndirs = [\"" << m_folder.file("rings") << "\"]\n";
    m_hub = Hub::start(m_store, {}).value();
    WatchOptions options{.period = 20 * kNsPerMs};
    options.alerts = readAlertRules(m_folder.file("alerts.toml")).value();
    m_watch = std::make_unique<Watch>(m_store, *m_hub, options);
    m_trainer.emplace(std::vector<std::string>{"python3", "-c", kTrainer}, m_folder.file("train.log"),
                      std::vector<std::pair<std::string, std::string>>{{"RUNGLASS_DIR", m_folder.file("rings")},
                                                                       {"RUNGLASS_LIB", RG_CLIENT},
                                                                       {"GATE", m_gate_path},
                                                                       {"RG_PYTHON", RG_SOURCE_DIR "/collectors/client/python"}});
    m_agent.emplace(std::vector<std::string>{RG_BIN_DIR "/runglass-agent", "--hub", m_hub->address(), "--config",
                                             m_folder.file("agent.toml"), "--state-dir", m_folder.file("agent")},
                    m_folder.file("agent.log"));
  }
  void TearDown() override { ::close(m_gate); }
  void letGo() const { ASSERT_EQ(::write(m_gate, "\n", 1), 1); }
  std::unique_ptr<Reader> reader() const { return openStore(m_store).reader(m_hub->readerOptions()).value(); }
  std::optional<runglass::Run> run() const {
    const auto runs = reader()->runs().value();
    return runs.empty() ? std::nullopt : std::optional(runs.front());
  }
  // Nothing is found in rounds that began after now.
  void expectCalm(const char* when) {
    const std::int64_t rounds = m_watch->stats().rounds;
    ASSERT_TRUE(test::waitUntil([&] { return m_watch->stats().rounds > rounds + 2; })) << when;
    const std::vector<Finding> findings = reader()->findings(run()->id).value();
    for (const Finding& one : findings) ADD_FAILURE() << when << ": " << one.kind << ": " << one.summary;
    EXPECT_FALSE(std::filesystem::exists(m_told)) << when;
  }

  test::TempFolder m_folder;
  const std::string m_store = m_folder.file("s.rgl"), m_gate_path = m_folder.file("gate"), m_told = m_folder.file("told");
  int m_gate = -1;
  std::unique_ptr<Hub> m_hub;
  std::unique_ptr<Watch> m_watch;
  std::optional<Program> m_trainer, m_agent;
};

TEST_F(FirstStepsTest, ATrainerThatOnlyReportsItsStepsRaisesNothing) {
  ASSERT_TRUE(test::waitUntil([&] {
    const auto is = run();
    return is && !reader()->progress(is->id).value().empty();
  }));
  EXPECT_EQ(reader()->progress(run()->id).value()[0].step, 0);
  expectCalm("in the first step");
  letGo();
  ASSERT_TRUE(test::waitUntil([&] {
    const auto steps = reader()->series({.run = run()->id, .metric = "step_time_ns"}).value();
    return !steps.empty() && steps[0].sample_count == 4;
  }));
  expectCalm("after four steps");
  letGo();
  ASSERT_TRUE(test::waitUntil([&] { return run()->state == RunState::kFinished; }));
  expectCalm("at its end");
}

}  // namespace
}  // namespace runglass
