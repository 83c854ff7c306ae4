// SPDX-License-Identifier: Apache-2.0
// Writers: a report as Markdown, HTML, JSON and CSV. Equal documents give equal bytes.
//
// Every text from outside is escaped for its context, after invisible characters and those that change the direction of writing are
// replaced (analysis/text/markdown_text.h). The HTML loads and runs nothing: CSP 'none' except for its own style and pictures in data: URLs
// (W3C Content Security Policy 3); a picture in <img> never runs scripts (HTML, section 4.8.3; SVG 2, section 2.6, secure static mode). Its
// links have runglass:// targets or targets within the page. CSV: RFC 4180; text that a spreadsheet would read as a formula gets a leading
// apostrophe (OWASP, "CSV Injection").
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

// A figure or a chart, drawn by a caller that can draw.
struct Picture {
  std::string light, dark;  // SVG; "" dark: use the light one
  std::string title, caption;
  std::string says;              // description in words, for readers who cannot see it
  std::string coverage, reason;  // why there is nothing to see
  SqlRef sql = 0;
};
// In the order of figuresOf() and chartsOf(); if there are fewer, the rest is printed as text.
struct Pictures {
  std::span<const Picture> figures, charts;
};

std::string reportMarkdown(const ReportDocument& document, const Pictures& pictures = {});
std::string reportHtml(const ReportDocument& document, const Pictures& pictures = {});
std::string reportJson(const ReportDocument& document, const Pictures& pictures = {});
std::string tableCsv(const Table& table);

// For text between tags and within quoted attributes.
std::string htmlText(std::string_view text);
// A field of a CSV row.
std::string csvText(std::string_view text);
// Whether it is "runglass://..." with safe characters only.
bool isSafeLink(std::string_view target);
// "Incident of 3 May: n7" -> "incident-of-3-may-n7": [a-z0-9-], at most 60; "report" if the result is empty.
std::string slugOf(std::string_view text);

}  // namespace runglass::report
