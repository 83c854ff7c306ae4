// SPDX-License-Identifier: Apache-2.0
// Analysis: one question about a run, answered once for a stored run and repeatedly for a live one.
//
// Threading:  an object is used by one thread at a time; it may keep data of its run between calls.
// Ownership:  borrows the Reader during a call.
// Units:      as Finding.
// Errors:     those of the Reader; CANCELLED stopped. Too little data is not an error: no finding, or "insufficient_evidence".
// Cost:       each analysis documents its own; on a live run, per call, that of the data since the previous call.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

struct Question {
  Reader& reader;
  RunId run;
  std::optional<TimeNs> now;  // live: silence up to this time is evidence. Absent: the run is judged as of its last data
  std::stop_token stop;
};

class Analysis {
 public:
  virtual ~Analysis() = default;
  // Every finding that holds, including ended ones: an open finding that a later call leaves out is withdrawn. A finding's identity is
  // (run, kind, subject, first_step); a finding with the same identity replaces the earlier one.
  virtual Result<std::vector<Finding>> look(const Question& question) = 0;
};

struct AnalysisEntry {
  std::string_view name;
  std::unique_ptr<Analysis> (*make)();  // one object per run
};

// Every analysis, one line each in registry.cpp.
const std::vector<AnalysisEntry>& analyses();

}  // namespace runglass
