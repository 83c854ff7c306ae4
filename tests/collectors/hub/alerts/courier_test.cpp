// SPDX-License-Identifier: Apache-2.0
// Targets that answer, refuse, fail for a while, never answer, hang or flood: each is limited, none delays another.
#include "collectors/hub/alerts/courier.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "collectors/hub/alerts/command_run.h"
#include "collectors/hub/alerts/deadman.h"
#include "tests/collectors/hub/alerts/fake_webhook.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr DurNs kTimeout = 200 * kNsPerSecond;  // timeout of a target; longer than anything else here takes on a slow machine

std::string contentOf(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CourierTest : public ::testing::Test {
 protected:
  Courier& courier(std::vector<AlertTarget> targets) {
    CourierOptions options{
        .first_pause = 5 * kNsPerMs, .longest_pause = 20 * kNsPerMs, .give_up_after = 300 * kNsPerMs, .desktop = m_desktop};
    options.done = [this](const AlertMessage& message, const std::string& delivery, bool notified) {
      const std::lock_guard lock(m_mutex);
      m_done.push_back(message.id + (notified ? " told " : " not told ") + delivery);
    };
    m_courier = std::make_unique<Courier>(targets, options);
    return *m_courier;
  }
  static std::shared_ptr<const AlertMessage> message(const std::string& id, std::vector<std::string> to) {
    AlertMessage one{.id = id, .title = "warning: x", .text = "x", .json = R"({"id":")" + id + "\"}", .otlp = R"({"resourceLogs":[]})"};
    one.environment = {"RUNGLASS_ALERT_ID=" + id};
    one.to = std::move(to);
    one.alerts.push_back({.rule = "r", .cause = "c"});
    return std::make_shared<const AlertMessage>(std::move(one));
  }
  static AlertTarget hook(const std::string& name, const std::string& url) {
    return {.name = name, .command = {}, .webhook = url, .headers = {"X-Key: k"}, .timeout = 200 * kNsPerMs};
  }
  static AlertTarget collector(const std::string& name, const std::string& url) {
    return {.name = name, .command = {}, .webhook = "", .otlp = url, .timeout = kTimeout};
  }
  static AlertTarget shell(const std::string& name, const std::string& script, DurNs timeout = 20 * kNsPerSecond) {
    return {.name = name, .command = {"/bin/sh", "-c", script}, .webhook = "", .timeout = timeout};
  }
  std::vector<std::string> done() {
    const std::lock_guard lock(m_mutex);
    return m_done;
  }
  testing::AssertionResult finished(std::size_t count) {
    return waitUntil([&] { return done().size() >= count; });
  }

  test::TempFolder m_dir;
  std::function<void(const AlertMessage&)> m_desktop;
  std::mutex m_mutex;
  std::vector<std::string> m_done;
  std::unique_ptr<Courier> m_courier;  // last: its threads use the rest
};

TEST_F(CourierTest, AWebhookGoesThroughTheProxyOfTheEnvironment) {
  FakeWebhook proxy;
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  courier({hook("pager", "http://alerts.invalid/hook")}).send(message("1", {"pager"}));
  EXPECT_TRUE(waitUntil([&] { return done().size() == 1; }));
  ::unsetenv("http_proxy");
  EXPECT_THAT(proxy.bodies(), ElementsAre(R"({"id":"1"})"));
}

