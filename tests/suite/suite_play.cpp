// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/suite_play.h"

#include <cstdio>
#include <tuple>

#include "collectors/sim/simulator.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000'000'000'000;

double secondsSince(TimeNs begin) { return static_cast<double>(monotonicNow() - begin) / kNsPerSecond; }

Status ask(Reader& reader, RunId run, std::span<const AnalysisEntry> entries, SuiteAnswer& answer) {
  std::map<std::tuple<std::string, std::string, std::optional<std::int64_t>>, Finding> found;
  for (const AnalysisEntry& entry : entries) {
    const TimeNs begin = monotonicNow();
    RG_ASSIGN(std::vector<Finding> said, entry.make()->look({.reader = reader, .run = run, .now = {}, .stop = {}}));
    answer.analysis_seconds[std::string(entry.name)] += secondsSince(begin);
    for (Finding& one : said) found[{one.kind, one.subject, one.first_step}] = std::move(one);
  }
  for (auto& [key, one] : found) {
    // Reported as such, or a finding without a node that can be named.
    answer.insufficient += one.kind == "insufficient_evidence" || (one.kind == "slow_link" && !one.node && one.confidence < 0.5) ? 1 : 0;
    answer.notifications += one.severity > Severity::kInfo ? 1 : 0;
    answer.findings.push_back(std::move(one));
  }
  return {};
}

std::string placeOf(const Truth& truth) {
  std::string place;
  if (truth.label.rank) place += " rank " + std::to_string(*truth.label.rank);
  if (truth.label.node) place += " node #" + std::to_string(truth.label.node.value);
  if (truth.stage) place += " stage " + std::to_string(*truth.stage);
  return place.empty() ? " run" : place;
}
std::string stepsOf(std::optional<std::int64_t> first, std::optional<std::int64_t> last) {
  return " steps " + (first ? std::to_string(*first) : "?") + ".." + (last ? std::to_string(*last) : "?");
}

}  // namespace

Result<SuiteAnswer> playSuiteCase(const SuiteCase& one, std::span<const AnalysisEntry> entries) {
  SuiteAnswer answer;
  const TempStore store;
  const TimeNs begin = monotonicNow();
  {
    RG_ASSIGN(const auto writer, store.writer());
    DueRecorder out(*writer);
    RG_TRY(sim::play(one.scenario, out, {.start = kStart, .speed = 0}));
    RG_TRY(writer->close());
  }
  answer.play_seconds = secondsSince(begin);
  RG_ASSIGN(const auto reader, store.reader());
  RG_ASSIGN(const auto runs, reader->runs());
  const RunId run = runs.front().id;
  RG_TRY(ask(*reader, run, entries, answer));
  RG_ASSIGN(answer.truths, readTruths(*reader, run));
  answer.scores = scoreFindings(answer.findings, answer.truths);
  return answer;
}

std::string describe(const SuiteAnswer& answer) {
  std::string text;
  char number[32];
  for (const Truth& truth : answer.truths) {
    std::snprintf(number, sizeof number, "%g", truth.label.strength);
    text += "  label    " + truth.label.kind + placeOf(truth) + stepsOf(truth.label.first_step, truth.label.last_step) + " strength " +
            number + "\n";
  }
  for (const Finding& finding : answer.findings)
    text += "  " + std::string(severityName(finding.severity)) + " " + finding.kind + " " + finding.subject +
            stepsOf(finding.first_step, finding.last_step) + ": " + finding.summary + "\n           " + finding.evidence + "\n";
  for (const auto& [name, seconds] : answer.analysis_seconds) {
    std::snprintf(number, sizeof number, "%.3f s", seconds);
    text += "  " + name + " took " + number + "\n";
  }
  return text;
}

}  // namespace runglass
