// SPDX-License-Identifier: GPL-3.0-or-later
// What the frame says about a store that follows a hub: from where, how old it is, and whether the line to it stands.
//
// Threading:  pure.
// Ownership:  values.
// Units:      ns.
// Errors:     none; an age that is not known is not said.
// Cost:       a few strings.
#pragma once

#include <optional>

#include "storage/reader.h"
#include "widgets/core/units.h"
#include "widgets/frame/run_strip.h"
#include "widgets/frame/status_source.h"

namespace runglass {

inline constexpr DurNs kLate = 5 * kNsPerSecond;  // a round comes twice a second: what is older than this is a warning

struct SourceWords {
  QString text;        // "hub login1:9400 · 0.4 s behind"
  QString short_text;  // without the hub
  QString tip;
  Severity severity = Severity::kInfo;
};

SourceWords sourceWords(const FollowedSource& source);
// Of a copy that this process does not follow into; `written`: another one does.
SourceWords copyWords(const StoreInfo::Mirror& mirror, bool written, TimeNs now, TimeStyle style);
// The strip of a run that is followed: how old it is in place of the age of its newest sample, and first of all where that is a warning.
std::vector<StripItem> followedItems(std::vector<StripItem> items, const SourceWords& words);

}  // namespace runglass
