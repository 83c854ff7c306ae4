// SPDX-License-Identifier: Apache-2.0
// From the store's data to the notifications of a target, across restarts.
#include "collectors/hub/alerts/notifier.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/engine/withdrawal.h"
#include "model/alert_cause.h"
#include "storage/writer.h"
#include "tests/collectors/hub/alerts/fake_webhook.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimeNs kStart = 1'700'000'000'000'000'000;
constexpr DurNs kSecond = kNsPerSecond, kMinute = 60 * kSecond;

// A minimal hub: rows are saved when the test requests it, messages are collected in m_shown.
class NotifierTest : public ::testing::Test {
 protected:
  struct Saving {
    std::vector<Alert> rows;
    std::vector<Issue> issues;
    std::function<void(const Status&)> stored;
  };
  void SetUp() override {
    m_writer = m_temp.writer().value();
    m_node = m_writer->node({.uuid = "m0", .name = "n0", .state = NodeState::kAlive});
    m_gpu = m_writer->device({.uuid = "GPU-0", .node = m_node, .index = 3, .kind = "gpu"});
    m_run = m_writer->run({.uuid = "run-uuid", .name = "pretrain", .state = RunState::kRunning, .start = kStart});
    m_attempt = m_writer->attempt({.run = m_run, .key = "", .start = kStart, .layout = {.world = 64}});
    commit();
    m_options = defaultAlerts(true);
    begin();
  }
  void commit() {
    const Status stored = m_writer->flush();
    ASSERT_TRUE(stored.ok()) << stored.message();
  }
  // A hub starts; the previous one ends as after kill -9.
  void begin(TimeNs now = kStart) {
    m_notifier.reset();
    m_waiting.clear();
    m_reader = m_temp.reader().value();
    CourierOptions courier{.desktop = [this](const AlertMessage& message) { m_shown.push_back(message); }};
    m_notifier = std::make_unique<Notifier>(
        m_options, courier, [this](std::vector<Alert> rows, std::vector<Issue> issues, std::function<void(const Status&)> stored) {
          const std::lock_guard lock(m_waiting_mutex);
          m_waiting.push_back({std::move(rows), std::move(issues), std::move(stored)});
        });
    const Status started = m_notifier->start(*m_reader, m_temp.path(), now);
    ASSERT_TRUE(started.ok()) << started.message();
  }
  // The store's writer saves the queued rows; `tell`: and confirms it.
  void store(bool tell = true) {
    while (const std::optional<Saving> next = nextWaiting()) {
      const Saving& saving = *next;
      for (const Issue& issue : saving.issues) m_issues.push_back(issue.code);
      const Status stored = m_writer->alerts(saving.rows);
      EXPECT_TRUE(stored.ok()) << stored.message();
      if (tell) saving.stored(stored);
    }
  }
  std::optional<Saving> nextWaiting() {
    const std::lock_guard lock(m_waiting_mutex);
    if (m_waiting.empty()) return std::nullopt;
    Saving first = std::move(m_waiting.front());
    m_waiting.erase(m_waiting.begin());
    return first;
  }
  void step(DurNs at, std::vector<Finding> findings = {}) {
    for (Finding& finding : findings) finding.run = m_run, finding.attempt = m_attempt;
    const Status done = m_notifier->step(*m_reader, findings, kStart + at);
    EXPECT_TRUE(done.ok()) << done.message();
  }
  // One step, stored and sent; returns the titles of new messages.
  std::vector<std::string> titles(DurNs at, std::vector<Finding> findings = {}) {
    const std::size_t before = m_shown.size();
    step(at, std::move(findings));
    store();
    std::vector<std::string> all;
    for (std::size_t i = before; i < m_shown.size(); ++i) all.push_back(m_shown[i].title);
    return all;
  }
  static Finding hang(Severity severity = Severity::kError) {
    return {.kind = "hang",
            .subject = "run",
            .severity = severity,
            .start = kStart,
            .first_step = 7,
            .rank = 5,
            .summary = "64 ranks wait for rank 5"};
  }
  void event(const std::string& kind, Severity severity, DurNs at, NodeId node = {}, DeviceId device = {}) {
    m_writer->event(
        {.time = kStart + at, .node = node, .device = device, .kind = kind, .severity = severity, .message = kind + " happened"});
    commit();
  }
  std::vector<Alert> history() { return (*m_temp.reader())->alerts(1000).value(); }

