// SPDX-License-Identifier: GPL-3.0-or-later
// Parses steps and times as users type them, the same in every input field.
//
// Threading:  any thread; no state.
// Units:      TimeNs.
#pragma once

#include <QString>
#include <optional>

#include "widgets/core/units.h"

namespace runglass {

struct MomentText {
  std::optional<TimeNs> time;
  std::optional<std::int64_t> step;
};

// "1234" or "step 1234"; "11:58:45.2", with or without a date, in the zone of `style` on the day of `near`; a date, meaning its midnight;
// "+12.5 s" since `begin`; nanoseconds since 1970. Neither set: the text has none of these forms.
MomentText readMomentText(const QString& text, TimeNs near, std::optional<TimeNs> begin, TimeStyle style);

}  // namespace runglass
