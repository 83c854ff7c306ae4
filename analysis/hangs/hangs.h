// SPDX-License-Identifier: Apache-2.0
// Analysis `hangs`: does the run stand still, since when, and who holds it up. Findings `stall` (no step ends) and `hang` (no rank moves).
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps the step clock of the newest attempt and what it said.
// Units:      as HangEvidence, which is the findings' evidence.
// Errors:     the Reader's. Absent on purpose: planned ends, and runs of which no rank was heard (nothing is known then).
// Cost:       per call the newest progress of all ranks and the steps of one; ranks, communicators and facts only once nothing moves.
//
// Limits are quiet.md's: stall_clock.h. Identity: (attempt, the step that hangs).
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeHangs();

}  // namespace runglass
