// SPDX-License-Identifier: Apache-2.0
// The suite for measuring diagnoses: seeded scenarios of every kind of fault, at least six labels each, of 5 to 50 % on layouts of 8 to
// 1,024 ranks, two faults at once, data problems, healthy runs, and calm runs and weeks with everything that a healthy job does.
//
// Threading:  pure.
// Units:      as Scenario.
// Cost:       about 240 scenarios of some KiB.
//
// To add one: a line in the table of its kind. A strength of 1.1 makes a rank, a stage or a load 10 % slower.
#pragma once

#include <cstdint>
#include <vector>

#include "collectors/sim/scenario.h"

namespace runglass {

struct SuiteCase {
  sim::Scenario scenario;
  bool calm = false;          // a calm play: every notification is a false alarm
  bool insufficient = false;  // the correct answer is "insufficient evidence"
  bool fast = false;          // in the subset that every test run plays
};

std::vector<SuiteCase> diagnosisSuite();

// There are many calm plays: each test run plays the third selected by `turn`, the next commit the next third.
std::vector<SuiteCase> calmThird(std::uint64_t turn);

}  // namespace runglass
