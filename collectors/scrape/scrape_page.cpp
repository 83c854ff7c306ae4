// SPDX-License-Identifier: Apache-2.0
#include "collectors/scrape/scrape_page.h"

#include <algorithm>
#include <utility>

#include "collectors/text/display_name.h"

namespace runglass {
namespace {

using Line = ExpositionParser::Line;
using Clock = ExpositionParser::Clock;
using Kept = TargetState::Kept;

}  // namespace

ScrapePage::ScrapePage(const ScrapeTarget& target, const ScrapePlace& place, std::int64_t& series_of_all)
    : m_target(target), m_book(target, place, series_of_all), m_parser(Clock::kMilliseconds) {}

void ScrapePage::begin(TimeNs now) {
  m_now = now;
  m_book.begin(now);
  m_lines = train_log::LineSplitter();
  m_judged = m_ended = m_too_many = false;
  m_wrong.clear();
  m_counts = {};
  // Bounds the memory for pages with ever new family names.
  if (m_parser.types().size() > kMaxFamilies) m_parser = ExpositionParser(m_clock);
}

void ScrapePage::judge(const HttpAnswer& head) {
  m_judged = true;
  const std::string type = lowered(head.content_type);
  if (head.status != 200) {
    m_wrong = "answers with HTTP status " + std::to_string(head.status);
    if (head.status >= 300 && head.status < 400) m_wrong += "; redirects are not followed";
  } else if (!type.empty() && !type.starts_with("text/plain") && !type.starts_with("application/openmetrics-text")) {
    m_wrong = "answers with " + displayName(head.content_type) + ", which is no metrics";
  }
  const Clock clock = type.starts_with("application/openmetrics-text") ? Clock::kSeconds : Clock::kMilliseconds;
  if (clock != m_clock) m_parser = ExpositionParser(m_clock = clock);
}

bool ScrapePage::body(const HttpAnswer& head, std::string_view piece) {
  if (!m_judged) judge(head);
  if (m_wrong.empty()) m_lines.push(piece, [this](std::string_view text, std::uint64_t) { line(text); });
  return m_wrong.empty();
}

void ScrapePage::line(std::string_view text) {
  if (!m_wrong.empty()) return;
  const Line kind = m_parser.line(text);
  if (kind == Line::kEnd) m_ended = true;
  if (kind == Line::kBad && m_counts.bad++ == 0) m_counts.first_bad = displayName(text.substr(0, 256));
  if (kind != Line::kSample) return;
  if (++m_counts.good > static_cast<std::int64_t>(kMaxSamples)) {
    m_too_many = true;
    m_wrong = "exposes more than " + std::to_string(kMaxSamples) + " samples";
    return;
  }
  const Kept kept = m_book.sample(m_parser.sample(), m_parser);
  if (kept == Kept::kYes || kept == Kept::kRepeated) return;
  m_counts.blank += kept == Kept::kBlank ? 1 : 0;
  m_counts.implausible += kept == Kept::kImplausible ? 1 : 0;
  m_counts.twice += kept == Kept::kTwice ? 1 : 0;
  m_counts.long_labels += kept == Kept::kLongLabels ? 1 : 0;
  m_counts.too_many_series += kept == Kept::kTooManySeries ? 1 : 0;
  if (kept == Kept::kImplausible) {
    if (m_counts.implausible == 1) m_counts.first_implausible = displayName(text.substr(0, 256));
    return;
  }
  if (kept != Kept::kBlank && m_counts.first_refused.empty()) m_counts.first_refused = displayName(m_parser.sample().key);
}

Status ScrapePage::refusal(const Result<HttpAnswer>& answer) const {
  const std::string what = "scrape: " + shownUrl(m_target.url) + ": ";
  // A defect found in the page is a better reason than the aborted transfer that it caused.
  if (!m_wrong.empty()) return {m_too_many ? Code::kResourceExhausted : Code::kFailedPrecondition, what + m_wrong};
  if (!answer.ok()) return {answer.status().code(), "scrape: " + answer.status().message()};
  if (m_counts.bad > m_counts.good) return {Code::kDataLoss, what + "no metrics: " + m_counts.first_bad};
  if (m_clock == Clock::kSeconds && !m_ended) return {Code::kDataLoss, what + "the page ends before its # EOF"};
  return {};
}

Result<ExporterPart> ScrapePage::finish(const Result<HttpAnswer>& answer) {
  if (answer.ok() && !m_judged) judge(*answer);
  if (answer.ok() && m_wrong.empty() && !m_lines.partial().empty()) line(m_lines.partial());
  if (const Status wrong = refusal(answer); !wrong.ok()) {
    m_book.refuse();
    return wrong;
  }
  ExporterPart part = m_book.accept();
  issues(part);
  return part;
}

void ScrapePage::issues(ExporterPart& part) const {
  const auto tell = [&](const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0)
      part.issues.push_back(
          {.code = code, .source = shownUrl(m_target.url), .count = count, .first = m_now, .last = m_now, .detail = detail});
  };
  tell("scrape.bad_line", m_counts.bad, m_counts.first_bad);
  tell("scrape.too_many_series", m_counts.too_many_series,
       "most_series is " + std::to_string(m_target.most_series) + "; " + m_counts.first_refused);
  tell("scrape.long_labels", m_counts.long_labels, m_counts.first_refused);
  tell("scrape.repeated_sample", m_counts.twice, m_counts.first_refused);
  tell("scrape.blank_value", m_counts.blank, "");
  tell("scrape.implausible_value", m_counts.implausible, m_counts.first_implausible);
  tell("scrape.absurd_time", m_book.absurdTimes(), "");
}

}  // namespace runglass
