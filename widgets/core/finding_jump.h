// SPDX-License-Identifier: GPL-3.0-or-later
// Where a finding is: the selection and the window of time that every view gets when it is clicked, in whichever list.
//
// Threading:  GUI thread.
// Units:      TimeNs.
#pragma once

#include <optional>

#include "model/findings.h"
#include "widgets/core/object.h"
#include "widgets/core/selection.h"

namespace runglass {

inline constexpr DurNs kFindingMargin = 60 * kNsPerSecond;  // so that its beginning is seen

Selection selectionOf(const Finding& finding);
// Its time with a margin; absent where the source has no clock.
std::optional<TimeRange> windowOf(const Finding& finding);
Object objectOf(const Finding& finding);
// One step of undo. The playhead stays where it is.
void goToFinding(SharedState& state, const Finding& finding);

}  // namespace runglass
