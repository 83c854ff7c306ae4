// SPDX-License-Identifier: Apache-2.0
// ScrapePage: one response of a target, validated and parsed as it arrives.
//
// Threading:  one thread.
// Ownership:  borrows the TargetState; keeps its parser, and with it the types of families, from one page to the next.
// Units:      bytes; TimeNs.
// Errors:     finish() returns why a page is rejected: the HTTP status, a content type other than metrics, too many samples, more bad lines
//             than good ones, an OpenMetrics page without `# EOF`. Bad lines and samples of an accepted page become issues.
// Cost:       O(page); holds an unfinished line, 24 bytes a sample, and the types of kMaxFamilies families.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectors/exposition/exposition_parser.h"
#include "collectors/scrape/target_state.h"
#include "collectors/text/line_splitter.h"
#include "net/http_client.h"

namespace runglass {

class ScrapePage {
 public:
  static constexpr std::size_t kMaxBytes = 32U << 20, kMaxSamples = 200'000, kMaxFamilies = 8'192;

  ScrapePage(const ScrapeTarget& target, const ScrapePlace& place, std::int64_t& series_of_all);

  void begin(TimeNs now);
  // False: the page is already rejected; the rest is not needed.
  bool body(const HttpAnswer& head, std::string_view piece);
  Result<ExporterPart> finish(const Result<HttpAnswer>& answer);
  TargetState& book() { return m_book; }

 private:
  void judge(const HttpAnswer& head);
  void line(std::string_view text);
  Status refusal(const Result<HttpAnswer>& answer) const;
  void issues(ExporterPart& part) const;

  struct Counts {
    std::int64_t good = 0, bad = 0, too_many_series = 0, long_labels = 0, twice = 0, blank = 0, implausible = 0;
    std::string first_bad, first_refused, first_implausible;
  };
  const ScrapeTarget& m_target;
  TargetState m_book;
  ExpositionParser m_parser;
  train_log::LineSplitter m_lines;
  ExpositionParser::Clock m_clock = ExpositionParser::Clock::kMilliseconds;
  bool m_judged = false, m_ended = false, m_too_many = false;
  std::string m_wrong;  // why the page is rejected; empty: not rejected so far
  TimeNs m_now = 0;
  Counts m_counts;
};

}  // namespace runglass
