// SPDX-License-Identifier: Apache-2.0
// Which target gets which notifications, and when they are repeated, on the test's own clock.
#include "collectors/hub/alerts/alert_state.h"

#include <gmock/gmock.h>

#include "model/edits.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Reason = Notification::Reason;

constexpr TimeNs kStart = 1'700'000'000'000'000'000;
constexpr DurNs kSecond = kNsPerSecond, kMinute = 60 * kSecond, kHour = 60 * kMinute;

class AlertBookTest : public ::testing::Test {
 protected:
  AlertBookTest() {
    m_options.rules = {{.name = "quick", .findings = {"hang", "slow_rank"}, .to = {"pager"}},
                       {.name = "patient", .findings = {"thermal_throttle"}, .hold = 5 * kMinute, .to = {"pager"}},
                       {.name = "never", .findings = {"loss_spike"}},
                       {.name = "events", .events = {"xid:79", "oom"}, .at_least = Severity::kError, .to = {"pager"}},
                       {.name = "lost", .events = {"node_lost"}, .at_least = Severity::kError, .hold = kMinute, .to = {"pager"}}};
  }
  static Trouble finding(const std::string& kind, Severity severity = Severity::kWarning, DurNs since = 0) {
    return {.cause = kind, .kind = kind, .severity = severity, .since = kStart + since, .summary = kind};
  }
  static Trouble event(const std::string& kind, const std::string& code, DurNs at, bool moment = true) {
    return {.source = Trouble::Source::kEvent,
            .cause = kind,
            .kind = kind,
            .code = code,
            .severity = Severity::kError,
            .since = kStart + at,
            .moment = moment,
            .summary = kind};
  }
  void see(Trouble trouble, DurNs at) { m_book->see(std::move(trouble), kStart + at); }
  std::vector<Notification> decide(DurNs at) { return m_book->decide(kStart + at); }
  std::vector<Reason> reasons(DurNs at) {
    std::vector<Reason> all;
    for (const Notification& one : decide(at)) all.push_back(one.reason);
    return all;
  }
  // A new hub that starts with the data stored by the previous one.
  void restart(DurNs at) {
    for (const Alert& row : m_book->takeRows()) {
      std::erase_if(m_stored, [&](const Alert& old) { return old.cause == row.cause && old.since == row.since; });
      m_stored.insert(m_stored.begin(), row);
    }
    m_book = std::make_unique<AlertState>(m_options);
    m_book->load(m_stored, kStart + at);
  }

  AlertOptions m_options;
  std::unique_ptr<AlertState> m_book = std::make_unique<AlertState>(m_options);
  std::vector<Alert> m_stored;
};

TEST_F(AlertBookTest, ACauseIsReportedOnceAndAgainOnlyWhenWorseOrAfterSixHours) {
  see(finding("hang"), 0);
  EXPECT_THAT(reasons(0), ElementsAre(Reason::kNew));
  for (DurNs t = kSecond; t < 6 * kHour; t += 97 * kSecond) {
    see(finding("hang"), t);
    ASSERT_THAT(decide(t), IsEmpty()) << t / kSecond;
  }
  EXPECT_THAT(reasons(6 * kHour), ElementsAre(Reason::kStill));
  EXPECT_THAT(decide(6 * kHour + kSecond), IsEmpty());
  see(finding("hang", Severity::kCritical), 7 * kHour);
  EXPECT_THAT(reasons(7 * kHour), ElementsAre(Reason::kWorse));
  see(finding("hang", Severity::kWarning), 7 * kHour + kSecond);
  EXPECT_THAT(decide(7 * kHour + kSecond), IsEmpty()) << "better is no news";
  EXPECT_THAT(reasons(13 * kHour), ElementsAre(Reason::kStill));
}

