// SPDX-License-Identifier: Apache-2.0
// Notes keep their formatting, and nothing in them becomes active.
#include "analysis/report/note_blocks.h"

#include <gmock/gmock.h>

#include "analysis/report/report_document.h"
#include "analysis/report/report_writers.h"

namespace runglass::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = NoteBlock::Kind;

std::string wordsOf(const NoteBlock& block) {
  std::string out;
  for (const NoteRun& run : block.runs) out += run.text;
  return out;
}

std::string html(const std::string& note) {
  ReportDocument document;
  document.sections.push_back({"Notes", "", {WrittenNote{"me", note}}});
  const std::string page = reportHtml(document);
  const std::size_t begin = page.find("<blockquote>");
  return page.substr(begin, page.find("</section>", begin) - begin);
}

TEST(NoteBlocks, HeadingsListsCodeAndEmphasisAreKept) {
  const auto blocks =
      noteBlocks("# What we did\nDrained **n3** and\nwaited.\n\n- one\n- two\n  1. inner\n\n```\na  b\nc\n```\n> quoted\n\n---\n");
  ASSERT_EQ(blocks.size(), 8U);
  EXPECT_EQ(blocks[0].kind, Kind::kHeading);
  EXPECT_EQ(blocks[0].level, 1);
  EXPECT_EQ(wordsOf(blocks[1]), "Drained n3 and\nwaited.");
  EXPECT_EQ(blocks[1].runs[1], (NoteRun{.text = "n3", .strong = true}));
  EXPECT_EQ(blocks[2].mark, "•");
  EXPECT_EQ(wordsOf(blocks[3]), "two");
  EXPECT_EQ(blocks[4].mark, "1.");
  EXPECT_EQ(blocks[4].depth, 2);
  EXPECT_EQ(blocks[5].kind, Kind::kCode);
  EXPECT_EQ(wordsOf(blocks[5]), "a  b\nc");
  EXPECT_EQ(blocks[6].quote, 1);
  EXPECT_EQ(blocks[7].kind, Kind::kRule);
}

TEST(NoteBlocks, ALinkIsItsWordsAndWhereItLeads) {
  EXPECT_EQ(wordsOf(noteBlocks("see [the ticket](https://x.example/1)")[0]), "see the ticket (https://x.example/1)");
  EXPECT_EQ(wordsOf(noteBlocks("see <https://x.example/1>")[0]), "see https://x.example/1");
  EXPECT_EQ(wordsOf(noteBlocks("![plot](https://x.example/p.png)")[0]), "[picture plot (https://x.example/p.png)]");
  EXPECT_EQ(wordsOf(noteBlocks("[x](javascript:alert(1))")[0]), "x (javascript:alert(1))");
}

TEST(NoteBlocks, HtmlIsTextAndEntitiesAreTheirCharacters) {
  EXPECT_EQ(wordsOf(noteBlocks("a <b onclick=x>b</b> &lt;3 &amp; &copy;")[0]), "a <b onclick=x>b</b> <3 & &copy;");
  EXPECT_EQ(wordsOf(noteBlocks("<script>alert(1)</script>")[0]), "<script>alert(1)</script>");
}

TEST(NoteBlocks, WhatIsHugeDeepOrOddIsBounded) {
  EXPECT_TRUE(noteBlocks("").empty());
  std::string deep(5'000, '>');
  for (const NoteBlock& block : noteBlocks(deep + " x")) EXPECT_LE(block.quote, kMaxNoteDepth);
  std::string lists;
  for (int i = 0; i < 200; ++i) lists += std::string(static_cast<std::size_t>(2 * i), ' ') + "- x\n";
  for (const NoteBlock& block : noteBlocks(lists)) EXPECT_LE(block.depth, kMaxNoteDepth);
  const auto cut = noteBlocks(std::string(kMaxNoteBytes * 2, 'x'));
  EXPECT_THAT(wordsOf(cut.back()), HasSubstr("too long"));
  EXPECT_FALSE(noteBlocks("a\0b\xff*c*").empty());
}

TEST(NoteBlocks, HtmlHasTheSameShapeAndNothingActive) {
  EXPECT_THAT(html("- a\n  1. b\n- c\n\npara"),
              HasSubstr("<ul><li><p>a</p><ol start=\"1\"><li><p>b</p></li></ol></li><li><p>c</p></li></ul><p>para</p>"));
  EXPECT_THAT(html("**x** `<i>` *y*\nz"), HasSubstr("<strong>x</strong> <code>&lt;i&gt;</code> <em>y</em><br>z"));
  EXPECT_THAT(html("> q\n\nafter"), HasSubstr("<blockquote><p>q</p></blockquote><p>after</p>"));
  for (const char* evil : {"[x](javascript:alert(1))", "<img src=x onerror=y>", "![](http://x/y.png)", "<http://x>"}) {
    EXPECT_THAT(html(evil), Not(HasSubstr("<img")));
    EXPECT_THAT(html(evil), Not(HasSubstr("href")));
  }
}

TEST(NoteBlocks, MarkdownKeepsListsAndEscapesTheRest) {
  ReportDocument document;
  document.sections.push_back({"Notes", "", {WrittenNote{"me", "- one *two*\n- <b>\n\n# head"}}});
  const std::string text = reportMarkdown(document);
  EXPECT_THAT(text, HasSubstr("> - one *two*\n"));
  EXPECT_THAT(text, HasSubstr("> **head**\n"));
  EXPECT_THAT(text, HasSubstr("\\<b"));
}

}  // namespace
}  // namespace runglass::report
