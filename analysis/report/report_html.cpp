// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Text from outside this file passes through htmlText(); hrefs are checked by isSafeLink().
//  2. There are no scripts, no style attributes and no addresses outside the page.
#include <algorithm>
#include <vector>

#include "analysis/report/note_blocks.h"
#include "analysis/report/report_builder.h"
#include "analysis/report/report_writers.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

// Colours are the tokens of the console (widgets/core/theme), light and dark.
constexpr const char* kReportStyle =
    R"(:root{color-scheme:light dark;--ground:#fff;--surface:#f5f6f8;--line:#d9dee3;--text:#1b2127;--muted:#5b6672;--accent:#1f6fb2;--warning:#8a5a00;--error:#b3261e}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--surface:#1b1f24;--line:#313943;--text:#e4e8ec;--muted:#97a3af;--accent:#6fb1e8;--warning:#e6a23c;--error:#f08a86}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 16px 64px;max-width:960px;background:var(--ground);color:var(--text);font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:24px;line-height:1.25;margin:4px 0 12px}
h2{font-size:17px;margin:32px 0 8px;padding-top:8px;border-top:1px solid var(--line)}
a{color:var(--accent)}
.summary{font-size:16px}
.muted,.why,.open{color:var(--muted);font-size:12px}
nav ol{margin:0;padding:8px 8px 8px 28px;background:var(--surface);border:1px solid var(--line);border-radius:2px;columns:2;font-size:13px}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:8px;margin:8px 0 16px}
.figures div{background:var(--surface);border:1px solid var(--line);border-radius:2px;padding:8px}
.figures dt{color:var(--muted);font-size:12px}
.figures dd{margin:2px 0 0;font-size:18px;font-variant-numeric:tabular-nums}
.figures dd.why{font-size:11px}
small{font-size:11px;color:var(--muted)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:4px 0 12px;font-size:12px}
caption{text-align:left;color:var(--muted);padding:4px 0}
th,td{text-align:left;vertical-align:top;padding:3px 8px 3px 0;border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{color:var(--muted);font-weight:600}
td.n,th.n{text-align:right}
td.n,th.n,td.t{white-space:nowrap;font-variant-numeric:tabular-nums}
.sql{font-size:10px;text-decoration:none}
figure{margin:12px 0 20px}
figure img{max-width:100%;height:auto;display:block}
figcaption{font-size:12px;margin-top:4px}
.log ol{list-style:none;margin:4px 0;padding:8px;background:var(--surface);border:1px solid var(--line);font:11px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.log time{color:var(--muted)}
.log .warning b{color:var(--warning)}
.log .error b,.log .critical b{color:var(--error)}
blockquote{margin:8px 0;padding:4px 12px;border-left:2px solid var(--line)}
blockquote p{margin:2px 0}
blockquote h3{font-size:14px;margin:8px 0 2px}
blockquote ul,blockquote ol{margin:2px 0;padding-left:20px}
hr{border:0;border-top:1px solid var(--line)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--surface);border:1px solid var(--line);padding:8px;font-size:11px}
.from{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:12px}
.from dt{color:var(--muted)}
.from dd{margin:0;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0}nav{display:none}figure,tr{break-inside:avoid}}
)";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) { return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U; };
    const unsigned group = at(0) << 16U | at(1) << 8U | at(2);
    out += kDigits[group >> 18U & 63U];
    out += kDigits[group >> 12U & 63U];
    out += i + 1 < bytes.size() ? kDigits[group >> 6U & 63U] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63U] : '=';
  }
  return out;
}

std::string dataUrl(std::string_view svg) { return "data:image/svg+xml;base64," + base64(svg); }

std::string linkHtml(std::string_view words, const std::string& target) {
  return isSafeLink(target) ? "<a href=\"" + htmlText(target) + "\">" + htmlText(words) + "</a>" : std::string();
}