TEST_F(AlertBookTest, WhatMustHoldForAWhileIsReportedThenAndNotIfItEndsBefore) {
  see(finding("thermal_throttle"), 0);
  EXPECT_THAT(decide(5 * kMinute - 1), IsEmpty());
  EXPECT_THAT(reasons(5 * kMinute), ElementsAre(Reason::kNew));
  Trouble brief = finding("thermal_throttle");
  brief.cause = "another";
  see(brief, 0);
  brief.end = kStart + kMinute;
  see(brief, kMinute);
  EXPECT_THAT(decide(20 * kMinute), IsEmpty());
}

TEST_F(AlertBookTest, ATroubleThatFlapsIsOneUntilItWasQuietForLong) {
  Trouble flap = finding("hang");
  for (int i = 0; i < 50; ++i) {
    const DurNs t = i * kMinute;
    flap.since = kStart + t;
    flap.end.reset();
    see(flap, t);
    EXPECT_THAT(decide(t), SizeIs(i == 0 ? 1 : 0)) << i;
    flap.end = kStart + t + 10 * kSecond;
    see(flap, t + 10 * kSecond);
    EXPECT_THAT(decide(t + 10 * kSecond), IsEmpty());
  }
  const DurNs later = 49 * kMinute + 10 * kSecond + m_options.rearm_after;
  flap.since = kStart + later;
  flap.end.reset();
  see(flap, later);
  EXPECT_THAT(reasons(later), ElementsAre(Reason::kNew));
}

TEST_F(AlertBookTest, PartsOfOneCauseAreReportedOnceAndAreOverWithTheLast) {
  const auto part = [](const std::string& name, std::optional<DurNs> end = {}) {
    Trouble trouble = finding("slow_rank");
    trouble.cause = "node", trouble.part = name;
    if (end) trouble.end = kStart + *end;
    return trouble;
  };
  see(part("a"), 0), see(part("b"), 0);
  EXPECT_THAT(reasons(0), ElementsAre(Reason::kNew));
  see(part("a", kMinute), kMinute);
  (void)decide(kMinute);
  EXPECT_FALSE(m_book->takeRows().at(0).end);
  see(part("b", 2 * kMinute), 2 * kMinute), see(part("c", kMinute), 2 * kMinute);
  EXPECT_THAT(decide(2 * kMinute), IsEmpty());
  EXPECT_EQ(m_book->takeRows().at(0).end, kStart + 2 * kMinute);
}

TEST_F(AlertBookTest, PartsThatDifferentRulesTakeAreReportedByEach) {
  Trouble rank = finding("slow_rank"), silenced = finding("loss_spike");
  for (Trouble* one : {&silenced, &rank}) one->cause = "node", one->part = one->kind;
  see(silenced, 0);
  EXPECT_THAT(decide(0).at(0).to, IsEmpty());
  see(rank, kSecond);
  const auto notified = decide(kSecond);
  ASSERT_THAT(notified, SizeIs(1)) << "a rule without targets silences its own kinds only";
  EXPECT_THAT(notified[0].to, ElementsAre("pager"));
}

TEST_F(AlertBookTest, TheFirstRuleThatFitsDecidesAndOneWithoutTargetsSilences) {
  see(finding("loss_spike", Severity::kCritical), 0);
  const auto notified = decide(0);
  ASSERT_THAT(notified, SizeIs(1));
  EXPECT_THAT(notified[0].to, IsEmpty());
  see(finding("hang", Severity::kInfo), 0);
  see(finding("something_else", Severity::kCritical), 0);
  EXPECT_THAT(decide(0), IsEmpty()) << "below the rule's severity; of no rule";
}

TEST_F(AlertBookTest, ASnoozedCauseIsReportedWhenTheSnoozeEndsIfItStillHolds) {
  m_book->snooze({{.rule = "", .cause = "hang", .until = kStart + kHour, .author = ""}});
  see(finding("hang"), 0);
  EXPECT_THAT(decide(0), IsEmpty());
  const std::vector<Alert> rows = m_book->takeRows();
  ASSERT_THAT(rows, SizeIs(1)) << "the history shows it";
  EXPECT_EQ(rows[0].due, std::nullopt);
  EXPECT_THAT(decide(kHour - 1), IsEmpty());
  EXPECT_THAT(reasons(kHour), ElementsAre(Reason::kNew));
}

