// SPDX-License-Identifier: GPL-3.0-or-later
// Alerts of a shipped hub, end to end: kill -9, a restart, a second follower; runglassctl alert.
#include "storage/store_files.h"
#include "tests/app/ctl_fixture.h"

#include <signal.h>

#include <chrono>
#include <thread>

#include "app/watch/watch.h"
#include "collectors/hub/hub.h"
#include "tests/app/live_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class AlertTest : public CtlFixture {
 protected:
  void SetUp() override { FakeAnalysis::silence(); }
  void TearDown() override { FakeAnalysis::silence(); }
  void rules(const std::string& text) { std::ofstream(m_rules) << text; }
  // A target that writes a line a telling.
  void commandRules(const std::string& more = "") {
    rules("[target.file]\ncommand = [\"/bin/sh\", \"-c\", \"echo \\\"$RUNGLASS_ALERT_ID $RUNGLASS_TITLE\\\" >> " + m_told + "\"]\n" + more);
  }
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    std::stringstream text(contentOf(m_told));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  template <class Condition>
  static bool within(DurNs limit, Condition condition) {
    for (const TimeNs end = monotonicNow() + limit; monotonicNow() < end; std::this_thread::sleep_for(std::chrono::milliseconds(10)))
      if (condition()) return true;
    return condition();
  }
  // A hub of this process with the fake analyses.
  struct Serving {
    std::unique_ptr<Hub> hub;
    std::unique_ptr<Watch> watch;
  };
  Serving serve() {
    Serving one{.hub = std::move(Hub::start(m_store, {}).value()), .watch = nullptr};
    WatchOptions options{.analyses = m_entries, .period = 20 * kNsPerMs};
    options.alerts = readAlertRules(m_rules).value();
    one.watch = std::make_unique<Watch>(m_store, *one.hub, options);
    return one;
  }
  static void recordRun(Hub& hub) {
    hub.post([](Writer& writer) {
      recordLiveRun(writer, wallNow() - 10 * kNsPerSecond);
      (void)writer.flush();
    });
  }

  const std::vector<AnalysisEntry> m_entries = FakeAnalysis::entries();
  const std::string m_rules = m_folder.file("alerts.toml"), m_told = m_folder.file("told");
};

TEST_F(AlertTest, AFindingIsToldByTheHubAndAgainNeitherByItNorByTheNextOneNorByAFollower) {
  commandRules();
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  {
    const Serving one = serve();
    recordRun(*one.hub);
    ASSERT_TRUE(within(20 * kNsPerSecond, [&] { return told().size() == 1; }));
    EXPECT_THAT(told()[0], HasSubstr("warning: rank:3 is slow_rank"));
    ASSERT_TRUE(within(20 * kNsPerSecond,
                       [&] { return query("SELECT told_count, delivery FROM alert").out.find("file: told") != std::string::npos; }));
    EXPECT_EQ(query("SELECT rule, kind, severity, told_count, delivery FROM alert").out,
              "rule,kind,severity,told_count,delivery\nfindings,slow_rank,warning,1,file: told\n");
    // A second one cannot be a hub of this store: it reads along and tells nobody.
    expectFails(ctl({"serve", "--store", m_store, "--alerts", m_rules}), "another process writes it");
    one.watch->stop();
  }
  const Serving two = serve();
  ASSERT_TRUE(within(20 * kNsPerSecond, [&] { return two.watch->stats().rounds > 10; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_THAT(told(), SizeIs(1));
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kCritical, wallNow())});
  EXPECT_TRUE(within(20 * kNsPerSecond, [&] { return told().size() == 2; }));
  two.watch->stop();
}

