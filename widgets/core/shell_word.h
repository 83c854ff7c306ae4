// SPDX-License-Identifier: GPL-3.0-or-later
// Quotes a word for a POSIX shell, for commands that users copy.
//
// Threading:  any thread.
// Errors:     none: plain where that is safe, else in single quotes with control characters left out.
// Cost:       O(text).
#pragma once

#include <QString>

namespace runglass {

QString shellWord(const QString& text);

}  // namespace runglass
