// SPDX-License-Identifier: Apache-2.0
// Analysis: one question that is asked of a run, once of a stored one and again and again of a live one.
//
// Threading:  an object is used by one thread at a time; it may keep what it has read of its run between calls.
// Ownership:  borrows the Reader during a call.
// Units:      as Finding.
// Errors:     those of the Reader; CANCELLED stopped. Too little data is no error: nothing is found, or "insufficient_evidence".
// Cost:       each documents its own; live, per call, of what arrived since the call before.
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
  std::optional<TimeNs> now;  // live: silence up to here is evidence. Absent: the run is judged as of its last data
  std::stop_token stop;
};

class Analysis {
 public:
  virtual ~Analysis() = default;
  // Every finding that holds, those that ended too: one that was open and is left out later is withdrawn. A finding's identity is (run,
  // kind, subject, first_step): said again with the same identity it replaces what was said before.
  virtual Result<std::vector<Finding>> look(const Question& question) = 0;
};

struct AnalysisEntry {
  std::string_view name;
  std::unique_ptr<Analysis> (*make)();  // one object per run
};

// Every analysis, one line each in registry.cpp.
const std::vector<AnalysisEntry>& analyses();

}  // namespace runglass
