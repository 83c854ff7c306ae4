// SPDX-License-Identifier: Apache-2.0
// Writers: a report as Markdown, HTML, JSON and CSV. The same document gives the same bytes.
//
// Every text of others is escaped for the place where it is put, after what is invisible or changes the direction of writing was replaced
// (analysis/text/markdown_text.h). The HTML loads nothing and runs nothing: CSP 'none' but for its own style and pictures in data: URLs
// (W3C Content Security Policy 3); a picture in <img> runs no script whatever is in it (HTML, section 4.8.3; SVG 2, section 2.6, secure
// static mode). Its links lead to runglass:// and within the page, nowhere else. CSV: RFC 4180; a text that a spreadsheet would take for a
// formula has an apostrophe before it (OWASP, "CSV Injection").
//
// Threading:  pure.
// Units:      UTF-8.
// Cost:       O(document + pictures).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/report/report_document.h"

namespace runglass::report {

// What a figure or a chart looks like, by whoever can draw.
struct Picture {
  std::string light, dark;  // SVG; "" dark: the light one
  std::string title, caption;
  std::string says;              // in words, for who does not see it
  std::string coverage, reason;  // why there is nothing to see
  SqlRef sql = 0;
};
// In the order of figuresOf() and chartsOf(); fewer: the rest is told in words.
struct Pictures {
  std::span<const Picture> figures, charts;
};

std::string reportMarkdown(const ReportDocument& document, const Pictures& pictures = {});
std::string reportHtml(const ReportDocument& document, const Pictures& pictures = {});
std::string reportJson(const ReportDocument& document, const Pictures& pictures = {});
std::string tableCsv(const Table& table);

// For between tags and within quoted attributes.
std::string htmlText(std::string_view text);
// A field of a CSV row.
std::string csvText(std::string_view text);
// "runglass://..." of safe characters and nothing else.
bool isSafeLink(std::string_view target);
// "Incident of 3 May: n7" -> "incident-of-3-may-n7": [a-z0-9-], at most 60; "report" where nothing is left.
std::string slugOf(std::string_view text);

}  // namespace runglass::report
