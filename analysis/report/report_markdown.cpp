// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/report/note_blocks.h"
#include "analysis/report/report_builder.h"
#include "analysis/report/report_writers.h"
#include "analysis/text/markdown_text.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

// At the start of a line: must not become a heading, list, quote, rule or table.
std::string lineText(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n' || text.front() == '\r'))
    text.remove_prefix(1);
  std::string out = markdownText(text);
  if (out.empty()) return out;
  if (std::string_view("#>+-=:").find(out.front()) != std::string_view::npos) return "\\" + out;
  std::size_t digits = 0;
  while (digits < out.size() && out[digits] >= '0' && out[digits] <= '9') ++digits;
  if (digits > 0 && digits < out.size() && (out[digits] == '.' || out[digits] == ')')) out.insert(digits, "\\");
  return out;
}

// The fence is longer than any fence in the text.
std::string fenced(std::string_view language, const std::string& text) {
  std::size_t longest = 2, current = 0;
  for (const char c : text) longest = std::max(longest, current = c == '`' ? current + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fence + std::string(language) + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n\n";
}

std::string linkMarkdown(std::string_view words, const std::string& target) {
  return isSafeLink(target) ? "[" + std::string(words) + "](<" + target + ">)" : std::string();
}

std::string reference(SqlRef ref) { return ref == 0 ? std::string() : " (S" + std::to_string(ref) + ")"; }

// Joins the lines of a block: Markdown dialects differ on breaks within quotes and lists, and text at the start of a line may be markup.
std::string noteLines(const NoteBlock& block) {
  if (block.kind == NoteBlock::Kind::kRule) return "\\-\\-\\-";
  std::string plain, out;
  for (const NoteRun& run : block.runs) plain += run.text;
  if (block.kind == NoteBlock::Kind::kHeading) return "**" + markdownText(plain) + "**";
  bool first = true;
  for (const NoteRun& run : block.runs) {
    const std::string text = first ? lineText(run.text) : markdownText(run.text);
    const char* around = run.strong ? "**" : run.emphasis ? "*" : run.struck ? "~~" : "";
    out += text.empty() ? text : around + text + around;
    first = false;
  }
  return out;
}

class BlockMarkdown {
 public:
  BlockMarkdown(const Pictures& pictures, std::string& out) : m_pictures(pictures), m_out(out) {}

  void operator()(const Paragraph& one) { m_out += (one.muted ? "*" + markdownText(one.text) + "*" : lineText(one.text)) + "\n\n"; }
  void operator()(const BulletList& one) {
    for (const std::string& item : one.items) m_out += "- " + lineText(item) + "\n";
    m_out += "\n";
  }
  void operator()(const KeyFigures& one) {
    m_out += "| | | |\n|---|---:|---|\n";
    for (const KeyFigure& figure : one.figures) {
      const std::string value = figure.text.empty() ? std::string(kAbsent) : (figure.at_least ? "at least " : "") + figure.text;
      m_out += "| " + markdownText(figure.name) + reference(figure.sql) + " | " + markdownText(value) + " | " +
               markdownText(figure.reason) + " |\n";
    }
    m_out += "\n";
  }
  void operator()(const Table& one) {
    m_out += "**Table " + std::to_string(++m_table) + ".** " + markdownText(one.caption) + "\n\n|";
    for (const Column& column : one.columns) m_out += " " + markdownText(column.name) + " |";
    m_out += "\n|";
    for (const Column& column : one.columns) m_out += column.numeric ? "---:|" : "---|";
    for (const auto& row : one.rows) {
      m_out += "\n|";
      for (const Cell& cell : row) m_out += " " + markdownText(cell.text) + " |";
    }
    m_out += "\n\n";
    if (!one.left_out.empty()) m_out += lineText(one.left_out) + "\n\n";
  }
  void operator()(const FigureReference& one) {
    const Picture* picture = m_figure < m_pictures.figures.size() ? &m_pictures.figures[m_figure] : nullptr;
    std::string title = picture != nullptr ? picture->title : one.card.title;
    if (title.empty()) title = one.card.kind;
    m_out += "**Figure " + std::to_string(++m_figure) + ".** " + markdownText(title);
    const std::string caption = picture != nullptr && !picture->caption.empty() ? picture->caption : one.card.caption;
    if (!caption.empty()) m_out += ": " + markdownText(caption);
    if (picture != nullptr && !picture->coverage.empty()) m_out += " (" + markdownText(picture->coverage) + ")";
    if (picture != nullptr && !picture->reason.empty()) m_out += " — " + markdownText(picture->reason);
    if (picture != nullptr) m_out += reference(picture->sql);
    if (const std::string link = linkMarkdown("open it in Runglass", one.link); !link.empty()) m_out += " " + link;
    m_out += "\n\n";
  }
  // The numbers are in a table.
  void operator()(const BarChart&) {}
  void operator()(const LogExcerpt& one) {
    m_out += "**" + markdownText(one.caption) + "**\n\n";
    std::string text;
    for (const LogExcerpt::Line& line : one.lines)
      text += (line.when.empty() ? "" : visibleText(line.when) + " ") + std::string(severityName(line.severity)) + " " +
              (line.who.empty() ? "" : visibleText(line.who) + ": ") + visibleText(line.text) + "\n";
    m_out += fenced("text", text);
    if (!one.left_out.empty()) m_out += lineText(one.left_out) + "\n\n";
  }
  void operator()(const WrittenNote& one) {
    if (!one.author.empty()) m_out += "**" + markdownText(one.author) + "**\n\n";
    for (const NoteBlock& block : noteBlocks(one.text)) {
      // The item's mark is ours; the text after it is escaped.
      std::string before = "> ";
      for (int i = 1; i < block.depth; ++i) before += "  ";
      if (block.mark == "•") before += "- ";
      if (block.mark.ends_with('.')) before += block.mark + " ";
      m_out += before + noteLines(block) + "\n>\n";
    }
    m_out += "\n";
  }
  void operator()(const Link& one) { m_out += linkMarkdown(markdownText(one.text), one.target) + "\n\n"; }

 private:
  const Pictures& m_pictures;
  std::string& m_out;
  std::size_t m_figure = 0, m_table = 0;
};

void addProvenance(const Provenance& one, std::string& out) {
  out += "## Where this is from\n\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += "- " + std::string(name) + ": " + markdownText(value) + "\n";
  };
  line("Made", one.made ? utcText(*one.made) : "");
  line("Program", one.program);
  line("Store", one.store_uuid);
  line("Schema", std::to_string(one.schema_version));
  line("Run", one.run + " (" + one.run_uuid + ")");
  for (const std::string& option : one.options) line("Option", option);
  line("Redacted", redactionText(one));
  out += "\n";
}

}  // namespace

