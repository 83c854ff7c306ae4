// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzy matching for the command palette.
//
// Threading:  any thread; no state.
// Ownership:  none.
// Units:      a score; larger is better.
// Errors:     absent: `pattern` is not a subsequence of `text`.
// Cost:       O(pattern * text).
#pragma once

#include <QString>
#include <optional>

namespace runglass {

// Letters of `pattern` must occur in order; case and spaces of the pattern do not count. Letters at word starts and letters next to each
// other score more; an empty pattern matches everything with 0.
std::optional<int> fuzzyScore(const QString& pattern, const QString& text);

}  // namespace runglass
