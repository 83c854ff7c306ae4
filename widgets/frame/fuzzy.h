// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzy matching for the command palette.
//
// Threading:  any thread; no state.
// Units:      a score; higher is better.
// Errors:     absent: `pattern` is not a subsequence of `text`.
// Cost:       O(pattern * text).
#pragma once

#include <QString>
#include <optional>

namespace runglass {

// Letters of `pattern` must occur in order; case and spaces of the pattern are ignored. Letters at word starts and adjacent letters score
// higher; an empty pattern matches everything with 0.
std::optional<int> fuzzyScore(const QString& pattern, const QString& text);

}  // namespace runglass