TEST_F(CourierTest, AWebhookGetsTheJsonOnce) {
  FakeWebhook server;
  courier({hook("pager", server.url())}).send(message("a", {"pager"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(server.bodies(), ElementsAre(R"({"id":"a"})"));
  EXPECT_THAT(done(), ElementsAre("a told pager: sent"));
}

TEST_F(CourierTest, ACollectorGetsLogRecordsAtThePathOfLogs) {
  FakeWebhook bare, own_path;
  courier({collector("bare", bare.host()), collector("slash", bare.host() + "/"), collector("own", own_path.host() + "/otel/v1/logs")})
      .send(message("a", {"bare", "slash", "own"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(bare.paths(), ElementsAre("POST /v1/logs", "POST /v1/logs"));
  EXPECT_THAT(own_path.paths(), ElementsAre("POST /otel/v1/logs"));
  EXPECT_THAT(own_path.bodies(), ElementsAre(R"({"resourceLogs":[]})"));
}

TEST_F(CourierTest, RecordsThatACollectorRejectsAreNotSent) {
  FakeWebhook none(FakeWebhook::Mood::kAnswers, {}, R"({"partialSuccess":{}})"),
      zero(FakeWebhook::Mood::kAnswers, {}, R"({"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"a hint"}})"),
      rejects(FakeWebhook::Mood::kAnswers, {}, R"({"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}})");
  courier({collector("none", none.host()), collector("zero", zero.host()), collector("rejects", rejects.host())})
      .send(message("a", {"none", "zero", "rejects"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(done().at(0), AllOf(HasSubstr("none: sent"), HasSubstr("zero: sent"),
                                  HasSubstr("rejects: failed after 1 try: the collector rejected log records: too old")));
}

TEST_F(CourierTest, AServerThatFailsForAWhileIsTriedAgain) {
  FakeWebhook server(FakeWebhook::Mood::kAnswers, {500, 503, 429});
  courier({hook("pager", server.url())}).send(message("a", {"pager"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(server.bodies(), SizeIs(4));
  EXPECT_THAT(done(), ElementsAre("a told pager: sent"));
}

TEST_F(CourierTest, WhatAnotherTryCannotMendIsGivenUpAtOnce) {
  FakeWebhook server(FakeWebhook::Mood::kAnswers, {404});
  courier({hook("pager", server.url()), {.name = "gone", .command = {"/nowhere/page"}, .webhook = ""}})
      .send(message("a", {"pager", "gone"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(done().at(0), AllOf(HasSubstr("a not told"), HasSubstr("pager: failed after 1 try"), HasSubstr("HTTP status 404"),
                                  HasSubstr("gone: failed after 1 try: command /nowhere/page: No such file")));
  EXPECT_THAT(server.bodies(), SizeIs(1));
}

TEST_F(CourierTest, ThePathOfAWebhookIsNotShown) {
  FakeWebhook refuses(FakeWebhook::Mood::kAnswers, {404});
  FakeWebhook silent(FakeWebhook::Mood::kNeverAnswers);
  const test::ReservedPort gone;
  courier({hook("refuses", refuses.url()), hook("silent", silent.url()), hook("gone", "http://" + gone.address() + "/hook"),
           hook("odd", "http://127.0.0.1:port/hook")})
      .send(message("a", {"refuses", "silent", "gone", "odd"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(done().at(0), AllOf(HasSubstr("HTTP status 404"), HasSubstr("no answer within"), HasSubstr("http://127.0.0.1"),
                                  testing::Not(HasSubstr("hook"))));
}

TEST_F(CourierTest, ARefusedConnectionIsGivenUpAfterItsTime) {
  const test::ReservedPort gone;
  courier({hook("pager", "http://" + gone.address() + "/")}).send(message("a", {"pager"}));
  ASSERT_TRUE(finished(1));
  EXPECT_THAT(done().at(0), AllOf(HasSubstr("not told"), HasSubstr("tries:"), testing::Not(HasSubstr("after 1 try"))));
}

TEST_F(CourierTest, OneThatNeverAnswersHoldsUpNobodyElseAndItsQueueIsBounded) {
  for (const auto mood : {FakeWebhook::Mood::kNeverAnswers, FakeWebhook::Mood::kDripsOneByte}) {
    m_done.clear();
    FakeWebhook dead(mood);
    FakeWebhook good;
    AlertTarget slow = hook("dead", dead.url());
    slow.timeout = kTimeout;
    Courier& all = courier({slow, hook("good", good.url())});
    const TimeNs begin = monotonicNow();
    constexpr std::size_t kMany = Courier::kMaxQueue + 20;
    for (std::size_t i = 0; i < kMany; ++i) all.send(message(std::to_string(i), {i < kMany - 1 ? "dead" : "good"}));
    EXPECT_LT(monotonicNow() - begin, kTimeout) << "send() waited";
    EXPECT_TRUE(waitUntil([&] { return good.bodies().size() == 1; }));
    // One is being sent, kMaxQueue are queued; the others are refused at once.
    ASSERT_TRUE(finished(kMany - 1 - Courier::kMaxQueue - 1));
    EXPECT_THAT(done().at(0), HasSubstr("64 messages wait already"));
    const TimeNs stop = monotonicNow();
    m_courier.reset();
    EXPECT_LT(monotonicNow() - stop, kTimeout) << "stopping does not wait for the answer";
  }
}

TEST_F(CourierTest, AfterAStopNobodyIsNotifiedAndNothingIsSaidOfIt) {
  std::string shown;
  m_desktop = [&](const AlertMessage& message) { shown = message.id; };
  FakeWebhook dead(FakeWebhook::Mood::kNeverAnswers);
  AlertTarget slow = hook("dead", dead.url());
  slow.timeout = kTimeout;
  Courier& all = courier({slow, {.name = "screen", .command = {}, .webhook = "", .desktop = true}});
  all.send(message("a", {"dead"}));
  const TimeNs begin = monotonicNow();
  all.stop();
  EXPECT_LT(monotonicNow() - begin, kTimeout);
  all.send(message("b", {"dead", "screen"}));
  EXPECT_EQ(shown, "");
  EXPECT_THAT(done(), SizeIs(0));
}

TEST_F(CourierTest, ACommandGetsTheJsonAndTheEnvironment) {
  const std::string out = m_dir.file("out");
  courier({shell("cmd", "cat > " + out + "; echo \" $RUNGLASS_ALERT_ID\" >> " + out)}).send(message("a", {"cmd"}));
  ASSERT_TRUE(finished(1));
  EXPECT_EQ(contentOf(out), "{\"id\":\"a\"} a\n");
  EXPECT_THAT(done(), ElementsAre("a told cmd: sent"));
}

TEST_F(CourierTest, ADesktopIsNotifiedWhereThereIsOne) {
  std::string shown;
  m_desktop = [&](const AlertMessage& message) { shown = message.id; };
  const AlertTarget desktop{.name = "screen", .command = {}, .webhook = "", .desktop = true};
  courier({desktop}).send(message("a", {"screen"}));
  EXPECT_EQ(shown, "a");
  m_desktop = nullptr;
  courier({desktop}).send(message("b", {"screen"}));
  EXPECT_THAT(done().back(), HasSubstr("b not told screen: failed after 1 try: this hub has no screen"));
}

TEST(CommandRun, SaysHowItEndedWithTheLastLineItWrote) {
  EXPECT_TRUE(runCommand({"true"}, {}, "", kNsPerSecond * 20, {}).ok());
  const Status failed = runCommand({"/bin/sh", "-c", "echo one; echo no such pager >&2; exit 3"}, {}, "x", kNsPerSecond * 20, {});
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_THAT(failed.message(), HasSubstr("ended with status 3: no such pager"));
  EXPECT_THAT(runCommand({"/bin/sh", "-c", "kill -9 $$"}, {}, "", kNsPerSecond * 20, {}).message(), HasSubstr("signal 9"));
}

TEST(CommandRun, OneThatHangsIsKilledWithAllItStarted) {
  test::TempFolder dir;
  const std::string pid = dir.file("pid");
  const TimeNs begin = monotonicNow();
  const Status late = runCommand({"/bin/sh", "-c", "sleep 1000 & echo $! > " + pid + "; wait"}, {}, "", 500 * kNsPerMs, {});
  EXPECT_LT(monotonicNow() - begin, kTimeout);
  EXPECT_THAT(late.message(), HasSubstr("did not end within 500 ms"));
  const std::string child = contentOf(pid);
  ASSERT_FALSE(child.empty());
  // Ended, or a zombie of the process that reaps orphans.
  EXPECT_TRUE(waitUntil([&] {
    const std::string stat = contentOf("/proc/" + child.substr(0, child.size() - 1) + "/stat");
    return stat.empty() || stat.find(") Z") != std::string::npos;
  }));
}

TEST(CommandRun, OneThatFloodsAndReadsNothingIsBounded) {
  const Status status = runCommand({"/bin/sh", "-c", "head -c 50000000 /dev/zero | tr '\\0' x; exit 1"}, {}, std::string(4 << 20, 'y'),
                                   60 * kNsPerSecond, {});
  EXPECT_THAT(status.message(), HasSubstr("ended with status 1"));
  EXPECT_LE(status.message().size(), kKeptOutput + 200);
}

TEST(CommandRun, OneThatWritesNoMoreAndRunsOnIsWaitedForWithoutWork) {
  timespec before{}, after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  const Status done = runCommand({"/bin/sh", "-c", "echo last; exec >&- 2>&-; sleep 1; exit 3"}, {}, "", 20 * kNsPerSecond, {});
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  EXPECT_THAT(done.message(), HasSubstr("ended with status 3: last"));
  EXPECT_LT((after.tv_sec - before.tv_sec) * kNsPerSecond + after.tv_nsec - before.tv_nsec, kNsPerSecond / 2)
      << "half of what a loop without a wait takes";
}

TEST(CommandRun, AStopEndsIt) {
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(runCommand({"sleep", "1000"}, {}, "", 100 * kNsPerSecond, stop.get_token()).code(), Code::kCancelled);
}

TEST(Deadman, TouchesAFileOnlyWhileDataIsStored) {
  test::TempFolder dir;
  const std::string file = dir.file("alive");
  std::mutex mutex;
  Status alive(Code::kResourceExhausted, "nothing is stored: disk full");
  std::vector<std::string> said;
  Deadman deadman(
      {.file = file, .url = "", .every = 10 * kNsPerMs},
      [&] {
        const std::lock_guard lock(mutex);
        return alive;
      },
      [&](const std::string& line) {
        const std::lock_guard lock(mutex);
        said.push_back(line);
      });
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return said.size();
  };
  ASSERT_TRUE(waitUntil([&] { return count() == 1; }));
  EXPECT_FALSE(std::filesystem::exists(file));
  {
    const std::lock_guard lock(mutex);
    alive = {};
  }
  ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(file); }));
  const auto first = std::filesystem::last_write_time(file);
  EXPECT_TRUE(waitUntil([&] { return std::filesystem::last_write_time(file) > first; }));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(said, ElementsAre("nothing is stored: disk full", ""));
}

TEST(Deadman, AsksAnAddressAndSaysOnceThatItDoesNotAnswer) {
  FakeWebhook server(FakeWebhook::Mood::kAnswers, {200, 500, 500});
  std::mutex mutex;
  std::vector<std::string> said;
  Deadman deadman(
      {.file = "", .url = server.url(), .every = 10 * kNsPerMs}, [] { return Status(); },
      [&](const std::string& line) {
        const std::lock_guard lock(mutex);
        said.push_back(line);
      });
  ASSERT_TRUE(waitUntil([&] { return server.bodies().size() >= 5; }));
  const std::lock_guard lock(mutex);
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], AllOf(HasSubstr("HTTP status 500"), testing::Not(HasSubstr("hook"))));
  EXPECT_EQ(said[1], "");
}

}  // namespace
}  // namespace runglass
