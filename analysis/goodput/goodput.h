// SPDX-License-Identifier: Apache-2.0
// Goodput of a stored run: its `Ledger`, the cost of a save, and the recommended save interval.
//
// Threading:  on the thread of the Reader; the value is immutable afterwards.
// Units:      as `Ledger`.
// Errors:     the Reader's. Values that are not recorded stay absent and `reason` has the cause.
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
  bool enough = false;                                  // at least kMinFailures failures, and a known cost of a save
  std::string reason;                                   // why not, for people
  std::optional<double> save_s;                         // the save's cost that the formulas used
  bool save_blocks = true;                              // false: only the time until durable is known, and the true cost may be lower
  std::optional<Estimated> young_s, daly_s;             // from the run's own failures
  std::optional<Estimated> field_mtbf_s, field_daly_s;  // from published failure rates for as many GPUs, and labelled so
};

struct Goodput {
  Ledger ledger;
  SaveCost saves;
  SaveAdvice advice;
  std::vector<std::string> step_sources;  // of each row
  std::string reason;                     // why there is no effective ratio; empty: there is one
  std::vector<DoneStep> kept;             // steps that count, by time
};

// `findings`: of the run, stored or new; hang, stall and hardware_fault explain time and ends. `now`: the end of a running attempt; absent:
// the newest data.
Result<Goodput> readGoodput(Reader& reader, const Run& run, std::span<const Finding> findings, std::optional<TimeNs> now,
                            std::stop_token stop);

SaveAdvice adviseSaves(const Ledger& ledger, const SaveCost& saves, int gpus);
std::vector<DoneStep> keptSteps(std::span<const AttemptRecord> attempts);

}  // namespace runglass
