// SPDX-License-Identifier: Apache-2.0
// Notes in Markdown as inert blocks: headings, lists, quotes, code and emphasis. HTML is text, and a link becomes its text and its target.
// Each writer formats the blocks itself.
//
// Parsed by md4c, CommonMark 0.30 with strikethrough; typed line breaks are kept, as in GitHub comments.
//
// Threading:  pure.
// Units:      UTF-8; texts are as typed: each writer escapes for its own context.
// Errors:     text that is not Markdown is a paragraph. Lists and quotes deeper than kMaxNoteDepth are shown at that depth.
// Cost:       O(text), of which md4c reads at most kMaxNoteBytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runglass::report {

inline constexpr int kMaxNoteDepth = 8;
inline constexpr std::size_t kMaxNoteBytes = 64U << 10;

struct NoteRun {
  std::string text;  // may have line breaks
  bool strong = false, emphasis = false, code = false, struck = false;
  friend bool operator==(const NoteRun&, const NoteRun&) = default;
};

struct NoteBlock {
  enum class Kind { kParagraph, kHeading, kCode, kRule };
  Kind kind = Kind::kParagraph;
  int level = 0;             // of a heading, 1 to 6
  int depth = 0, quote = 0;  // number of lists and quotes around it
  std::string mark;          // of the first block of a list item: "•", "3."
  std::vector<NoteRun> runs;
  friend bool operator==(const NoteBlock&, const NoteBlock&) = default;
};

std::vector<NoteBlock> noteBlocks(std::string_view markdown);

}  // namespace runglass::report