  TempStore m_temp;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  NodeId m_node;
  DeviceId m_gpu;
  RunId m_run;
  AttemptId m_attempt;
  AlertOptions m_options;
  std::mutex m_waiting_mutex;  // the targets' threads append to it
  std::vector<Saving> m_waiting;
  std::vector<AlertMessage> m_shown;
  std::vector<std::string> m_issues;
  std::unique_ptr<Notifier> m_notifier;
};

TEST_F(NotifierTest, TheMessageSaysWhatSinceWhenWhoWhatItCostsAndWhereToLook) {
  m_options.price_per_gpu_hour = 2.5;
  m_options.currency = "EUR";
  begin();
  step(4 * kMinute, {hang()});
  store();
  ASSERT_THAT(m_shown, SizeIs(1));
  const AlertMessage& message = m_shown[0];
  EXPECT_EQ(message.title, "error: 64 ranks wait for rank 5");
  EXPECT_THAT(message.text, HasSubstr("since 2023-11-14 22:13:20Z (4 min), run pretrain"));
  EXPECT_THAT(message.text, HasSubstr("costs 64.0 GPU-hours per hour, 160 EUR per hour"));
  const std::string uuid = m_reader->info()->store_uuid;
  EXPECT_THAT(message.link, HasSubstr("runglass://" + uuid + "/run/run-uuid?view=topology&t0="));
  EXPECT_THAT(message.link, HasSubstr("select=rank=5,step=7,attempt=0"));
  const auto json = nlohmann::json::parse(message.json);
  EXPECT_EQ(json["reason"], "new");
  EXPECT_EQ(json["severity"], "error");
  EXPECT_EQ(json["gpu_hours_per_hour"], 64);
  EXPECT_EQ(json["money_per_hour"], 160);
  EXPECT_EQ(json["run"], "pretrain");
  EXPECT_THAT(message.environment, ::testing::Contains("RUNGLASS_SEVERITY=error"));
  const auto record = nlohmann::json::parse(message.otlp)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
  EXPECT_EQ(record["timeUnixNano"], std::to_string(kStart));
  EXPECT_EQ(record["severityNumber"], 17);
  EXPECT_EQ(record["body"]["stringValue"], "64 ranks wait for rank 5");
  std::map<std::string, nlohmann::json> attributes;
  for (const auto& one : record["attributes"]) attributes[one["key"]] = one["value"].front();
  EXPECT_EQ(attributes["runglass.kind"], "hang");
  EXPECT_EQ(attributes["runglass.run.uuid"], "run-uuid");
  EXPECT_EQ(attributes["runglass.notification.id"], message.id);
  EXPECT_EQ(attributes["runglass.gpu_hours_per_hour"], 64);
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].delivery, "desktop: sent");
  EXPECT_TRUE(history()[0].notified.has_value());
  EXPECT_EQ(history()[0].link, message.link);
}

TEST_F(NotifierTest, WithoutAPriceNoMoneyIsSpokenOf) {
  step(kSecond, {hang()});
  store();
  EXPECT_THAT(m_shown.at(0).text, ::testing::AllOf(HasSubstr("64.0 GPU-hours per hour\n"), ::testing::Not(HasSubstr(", 0"))));
  EXPECT_FALSE(nlohmann::json::parse(m_shown[0].json).contains("money_per_hour"));
}

TEST_F(NotifierTest, CalmIsZeroNotifications) {
  event("checkpoint_saved", Severity::kInfo, 1 * kSecond, m_node);
  event("node_stale", Severity::kWarning, 2 * kSecond, m_node);
  event("node_back", Severity::kInfo, 9 * kSecond, m_node);
  event("node_lost", Severity::kError, 20 * kSecond, m_node);
  event("node_back", Severity::kInfo, 60 * kSecond, m_node);
  Finding mild = hang(Severity::kInfo);
  mild.kind = "loss_spike";
  Finding unsure = hang(Severity::kWarning);
  unsure.kind = "insufficient_evidence";
  for (DurNs t = 0; t < 20 * kMinute; t += 10 * kSecond) EXPECT_THAT(titles(t, {mild, unsure}).size() - 0, 0u) << t / kSecond;
  EXPECT_THAT(m_shown, IsEmpty());
}