std::string reportMarkdown(const ReportDocument& document, const Pictures& pictures) {
  std::string out = "# " + markdownText(document.title) + "\n\n" + lineText(document.summary) + "\n\n";
  if (const std::string link = linkMarkdown("Open in Runglass", document.link); !link.empty()) out += link + "\n\n";
  BlockMarkdown writer(pictures, out);
  for (const Section& section : document.sections) {
    out += "## " + markdownText(section.title) + "\n\n";
    for (const Block& block : section.blocks) std::visit(writer, block);
    if (const std::string link = linkMarkdown("Open this view", section.link); !link.empty()) out += link + "\n\n";
  }
  if (!document.queries.empty() || !document.computed.empty()) {
    out += "## The SQL behind the figures\n\n`runglassctl query --store S.rgl \"SELECT ...\"` gives each number again. " +
           replacedSqlText(document.provenance) + "\n\n";
    for (std::size_t i = 0; i < document.queries.size(); ++i)
      out += "**S" + std::to_string(i + 1) + "** " + markdownText(document.queries[i].what) + "\n\n" +
             fenced("sql", visibleText(document.queries[i].sql, LineBreaks::kKept));
    out += markdownText(kPictureSql) + "\n\n";
    if (!document.computed.empty()) out += "These have no query; their rules:\n\n";
    for (const Computed& one : document.computed) out += "- " + lineText(one.what) + ": " + markdownText(one.how) + "\n";
    if (!document.computed.empty()) out += "\n";
  }
  addProvenance(document.provenance, out);
  return out;
}

}  // namespace runglass::report
