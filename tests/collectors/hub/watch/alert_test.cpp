// SPDX-License-Identifier: Apache-2.0
// Alerts of a shipped hub, end to end: kill -9, a restart, a second process; runglassctl alert.
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "tests/app/ctl_fixture.h"

#include <signal.h>

#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/watch.h"
#include "tests/app/live_store.h"

namespace runglass {
namespace {

using test::waitUntil;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class AlertTest : public CtlFixture {
 protected:
  void SetUp() override { FakeAnalysis::silence(); }
  void TearDown() override { FakeAnalysis::silence(); }
  void rules(const std::string& text) { std::ofstream(m_rules) << text; }
  // A target that writes a line per notification.
  void commandRules(const std::string& more = "") {
    rules("[target.file]\ncommand = [\"/bin/sh\", \"-c\", \"echo \\\"$RUNGLASS_ALERT_ID $RUNGLASS_TITLE\\\" >> " + m_reported + "\"]\n" +
          more);
  }
  std::vector<std::string> reported() const {
    std::vector<std::string> lines;
    std::stringstream text(contentOf(m_reported));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  // A hub in this process with the fake analyses.
  struct Serving {
    std::unique_ptr<Hub> hub;
    std::unique_ptr<Watch> watch;
  };
  Serving serve() {
    Serving one{.hub = Hub::start(m_store, {}).value(), .watch = nullptr};
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

  // Stores an alert that is due and has no stored delivery.
  void storeDue(const std::string& kind, Severity severity, const std::string& summary) const {
    auto writer = openStore(m_store).writer().value();
    const TimeNs now = wallNow();
    const Alert due{.rule = "findings",
                    .cause = "finding/" + kind + "/run/u",
                    .kind = kind,
                    .severity = severity,
                    .since = now - kNsPerSecond,
                    .due = now,
                    .count = 1,
                    .summary = summary};
    ASSERT_TRUE(writer->alerts(std::vector<Alert>{due}).ok());
    ASSERT_TRUE(writer->close().ok());
  }

  const std::vector<AnalysisEntry> m_entries = FakeAnalysis::entries();
  const std::string m_rules = m_folder.file("alerts.toml"), m_reported = m_folder.file("told");
};

TEST_F(AlertTest, AFindingIsReportedByTheHubAndAgainNeitherByItNorByTheNextOneNorByAFollower) {
  commandRules();
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  {
    const Serving one = serve();
    recordRun(*one.hub);
    ASSERT_TRUE(waitUntil([&] { return reported().size() == 1; }));
    EXPECT_THAT(reported()[0], HasSubstr("warning: rank:3 is slow_rank"));
    ASSERT_TRUE(waitUntil([&] { return query("SELECT told_count, delivery FROM alert").out.find("file: sent") != std::string::npos; }));
    EXPECT_EQ(query("SELECT rule, kind, severity, told_count, delivery FROM alert").out,
              "rule,kind,severity,told_count,delivery\nfindings,slow_rank,warning,1,file: sent\n");
    // A second process cannot be a hub of this store: it only reads, and sends nothing.
    expectFails(ctl({"serve", "--store", m_store, "--listen", "127.0.0.1:0", "--alerts", m_rules}), "another process writes it");
    one.watch->stop();
  }
  const Serving two = serve();
  ASSERT_TRUE(waitUntil([&] { return two.watch->stats().rounds > 10; }));
  // The target has one queue: another finding reaches it after everything that was sent before.
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow()),
                        findingOf("slow_rank", "rank:4", Severity::kWarning, wallNow())});
  EXPECT_TRUE(waitUntil([&] { return reported().size() >= 2; }));
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kCritical, wallNow())});
  EXPECT_TRUE(waitUntil([&] { return reported().size() >= 3; }));
  two.watch->stop();
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("warning: rank:3 is slow_rank"), HasSubstr("warning: rank:4 is slow_rank"),
                                      HasSubstr("critical (worse): rank:3 is slow_rank")));
}

