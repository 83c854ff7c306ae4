// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled example with eight real ranks, one of which really is slow, through agent and hub into a store, and from its finding to the
// report by clicks. Skips where Python has no PyTorch.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"
#include "tests/widgets/click_path.h"

namespace runglass {
namespace {

constexpr std::int32_t kSlowRank = 5;

bool hasTorch() { return std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0; }

class ExamplePathTest : public ClickPath {
 protected:
  void SetUp() override {
    if (!hasTorch()) GTEST_SKIP() << "no PyTorch (apt: python3-torch)";
    const std::string store = m_folder.file("run.rgl"), rings = m_folder.file("rings");
    std::filesystem::create_directory(rings);
    std::ofstream(m_folder.file("agent.toml")) << "[source.host]\nenabled = false\n[source.kernel_log]\nenabled = false\n"
                                               << "[source.client]\ndirs = [\"" << rings << "\"]\n";
    Program hub({RG_BIN_DIR "/runglassctl", "serve", "--store", store, "--listen", "127.0.0.1:0"}, m_folder.file("hub.log"));
    std::string address;
    ASSERT_TRUE(test::waitUntil([&] { return !(address = listening()).empty(); })) << text("hub.log");
    Program agent(
        {RG_BIN_DIR "/runglass-agent", "--hub", address, "--config", m_folder.file("agent.toml"), "--state-dir", m_folder.file("agent")},
        m_folder.file("agent.log"));
    Program job({"/usr/bin/python3", RG_SOURCE_DIR "/collectors/client/examples/launch.py", "--steps", "120", "--batch", "1", "--sequence",
                 "32", "--slow-rank", std::to_string(kSlowRank), "--slow-factor", "4", "--slow-from", "50"},
                m_folder.file("train.log"), {{"RUNGLASS_DIR", rings}, {"RUNGLASS_LIB", RG_CLIENT}, {"RUNGLASS_RUN", "example"}});
    ASSERT_EQ(job.wait(), 0) << text("train.log");
    agent.signal(SIGTERM), agent.wait();
    hub.signal(SIGTERM), hub.wait();
    ASSERT_EQ(std::system((RG_BIN_DIR "/runglassctl analyze --store " + store + " >" + m_folder.file("analyze.txt") + " 2>&1").c_str()), 0)
        << text("analyze.txt");
    auto reader = openStore(store).reader().value();
    Finding found;
    for (const Finding& one : reader->findings(reader->runs()->front().id).value())
      if (one.kind == "slow_rank" && one.rank == kSlowRank && one.severity >= Severity::kWarning) found = one;
    ASSERT_NE(found.id, 0) << text("analyze.txt");
    reader.reset();
    useStore(store, found, wallNow());
  }
  std::string text(const std::string& file) const {
    std::ifstream in(m_folder.file(file));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string listening() const {
    std::istringstream lines(text("hub.log"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("listening on ")) return line.substr(13);
    return {};
  }

  test::TempFolder m_folder;
};

TEST_F(ExamplePathTest, FromTheRanksFindingToItsTimelineIncidentAndReportInSixClicks) {
  open("watch");
  clickRow("findings");
  expectPathFrom("Watch", "findings", false);  // it trains on CPUs
}

}  // namespace
}  // namespace runglass
