// SPDX-License-Identifier: GPL-3.0-or-later
// Notes in Markdown as a document that does nothing: no HTML, no picture, no link that can be followed, whatever was written.
//
// Threading:  GUI thread.
// Ownership:  fills the caller's document.
// Units:      UTF-8.
// Errors:     none: what is not Markdown is shown as it is.
// Cost:       O(text); what is longer than kMaxNoteChars is cut and says so.
#pragma once

#include <QTextDocument>
#include <string_view>

namespace runglass {

inline constexpr int kMaxNoteChars = 64 << 10;

// HTML is text. Of a picture its words and address stay, of a link its words and, where they are others, its address; nothing is loaded.
void setNoteText(QTextDocument& document, std::string_view markdown);

}  // namespace runglass
