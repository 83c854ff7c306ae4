// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/capture_log.h"

namespace runglass {

bool CaptureBudget::take(std::int64_t bytes, DurNs now) {
  if (m_since == 0 || now - m_since >= 3600 * kNsPerSecond) {
    m_since = now;
    m_used = 0;
  }
  if (m_used + bytes > m_bytes) return false;
  m_used += bytes;
  return true;
}

void CaptureLog::got(const Owner& owner, const char* kind, std::string source, std::string text, std::int64_t truncated) {
  Capture capture{.time = now(),
                  .attempt = owner.attempt,
                  .node = m_node,
                  .rank = owner.rank,
                  .kind = kind,
                  .source = std::move(source),
                  .reason = std::string(captureReasonName(m_reason)),
                  .text = std::move(text),
                  .truncated_bytes = truncated};
  boundCapture(capture);
  if (!m_budget.take(capture.bytes, monotonicNow())) {
    m_out.issue({.code = "capture.over_budget",
                 .source = m_context.node.name,
                 .first = capture.time,
                 .last = capture.time,
                 .detail = capture.kind + " of " + std::to_string(capture.bytes) + " bytes"});
    return refused(owner, kind, "the node's budget of this hour is used up");
  }
  m_out.capture(capture);
  ++m_got[kind];
}

void CaptureLog::say(Said& said, const Owner& owner, const char* kind, const std::string& why) {
  auto& ranks = said[std::string(kind) + ": " + why];
  if (owner.rank) ranks.push_back(std::to_string(*owner.rank));
}

std::string CaptureLog::wordsOf(const Said& said) {
  constexpr std::size_t kMaxRanks = 16;
  std::string words;
  for (const auto& [what, ranks] : said) {
    words += (words.empty() ? "" : "; ") + what;
    for (std::size_t i = 0; i < ranks.size() && i < kMaxRanks; ++i) words += (i == 0 ? " (rank " : ", ") + ranks[i];
    if (ranks.size() > kMaxRanks) words += " and " + std::to_string(ranks.size() - kMaxRanks) + " more";
    if (!ranks.empty()) words += ")";
  }
  return words;
}

std::string CaptureLog::words() const {
  std::string words;
  for (const auto& [kind, count] : m_got) words += (words.empty() ? "" : ", ") + kind + " " + std::to_string(count);
  if (words.empty()) words = "nothing";
  if (!m_refused.empty()) words += "; refused: " + wordsOf(m_refused);
  if (!m_absent.empty()) words += "; not there: " + wordsOf(m_absent);
  return words;
}

}  // namespace runglass
