// SPDX-License-Identifier: Apache-2.0
// Proposals for simulated runs: each labelled fault becomes one incident, a calm run has none.
#include <gmock/gmock.h>

#include "analysis/incident/read_proposals.h"
#include "tests/analysis/simulated_incident.h"

namespace runglass {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<IncidentProposal> proposalsOf(SimulatedIncident& played) {
  auto out = readProposals(played.reader(), played.run(), played.findings(), {}, {});
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.ok() ? out->all : std::vector<IncidentProposal>();
}

TEST(ProposalsOfARun, AnXid79WithItsHangAndRestartIsOne) {
  SimulatedIncident played(lostGpu());
  const auto all = proposalsOf(played);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].incident.title, HasSubstr("Xid 79"));
  EXPECT_EQ(played.findings()[all[0].members.front()].kind, "hardware_fault");
  EXPECT_THAT(all[0].members, SizeIs(played.findings().size()));
  EXPECT_THAT(all[0].incident.evidence, Contains(Field(&IncidentEvidence::kind, "device")));
}
TEST(ProposalsOfARun, ASlowRankAndItsShiftAreOne) {
  SimulatedIncident played(slowRankOf(5));
  const auto all = proposalsOf(played);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].incident.title, HasSubstr("Slow rank 5"));
  EXPECT_THAT(all[0].incident.evidence, Contains(Field(&IncidentEvidence::select, HasSubstr("rank=5"))));
}
TEST(ProposalsOfARun, ACalmRunHasNone) {
  sim::Scenario calm = smallJob("calm");
  SimulatedIncident played(calm);
  EXPECT_THAT(proposalsOf(played), IsEmpty());
}

}  // namespace
}  // namespace runglass