TEST_F(AlertTest, AHubKilledWhileItTellsIsFollowedByOneThatTellsItAgainWithTheSameId) {
  // The store has an alert that is due and possibly not sent, as after kill -9 between storing and sending.
  commandRules();
  storeDue("hang", Severity::kError, "64 ranks wait");
  const std::vector<std::string> serve = {"serve", "--store", m_store, "--listen", "127.0.0.1:0", "--alerts", m_rules};
  const pid_t hub = start(serve);
  EXPECT_TRUE(waitUntil([&] { return reported().size() == 1; }));
  ::kill(hub, SIGKILL);
  ::waitpid(hub, nullptr, 0);
  // Less severe, so that it would be sent after a repeated hang.
  storeDue("slow_rank", Severity::kWarning, "rank 5 is slow");
  const pid_t next = start(serve);
  EXPECT_TRUE(waitUntil([&] { return !reported().empty() && reported().back().ends_with("rank 5 is slow"); }));
  ::kill(next, SIGTERM);
  ::waitpid(next, nullptr, 0);
  // Killed before the delivery was stored: the hang is sent twice, with the same id. After: once.
  std::vector<std::string> hangs = reported();
  hangs.pop_back();
  ASSERT_THAT(hangs, AnyOf(SizeIs(1), SizeIs(2)));
  EXPECT_THAT(hangs, Each(AllOf(HasSubstr("64 ranks wait"), hangs.front())));
}

TEST_F(AlertTest, TheTestReachesEveryTargetOnceAndNamesThoseItDoesNot) {
  commandRules("[target.gone]\ncommand = [\"/nowhere/page\"]\n");
  const Outcome tried = ctl({"alert", "test", "--alerts", m_rules});
  expectFails(tried, "not reached: gone");
  EXPECT_THAT(tried.out, HasSubstr("file: sent\n"));
  EXPECT_THAT(tried.out, HasSubstr("gone: command /nowhere/page: No such file"));
  ASSERT_THAT(reported(), SizeIs(1));
  EXPECT_THAT(reported()[0], HasSubstr("nothing is wrong"));
  rules("targets = 3");
  expectFails(ctl({"alert", "test", "--alerts", m_rules}), "has no key 'targets'");
}

TEST_F(AlertTest, ASnoozeGoesThroughTheHubThatWritesAndEndsItsRule) {
  commandRules();
  const Serving one = serve();
  recordRun(*one.hub);
  ASSERT_TRUE(waitUntil([&] { return query("SELECT count(*) AS n FROM run").out == "n\n1\n"; }));
  const Outcome snoozed = ctl({"alert", "snooze", "--store", m_store, "--rule", "findings", "--minutes", "60"});
  EXPECT_EQ(snoozed.exit, 0) << snoozed.err;
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  ASSERT_TRUE(waitUntil([&] { return query("SELECT count(*) AS n FROM alert").out == "n\n1\n"; }));
  EXPECT_THAT(reported(), SizeIs(0));
  const Outcome list = ctl({"alert", "list", "--store", m_store});
  EXPECT_THAT(list.out, HasSubstr("warning  rank:3 is slow_rank"));
  EXPECT_THAT(list.out, HasSubstr("not notified"));
  EXPECT_EQ(ctl({"alert", "snooze", "--store", m_store, "--rule", "findings", "--minutes", "0"}).exit, 0);
  EXPECT_TRUE(waitUntil([&] { return reported().size() == 1; }));
  expectFails(ctl({"alert", "snooze", "--store", m_store}), "--rule or --cause");
  one.watch->stop();
}

TEST_F(AlertTest, AWrongRuleFileStopsServeBeforeItListens) {
  rules("[[rule]]\nname = \"x\"\nfinding = \"hang\"\nto = [\"nobody\"]\n");
  expectFails(ctl({"serve", "--store", m_store, "--listen", "127.0.0.1:0", "--alerts", m_rules}), "there is no target 'nobody'");
  EXPECT_FALSE(std::filesystem::exists(m_store));
}

TEST_F(AlertTest, TheSignOfLifeIsGivenWhileTheHubStores) {
  const std::string alive = m_folder.file("alive");
  rules("[deadman]\nfile = \"" + alive + "\"\nevery = \"1s\"\n");
  const Serving one = serve();
  EXPECT_TRUE(waitUntil([&] { return std::filesystem::exists(alive); }));
  one.watch->stop();
}

}  // namespace
}  // namespace runglass
