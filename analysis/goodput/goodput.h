// SPDX-License-Identifier: Apache-2.0
// Goodput of a stored run: its restart ledger from what arrived, what saving costs, and how often it should save.
//
// Threading:  on the thread of the Reader; the value is immutable afterwards.
// Ownership:  values.
// Units:      as Ledger.
// Errors:     the Reader's. What nobody told stays absent and `reason` says why.
// Cost:       one step series per attempt (readSteps) and a few catalogue reads.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/estimate/run_plan.h"
#include "analysis/goodput/ledger.h"
#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

struct SaveAdvice {
  bool enough = false;                                  // at least kMinFailures failures and a save's cost
  std::string reason;                                   // why not, in plain words
  std::optional<double> save_s;                         // what the formulas took as a save's cost
  bool save_blocks = true;                              // false: only the time until durable is known, and the true cost may be less
  std::optional<Estimated> young_s, daly_s;             // from the run's own failures
  std::optional<Estimated> field_mtbf_s, field_daly_s;  // from the field's rate for as many GPUs: a stranger's number, labelled so
};

struct Goodput {
  Ledger ledger;
  SaveCost saves;
  SaveAdvice advice;
  std::vector<std::string> step_sources;  // of each row
  std::string reason;                     // why there is no effective ratio; empty: there is one
  std::vector<DoneStep> kept;             // steps that count, by time
};

// `findings`: of the run, stored or just made; hang, stall and hardware_fault explain time and ends. `now`: the end of what still runs;
// absent: the newest data.
Result<Goodput> readGoodput(Reader& reader, const Run& run, std::span<const Finding> findings, std::optional<TimeNs> now,
                            std::stop_token stop);

SaveAdvice adviseSaves(const Ledger& ledger, const SaveCost& saves, int gpus);
std::vector<DoneStep> keptSteps(std::span<const AttemptRecord> attempts);

}  // namespace runglass
