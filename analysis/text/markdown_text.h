// SPDX-License-Identifier: Apache-2.0
// Outside text as text in Markdown: none of it is markup, a link, HTML or an invisible control of the reader's terminal.
//
// Escapes everything that CommonMark 0.31 and GitHub's extensions (tables, strikethrough, autolinks, mentions, formulas) interpret within a
// line. Line breaks become spaces. Control characters, those that change the direction of writing (Unicode UAX #9, "Trojan Source",
// CVE-2021-42574), zero-width characters, line separators, tags and invalid UTF-8 become U+FFFD.
//
// Threading:  pure.
// Units:      UTF-8.
// Cost:       O(text).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// For text within a line, not at its start. Takes at most `most` bytes, not cut within a character, then "...".
std::string markdownText(std::string_view text, std::size_t most = std::string_view::npos);

// Replaces the same characters without escaping: for writers that escape for another format. Tabs become spaces.
enum class LineBreaks { kSpaces, kKept };
std::string visibleText(std::string_view text, LineBreaks breaks = LineBreaks::kSpaces);

}  // namespace runglass
