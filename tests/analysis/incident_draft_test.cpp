// SPDX-License-Identifier: Apache-2.0
// The initial content of a new incident, its likely cause, and the cost of all incidents of a run.
#include "analysis/incident/incident_draft.h"

#include <gmock/gmock.h>

#include <set>

#include "analysis/incident/incident_answer.h"
#include "analysis/incident/incident_costs.h"
#include "analysis/incident/likely_cause.h"
#include "model/edits.h"
#include "model/fault_catalog.h"
#include "model/incident_causes.h"
#include "tests/analysis/incident_places.h"
#include "tests/analysis/simulated_incident.h"

namespace runglass {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::optional<std::string> causeOf(std::vector<Finding> findings) {
  std::vector<const Finding*> members;
  for (const Finding& one : findings) members.push_back(&one);
  const auto likely = likelyCause(members);
  return likely ? std::optional(std::string(likely->code)) : std::nullopt;
}

TEST(LikelyCauses, EveryRowNamesACauseOfTheTaxonomyAndAFaultOfTheCatalogue) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (const CauseRow& row : causeTable()) {
    EXPECT_NE(findIncidentCause(row.code), nullptr) << row.code;
    EXPECT_TRUE(seen.emplace(row.finding, row.event, row.event_code).second) << row.event << ' ' << row.event_code << ": twice";
    if (row.finding != "hardware_fault") continue;
    const bool known = std::ranges::any_of(faultCatalog(), [&](const FaultInfo& fault) {
      return fault.kind == row.event && (row.event_code.empty() || fault.code == row.event_code);
    });
    EXPECT_TRUE(known) << row.event << ' ' << row.event_code << ": is no fault that is ever told";
  }
}

TEST(LikelyCauses, TheRootDecidesAndSymptomsDoNot) {
  EXPECT_EQ(causeOf({xid79(100, 1, 0), hang(110, 900)}), "gpu_faulty");
  Finding ecc = xid79(100, 1, 0);
  ecc.evidence = R"({"cause":"device","root":{"kind":"xid","code":"95"}})";
  EXPECT_EQ(causeOf({ecc}), "gpu_memory");
  Finding slow = slowRank(100, 900, 1, 3);
  EXPECT_EQ(causeOf({slow}), std::nullopt) << "slow for no reason that was recorded";
  slow.evidence = R"({"cause":"clock"})";
  EXPECT_EQ(causeOf({slow}), "gpu_throttled");
  EXPECT_EQ(causeOf({finding("data_bound", "run", 5, 6)}), "data_loading");
  EXPECT_EQ(causeOf({finding("loss_spike", "run", 5, 6)}), std::nullopt) << "it has many causes";
}

TEST(LikelyCauses, TheSameFaultOfTheProgramOnSeveralDevicesIsASoftwareBug) {
  Finding fault = xid79(100, 1, 0);
  fault.evidence = R"({"cause":"application","root":{"kind":"xid","code":"31"}})";
  EXPECT_EQ(causeOf({fault}), "software_bug");
}

TEST(LikelyCauses, AHangThatWatchdogsEndedHasACauseOnlyWhereNothingElseSpeaks) {
  const Finding ended = hang(100, 700, R"({"source":"events","timeouts":63})");
  EXPECT_EQ(causeOf({ended}), "nccl_watchdog");
  EXPECT_EQ(causeOf({ended, xid79(90, 1, 0)}), "gpu_faulty");
  EXPECT_EQ(causeOf({hang(100, 700)}), std::nullopt);
}

TEST(LikelyCauses, EvidenceThatIsNoEvidenceSaysNothing) {
  EXPECT_EQ(causeOf({}), std::nullopt);
  for (const char* evidence : {"", "[]", "null", "{\"root\":7}", "{\"cause\":[1]}", "{\"root\":{\"kind\":null,\"code\":{}}}", "\xff{"}) {
    Finding fault = xid79(100, 1, 0);
    fault.evidence = evidence;
    EXPECT_EQ(causeOf({fault}), std::nullopt) << evidence;
  }
}

TEST(Joining, WidensAndTakesTheWorstOnce) {
  Incident incident;
  incident.attempt = kFirst, incident.severity = Severity::kWarning;
  const Finding slow = slowRank(100, 200, 1, 3), lost = xid79(50, 1, 0);
  EXPECT_TRUE(joinFinding(incident, slow));
  EXPECT_TRUE(joinFinding(incident, lost));
  EXPECT_FALSE(joinFinding(incident, lost));
  EXPECT_THAT(incident.findings, SizeIs(2));
  EXPECT_EQ(incident.severity, Severity::kCritical);
  EXPECT_EQ(incident.range, (TimeRange{at(50), at(200) + 1}));
  EXPECT_EQ(incident.attempt, kFirst);
  joinFinding(incident, slowRank(3'000, 3'100, 1, 3, kSecond));
  EXPECT_EQ(incident.attempt, AttemptId{}) << "of several attempts it is the run's";
  Finding endless = slowRank(300, {}, 1, 3);
  endless.start = std::numeric_limits<TimeNs>::max();
  joinFinding(incident, endless);
  EXPECT_EQ(incident.range->t1, std::numeric_limits<TimeNs>::max());
}

