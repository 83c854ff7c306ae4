// SPDX-License-Identifier: GPL-3.0-or-later
// The place of a finding: the selection and the time window that every view gets when the finding is clicked, in any list.
//
// Threading:  GUI thread.
// Units:      TimeNs.
#pragma once

#include <optional>

#include "model/findings.h"
#include "widgets/core/object.h"
#include "widgets/core/selection.h"

namespace runglass {

inline constexpr DurNs kFindingMargin = 60 * kNsPerSecond;  // so that its start is visible

Selection selectionOf(const Finding& finding);
// The finding's time with a margin; absent where the source has no clock.
std::optional<TimeRange> windowOf(const Finding& finding);
Object objectOf(const Finding& finding);
// One undo step. The playhead does not move.
void goToFinding(SharedState& state, const Finding& finding);

}  // namespace runglass
