// SPDX-License-Identifier: Apache-2.0
// Proposed incidents: one per cause, whatever the number of its findings; and a decision about a proposal is permanent.
#include "analysis/incident/propose.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "analysis/incident/evidence_cards.h"
#include "analysis/incident/incident_words.h"
#include "tests/analysis/incident_places.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<IncidentProposal> propose(const std::vector<Finding>& findings, const std::vector<Incident>& incidents = {}) {
  return proposeIncidents(findings, twoRacks(), incidents).all;
}

Incident asIncident(const IncidentProposal& proposal, IncidentState state) {
  Incident incident = proposal.incident;
  incident.state = state;
  return incident;
}

TEST(Proposals, ALostGpuItsHangAndTheRestartAreOneIncidentWithTheXidAsItsRoot) {
  Finding restarted = finding("throughput_shift", "run", 2'040, {}, Severity::kWarning, kSecond);
  restarted.evidence = R"({"across_restart":true})";
  const std::vector findings = {hang(1'404, 2'000, R"({"culprits":[{"rank":21,"node":"n3"}]})"), xid79(1'400, 3, 21), restarted};
  const auto all = propose(findings);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].members, ElementsAre(1, 0, 2));
  EXPECT_EQ(all[0].incident.title, "Xid 79 (GPU has fallen off the bus), rank 21 on n3");
  EXPECT_THAT(all[0].incident.summary, HasSubstr("with it: hang of 9 min 56 s, throughput shift, end of attempt 0 (gone)"));
  EXPECT_EQ(all[0].incident.severity, Severity::kCritical);
  EXPECT_EQ(all[0].incident.range->t0, at(1'400)) << "it begins with its first sign; what is shown around it is no part of it";
  EXPECT_EQ(all[0].incident.attempt, kFirst);
}
TEST(Proposals, ASlowRankExplainsTheShiftThatNamesItAndTheOneThatBeganWithIt) {
  Finding named = finding("throughput_shift", "run", 4'000, {}, Severity::kInfo);
  named.evidence = R"({"explained_by":{"kind":"slow_rank","subject":"rank:5","first_step":100}})";
  const auto all = propose({slowRank(400, 1'900, 1, 5), named, finding("throughput_shift", "run", 430, 1'900)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].members, SizeIs(3));
  EXPECT_EQ(all[0].incident.title, "Slow rank 5 on n1, from step 100");
}
TEST(Proposals, AShiftThatBeganHoursAfterTheSlowRankIsNotItsDoing) {
  EXPECT_THAT(propose({slowRank(2'100, {}, 1, 5, kSecond), finding("throughput_shift", "run", 9'300, {}, Severity::kWarning, kSecond)}),
              SizeIs(2));
}
TEST(Proposals, WhatWeighsOnAllRanksAlikeIsNotWhyOneIsSlowerThanItsPeers) {
  const auto all = propose({finding("host_bound", "run", 400, 1'900), slowRank(410, 1'900, 1, 5)});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NE(all[0].incident.title, all[1].incident.title);
}
TEST(Proposals, OnlyARunWithSpansSuggestsACropOfItsTimeline) {
  const Finding slow = slowRank(400, 1'900, 1, 5);
  const Finding* const of[] = {&slow};
  RunPlaces places = twoRacks();
  const auto has = [&] {
    const auto cards = suggestEvidence(propose({slow})[0].incident, of, places);
    return std::ranges::any_of(cards, [](const IncidentEvidence& card) { return card.kind == "timeline"; });
  };
  EXPECT_TRUE(has());
  places.traced.reset();
  EXPECT_FALSE(has());
}
TEST(Proposals, TheTimelineOfARankThatEndsNoMoreSpansIsOfItsLastOnes) {
  const Finding slow = slowRank(400, 1'900, 1, 5);
  const Finding* const of[] = {&slow};
  RunPlaces places = twoRacks();
  const auto crop = [&] {
    const auto cards = suggestEvidence(propose({slow})[0].incident, of, places);
    const auto found = std::ranges::find(cards, "timeline", &IncidentEvidence::kind);
    return found != cards.end() ? *found : IncidentEvidence{};
  };
  EXPECT_EQ(crop().title, "Timeline where it began");
  EXPECT_EQ(crop().range->t0, at(399));
  places.traced = TimeRange{at(0), at(300)};
  EXPECT_EQ(crop().title, "Timeline before it began");
  EXPECT_EQ(crop().range->t0, at(299));
  EXPECT_EQ(crop().range->t1, at(301));
}
TEST(Proposals, TwoFaultsFarApartAreTwoIncidents) {
  const auto all = propose({xid79(100, 1, 3), slowRank(1'200, 1'900, 4, 30)});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NE(all[0].key, all[1].key);
}
TEST(Proposals, TwoFaultsAtOnceAreNotTiedTogetherByTheHangThatFollows) {
  EXPECT_THAT(propose({xid79(100, 1, 3), xid79(110, 4, 30), hang(130, 700)}), SizeIs(2));
}
TEST(Proposals, ANodesFaultExplainsTheSlowRanksOnItAndNotThoseOnOthers) {
  Finding throttle = finding("thermal_throttle", "node:n2", 300, 1'500);
  throttle.node = NodeId{2};
  const auto all = propose({slowRank(500, 1'500, 2, 9), slowRank(520, 1'500, 2, 12), throttle, slowRank(900, 1'500, 4, 31)});
  ASSERT_THAT(all, SizeIs(2));
  const auto& of_node = all[0].members.size() == 3 ? all[0] : all[1];
  EXPECT_EQ(of_node.members.front(), 2U) << "the throttle is the root";
}
TEST(Proposals, RanksOfOneRackThatBecomeSlowAtTheSameTimeAreOne) {
  EXPECT_THAT(propose({slowRank(500, 900, 3, 17), slowRank(520, 900, 4, 30)}), SizeIs(1));
  EXPECT_THAT(propose({slowRank(500, 900, 1, 1), slowRank(520, 900, 4, 30)}), SizeIs(2)) << "another rack";
}
TEST(Proposals, FiftySpikesInARowAreOneAndASpikeIsNotTheSlowRanksDoing) {
  std::vector<Finding> findings = {slowRank(300, 1'900, 1, 5)};
  for (int i = 0; i < 50; ++i) findings.push_back(finding("loss_spike", "attempt:0 loss", 300 + 30 * i, 310 + 30 * i));
  const auto all = propose(findings);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(std::max(all[0].members.size(), all[1].members.size()), 50U);
}
TEST(Proposals, WhatOnlyInformsStartsNothing) {
  EXPECT_THAT(propose({}), IsEmpty());
  EXPECT_THAT(propose({finding("stage_imbalance", "stage:1", 10, {}, Severity::kInfo),
                       finding("settings", "setting:driver", 0, {}, Severity::kInfo),
                       finding("insufficient_evidence", "attempt:0", 80, {}, Severity::kWarning)}),
              IsEmpty());
}
TEST(Proposals, TheSameFindingsInAnyOrderAreTheSameProposals) {
  std::vector findings = {hang(1'404, 2'000),
                          xid79(1'400, 3, 21),
                          slowRank(200, 900, 1, 5),
                          finding("throughput_shift", "run", 210, 900),
                          finding("loss_spike", "attempt:0 loss", 700, 720),
                          xid79(5'000, 2, 9, kSecond)};
  const auto keys = [](const std::vector<IncidentProposal>& all) {
    std::vector<std::string> out;
    for (const auto& one : all) out.push_back(one.key + " " + std::to_string(one.members.size()));
    return out;
  };
  const auto once = keys(propose(findings));
  std::ranges::sort(findings, {}, &Finding::summary);
  do EXPECT_EQ(keys(propose(findings)), once);
  while (std::ranges::next_permutation(findings, {}, &Finding::summary).found);
}
TEST(Proposals, WhatWasAcceptedIsNotProposedAgainAndANewFindingJoinsIt) {
  std::vector findings = {xid79(1'400, 3, 21)};
  const std::vector incidents = {asIncident(propose(findings).at(0), IncidentState::kOpen)};
  EXPECT_THAT(propose(findings, incidents), IsEmpty());
  findings.push_back(hang(1'404, 2'000));
  const auto all = propose(findings, incidents);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].joins, incidents[0].uuid);
  EXPECT_THAT(all[0].members, ElementsAre(1));
}
TEST(Proposals, WhatWasDismissedComesBackOnlyWhenItIsWorse) {
  std::vector findings = {slowRank(300, 1'900, 1, 5)};
  const std::vector incidents = {asIncident(propose(findings).at(0), IncidentState::kDismissed)};
  findings.push_back(finding("throughput_shift", "run", 310, 1'900));
  EXPECT_THAT(propose(findings, incidents), IsEmpty());
  findings.push_back(xid79(1'000, 1, 5));
  const auto all = propose(findings, incidents);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].joins, "");
  EXPECT_THAT(all[0].incident.title, HasSubstr("Xid 79"));
}
TEST(Proposals, AKeyHoldsWhereIdsDoNot) {
  std::vector findings = {xid79(1'400, 3, 21)};
  Incident known = asIncident(propose(findings).at(0), IncidentState::kDismissed);
  known.findings.clear();
  findings[0].id = 4'711;
  EXPECT_THAT(propose(findings, {known}), IsEmpty());
}
TEST(Proposals, WhatGoesOnStandsBeforeWhatIsOver) {
  RunPlaces places = twoRacks();
  places.attempts[kSecond].end.reset();
  const std::vector findings = {xid79(1'400, 3, 21), slowRank(3'000, {}, 1, 5, kSecond), slowRank(300, {}, 4, 30)};
  const auto all = proposeIncidents(findings, places, {}).all;
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_THAT(all[0].members, ElementsAre(1)) << "its attempt runs";
  EXPECT_THAT(all[1].members, ElementsAre(0)) << "the worst of what is over";
}
TEST(Proposals, WithoutAClockStepsTellWhatBelongsTogether) {
  std::vector findings = {slowRank(400, 1'900, 1, 5), finding("throughput_shift", "run", 420, 1'900),
                          finding("throughput_shift", "run", 1'800, {})};
  for (Finding& one : findings) one.start.reset(), one.end.reset();
  const auto all = propose(findings);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_FALSE(all[0].incident.range) << "no time is invented";
}
TEST(Proposals, HostileFindingsStayBoundedAndOnOneLine) {
  Finding odd = slowRank(0, {}, 99, -5);
  odd.start = std::numeric_limits<TimeNs>::min(), odd.end = std::numeric_limits<TimeNs>::max();
  odd.first_step = std::numeric_limits<std::int64_t>::min(), odd.last_step = std::numeric_limits<std::int64_t>::max();
  odd.evidence = R"({"ranks":[{"rank":"x"},1e300,null],"nodes":7,"culprits":{},"explained_by":[]})";
  odd.confidence = std::numeric_limits<double>::quiet_NaN();
  Finding torn = finding("hardware_fault", "x\n\x1b[2Jy", 5, {}, Severity::kError);
  torn.evidence = "{\"root\":{\"kind\":\"a\\n\\u001bb\",\"code\":\"" + std::string(500, 'z') + "\"}}";
  torn.summary = std::string(5'000, '\xc3');
  Finding none = finding("a kind that nobody knows", "", 3, {}, Severity::kError);
  none.evidence = "[[[";
  const auto all = propose({odd, torn, none});
  ASSERT_FALSE(all.empty());
  for (const auto& one : all) {
    EXPECT_LE(one.incident.title.size(), kMaxTitle);
    EXPECT_LE(one.incident.summary.size(), kMaxSummary);
    EXPECT_THAT(one.incident.title, Not(HasSubstr("\n")));
    EXPECT_THAT(one.incident.title, Not(HasSubstr("\x1b")));
  }
}
TEST(Proposals, TooManyFindingsLeaveTheLeastSevereOutAndSaySo) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < kMaxFindings + 10; ++i)
    findings.push_back(finding("slow_link", "nic:" + std::to_string(i), static_cast<std::int64_t>(i) * 10'000, {}, Severity::kInfo));
  findings.push_back(xid79(100, 1, 3));
  const Proposals out = proposeIncidents(findings, twoRacks(), {});
  EXPECT_EQ(out.left_out, 11U);
  EXPECT_THAT(out.all, SizeIs(1));
}

}  // namespace
}  // namespace runglass
