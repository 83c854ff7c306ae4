// SPDX-License-Identifier: Apache-2.0

#include "analysis/logbook/logbook.h"
#include "analysis/text/markdown_text.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr TimeNs kDay = 24 * 3600 * kNsPerSecond;

std::string headingOf(const LogbookEntry& entry, TimeDomain domain) {
  if (!entry.time) return domain == TimeDomain::kNone ? "Without a clock" : "Of the run as a whole";
  if (domain == TimeDomain::kRelative) return "Day " + std::to_string(*entry.time / kDay + (*entry.time < 0 ? 0 : 1));
  const std::string text = utcText(*entry.time);
  return text.substr(0, text.find(' '));
}

}  // namespace

std::string logbookMarkdown(const Logbook& logbook) {
  const TimeDomain domain = logbook.run.time_domain.value_or(TimeDomain::kUtc);
  std::string out = "# Run log of " + markdownText(logbook.run.name) + "\n\n" + markdownText(logbook.summary.english) + ".";
  out += domain == TimeDomain::kUtc ? " Times are UTC.\n" : domain == TimeDomain::kRelative ? " Times are the run's own clock.\n" : "\n";
  if (logbook.entries.empty()) out += "\nNothing was recorded.\n";
  std::string heading;
  for (const LogbookEntry& entry : logbook.entries) {
    if (std::string next = headingOf(entry, domain); next != heading) {
      heading = std::move(next);
      out += "\n## " + heading + "\n\n";
    }
    out += "- ";
    if (entry.time) out += clockText(*entry.time) + " · ";
    if (entry.step) out += "step " + std::to_string(*entry.step) + " · ";
    out += "**" + markdownText(entry.what.english) + "**";
    if (entry.severity >= Severity::kWarning) out += std::string(" (") + severityName(entry.severity) + ")";
    out += ": " + markdownText(entry.text.english) + "\n";
  }
  if (logbook.left_out > 0) out += "\n" + std::to_string(logbook.left_out) + " more events are not listed.\n";
  return out;
}

}  // namespace runglass
