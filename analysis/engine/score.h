// SPDX-License-Identifier: Apache-2.0
// Scoring: the findings of a simulated run against its labels: what was found, what was missed, what was cried without need.
//
// Threading:  pure.
// Ownership:  values.
// Units:      counts.
// Errors:     none.
// Cost:       O(findings x labels).
//
// A label may be found under another name (nan: non_finite; xid: hardware_fault). A finding that follows from a labelled fault (the hang
// that a lost GPU causes) is `explained`: neither hit nor false alarm. Findings of severity info notify nobody and are no false alarms.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/findings.h"

namespace runglass {

struct KindScore {
  int labels = 0, hits = 0, misses = 0;                         // of a label's kind
  int findings = 0, false_alarms = 0, explained = 0, info = 0;  // of a finding's kind
  std::vector<std::string> missed, false_found;                 // subjects and summaries, to look at
};

std::map<std::string, KindScore> scoreFindings(std::span<const Finding> findings, std::span<const Label> labels);

}  // namespace runglass
