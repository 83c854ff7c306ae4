// SPDX-License-Identifier: Apache-2.0
// Analysis `hangs`: whether the run is stuck, since when, and the culprits. Findings `stall` (no step ends) and `hang` (no rank makes
// progress).
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps the step clock of the newest attempt and its published findings.
// Units:      as HangEvidence, which is the findings' evidence.
// Errors:     the Reader's. No findings for planned ends, and none for runs without a reporting rank (nothing is known about them).
// Cost:       per call the newest progress of all ranks and the steps of one; ranks, communicators and facts only while nothing makes
//             progress.
//
// Limits: see stall_clock.h. Identity: (attempt, the step that hangs).
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeHangs();

}  // namespace runglass
