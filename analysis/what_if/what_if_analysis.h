// SPDX-License-Identifier: Apache-2.0
// Analysis `what_if`: stragglers of attempts that only spans tell of, by a replay of their steps; where those cannot be replayed, the rank
// that the others wait for in collectives.
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps what it said of each attempt.
// Units:      as stragglerFindings().
// Errors:     the Reader's. Attempts whose trainers tell parts of 20 and more steps are step_diagnosis' to judge: nothing is said of them.
// Cost:       as readWhatIf(); of a live run once in five minutes while steps come, of a stored one all attempts once.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeWhatIf();

}  // namespace runglass