TEST_F(AlertBookTest, ASnoozedRuleIsQuietEvenWhenItGetsWorse) {
  see(finding("hang"), 0);
  EXPECT_THAT(decide(0), SizeIs(1));
  m_book->snooze({{.rule = "quick", .cause = "", .until = kStart + kHour, .author = ""}});
  see(finding("hang", Severity::kCritical), kMinute);
  EXPECT_THAT(decide(kMinute), IsEmpty());
  m_book->snooze({});
  EXPECT_THAT(reasons(2 * kMinute), ElementsAre(Reason::kWorse));
}

TEST_F(AlertBookTest, ARestartedHubDoesNotRepeatWhatWasReported) {
  see(finding("hang"), 0);
  const auto notified = decide(0);
  ASSERT_THAT(notified, SizeIs(1));
  m_book->delivered(notified[0].alerts, "pager: sent", kStart + kSecond);
  restart(kMinute);
  EXPECT_THAT(decide(kMinute), IsEmpty());
  see(finding("hang"), 2 * kMinute);
  EXPECT_THAT(decide(2 * kMinute), IsEmpty());
  EXPECT_THAT(reasons(6 * kHour), ElementsAre(Reason::kStill));
}

TEST_F(AlertBookTest, AHubKilledBetweenStoringAndNotificationLetsTheNextOneTellItWithTheSameCount) {
  see(finding("hang"), 0);
  const auto notified = decide(0);
  ASSERT_THAT(notified, SizeIs(1));
  restart(kMinute);
  const auto again = decide(kMinute);
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].reason, Reason::kAgain);
  EXPECT_EQ(again[0].alerts[0].count, notified[0].alerts[0].count);
  EXPECT_EQ(again[0].alerts[0].since, notified[0].alerts[0].since);
  EXPECT_THAT(decide(2 * kMinute), IsEmpty());
}

TEST_F(AlertBookTest, AnEventIsAMomentAndItsRepeatsWithinTheQuietTimeAreOne) {
  see(event("xid", "79", 0), 0);
  EXPECT_THAT(reasons(0), ElementsAre(Reason::kNew));
  for (int i = 1; i < 20; ++i) {
    see(event("xid", "79", i * kMinute), i * kMinute);
    EXPECT_THAT(decide(i * kMinute), IsEmpty());
  }
  see(event("xid", "79", kMinute), kHour);  // seen again: nothing new
  EXPECT_THAT(decide(kHour), IsEmpty());
  see(event("xid", "79", 2 * kHour), 2 * kHour);
  EXPECT_THAT(reasons(2 * kHour), ElementsAre(Reason::kNew));
  see(event("xid", "13", 2 * kHour), 2 * kHour);
  EXPECT_THAT(decide(2 * kHour), IsEmpty()) << "the rule names a code";
}

TEST_F(AlertBookTest, AnEventThatComesLateTellsNobody) {
  see(event("oom", "", 0), AlertState::kNews + kSecond);
  EXPECT_THAT(decide(AlertState::kNews + kSecond), IsEmpty());
  EXPECT_EQ(m_book->causes(), 0u);
}

TEST_F(AlertBookTest, ANodeThatIsBackInTimeWakesNobodyThoughItsEventsAreReadAgainAndAgain) {
  const auto scan = [&](DurNs at) {
    see(event("node_lost", "", 0, false), at);
    if (at >= 50 * kSecond) m_book->end("node_lost", "", kStart + 50 * kSecond);
    return decide(at).size();
  };
  for (DurNs t = 0; t < 10 * kMinute; t += 5 * kSecond) EXPECT_EQ(scan(t), 0u) << t / kSecond;
}

TEST_F(AlertBookTest, ANodeThatStaysAwayIsReportedAfterAMinuteAndItsReturnIsInTheHistory) {
  std::size_t notified = 0;
  for (DurNs t = 0; t < 3 * kMinute; t += 5 * kSecond) {
    see(event("node_lost", "", 0, false), t);
    notified += decide(t).size();
    EXPECT_EQ(notified, t >= kMinute ? 1u : 0u);
  }
  m_book->takeRows();
  m_book->end("node_lost", "", kStart + 3 * kMinute);
  const std::vector<Alert> rows = m_book->takeRows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].end, kStart + 3 * kMinute);
}

