// SPDX-License-Identifier: GPL-3.0-or-later
// The frame's text about a store that replicates a hub: the source, the lag, and whether the connection is up.
//
// Threading:  pure.
// Units:      ns.
// Errors:     none; an unknown lag is left out.
// Cost:       a few strings.
#pragma once

#include <optional>

#include "storage/reader.h"
#include "widgets/core/units.h"
#include "widgets/frame/run_strip.h"
#include "widgets/frame/status_source.h"

namespace runglass {

inline constexpr DurNs kLate = 5 * kNsPerSecond;  // replication runs twice a second: a longer lag is a warning

struct SourceWords {
  QString text;        // "hub login1:9400 · 0.4 s behind"
  QString short_text;  // without the hub's address
  QString tip;
  Severity severity = Severity::kInfo;
};

SourceWords sourceWords(const FollowedSource& source);
// For a replica that this process does not update; `written`: another process does.
SourceWords copyWords(const StoreInfo::Mirror& mirror, bool written, TimeNs now, TimeStyle style);
// For a file that no process writes, whose newest data is of `last`.
SourceWords storedWords(TimeNs last, TimeNs now, TimeStyle style);
// The strip of a replicated run: the lag replaces the age of its newest sample, and comes first where it is a warning.
std::vector<StripItem> followedItems(std::vector<StripItem> items, const SourceWords& words);

}  // namespace runglass
