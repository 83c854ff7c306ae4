// SPDX-License-Identifier: GPL-3.0-or-later
// A word of a POSIX shell, for commands that people copy.
//
// Threading:  any thread.
// Ownership:  values.
// Units:      none.
// Errors:     none: plain where it is safe, else in single quotes with control characters left out.
// Cost:       O(text).
#pragma once

#include <QString>

namespace runglass {

QString shellWord(const QString& text);

}  // namespace runglass