TEST_F(AlertBookTest, ManyAtOnceAreOneNotificationThatNamesTheWorst) {
  for (int i = 0; i < 600; ++i) {
    Trouble one = finding("slow_rank", i == 400 ? Severity::kCritical : Severity::kWarning);
    one.cause = "slow_rank/" + std::to_string(i);
    one.summary = one.cause;
    see(one, 0);
  }
  const auto notified = decide(0);
  ASSERT_THAT(notified, SizeIs(1));
  EXPECT_THAT(notified[0].alerts, SizeIs(600));
  EXPECT_EQ(notified[0].alerts[0].summary, "slow_rank/400");
  EXPECT_THAT(notified[0].worst, SizeIs(Notification::kSpelled));
}

TEST_F(AlertBookTest, AFloodIsBoundedInNotificationsAndInMemory) {
  std::size_t notified = 0;
  constexpr int kFlood = 100'000;
  for (int i = 0; i < kFlood; ++i) {
    Trouble one = finding("slow_rank", Severity::kWarning, i * kNsPerMs * 30);
    one.cause = "slow_rank/" + std::to_string(i);
    see(one, i * kNsPerMs * 30);
    if (i % 1000 == 0) notified += decide(i * kNsPerMs * 30).size();
  }
  notified += decide(kFlood * kNsPerMs * 30LL).size();
  EXPECT_LE(notified, static_cast<std::size_t>(m_options.most_per_hour));
  EXPECT_GE(notified, 1u);
  EXPECT_EQ(m_book->causes(), AlertState::kMaxCauses);
  EXPECT_EQ(m_book->unkept(), kFlood - static_cast<int>(AlertState::kMaxCauses));
  EXPECT_GT(m_book->heldBack(), 0);
}

TEST_F(AlertBookTest, WhatWasHeldBackIsOneNotificationWhenThereIsRoom) {
  m_options.most_per_hour = 1;
  for (int i = 0; i < 3; ++i) {
    Trouble one = finding("hang", Severity::kWarning, i * kMinute);
    one.cause = std::to_string(i);
    see(one, i * kMinute);
    EXPECT_THAT(decide(i * kMinute), SizeIs(i == 0 ? 1 : 0));
  }
  EXPECT_THAT(decide(kHour - 1), IsEmpty());
  EXPECT_THAT(decide(kHour), SizeIs(1));
}

TEST_F(AlertBookTest, NamesFromOutsideAreBoundedAndStillDistinguished) {
  for (const char* end : {"a", "b"}) {
    Trouble huge = finding("hang");
    huge.cause = std::string(1 << 20, 'x') + end;
    huge.summary = huge.cause;
    see(huge, 0);
  }
  const auto notified = decide(0);
  ASSERT_THAT(notified, SizeIs(2));
  for (const Notification& one : notified) {
    EXPECT_LE(one.alerts[0].cause.size(), kMaxAlertCause);
    EXPECT_LE(one.alerts[0].summary.size(), 2'000u);
  }
}

TEST_F(AlertBookTest, WhatIsOverIsForgotten) {
  Trouble over = finding("hang");
  see(over, 0);
  decide(0);
  over.end = kStart + kMinute;
  see(over, kMinute);
  see(event("oom", "", kMinute), kMinute);
  decide(kMinute);
  const std::vector<Alert> rows = m_book->takeRows();
  decide(kMinute + m_options.rearm_after);
  EXPECT_EQ(m_book->causes(), 2u) << "both are being told still";
  m_book->delivered(rows, "pager: sent", kStart + 2 * kMinute);
  m_book->takeRows();
  decide(kMinute + m_options.rearm_after);
  EXPECT_EQ(m_book->causes(), 0u);
}

}  // namespace
}  // namespace runglass