std::string reference(SqlRef ref) {
  if (ref == 0) return {};
  const std::string number = std::to_string(ref);
  return " <a class=\"sql\" href=\"#s" + number + "\">S" + number + "</a>";
}

std::string linesHtml(std::string_view text, std::string_view between) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += htmlText(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += between;
    text.remove_prefix(end + 1);
  }
}

std::string runsHtml(const NoteBlock& block) {
  if (block.kind == NoteBlock::Kind::kCode) {
    std::string out;
    for (const NoteRun& run : block.runs) out += linesHtml(run.text, "\n");
    return out;
  }
  std::string out;
  for (const NoteRun& run : block.runs) {
    std::string text = linesHtml(run.text, "<br>");
    if (run.code) text = "<code>" + text + "</code>";
    if (run.struck) text = "<del>" + text + "</del>";
    if (run.emphasis) text = "<em>" + text + "</em>";
    if (run.strong) text = "<strong>" + text + "</strong>";
    out += text;
  }
  return out;
}

// An item is open until the next one of its list, or until the list ends.
std::string noteHtml(const std::vector<NoteBlock>& blocks) {
  std::string out;
  std::vector<std::string> open;  // lists and quotes around the next block
  const auto closeTo = [&](std::size_t count) {
    for (; open.size() > count; open.pop_back()) out += (open.back() == "blockquote" ? "</" : "</li></") + open.back() + ">";
  };
  for (const NoteBlock& block : blocks) {
    const auto depth = static_cast<std::size_t>(block.depth), quote = static_cast<std::size_t>(block.quote);
    const auto quotes = static_cast<std::size_t>(std::ranges::count(open, "blockquote"));
    if (quotes > quote || quotes + depth < open.size()) closeTo(quotes > quote ? 0 : quotes + depth);
    for (std::size_t now = static_cast<std::size_t>(std::ranges::count(open, "blockquote")); now < quote; ++now)
      open.emplace_back("blockquote"), out += "<blockquote>";
    const std::string list = block.mark.empty() || block.mark == "•" ? "ul" : "ol";
    const std::size_t lists = open.size() - quote;
    if (lists == depth && depth > 0 && !block.mark.empty()) out += "</li><li>";
    for (std::size_t now = lists; now < depth; ++now) {
      open.push_back(list);
      out += list == "ol" ? "<ol start=\"" + block.mark.substr(0, block.mark.size() - 1) + "\"><li>" : "<ul><li>";
    }
    switch (block.kind) {
      case NoteBlock::Kind::kParagraph:
        out += "<p>" + runsHtml(block) + "</p>";
        break;
      case NoteBlock::Kind::kHeading:
        out += "<h3>" + runsHtml(block) + "</h3>";
        break;
      case NoteBlock::Kind::kCode:
        out += "<pre>" + runsHtml(block) + "</pre>";
        break;
      case NoteBlock::Kind::kRule:
        out += "<hr>";
        break;
    }
  }
  closeTo(0);
  return out;
}

class BlockHtml {
 public:
  BlockHtml(const Pictures& pictures, std::string& out) : m_pictures(pictures), m_out(out) {}

