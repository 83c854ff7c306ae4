// SPDX-License-Identifier: Apache-2.0
// The timeline of an incident: events and when they became known, repeats merged, with a limit for any input.
#include "analysis/incident/incident_timeline.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/analysis/incident_places.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Said {
  TimeRange range{at(0), at(3'000)};
  std::vector<Event> events;
  std::vector<Finding> findings, published;
  std::vector<Checkpoint> checkpoints;
  std::vector<Alert> alerts;
  std::vector<Capture> captures;
  std::vector<Note> notes;
  RunPlaces places;

  Timeline tell() const {
    return timelineOf({.range = range,
                       .events = events,
                       .findings = findings,
                       .published = published,
                       .checkpoints = checkpoints,
                       .alerts = alerts,
                       .captures = captures,
                       .notes = notes,
                       .places = places,
                       .step_at = {}});
  }
  void event(std::int64_t second, const char* kind, const char* code, std::int32_t rank, Severity severity = Severity::kError) {
    events.push_back({.time = at(second), .rank = rank, .kind = kind, .severity = severity, .code = code, .message = "said"});
  }
};

std::vector<std::string> texts(const Timeline& timeline) {
  std::vector<std::string> out;
  for (const TimelineEntry& one : timeline.entries) out.push_back(one.text.english);
  return out;
}

TEST(IncidentTimeline, RepeatsWithinAMinuteAreOneAndLaterOnesAnother) {
  Said said;
  for (std::int32_t rank = 0; rank < 63; ++rank) said.event(100 + rank / 4, "collective_timeout", std::to_string(rank).c_str(), rank);
  said.event(500, "collective_timeout", "9", 9);
  const Timeline out = said.tell();
  EXPECT_THAT(texts(out), ElementsAre("63 × collective timeout on 63 ranks, first: said", "said"));
  EXPECT_EQ(out.entries[0].until, at(115));
  EXPECT_EQ(out.entries[0].select, "");
  EXPECT_EQ(out.entries[1].select, "rank=9");
}
TEST(IncidentTimeline, TwoKindsOfXidAreNotOne) {
  Said said;
  said.event(100, "xid", "79", 3), said.event(101, "xid", "45", 3);
  EXPECT_THAT(said.tell().entries, SizeIs(2));
}
TEST(IncidentTimeline, WhatWasKnownStandsInItsOwnLaneWhenItWasKnown) {
  Said said;
  said.alerts = {{.rule = "pager",
                  .severity = Severity::kError,
                  .since = at(10),
                  .due = at(70),
                  .notified = at(90),
                  .summary = "a fault",
                  .delivery = "mail: sent"}};
  said.captures = {{.time = at(80), .reason = "stall"}, {.time = at(81), .reason = "stall"}};
  said.notes = {{.time = at(100), .author = "ada", .text = "node drained\nby hand"}, {.author = "ada", .text = "of the run as a whole"}};
  said.findings = {hang(20, 95, R"({"as_of_ns":)" + std::to_string(at(60)) + "}")};
  const Timeline out = said.tell();
  EXPECT_THAT(texts(out), ElementsAre("hang of attempt:0", "judged: hang", "pager: a fault", "2 captures (stall)",
                                      "pager notified (mail: sent)", "ada: node drained by hand"));
  for (const TimelineEntry& one : out.entries) EXPECT_EQ(one.lane == IncidentLane::kHappened, one.time == at(20)) << one.text.english;
}
TEST(IncidentTimeline, AFindingIsKnownFromWhenItWasReportedInTheWordsOfThen) {
  Said said;
  Finding slow{
      .id = 4, .kind = "slow_rank", .severity = Severity::kWarning, .start = at(20), .summary = "slow since step 10", .evidence = "{}"};
  const auto tell = [&](std::int64_t second, const char* words, Severity severity, std::optional<TimeNs> end = {}) {
    Finding republished = slow;
    republished.published = at(second), republished.summary = words, republished.severity = severity, republished.end = end;
    said.published.push_back(republished);
  };
  tell(30, "slow from step 10 to 12", Severity::kWarning);
  tell(60, "slow from step 10 to 40", Severity::kWarning);
  tell(90, "slow from step 10 to 70", Severity::kError);
  tell(120, "slow from step 10 to 99", Severity::kError, at(120));
  tell(4'000, "outside", Severity::kCritical);
  slow.severity = Severity::kCritical;
  slow.evidence = R"({"as_of_ns":)" + std::to_string(at(60)) + "}";
  said.findings = {slow, hang(20, 95, R"({"as_of_ns":)" + std::to_string(at(61)) + "}")};
  const Timeline out = said.tell();
  EXPECT_THAT(texts(out), ElementsAre("slow since step 10", "hang of attempt:0", "published: slow from step 10 to 12", "judged: hang",
                                      "worse: slow from step 10 to 70", "ended: slow from step 10 to 99"));
  EXPECT_EQ(out.entries[2].time, at(30));
  EXPECT_EQ(out.entries[2].lane, IncidentLane::kKnown);
  EXPECT_EQ(out.entries[2].finding, 4);
}
TEST(IncidentTimeline, AnAttemptSaysWhereItResumedAndWhichNodesAreOthers) {
  Said said;
  said.places = twoRacks();
  said.places.attempts[kSecond].resumed_from_step = 80;
  for (std::int32_t rank = 16; rank < 24; ++rank) said.places.rank_nodes[kSecond][rank] = NodeId{4};
  EXPECT_THAT(texts(said.tell()),
              ElementsAre("attempt 0 starts", "attempt 0 ends: gone", "attempt 1 starts, resumed from step 80; n3 is gone"));
}
TEST(IncidentTimeline, WhatLiesOutsideOrHasNoTimeIsNotInIt) {
  Said said;
  said.event(3'000, "xid", "79", 1);
  said.events.push_back({.kind = "xid", .severity = Severity::kError});
  said.event(10, "progress", "", 1, Severity::kInfo);
  EXPECT_THAT(said.tell().entries, IsEmpty());
}
TEST(IncidentTimeline, TooMuchLeavesTheLeastSevereOutAndSaysHowMuch) {
  Said said;
  for (int i = 0; i < 1'000; ++i)
    said.event(3 * i, ("kind_" + std::to_string(i)).c_str(), "", 1, i == 700 ? Severity::kCritical : Severity::kWarning);
  const Timeline out = said.tell();
  EXPECT_THAT(out.entries, SizeIs(kMaxEntries));
  EXPECT_EQ(out.left_out, 1'000 - kMaxEntries);
  EXPECT_TRUE(std::ranges::any_of(out.entries, [](const TimelineEntry& one) { return one.kind == "kind_700"; }));
}
TEST(IncidentTimeline, TimesAtTheEndsOfTheWorldAreTimes) {
  Said said;
  said.range = {};
  for (const TimeNs time : {std::numeric_limits<TimeNs>::min(), TimeNs{0}, std::numeric_limits<TimeNs>::max() - 1}) {
    said.events.push_back({.time = time, .kind = "xid", .severity = Severity::kError, .message = std::string(9'000, 'x') + "\x1b[2J"});
    said.captures.push_back({.time = time});
    said.alerts.push_back({.due = time, .notified = -(time + 1)});
  }
  const Timeline out = said.tell();
  EXPECT_GE(out.entries.size(), 9U);
  for (const TimelineEntry& one : out.entries) EXPECT_LE(one.text.english.size(), 400U);
}

}  // namespace
}  // namespace runglass
