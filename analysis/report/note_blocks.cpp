// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/note_blocks.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <utility>

namespace runglass::report {
namespace {

struct List {
  bool ordered = false;
  unsigned number = 1;
};

class Walker {
 public:
  int enterBlock(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        ++m_quote;
        break;
      case MD_BLOCK_UL:
        m_lists.push_back({});
        break;
      case MD_BLOCK_OL:
        m_lists.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI:
        m_open = false;
        if (List& list = m_lists.back(); list.ordered)
          m_mark = std::to_string(list.number++) + ".";
        else
          m_mark = "•";
        break;
      case MD_BLOCK_HR:
        begin(NoteBlock::Kind::kRule, 0);
        m_open = false;
        break;
      case MD_BLOCK_H:
        begin(NoteBlock::Kind::kHeading, static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level));
        break;
      case MD_BLOCK_CODE:
        begin(NoteBlock::Kind::kCode, 0);
        break;
      case MD_BLOCK_P:
        begin(NoteBlock::Kind::kParagraph, 0);
        break;
      default:
        break;
    }
    return 0;
  }

  int leaveBlock(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_QUOTE) --m_quote;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) m_lists.pop_back();
    if (type == MD_BLOCK_LI && !m_mark.empty()) begin(NoteBlock::Kind::kParagraph, 0);  // an empty item
    if (type == MD_BLOCK_CODE && !m_blocks.empty() && !m_blocks.back().runs.empty()) {
      std::string& text = m_blocks.back().runs.back().text;
      if (text.ends_with('\n')) text.pop_back();
    }
    m_open = false;
    return 0;
  }

  int enterSpan(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_STRONG) ++m_strong;
    if (type == MD_SPAN_EM) ++m_emphasis;
    if (type == MD_SPAN_CODE) ++m_code;
    if (type == MD_SPAN_DEL) ++m_struck;
    if (type == MD_SPAN_A) m_links.push_back({attribute(static_cast<MD_SPAN_A_DETAIL*>(detail)->href), ""});
    if (type == MD_SPAN_IMG) {
      m_links.push_back({attribute(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src), ""});
      add("[picture ");
    }
    return 0;
  }

  int leaveSpan(MD_SPANTYPE type) {
    if (type == MD_SPAN_STRONG) --m_strong;
    if (type == MD_SPAN_EM) --m_emphasis;
    if (type == MD_SPAN_CODE) --m_code;
    if (type == MD_SPAN_DEL) --m_struck;
    if (type != MD_SPAN_A && type != MD_SPAN_IMG) return 0;
    // The link's target, unless its text contains it.
    const auto [target, words] = std::move(m_links.back());
    m_links.pop_back();
    if (!target.empty() && words.find(target) == std::string::npos) add(" (" + target + ")");
    if (type == MD_SPAN_IMG) add("]");
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
      add("\n");
    else if (type == MD_TEXT_NULLCHAR)
      add("\uFFFD");
    else
      add(type == MD_TEXT_ENTITY ? entity(text) : std::string(text));
    return 0;
  }

  std::vector<NoteBlock> take() { return std::move(m_blocks); }

 private:
  void begin(NoteBlock::Kind kind, int level) {
    m_blocks.push_back({.kind = kind,
                        .level = level,
                        .depth = static_cast<int>(std::min<std::size_t>(m_lists.size(), kMaxNoteDepth)),
                        .quote = std::min(m_quote, kMaxNoteDepth),
                        .mark = std::exchange(m_mark, {}),
                        .runs = {}});
    m_open = true;
  }

  // Items of a tight list have no paragraphs of their own.
  void add(std::string text) {
    if (!m_open) begin(NoteBlock::Kind::kParagraph, 0);
    NoteBlock& block = m_blocks.back();
    for (auto& [target, words] : m_links) words += text;
    NoteRun run{.text = {}, .strong = m_strong > 0, .emphasis = m_emphasis > 0, .code = m_code > 0, .struck = m_struck > 0};
    if (!block.runs.empty()) {
      NoteRun& last = block.runs.back();
      if (last.strong == run.strong && last.emphasis == run.emphasis && last.code == run.code && last.struck == run.struck) {
        last.text += text;
        return;
      }
    }
    run.text = std::move(text);
    block.runs.push_back(std::move(run));
  }

  // Common entities; the others are kept by name.
  static std::string entity(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKnown = {
        {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&nbsp;", "\u00a0"}}};
    const auto known = std::ranges::find(kKnown, text, &std::pair<std::string_view, std::string_view>::first);
    return std::string(known != kKnown.end() ? known->second : text);
  }
  static std::string attribute(const MD_ATTRIBUTE& one) { return {one.text, one.size}; }

  std::vector<NoteBlock> m_blocks;
  std::vector<List> m_lists;
  std::vector<std::pair<std::string, std::string>> m_links;  // target and text so far
  std::string m_mark;
  int m_quote = 0, m_strong = 0, m_emphasis = 0, m_code = 0, m_struck = 0;
  bool m_open = false;
};

}  // namespace

std::vector<NoteBlock> noteBlocks(std::string_view markdown) {
  Walker walker;
  std::size_t length = std::min(markdown.size(), kMaxNoteBytes);
  while (length < markdown.size() && length > 0 && (static_cast<unsigned char>(markdown[length]) & 0xC0U) == 0x80U) --length;
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_STRIKETHROUGH;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* of) { return static_cast<Walker*>(of)->enterBlock(type, detail); };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* of) { return static_cast<Walker*>(of)->leaveBlock(type); };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* of) { return static_cast<Walker*>(of)->enterSpan(type, detail); };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* of) { return static_cast<Walker*>(of)->leaveSpan(type); };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* of) {
    return static_cast<Walker*>(of)->text(type, {text, size});
  };
  if (md_parse(markdown.data(), static_cast<MD_SIZE>(length), &parser, &walker) != 0)
    return {{.kind = NoteBlock::Kind::kParagraph,
             .level = 0,
             .depth = 0,
             .quote = 0,
             .mark = {},
             .runs = {{std::string(markdown.substr(0, length))}}}};
  std::vector<NoteBlock> blocks = walker.take();
  if (length < markdown.size())
    blocks.push_back({.kind = NoteBlock::Kind::kParagraph,
                      .level = 0,
                      .depth = 0,
                      .quote = 0,
                      .mark = {},
                      .runs = {{"… the rest is too long to be shown."}}});
  return blocks;
}

}  // namespace runglass::report