  void operator()(const Paragraph& one) {
    m_out += std::string("<p") + (one.muted ? " class=\"muted\"" : "") + ">" + htmlText(one.text) + "</p>\n";
  }
  void operator()(const BulletList& one) {
    m_out += "<ul>\n";
    for (const std::string& item : one.items) m_out += "<li>" + htmlText(item) + "</li>\n";
    m_out += "</ul>\n";
  }
  void operator()(const KeyFigures& one) {
    m_out += "<dl class=\"figures\">\n";
    for (const KeyFigure& figure : one.figures) {
      m_out += "<div><dt>" + htmlText(figure.name) + reference(figure.sql) + "</dt><dd>";
      m_out += figure.text.empty() ? std::string(kAbsent) : (figure.at_least ? "<small>at least</small> " : "") + htmlText(figure.text);
      m_out += "</dd>";
      if (!figure.reason.empty()) m_out += "<dd class=\"why\">" + htmlText(figure.reason) + "</dd>";
      m_out += "</div>\n";
    }
    m_out += "</dl>\n";
  }
  void operator()(const Table& one) {
    m_out += "<div class=\"wide\"><table>\n<caption>Table " + std::to_string(++m_table) + ". " + htmlText(one.caption) +
             "</caption>\n<thead><tr>";
    for (const Column& column : one.columns) m_out += cellOpen("th scope=\"col\"", column) + htmlText(column.name) + "</th>";
    m_out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : one.rows) {
      m_out += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = one.columns[i];
        const auto* ref = std::get_if<std::int64_t>(&row[i].value);
        m_out += cellOpen("td", column);
        m_out += column.key == "sql" && ref != nullptr ? reference(static_cast<SqlRef>(*ref)) : htmlText(row[i].text);
        m_out += "</td>";
      }
      m_out += "</tr>\n";
    }
    m_out += "</tbody></table></div>\n";
    leftOut(one.left_out);
  }
  void operator()(const FigureReference& one) {
    const Picture* picture = m_figure < m_pictures.figures.size() ? &m_pictures.figures[m_figure] : nullptr;
    ++m_figure;
    Picture words;
    if (picture == nullptr) words.title = one.card.title.empty() ? one.card.kind : one.card.title, words.caption = one.card.caption;
    figure(picture != nullptr ? *picture : words, one.link);
  }
  void operator()(const BarChart& one) {
    if (m_chart >= m_pictures.charts.size()) return;  // the numbers are in a table
    Picture picture = m_pictures.charts[m_chart++];
    picture.title = one.caption;
    figure(picture, "");
  }
  void operator()(const LogExcerpt& one) {
    m_out += "<figure class=\"log\"><figcaption>" + htmlText(one.caption) + "</figcaption>\n<ol>\n";
    for (const LogExcerpt::Line& line : one.lines)
      m_out += std::string("<li class=\"") + severityName(line.severity) + "\"><time>" + htmlText(line.when) + "</time> <b>" +
               htmlText(line.who) + "</b> " + htmlText(line.text) + "</li>\n";
    m_out += "</ol></figure>\n";
    leftOut(one.left_out);
  }
  void operator()(const WrittenNote& one) {
    m_out += "<blockquote>";
    if (!one.author.empty()) m_out += "<p class=\"muted\">" + htmlText(one.author) + "</p>";
    m_out += noteHtml(noteBlocks(one.text)) + "</blockquote>\n";
  }
  void operator()(const Link& one) { m_out += "<p>" + linkHtml(one.text, one.target) + "</p>\n"; }

 private:
  // Numbers and times are not wrapped.
  static std::string cellOpen(const char* tag, const Column& column) {
    return std::string("<") + tag + (column.numeric ? " class=\"n\">" : column.key.ends_with("_ns") ? " class=\"t\">" : ">");
  }
  void leftOut(const std::string& text) {
    if (!text.empty()) m_out += "<p class=\"muted\">" + htmlText(text) + "</p>\n";
  }
  void figure(const Picture& picture, const std::string& link) {
    m_out += "<figure>";
    if (!picture.light.empty()) {
      m_out += "<picture>";
      if (!picture.dark.empty()) m_out += "<source media=\"(prefers-color-scheme: dark)\" srcset=\"" + dataUrl(picture.dark) + "\">";
      m_out += "<img alt=\"" + htmlText(picture.says) + "\" src=\"" + dataUrl(picture.light) + "\"></picture>";
    }
    m_out += "<figcaption>Figure " + std::to_string(++m_number) + ". <b>" + htmlText(picture.title) + "</b>";
    if (!picture.caption.empty()) m_out += " " + htmlText(picture.caption);
    if (!picture.coverage.empty()) m_out += " <span class=\"muted\">(" + htmlText(picture.coverage) + ")</span>";
    if (!picture.reason.empty()) m_out += " <span class=\"muted\">" + htmlText(picture.reason) + "</span>";
    m_out += reference(picture.sql);
    if (const std::string open = linkHtml("open it in Runglass", link); !open.empty()) m_out += " " + open;
    m_out += "</figcaption></figure>\n";
  }

  const Pictures& m_pictures;
  std::string& m_out;
  std::size_t m_figure = 0, m_chart = 0, m_table = 0, m_number = 0;
};

