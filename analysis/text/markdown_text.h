// SPDX-License-Identifier: Apache-2.0
// Text of others as text in Markdown: nothing in it is markup, a link, HTML or an invisible order to the reader's screen.
//
// Escaped is what CommonMark 0.31 and GitHub's extensions (tables, strikethrough, autolinks, mentions, formulas) read within a line. Line
// breaks are spaces. Control characters, those that change the direction of writing (Unicode UAX #9, "Trojan Source", CVE-2021-42574),
// those without width, line separators, tags and bytes that are no UTF-8 become U+FFFD.
//
// Threading:  pure.
// Units:      UTF-8.
// Cost:       O(text).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// For within a line, not at its begin. At most `most` bytes of the text are taken, not cut inside a character, then "...".
std::string markdownText(std::string_view text, std::size_t most = std::string_view::npos);

// The same characters replaced, nothing escaped: for writers that escape for another format. Tabs are spaces.
enum class LineBreaks { kSpaces, kKept };
std::string visibleText(std::string_view text, LineBreaks breaks = LineBreaks::kSpaces);

}  // namespace runglass
