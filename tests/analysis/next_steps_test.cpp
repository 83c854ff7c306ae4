// SPDX-License-Identifier: Apache-2.0
// The recommended actions are those of the catalogue and the analyses, for the root cause first.
#include "analysis/incident/next_steps.h"

#include <gmock/gmock.h>

#include "analysis/incident/evidence_cards.h"
#include "tests/analysis/incident_places.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(NextSteps, AFaultSaysWhatItsCatalogueSays) {
  Finding fault = xid79(100, 1, 3);
  fault.evidence = R"({"advice":"Drain the node","check":["the BMC","other GPUs",7]})";
  const Finding* const of[] = {&fault};
  EXPECT_THAT(nextSteps(of, twoRacks()), ElementsAre("Hardware fault, rank 3 on n1: Drain the node. Look at the BMC; other GPUs."));
}

TEST(NextSteps, AKindWithoutAdviceOfItsOwnSaysWhatIsDoneAboutItAndWhatItCosts) {
  Finding slow = slowRank(100, 200, 1, 3);
  slow.evidence = R"({"gpu_hours_per_day":36.5})";
  const Finding* const of[] = {&slow};
  const auto steps = nextSteps(of, twoRacks());
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_THAT(steps[0], HasSubstr("Slow rank, rank 3 on n1: Test its GPU alone"));
  EXPECT_THAT(steps[0], HasSubstr("costs 36.5 GPU-hours a day."));
}

TEST(NextSteps, WhatOnlyInformsOddEvidenceAndUnknownKindsAreNoTrouble) {
  Finding root = slowRank(100, 200, 1, 3), info = hang(1, 2), odd = finding("no_such_kind", "x", 1, 2);
  info.severity = Severity::kInfo;
  odd.evidence = "[";
  const Finding* const of[] = {&root, &info, &odd};
  EXPECT_THAT(nextSteps(of, twoRacks()), SizeIs(1));
  EXPECT_THAT(nextSteps({}, twoRacks()), IsEmpty());
  Finding hostile = xid79(1, 1, 1);
  hostile.evidence = R"({"advice":3,"reasons":[1,{"advice":null}],"check":{},"gpu_hours_per_day":"x"})";
  const Finding* const bad[] = {&hostile};
  EXPECT_THAT(nextSteps(bad, twoRacks()), IsEmpty());
}

TEST(EvidenceCards, TheStepsOfASlowRankAreThoseSinceItBeganToBe) {
  const Finding host = finding("host_bound", "run", 100, 1'900), slow = slowRank(700, 1'500, 1, 5);
  const Finding* const of[] = {&host, &slow};
  Incident incident;
  incident.range = TimeRange{at(100), at(1'900)};
  const auto cards = suggestEvidence(incident, of, twoRacks());
  const auto steps = std::ranges::find(cards, std::string("steps"), &IncidentEvidence::kind);
  ASSERT_NE(steps, cards.end());
  EXPECT_THAT(steps->select, HasSubstr("rank=5"));
  ASSERT_TRUE(steps->range);
  EXPECT_EQ(steps->range->t0, at(700));
  EXPECT_EQ(steps->range->t1, at(1'500));
}

TEST(EvidenceCards, NoCardOfDeviceMetricsIsSuggestedWhereNoneWereReported) {
  const Finding slow = slowRank(400, 1'900, 1, 5);
  const Finding* const of[] = {&slow};
  RunPlaces places = twoRacks();
  Incident incident;
  incident.range = TimeRange{at(400), at(1'900)};
  const auto has = [&] {
    const auto cards = suggestEvidence(incident, of, places);
    return std::ranges::any_of(cards, [](const IncidentEvidence& card) { return card.kind == "device"; });
  };
  EXPECT_TRUE(has());
  places.measured.emplace();
  EXPECT_FALSE(has());
  places.measured->insert(NodeId{2});
  EXPECT_FALSE(has());
  places.measured->insert(NodeId{1});
  EXPECT_TRUE(has());
}

}  // namespace
}  // namespace runglass