std::string provenanceHtml(const Provenance& one) {
  std::string out = "<section id=\"from\"><h2>Where this is from</h2>\n<dl class=\"from\">";
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += "<dt>" + std::string(name) + "</dt><dd>" + htmlText(value) + "</dd>\n";
  };
  line("Made", one.made ? utcText(*one.made) : "");
  line("Program", one.program);
  line("Store", one.store_uuid);
  line("Schema", std::to_string(one.schema_version));
  line("Run", one.run + " (" + one.run_uuid + ")");
  for (const std::string& option : one.options) line("Option", option);
  line("Redacted", redactionText(one));
  return out + "</dl></section>\n";
}

std::string queriesHtml(const ReportDocument& document) {
  if (document.queries.empty() && document.computed.empty()) return {};
  std::string out =
      "<section id=\"sql\"><h2>The SQL behind the figures</h2>\n<p class=\"muted\"><code>runglassctl query --store S.rgl \"SELECT "
      "...\"</code> "
      "gives each number again. " +
      htmlText(replacedSqlText(document.provenance)) + "</p>\n";
  for (std::size_t i = 0; i < document.queries.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    out += "<p id=\"s" + number + "\"><b>S" + number + "</b> " + htmlText(document.queries[i].what) + "</p><pre>" +
           htmlText(document.queries[i].sql) + "</pre>\n";
  }
  out += "<p class=\"muted\">" + htmlText(kPictureSql) + "</p>\n";
  if (!document.computed.empty()) {
    out += "<p class=\"muted\">These have no query; their rules:</p>\n<ul>\n";
    for (const Computed& one : document.computed) out += "<li>" + htmlText(one.what) + ": " + htmlText(one.how) + "</li>\n";
    out += "</ul>\n";
  }
  return out + "</section>\n";
}

}  // namespace

std::string reportHtml(const ReportDocument& document, const Pictures& pictures) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>";
  out += htmlText(document.title) + "</title>\n<style>\n" + kReportStyle +
         "</style>\n</head>\n<body>\n<header>\n<p class=\"muted\">Runglass · " + htmlText(document.kind) + " report · " +
         htmlText(document.provenance.run) + "</p>\n<h1>" + htmlText(document.title) + "</h1>\n<p class=\"summary\">" +
         htmlText(document.summary) + "</p>\n";
  if (const std::string link = linkHtml("Open in Runglass", document.link); !link.empty()) out += "<p>" + link + "</p>\n";
  out += "</header>\n<nav><ol>\n";
  for (std::size_t i = 0; i < document.sections.size(); ++i)
    out += "<li><a href=\"#c" + std::to_string(i + 1) + "\">" + htmlText(document.sections[i].title) + "</a></li>\n";
  out += "</ol></nav>\n<main>\n";
  BlockHtml writer(pictures, out);
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    const Section& section = document.sections[i];
    out += "<section id=\"c" + std::to_string(i + 1) + "\"><h2>" + htmlText(section.title) + "</h2>\n";
    for (const Block& block : section.blocks) std::visit(writer, block);
    if (const std::string link = linkHtml("Open this view in Runglass", section.link); !link.empty())
      out += "<p class=\"open\">" + link + "</p>\n";
    out += "</section>\n";
  }
  return out + queriesHtml(document) + provenanceHtml(document.provenance) + "</main>\n</body>\n</html>\n";
}

}  // namespace runglass::report
