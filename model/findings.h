// SPDX-License-Identifier: Apache-2.0
// Findings: the results of analyses.
//
// Units:      TimeNs, steps; score and confidence 0..1 unless defined otherwise for the kind.
// Cost:       one row each; identity is (run, kind, subject, first_step).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/events.h"
#include "model/ids.h"
#include "model/time.h"

namespace runglass {

struct Finding {
  std::int64_t id = 0;
  RunId run;
  AttemptId attempt;
  std::string kind;     // "loss_spike", "slow_rank", ... (docs/guide/findings.md)
  std::string subject;  // "rank:37", "node:n0412", "run"
  Severity severity = Severity::kInfo;
  std::optional<TimeNs> start, end;
  std::optional<std::int64_t> first_step, last_step;
  NodeId node;
  std::optional<std::int32_t> rank, dp, pp, tp;
  std::optional<double> score, confidence, coverage;
  std::string summary;   // `message` in English
  std::string message;   // JSON of analysis/words/message.h; "" in stores from before schema 15
  std::string evidence;  // JSON object
  // When this version was first published while the run was in progress; absent: found by a later analysis.
  std::optional<TimeNs> published;
};

}  // namespace runglass