TEST(Drafts, AFindingBringsThoseOfItsCause) {
  SimulatedIncident played(lostGpu());
  ASSERT_GT(played.findings().size(), 1u);
  for (const Finding& one : played.findings()) {
    const auto draft = draftOfFinding(played.reader(), played.run(), one.id, {});
    ASSERT_TRUE(draft.ok()) << draft.status().message();
    EXPECT_FALSE(draft->stored);
    EXPECT_TRUE(draft->changed);
    EXPECT_THAT(draft->incident.title, HasSubstr("Xid 79"));
    EXPECT_THAT(draft->incident.findings, SizeIs(played.findings().size()));
    EXPECT_TRUE(checkIncident(draft->incident).ok());
  }
  EXPECT_EQ(draftOfFinding(played.reader(), played.run(), 123'456, {}).status().code(), Code::kNotFound);
}

TEST(Drafts, TheEventOfAFaultIsTheIncidentOfItsFinding) {
  SimulatedIncident played(lostGpu());
  const auto events = played.reader().events({.range = {}, .run = played.run().id, .at_least = Severity::kDebug, .kind = "xid"});
  ASSERT_TRUE(events.ok());
  ASSERT_FALSE(events->empty());
  const auto draft = draftOfEvent(played.reader(), played.run(), events->front(), {});
  ASSERT_TRUE(draft.ok()) << draft.status().message();
  EXPECT_THAT(draft->incident.findings, SizeIs(played.findings().size()));
}

TEST(Drafts, AnEventThatNoFindingSpeaksOfIsAnIncidentOfItsOwn) {
  SimulatedIncident played(smallJob("calm"));
  Event event{.id = 1, .time = SimulatedIncident::kStart + 60 * kNsPerSecond};
  event.kind = "link_down", event.severity = Severity::kError, event.message = "eth0 went down";
  const auto draft = draftOfEvent(played.reader(), played.run(), event, {});
  ASSERT_TRUE(draft.ok()) << draft.status().message();
  EXPECT_THAT(draft->incident.findings, IsEmpty());
  EXPECT_EQ(draft->incident.severity, Severity::kError);
  EXPECT_THAT(draft->incident.title, HasSubstr("Link down"));
  ASSERT_TRUE(draft->incident.range);
  EXPECT_EQ(draft->incident.range, (TimeRange{*event.time, *event.time + 1}));
  EXPECT_TRUE(checkIncident(draft->incident).ok());
  EXPECT_LT(draft->incident.evidence.front().range->t0, *event.time) << "cards show what was before it";
  const auto answer =
      readIncidentAnswer(played.reader(), {.run = played.run(), .incident = draft->incident, .findings = {}, .with_ranking = false}, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->impact.duration.value) << "nobody told how long it was";
  EXPECT_EQ(answer->shown->t0, *event.time - kMargin);
  event.time.reset();
  const auto untimed = draftOfEvent(played.reader(), played.run(), event, {});
  ASSERT_TRUE(untimed.ok());
  EXPECT_FALSE(untimed->incident.range) << "no time is invented";
}

TEST(Drafts, OneByHandHasTheCardsThatAreSuggestedOfItsTime) {
  SimulatedIncident played(smallJob("calm"));
  Incident by_hand;
  by_hand.uuid = "by-hand", by_hand.title = "odd", by_hand.run = played.run().id;
  by_hand.range = TimeRange{SimulatedIncident::kStart + 20 * kNsPerSecond, SimulatedIncident::kStart + 40 * kNsPerSecond};
  const auto answer =
      readIncidentAnswer(played.reader(), {.run = played.run(), .incident = by_hand, .findings = {}, .with_ranking = false}, {});
  ASSERT_TRUE(answer.ok());
  const auto drafted =
      draftOfPlace(played.reader(), played.run(), {.range = by_hand.range, .attempt = {}, .rank = {}, .node = {}, .step = {}}, {});
  ASSERT_TRUE(drafted.ok());
  EXPECT_THAT(answer->cards, SizeIs(3));
  EXPECT_EQ(answer->cards, drafted->incident.evidence) << "the command and the console suggest the same";
}

TEST(Drafts, APlaceIsWhatSomebodyPointsAt) {
  SimulatedIncident played(smallJob("calm"));
  const auto attempts = played.reader().attempts(played.run().id);
  ASSERT_TRUE(attempts.ok());
  DraftPlace place{.range = TimeRange{5, 9}, .attempt = attempts->front().id, .rank = 5, .node = {}, .step = 12};
  const auto draft = draftOfPlace(played.reader(), played.run(), place, {});
  ASSERT_TRUE(draft.ok());
  EXPECT_EQ(draft->incident.title, "Rank 5 on sim-0001, step 12");
  EXPECT_EQ(draft->incident.range, place.range);
  EXPECT_THAT(draft->incident.evidence, Contains(testing::Field(&IncidentEvidence::select, "rank=5")));
  EXPECT_THAT(draft->incident.evidence, Contains(testing::Field(&IncidentEvidence::kind, "device"))) << "the rank's node is known";
  const auto nothing = draftOfPlace(played.reader(), played.run(), {}, {});
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->incident.title, "New incident");
  EXPECT_NE(nothing->incident.uuid, draft->incident.uuid);
}

TEST(Drafts, ARankThatStandsOutIsTheIncidentOfItsFinding) {
  SimulatedIncident played(slowRankOf(5));
  const auto attempts = played.reader().attempts(played.run().id);
  const auto draft = draftOfRank(played.reader(), played.run(), {.range = {}, .attempt = attempts->front().id, .rank = 5}, {});
  ASSERT_TRUE(draft.ok());
  EXPECT_THAT(draft->incident.title, HasSubstr("Slow rank 5"));
  const auto other = draftOfRank(played.reader(), played.run(), {.range = {}, .attempt = attempts->front().id, .rank = 6}, {});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->incident.title, "Rank 6 on sim-0001");
  EXPECT_THAT(other->incident.findings, IsEmpty());
}