TEST_F(AlertTest, AHubKilledWhileItTellsIsFollowedByOneThatTellsItAgainWithTheSameId) {
  // The store knows an alert that is due and perhaps not told, as kill -9 between storing and telling leaves it.
  commandRules();
  {
    auto writer = std::move(Writer::open(m_store).value());
    const TimeNs now = wallNow();
    ASSERT_TRUE(writer
                    ->alerts(std::vector<Alert>{{.rule = "findings",
                                                 .cause = "finding/hang/run/u",
                                                 .kind = "hang",
                                                 .severity = Severity::kError,
                                                 .since = now - kNsPerSecond,
                                                 .due = now,
                                                 .count = 1,
                                                 .summary = "64 ranks wait"}})
                    .ok());
    ASSERT_TRUE(writer->close().ok());
  }
  const pid_t hub = start({"serve", "--store", m_store, "--alerts", m_rules});
  EXPECT_TRUE(within(30 * kNsPerSecond, [&] { return told().size() == 1; }));
  ::kill(hub, SIGKILL);
  ::waitpid(hub, nullptr, 0);
  const pid_t next = start({"serve", "--store", m_store, "--alerts", m_rules});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ::kill(next, SIGTERM);
  ::waitpid(next, nullptr, 0);
  // Killed before "told" was stored: twice, and who hears it can tell that it is the same. After: once.
  ASSERT_GE(told().size(), 1u);
  ASSERT_LE(told().size(), 2u);
  EXPECT_EQ(told().front(), told().back());
}

TEST_F(AlertTest, TheTestReachesEveryTargetOnceAndNamesThoseItDoesNot) {
  commandRules("[target.gone]\ncommand = [\"/nowhere/page\"]\n");
  const Outcome tried = ctl({"alert", "test", "--alerts", m_rules});
  expectFails(tried, "not reached: gone");
  EXPECT_THAT(tried.out, HasSubstr("file: told\n"));
  EXPECT_THAT(tried.out, HasSubstr("gone: command /nowhere/page: No such file"));
  ASSERT_THAT(told(), SizeIs(1));
  EXPECT_THAT(told()[0], HasSubstr("nothing is wrong"));
  rules("targets = 3");
  expectFails(ctl({"alert", "test", "--alerts", m_rules}), "has no key 'targets'");
}

TEST_F(AlertTest, ASnoozeGoesThroughTheHubThatWritesAndEndsItsRule) {
  commandRules();
  const Serving one = serve();
  recordRun(*one.hub);
  ASSERT_TRUE(within(20 * kNsPerSecond, [&] { return query("SELECT count(*) AS n FROM run").out == "n\n1\n"; }));
  const Outcome snoozed = ctl({"alert", "snooze", "--store", m_store, "--rule", "findings", "--minutes", "60"});
  EXPECT_EQ(snoozed.exit, 0) << snoozed.err;
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  ASSERT_TRUE(within(20 * kNsPerSecond, [&] { return query("SELECT count(*) AS n FROM alert").out == "n\n1\n"; }));
  EXPECT_THAT(told(), SizeIs(0));
  const Outcome list = ctl({"alert", "list", "--store", m_store});
  EXPECT_THAT(list.out, HasSubstr("warning  rank:3 is slow_rank"));
  EXPECT_THAT(list.out, HasSubstr("not told"));
  EXPECT_EQ(ctl({"alert", "snooze", "--store", m_store, "--rule", "findings", "--minutes", "0"}).exit, 0);
  EXPECT_TRUE(within(20 * kNsPerSecond, [&] { return told().size() == 1; }));
  expectFails(ctl({"alert", "snooze", "--store", m_store}), "--rule or --cause");
  one.watch->stop();
}

TEST_F(AlertTest, AWrongRuleFileStopsServeBeforeItListens) {
  rules("[[rule]]\nname = \"x\"\nfinding = \"hang\"\nto = [\"nobody\"]\n");
  expectFails(ctl({"serve", "--store", m_store, "--alerts", m_rules}), "there is no target 'nobody'");
  EXPECT_FALSE(std::filesystem::exists(m_store));
}

TEST_F(AlertTest, TheSignOfLifeIsGivenWhileTheHubStores) {
  const std::string alive = m_folder.file("alive");
  rules("[deadman]\nfile = \"" + alive + "\"\nevery = \"1s\"\n");
  const Serving one = serve();
  EXPECT_TRUE(within(20 * kNsPerSecond, [&] { return std::filesystem::exists(alive); }));
  one.watch->stop();
}

}  // namespace
}  // namespace runglass
