// SPDX-License-Identifier: Apache-2.0
// The suite that diagnoses are measured with: seeded scenarios of every kind of fault, at least six labels each, of 5 to 50 % on layouts of
// 8 to 1,024 ranks, two faults at once, trouble with the data, healthy runs, and calm runs and weeks with all that a healthy job does.
//
// Threading:  pure.
// Units:      as Scenario.
// Cost:       about 240 scenarios of some KiB.
//
// To add one: a line in the table of its kind. A strength of 1.1 is what a rank, a stage or a load takes longer: 10 %.
#pragma once

#include <cstdint>
#include <vector>

#include "collectors/sim/scenario.h"

namespace runglass {

struct SuiteCase {
  sim::Scenario scenario;
  bool calm = false;          // a calm play: whatever is notified is a false alarm
  bool insufficient = false;  // the honest answer is "insufficient evidence"
  bool fast = false;          // of the subset that every test run plays
};

std::vector<SuiteCase> diagnosisSuite();

// Calm plays are many: each test run plays the third of them that `turn` chooses, the next commit the next third.
std::vector<SuiteCase> calmThird(std::uint64_t turn);

}  // namespace runglass