TEST_F(NotifierTest, ASlowNodeItsRanksAndItsHotGpuAreOneNotification) {
  const auto slow = [&](const std::string& kind, const std::string& subject) {
    Finding finding = hang(Severity::kWarning);
    finding.kind = kind, finding.subject = subject, finding.node = m_node, finding.summary = kind + " of " + subject;
    return finding;
  };
  EXPECT_THAT(titles(0, {slow("thermal_throttle", "node:n0")}), SizeIs(1));
  std::vector<Finding> ranks;
  for (int rank = 0; rank < 6; ++rank) ranks.push_back(slow("slow_rank", "rank:" + std::to_string(rank)));
  EXPECT_THAT(titles(kMinute, ranks), IsEmpty());
  for (Finding& finding : ranks) finding.end = kStart + kMinute;
  EXPECT_THAT(titles(2 * kMinute, ranks), IsEmpty());
  EXPECT_THAT(titles(3 * kMinute, {slow("slow_node", "node:n0")}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_FALSE(history()[0].end) << "its GPU is hot and the node slow";
  Finding elsewhere = slow("slow_node", "node:n1");
  elsewhere.node = m_writer->node({.uuid = "m1", .name = "n1"});
  commit();
  EXPECT_THAT(titles(4 * kMinute, {elsewhere}), SizeIs(1));
}

TEST_F(NotifierTest, AFaultThatIsBackAfterARestartIsTheSame) {
  Finding first = hang();
  first.subject = "attempt:0";
  EXPECT_THAT(titles(0, {first}), SizeIs(1));
  first.end = kStart + kMinute;
  Finding second = hang();
  second.subject = "attempt:1", second.start = kStart + 5 * kMinute;
  EXPECT_THAT(titles(5 * kMinute, {first, second}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_FALSE(history()[0].end);
}

TEST_F(NotifierTest, AFaultOfAMachineIsOneWhateverRunsOnIt) {
  Finding xid = hang();
  xid.kind = "hardware_fault", xid.subject = "device:GPU-0 xid 79", xid.node = m_node;
  const auto tell = [&](RunId run, DurNs at) {
    xid.run = run;
    EXPECT_TRUE(m_notifier->step(*m_reader, {&xid, 1}, kStart + at).ok());
    store();
    return m_shown.size();
  };
  const RunId next = m_writer->run({.uuid = "next", .name = "next", .state = RunState::kRunning, .start = kStart});
  commit();
  EXPECT_EQ(tell(RunId(), 0), 1U) << "no run at all";
  EXPECT_EQ(tell(m_run, kSecond), 1U);
  EXPECT_EQ(tell(next, kMinute), 1U);
}

// All findings of one fault: the Xid, the resulting stall, and the hang that names the rank on its node.
class OneFaultTest : public NotifierTest {
 protected:
  Finding xid(TimeNs start = kStart) const {
    return {.kind = "hardware_fault",
            .subject = "device:GPU-0 xid 79",
            .severity = Severity::kError,
            .start = start,
            .node = m_node,
            .summary = "GPU 3 fell off the bus"};
  }
  Finding hungOn(NodeId node, TimeNs start = kStart) const {
    Finding finding = hang(Severity::kCritical);
    finding.subject = "attempt:0", finding.node = node, finding.start = start;
    return finding;
  }
  Finding stall() const {
    Finding finding = hang(Severity::kWarning);
    finding.kind = "stall", finding.subject = "attempt:0", finding.rank = {};
    return finding;
  }
  Finding failed(DurNs at) const {
    return {.kind = "job_failed",
            .subject = "attempt:0",
            .severity = Severity::kError,
            .start = kStart + at,
            .rank = 3,
            .summary = "Rank 3 failed first: RuntimeError"};
  }
  void mute(const Finding& finding) {
    const Snooze snooze{
        .rule = "", .cause = causeOfFinding(finding, "n0", "run-uuid"), .until = kStart + 24 * 3'600 * kSecond, .author = "ada"};
    ASSERT_TRUE(m_writer->edit(snooze).ok());
    commit();
  }
};

TEST_F(OneFaultTest, AnXidAndTheHangThatItMakesAreOneNotificationInWhateverOrder) {
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(30 * kSecond, {stall()}), IsEmpty());
  EXPECT_THAT(titles(kMinute, {hungOn(m_node)}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  Finding over = hungOn(m_node), gone = xid(), moved = stall();
  over.end = gone.end = moved.end = kStart + 20 * kMinute;
  EXPECT_THAT(titles(20 * kMinute, {over, gone, moved}), IsEmpty());
  EXPECT_EQ(history().at(0).end, kStart + 20 * kMinute);
}

TEST_F(OneFaultTest, AHangThatWasNotifiedFirstTakesTheXidIn) {
  EXPECT_THAT(titles(0, {hungOn(m_node)}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {xid()}), IsEmpty());
  EXPECT_THAT(titles(2 * kMinute, {xid(), hungOn(m_node)}), IsEmpty());
  EXPECT_THAT(history(), SizeIs(1));
}

TEST_F(OneFaultTest, ASilentNodeAndTheHangOfItsRanksAreOneNotification) {
  event("node_lost", Severity::kError, 0, m_node);
  EXPECT_THAT(titles(kSecond), IsEmpty()) << "it has to be silent for a minute";
  Finding silent = xid();
  silent.subject = "node:n0 node_lost";
  EXPECT_THAT(titles(30 * kSecond, {silent, stall()}).size() + titles(70 * kSecond, {hungOn(m_node)}).size(), 1U);
  ASSERT_THAT(history(), SizeIs(1));
  event("node_back", Severity::kInfo, 3 * kMinute, m_node);
  EXPECT_THAT(titles(3 * kMinute), IsEmpty());
  EXPECT_FALSE(history().at(0).end) << "the run still hangs";
}

// The console mutes a finding by its own cause, whichever part of the fault was notified.
TEST_F(OneFaultTest, AMuteOfTheHangThatFollowedMutesTheFault) {
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {xid(), hungOn(m_node)}), IsEmpty());
  mute(hungOn(m_node));
  EXPECT_THAT(titles(7 * 3'600 * kSecond, {xid(), hungOn(m_node)}), IsEmpty());
}

TEST_F(OneFaultTest, AMuteOfTheXidThatJoinedTheHangMutesTheFault) {
  EXPECT_THAT(titles(0, {hungOn(m_node)}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {hungOn(m_node), xid()}), IsEmpty());
  mute(xid());
  EXPECT_THAT(titles(7 * 3'600 * kSecond, {hungOn(m_node), xid()}), IsEmpty());
}

TEST_F(OneFaultTest, AMuteOfTheFaultMutesWhatFollowsFromItLater) {
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  mute(xid());
  Finding warning = stall();
  warning.node = m_node;
  EXPECT_THAT(titles(kMinute, {xid(), warning, hungOn(m_node)}), IsEmpty());
  EXPECT_THAT(titles(7 * 3'600 * kSecond, {xid(), warning, hungOn(m_node)}), IsEmpty());
}

TEST_F(OneFaultTest, AMuteOfAPartThatHasEndedDoesNotMuteTheFault) {
  Finding warning = stall();
  warning.node = m_node;
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {xid(), warning}), IsEmpty());
  warning.end = kStart + 2 * kMinute;
  EXPECT_THAT(titles(3 * kMinute, {xid(), warning}), IsEmpty());
  mute(warning);
  EXPECT_THAT(titles(7 * 3'600 * kSecond, {xid(), warning}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangElsewhereOrMuchLaterIsAnotherFault) {
  const NodeId other = m_writer->node({.uuid = "m1", .name = "n1", .state = NodeState::kAlive});
  commit();
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {hungOn(other)}), SizeIs(1));
  Finding later = hungOn(m_node, kStart + 2 * 3600 * kSecond);
  later.kind = "stall";
  EXPECT_THAT(titles(2 * 3600 * kSecond, {later}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangAfterAMereWarningOfItsNodeNotifies) {
  Finding process = xid();
  process.severity = Severity::kWarning, process.subject = "device:GPU-0 xid 43";
  EXPECT_THAT(titles(0, {process}), SizeIs(1));
  EXPECT_THAT(titles(9 * kMinute, {process, hungOn(m_node, kStart + 9 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangAfterAMereWarningAndItsStallNotifies) {
  Finding process = xid();
  process.severity = Severity::kWarning, process.subject = "device:GPU-0 xid 43";
  EXPECT_THAT(titles(0, {process}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {process, stall()}), IsEmpty());
  EXPECT_THAT(titles(9 * kMinute, {process, stall(), hungOn(m_node, kStart + 9 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangElsewhereNotifiesThoughAStallCameFirst) {
  const NodeId other = m_writer->node({.uuid = "m1", .name = "n1", .state = NodeState::kAlive});
  commit();
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {xid(), stall()}), IsEmpty());
  EXPECT_THAT(titles(2 * kMinute, {xid(), stall(), hungOn(other)}), SizeIs(1));
}

TEST_F(OneFaultTest, AStallAndTheHangThatItBecomesAreOneNotification) {
  EXPECT_THAT(titles(0, {stall()}), SizeIs(1));
  Finding grown = stall();
  grown.end = kStart + kSecond;
  const Finding hung = hungOn(m_node, kStart + kSecond);
  EXPECT_THAT(titles(kMinute, {hung, grown}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].severity, Severity::kCritical);
  EXPECT_EQ(history()[0].summary, "64 ranks wait for rank 5");
  EXPECT_FALSE(history()[0].end);
  begin(kStart + 2 * kMinute);
  EXPECT_THAT(titles(2 * kMinute, {hung, grown}), IsEmpty()) << "neither for the next hub";
  Finding over = hung;
  over.end = kStart + 20 * kMinute;
  EXPECT_THAT(titles(20 * kMinute, {over, grown}), IsEmpty());
  EXPECT_EQ(history().at(0).end, kStart + 20 * kMinute);
}

TEST_F(OneFaultTest, AHangAfterAStallThatIsOverNotifies) {
  Finding over = stall();
  EXPECT_THAT(titles(0, {over}), SizeIs(1));
  over.end = kStart + 40 * kSecond;
  EXPECT_THAT(titles(kMinute, {over}), IsEmpty());
  EXPECT_THAT(titles(4 * kMinute, {over, hungOn(m_node, kStart + 4 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, WhoIsNotNotifiedOfStallsIsNotifiedOfTheHang) {
  m_options.rules.insert(m_options.rules.begin(), {.name = "no stalls", .findings = {"stall"}, .at_least = Severity::kDebug});
  begin();
  EXPECT_THAT(titles(0, {stall()}), IsEmpty());
  EXPECT_THAT(titles(kMinute, {stall(), hungOn(m_node)}), SizeIs(1));
}

TEST_F(OneFaultTest, AFaultAfterAStallThatIsOverNotifies) {
  Finding over = stall();
  EXPECT_THAT(titles(0, {over}), SizeIs(1));
  over.end = kStart + 40 * kSecond;
  EXPECT_THAT(titles(kMinute, {over}), IsEmpty());
  EXPECT_THAT(titles(8 * kMinute, {over, xid(kStart + 8 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, AStallJoinsTheFaultOfOneMachineOnly) {
  const NodeId other = m_writer->node({.uuid = "m1", .name = "n1", .state = NodeState::kAlive});
  commit();
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {xid(), stall()}), IsEmpty());
  Finding second = xid(kStart + 5 * kMinute);
  second.node = other, second.subject = "device:GPU-9 xid 79";
  EXPECT_THAT(titles(5 * kMinute, {xid(), stall(), second}), SizeIs(1));
}

TEST_F(OneFaultTest, AHubThatRestartsGivesThemTheCauseThatTheyHad) {
  EXPECT_THAT(titles(0, {xid()}), SizeIs(1));
  EXPECT_THAT(titles(kMinute, {hungOn(m_node)}), IsEmpty());
  begin(kStart + 2 * kMinute);
  EXPECT_THAT(titles(2 * kMinute, {hungOn(m_node), xid()}), IsEmpty());
}

TEST_F(OneFaultTest, WhoIsNotNotifiedOfTheFaultIsNotifiedOfTheHang) {
  m_options.rules.insert(m_options.rules.begin(), {.name = "no hardware", .findings = {"hardware_fault"}, .at_least = Severity::kDebug});
  begin();
  EXPECT_THAT(titles(0, {xid()}), IsEmpty());
  EXPECT_THAT(titles(kMinute, {hungOn(m_node)}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangAndTheFailureOfItsJobAreOneNotification) {
  EXPECT_THAT(titles(0, {hungOn(m_node)}), SizeIs(1));
  Finding over = hungOn(m_node);
  over.end = kStart + 31 * kMinute;
  EXPECT_THAT(titles(31 * kMinute, {failed(31 * kMinute), over}), IsEmpty()) << "a watchdog of 30 minutes";
  begin(kStart + 32 * kMinute);
  EXPECT_THAT(titles(32 * kMinute, {failed(31 * kMinute), over}), IsEmpty()) << "neither for the next hub";
}

TEST_F(OneFaultTest, AMuteOfAStallDoesNotCoverTheFailureOfItsJob) {
  EXPECT_THAT(titles(0, {stall()}), SizeIs(1));
  mute(stall());
  EXPECT_THAT(titles(2 * kMinute, {hungOn(m_node)}), IsEmpty()) << "a stall that became a hang";
  EXPECT_THAT(titles(11 * kMinute, {hungOn(m_node), failed(10 * kMinute)}), ElementsAre(HasSubstr("Rank 3 failed first")));
  EXPECT_THAT(titles(12 * kMinute, {hungOn(m_node), failed(10 * kMinute)}), IsEmpty());
  begin(kStart + 13 * kMinute);
  EXPECT_THAT(titles(13 * kMinute, {stall(), hungOn(m_node), failed(10 * kMinute)}), IsEmpty()) << "once, for the next hub as well";
}

TEST_F(OneFaultTest, AMutedHangOfWhichNobodyWasNotifiedDoesNotHideTheFailureOfItsJob) {
  mute(hungOn(m_node));
  EXPECT_THAT(titles(0, {hungOn(m_node)}), IsEmpty());
  EXPECT_THAT(titles(9 * kMinute, {hungOn(m_node), failed(9 * kMinute)}), ElementsAre(HasSubstr("Rank 3 failed first")));
  EXPECT_THAT(titles(10 * kMinute, {hungOn(m_node), failed(9 * kMinute)}), IsEmpty());
}

TEST_F(OneFaultTest, AMutedFailureAfterAMutedHangIsQuiet) {
  EXPECT_THAT(titles(0, {hungOn(m_node)}), SizeIs(1));
  mute(hungOn(m_node));
  mute(failed(kMinute));
  EXPECT_THAT(titles(2 * kMinute, {hungOn(m_node), failed(kMinute)}), IsEmpty());
}

TEST_F(OneFaultTest, AHangAndTheFailureOfItsJobAreOneNotificationAfterAMuteOfTheirRule) {
  ASSERT_TRUE(m_writer->edit(Snooze{.rule = "findings", .cause = "", .until = kStart + 10 * kMinute, .author = "ada"}).ok());
  commit();
  EXPECT_THAT(titles(0, {hungOn(m_node)}), IsEmpty());
  EXPECT_THAT(titles(2 * kMinute, {hungOn(m_node), failed(2 * kMinute)}), IsEmpty());
  EXPECT_THAT(titles(11 * kMinute, {hungOn(m_node), failed(2 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, AFailureAfterAHangThatIsOverNotifies) {
  Finding over = hungOn(m_node);
  EXPECT_THAT(titles(0, {over}), SizeIs(1));
  over.end = kStart + 4 * kMinute;
  EXPECT_THAT(titles(5 * kMinute, {over}), IsEmpty());
  EXPECT_THAT(titles(9 * kMinute, {over, failed(9 * kMinute)}), SizeIs(1));
}

TEST_F(OneFaultTest, AHangAfterAFailureIsOfTheNextAttempt) {
  EXPECT_THAT(titles(0, {failed(0)}), SizeIs(1));
  EXPECT_THAT(titles(6 * kMinute, {failed(0), hungOn(m_node, kStart + 6 * kMinute)}), SizeIs(1));
}

TEST_F(NotifierTest, WhatIsWithdrawnIsWithdrawnInTheHistoryAndNotifiesNobody) {
  EXPECT_THAT(titles(0, {hang()}), SizeIs(1));
  Finding withdrawn = hang();
  withdraw(withdrawn, kStart);
  Finding other = hang();
  other.kind = "stall";
  Finding not_reported = other;
  withdraw(not_reported, kStart);
  EXPECT_THAT(titles(kMinute, {withdrawn, other, not_reported}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].end, kStart);
  EXPECT_EQ(history()[0].summary, "Withdrawn: 64 ranks wait for rank 5");
}

TEST_F(NotifierTest, ARestartedHubDoesNotRepeatAndOneKilledBeforeNotificationDoes) {
  step(0, {hang()});
  store(false);  // unconfirmed: kill -9 between storing and sending
  EXPECT_THAT(m_shown, IsEmpty());
  begin(kStart + kMinute);
  EXPECT_THAT(titles(kMinute, {hang()}), ElementsAre("error: 64 ranks wait for rank 5"));
  store();
  begin(kStart + 2 * kMinute);
  EXPECT_THAT(titles(2 * kMinute, {hang()}), IsEmpty());
  EXPECT_THAT(titles(3 * kMinute, {hang(Severity::kCritical)}), SizeIs(1));
  EXPECT_THAT(history(), SizeIs(1));
}

TEST_F(NotifierTest, TheNotificationThatIsRepeatedAfterAKillHasTheSameId) {
  step(0, {hang()});
  const auto saving = m_waiting.at(0);
  ASSERT_TRUE(m_writer->alerts(saving.rows).ok());
  saving.stored({});  // sent; killed before that could be stored
  ASSERT_THAT(m_shown, SizeIs(1));
  begin(kStart + kMinute);
  EXPECT_THAT(titles(kMinute), SizeIs(1));
  EXPECT_EQ(m_shown[0].id, m_shown[1].id);
}

TEST_F(NotifierTest, WhatIsStoredAfterTheStopIsReportedOnceByTheNextHub) {
  step(0, {hang()});
  m_notifier->stop();
  store();
  EXPECT_THAT(m_shown, IsEmpty());
  begin(kStart + kMinute);
  EXPECT_THAT(titles(kMinute, {hang()}), SizeIs(1));
}

TEST_F(NotifierTest, ASecondFollowerOfTheStoreIsNoNotifier) {
  step(0, {hang()});
  store();
  // Another process only has a Reader: it sees the history and sends nothing.
  const auto follower = m_temp.reader().value();
  ASSERT_THAT(follower->alerts(10).value(), SizeIs(1));
  EXPECT_EQ(follower->alerts(10)->at(0).count, 1);
}

TEST_F(NotifierTest, AnEventIsReportedOnceWithNamesThoughItIsSeenBeforeTheyAreCommitted) {
  m_options.rules = {{.name = "xid", .events = {"xid"}, .at_least = Severity::kError, .to = {"desktop"}}};
  begin();
  m_reader = m_temp.reader({.live = m_writer->liveTail()}).value();
  const NodeId node = m_writer->node({.uuid = "m9", .name = "n9"});
  const DeviceId gpu = m_writer->device({.uuid = "GPU-9", .node = node, .index = 1, .kind = "gpu"});
  m_writer->event(
      {.time = kStart, .node = node, .device = gpu, .kind = "xid", .severity = Severity::kCritical, .code = "79", .message = "Xid 79"});
  EXPECT_THAT(titles(kSecond), IsEmpty());
  commit();
  EXPECT_THAT(titles(2 * kSecond), ElementsAre("critical: Xid 79"));
  EXPECT_THAT(m_shown[0].text, HasSubstr("n9 gpu 1"));
  EXPECT_THAT(titles(40 * kSecond), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].end, kStart) << "a moment is over as soon as it is said";
}

TEST_F(NotifierTest, ALostNodeIsReportedAfterAMinuteByName) {
  event("node_lost", Severity::kError, 0, m_node);
  EXPECT_THAT(titles(59 * kSecond), IsEmpty());
  EXPECT_THAT(titles(60 * kSecond), ElementsAre("error: node_lost happened"));
  EXPECT_THAT(m_shown[0].text, HasSubstr("n0"));
  event("node_back", Severity::kInfo, 70 * kSecond, m_node);
  EXPECT_THAT(titles(71 * kSecond), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].end, kStart + 70 * kSecond);
}

TEST_F(NotifierTest, AFullStoreIsReportedOnceAndEndsWhenItHasRoomAlsoAfterARestart) {
  event("store_full", Severity::kError, 0);
  EXPECT_THAT(titles(kSecond), ElementsAre("error: store_full happened"));
  EXPECT_THAT(titles(2 * kSecond), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_FALSE(history()[0].end);
  begin(kStart + kMinute);
  EXPECT_THAT(titles(kMinute), IsEmpty()) << "the next hub knows that it was sent";
  event("store_has_room", Severity::kInfo, 2 * kMinute);
  EXPECT_THAT(titles(2 * kMinute), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  EXPECT_EQ(history()[0].end, kStart + 2 * kMinute);
}

TEST_F(NotifierTest, AMetricIsNotifiedAfterItsTimeAndHasHysteresis) {
  m_options.rules = {{.name = "hot",
                      .metric = MetricCondition{.metric = "temperature_celsius", .above = 90, .clear = 85},
                      .at_least = Severity::kError,
                      .hold = 30 * kSecond,
                      .to = {"desktop"}}};
  begin();
  const SeriesId series = m_writer->series({.node = m_node, .device = m_gpu, .metric = "temperature_celsius", .unit = "celsius"});
  const auto at = [&](DurNs t, double value) {
    m_writer->sample(series, kStart + t, value);
    commit();
    return titles(t);
  };
  EXPECT_THAT(at(0, 80), IsEmpty());
  EXPECT_THAT(at(10 * kSecond, 95), IsEmpty());
  EXPECT_THAT(at(20 * kSecond, 89), IsEmpty()) << "below the threshold, above where it clears";
  EXPECT_THAT(at(40 * kSecond, 88), ElementsAre("error: temperature_celsius is 88 on n0 gpu 3, above 90"));
  EXPECT_THAT(at(50 * kSecond, 84), IsEmpty());
  EXPECT_EQ(history().at(0).end, kStart + 50 * kSecond);
  EXPECT_THAT(at(60 * kSecond, 89), IsEmpty());
  EXPECT_EQ(m_notifier->stats().causes, 1u);
  EXPECT_THAT(titles(3 * kMinute), IsEmpty()) << "an old value says nothing about now";
}

TEST_F(NotifierTest, AMissingMetricIsReportedUnlessItsNodeSaidGoodbye) {
  m_options.rules = {{.name = "missing",
                      .metric = MetricCondition{.metric = "power_watts", .absent = true},
                      .at_least = Severity::kWarning,
                      .hold = 2 * kMinute,
                      .to = {"desktop"}}};
  begin();
  m_writer->sample(m_writer->series({.node = m_node, .device = m_gpu, .metric = "power_watts"}), kStart, 300);
  const NodeId other = m_writer->node({.uuid = "m1", .name = "n1", .state = NodeState::kLeft});
  m_writer->sample(m_writer->series({.node = other, .metric = "power_watts"}), kStart, 300);
  commit();
  EXPECT_THAT(titles(119 * kSecond), IsEmpty());
  EXPECT_THAT(titles(125 * kSecond), ElementsAre("warning: power_watts is missing on n0 gpu 3"));
}

TEST_F(NotifierTest, ASnoozeInTheStoreIsKept) {
  ASSERT_TRUE(m_writer->edit(Snooze{.rule = "findings", .cause = "", .until = kStart + 10 * kMinute, .author = "ada"}).ok());
  EXPECT_THAT(titles(0, {hang()}), IsEmpty());
  ASSERT_THAT(history(), SizeIs(1));
  begin(kStart + kMinute);
  EXPECT_THAT(titles(kMinute, {hang()}), IsEmpty());
  ASSERT_TRUE(m_writer->edit(Snooze{.rule = "findings", .cause = "", .until = std::nullopt, .author = "ada"}).ok());
  EXPECT_THAT(titles(2 * kMinute), SizeIs(1));
}

TEST_F(NotifierTest, AStoreThatTakesNothingDoesNotKeepPeopleInTheDark) {
  step(0, {hang()});
  ASSERT_THAT(m_waiting, SizeIs(1));
  m_waiting[0].stored(Status(Code::kResourceExhausted, "disk full"));
  EXPECT_THAT(m_shown, SizeIs(1));
}

TEST_F(NotifierTest, WhatReachesNobodyIsAnIssue) {
  m_options.targets = {{.name = "desktop", .command = {"/nowhere/page"}, .webhook = ""}};
  begin();
  step(0, {hang()});
  store();
  ASSERT_TRUE(test::waitUntil([&] {
    if (m_notifier->stats().not_reported > 0) store();
    return !m_issues.empty();
  }));
  EXPECT_THAT(m_issues, ElementsAre("alert.not_told"));
}

TEST_F(NotifierTest, AFloodOfFindingsIsAFewMessages) {
  std::vector<Finding> flood(100'000, hang());
  for (std::size_t i = 0; i < flood.size(); ++i) flood[i].subject = "rank:" + std::to_string(i);
  const TimeNs begin = monotonicNow();
  EXPECT_THAT(titles(0, flood), ElementsAre("error: 20000 at once: 64 ranks wait for rank 5"));
  EXPECT_LT(m_shown[0].json.size(), 100'000u);
  EXPECT_LT(m_shown[0].text.size(), 100'000u);
  EXPECT_THAT(m_issues, ElementsAre("alert.too_many_causes"));
  RecordProperty("flood_ms", static_cast<int>((monotonicNow() - begin) / kNsPerMs));
}

}  // namespace
}  // namespace runglass
