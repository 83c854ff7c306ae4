// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl status and top on a simulated store: stored, and while another process writes it.
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>

#include <nlohmann/json.hpp>

#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "collectors/sim/simulator.h"
#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kScenario = R"(
name = "small"
seed = 7
steps = 60
[cluster]
nodes = 2
gpus_per_node = 8
gpu = "H100-SXM"
metrics_hertz = 1
[job]
tp = 2
pp = 2
dp = 4
step_seconds = 2.0
tokens_per_step = 1048576
checkpoint_every_steps = 25
spans = "none"
[[fault]]
kind = "slow_rank"
target = "rank:9"
first_step = 10
last_step = 59
strength = 1.4
)";

class StatusTest : public CtlFixture {
 protected:
  // Its newest data is as of m_end.
  void play(Writer& writer) {
    const auto scenario = sim::parseScenario(kScenario, "small.toml");
    ASSERT_TRUE(scenario.ok()) << scenario.status().message();
    const Status played = sim::play(*scenario, writer, {.start = kStoreStart, .speed = 0});
    ASSERT_TRUE(played.ok()) << played.message();
  }
  void addTrouble(Writer& writer) {
    (void)writer.node({.uuid = "sim:small:1", .name = "sim-0001"});
    const RunId run = writer.findRun("small")->id;
    (void)writer.run({.name = "small", .state = RunState::kRunning});
    writer.finding({.run = run,
                    .kind = "slow_rank",
                    .subject = "rank:9",
                    .severity = Severity::kWarning,
                    .start = kStoreStart + 30 * kNsPerSecond,
                    .first_step = 10,
                    .rank = 9,
                    .summary = "rank 9 takes 40 % longer than its peers"});
    writer.finding({.run = run,
                    .kind = "loss_spike",
                    .subject = "run",
                    .severity = Severity::kInfo,
                    .start = kStoreStart + 40 * kNsPerSecond,
                    .end = kStoreStart + 44 * kNsPerSecond,
                    .first_step = 20,
                    .summary = "a blip\x1b[31m of one\nstep"});
    ASSERT_TRUE(writer.flush().ok());
    const Alert reported{.run = run,
                         .rule = "findings",
                         .cause = "c",
                         .kind = "slow_rank",
                         .severity = Severity::kWarning,
                         .since = kStoreStart + 30 * kNsPerSecond,
                         .due = kStoreStart + 60 * kNsPerSecond,
                         .notified = kStoreStart + 61 * kNsPerSecond,
                         .count = 1,
                         .summary = "rank 9 takes 40 % longer than its peers"};
    ASSERT_TRUE(writer.alerts({&reported, 1}).ok());
  }
  void makeStore() {
    auto writer = openStore(m_store).writer().value();
    play(*writer);
    addTrouble(*writer);
    ASSERT_TRUE(writer->close().ok());
  }
  std::string now(DurNs after_start) const { return std::to_string(kStoreStart + after_start); }
};

