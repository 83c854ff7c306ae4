// SPDX-License-Identifier: GPL-3.0-or-later
// Notes in Markdown as an inert document: no HTML, no picture, no link that can be followed, whatever the input.
//
// Threading:  GUI thread.
// Ownership:  fills the caller's document.
// Units:      UTF-8.
// Errors:     none: text that is not Markdown is shown unchanged.
// Cost:       O(text); text longer than kMaxNoteChars is cut and marked as such.
#pragma once

#include <QTextDocument>
#include <string_view>

namespace runglass {

inline constexpr int kMaxNoteChars = 64 << 10;

// HTML is treated as text. Of a picture its text and address stay, of a link its text and, if different, its address; nothing is loaded.
void setNoteText(QTextDocument& document, std::string_view markdown);

}  // namespace runglass
