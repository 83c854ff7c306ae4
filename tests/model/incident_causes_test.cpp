// SPDX-License-Identifier: Apache-2.0
#include "model/incident_causes.h"

#include <gtest/gtest.h>

#include <set>

#include "model/incident.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

TEST(IncidentCauses, HaveTheCountsOfTheSourceWhichAreAllUnexpectedInterruptions) {
  int total = 0, listed = 0;
  for (const IncidentCause& cause : incidentCauses()) total += cause.llama3_count.value_or(0), listed += cause.llama3_count ? 1 : 0;
  EXPECT_EQ(total, 419);
  EXPECT_EQ(listed, 18);
  EXPECT_EQ(findIncidentCause("gpu_faulty")->llama3_count, 148);
}

TEST(IncidentCauses, AreEachListedOnceByGroupAndTheMostFrequentFirst) {
  std::set<std::string_view> codes;
  const IncidentCause* before = nullptr;
  for (const IncidentCause& cause : incidentCauses()) {
    EXPECT_TRUE(codes.insert(cause.code).second) << cause.code;
    EXPECT_FALSE(cause.words.empty());
    EXPECT_EQ(findIncidentCause(cause.code), &cause);
    if (before != nullptr) {
      EXPECT_LE(before->group, cause.group) << cause.code;
      if (before->group == cause.group) {
        EXPECT_GE(before->llama3_count.value_or(0), cause.llama3_count.value_or(0)) << cause.code;
      }
    }
    before = &cause;
  }
  EXPECT_EQ(findIncidentCause(""), nullptr);
  EXPECT_EQ(findIncidentCause("gpu"), nullptr);
}

TEST(IncidentCauses, GroupsAndStatesHaveNames) {
  EXPECT_STREQ(causeGroupName(CauseGroup::kHardware), "hardware");
  EXPECT_STREQ(causeGroupName(CauseGroup::kNotKnown), "not known");
  for (const IncidentState state : {IncidentState::kOpen, IncidentState::kMitigated, IncidentState::kResolved, IncidentState::kDismissed})
    EXPECT_EQ(incidentStateFromName(incidentStateName(state)), state);
  EXPECT_FALSE(incidentStateFromName("closed").has_value());
}

TEST(RandomUuid, IsOfVersionFourAndNeverTheSame) {
  const std::string a = randomUuid(), b = randomUuid();
  ASSERT_EQ(a.size(), 36U);
  EXPECT_EQ(a[14], '4');
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace runglass