TEST_F(StatusTest, AStoredRunIsFifteenPlainLines) {
  makeStore();
  const Outcome status = ctl({"status", "--store", m_store, "--now", now(240 * kNsPerSecond)});
  ASSERT_EQ(status.exit, 0) << status.err;
  // Everything except the file's size.
  EXPECT_EQ(status.out.substr(0, status.out.rfind("store ")), R"(run         small, attempt 0 of 1, simulated
state       silent for 1 min 28 s; newest data 1 min 28 s old
step        60
loss        3.988 (loss)
throughput  404 k tokens/s, 1.4 % below its best 20 steps
ranks       16 (DP 4 PP 2 TP 2)
nodes       2 of 2 reporting
checkpoint  step 50, 1 min 53 s old, 10 steps at risk
findings    1 warning open; 2 in all, with ended ones and notices
            warning: rank 9 takes 40 % longer than its peers (for 3 min 30 s)
            info: a blip [31m of one step (ended 3 min 16 s ago)
suspects    rank:9 (slow_rank)
alerts      1 in 24 h; 3 min ago: rank 9 takes 40 % longer than its peers
issues      none
)");
  EXPECT_THAT(status.out, HasSubstr("KiB, not open for writing\n"));
}

TEST_F(StatusTest, TheSameAsJson) {
  makeStore();
  const Outcome status = ctl({"status", "--store", m_store, "--json", "--now", now(240 * kNsPerSecond)});
  ASSERT_EQ(status.exit, 0) << status.err;
  const auto json = nlohmann::json::parse(status.out);
  EXPECT_EQ(json["run"]["name"], "small");
  EXPECT_EQ(json["run"]["step"], 60);
  EXPECT_EQ(json["run"]["world_size"], 16);
  EXPECT_EQ(json["run"]["findings"]["warning"], 1);
  EXPECT_EQ(json["run"]["findings"]["info"], 1);
  EXPECT_EQ(json["run"]["open_findings"]["warning"], 1);
  EXPECT_EQ(json["run"]["open_findings"]["info"], 0);  // it ended
  EXPECT_EQ(json["run"]["top_findings"][0]["subject"], "rank:9");
  EXPECT_EQ(json["run"]["slow_ranks"][0]["rank"], 9);
  EXPECT_EQ(json["alerts"].size(), 1u);
  EXPECT_TRUE(json["writer"].is_null());
}

TEST_F(StatusTest, ACopySaysOfWhichHubItIsAndHowOld) {
  auto hub = Hub::start(m_store, {}).value();
  hub->post([this](Writer& writer) { play(writer); });
  const std::string copy = m_folder.file("copy.rgl"), of = "copy of hub " + hub->address();
  const Outcome once = ctl({"follow", "--from", hub->address(), "--store", copy, "--once"});
  ASSERT_EQ(once.exit, 0) << once.err;
  const Outcome stored = ctl({"status", "--store", copy});
  EXPECT_THAT(stored.out, HasSubstr(", " + of + ", as of ")) << stored.err;
  EXPECT_THAT(ctl({"top", "--store", copy, "--frames", "1"}).out, HasSubstr(of + ", as of "));
  ASSERT_TRUE(hub->stop().ok());
  {
    // A process updates the replica, and no data arrives.
    const auto mirror = Mirror::start({.store = copy, .hub = {.hub = hub->address()}});
    ASSERT_TRUE(mirror.ok()) << mirror.status().message();
    const std::string late = std::to_string(wallNow() + 60 * kNsPerSecond);
    EXPECT_THAT(ctl({"status", "--store", copy, "--now", late}).out,
                AllOf(HasSubstr("! " + of + ", 1 min"), HasSubstr(" behind, process " + std::to_string(::getpid()) + " follows")));
    EXPECT_THAT(ctl({"top", "--store", copy, "--frames", "1", "--now", late}).out, ::testing::StartsWith("! " + of + ", 1 min"));
  }
}

TEST_F(StatusTest, AStoreThatAHubWritesNamesTheHub) {
  auto hub = Hub::start(m_store, {}).value();
  hub->post([this](Writer& writer) { play(writer); });
  Outcome status;
  for (int i = 0; i < 200 && status.out.find("small") == std::string::npos; ++i) status = ctl({"status", "--store", m_store});
  EXPECT_THAT(status.out, HasSubstr("written by process " + std::to_string(::getpid()) + ", hub on " + hub->address()));
}

TEST_F(StatusTest, AnEmptyStoreHasNoRunYetAndAnUnknownRunIsAnError) {
  ASSERT_TRUE(openStore(m_store).writer().value()->close().ok());
  EXPECT_THAT(ctl({"status", "--store", m_store}).out, HasSubstr("run         none yet\n"));
  EXPECT_THAT(ctl({"top", "--store", m_store}).out, HasSubstr("no run yet"));
  expectFails(ctl({"status", "--store", m_store, "--run", "nobody"}), "no run nobody");
  expectFails(ctl({"status", "--store", m_folder.file("none.rgl")}), "none.rgl");
  EXPECT_EQ(ctl({"top", "--store", m_store, "--sort", "colour"}).exit, 2);
}

TEST_F(StatusTest, TopWithoutATerminalIsOnePlainFrame) {
  makeStore();
  // The simulated minutes have ended: values measured then are shown at first, and later no longer.
  const Outcome frame = ctl({"top", "--store", m_store, "--now", now(125 * kNsPerSecond)});
  ASSERT_EQ(frame.exit, 0) << frame.err;
  EXPECT_EQ(std::count(frame.out.begin(), frame.out.end(), '\n'), 2 + 16);
  EXPECT_EQ(frame.out.find('\x1b'), std::string::npos);
  EXPECT_THAT(frame.out, HasSubstr("\nsim-0001           gpu1        9 "));
  EXPECT_THAT(frame.out, HasSubstr(" W "));
  const Outcome late = ctl({"top", "--store", m_store, "--now", now(3600 * kNsPerSecond)});
  EXPECT_THAT(late.out, AllOf(::testing::Not(HasSubstr(" W ")), HasSubstr("sim-0000")));
}

TEST_F(StatusTest, TopInATerminalShowsKeysSortsAndQuits) {
  makeStore();
  winsize size{.ws_row = 10, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const std::string at = now(125 * kNsPerSecond);
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::execl(RG_BIN_DIR "/runglassctl", "runglassctl", "top", "--store", m_store.c_str(), "--now", at.c_str(), nullptr);
    ::_exit(127);
  }
  std::string seen;
  const auto until = [&](const std::string& words) {
    for (const TimeNs end = monotonicNow() + 20 * kNsPerSecond; monotonicNow() < end && seen.find(words) == std::string::npos;) {
      pollfd wait{terminal, POLLIN, 0};
      char block[4096];
      if (::poll(&wait, 1, 50) <= 0) continue;
      const ssize_t got = ::read(terminal, block, sizeof block);
      if (got <= 0) break;
      seen.append(block, static_cast<std::size_t>(got));
    }
    return seen.find(words) != std::string::npos;
  };
  EXPECT_TRUE(until("1 to 7 of 16")) << seen;
  EXPECT_THAT(seen, HasSubstr("*node"));
  ASSERT_EQ(::write(terminal, "p", 1), 1);
  EXPECT_TRUE(until("*power")) << seen;
  size.ws_row = 6;
  ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_TRUE(until("1 to 3 of 16")) << seen;
  ASSERT_EQ(::write(terminal, "q", 1), 1);
  EXPECT_TRUE(until("\x1b[?1049l")) << "the screen is given back";
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ::close(terminal);
}

}  // namespace
}  // namespace runglass
