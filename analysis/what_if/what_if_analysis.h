// SPDX-License-Identifier: Apache-2.0
// Analysis `what_if`: stragglers of attempts that record only spans, by a replay of their steps; if those cannot be replayed, the rank that
// the others wait for in collectives.
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps its published findings of each attempt.
// Units:      as stragglerFindings().
// Errors:     the Reader's. Attempts with step parts of at least 20 steps are left to step_diagnosis.
// Cost:       as readWhatIf(); for a live run once in five minutes while steps arrive, for a stored one once over all attempts.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeWhatIf();

}  // namespace runglass
