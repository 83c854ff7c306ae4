// SPDX-License-Identifier: Apache-2.0
// Data that analyses read back from a store that anyone may have written.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "analysis/estimate/launch_options.h"
#include "analysis/goodput/ledger.h"
#include "analysis/hangs/group_reach.h"
#include "analysis/hangs/hang_evidence.h"
#include "analysis/hangs/stack_clusters.h"
#include "analysis/one_fault/watchdog.h"
#include "analysis/report/redaction.h"
#include "analysis/report/report_writers.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

RG_FUZZ(hang_evidence) {
  const auto evidence = parseHangEvidence({reinterpret_cast<const char*>(data), size});
  // Parsed evidence can be printed and parsed again.
  if (evidence.ok()) RG_CHECK(parseHangEvidence(printHangEvidence(*evidence)).ok());
}

RG_FUZZ(watchdog_words) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)timeoutWords({.kind = "collective_timeout", .code = text.substr(0, text.size() / 2), .message = text});
  const Fact facts[] = {{.key = "argv", .value = text}, {.key = "ddp_timeout", .value = text}};
  (void)watchdogOf(facts);
}

// Stacks as a trainer wrote them, and a dump's numbers: the text, and the text preceded by its half.
RG_FUZZ(captured_stacks) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string other = text.substr(0, text.size() / 2) + "\n" + text;
  const std::string framed = "Current thread 0x1 (most recent call first):\n" + text;
  const RankStack stacks[] = {{0, text}, {1, text}, {2, other}, {3, framed}};
  const StackClusters clusters = clusterStacks(stacks);
  RG_CHECK(clusters.stacks <= 4 && clusters.largest.size() + clusters.other.size() == static_cast<std::size_t>(clusters.stacks));
  const Fact facts[] = {{.rank = 0, .key = "nccl_pg_status", .value = text}};
  (void)reachOfDumps(facts, true);
}

RG_FUZZ(launch_options) {
  for (const auto& [name, value] : optionsOf(std::string_view(reinterpret_cast<const char*>(data), size))) {
    RG_CHECK(!name.empty());
    (void)numberOfText(value);
  }
}

// For any attempts and steps, a row's segments cover its time in order.
RG_FUZZ(restart_ledger) {
  std::size_t at = 0;
  const auto next = [&] {
    std::int64_t value = 0;
    const std::size_t bytes = std::min(sizeof value, size - at);
    std::memcpy(&value, data + at, bytes);
    at += bytes;
    return value;
  };
  std::vector<AttemptRecord> attempts;
  while (at < size) {
    AttemptRecord attempt{.number = static_cast<std::int32_t>(next()), .start = next(), .end = next()};
    if (next() % 2 == 0) attempt.resumed_from = next(), attempt.first_step = next(), attempt.last_step = next();
    for (std::int64_t steps = next() & 7; steps > 0; --steps)
      attempt.steps.push_back({.step = next(), .count = next(), .begin = next(), .end = next(), .kind = static_cast<StepKind>(next() & 3)});
    attempt.known.push_back({{next(), next()}, static_cast<Spend>((next() & 0x7F) % kSpendCount)});
    attempts.push_back(std::move(attempt));
  }
  const Ledger ledger = makeLedger(std::move(attempts));
  DurNs sum = 0;
  TimeNs end = std::numeric_limits<TimeNs>::min();
  for (const LedgerRow& row : ledger.rows)
    for (const Segment& one : row.segments) {
      RG_CHECK(one.t0 >= end && one.t1 > one.t0);
      end = one.t1, sum += one.t1 - one.t0;
    }
  RG_CHECK(sum == ledger.wall.value_or(0));
}

// For any input of a report, its output contains it as plain text.
RG_FUZZ(report_text) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string html = report::htmlText(text);
  RG_CHECK(html.find_first_of("<>\"'`\n") == std::string::npos && html.find('\0') == std::string::npos);
  const std::string csv = report::csvText(text);
  RG_CHECK(!csv.empty() && std::string_view("=+-@\t\r\n").find(csv.front()) == std::string_view::npos);
  RG_CHECK(csv.front() != '"' || (csv.size() > 1 && csv.back() == '"' && std::string_view("=+-@").find(csv[1]) == std::string_view::npos));
  report::ReportDocument document;
  document.title = text, document.summary = text;
  document.sections.push_back({text, text, {report::Paragraph{text}, report::WrittenNote{text, text}, report::Link{text, text}}});
  document.queries.push_back({text, text});
  const std::string page = report::reportHtml(document);
  RG_CHECK(page.find("<script") == std::string::npos && page.find("href=\"http") == std::string::npos);
  (void)report::reportMarkdown(document), (void)report::reportJson(document);
}

RG_FUZZ(report_redaction) {
  static report::Redactor redactor(*report::redactClassesFromText("all"));
  static const bool known = (redactor.know({"n0412", "login"}, {"alice"}), true);
  RG_CHECK(known);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  RG_CHECK((" " + redactor.text(text) + " ").find(" n0412 ") == std::string::npos);
  (void)redactor.json(text), (void)redactor.value("host", text);
}

}  // namespace
