// SPDX-License-Identifier: Apache-2.0
// A hub with its watch and a command as its only alert target, the shipped agent, and a trainer that reads a line from the test before it
// continues.
//
// Threading:  one thread.
// Ownership:  all processes end with the test.
// Errors:     expectations of the test.
// Cost:       four processes.
#pragma once

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

namespace runglass::test {

class LiveTrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(m_folder.file("rings"));
    ASSERT_EQ(::mkfifo(m_gate_path.c_str(), 0600), 0);
    m_gate = ::open(m_gate_path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(m_gate, 0);
    std::ofstream(m_folder.file("alerts.toml"))
        << "[target.file]\ncommand = [\"/bin/sh\", \"-c\", \"echo \\\"$RUNGLASS_TITLE\\\" >> " << m_notified << "\"]\n";
    m_hub = Hub::start(m_store, {}).value();
    WatchOptions options{.period = 20 * kNsPerMs};
    options.alerts = readAlertRules(m_folder.file("alerts.toml")).value();
    m_watch = std::make_unique<Watch>(m_store, *m_hub, options);
  }
  void TearDown() override { ::close(m_gate); }
  // Python code; it can import "runglass", and $GATE names the gate's file.
  void startTrainer(const char* script) {
    m_trainer.emplace(std::vector<std::string>{"python3", "-c", script}, m_folder.file("train.out"),
                      std::vector<std::pair<std::string, std::string>>{{"RUNGLASS_DIR", m_folder.file("rings")},
                                                                       {"RUNGLASS_LIB", RG_CLIENT},
                                                                       {"GATE", m_gate_path},
                                                                       {"PYTHONPATH", RG_SOURCE_DIR "/collectors/client/python"}});
  }
  void startAgent(const std::string& more = "") {
    std::ofstream(m_folder.file("agent.toml")) << "[source.host]\nenabled = false\n[source.kernel_log]\nenabled = false\n"
                                               << "[source.client]\ndirs = [\"" << m_folder.file("rings") << "\"]\n"
                                               << more;
    m_agent.emplace(std::vector<std::string>{RG_BIN_DIR "/runglass-agent", "--hub", m_hub->address(), "--config",
                                             m_folder.file("agent.toml"), "--state-dir", m_folder.file("agent")},
                    m_folder.file("agent.log"));
  }
  void letGo(const std::string& line = "") const {
    const std::string text = line + "\n";
    ASSERT_EQ(::write(m_gate, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::unique_ptr<Reader> reader() const { return openStore(m_store).reader(m_hub->readerOptions()).value(); }
  std::optional<runglass::Run> run() const {
    const auto runs = reader()->runs().value();
    return runs.empty() ? std::nullopt : std::optional(runs.front());
  }
  // Waits until a round of the watch that began after this call has ended.
  void waitForRound() const {
    const std::int64_t rounds = m_watch->stats().rounds;
    ASSERT_TRUE(waitUntil([&] { return m_watch->stats().rounds > rounds + 2; }));
  }
  // Titles of the notifications.
  std::vector<std::string> notified() const {
    std::vector<std::string> lines;
    std::ifstream file(m_notified);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TempFolder m_folder;
  const std::string m_store = m_folder.file("s.rgl"), m_gate_path = m_folder.file("gate"), m_notified = m_folder.file("notified");
  int m_gate = -1;
  std::unique_ptr<Hub> m_hub;
  std::unique_ptr<Watch> m_watch;
  std::optional<Program> m_trainer, m_agent;
};

}  // namespace runglass::test