TEST(IncidentCosts, AreThoseOfTheFullAnswer) {
  SimulatedIncident played(lostGpu());
  const auto draft = draftOfFinding(played.reader(), played.run(), played.findings().front().id, {});
  ASSERT_TRUE(draft.ok());
  const std::vector<Incident> incidents = {draft->incident};
  const auto costs = readIncidentCosts(played.reader(), played.run(), incidents, played.findings(), 2.0, {});
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  const auto answer = readIncidentAnswer(
      played.reader(),
      {.run = played.run(), .incident = draft->incident, .findings = played.findings(), .price = 2.0, .with_ranking = false}, {});
  ASSERT_TRUE(answer.ok());
  const IncidentImpact& cost = costs->of.at(draft->incident.uuid);
  EXPECT_TRUE(cost.gpu_hours.value.has_value());
  EXPECT_EQ(cost.gpu_hours.value, answer->impact.gpu_hours.value);
  EXPECT_EQ(cost.lost_steps.value, answer->impact.lost_steps.value);
  EXPECT_EQ(cost.money.value, answer->impact.money.value);
  EXPECT_THAT(readIncidentCosts(played.reader(), played.run(), {}, played.findings(), {}, {})->of, IsEmpty());
}

TEST(IncidentCosts, ARestartThatTwoIncidentsCountIsInTheirSumOnce) {
  SimulatedIncident played(lostGpu());
  const auto draft = draftOfFinding(played.reader(), played.run(), played.findings().front().id, {});
  ASSERT_TRUE(draft.ok());
  // A manual incident over the same end of an attempt; and a dismissed one.
  Incident by_hand;
  by_hand.uuid = "by-hand", by_hand.title = "What I saw", by_hand.run = played.run().id;
  by_hand.range = TimeRange{draft->incident.range->t0 - kNsPerSecond, draft->incident.range->t1 + kNsPerSecond};
  Incident dismissed = by_hand;
  dismissed.uuid = "dismissed", dismissed.state = IncidentState::kDismissed;
  const std::vector<Incident> incidents = {draft->incident, by_hand, dismissed};
  const auto costs = readIncidentCosts(played.reader(), played.run(), incidents, played.findings(), {}, {});
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  const IncidentImpact &found = costs->of.at(draft->incident.uuid), &seen = costs->of.at("by-hand");
  ASSERT_TRUE(found.gpu_hours.value && seen.gpu_hours.value);
  EXPECT_GT(*seen.gpu_hours.value, 0) << "it counts the restart too";
  EXPECT_NEAR(costs->gpu_hours.value.value_or(0), std::max(*found.gpu_hours.value, *seen.gpu_hours.value), 1e-9);
  EXPECT_THAT(found.also_in, ElementsAre("What I saw")) << "whoever adds them up by hand is told";
  EXPECT_THAT(seen.also_in, ElementsAre(draft->incident.title));
  EXPECT_THAT(costs->of.at("dismissed").also_in, IsEmpty());
}

}  // namespace
}  // namespace runglass
