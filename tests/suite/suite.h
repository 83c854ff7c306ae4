// SPDX-License-Identifier: Apache-2.0
// The suite that diagnoses are measured with: seeded scenarios of every kind of fault in three strengths on layouts of 8 to 1,024 ranks,
// two faults at once, trouble with the data, healthy runs, and calm weeks with everything that a healthy job does.
//
// Threading:  pure.
// Ownership:  values.
// Units:      as Scenario.
// Errors:     none.
// Cost:       about 95 scenarios of some KiB.
//
// To add one: a line in the table of its kind. Strengths of slow things are 1.1, 1.2 and 1.5: what a rank, a stage or a load takes longer.
#pragma once

#include <vector>

#include "collectors/sim/scenario.h"

namespace runglass {

struct SuiteCase {
  sim::Scenario scenario;
  bool calm = false;          // a calm week: whatever is notified is a false alarm
  bool insufficient = false;  // the honest answer is "insufficient evidence"
  bool fast = false;          // of the subset that every test run plays
};

std::vector<SuiteCase> diagnosisSuite();

}  // namespace runglass
