// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"

#include <algorithm>
#include <array>
#include <limits>

namespace runglass {
namespace {

constexpr DurNs kSlack = 60 * kNsPerSecond;  // an analysis may need so long to say it, and may say it begins a little earlier

struct Pair {
  std::string_view label, finding;
};
// Names under which a label may be found, beside its own.
constexpr std::array kFoundAs = {Pair{"xid", "hardware_fault"},
                                 Pair{"heartbeat_loss", "hardware_fault"},
                                 Pair{"nic_flap", "slow_link"},
                                 Pair{"nic_flap", "hardware_fault"},
                                 Pair{"nan", "non_finite"},
                                 Pair{"missing_rank", "hardware_fault"},
                                 Pair{"agent_restart", "hardware_fault"}};
// What else a labelled fault brings about.
constexpr std::array kFollows = {Pair{"hardware_fault", "hang"}, Pair{"hardware_fault", "stall"}, Pair{"xid", "hang"},
                                 Pair{"xid", "stall"},           Pair{"hang", "stall"},           Pair{"heartbeat_loss", "hang"},
                                 Pair{"nic_flap", "stall"},      Pair{"missing_rank", "hang"}};
// Labels of trouble with the data, not with the run: no finding is due.
constexpr std::array<std::string_view, 3> kNotDue = {"clock_skew", "missing_rank", "agent_restart"};

bool listed(std::span<const Pair> pairs, std::string_view label, std::string_view finding) {
  return std::ranges::any_of(pairs, [&](const Pair& pair) { return pair.label == label && pair.finding == finding; });
}

bool sameTime(const Finding& finding, const Label& label) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  if (finding.start && label.start)
    return *finding.start - kSlack < label.end.value_or(kMost) && finding.end.value_or(kMost - kSlack) + kSlack > *label.start;
  if (finding.first_step && label.first_step)
    return *finding.first_step <= label.last_step.value_or(kMost) && finding.last_step.value_or(kMost) >= label.first_step.value_or(kLeast);
  return true;
}

bool samePlace(const Finding& finding, const Label& label) {
  if (finding.rank && label.rank && *finding.rank != *label.rank) return false;
  return !finding.node || !label.node || finding.node == label.node;
}

}  // namespace

std::map<std::string, KindScore> scoreFindings(std::span<const Finding> findings, std::span<const Label> labels) {
  std::map<std::string, KindScore> scores;
  for (const Label& label : labels) {
    if (std::ranges::find(kNotDue, label.kind) != kNotDue.end()) continue;
    KindScore& score = scores[label.kind];
    ++score.labels;
    const bool hit = std::ranges::any_of(findings, [&](const Finding& finding) {
      return (finding.kind == label.kind || listed(kFoundAs, label.kind, finding.kind)) && sameTime(finding, label) &&
             samePlace(finding, label);
    });
    ++(hit ? score.hits : score.misses);
    if (!hit && label.first_step) score.missed.push_back("from step " + std::to_string(*label.first_step));
  }
  for (const Finding& finding : findings) {
    KindScore& score = scores[finding.kind];
    ++score.findings;
    const auto any = [&](auto fits) {
      return std::ranges::any_of(labels, [&](const Label& label) { return fits(label) && sameTime(finding, label); });
    };
    if (any([&](const Label& label) {
          return (finding.kind == label.kind || listed(kFoundAs, label.kind, finding.kind)) && samePlace(finding, label);
        }))
      continue;
    if (any([&](const Label& label) { return listed(kFollows, label.kind, finding.kind); })) {
      ++score.explained;
    } else if (finding.severity <= Severity::kInfo) {
      ++score.info;
    } else {
      ++score.false_alarms;
      score.false_found.push_back(finding.subject + ": " + finding.summary);
    }
  }
  return scores;
}

}  // namespace runglass
